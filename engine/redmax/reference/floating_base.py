# SPDX-License-Identifier: GPL-3.0-or-later
"""Kindr's floating-base form: a free base B and turning or sliding joints, quaternion coordinates.

q = (r_IB in I, quaternion of C_IB, phi_1 ... phi_nj), shape (7 + nj,); u = (v_B in I, omega_IB in B, phidot), shape
(6 + nj,). I is the world, B the joint frame of the root body; joints come in model order. **Linear first**, as in
chain_jacobians.py and unlike the rest of the engine. Equations: M udot = h, h = f - g.
Source: KINDR16, "Generalized Coordinates of a Floating-Base System", "Projected Newton-Euler Equations" and
"Transformation of Equations of Motion".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..dynamics.joint_coordinates import joint_coordinates
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..errors import RedMaxError
from ..joints.prismatic import Prismatic
from ..joints.revolute import Revolute
from ..model import Model
from ..spatial import chain_jacobians, pose, quaternion, so3

BASE = chain_jacobians.BASE_COLUMNS


class FloatingBaseError(RedMaxError):
    """A mechanism that is not a free base with turning and sliding joints."""


def check_floating_base(model: Model) -> None:
    """Raises FloatingBaseError, naming the joint, unless the form can describe the model."""
    if model.body_count == 0:
        raise FloatingBaseError("floating base: the model has no bodies; add a body with a free joint")
    for j, joint in enumerate(model.joints):
        if (model.parent[j] < 0) != (j == 0):
            what, hint = "is a second root", "give every other body a joint to the base"
        elif j == 0 and joint.ndof != BASE:
            what, hint = f"carries the base but has {joint.ndof} degrees of freedom", "make it a free joint"
        elif j > 0 and not isinstance(joint, Revolute | Prismatic):
            what, hint = f"is of kind '{joint.kind}'", "use revolute or prismatic joints beyond the base"
        elif model.prescribed[model.columns(j)].any():
            what, hint = "is animated or locked", "make it simulated"
        else:
            continue
        raise FloatingBaseError(f"floating base: joint '{joint.name}' {what}; {hint}")


def floating_coordinates(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """q (7 + nj,) and u (6 + nj,) of the mechanism. The quaternion has w >= 0."""
    check_floating_base(model)
    E_IB, V_B = kin.E_wj[0], kin.V[0]
    q = np.concatenate([pose.position(E_IB), quaternion.from_matrix(pose.rotation(E_IB)), kin.q[BASE:]])
    u = np.concatenate([pose.rotation(E_IB) @ V_B[3:], V_B[:3], kin.qdot[BASE:]])
    return q, u


def joint_state(model: Model, q: Array, u: Array, guess: Array, chart: IntArray) -> tuple[Array, Array]:
    """q and qdot (nr,) of the engine, in the given chart (n,), from Kindr's q and u; guess (nr,) picks the turn."""
    check_floating_base(model)
    root = model.joints[0]
    E_wj = pose.from_quaternion(q[:3], quaternion.normalize(q[3:7]))
    q_base, _ = joint_coordinates(root, pose.inverse(model.E_pj0[0]) @ E_wj, guess[:BASE], int(chart[0]))
    S = root.motion(q_base, np.zeros(BASE), int(chart[0])).S
    V = np.concatenate([u[3:6], pose.rotation(E_wj).T @ u[:3]])
    return np.concatenate([q_base, q[7:]]), np.concatenate([np.linalg.solve(S, V), u[BASE:]])


def rate_matrix(q: Array) -> Array:
    """F (7 + nj, 6 + nj): qdot = F u. Source: KINDR16, F with the block Hbar^T / 2."""
    nj = len(q) - 7
    F = np.zeros((7 + nj, 6 + nj))
    F[:3, :3], F[7:, 6:] = np.eye(3), np.eye(nj)
    F[3:7, 3:6] = 0.5 * quaternion.Hbar(q[3:7]).T
    return F


def velocity_matrix(q: Array) -> Array:
    """Fbar (6 + nj, 7 + nj): u = Fbar qdot, for a unit quaternion. Source: KINDR16, Fbar with the block 2 Hbar."""
    nj = len(q) - 7
    Fbar = np.zeros((6 + nj, 7 + nj))
    Fbar[:3, :3], Fbar[6:, 7:] = np.eye(3), np.eye(nj)
    Fbar[3:6, 3:7] = 2.0 * quaternion.Hbar(q[3:7])
    return Fbar


def mass_center_jacobians(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """J and Jdot, each (n, 6, 6 + nj): (v; omega) of every centre of mass in I is J u. Source: KINDR16 eqs. 10-18."""
    check_floating_base(model)
    n = model.body_count
    _, u = floating_coordinates(model, kin)
    C_IB, r_IB = pose.rotation(kin.E_wj[0]), pose.position(kin.E_wj[0])
    slides = np.array([isinstance(joint, Prismatic) for joint in model.joints[1:]], dtype=bool)
    axes_j = np.where(slides[:, None], kin.S[3:, BASE:].T, kin.S[:3, BASE:].T)
    # Everything of the joints in B, as the blocks of eqs. 10 and 13 want it.
    axes_B = np.einsum("nab,nb->na", pose.rotation(kin.E_wj[1:]), axes_j) @ C_IB
    origins_B = (pose.position(kin.E_wj[1:]) - r_IB) @ C_IB
    on_path = _on_path(model)
    J = np.empty((n, 6, 6 + n - 1))
    for k in range(n):
        r_BQ = C_IB.T @ (pose.position(kin.E_wi[k]) - r_IB)
        J_P, J_R = chain_jacobians.joint_columns(axes_B, origins_B, slides, r_BQ)
        J[k] = chain_jacobians.spatial_jacobian(
            chain_jacobians.point_jacobian(C_IB, r_BQ, J_P * on_path[k]),
            chain_jacobians.rotation_jacobian(C_IB, J_R * on_path[k]),
        )
    carried = chain_jacobians.carries(n - 1, floating_base=True)
    Jdot = np.stack([chain_jacobians.jacobian_dot(J[k], carried, u) for k in range(n)])
    return J, Jdot


def equations_of_motion(model: Model, kin: Kinematics, load: Loads) -> tuple[Array, Array]:
    """M (6 + nj, 6 + nj) and h = f - g (6 + nj,) of M udot = h: projected Newton-Euler equations.

    M = sum J_P^T m J_P + J_R^T Theta J_R;   g = sum J_P^T m Jdot_P u + J_R^T (Theta Jdot_R u + omega x Theta omega),
    with Theta about the centre of mass in the axes of I. f holds the wrenches on bodies and the torques on coordinates.
    """
    _, u = floating_coordinates(model, kin)
    J, Jdot = mass_center_jacobians(model, kin)
    M, h = np.zeros((len(u), len(u))), generalised_torques(model, kin, load)
    for k in range(model.body_count):
        J_P, J_R, Jdot_P, Jdot_R = J[k, :3], J[k, 3:], Jdot[k, :3], Jdot[k, 3:]
        R, mass = pose.rotation(kin.E_wi[k]), float(model.inertia[k, 3])
        Theta = R @ np.diag(model.inertia[k, :3]) @ R.T
        omega = J_R @ u
        M += mass * J_P.T @ J_P + J_R.T @ Theta @ J_R
        h -= mass * J_P.T @ Jdot_P @ u + J_R.T @ (Theta @ Jdot_R @ u + np.cross(omega, Theta @ omega))
        h += J_R.T @ R @ load.f_m[k, :3] + J_P.T @ R @ load.f_m[k, 3:]
    return M, h


def generalised_torques(model: Model, kin: Kinematics, load: Loads) -> Array:
    """(6 + nj,) the torques on the engine's coordinates, load.f_r, as forces on u: B^-T f_r."""
    B, _ = change_of_coordinates(model, kin)
    return np.linalg.solve(B.T, load.f_r)


def accelerations(model: Model, kin: Kinematics, load: Loads) -> Array:
    """udot (6 + nj,) = M^-1 h: (dv_B/dt in I, domega_IB/dt in B, phiddot)."""
    return np.linalg.solve(*equations_of_motion(model, kin, load))


def change_of_coordinates(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """B and Bdot (6 + nj, 6 + nj): u = B qdot, udot = B qddot + Bdot qdot, with the engine's qdot.

    The base block is (0 C_IB; 1 0) S: the free joint's twist with its halves exchanged and v turned into I.
    """
    check_floating_base(model)
    C_IB, omega = pose.rotation(kin.E_wj[0]), kin.V[0, :3]
    T, Tdot = np.zeros((6, 6)), np.zeros((6, 6))
    T[:3, 3:], T[3:, :3] = C_IB, np.eye(3)
    Tdot[:3, 3:] = C_IB @ so3.hat(omega)
    B, Bdot = np.eye(model.dof_count), np.zeros((model.dof_count, model.dof_count))
    S, Sdot = kin.S[:, :BASE], kin.Sdot[:, :BASE]
    B[:BASE, :BASE] = T @ S
    Bdot[:BASE, :BASE] = T @ Sdot + Tdot @ S
    return B, Bdot


def transformed_equations(Mbar: Array, hbar: Array, B: Array, Bdot: Array, u: Array) -> tuple[Array, Array]:
    """M = B^T Mbar B and h = B^T hbar - B^T Mbar Bdot u for ubar = B u. Source: KINDR16, "Transformation of ..."."""
    return B.T @ Mbar @ B, B.T @ hbar - B.T @ Mbar @ (Bdot @ u)


def _on_path(model: Model) -> BoolArray:
    """(n, nj) whether joint j + 1 lies between the base and body k."""
    on_path = np.zeros((model.body_count, model.body_count), dtype=bool)
    for k in range(model.body_count):
        on_path[k, k] = True
        if model.parent[k] >= 0:
            on_path[k] |= on_path[model.parent[k]]
    return on_path[:, 1:]
