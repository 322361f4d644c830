# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of all bodies at once, along the world's axes but at each joint's own origin.

Nothing is measured from the world's origin: the arm from parent to child is turned into the world, and twists, wrenches
and inertias move along the arms. So a mechanism a thousand kilometres away keeps its digits.
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
from .vectors import Crossing, apply, apply_transposed, multiply, write_applied


class World(NamedTuple):
    """A `Kinematics` along the world's axes, bodies along the last axis.

    R, R_wi: (3, 3, n) axes of the joint and of the principal frames. arms: (2, 3, n) from the parent's joint origin to
    the joint's, zero at roots, and from the joint's origin to the centre of mass. reach: (3, n) from the root's joint
    origin to the joint's. crossing, arm, center: both arms and each, ready to be multiplied with.
    twist: (2, 3, n) angular velocity, and velocity at the joint's origin; v_center: (3, n) at the centre of mass.
    axes: (3, 3, nr) R of every coordinate's joint. S, moved: (2, 3, nr) columns of S at the joint's origin, S qdot.
    """

    R: Array
    R_wi: Array
    arms: Array
    crossing: Crossing
    arm: Crossing
    center: Crossing
    reach: Array
    twist: Array
    v_center: Array
    axes: Array
    S: Array
    moved: Array


_WORLDS: WeakKeyDictionary[Kinematics, World] = WeakKeyDictionary()


def evaluated(plan: Plan, given: Coordinates) -> tuple[Motion, Array, Array, World]:
    """The joints' own motion, R_pj (3, 3, n), p_pj (3, n) and the `World` of a state."""
    motion = plan.joints.motion(given)
    R_pj, p_pj = motion.R, plan.p_pj0
    if plan.R_pj0 is not None:
        R_pj = multiply(plan.R_pj0, R_pj)
    if plan.joints.slide:
        p_pj = p_pj + (motion.p if plan.R_pj0 is None else apply(plan.R_pj0, motion.p))
    return motion, R_pj, p_pj, _moving(plan, plan.tree.rotations_from_root(R_pj), p_pj, motion.S, given.qdot)


def kinematics(model: Model, q: Array, qdot: Array, chart: IntArray | None = None) -> Kinematics:
    """As `dynamics.kinematics.kinematics`. Source: RM19 eq. 17 and 22, Alg. 6 lines 1-3."""
    if chart is None:
        chart = np.zeros(model.body_count, dtype=np.int64)
    plan = plan_of(model)
    motion, R_pj, p_pj, world = evaluated(plan, Coordinates(q, qdot, chart))
    # The root's position last: reaches keep their digits however far away it is.
    position = world.reach + p_pj.take(plan.root_of, 1)
    phi = np.stack([world.twist[0], world.v_center])
    kin = Kinematics(
        q,
        qdot,
        motion.S.copy(),  # may be the plan's own
        motion.Sdot.copy(),
        _poses(R_pj, p_pj),
        _poses(world.R, position),
        _poses(world.R_wi, position + world.arms[1]),
        rows(apply_transposed(world.R, world.twist)),
        rows(apply_transposed(world.R_wi, phi)),
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
        world = _WORLDS[kin] = _moving(plan, R, p_pj, kin.S, kin.qdot)
    return world


def _moving(plan: Plan, R: Array, p_pj: Array, S: Array, qdot: Array) -> World:
    R_wi = R if plan.R_ji is None else multiply(R, plan.R_ji)
    arms = np.empty((2, *p_pj.shape))
    write_applied(arms[0], plan.tree.at_parents(R), p_pj)
    write_applied(arms[1], R, plan.p_ji)
    arms[0, :, plan.roots] = 0.0
    axes = plan.at_owners(R)
    if plan.joints.slide:
        S_w = apply(axes, S.reshape(2, 3, S.shape[1]))
    else:
        S_w = np.zeros((2, 3, S.shape[1]))
        write_applied(S_w[0], axes, S[:3])
    moved = S_w * qdot
    crossing = Crossing.of(arms)
    arm, center = crossing.part(0), crossing.part(1)
    twist = np.empty(arms.shape)
    twist[0], twist[1], v_center = propagated(plan, arm, center, moved if plan.joints.slide else moved[:1])
    reach = plan.tree.over_ancestors(arms[0])
    return World(R, R_wi, arms, crossing, arm, center, reach, twist, v_center, axes, S_w, moved)


def propagated(plan: Plan, arm: Crossing, center: Crossing, columns: Array) -> tuple[Array, Array, Array]:
    """Sums from the roots of what coordinates add to their bodies: (2, 3, nr), or (1, 3, nr) if only angular.

    Angular, linear at the joint's origin and linear at the centre of mass, each (3, n). On the way from parent to
    child linear parts gain angular x arm.
    """
    tree = plan.tree
    added = plan.over_joints(columns.reshape(3 * len(columns), columns.shape[2]))
    angular = tree.over_ancestors(added[:3])
    gained = arm.after(tree.at_parents(angular))
    if len(added) > 3:
        gained += added[3:]
    linear = tree.over_ancestors(gained)
    at_center = center.after(angular)
    at_center += linear
    return angular, linear, at_center


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
