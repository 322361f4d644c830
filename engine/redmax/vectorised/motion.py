# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations straight from coordinates: what an explicit integrator asks for thousands of times."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..model import Model
from .dynamics import Forces, HandOver, by_recursion, joint_accelerations, solved
from .plan import plan_of
from .pushing import body_loads, joint_loads, loads
from .stages import Coordinates
from .world import evaluated, kinematics


def accelerations(model: Model, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array) -> Array:
    """qddot, (nr,): `kinematics`, `loads` and `joint_accelerations` in one, without what only a reader wants.

    qddot_prescribed: (nr,), read at the prescribed coordinates only.
    """
    if model.forces:
        kin = kinematics(model, q, qdot, chart)
        return joint_accelerations(model, kin, loads(model, kin, t), qddot_prescribed)
    plan, given = plan_of(model), Coordinates(q, qdot, chart)
    motion, _, _, world = evaluated(plan, given)
    forces = Forces(plan, world, qdot, motion.Sdot, body_loads(model, plan, world))
    f_r = joint_loads(model, plan, given, motion.S, t)[0] if plan.has_loads else plan.nothing
    try:
        given_accelerations = plan.nothing if plan.all_free else np.where(model.prescribed, qddot_prescribed, 0.0)
        return solved(forces, f_r, given_accelerations)
    except HandOver:
        kin = kinematics(model, q, qdot, chart)
        return by_recursion(model, kin, loads(model, kin, t), qddot_prescribed).qddot
