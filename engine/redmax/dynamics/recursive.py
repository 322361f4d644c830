# SPDX-License-Identifier: GPL-3.0-or-later
"""Recursive hybrid dynamics in O(n): articulated bodies, with joints whose acceleration is given instead of computed.

Everything is seen at the joint frames: V twist, F wrench that the joint passes from parent to body, M inertia.
tau always means S^T F, the whole generalized force at a joint: torques, springs and dampers (`Loads.f_r`) together
with what a prescribed joint needs on top to follow its motion.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..spatial import adjoint
from . import joint_frame
from .hybrid_dynamics import HybridDynamics
from .kinematics import Kinematics
from .loads import Loads
from .prescribed import accelerations
from .singular import solve


def forward_dynamics(
    model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None
) -> HybridDynamics:
    """Accelerations, joint forces and joint wrenches. Source: RM19 Alg. 6, RBDN Alg. 9.

    qddot_prescribed: (nr,), read at the prescribed coordinates only; may be left out when nothing is prescribed.
    loads.f_m carries gravity rotated into the body frame; the symbol list of RM19 forgets the rotation (erratum).
    """
    n = model.body_count
    qddot, tau = accelerations(model, qddot_prescribed), loads.f_r.copy()
    eta = velocity_products(model, kin)
    Ad_jp = adjoint.Ad_inverse(kin.E_pj)
    Mhat = joint_frame.inertias(model)
    Bhat = bias_wrenches(model, kin, loads, Mhat)
    Psi: list[Array] = [np.zeros((0, 0))] * n
    is_prescribed = [bool(model.prescribed[model.columns(j)].any()) for j in range(n)]

    for j in reversed(range(n)):  # lines 6-17; children have already added themselves to Mhat and Bhat
        columns = model.columns(j)
        S = kin.S[:, columns]
        Mhat[j] = symmetric(Mhat[j])
        if is_prescribed[j]:
            Pi = Mhat[j]
            beta = Bhat[j] + Mhat[j] @ (eta[j] + S @ qddot[columns])
        else:
            U = Mhat[j] @ S
            Psi[j] = solve(S.T @ U, np.eye(S.shape[1]), model.joint_names[j])
            # Left unsymmetrised, round-off grows from link to link and all digits are lost on long spherical chains.
            Pi = symmetric(Mhat[j] - U @ Psi[j] @ U.T)
            beta = Bhat[j] + Mhat[j] @ eta[j] + U @ Psi[j] @ (tau[columns] - S.T @ (Mhat[j] @ eta[j] + Bhat[j]))
        p = int(model.parent[j])
        if p >= 0:
            Mhat[p] += Ad_jp[j].T @ Pi @ Ad_jp[j]
            Bhat[p] += Ad_jp[j].T @ beta

    Vdot, F = np.empty((n, 6)), np.empty((n, 6))
    for j in range(n):  # lines 18-28
        columns = model.columns(j)
        S = kin.S[:, columns]
        p = int(model.parent[j])
        Vdot[j] = eta[j] if p < 0 else Ad_jp[j] @ Vdot[p] + eta[j]
        if not is_prescribed[j]:
            qddot[columns] = Psi[j] @ (tau[columns] - S.T @ (Mhat[j] @ Vdot[j] + Bhat[j]))
        Vdot[j] += S @ qddot[columns]
        F[j] = Mhat[j] @ Vdot[j] + Bhat[j]
        if is_prescribed[j]:
            tau[columns] = S.T @ F[j]
    return HybridDynamics(qddot, tau, Vdot, F)


def inverse_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot: Array) -> HybridDynamics:
    """Joint forces tau and joint wrenches F that give the accelerations qddot (nr,) under the body loads `loads.f_m`.

    tau is the whole generalized force; tau - loads.f_r is what a motor must add to springs, dampers and torques.
    Source: RM19 Alg. 6 with every joint prescribed (Mhat = sum of M, so the wrenches are summed directly), which is
    SG13 eqs. 4 and 13-15.
    """
    n = model.body_count
    eta = velocity_products(model, kin)
    Ad_jp = adjoint.Ad_inverse(kin.E_pj)
    M = joint_frame.inertias(model)
    F = bias_wrenches(model, kin, loads, M)
    Vdot, tau = np.empty((n, 6)), np.empty(model.dof_count)
    for j in range(n):
        columns = model.columns(j)
        p = int(model.parent[j])
        Vdot[j] = kin.S[:, columns] @ qddot[columns] + eta[j]
        if p >= 0:
            Vdot[j] += Ad_jp[j] @ Vdot[p]
        F[j] += M[j] @ Vdot[j]
    for j in reversed(range(n)):
        columns = model.columns(j)
        tau[columns] = kin.S[:, columns].T @ F[j]
        p = int(model.parent[j])
        if p >= 0:
            F[p] += Ad_jp[j].T @ F[j]
    return HybridDynamics(np.array(qddot, np.float64), tau, Vdot, F)


def velocity_products(model: Model, kin: Kinematics) -> Array:
    """eta = ad(V) S qdot + Sdot qdot, (n, 6) [rad/s^2, m/s^2]: Vdot = Ad_jp Vdot_p + S qddot + eta.

    Source: RM19 Alg. 6 line 4, SG13 eqs. 11-12.
    """
    eta = np.empty((model.body_count, 6))
    for j in range(model.body_count):
        columns = model.columns(j)
        qdot = kin.qdot[columns]
        eta[j] = adjoint.ad(kin.V[j]) @ kin.S[:, columns] @ qdot + kin.Sdot[:, columns] @ qdot
    return eta


def bias_wrenches(model: Model, kin: Kinematics, loads: Loads, M: Array) -> Array:
    """-ad(V)^T M V - F_ext, (n, 6) [N m, N], with M (n, 6, 6) the bodies' inertias at the joint frames.

    Source: RM19 Alg. 6 line 8 without the children.
    """
    momentum = M @ kin.V[:, :, None]
    gyroscopic = -(adjoint.ad_dual(kin.V) @ momentum)[:, :, 0]
    return np.asarray(gyroscopic - joint_frame.wrenches(model, loads.f_m))


def symmetric(A: Array) -> Array:
    """(A + A^T) / 2."""
    return np.asarray(0.5 * (A + A.T))
