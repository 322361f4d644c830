# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that pushes: gravity, damping and forces on bodies; torques, springs, soft limits and motors on joints.

Signs as decided for the whole project: K = +df/dq and D = +df/dqdot, so a spring has K < 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..model import Model
from . import body_forces
from .kinematics import Kinematics
from .motors import motors


@dataclass(frozen=True, eq=False)
class Loads:
    """f_m: (n, 6) wrenches on the bodies in their principal frames, forces included, without the Coriolis term.
    D_m: (n, 6, 6) derivative of gravity and body damping by the body's own twist; K and D of forces, which tie bodies
    together, are `body_forces.couplings`.
    f_r: (nr,) torques and forces on the coordinates; K_r, D_r: (nr,) their derivatives by q and qdot.
    """

    f_m: Array
    D_m: Array
    f_r: Array
    K_r: Array
    D_r: Array


def loads(model: Model, kin: Kinematics, t: float) -> Loads:
    """All loads at time t [s]."""
    d = model.body_damping
    f_m = gravity_wrenches(model, kin) - d[:, None] * kin.phi
    if model.forces:
        f_m += body_forces.wrenches(model, kin.E_wi, kin.phi, t)
    D_m = -d[:, None, None] * np.eye(6)
    q, qdot, changes = own_coordinates(model, kin)
    f_r, K_r, D_r = joint_loads(model, q, qdot, t)
    for columns, B in changes:
        f_r[columns] = B.T @ f_r[columns]
        K_r[columns] = (K_r[columns, None] * B**2).sum(axis=0)  # diagonal of B^T K B
        D_r[columns] = (D_r[columns, None] * B**2).sum(axis=0)
    return Loads(f_m, D_m, f_r, K_r, D_r)


def own_coordinates(model: Model, kin: Kinematics) -> tuple[Array, Array, list[tuple[slice, Array]]]:
    """q and qdot (nr,) in which torques, springs, limits and tables are meant: those of chart 0 nearest to rest.

    With them, for every joint whose q is written otherwise now: its columns and B = dq_own / dq. Power stays:
    the force along q is B^T times the one along q_own. So a force depends on the pose only, not on which of
    the rotation vectors or Euler angles of that pose an integrator has come to use.
    """
    q, qdot = kin.q, kin.qdot
    changes: list[tuple[slice, Array]] = []
    for j in model.charted_loads:
        joint, columns, chart = model.joints[j], model.columns(j), int(kin.chart[j])
        q_own, qdot_own = joint.rewrite(
            kin.q[columns], kin.qdot[columns], chart, chart_like=0, q_like=model.rest[columns]
        )
        if chart == 0 and np.array_equal(q_own, kin.q[columns]):
            continue
        if not changes:
            q, qdot = q.copy(), qdot.copy()
        q[columns], qdot[columns] = q_own, qdot_own
        changes.append((columns, np.linalg.pinv(joint.motion(q_own, qdot_own).S) @ kin.S[:, columns]))
    return q, qdot, changes


def gravity_wrenches(model: Model, kin: Kinematics) -> Array:
    """(n, 6) gravity in the principal frames: (0, R^T m g). Source: RBDN eq. 1.22.

    The list of symbols of RM19 section 6 leaves the rotation out (erratum).
    """
    f = np.zeros((model.body_count, 6))
    R_iw = np.swapaxes(kin.E_wi[:, :3, :3], 1, 2)
    f[:, 3:] = model.inertia[:, 3:4] * (R_iw @ model.gravity)
    return f


def joint_loads(model: Model, q: Array, qdot: Array, t: float) -> tuple[Array, Array, Array]:
    """f_r, K_r, D_r of torques, springs, damping, soft limits and motors, each (nr,). Source: RBDN eqs. 2.68-2.70."""
    f, K, D = passive_loads(model, q, qdot, t)
    if motors(model).present:
        f_motors, K_motors, D_motors = motors(model).loads(q, qdot, t)
        f, K, D = f + f_motors, K + K_motors, D + D_motors
    return f, K, D


def passive_loads(model: Model, q: Array, qdot: Array, t: float) -> tuple[Array, Array, Array]:
    """`joint_loads` without motors, whose D takes no energy out as a damper's does."""
    f = model.torque - model.stiffness * (q - model.rest) - model.damping * qdot
    K, D = -model.stiffness, -model.damping
    beyond = _beyond_limits(model, q)
    pushing = np.where(beyond != 0.0, model.limit_damping, 0.0)
    f = f - model.limit_stiffness * beyond - pushing * qdot
    K = K - np.where(beyond != 0.0, model.limit_stiffness, 0.0)
    D = D - pushing
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if joint.torque_table is not None:
            f[columns] += joint.torque_table.value(t)
        if joint.stiffness_table is not None:
            for k, x in enumerate((q - model.rest)[columns]):
                f[columns.start + k] -= joint.stiffness_table.value(x)[k]
                K[columns.start + k] -= joint.stiffness_table.derivative(x)[k]
    return f, K, D


def gravity_potential(model: Model, kin: Kinematics) -> float:
    """-m g . x summed over the bodies [J]; zero at the world's origin."""
    return -float(model.inertia[:, 3] @ (kin.E_wi[:, :3, 3] @ model.gravity))


def joint_potential(model: Model, q: Array) -> float:
    """Energy of joint springs, spring tables and soft limits [J]."""
    x = q - model.rest
    energy = 0.5 * float(model.stiffness @ x**2 + model.limit_stiffness @ _beyond_limits(model, q) ** 2)
    for j, joint in enumerate(model.joints):
        if joint.stiffness_table is not None:
            energy += sum(float(joint.stiffness_table.integral(xk)[k]) for k, xk in enumerate(x[model.columns(j)]))
    return energy


def potential_energy(model: Model, kin: Kinematics) -> float:
    """All potential energy [J]."""
    of_forces = body_forces.potential_energy(model, kin.E_wi) if model.forces else 0.0
    return gravity_potential(model, kin) + joint_potential(model, own_coordinates(model, kin)[0]) + of_forces


def _beyond_limits(model: Model, q: Array) -> Array:
    """(nr,) how far each coordinate is beyond its soft limit: negative below, positive above, else 0."""
    return np.asarray(np.minimum(q - model.lower, 0.0) + np.maximum(q - model.upper, 0.0))
