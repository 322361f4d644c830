# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations straight from coordinates: what an explicit integrator asks for thousands of times."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics import powers
from ..model import Model
from .charted import OwnCoordinates, own_coordinates
from .dynamics import Forces, HandOver, by_recursion, forward_dynamics, joint_accelerations, solved
from .plan import plan_of
from .pushing import acting, body_loads, loads
from .small_trees import SmallTree, SmallTreeState, small_tree
from .stages import Coordinates
from .vectors import length
from .world import evaluated, kinematics


def accelerations(model: Model, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array) -> Array:
    """qddot, (nr,): `kinematics`, `loads` and `joint_accelerations` in one, without what only a reader wants.

    qddot_prescribed: (nr,), read at the prescribed coordinates only.
    """
    if model.forces:
        kin = kinematics(model, q, qdot, chart)
        return joint_accelerations(model, kin, loads(model, kin, t), qddot_prescribed)
    try:
        return _quick(model, q, qdot, chart, t).accelerations(qddot_prescribed)
    except HandOver:
        kin = kinematics(model, q, qdot, chart)
        return by_recursion(model, kin, loads(model, kin, t), qddot_prescribed).qddot


def accelerations_and_powers(
    model: Model, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array
) -> tuple[Array, Array]:
    """qddot (nr,), and the powers (2,) [W] of `dynamics.powers` in the same motion; arguments of `accelerations`."""
    if not model.forces:
        try:
            quick = _quick(model, q, qdot, chart, t)
            qddot = quick.accelerations(qddot_prescribed)
            return qddot, quick.powers()
        except HandOver:
            pass
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, t)
    found = forward_dynamics(model, kin, load, qddot_prescribed)
    return found.qddot, powers.powers(model, kin, load, found.tau, t)


def turn_rate(model: Model, q: Array, qdot: Array, chart: IntArray, joints: tuple[int, ...]) -> float:
    """Fastest relative rotation [rad/s] of these joints."""
    plan = plan_of(model)
    turning = plan.over_joints(plan.joints.motion(Coordinates(q, qdot, chart)).S[:3] * qdot)
    return float(length(turning.take(joints, axis=1)).max())


class _Quick(ABC):
    """A state without forces between bodies; nothing of it is written in body frames or as poses.

    f_r, D_r: (nr,) of `Loads`. own: of `own_coordinates`.
    """

    f_r: Array
    D_r: Array
    own: OwnCoordinates

    def __init__(self, model: Model, q: Array, qdot: Array, chart: IntArray, t: float) -> None:
        self.model, self.t, self.plan = model, t, plan_of(model)
        self.given = Coordinates(q, qdot, chart)

    def _load(self, S: Array | None) -> None:
        """S: as in `own_coordinates`."""
        self.own = own_coordinates(self.model, self.plan.charted, self.given, S)
        self.f_r, self.D_r = acting(self.model, self.plan, self.own, self.t)

    @abstractmethod
    def accelerations(self, qddot_prescribed: Array) -> Array:
        """qddot (nr,), or HandOver."""

    @abstractmethod
    def needed(self) -> Array:
        """(nr,) forces along coordinates for the accelerations that were found."""

    @abstractmethod
    def dissipated(self) -> float:
        """Power [W] that damping of bodies takes out."""

    def powers(self) -> Array:
        """(2,) [W] of the motion with the accelerations that were found."""
        model, plan, qdot = self.model, self.plan, self.given.qdot
        given, own = qdot.take(plan.prescribed), self.own[1]
        needed = self.needed() - self.f_r if given.any() else plan.nothing
        if self.own[2] or (plan.pushes and not plan.is_linear):
            found = powers.along_coordinates(model, self.own, qdot, needed, self.D_r, self.t)
        else:
            work = float(needed.take(plan.prescribed) @ given)
            work += float(model.torque @ own) if plan.has_torques else 0.0
            found = np.array([work, -float((self.D_r * own) @ own)])
        if plan.carried_damping is not None:
            found[1] += self.dissipated()
        return found


class _BySums(_Quick):
    """Sums along branches; for any tree."""

    def __init__(self, model: Model, q: Array, qdot: Array, chart: IntArray, t: float) -> None:
        super().__init__(model, q, qdot, chart, t)
        joints, _, _, self.world = evaluated(self.plan, self.given)
        self._load(joints.S)
        self.forces = Forces(self.plan, self.world, qdot, joints.Sdot, body_loads(model, self.plan, self.world))

    def accelerations(self, qddot_prescribed: Array) -> Array:
        plan = self.plan
        known = plan.nothing if plan.all_free else np.where(self.model.prescribed, qddot_prescribed, 0.0)
        self.qddot = solved(self.forces, self.f_r, known)
        return self.qddot

    def needed(self) -> Array:
        return self.forces.needed(self.qddot)

    def dissipated(self) -> float:
        omega, v = self.world.omega[1], self.world.v_center(self.plan)
        return float(self.model.body_damping @ ((omega * omega).sum(axis=0) + (v * v).sum(axis=0)))


class _ByJacobian(_Quick):
    """One dense Jacobian; for a small tree whose coordinates turn."""

    def __init__(self, model: Model, tree: SmallTree, q: Array, qdot: Array, chart: IntArray, t: float) -> None:
        super().__init__(model, q, qdot, chart, t)
        self.tree = tree
        self._load(None)

    def accelerations(self, qddot_prescribed: Array) -> Array:
        known = None if self.plan.all_free else np.where(self.model.prescribed, qddot_prescribed, 0.0)
        self.state = SmallTreeState(self.tree, self.given, known)
        qddot, self.found = self.state.accelerations(self.f_r)
        return qddot if known is None else qddot + known

    def needed(self) -> Array:
        return self.found

    def dissipated(self) -> float:
        return self.state.dissipated


def _quick(model: Model, q: Array, qdot: Array, chart: IntArray, t: float) -> _Quick:
    tree = model.once(small_tree)
    if tree is None:
        return _BySums(model, q, qdot, chart, t)
    return _ByJacobian(model, tree, q, qdot, chart, t)
