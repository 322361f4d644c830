# SPDX-License-Identifier: GPL-3.0-or-later
"""Si and Guenter's six recursions: forward dynamics in O(n) from a square factorisation of the inverse mass matrix.

Names follow SG13; body frames are the joint frames, Ad is Ad of f^-1 from the parent lambda(k), star is transpose.
SG13 knows no prescribed joints. They fit without a new equation: their known acceleration S qddot joins a_k, and
no unknown is left, so S_k has no columns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..dynamics import joint_frame
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations
from ..dynamics.singular import solve
from ..model import Model
from ..spatial import adjoint

Solver = Callable[[Array, Array, str], Array]
"""Omega^-1 b of a symmetric positive definite matrix (d, d), d up to 6; the joint's name is for errors."""


def forward_dynamics(
    model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None, *, solve: Solver = solve
) -> Array:
    """qddot, (nr,) [rad/s^2 or m/s^2]. Arguments as in `projected.forward_dynamics`. Source: SG13 eq. 18-35.

    solve: what inverts the matrices Omega, which SG13's Method II leaves open.
    """
    n, tau = model.body_count, loads.f_r
    qddot = accelerations(model, qddot_prescribed)
    parent = [int(p) for p in model.parent]
    Ad = adjoint.Ad_inverse(kin.E_pj)
    Ad_star = np.swapaxes(Ad, 1, 2)
    J = joint_frame.inertias(model)
    f_e = joint_frame.wrenches(model, loads.f_m)
    unknown = [np.flatnonzero(~model.prescribed[model.columns(k)]) + int(model.dof[k]) for k in range(n)]
    S = [kin.S[:, columns] for columns in unknown]

    # Recursion 1, forward: velocities, and accelerations and forces that do not depend on qddot.
    v, a, b = np.zeros((n, 6)), np.empty((n, 6)), np.empty((n, 6))
    for k in range(n):
        columns = model.columns(k)
        S_qdot = kin.S[:, columns] @ kin.qdot[columns]
        if parent[k] >= 0:
            v[k] = Ad[k] @ v[parent[k]]  # (18)
        a[k] = -adjoint.ad(S_qdot) @ v[k] + kin.Sdot[:, columns] @ kin.qdot[columns]  # (19), v before (20) changes it
        a[k] += kin.S[:, columns] @ qddot[columns]  # of prescribed coordinates; the others are still zero
        v[k] += S_qdot  # (20)
        b[k] = -adjoint.ad_dual(v[k]) @ J[k] @ v[k] - f_e[k]  # (21); prints f_e,i for f_e,k (erratum)

    # Recursion 2, forward.
    alpha, alpha_bar = a, np.empty((n, 6))
    for k in range(n):
        if parent[k] >= 0:
            alpha[k] += Ad[k] @ alpha[parent[k]]  # (22)
        alpha_bar[k] = J[k] @ alpha[k] + b[k]  # (23)

    # Recursion 3, backward: what is left of the joint forces for accelerations.
    p, tau_bar = alpha_bar, [np.zeros(0)] * n
    for k in reversed(range(n)):
        tau_bar[k] = tau[unknown[k]] - S[k].T @ p[k]  # (25), (26)
        if parent[k] >= 0:
            p[parent[k]] += Ad_star[k] @ p[k]  # (24)

    # Recursion 4, backward: articulated inertias.
    J_bar = J.copy()
    Omega, Y, Pi = [np.zeros((0, 0))] * n, np.empty((n, 6, 6)), [np.zeros((6, 0))] * n
    for k in reversed(range(n)):
        J_bar[k] = 0.5 * (J_bar[k] + J_bar[k].T)  # keeps the digits on long chains, see recursive.py
        Omega[k] = S[k].T @ J_bar[k] @ S[k]  # (28)
        J_bar_S_Omega_inv = solve(Omega[k], S[k].T @ J_bar[k], model.joint_names[k]).T
        Y[k] = Ad_star[k] @ (np.eye(6) - J_bar_S_Omega_inv @ S[k].T)  # (29)
        Pi[k] = Ad_star[k] @ J_bar_S_Omega_inv  # (30); prints Ad for Ad* (erratum)
        if parent[k] >= 0:
            reduced = J_bar[k] - J_bar_S_Omega_inv @ S[k].T @ J_bar[k]
            J_bar[parent[k]] += Ad_star[k] @ (0.5 * (reduced + reduced.T)) @ Ad[k]  # (27)

    # Recursion 5, backward.
    z, c_bar = np.zeros((n, 6)), [np.zeros(0)] * n
    for k in reversed(range(n)):
        c = tau_bar[k] - S[k].T @ z[k]  # (32); (31) and (32) print v-bar for tau-bar (erratum)
        c_bar[k] = solve(Omega[k], c, model.joint_names[k])  # (33)
        if parent[k] >= 0:
            z[parent[k]] += Y[k] @ z[k] + Pi[k] @ tau_bar[k]  # (31)

    # Recursion 6, forward.
    eta = np.empty((n, 6))
    for k in range(n):
        eta_parent = eta[parent[k]] if parent[k] >= 0 else np.zeros(6)
        eta[k] = Y[k].T @ eta_parent + S[k] @ c_bar[k]  # (34)
        qddot[unknown[k]] = c_bar[k] - Pi[k].T @ eta_parent  # (35)
    return qddot
