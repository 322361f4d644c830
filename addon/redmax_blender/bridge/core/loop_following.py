# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism that follows given coordinates with its loops closed and its gears in mesh, from one pose to the next.

Given coordinates go straight from where they are to where they are wanted, in steps short enough for Newton's method
to stay on the same branch. Where a loop cannot close any further on, the mechanism stays at the last pose that it
reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._engine import arrays, assembly, constraint_rows, kinematics
from .findings import RedMaxError

Array = arrays.Array

CLOSED = 1e-8
"""Gaps below this [rad, or parts of the mechanism's size] are closed: less than Blender's single precision shows."""

STEP = 0.3
"""Longest step of a coordinate [rad, or parts of the mechanism's size]."""

LEAST_STEP = 1e-3
"""A loop that does not close after a step this short has come to its end."""

MOST_STEPS = 500
"""Steps on the way to a pose, and twice as many attempts: Blender stands still meanwhile."""

TURN = 2.0 * np.pi
SAME_POSE = 1e-9
"""Entries of poses that differ by less [1, or parts of the size] are the same after a whole turn."""

LEAP = 0.5
"""Newton's method may correct a coordinate by this much [rad, or parts of the size]; more is another branch."""

MOST_ITERATIONS = 10
WEAK = 1e-9
"""Singular values of the constraint Jacobian below this part of the largest count as zero."""


@dataclass(frozen=True, eq=False)
class Followed:
    """q (nr,) as far as it goes. wish: the coordinates asked for there. blocked: name of the joint that closes the
    loop which cannot follow, or of the constraint, empty if the mechanism is where it is wanted."""

    q: Array
    wish: Array
    blocked: str = ""


class Follower:
    """One mechanism and the pose that it has now.

    model: all its coordinates free. held: (nr,) coordinates that are given; the others close the loops, and stay where
    they are if no loop needs them. scale: (nr,) [rad or m] by which changes of a coordinate are measured.
    """

    def __init__(self, model: Any, held: Any, scale: Array) -> None:
        self.model, self.held, self.scale = model, held, scale
        self._chart = model.initial_state().chart
        self._still = np.zeros(model.dof_count)
        self._names = [owner.name for owner in constraint_rows.element_names(model)]
        self.last = self._modelled = Followed(np.zeros(model.dof_count), np.zeros(model.dof_count))
        self._known: tuple[Array, tuple[Array, Array, str]] | None = None  # the last closed pose, with its rows
        self._refused: tuple[Followed, Array] | None = None

    def follow(self, wish: Array) -> Followed:
        """Go to the pose for coordinates `wish` (nr,), of which the given ones are kept exactly.

        Where all are 0 that is the modelled pose, by whatever way the mechanism has come.
        """
        if not wish.any():
            self.last = self._modelled
            return self.last
        if not self.last.blocked and np.array_equal(wish, self.last.wish):
            return self.last
        if self._refused is not None and self._refused[0] is self.last and np.array_equal(wish, self._refused[1]):
            return self.last
        held = constraint_rows.is_constrained(self.model)
        self.last = self._gone(self.last, wish) if held else Followed(wish, wish)
        self._refused = (self.last, wish) if self.last.blocked else None
        return self.last

    def body_poses(self) -> Array:
        """E_wb (n, 4, 4) [m] of the bodies at the present pose, in the model's order."""
        return self._poses(self.last.q)

    def _poses(self, q: Array) -> Array:
        kin = kinematics.kinematics(self.model, q, self._still, self._chart)
        return kinematics.body_poses(self.model, kin)

    def _gone(self, start: Followed, wish: Array) -> Followed:
        turned = self._turned(start, wish)
        if turned is not start:
            reached = self._went(turned, wish)
            if not reached.blocked:
                return reached
        return self._went(start, wish)

    def _went(self, start: Followed, wish: Array) -> Followed:
        change = wish - start.wish
        far = float(np.abs(change / self.scale).max(initial=0.0))
        longest = part = max(STEP / far, 1.0 / MOST_STEPS) if far > STEP else 1.0
        done, q, blocked = 0.0, start.q, self._names[0]
        for _ in range(2 * MOST_STEPS):
            if done == 1.0:
                break
            to = min(1.0, done + part)
            trial, blocked = self._closed(q, change * (to - done))
            if trial is not None:
                q, done, part = trial, to, min(longest, 1.5 * part)
                continue
            part = 0.5 * (to - done)
            if part * far < LEAST_STEP:
                break
        if done == 1.0:
            return Followed(q, wish)
        return Followed(q, start.wish + done * change, blocked)

    def _turned(self, start: Followed, wish: Array) -> Followed:
        """The same pose after whole turns of given coordinates, with one to two turns left to go.

        A crank that has turned a thousand times meanwhile is not followed all the way: what can turn once can turn on.
        """
        turns = (wish - start.wish) / TURN
        turns = np.where(self.held, np.trunc(turns) - np.sign(turns), 0.0)
        for index in np.flatnonzero(np.abs(turns) >= 1.0):
            by = np.zeros(len(turns))
            by[index] = TURN * turns[index]
            before, after = self._poses(start.q), self._poses(start.q + by)
            if np.abs(after - before).max() <= SAME_POSE * abs(turns[index]) * max(1.0, float(np.abs(before).max())):
                start = Followed(start.q + by, start.wish + by, start.blocked)
        return start

    def _closed(self, q: Array, change: Array) -> tuple[Array | None, str]:
        """The pose after a change of the coordinates with loops closed, None and the joint of the loop that cannot."""
        at = self._known if self._known is not None and self._known[0] is q else (q, self._rows(q))
        error, G, worst = at[1]
        begun = q = q + change + self._correction(G, -(error + G @ change))
        size = np.inf
        for _ in range(MOST_ITERATIONS):
            try:
                error, G, worst = self._rows(q)
            except RedMaxError:  # a loop so wide open that its joint has no coordinates
                break
            now = float(np.abs(error).max(initial=0.0))
            if now <= CLOSED:
                self._known = (q, (error, G, worst))
                return q, ""
            if now > 0.5 * size or np.abs((q - begun) / self.scale).max() > LEAP:
                break
            size, q = now, q + self._correction(G, -error)
        return None, worst

    def _correction(self, G: Array, wanted: Array) -> Array:
        """Least change (nr,) of the coordinates that are not given for which rows change as wanted."""
        free = ~self.held
        change = np.zeros(len(free))
        if free.any() and len(wanted):
            scale = self.scale[free]
            change[free] = scale * np.linalg.lstsq(G[:, free] * scale, wanted, rcond=WEAK)[0]
        return change

    def _rows(self, q: Array) -> tuple[Array, Array, str]:
        """What loops and constraints are off by (m,), its derivative (m, nr), and which is off most, by name."""
        kin = kinematics.kinematics(self.model, q, self._still, self._chart)
        rows = constraint_rows.constraint_rows(self.model, kin, 0.0)
        by = assembly.scale_of(self.model, rows)
        error = rows.error / by
        worst = self._names[rows.owner[int(np.abs(error).argmax())]] if len(error) else ""
        return error, rows.G / by[:, None], worst
