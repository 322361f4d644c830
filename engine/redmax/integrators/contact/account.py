# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact does in a run: energy that it takes out and puts in, and what is known of it at every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array, IntArray
from ...model import Model
from ...surfaces import PackedSurfaces
from .placed import Placed
from .points import Points
from .problem import BOUNCE

if TYPE_CHECKING:
    from .velocity_step import Pushes


@dataclass(frozen=True, eq=False)
class ContactSample:
    """Contact at one frame: k points that push, s surfaces of the scene; world's axes, SI units.

    surfaces: (k, 2) that meet. point, normal: (k, 3), the normal from the second to the first. normal_force: (k,).
    friction: (k, 3) force on the first. slip: (k, 3) velocity of the first skin relative to the second. penetration:
    (k,), negative for a gap. forces are those on the average of the last step.
    wrenches: (n, 6) torque about the centre of mass, and force, that contact has on each body.
    surface_force: (s, 3) on each surface. impact: (s,) largest impulse of an impact on each since the last frame, of
    convex pieces on one of them [N s].
    friction_loss, impact_loss: energy taken out since the start [J]. quality: facts about the run so far, plain values:
    how many contact problems were solved, how many of them missed their tolerance, the largest residual [m/s], how many
    impacts there were, the deepest penetration at a frame [m].
    """

    surfaces: IntArray
    point: Array
    normal: Array
    normal_force: Array
    friction: Array
    slip: Array
    penetration: Array
    wrenches: Array
    surface_force: Array
    impact: Array
    friction_loss: float
    impact_loss: float
    quality: Mapping[str, float]


HOPELESS = 200
"""Contact problems that are missed in a row, in the shortest of steps."""


class Account:
    """work: what moved surfaces, conveyors and the way out of each other put in so far [J]. friction_loss, impact_loss:
    what friction and impacts took out [J]. solved: how many problems there were, missed: how many of them were not
    solved to their tolerance, residual: the largest of all [m/s], worst: surfaces of the last that was missed. deepest:
    largest penetration at a frame [m]."""

    def __init__(self, model: Model, surfaces: PackedSurfaces) -> None:
        self.model, self.surfaces = model, surfaces
        self.work = self.friction_loss = self.impact_loss = 0.0
        self.missed = self.solved = self.impacts = 0
        self.residual = self.deepest = 0.0
        self.worst: tuple[int, int] | None = None
        self._missed_at_once = 0
        self._last: tuple[Pushes, float] | None = None
        self._loudest: Array = np.zeros(len(surfaces))
        self._landings: dict[tuple[int, int], float] = {}

    def begin_frame(self) -> None:
        """Forget what was loudest."""
        self._loudest, self._landings = np.zeros(len(self.surfaces)), {}

    def count(self, *, is_solved: bool, residual: float, worst: tuple[int, int] | None) -> None:
        """Remember how well a problem was solved. worst: the pair of surfaces that has the residual."""
        self.solved += 1
        self.residual = max(self.residual, residual)
        self._missed_at_once = 0 if is_solved else self._missed_at_once + 1
        if not is_solved:
            self.missed += 1
            self.worst = worst

    @property
    def hopeless(self) -> bool:
        """Whether so many problems in a row were not solved that the run goes nowhere."""
        return self._missed_at_once >= HOPELESS

    def add_step(self, pushes: Pushes | None, h: float) -> None:
        """A step of h [s]; without pushes nothing touched in it."""
        self._last = None if pushes is None else (pushes, h)
        if pushes is not None:
            self.friction_loss += pushes.loss
            self.impact_loss += pushes.arrived
            if pushes.landed is not None:
                self._hear(pushes.points, pushes.landed)
            self.work += pushes.work

    def show(self, pushes: Pushes, h: float) -> None:
        """Have samples list the pushes of a step of h [s], whose energies are booked already."""
        self._last = pushes, h

    def put_loudest(self, loudest: Array) -> None:
        """Take over the loudest impulses (s,) of the frame [N s]."""
        self._loudest = loudest

    def add_impact(self, pushes: Pushes) -> None:
        """Impacts at one instant."""
        self.impact_loss += pushes.loss
        self.work += pushes.work
        self.impacts += 1
        self._hear(pushes.points, pushes.impulses[:, 0])

    def _hear(self, points: Points, impulses: Array) -> None:
        """Remember impulses (k,) along the normals [N s] at points, those of one pair together. A landing without
        bounce takes several steps, whose impulses add up."""
        pairs, which = np.unique(points.surfaces, axis=0, return_inverse=True)
        sums = np.bincount(which.ravel(), weights=impulses, minlength=len(pairs))
        bounces = np.bincount(which.ravel(), weights=points.material[:, BOUNCE], minlength=len(pairs)) > 0.0
        for (a, b), impulse, bounced in zip(pairs.tolist(), sums.tolist(), bounces.tolist(), strict=True):
            total = impulse
            if not bounced:
                total = self._landings[a, b] = impulse + self._landings.get((a, b), 0.0)
            for surface in (a, b):
                self._loudest[surface] = max(self._loudest[surface], total)

    def sample(self, placed: Placed) -> ContactSample:
        """Contact at the frame that a run stands at."""
        n, s, element = self.model.body_count, len(self.surfaces.elements), self.surfaces.element
        wrenches, on_surfaces, impact = np.zeros((n + 1, 6)), np.zeros((s, 3)), np.zeros(s)
        np.maximum.at(impact, element, self._loudest)
        if self._last is None:
            nothing = np.zeros((0, 3))
            return ContactSample(
                np.zeros((0, 2), np.int64), nothing, nothing, np.zeros(0), nothing, nothing, np.zeros(0),
                wrenches[:-1], on_surfaces, impact, self.friction_loss, self.impact_loss, self._quality(),
            )  # fmt: skip
        pushes, h = self._last
        pushing = pushes.impulses[:, 0] > 0.0
        points, impulses = pushes.points.only(pushing), pushes.impulses[pushing]
        axes = points.axes
        force = np.einsum("kij,ki->kj", axes, impulses[:, :3]) / h
        torque = np.einsum("kij,ki->kj", axes, impulses[:, 3:]) / h
        slip = np.einsum("kij,ki->kj", axes[:, 1:], pushes.slip[pushing, 1:])
        normal_force = impulses[:, 0] / h
        for side, sign in ((0, 1.0), (1, -1.0)):
            body = points.bodies[:, side]
            arm = points.ends[:, side] - placed.center[body]
            np.add.at(wrenches, body, sign * np.concatenate([torque + np.cross(arm, force), force], axis=1))
            np.add.at(on_surfaces, element[points.surfaces[:, side]], sign * force)
        self.deepest = max(self.deepest, float(-points.gap.min(initial=0.0)))
        return ContactSample(
            element[points.surfaces], points.x, points.normal, normal_force,
            force - normal_force[:, None] * points.normal, slip, -points.gap, wrenches[:-1], on_surfaces, impact,
            self.friction_loss, self.impact_loss, self._quality(),
        )  # fmt: skip

    def _quality(self) -> dict[str, float]:
        return {
            "problems": self.solved,
            "missed": self.missed,
            "residual": self.residual,
            "impacts": self.impacts,
            "deepest": self.deepest,
        }
