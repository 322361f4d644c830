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
from .vectors import apply, apply_transposed, cross, dot, length, power
from .world import propagated, rows, world_of

CORRECTED = 1e-6
"""A correction this small, relative to the accelerations, is the last one: the next would be its square."""

MOST_CORRECTIONS = 4

NOISE = 100.0 * float(np.finfo(np.float64).eps)
"""Forces that differ by this much of the terms they are the sum of do not differ."""


class Forces:
    """Newton-Euler of one state: accelerations to joint wrenches. Source: RM19 Alg. 6 with every joint prescribed.

    inertia: (3, 3, n) about the centres of mass. eta: (2, 3, nr) of `recursive.velocity_products`, a column for every
    coordinate. unmoved: (2, 3, n) wrenches at the centres of mass that balance the loads and the velocities.
    """

    def __init__(self, model: Model, kin: Kinematics, loads: Loads) -> None:
        self.plan, self.world = plan_of(model), world_of(model, kin)
        plan, world = self.plan, self.world
        omega = world.twist[0]
        self.eta = cross(plan.at_owners(world.twist), world.moved[0])
        if plan.joints.slide:
            self.eta[1] += cross(plan.at_owners(omega), world.moved[1])
        if plan.joints.vary:
            self.eta += apply(world.axes, (kin.Sdot * kin.qdot).reshape(world.S.shape))
        self.inertia = np.einsum("ikn,jkn->ijn", world.R_wi * plan.inertia, world.R_wi)
        momentum = np.empty((2, 3, len(plan.mass)))
        momentum[0], momentum[1] = apply(self.inertia, omega), plan.mass * world.v_center
        applied = np.ascontiguousarray(loads.f_m.T).reshape(2, 3, -1)
        self.unmoved = cross(omega, momentum) - apply(world.R_wi, applied)

    def passed(self, qddot: Array) -> tuple[Array, Array]:
        """Derivative of the twist at the joint's origin, and the wrench that the joint passes there, each (2, 3, n)."""
        plan, world, tree = self.plan, self.world, self.plan.tree
        rate = propagated(plan, world.arm, world.S * qddot + self.eta)
        alpha, a = rate
        force = plan.mass * (a + cross(alpha, world.center)) + self.unmoved[1]
        moment = apply(self.inertia, alpha) + self.unmoved[0] + cross(world.center, force)
        wrench = np.empty_like(rate)
        wrench[1] = tree.over_carried(force)
        wrench[0] = tree.over_carried(moment, cross(world.arm, wrench[1]))
        return rate, wrench

    def along(self, wrench: Array) -> Array:
        """tau = S^T F, (nr,)."""
        plan, S = self.plan, self.world.S
        if plan.joints.slide:
            return power(S, plan.at_owners(wrench))
        return dot(S[0], plan.at_owners(wrench[0]))

    def needed(self, qddot: Array) -> Array:
        """tau, (nr,), that gives the accelerations qddot."""
        return self.along(self.passed(qddot)[1])

    def terms(self, qddot: Array) -> Array:
        """(nr,) what `needed` is the sum of, all with the same sign: by as many roundings of this it may be off."""
        plan, world, tree = self.plan, self.world, self.plan.tree
        arm, center = length(world.arm)[None], length(world.center)[None]
        S = length(world.S)
        alpha, a = plan.over_joints(S * np.abs(qddot) + length(self.eta))[:, None]
        alpha = tree.over_ancestors(alpha)
        a = tree.over_ancestors(a + tree.at_parents(alpha) * arm)
        moment, force = length(self.unmoved)[:, None]
        force = force + plan.mass * (a + alpha * center)
        moment = moment + plan.inertia.sum(axis=0) * alpha + center * force
        force = tree.over_carried(force)
        moment = tree.over_carried(moment, arm * force)
        return np.asarray(S[0] * plan.at_owners(moment[0]) + S[1] * plan.at_owners(force[0]))

    def report(self, qddot: Array) -> HybridDynamics:
        """Everything about the motion qddot."""
        rate, wrench = self.passed(qddot)
        R = self.world.R
        return HybridDynamics(
            qddot, self.along(wrench), rows(apply_transposed(R, rate)), rows(apply_transposed(R, wrench))
        )


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
    if not (columns.diagonal.take(plan.free_columns) > 0.0).all():
        raise np.linalg.LinAlgError("a coordinate without inertia")
    scale = 1.0 / np.sqrt(np.where(plan.is_free, columns.diagonal, 1.0))
    factors = [Factors(columns.block(block, scale)) for block in plan.free]
    step, sizes = np.zeros(len(qddot) + 1), None
    missing = np.zeros(len(qddot) + 1)
    for _ in range(1 + MOST_CORRECTIONS):
        missing[:-1] = (loads.f_r - forces.needed(qddot)) * scale
        found = [factor.solve(missing[block.columns]) for block, factor in zip(plan.free, factors, strict=True)]
        for block, part in zip(plan.free, found, strict=True):
            step[block.columns] = part
        qddot = qddot + step[:-1] * scale
        now = np.concatenate([np.abs(part).max(axis=1) for part in found])
        if sizes is None:
            sizes = now
        elif (now <= CORRECTED * sizes).all() or (np.abs(missing[:-1]) <= NOISE * scale * forces.terms(qddot))[
            plan.is_free
        ].all():
            return qddot
    raise np.linalg.LinAlgError("the corrections do not become small")
