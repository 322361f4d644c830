# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads of all bodies and joints at once; see `dynamics.loads` for what they mean."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import loads as readable
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..model import Model
from .plan import Plan, plan_of
from .world import world_of


def loads(model: Model, kin: Kinematics, t: float) -> Loads:
    """As `dynamics.loads.loads`."""
    plan = plan_of(model)
    n = model.body_count
    f_m, D_m = np.zeros((n, 6)), np.zeros((n, 6, 6))
    f_m[:, 3:] = (np.einsum("kin,k->in", world_of(model, kin).R_wi, model.gravity) * plan.mass).T
    if plan.damped:
        f_m -= model.body_damping[:, None] * kin.phi
        D_m[:] = -model.body_damping[:, None, None] * np.eye(6)
    q, qdot, changes = readable.own_coordinates(model, kin)
    f_r, K_r, D_r = _joint_loads(model, plan, q, qdot, t)
    for columns, B in changes:
        f_r[columns] = B.T @ f_r[columns]
        K_r[columns] = (K_r[columns, None] * B**2).sum(axis=0)  # diagonal of B^T K B
        D_r[columns] = (D_r[columns, None] * B**2).sum(axis=0)
    return Loads(f_m, D_m, f_r, K_r, D_r)


def _joint_loads(model: Model, plan: Plan, q: Array, qdot: Array, t: float) -> tuple[Array, Array, Array]:
    """f_r, K_r, D_r of torques, springs, damping and soft limits, each (nr,)."""
    x = q - model.rest
    f = model.torque - model.stiffness * x - model.damping * qdot
    K, D = -model.stiffness, -model.damping
    if plan.has_limits:
        beyond = np.minimum(q - model.lower, 0.0) + np.maximum(q - model.upper, 0.0)
        pushing = np.where(beyond != 0.0, model.limit_damping, 0.0)
        f -= model.limit_stiffness * beyond + pushing * qdot
        K -= np.where(beyond != 0.0, model.limit_stiffness, 0.0)
        D -= pushing
    for j in plan.torque_tables:
        table = model.joints[j].torque_table
        assert table is not None
        f[model.columns(j)] += table.value(t)
    for j in plan.stiffness_tables:
        table = model.joints[j].stiffness_table
        assert table is not None
        start = int(model.dof[j])
        for k, xk in enumerate(x[model.columns(j)]):
            f[start + k] -= table.value(xk)[k]
            K[start + k] -= table.derivative(xk)[k]
    return f, K, D
