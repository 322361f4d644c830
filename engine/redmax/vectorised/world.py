# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of all bodies at once, along the world's axes but at each joint's own origin.

Nothing is measured from the world's origin: arms lead from a parent's centre of mass to the joint and on to the body's
own, and velocities, forces and inertias move along them. So a mechanism a thousand kilometres away keeps its digits.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.kinematics import Kinematics
from ..model import Model
from .plan import Plan, plan_of
from .stages import Coordinates, Motion
from .vectors import Crossing, apply, apply_transposed, einsum, multiply, write_applied


class World(NamedTuple):
    """A `Kinematics` along the world's axes, bodies along the last axis.

    R, R_wi: (3, 3, n) axes of the joint and of the principal frames. arms: (2, 3, n) from the parent's centre of mass
    to the joint's origin, zero at roots, and from there to the body's own centre. arm: ready to be multiplied with.
    omega: (2, 3, n) angular velocities of the parent, any at roots, and of the body. swept: (2, 3, n) omega x arms.
    axes: (3, 3, nr) R of every coordinate's joint. S, moved: columns of S at the joint's origin, and S qdot; (2, 3, nr)
    or, where nothing slides, the angular part alone: (1, 3, nr).
    """

    R: Array
    R_wi: Array
    arms: Array
    arm: Crossing
    omega: Array
    swept: Array
    axes: Array
    S: Array
    moved: Array

    def v_center(self, plan: Plan) -> Array:
        """(3, n) velocities of the centres of mass."""
        gained = self.swept[0] + self.swept[1]
        if plan.joints.slide:
            gained += plan.over_joints(self.moved[1])
        return plan.tree.over_ancestors(gained)

    def inertia(self, plan: Plan) -> Array:
        """(3, 3, n) of the bodies about their centres of mass."""
        return einsum("ikn,kn,jkn->ijn", self.R_wi, plan.inertia, self.R_wi)

    def reach(self, plan: Plan, inner: Array) -> Array:
        """(3, n) from the origin of the joint on top to each joint's. inner: (n,) 1.0 for joints below one, else 0.0"""
        return plan.tree.over_ancestors((self.arms[0] + plan.tree.at_parents(self.arms[1])) * inner)


_WORLDS: WeakKeyDictionary[Kinematics, World] = WeakKeyDictionary()


def evaluated(plan: Plan, given: Coordinates) -> tuple[Motion, Array, Array, World]:
    """The joints' own motion, R_pj (3, 3, n), p_pj (3, n) and the `World` of a state."""
    motion = plan.joints.motion(given)
    R_pj, p_pj, p_cj = motion.R, plan.p_pj0, plan.p_cj0
    if plan.R_pj0 is not None:
        R_pj = multiply(plan.R_pj0, R_pj)
    if plan.joints.slide:
        p_pj = p_pj + (motion.p if plan.R_pj0 is None else apply(plan.R_pj0, motion.p))
        p_cj = plan.from_centers(p_pj)
    return motion, R_pj, p_pj, _moving(plan, plan.tree.rotations_from_root(R_pj), p_cj, motion.S, given.qdot)


def kinematics(model: Model, q: Array, qdot: Array, chart: IntArray | None = None) -> Kinematics:
    """As `dynamics.kinematics.kinematics`. Source: RM19 eq. 17 and 22, Alg. 6 lines 1-3."""
    if chart is None:
        chart = np.zeros(model.body_count, dtype=np.int64)
    plan = plan_of(model)
    motion, R_pj, p_pj, world = evaluated(plan, Coordinates(q, qdot, chart))
    # The root's position last: reaches keep their digits however far away it is.
    position = world.reach(plan, plan.hangs) + p_pj.take(plan.root_of, 1)
    omega, v_center = world.omega[1], world.v_center(plan)
    kin = Kinematics(
        q,
        qdot,
        motion.S.copy(),  # may be the plan's own
        motion.Sdot.copy(),
        _poses(R_pj, p_pj),
        _poses(world.R, position),
        _poses(world.R_wi, position + world.arms[1]),
        rows(apply_transposed(world.R, np.stack([omega, v_center - world.swept[1]]))),
        rows(apply_transposed(world.R_wi, np.stack([omega, v_center]))),
        chart,
    )
    _WORLDS[kin] = world
    return kin


def world_of(model: Model, kin: Kinematics) -> World:
    """The `World` of a state, computed from its poses if it came from elsewhere."""
    world = _WORLDS.get(kin)
    if world is None:
        plan = plan_of(model)
        R = np.ascontiguousarray(kin.E_wj[:, :3, :3].transpose(1, 2, 0))
        p_pj = np.ascontiguousarray(kin.E_pj[:, :3, 3].T)
        world = _WORLDS[kin] = _moving(plan, R, plan.from_centers(p_pj), kin.S, kin.qdot)
    return world


def _moving(plan: Plan, R: Array, p_cj: Array, S: Array, qdot: Array) -> World:
    """p_cj: (3, n) of `Plan.from_centers`."""
    R_wi = R if plan.R_ji is None else multiply(R, plan.R_ji)
    arms = np.empty((2, *p_cj.shape))
    write_applied(arms[0], plan.tree.at_parents(R), p_cj)
    write_applied(arms[1], R, plan.p_ji)
    axes = plan.at_owners(R)
    S_w = apply(axes, S.reshape(2, 3, S.shape[1])) if plan.joints.slide else apply(axes, S[:3])[None]
    moved = S_w * qdot
    omega = both(plan, moved[0])
    arm = Crossing.of(arms)
    return World(R, R_wi, arms, arm, omega, einsum("akin,akn->ain", arm.matrix, omega), axes, S_w, moved)


def both(plan: Plan, columns: Array) -> Array:
    """Sums from the roots of what coordinates (3, nr) add to their bodies: (2, 3, n) at the parent, any at roots, and
    at the body."""
    X = np.empty((2, 3, len(plan.mass)))
    own = plan.tree.over_ancestors(plan.over_joints(columns), X[1])
    plan.tree.at_parents(own, X[0])
    return X


def rows(X: Array) -> Array:
    """(n, 6) of twists or wrenches (2, 3, n)."""
    return np.ascontiguousarray(X.reshape(6, -1).T)


def _poses(R: Array, p: Array) -> Array:
    """(n, 4, 4)"""
    E = np.zeros((R.shape[2], 4, 4))
    E[:, :3, :3] = R.transpose(2, 0, 1)
    E[:, :3, 3] = p.T
    E[:, 3, 3] = 1.0
    return E
