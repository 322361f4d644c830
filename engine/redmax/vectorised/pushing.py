# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads of all bodies and joints at once; see `dynamics.loads` for what they mean."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import body_forces
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..model import Model
from .charted import OwnCoordinates, own_coordinates
from .plan import Plan, plan_of
from .stages import Coordinates
from .vectors import apply_transposed
from .world import World, rows, world_of


def loads(model: Model, kin: Kinematics, t: float) -> Loads:
    """As `dynamics.loads.loads`."""
    plan, world = plan_of(model), world_of(model, kin)
    D_m = np.zeros((model.body_count, 6, 6))
    D_m.reshape(-1, 36)[:, ::7] = -model.body_damping[:, None]
    f_m = rows(apply_transposed(world.R_wi, body_loads(model, plan, world)))
    if model.forces:
        f_m += body_forces.wrenches(model, kin.E_wi, kin.phi, t)
    own = own_coordinates(model, plan.charted, Coordinates(kin.q, kin.qdot, kin.chart), kin.S)
    return Loads(f_m, D_m, *joint_loads(model, plan, own, t))


def body_loads(model: Model, plan: Plan, world: World) -> Array:
    """(2, 3, n) gravity and damping, without forces, at the centres of mass, along the world's axes; may be the plan's
    own."""
    applied = plan.weights
    if plan.carried_damping is not None:
        applied = applied.copy()
        applied[0] -= model.body_damping * world.omega[1]
        applied[1] -= model.body_damping * world.v_center(plan)
    return applied


def acting(model: Model, plan: Plan, own: OwnCoordinates, t: float) -> tuple[Array, Array]:
    """f_r and D_r, each (nr,), of `joint_loads`; may be the plan's own."""
    q, qdot, changes = own
    if not plan.has_loads:
        return plan.nothing, plan.nothing
    if changes or not plan.is_linear:
        f, _, D = joint_loads(model, plan, own, t)
        return f, D
    f = plan.minus_damping * qdot
    if plan.has_springs:
        f -= model.stiffness * (q - model.rest)
    if plan.has_torques:
        f += model.torque
    return f, plan.minus_damping


def joint_loads(model: Model, plan: Plan, own: OwnCoordinates, t: float) -> tuple[Array, Array, Array]:
    """f_r, K_r, D_r, each (nr,), of torques, springs, damping, soft limits and motors. own: of `own_coordinates`."""
    q, qdot, changes = own
    if not plan.has_loads:
        return np.zeros(len(q)), np.zeros(len(q)), np.zeros(len(q))
    x = q - model.rest
    f = model.torque - model.stiffness * x - model.damping * qdot
    K, D = -model.stiffness, -model.damping
    if plan.has_limits:
        beyond = np.minimum(q - model.lower, 0.0) + np.maximum(q - model.upper, 0.0)
        pushing = np.where(beyond != 0.0, model.limit_damping, 0.0)
        f -= model.limit_stiffness * beyond + pushing * qdot
        K -= np.where(beyond != 0.0, model.limit_stiffness, 0.0)
        D -= pushing
    for columns, table in plan.torque_tables:
        f[columns] += table.value(t)
    for columns, table in plan.stiffness_tables:
        for k, xk in enumerate(x[columns]):
            f[columns.start + k] -= table.value(xk)[k]
            K[columns.start + k] -= table.derivative(xk)[k]
    if plan.motors is not None:
        f_motors, K_motors, D_motors = plan.motors.loads(q, qdot, t)
        f, K, D = f + f_motors, K + K_motors, D + D_motors
    for columns, B in changes:
        f[columns] = B.T @ f[columns]
        K[columns] = (K[columns, None] * B**2).sum(axis=0)  # diagonal of B^T K B
        D[columns] = (D[columns, None] * B**2).sum(axis=0)
    return f, K, D
