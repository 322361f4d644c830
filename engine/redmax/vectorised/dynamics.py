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
from .plan import Plan, plan_of
from .vectors import apply, apply_transposed, cross, dot, einsum, length, write_applied
from .world import World, propagated, rows, world_of

CORRECTED = 1e-6
"""A correction this small, relative to the accelerations, is the last one: the next would be its square."""

MOST_CORRECTIONS = 4

EXACT = 100.0
"""Largest entry of the inverse of a scaled mass matrix with which a solution is left as it is: off by 1e-14 or so."""

FEW = 32
"""Coordinates in a block up to which it is asked whether a solution is exact; with more it hardly ever is."""


class HandOver(Exception):  # noqa: N818
    """The readable route must solve this state: singular, too ill-conditioned, or quicker by recursion."""


class Forces:
    """Newton-Euler of one state: accelerations to joint wrenches. Source: RM19 Alg. 6 with every joint prescribed.

    inertia: (3, 3, n) about the centres of mass. eta: (2, 3, nr) of `recursive.velocity_products`, a column for every
    coordinate. unmoved: (2, 3, n) wrenches at the centres of mass that balance the loads and the velocities.
    """

    def __init__(self, plan: Plan, world: World, qdot: Array, Sdot: Array, applied: Array) -> None:
        """qdot, Sdot: as in `Kinematics`. applied: (2, 3, n) loads on the bodies at their centres of mass."""
        self.plan, self.world = plan, world
        omega = world.twist[0]
        self.eta = cross(plan.at_owners(world.twist), world.moved[0])
        if plan.joints.slide:
            self.eta[1] += cross(plan.at_owners(omega), world.moved[1])
        if plan.joints.vary:
            self.eta += apply(world.axes, (Sdot * qdot).reshape(world.S.shape))
        self.inertia = einsum("ikn,jkn->ijn", world.R_wi * plan.inertia, world.R_wi)
        momentum = np.empty(world.arms.shape)
        write_applied(momentum[0], self.inertia, omega)
        np.multiply(plan.mass, world.v_center, momentum[1])
        self.unmoved = cross(omega, momentum)
        self.unmoved -= applied

    @classmethod
    def of(cls, model: Model, kin: Kinematics, loads: Loads) -> Forces:
        """Of a state and its loads."""
        world = world_of(model, kin)
        f_m = np.ascontiguousarray(loads.f_m.T).reshape(world.arms.shape)
        return cls(plan_of(model), world, kin.qdot, kin.Sdot, apply(world.R_wi, f_m))

    def passed(self, qddot: Array | None) -> tuple[Array, Array, Array, Array]:
        """alpha, a: derivative of the twist at the joint's origin; moment, force that the joint passes; all (3, n).

        qddot: (nr,), None for zero.
        """
        plan, world, tree = self.plan, self.world, self.plan.tree
        columns = self.eta
        if qddot is not None:
            columns = world.S * qddot
            columns += self.eta
        alpha, a, own = propagated(plan, world.arm, world.center, columns)
        own *= plan.mass  # accelerations of the centres of mass become forces
        own += self.unmoved[1]
        moment = apply(self.inertia, alpha)
        moment += self.unmoved[0]
        moment += world.center.before(own)
        force = tree.over_carried(own)
        return alpha, a, tree.over_carried(moment, world.arm.before(force)), force

    def along(self, moment: Array, force: Array) -> Array:
        """tau = S^T F, (nr,)."""
        plan, S = self.plan, self.world.S
        tau = dot(S[0], plan.at_owners(moment))
        return tau + dot(S[1], plan.at_owners(force)) if plan.joints.slide else tau

    def needed(self, qddot: Array | None) -> Array:
        """tau, (nr,), that gives the accelerations qddot (nr,), None for zero."""
        return self.along(*self.passed(qddot)[2:])

    def terms(self, qddot: Array) -> Array:
        """(nr,) what `needed` is the sum of, all with the same sign: it may be off by as many roundings of this."""
        plan, world, tree = self.plan, self.world, self.plan.tree
        arm, center = length(world.arms)[:, None]
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
        alpha, a, moment, force = self.passed(qddot)
        R = self.world.R
        Vdot, F = apply_transposed(R, np.stack([alpha, a])), apply_transposed(R, np.stack([moment, force]))
        return HybridDynamics(qddot, self.along(moment, force), rows(Vdot), rows(F))


def inverse_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot: Array) -> HybridDynamics:
    """As `dynamics.recursive.inverse_dynamics`."""
    return Forces.of(model, kin, loads).report(np.array(qddot, np.float64))


def forward_dynamics(
    model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None
) -> HybridDynamics:
    """As `dynamics.recursive.forward_dynamics`."""
    forces = Forces.of(model, kin, loads)
    try:
        qddot = solved(forces, loads.f_r, accelerations(model, qddot_prescribed))
    except HandOver:
        return by_recursion(model, kin, loads, qddot_prescribed)
    found = forces.report(qddot)
    tau = np.where(model.prescribed, found.tau, loads.f_r)
    return HybridDynamics(qddot, tau, found.Vdot, found.F)


def joint_accelerations(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None) -> Array:
    """qddot of `forward_dynamics`, (nr,), without the wrenches."""
    try:
        return solved(Forces.of(model, kin, loads), loads.f_r, accelerations(model, qddot_prescribed))
    except HandOver:
        return by_recursion(model, kin, loads, qddot_prescribed).qddot


def by_recursion(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None) -> HybridDynamics:
    """The readable route, which also names the joint where nothing resists."""
    return recursive.forward_dynamics(model, kin, loads, qddot_prescribed)


class _Solver:
    """The mass matrix of the free coordinates, scaled to a unit diagonal."""

    def __init__(self, forces: Forces) -> None:
        plan = forces.plan
        columns = MassColumns(plan, forces.world, plan.masses, forces.inertia)
        diagonal = columns.diagonal if plan.all_free else np.where(plan.is_free, columns.diagonal, 1.0)
        if not plan.never_singular and not (diagonal > 0.0).all():
            raise HandOver
        self.blocks = plan.free
        self.scale: Array = 1.0 / np.sqrt(diagonal)
        self.factors = [
            Factors(A, looks=not plan.never_singular or A.shape[1] <= FEW)
            for A in columns.blocks(plan.free, self.scale)
        ]

    def solve(self, f: Array) -> tuple[Array, Array]:
        """x (nr,) with M x = f at free coordinates, zero at others; and the length of x of each block, scaled."""
        if self.blocks.whole:
            x = self.factors[0].solve((f * self.scale)[None])[0]
            return x * self.scale, np.sqrt(x.dot(x))
        padded = np.append(f * self.scale, 0.0)
        x, sizes = np.zeros(len(padded)), []
        for batch, factor in zip(self.blocks.batches, self.factors, strict=True):
            part = factor.solve(padded.take(batch.columns))
            x[batch.columns] = part
            sizes.append(np.sqrt(einsum("td,td->t", part, part)))
        return x[:-1] * self.scale, np.concatenate(sizes)

    @property
    def is_exact(self) -> bool:
        """Whether what was solved needs no correction."""
        return all(factor.largest_inverse <= EXACT for factor in self.factors)

    def lengths(self, f: Array) -> Array:
        """The length of f of each block, scaled; f: (nr,)."""
        padded = np.append(f * self.scale, 0.0)
        parts = [padded.take(batch.columns) for batch in self.blocks.batches]
        return np.concatenate([np.sqrt(einsum("td,td->t", part, part)) for part in parts])


def solved(forces: Forces, f_r: Array, qddot: Array) -> Array:
    """qddot (nr,), given at prescribed coordinates, with its free entries found, or HandOver."""
    if forces.plan.too_coupled:
        raise HandOver
    if not forces.plan.free.batches:
        return qddot.copy()
    try:
        solver = _Solver(forces)
        step, sizes = solver.solve(f_r - forces.needed(None if forces.plan.all_free else qddot))
        if solver.is_exact:
            return qddot + step
        for correction in range(MOST_CORRECTIONS):
            qddot = qddot + step
            step, now = solver.solve(f_r - forces.needed(qddot))
            if correction == 1:
                # At rest forces cancel: what is small then is small beside the accelerations each would give alone.
                sizes = np.maximum(sizes, solver.lengths(forces.terms(qddot)))
            if (now <= CORRECTED * sizes).all():
                return qddot + step
    except np.linalg.LinAlgError:
        raise HandOver from None
    raise HandOver
