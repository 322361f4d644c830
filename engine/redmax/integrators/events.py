# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something switches by state: corners of spring tables, borders of soft limits, lines that become taut or slack.

What a step jumps over its error estimate does not see, and what has a corner inside a step is integrated with less
than the method's order. So every adaptive step that is accurate enough is also looked into: each quantity that makes
something switch is known at both ends, with its rate, and at points in between that the step's own motion gives
(`crossings.quintic`). If one of them leaves the interval between two levels in which it began, the step is taken again
so that it ends just before, and the next one begins just beyond. `kernels.steps.events` does the same in compiled runs.

A motor that reaches its maximum is not among them: what it then switches by has a rate that depends on accelerations,
and its force has a corner but no jump, which error control finds (docs/simulating.md, Energy balance).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..crossings import (
    AIM,
    ARRIVED,
    BEYOND,
    CALMING,
    COORDINATE,
    CREEPING,
    FLOOR,
    FORCE,
    LONGEST_PIECE,
    MOST_HOPS,
    MOST_TRIES,
    MOST_TURN,
    NEAR_MISS,
    OWN,
    PIECE,
    WINDOW,
    departure,
    quintic,
)
from ..dynamics.body_forces import with_world
from ..dynamics.freedoms import free_coordinates
from ..dynamics.loads import own_coordinates
from ..forces.lines.batch import split
from ..model import Model
from ..state import State


class Levels(NamedTuple):
    """Sorted values at which a quantity makes something switch, and again after every period; numbered from 0 on."""

    values: tuple[float, ...]
    period: float = math.inf

    def below(self, x: float, *, with_equal: bool = False) -> int:
        """Number of the first level that is not below x; with_equal: of the first that is above it."""
        lap = math.floor(x / self.period) if self.period < math.inf and math.isfinite(x) else 0
        rest = x - lap * self.period if lap else x
        return lap * len(self.values) + (bisect_right if with_equal else bisect_left)(self.values, rest)

    def __call__(self, number: int) -> float:
        """The level of a number; infinite below the first and above the last, if there are such."""
        count = len(self.values)
        if self.period < math.inf:
            return self.values[number % count] + number // count * self.period
        return self.values[number] if 0 <= number < count else math.copysign(math.inf, number)

    def gap(self) -> float:
        """The least distance between two of them."""
        around = (*self.values, self.values[0] + self.period)
        return min(b - a for a, b in pairwise(around))


@dataclass(frozen=True, eq=False)
class Switches:
    """All quantities of a model that make something switch. sorts, indices: (m,) which; see `COORDINATE`.

    An index is that of a free coordinate among the free ones, of a coordinate among all, or of a force.
    levels: (m) values at which it does so. gaps: (m,) the least distance between two of them.
    turning: indices of free coordinates that are angles.
    """

    sorts: IntArray
    indices: IntArray
    levels: tuple[Levels, ...]
    gaps: Array
    turning: IntArray

    @property
    def posed(self) -> bool:
        """Whether bodies must be placed to know all quantities."""
        return bool((self.sorts != COORDINATE).any())


def state_switches(model: Model) -> Switches:
    """Of a model; animated joints switch at times that are known (`switching.switch_times`)."""
    return _switches(model, model.body_count)


def slow_switches(model: Model) -> Switches:
    """Without segments of strands, which become taut and slack faster than steps that let vibrations die away."""
    return _switches(model, model.body_count - model.hidden)


def _switches(model: Model, bodies: int) -> Switches:
    """Of all coordinates, and of forces on the first bodies alone."""
    free = model.once(free_coordinates).tolist()
    listed: list[tuple[int, int, Levels]] = []
    for j, joint in enumerate(model.joints):
        for k, column in enumerate(range(*model.columns(j).indices(model.dof_count))):
            if model.prescribed[column]:
                continue
            soft = model.limit_stiffness[column] > 0.0
            limits = np.array([model.lower[column], model.upper[column]] if soft else [])
            table = joint.stiffness_table
            corners = np.zeros(0) if table is None else model.rest[column] + table.corners(k)
            end = joint.ends()[k]
            own = [] if end.period < math.inf else end.corners
            levels = np.unique(np.concatenate([limits[np.isfinite(limits)], corners, own]))
            plain = column in free and j not in model.charted_loads
            where = (COORDINATE, free.index(column)) if plain else (OWN, column)
            listed.append((*where, Levels(tuple(levels.tolist()))))
            if end.period < math.inf:
                listed.append((*where, Levels(end.corners, end.period)))
    forces = [(k, force) for k, force in enumerate(model.forces) if max(force.bodies) < bodies]
    listed += [(FORCE, k, Levels(tuple(np.asarray(force.switch_levels()).tolist()))) for k, force in forces]
    listed = [one for one in listed if one[2].values]
    units = [unit for joint in model.joints for unit in joint.dof_units]
    return Switches(
        np.array([one[0] for one in listed], np.int64),
        np.array([one[1] for one in listed], np.int64),
        tuple(one[2] for one in listed),
        np.array([one[2].gap() for one in listed]),
        np.array([k for k, column in enumerate(free) if units[column] == "rad"], np.int64),
    )


class Lookout:
    """Looks into the steps of one run.

    motion: (t, y) gives all q and qdot. atol, rtol: error allowed per step.
    """

    def __init__(
        self,
        model: Model,
        switches: Switches,
        motion: Callable[[float, Array], State],
        *,
        rtol: float,
        atol: float,
    ) -> None:
        self.model, self.switches, self.motion = model, switches, motion
        self.rtol, self.atol = rtol, atol
        self.usual_step = 0.0
        self._free = len(model.once(free_coordinates))
        self._plain = switches.sorts == COORDINATE
        self._own = bool((switches.sorts == OWN).any())
        forces = np.flatnonzero(switches.sorts == FORCE).tolist()
        of_row = {k: model.forces[int(switches.indices[k])] for k in forces}
        self._springs, others = split(tuple(of_row.values()))
        alone = set(map(id, others))
        self._spring_rows: IntArray = np.array([k for k in forces if id(of_row[k]) not in alone], np.int64)
        self._other_rows = [k for k in range(len(self._plain)) if k not in of_row or id(of_row[k]) in alone]

    def quantities(self, t: float, y: Array) -> tuple[Array, Array]:
        """All quantities and their rates, each (m,)."""
        switches, n = self.switches, self._free
        if not switches.posed:
            return y[switches.indices], y[n + switches.indices]
        state = self.motion(t, y)
        kin = fast.kinematics(self.model, state.q, state.qdot, state.chart)
        q, qdot = own_coordinates(self.model, kin)[:2] if self._own else (state.q, state.qdot)
        E, twists = with_world(kin.E_wi, kin.phi)
        x, v = np.empty(len(self._plain)), np.empty(len(self._plain))
        if len(self._spring_rows):
            x[self._spring_rows], v[self._spring_rows] = self._springs.lengths_and_rates(E, twists)
        for k in self._other_rows:
            sort, index = switches.sorts[k], switches.indices[k]
            if sort == COORDINATE:
                x[k], v[k] = y[index], y[n + index]
            elif sort == OWN:
                x[k], v[k] = q[index], qdot[index]
            else:
                force = self.model.forces[index]
                x[k], v[k] = force.switch_quantity(E[list(force.bodies)], twists[list(force.bodies)])
        return x, v

    def landing(self, t: float, y: Array, step: float) -> Landing:
        """For a step that begins at (t, y) and is tried with a length of `step` [s]."""
        self.usual_step = max(step, CALMING * self.usual_step)
        return Landing(self, t, y, self.usual_step)

    def sampled(self, start: Landing, t: float, y: Array, f: Array, h: float, y_new: Array, f_new: Array) -> Samples:
        """Quantities at both ends of a step and at evenly spaced points in between."""
        n, switches = self._free, self.switches
        count = 2
        if switches.posed:
            speeds = np.maximum(np.abs(y[n : 2 * n]), np.abs(y_new[n : 2 * n]))[switches.turning]
            turn = h * float(speeds.sum())
            if turn > MOST_TURN:
                return Samples(np.zeros((3, 0)), np.zeros((3, 0)), h * MOST_TURN / turn)
            count = 2 * max(1, math.ceil(turn / LONGEST_PIECE))
        found = [(start.x, start.v)]
        for j in range(1, count):
            between = y.copy()
            between[:n], between[n : 2 * n] = quintic(
                y[:n], y[n : 2 * n], f[n : 2 * n], y_new[:n], y_new[n : 2 * n], f_new[n : 2 * n], h, j / count
            )
            found.append(self.quantities(t + j / count * h, between))
        found.append(self.quantities(t + h, y_new))
        x, v = zip(*found, strict=True)
        return Samples(np.array(x), np.array(v), math.inf)


class Samples(NamedTuple):
    """Quantities x and their rates v, each (points, m). far: time [s] after which joints have turned as far as they may
    in one step; x and v are empty where that is within it."""

    x: Array
    v: Array
    far: float


class Landing:
    """One step, taken again until it ends just before the first switch in it.

    x, v: (m,) quantities where it begins, and their rates. window [s]: what is closer ahead counts as passed; the step
    ends a part of it before a switch. tries: how often it was taken again. length: of the attempt that met a switch.
    """

    def __init__(self, lookout: Lookout, t: float, y: Array, step: float) -> None:
        self.lookout = lookout
        self.x, self.v = lookout.quantities(t, y)
        speed = np.abs(self.v)
        moving = speed > 0.0
        nothing_passed = float((PIECE * lookout.switches.gaps[moving] / speed[moving]).min(initial=np.inf))
        self.window = max(min(WINDOW * step, nothing_passed), 64.0 * (math.nextafter(t, math.inf) - t))
        self.floor = np.minimum(FLOOR * (lookout.atol + lookout.rtol * np.abs(self.x)), PIECE * lookout.switches.gaps)
        self.usual_step, self.length, self.tries, self._late = step, 0.0, 0, math.inf

    def hop(self) -> float:
        """Time [s] after which the next quantity is just beyond a level that it has nearly reached; 0 if none has."""
        soonest, step = math.inf, self.usual_step
        numbers = (self.x.tolist(), self.v.tolist(), self.floor.tolist())
        for levels, x, v, floor in zip(self.lookout.switches.levels, *numbers, strict=True):
            if v == 0.0:
                continue
            level = levels(levels.below(x) if v > 0.0 else levels.below(x, with_equal=True) - 1)
            left = (level - x) / v
            if left <= ARRIVED * self.window or left <= min(CREEPING * step, floor / abs(v)):
                soonest = min(soonest, left + BEYOND * (abs(level / v) + step))
        return soonest if soonest <= CREEPING * step else 0.0

    def next_try(self, t: float, y: Array, f: Array, h: float, y_new: Array, f_new: Array, shortest: float) -> float:
        """Length [s] of the next attempt; 0 if the one of length h from y to y_new, slopes f and f_new, may stay."""
        if self.tries >= MOST_TRIES:
            return 0.0
        switch, ahead = self._seen(self.lookout.sampled(self, t, y, f, h, y_new, f_new), h)
        if switch < (1.0 - 1e-10) * h:
            again = switch - AIM * self.window if self.tries < MOST_TRIES // 2 else 0.5 * switch
            if not again > shortest:
                return 0.0
            self.length = h if self.tries == 0 else self.length
            self._late = h
        elif self.tries > 0 and 2.0 * AIM * self.window < ahead < NEAR_MISS * h:
            again = h + ahead - AIM * self.window
            if not again < self._late:
                return 0.0
        else:
            return 0.0
        self.tries += 1
        return again

    def _seen(self, samples: Samples, h: float) -> tuple[float, float]:
        """When something first switches, from the step's start [s], and how long after its end the next would if it
        went on like that; inf for never."""
        x, v, far = samples
        if far < h:
            return far, math.inf
        count = len(x) - 1
        part = h / count
        # How far cubics over two parts are from what is between them: those over one are sixteen times as good.
        between = 0.5 * (x[:-1:2] + x[2::2]) + 0.25 * part * (v[:-1:2] - v[2::2])
        wrong = np.abs(x[1::2] - between).max(axis=0) / 8.0
        switch = ahead = math.inf
        for k, levels in enumerate(self.lookout.switches.levels):
            floor = float(self.floor[k])
            low, high = self._interval(levels, x[:, k].tolist(), v[:, k].tolist(), part, floor)
            for j in range(count):
                a, b = x[j : j + 2, k].tolist()
                va, vb = v[j : j + 2, k].tolist()
                gone = departure(a, va, b, vb, part, low, high, float(wrong[k]) + floor, floor)
                if gone <= 1.0:
                    switch = min(switch, (j + gone) * part)
                    break
            x1, v1 = float(x[-1, k]), float(v[-1, k])
            left = ((high if v1 > 0.0 else low) - x1) / v1 if v1 != 0.0 else math.inf
            if left > 0.0:
                ahead = min(ahead, left)
        return switch, ahead

    def _interval(
        self, levels: Levels, x: list[float], v: list[float], part: float, floor: float
    ) -> tuple[float, float]:
        """Between which levels a quantity begins its step; x, v: at points that are `part` [s] apart.

        Where it begins at a level, but for `floor`, that is the one behind it as it leaves. No more is seen of a
        quantity that stays there, such as the length of a rope at rest.
        """
        near = levels.below(x[0] - floor)
        level = levels(near)
        if level <= x[0] + floor:
            way = 0
            for j in range(len(x) - 1):
                piece = (x[j], v[j], x[j + 1], v[j + 1], part)
                up = departure(*piece, -math.inf, level + floor, 0.0, 0.0)
                down = departure(*piece, level - floor, math.inf, 0.0, 0.0)
                if min(up, down) <= 1.0:
                    way = 1 if up < down else -1
                    break
            return level - floor if way > 0 else levels(near - 1), level + floor if way < 0 else levels(near + 1)
        place = levels.below(x[0] + self.window * v[0], with_equal=True)
        return levels(place - 1), levels(place)


def hopped(y: Array, f: Array, dt: float) -> Array:
    """y after a time so short that its slopes f do not change; free coordinates, their velocities and quadratures."""
    n = (y.size - 2) // 2
    y = y + dt * f
    y[:n] += 0.5 * dt * dt * f[n : 2 * n]
    return y


class Hops:
    """How often a run has passed a level without a step in between, which has an end (`MOST_HOPS`)."""

    def __init__(self) -> None:
        self._count = 0

    def over(self, landing: Landing, t: float, y: Array, f: Array, t_stop: float) -> tuple[float, Array] | None:
        """Where a run at t and y, of slope f, is just beyond a level that a quantity has nearly reached, so that no
        step begins before it and goes on beyond; None where there is no such level."""
        dt = landing.hop() if self._count < MOST_HOPS else 0.0
        if dt == 0.0:
            self._count = 0
            return None
        self._count += 1
        return min(t + dt, t_stop), hopped(y, f, min(dt, t_stop - t))
