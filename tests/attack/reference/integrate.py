# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a mechanism through time by scipy's DOP853, from one switch to the next."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import DOP853, Radau
from scipy.optimize import brentq

from .equations import DOUBTFUL, Equations, State
from .mechanism import Mechanism
from .rotations import matrices, quaternion
from .solids import CannotError

Array = Any

LOOKS = np.linspace(0.0, 1.0, 5)[1:]
"""Where inside a step switches are looked at, as parts of it."""

LONGEST = 0.05
"""Bodies are put back onto the conditions at least so often [s]."""

MOST_SWITCHES = 2000
SLOW = 1e-4
"""Impacts slower than this [1/s, of the size] do not bounce."""


class OutOfTimeError(Exception):
    """The reference needs longer than it was given."""


@dataclass
class Motion:
    """What the reference found: position (f, n, 3) and rotation (f, n, 4) of the bodies' frames, kinetic (f,).

    trusted: how many samples may be believed; why: what came then, empty if nothing did.
    """

    t: Array
    position: Array
    rotation: Array
    kinetic: Array
    nodes: Array
    size: float
    trusted: int
    why: str


def follow(
    m: Mechanism, times: Array, *, rtol: float = 1e-10, seconds: float = 20.0, shake: float = 0.0, stiff: bool = False
) -> Motion:
    """The motion at the given times. shake: change of the start, of places in sizes, of rotations in radians and of
    their rates per second, to see what small errors do."""
    return _Run(m, np.asarray(times, float), rtol, seconds, shake, stiff).go()


class _Run:
    def __init__(self, m: Mechanism, times: Array, rtol: float, seconds: float, shake: float, stiff: bool) -> None:
        self.m, self.eq, self.times, self.rtol = m, Equations(m), times, rtol
        self.end = time.process_time() + seconds
        self.method = Radau if stiff else DOP853
        q = np.array([quaternion(R) for R in m.R0])
        self.state = State(float(times[0]), m.x0.copy(), m.R0.copy(), m.v0.copy(), m.w0.copy())
        self.q = q
        self.shake = shake
        self.switches_met = 0
        self.breaks = self._breaks()

    def _breaks(self) -> Array:
        found = [0.0]
        for c in self.m.coordinates:
            if c.load.torque_table is not None:
                found += list(c.load.torque_table.corners)
        for ball in self.m.balls:
            for load in ball.loads:
                if load.torque_table is not None:
                    found += list(load.torque_table.corners)
        for function in self.m.prescribed.values():
            found += list(function.corners)
        for f in self.m.forces:
            for name in ("force_table", "table"):
                for column in f.get(name) or ():
                    found += list(column.corners)
        return np.unique(found)

    # --- a whole run ------------------------------------------------------------------------------------------------

    def go(self) -> Motion:
        m, eq = self.m, self.eq
        self._pieces(self.times[0], self.times[-1])
        self._close()
        self._fit()
        if self.shake:
            rng = np.random.default_rng(7)
            x, turned, v, w = self.shake * rng.standard_normal((4, eq.n, 3))
            energy = self._kinetic()
            p = eq.primitives(self.state)
            rows, M = eq.conditions(self.state, p, eq.coordinates(p)), eq.mass_matrix(self.state)
            wish = np.concatenate([m.size * x, turned], axis=1).ravel()
            free = eq.least(M, M @ wish, rows.J, np.zeros(len(rows.J))).reshape(-1, 6)
            self._move(free[:, :3], free[:, 3:])
            self._close()
            self.state.v += m.size * v
            self.state.w += w
            self._fit()
            if energy > 0.0 and not m.prescribed:
                # As fast as before: what turns quickly would otherwise drift apart by its speed alone.
                factor = np.sqrt(energy / self._kinetic())
                self.state.v, self.state.w = factor * self.state.v, factor * self.state.w
        self._set_regime()
        self._start_stops()
        frames, why = [self._frame()], ""
        for t in self.times[1:]:
            try:
                self._until(float(t))
            except (CannotError, np.linalg.LinAlgError, ValueError) as error:  # ValueError: numbers that are none
                why = str(error)
                break
            why = eq.doubtful(self.state)
            if why:
                break
            frames.append(self._frame())
        columns = [np.array(column) for column in zip(*frames, strict=True)]
        return Motion(self.times[: len(frames)], *columns, m.size, len(frames), why)

    def _frame(self) -> tuple[Array, Array, float, Array]:
        s, m = self.state, self.m
        origin = s.x - np.einsum("nij,nj->ni", s.R, m.center)
        nodes = [x if b < 0 else origin[b] + s.R[b] @ x for b, x in m.nodes]
        return origin[: m.shown], np.array(self.q[: m.shown]), self._kinetic(), np.array(nodes).reshape(-1, 3)

    def _kinetic(self) -> float:
        """Kinetic energy [J]."""
        s, m = self.state, self.m
        I = s.R @ m.inertia @ np.swapaxes(s.R, 1, 2)
        return 0.5 * float(m.mass @ (s.v**2).sum(1) + np.einsum("ni,nij,nj->", s.w, I, s.w))

    def _until(self, t_end: float) -> None:
        inside = self.breaks[(self.breaks > self.state.t) & (self.breaks < t_end)]
        between = np.arange(self.state.t, t_end, LONGEST)[1:]
        for t in np.unique([*inside, *between, t_end]):
            self._pieces(self.state.t, t)
            if self.state.t in self.breaks:
                self._fit()  # a corner of a prescribed motion passes an impulse
            self._smooth(float(t))
            self._close()
            self._fit()
            if self.eq.least_pivot < DOUBTFUL:
                raise CannotError("a singular pose is near")

    def _pieces(self, t0: float, t1: float) -> None:
        """The pieces of functions of time that hold from t0 to t1."""
        middle = 0.5 * (t0 + min([t1, *self.breaks[self.breaks > t0]]))
        for k, function in self.m.prescribed.items():
            self.eq.pieces[k] = function.piece(middle)
        for k, c in enumerate(self.m.coordinates):
            if c.load.torque_table is not None:
                self.eq.pieces["torque", k] = c.load.torque_table.piece(middle)

    # --- between two corners of time ----------------------------------------------------------------------------------

    def _pack(self, s: State) -> Array:
        return np.concatenate([s.x.ravel(), self.q.ravel(), s.v.ravel(), s.w.ravel()])

    def _unpack(self, t: float, y: Array) -> tuple[State, Array]:
        n = self.eq.n
        x, q, v, w = np.split(y, [3 * n, 7 * n, 10 * n])
        q = q.reshape(n, 4)
        return State(t, x.reshape(n, 3), matrices(q), v.reshape(n, 3), w.reshape(n, 3)), q

    def _rates(self, t: float, y: Array) -> Array:
        if time.process_time() > self.end:
            raise OutOfTimeError
        s, q = self._unpack(t, y)
        a = self.eq.acceleration(s)[0].reshape(-1, 6)
        # qdot = (0, w) q / 2 for angular velocities in the world
        w, (q0, qv) = s.w, (q[:, :1], q[:, 1:])
        qdot = 0.5 * np.concatenate([-(w * qv).sum(1, keepdims=True), q0 * w + np.cross(w, qv)], axis=1)
        return np.concatenate([s.v.ravel(), qdot.ravel(), a[:, :3].ravel(), a[:, 3:].ravel()])

    def _smooth(self, t_end: float) -> None:
        n = self.eq.n
        while t_end - self.state.t > 1e-14 * max(1.0, abs(t_end)):
            size, speed = (
                self.m.size,
                max(np.abs(self.state.v).max(), self.m.size * np.abs(self.state.w).max(), self.m.size),
            )
            atol = (
                self.rtol
                * np.r_[np.full(3 * n, size), np.full(4 * n, 1.0), np.full(3 * n, speed), np.full(3 * n, speed / size)]
            )
            self._let_go()
            solver = self.method(
                self._rates, self.state.t, self._pack(self.state), t_end, rtol=self.rtol, atol=atol, max_step=0.05
            )
            before = self._watched(self.state)
            met = False
            while solver.status == "running" and not met:
                message = solver.step()
                if solver.status == "failed":
                    raise CannotError(message or "the reference cannot go on")
                met = self._meet(solver, before)
                if not met:
                    self.state, self.q = self._unpack(solver.t, solver.y)
                    before = self._watched(self.state)
                    self._count_on()
            if met:
                self.switches_met += 1
                if self.switches_met > MOST_SWITCHES:
                    raise CannotError("switches without end")

    def _let_go(self) -> None:
        """Leaves stops that would pull, the one that pulls most first."""
        eq = self.eq
        while eq.active:
            forces = eq.pushing(self.state)
            if forces.min() >= 0.0:
                return
            eq.active.pop(int(np.argmin(forces)))

    def _watched(self, s: State) -> Array:
        """Values whose change of sign ends a step: switches, stops that are free, and forces of active stops."""
        eq = self.eq
        if not eq.switches and not self.m.stops:
            return np.zeros(0)
        c = eq.coordinates(eq.primitives(s))
        switches = np.where(eq.regime, 1.0, -1.0) * eq.switch_values(s, c)
        stops = eq.stop_values(s, c)
        stops[eq.active] = 1.0
        forces = eq.pushing(s) if eq.active else np.zeros(0)
        return np.concatenate([switches, stops, forces])

    def _meet(self, solver: Any, before: Array) -> bool:
        """Looks for the first switch within the last step; goes there and turns it."""
        if not len(before):
            return False
        dense, t0 = solver.dense_output(), solver.t_old
        was, t_was = before, t0
        for part in LOOKS:
            t = t0 + part * (solver.t - t0)
            values = self._watched(self._unpack(t, dense(t))[0])
            # What starts at zero or beyond and goes further out was turned a moment ago or is met at once.
            crossed = np.flatnonzero((values < 0.0) & ((was > 0.0) | (values < was)))
            if len(crossed):
                times = [self._root(dense, k, t_was, t) for k in crossed]
                first = int(np.argmin(times))
                t_met, k = times[first], int(crossed[first])
                self.state, self.q = self._unpack(t_met, dense(t_met))
                self._count_on()
                self._turn(k)
                return True
            was, t_was = values, t
        return False

    def _root(self, dense: Any, k: int, a: float, b: float) -> float:
        def value(t: float) -> float:
            return float(self._watched(self._unpack(t, dense(t))[0])[k])

        return a if value(a) <= 0.0 else float(brentq(value, a, b, xtol=1e-14, rtol=1e-14))

    def _turn(self, k: int) -> None:
        eq = self.eq
        n, stops = len(eq.switches), len(self.m.stops)
        if k < n:
            eq.regime[k] = not eq.regime[k]
        elif k < n + stops:
            self._impact(k - n)
        else:
            eq.active.pop(k - n - stops)

    def _count_on(self) -> None:
        p = self.eq.primitives(self.state)
        self.eq.near = self.eq.coordinates(p).value
        self.q = self.q / np.linalg.norm(self.q, axis=1, keepdims=True)
        self.state.R = matrices(self.q)

    # --- jumps ------------------------------------------------------------------------------------------------------

    def _set_regime(self) -> None:
        self._count_on()
        values = self.eq.switch_values(self.state)
        self.eq.regime = values > 0.0
        at = np.flatnonzero(np.abs(values) < 1e-13 * max(1.0, self.m.size))
        if len(at):  # where it stands exactly, the motion decides
            s, dt = self.state, 1e-9
            ahead = State(s.t, s.x + dt * s.v, s.R, s.v, s.w)
            turn = s.w * dt
            ahead.R = np.array([np.eye(3) + np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]) for a, b, c in turn]) @ s.R
            self.eq.regime[at] = self.eq.switch_values(ahead)[at] > 0.0

    def _start_stops(self) -> None:
        touching = np.flatnonzero(self.eq.stop_values(self.state) < 1e-12)
        if len(touching):
            raise CannotError("a start at a hard stop")

    def _fit(self) -> None:
        y = self.eq.fitted_velocity(self.state).reshape(-1, 6)
        self.state.v, self.state.w = y[:, :3].copy(), y[:, 3:].copy()

    def _close(self) -> None:
        """Puts the bodies back onto the conditions by the least motion."""
        eq = self.eq
        for _ in range(20):
            p = eq.primitives(self.state)
            rows = eq.conditions(self.state, p, eq.coordinates(p))
            if np.abs(rows.value).max(initial=0.0) < 1e-15:
                return
            M = eq.mass_matrix(self.state)
            d = eq.least(M, np.zeros(6 * eq.n), rows.J, -rows.value).reshape(-1, 6)
            self._move(d[:, :3], d[:, 3:])
            if np.abs(d).max(initial=0.0) < 1e-14 * max(1.0, self.m.size):
                return

    def _move(self, x: Array, turned: Array) -> None:
        """Moves all bodies by x (n, 3) [m] and turns them by small rotation vectors (n, 3), in the world."""
        self.state.x = self.state.x + x
        half, q0, qv = 0.5 * turned, self.q[:, :1], self.q[:, 1:]
        change = np.concatenate([-(half * qv).sum(1, keepdims=True), q0 * half + np.cross(half, qv)], axis=1)
        self.q = self.q + change
        self._count_on()

    def _impact(self, number: int) -> None:
        """A free stop is met: the least impulse that sends the coordinate back, and no stop pulls."""
        eq, m = self.eq, self.m
        k, side, _, restitution = m.stops[number]
        c = eq.coordinates(eq.primitives(self.state))
        J, rate = side * c.J[k], side * c.rate[k]
        slow = -rate < SLOW * (1.0 if len(m.coordinates[k].rows) == 2 else m.size)
        bounce = 0.0 if slow else -restitution * rate
        others = list(eq.active)
        before = eq.stacked(self.state)
        for count in range(len(others), -1, -1):
            for kept in itertools.combinations(others, count):
                eq.active = list(kept)
                y = eq.fitted_velocity(self.state, extra=(J, bounce))
                impulse = eq.mass_matrix(self.state) @ (y - before)
                left = [m.stops[i] for i in others if i not in kept]
                leaving = all(s * (c.J[i] @ y) >= -1e-12 for i, s, _, _ in left)
                if leaving and self._pushes(impulse, J):
                    self.state.v, self.state.w = y.reshape(-1, 6)[:, :3].copy(), y.reshape(-1, 6)[:, 3:].copy()
                    if bounce == 0.0:
                        eq.active.append(number)
                    return
        raise CannotError("an impact that the reference cannot decide")

    def _pushes(self, impulse: Array, J: Array) -> bool:
        eq = self.eq
        p = eq.primitives(self.state)
        rows = eq.conditions(self.state, p, eq.coordinates(p))
        G = np.concatenate([rows.J, J[None]]) * eq.scale
        multipliers = np.linalg.lstsq(G.T, impulse * eq.scale, rcond=1e-10)[0]
        return bool((multipliers[len(multipliers) - 1 - len(eq.active) :] > -1e-12).all())
