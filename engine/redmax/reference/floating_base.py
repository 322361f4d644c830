# SPDX-License-Identifier: GPL-3.0-or-later
"""Kindr's floating-base form: free bases B, from which joints of any kind lead on, with quaternion coordinates.

Every root body is a base. u = (v_B in I, omega_IB in B of each base, qdot of the joints beyond), shape (nu,), nu = 6
per base and a column per coordinate. I is the world, B the joint frame of a root; joints come in model order.
**Linear first**, as in chain_jacobians.py and unlike the rest of the engine. Equations: M udot = h, h = f - g.
A base that is not free moves as its joint lets it: u = B qdot, and the equations are transformed to qdot.

With one free base, q = (r_IB in I, quaternion of C_IB, coordinates of the joints), shape (7 + nj,).
Source: KINDR16, "Generalized Coordinates of a Floating-Base System", "Projected Newton-Euler Equations" and
"Transformation of Equations of Motion". The sheet has turning joints alone.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..dynamics.joint_coordinates import joint_coordinates
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations as given_accelerations
from ..dynamics.singular import solve
from ..errors import RedMaxError
from ..model import Model
from ..spatial import chain_jacobians, pose, quaternion, so3

BASE = chain_jacobians.BASE_COLUMNS


class FloatingBaseError(RedMaxError):
    """A mechanism that is not one free base with joints beyond it."""


def check_floating_base(model: Model) -> None:
    """Raises FloatingBaseError, naming the joint, unless there is one base and it is free."""
    if model.body_count == 0:
        raise FloatingBaseError("floating base: the model has no bodies; add a body with a free joint")
    for j, joint in enumerate(model.joints):
        if (model.parent[j] < 0) != (j == 0):
            what, hint = "is a second root", "give every other body a joint to the base"
        elif j == 0 and joint.ndof != BASE:
            what, hint = f"carries the base but has {joint.ndof} degrees of freedom", "make it a free joint"
        else:
            continue
        raise FloatingBaseError(f"floating base: joint '{joint.name}' {what}; {hint}")


def floating_coordinates(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """q (7 + nj,) and u (6 + nj,) of a mechanism with one free base. The quaternion has w >= 0."""
    check_floating_base(model)
    E_IB = kin.E_wj[0]
    q = np.concatenate([pose.position(E_IB), quaternion.from_matrix(pose.rotation(E_IB)), kin.q[BASE:]])
    return q, velocities(model, kin)


def velocities(model: Model, kin: Kinematics) -> Array:
    """u (nu,) of any mechanism [m/s, rad/s]."""
    roots = _roots(model)
    v_I = np.einsum("nab,nb->na", pose.rotation(kin.E_wj[roots]), kin.V[roots, 3:])
    bases = np.concatenate([v_I, kin.V[roots, :3]], axis=1)
    return np.concatenate([bases.ravel(), kin.qdot[_beyond(model)]])


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
    """J and Jdot, each (n, 6, nu): (v; omega) of every centre of mass in I is J u. Source: KINDR16 eqs. 10-18.

    A column of a joint is its twist S along one coordinate, which turns with everything up to that joint; besides, the
    numbers in S change (Sdot), for which the sheet has no term: its axes are fixed in their bodies.
    """
    n, roots, beyond = model.body_count, _roots(model), _beyond(model)
    owner = _owners(model)[beyond]
    base_of, on_path = _base_of(model, roots), _on_path(model)[:, owner]
    J, grown = np.zeros((2, n, 6, BASE * len(roots) + len(beyond)))
    for k in range(n):
        base = int(base_of[k])
        E_IB = kin.E_wj[roots[base]]
        C_IB = pose.rotation(E_IB)
        E_Bj = pose.inverse(E_IB) @ kin.E_wj[owner]  # of each column, as the blocks of eqs. 10 and 13 want it
        r_BQ = C_IB.T @ (pose.position(kin.E_wi[k]) - pose.position(E_IB))
        J_P, J_R = chain_jacobians.twist_columns(E_Bj, kin.S[:, beyond], r_BQ)
        whole = chain_jacobians.spatial_jacobian(
            chain_jacobians.point_jacobian(C_IB, r_BQ, J_P * on_path[k]),
            chain_jacobians.rotation_jacobian(C_IB, J_R * on_path[k]),
        )
        own, joints = slice(BASE * base, BASE * (base + 1)), slice(BASE * len(roots), None)
        J[k, :, own], J[k, :, joints] = whole[:, :BASE], whole[:, BASE:]
        dP, dR = chain_jacobians.twist_columns(E_Bj, kin.Sdot[:, beyond], r_BQ)
        grown[k, :, joints] = np.concatenate([C_IB @ dP, C_IB @ dR]) * on_path[k]
    carried, u = _carried(len(roots), owner), velocities(model, kin)
    Jdot = np.stack([chain_jacobians.jacobian_dot(J[k], carried, u) for k in range(n)]) + grown if n else J
    return J, Jdot


def equations_of_motion(model: Model, kin: Kinematics, load: Loads) -> tuple[Array, Array]:
    """M (nu, nu) and h = f - g (nu,) of M udot = h: projected Newton-Euler equations, as if every base were free.

    M = sum J_P^T m J_P + J_R^T Theta J_R;   g = sum J_P^T m Jdot_P u + J_R^T (Theta Jdot_R u + omega x Theta omega),
    with Theta about the centre of mass in the axes of I. f holds the wrenches on bodies and the torques on coordinates.
    """
    u, (J, Jdot) = velocities(model, kin), mass_center_jacobians(model, kin)
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
    """(nu,) forces on u that do what the torques load.f_r do on the engine's coordinates: f_r = B^T of them."""
    B, _ = change_of_coordinates(model, kin)
    return np.asarray(np.linalg.pinv(B.T) @ load.f_r)


def accelerations(model: Model, kin: Kinematics, load: Loads) -> Array:
    """udot (6 + nj,) = M^-1 h of a simulated mechanism with one free base: (dv_B/dt in I, domega_IB/dt in B, qddot)."""
    check_floating_base(model)
    if model.prescribed.any():
        joint = next(j for k, j in enumerate(model.joints) if model.prescribed[model.columns(k)].any())
        text = f"floating base: joint '{joint.name}' is animated or locked; make it simulated, or use forward_dynamics"
        raise FloatingBaseError(text)
    return np.linalg.solve(*equations_of_motion(model, kin, load))


def forward_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None) -> Array:
    """qddot, (nr,) [rad/s^2 or m/s^2], of any tree. Arguments as in `projected.forward_dynamics`.

    The equations of free bases, transformed to the engine's velocities; their free rows are solved.
    """
    qddot = given_accelerations(model, qddot_prescribed)
    free, given = ~model.prescribed, model.prescribed
    B, Bdot = change_of_coordinates(model, kin)
    M, h = transformed_equations(*equations_of_motion(model, kin, loads), B, Bdot, kin.qdot)
    qddot[free] = solve(M[np.ix_(free, free)], h[free] - M[np.ix_(free, given)] @ qddot[given], "a joint")
    return qddot


def change_of_coordinates(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """B and Bdot (nu, nr): u = B qdot, udot = B qddot + Bdot qdot, with the engine's qdot.

    The block of a base is (0 C_IB; 1 0) S: the twist of its joint with the halves exchanged and v turned into I. It is
    square for a free joint, else a base has more velocities than its joint has coordinates.
    """
    roots, beyond = _roots(model), _beyond(model)
    B, Bdot = np.zeros((2, BASE * len(roots) + len(beyond), model.dof_count))
    for base, root in enumerate(roots.tolist()):
        C_IB, omega = pose.rotation(kin.E_wj[root]), kin.V[root, :3]
        T, Tdot = np.zeros((6, 6)), np.zeros((6, 6))
        T[:3, 3:], T[3:, :3] = C_IB, np.eye(3)
        Tdot[:3, 3:] = C_IB @ so3.hat(omega)
        columns, rows = model.columns(root), slice(BASE * base, BASE * (base + 1))
        S, Sdot = kin.S[:, columns], kin.Sdot[:, columns]
        B[rows, columns] = T @ S
        Bdot[rows, columns] = T @ Sdot + Tdot @ S
    B[BASE * len(roots) + np.arange(len(beyond)), beyond] = 1.0
    return B, Bdot


def transformed_equations(Mbar: Array, hbar: Array, B: Array, Bdot: Array, u: Array) -> tuple[Array, Array]:
    """M = B^T Mbar B and h = B^T hbar - B^T Mbar Bdot u for ubar = B u. Source: KINDR16, "Transformation of ..."."""
    return B.T @ Mbar @ B, B.T @ hbar - B.T @ Mbar @ (Bdot @ u)


def _roots(model: Model) -> IntArray:
    """Bodies that hang from the world."""
    return np.flatnonzero(model.parent < 0)


def _owners(model: Model) -> IntArray:
    """(nr,) joint of each coordinate."""
    return np.repeat(np.arange(model.body_count), np.diff(model.dof))


def _beyond(model: Model) -> IntArray:
    """Coordinates of joints that are not those of a base."""
    return np.flatnonzero(model.parent[_owners(model)] >= 0)


def _on_path(model: Model) -> BoolArray:
    """(n, n) whether joint j leads to body k, [k, j]."""
    on_path = np.eye(model.body_count, dtype=bool)
    for k in range(model.body_count):
        if model.parent[k] >= 0:
            on_path[k] |= on_path[model.parent[k]]
    return on_path


def _base_of(model: Model, roots: IntArray) -> IntArray:
    """(n,) which base each body hangs from."""
    return np.argmax(_on_path(model)[:, roots], axis=1) if len(roots) else np.zeros(0, np.int64)


def _carried(bases: int, owner: IntArray) -> BoolArray:
    """(nu, nu) as `chain_jacobians.carries`: all columns of a joint turn with it, and with everything before it.

    owner: joint of each column beyond the bases, whose own columns come first. Those that are not on the way to a body
    are zero in its Jacobian, so that the order of numbers is enough.
    """
    of_bases = np.tile([-2, -2, -2, -1, -1, -1], bases)  # linear columns lie along the axes of I, which nothing turns
    order = np.concatenate([of_bases, owner])
    carried: BoolArray = order[:, None] >= order[None, :]
    return carried
