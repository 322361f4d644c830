# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and inverse dynamics of all bodies at once: composite-body mass matrix and Newton-Euler sums.

Vectors are along the world's axes and at each joint's own origin (`World`). A dense solve loses cond(M) roundings,
which on long chains are many; a refinement with the forces that the found accelerations really need gives them back.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import recursive
from ..dynamics.hybrid_dynamics import HybridDynamics
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations
from ..model import Model
from .blocks import Factors
from .mass_matrix import MassColumns
from .plan import Plan, plan_of
from .vectors import Crossing, apply, apply_transposed, cross, dot, einsum, length
from .world import World, both, rows, world_of

CORRECTED = 1e-6
"""A correction this small, relative to the accelerations, is the last one: the next would be its square."""

MOST_CORRECTIONS = 4

EXACT = 100.0
"""Largest entry of the inverse of a scaled mass matrix with which a solution is left as it is: off by 1e-14 or so."""

SMALL_BLOCK = 32
"""Coordinates in a block up to which it is asked whether a solution is exact; with more it hardly ever is."""


class HandOver(Exception):  # noqa: N818
    """The readable route must solve this state: singular, too ill-conditioned, or quicker by recursion."""


class Forces:
    """Newton-Euler of one state: accelerations to joint wrenches. Source: RM19 Alg. 6 with every joint prescribed.

    Linear accelerations are those that points really have, not derivatives of twists: so there are no velocities in it
    but angular ones.
    inertia: (3, 3, n) about the centres of mass. eta: (3, nr), drift: (3, n) what angular acceleration and acceleration
    at the centre gain over the parent's when qddot = 0. moment, force: (3, n) what balances spin and loads then, at the
    centres of mass.
    """

    def __init__(self, plan: Plan, world: World, qdot: Array, Sdot: Array, applied: Array) -> None:
        """qdot, Sdot: as in `Kinematics`. applied: (2, 3, n) loads on the bodies at their centres of mass."""
        self.plan, self.world = plan, world
        turning = Crossing.of(world.omega)
        own = turning.part(1)
        self.eta = apply(plan.at_owners(own.matrix), world.moved[0])
        self.drift = einsum("aikn,akn->in", turning.matrix, world.swept)
        if plan.joints.vary or plan.joints.slide:
            self._follow_columns((Sdot * qdot).reshape(2, *self.eta.shape))
        self.inertia = world.inertia(plan)
        self.moment = own.before(apply(self.inertia, world.omega[1]))
        self.moment -= applied[0]
        self.force = -applied[1]

    def _follow_columns(self, changed: Array) -> None:
        """Adds what comes of coordinates that slide, or turn about axes that change. changed: (2, 3, nr) Sdot qdot."""
        plan, world = self.plan, self.world
        changed = apply(world.axes, changed)
        self.eta += changed[0]
        if plan.joints.slide:
            # A moving origin is turned with the parent, and its velocity with the parent and with the body.
            turning = world.omega[0] * plan.hangs + world.omega[1]
            self.drift += plan.over_joints(changed[1] + cross(plan.at_owners(turning), world.moved[1]))

    @classmethod
    def of(cls, model: Model, kin: Kinematics, loads: Loads) -> Forces:
        """Of a state and its loads."""
        world = world_of(model, kin)
        f_m = np.ascontiguousarray(loads.f_m.T).reshape(world.arms.shape)
        return cls(plan_of(model), world, kin.qdot, kin.Sdot, apply(world.R_wi, f_m))

    def passed(self, qddot: Array | None) -> tuple[Array, Array, Array, Array]:
        """alpha, a: of the bodies, at their centres; moment, force that the joint passes at its origin; all (3, n).

        qddot: (nr,), None for zero.
        """
        plan, world, tree = self.plan, self.world, self.plan.tree
        columns = self.eta
        if qddot is not None:
            columns = world.S[0] * qddot
            columns += self.eta
        alpha = both(plan, columns)
        a = einsum("akin,akn->in", world.arm.matrix, alpha)
        a += self.drift
        if plan.joints.slide and qddot is not None:
            a += plan.over_joints(world.S[1] * qddot)
        a = tree.over_ancestors(a)
        force = a * plan.mass
        force += self.force
        force = tree.over_carried(force)
        moment = apply(self.inertia, alpha[1])
        moment += self.moment
        levers = einsum("aikn,kn->ain", world.arm.matrix, force)
        moment += levers[1]
        return alpha[1], a, tree.over_carried(moment, levers[0]), force

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
        to_joint, to_center = length(world.arms)[:, None]
        S = length(world.S)
        alpha = tree.over_ancestors(plan.over_joints((S[0] * np.abs(qddot) + length(self.eta))[None]))
        a = tree.at_parents(alpha) * to_joint + alpha * to_center + length(self.drift)
        if plan.joints.slide:
            a += plan.over_joints((S[1] * np.abs(qddot))[None])
        force = tree.over_carried(length(self.force) + plan.mass * tree.over_ancestors(a))
        moment = length(self.moment) + plan.inertia.sum(axis=0) * alpha + to_center * force
        moment = tree.over_carried(moment, to_joint * force)
        tau = S[0] * plan.at_owners(moment[0])
        return np.asarray(tau + S[1] * plan.at_owners(force[0]) if plan.joints.slide else tau)

    def report(self, qddot: Array) -> HybridDynamics:
        """Everything about the motion qddot."""
        alpha, a, moment, force = self.passed(qddot)
        R, omega = self.world.R, self.world.omega[1]
        # Of the twist at the joint's origin, along axes that turn with the body.
        a = a - cross(alpha, self.world.arms[1]) - cross(omega, self.world.v_center(self.plan))
        Vdot, F = apply_transposed(R, np.stack([alpha, a])), apply_transposed(R, np.stack([moment, force]))
        return HybridDynamics(qddot, self.along(moment, force), rows(Vdot), rows(F))


def inverse_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot: Array) -> HybridDynamics:
    """Joint forces and wrenches that give the accelerations qddot (nr,); as `dynamics.recursive.inverse_dynamics`."""
    return Forces.of(model, kin, loads).report(np.array(qddot, np.float64))


def forward_dynamics(
    model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None
) -> HybridDynamics:
    """Accelerations, joint forces and joint wrenches; as `dynamics.recursive.forward_dynamics`."""
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
        columns = MassColumns(plan, forces.world, plan.carried_mass, forces.inertia)
        diagonal = columns.diagonal if plan.all_free else np.where(plan.is_free, columns.diagonal, 1.0)
        if not plan.never_singular and not (diagonal > 0.0).all():
            raise HandOver
        self.blocks = plan.free
        self.scale: Array = 1.0 / np.sqrt(diagonal)
        self.factors = [
            Factors(A, looks=not plan.never_singular or A.shape[1] <= SMALL_BLOCK)
            for A in columns.blocks(plan.free, self.scale)
        ]

    def solve(self, f: Array) -> tuple[Array, Array]:
        """x (nr,) with M x = f at free coordinates, zero at others; and the squares of each block's scaled length."""
        if self.blocks.whole:
            x = self.factors[0].solve((f * self.scale)[None])
            return x[0] * self.scale, _squares(x)
        padded = np.append(f * self.scale, 0.0)
        x, sizes = np.zeros(len(padded)), []
        for batch, factor in zip(self.blocks.batches, self.factors, strict=True):
            part = factor.solve(padded.take(batch.columns))
            x[batch.columns] = part
            sizes.append(_squares(part))
        return x[:-1] * self.scale, np.concatenate(sizes)

    @property
    def is_exact(self) -> bool:
        """Whether what was solved needs no correction."""
        return max([factor.largest_inverse for factor in self.factors]) <= EXACT

    def sizes(self, f: Array) -> Array:
        """The squares of each block's scaled length; f: (nr,)."""
        padded = np.append(f * self.scale, 0.0)
        return np.concatenate([_squares(padded.take(batch.columns)) for batch in self.blocks.batches])


def _squares(x: Array) -> Array:
    """(T,) of vectors x (T, D)."""
    return einsum("td,td->t", x, x)


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
                sizes = np.maximum(sizes, solver.sizes(forces.terms(qddot)))
            if (now <= CORRECTED**2 * sizes).all():
                return qddot + step
    except np.linalg.LinAlgError:
        raise HandOver from None
    raise HandOver
