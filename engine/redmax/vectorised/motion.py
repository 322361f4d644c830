# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations straight from coordinates: what an explicit integrator asks for thousands of times."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics import powers
from ..model import Model
from .charted import own_coordinates
from .dynamics import Forces, HandOver, by_recursion, forward_dynamics, joint_accelerations, solved
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
    try:
        return _Quick(model, q, qdot, chart, t).accelerations(qddot_prescribed)
    except HandOver:
        kin = kinematics(model, q, qdot, chart)
        return by_recursion(model, kin, loads(model, kin, t), qddot_prescribed).qddot


def accelerations_and_powers(
    model: Model, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array
) -> tuple[Array, Array]:
    """qddot (nr,), and the powers (2,) [W] of `dynamics.powers` in the same motion; arguments of `accelerations`."""
    if not model.forces:
        try:
            quick = _Quick(model, q, qdot, chart, t)
            qddot = quick.accelerations(qddot_prescribed)
            return qddot, quick.powers(qddot)
        except HandOver:
            pass
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, t)
    found = forward_dynamics(model, kin, load, qddot_prescribed)
    return found.qddot, powers.powers(model, kin, load, found.tau, t)


class _Quick:
    """A state without forces between bodies; nothing of it is written in body frames or as poses."""

    def __init__(self, model: Model, q: Array, qdot: Array, chart: IntArray, t: float) -> None:
        self.model, self.t, self.plan = model, t, plan_of(model)
        self.given = Coordinates(q, qdot, chart)
        self.joints, _, _, self.world = evaluated(self.plan, self.given)
        applied = body_loads(model, self.plan, self.world)
        self.forces = Forces(self.plan, self.world, qdot, self.joints.Sdot, applied)
        self.f_r, self.D_r = self.plan.nothing, self.plan.nothing
        if self.plan.has_loads:
            self.f_r, _, self.D_r = joint_loads(model, self.plan, self.given, self.joints.S, t)

    def accelerations(self, qddot_prescribed: Array) -> Array:
        """qddot (nr,), or HandOver."""
        plan = self.plan
        known = plan.nothing if plan.all_free else np.where(self.model.prescribed, qddot_prescribed, 0.0)
        return solved(self.forces, self.f_r, known)

    def powers(self, qddot: Array) -> Array:
        """(2,) [W] of the motion with these accelerations."""
        model, plan, qdot = self.model, self.plan, self.given.qdot
        own = own_coordinates(model, plan.charted, self.given, self.joints.S)
        driven = not plan.all_free and bool(qdot[model.prescribed].any())
        needed = self.forces.needed(qddot) - self.f_r if driven else plan.nothing
        found = powers.along_coordinates(model, own, qdot, needed, self.D_r, self.t)
        if plan.carried_damping is not None:
            omega, v = self.world.omega[1], self.world.v_center(plan)
            found[1] += float(model.body_damping @ ((omega * omega).sum(axis=0) + (v * v).sum(axis=0)))
        return found
