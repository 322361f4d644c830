# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of all bodies at once, along the world's axes but at each joint's own origin.

Nothing is measured from the world's origin: the arm from parent to child is turned into the world, and twists, wrenches
and inertias move along the arms. So a mechanism a thousand kilometres away keeps its digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.kinematics import Kinematics
from ..model import Model
from .plan import Plan, plan_of
from .stages import Coordinates
from .vectors import apply, apply_transposed, cross, multiply


@dataclass(frozen=True, eq=False)
class World:
    """A `Kinematics` along the world's axes, bodies along the last axis.

    R, R_wi: (3, 3, n) axes of the joint and of the principal frames. arm: (3, n) from the parent's joint origin to the
    joint's, zero at roots. center: (3, n) from the joint's origin to the centre of mass.
    omega, v, v_center: (3, n) angular velocity, velocity at the joint's origin and at the centre of mass.
    S: (6, nr) the columns of S at the joint's origin.
    """

    R: Array
    R_wi: Array
    arm: Array
    center: Array
    omega: Array
    v: Array
    v_center: Array
    S: Array


_WORLDS: WeakKeyDictionary[Kinematics, World] = WeakKeyDictionary()


def kinematics(model: Model, q: Array, qdot: Array, chart: IntArray | None = None) -> Kinematics:
    """As `dynamics.kinematics.kinematics`. Source: RM19 eq. 17 and 22, Alg. 6 lines 1-3."""
    plan = plan_of(model)
    n = model.body_count
    if chart is None:
        chart = np.zeros(n, dtype=np.int64)
    motion = plan.joints.motion(Coordinates(q, qdot, chart))
    R_pj = motion.R if plan.R_pj0 is None else multiply(plan.R_pj0, motion.R)
    if not plan.joints.slide:
        p_pj = plan.p_pj0
    else:
        p_pj = plan.p_pj0 + (motion.p if plan.R_pj0 is None else apply(plan.R_pj0, motion.p))
    tree = plan.tree
    R = tree.rotations_from_root(R_pj)
    arm = apply(tree.at_parents(R), p_pj)
    arm[:, plan.roots] = 0.0
    position = tree.over_ancestors(arm) + p_pj.take(plan.root_of, 1)
    world = _moving(plan, R, arm, motion.S, qdot)

    V = np.empty((n, 6))
    V[:, :3], V[:, 3:] = apply_transposed(R, world.omega).T, apply_transposed(R, world.v).T
    phi = np.empty((n, 6))
    phi[:, :3], phi[:, 3:] = (
        apply_transposed(world.R_wi, world.omega).T,
        apply_transposed(world.R_wi, world.v_center).T,
    )
    kin = Kinematics(
        q,
        qdot,
        motion.S,
        motion.Sdot,
        _poses(R_pj, p_pj),
        _poses(R, position),
        _poses(world.R_wi, position + world.center),
        V,
        phi,
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
        arm = apply(plan.tree.at_parents(R), np.ascontiguousarray(kin.E_pj[:, :3, 3].T))
        arm[:, plan.roots] = 0.0
        world = _WORLDS[kin] = _moving(plan, R, arm, kin.S, kin.qdot)
    return world


def _moving(plan: Plan, R: Array, arm: Array, S: Array, qdot: Array) -> World:
    R_wi = R if plan.R_ji is None else multiply(R, plan.R_ji)
    center = apply(R, plan.p_ji)
    S_w = np.zeros_like(S)
    axes = plan.at_owners(R)
    S_w[:3] = apply(axes, S[:3])
    if plan.joints.slide:
        S_w[3:] = apply(axes, S[3:])
    moved = S_w * qdot
    omega, v = propagated(plan, arm, moved[:3], moved[3:] if plan.joints.slide else None)
    return World(R, R_wi, arm, center, omega, v, v + cross(omega, center), S_w)


def propagated(plan: Plan, arm: Array, turning: Array, moving: Array | None) -> tuple[Array, Array]:
    """(3, n) angular and linear sums from the roots of what the coordinates add to their bodies, (3, nr) each.

    Linear parts are those at the joint's origin: on the way from parent to child they gain angular x arm.
    """
    tree = plan.tree
    angular = tree.over_ancestors(plan.over_joints(turning))
    gained = cross(tree.at_parents(angular), arm)
    if moving is not None:
        gained += plan.over_joints(moving)
    return angular, tree.over_ancestors(gained)


def _poses(R: Array, p: Array) -> Array:
    """(n, 4, 4)"""
    E = np.zeros((R.shape[2], 4, 4))
    E[:, :3, :3] = R.transpose(2, 0, 1)
    E[:, :3, 3] = p.T
    E[:, 3, 3] = 1.0
    return E
