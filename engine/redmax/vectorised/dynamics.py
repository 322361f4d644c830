# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and inverse dynamics of all bodies at once: composite-body mass matrix and Newton-Euler sums.

Vectors are along the world's axes and at each joint's own origin (`World`). A dense solve loses cond(M) roundings,
which on long chains are many; a refinement with the forces that the found accelerations really need gives them back.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import recursive
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations
from ..dynamics.recursive import HybridDynamics
from ..model import Model
from .blocks import Factors
from .mass_matrix import MassColumns
from .plan import plan_of
from .vectors import apply, apply_transposed, cross, dot
from .world import propagated, world_of

CORRECTED = 1e-6
"""A correction this small, relative to the largest acceleration, is the last one: the next would be its square."""

MOST_CORRECTIONS = 4


class Forces:
    """Newton-Euler of one state: accelerations to joint wrenches. Source: RM19 Alg. 6 with every joint prescribed."""

    def __init__(self, model: Model, kin: Kinematics, loads: Loads) -> None:
        self.plan, self.world = plan_of(model), world_of(model, kin)
        plan, world = self.plan, self.world
        # eta of `recursive.velocity_products`, a column for every coordinate.
        omega, v = plan.at_owners(world.omega), plan.at_owners(world.v)
        moved = world.S * kin.qdot
        self.eta = np.empty_like(moved)
        self.eta[:3] = cross(omega, moved[:3])
        self.eta[3:] = cross(v, moved[:3])
        if plan.joints.slide:
            self.eta[3:] += cross(omega, moved[3:])
        if plan.joints.vary:
            rate, axes = kin.Sdot * kin.qdot, plan.at_owners(world.R)
            self.eta[:3] += apply(axes, rate[:3])
            if plan.joints.slide:
                self.eta[3:] += apply(axes, rate[3:])
        self.inertia = np.einsum("ikn,jkn->ijn", world.R_wi * plan.inertia, world.R_wi)
        given = np.ascontiguousarray(loads.f_m.T)
        self.moment = cross(world.omega, apply(self.inertia, world.omega)) - apply(world.R_wi, given[:3])
        self.force = plan.mass * cross(world.omega, world.v_center) - apply(world.R_wi, given[3:])

    def passed(self, qddot: Array) -> tuple[Array, Array, Array, Array]:
        """alpha, a: derivative of the twist at the joint's origin; moment, force that the joint passes; all (3, n)."""
        plan, world, tree = self.plan, self.world, self.plan.tree
        gained = world.S * qddot + self.eta
        alpha, a = propagated(plan, world.arm, gained[:3], gained[3:])
        force = plan.mass * (a + cross(alpha, world.center)) + self.force
        moment = apply(self.inertia, alpha) + self.moment + cross(world.center, force)
        force = tree.over_carried(force)
        moment = tree.over_carried(moment, cross(world.arm, force))
        return alpha, a, moment, force

    def along(self, moment: Array, force: Array) -> Array:
        """tau = S^T F, (nr,)."""
        plan, S = self.plan, self.world.S
        tau = dot(S[:3], plan.at_owners(moment))
        return tau + dot(S[3:], plan.at_owners(force)) if plan.joints.slide else tau

    def needed(self, qddot: Array) -> Array:
        """tau, (nr,), that gives the accelerations qddot."""
        return self.along(*self.passed(qddot)[2:])

    def report(self, qddot: Array) -> HybridDynamics:
        alpha, a, moment, force = self.passed(qddot)
        R = self.world.R
        n = R.shape[2]
        Vdot, F = np.empty((n, 6)), np.empty((n, 6))
        Vdot[:, :3], Vdot[:, 3:] = apply_transposed(R, alpha).T, apply_transposed(R, a).T
        F[:, :3], F[:, 3:] = apply_transposed(R, moment).T, apply_transposed(R, force).T
        return HybridDynamics(qddot, self.along(moment, force), Vdot, F)


def inverse_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot: Array) -> HybridDynamics:
    """As `dynamics.recursive.inverse_dynamics`."""
    return Forces(model, kin, loads).report(np.array(qddot, np.float64))


def forward_dynamics(
    model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None
) -> HybridDynamics:
    """As `dynamics.recursive.forward_dynamics`."""
    forces = Forces(model, kin, loads)
    try:
        qddot = _solved(forces, loads, accelerations(model, qddot_prescribed))
    except np.linalg.LinAlgError:
        return recursive.forward_dynamics(model, kin, loads, qddot_prescribed)
    found = forces.report(qddot)
    tau = np.where(model.prescribed, found.tau, loads.f_r)
    return HybridDynamics(qddot, tau, found.Vdot, found.F)


def joint_accelerations(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None) -> Array:
    """qddot of `forward_dynamics`, (nr,), without the wrenches."""
    try:
        return _solved(Forces(model, kin, loads), loads, accelerations(model, qddot_prescribed))
    except np.linalg.LinAlgError:
        return recursive.forward_dynamics(model, kin, loads, qddot_prescribed).qddot


def _solved(forces: Forces, loads: Loads, qddot: Array) -> Array:
    """qddot (nr,), given at prescribed coordinates, with its free entries found. LinAlgError if that fails."""
    plan = forces.plan
    if not plan.free:
        return qddot
    columns = MassColumns.of_bodies(plan, forces.world, forces.inertia)
    factors = [Factors(columns.block(block)) for block in plan.free]
    largest = 0.0
    for _ in range(1 + MOST_CORRECTIONS):
        missing = np.append(loads.f_r - forces.needed(qddot), 0.0)
        step = np.zeros(len(missing))
        for block, factor in zip(plan.free, factors, strict=True):
            step[block.columns] = factor.solve(missing[block.columns])
        qddot = qddot + step[:-1]
        size = float(np.abs(step).max())
        if largest > 0.0 and size <= CORRECTED * largest:
            return qddot
        largest = max(largest, size)
        if not np.isfinite(largest):
            return qddot
        if largest == 0.0:
            return qddot
    raise np.linalg.LinAlgError("corrections do not become small")
