# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism with loops, constraints and limits: its motion without them, corrected by their multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...dynamics import constrained
from ...dynamics.body_forces import IMPLICIT
from ...dynamics.constraint_rows import ConstraintRows
from ...dynamics.driven import felt_by_motors
from ...dynamics.linear_system import LinearSystem
from ...dynamics.powers import powers
from ...spatial import adjoint, pose
from .mechanism_at import MechanismAt
from .route import Route, Unconstrained
from .solvable import resisted, solvable

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree
    from ..constrained import ConstrainedRun


@dataclass(frozen=True, eq=False)
class HeldMotion:
    """qddot (nr,), multipliers (m,) of the rows, see `ConstrainedMotion`, and powers (2,) [W]."""

    rows: ConstraintRows
    qddot: Array
    multipliers: Array
    powers: Array


class Constrained(Route):
    """On the route of the mechanism without constraints. run: which rows hold at present, and their rank."""

    def __init__(self, unconstrained: Unconstrained, run: ConstrainedRun) -> None:
        super().__init__(unconstrained.model, unconstrained.formulation)
        self.unconstrained, self.run = unconstrained, run

    def held_motion(self, at: MechanismAt) -> HeldMotion:
        """The motion that satisfies all rows that hold.

        Raises ImmovableError or LinAlgError where there is none. Source: RBDN eqs. 2.119-2.120.
        """
        model, run, load = self.model, self.run, at.load
        free = self.unconstrained.motion(at)
        rows = run.rows(at.kin, at.t)
        phidot = adjoint.transform_twist(pose.inverse(model.E_ji), free.Vdot)
        found = constrained.accelerations(model, rows, run.active(rows), at.M, free.qddot, phidot, at.qdot, run.rank)
        # Motors of prescribed coordinates feel what the others do differently, and the rows.
        pushed = rows.G.T @ found.multipliers
        needed = free.tau + at.M @ (found.qddot - free.qddot) - pushed
        tau = np.where(model.prescribed, load.f_r + felt_by_motors(model, at.q, needed - load.f_r), load.f_r)
        power = powers(model, at.kin, load, tau, at.t)
        power[0] += float(found.multipliers @ np.where(rows.moved, rows.rate, 0.0))
        return HeldMotion(rows, found.qddot, found.multipliers, power)

    def accelerations(self, at: MechanismAt) -> Array:
        return self.unconstrained.accelerations(at) if self.run.idle else self.accelerations_and_powers(at)[0]

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        if self.run.idle:
            return self.unconstrained.accelerations_and_powers(at)
        with solvable(at):
            found = self.held_motion(at)
        return found.qddot, found.powers

    def residual(self, at: MechanismAt, qddot: Array) -> Array:
        if self.run.idle:
            return self.unconstrained.residual(at, qddot)
        model = self.model
        if model.followers is not None:
            qddot = model.followers.accelerated(at.q, at.qdot, qddot)
        at = self.at(at.t, at.q, at.qdot, at.chart, qddot)
        with solvable(at):
            return felt_by_motors(model, at.q, at.M @ (qddot - self.held_motion(at).qddot))

    def linear_system(self, at: MechanismAt, *, which: str = IMPLICIT) -> LinearSystem:
        return self.unconstrained.linear_system(at, which=which)


class CompiledConstrained(Constrained):
    """Kernels that know all rows do it while they count as many independent ones as there are."""

    def __init__(self, unconstrained: Unconstrained, run: ConstrainedRun, kernels: Tree) -> None:
        super().__init__(unconstrained, run)
        self.kernels = kernels

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        if not self.run.idle and not self.run.touches:
            found = self.kernels.forward_dynamics(at.q, at.qdot, at.chart, at.t, at.qddot)
            if self.run.trusts_tree:
                return resisted(self.model, found)
        return super().accelerations_and_powers(at)
