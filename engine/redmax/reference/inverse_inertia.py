# SPDX-License-Identifier: GPL-3.0-or-later
"""M_r^-1 x in O(n): the recursion of forward dynamics with x in the place of the forces.

With terms of damping and stiffness it is (M_r + J^T P_m J + P_r)^-1 x, where P_r is diagonal in the coordinates and P_m
has one block per body: all of linearly implicit Euler but forces that couple two bodies, hence a preconditioner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..dynamics import joint_frame
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.recursive import symmetric
from ..dynamics.singular import solve
from ..model import Model
from ..spatial import adjoint


@dataclass(frozen=True, eq=False)
class ArticulatedInertia:
    """The part of the recursion that does not depend on x; see `articulated_inertia`.

    Ad_jp: (n, 6, 6). Per joint, for its n_k moving coordinates (`moving[k]`, indices into q): S (6, n_k),
    U = Mhat S (6, n_k) and Psi (n_k, n_k).
    """

    model: Model
    Ad_jp: Array
    moving: tuple[IntArray, ...]
    S: tuple[Array, ...]
    U: tuple[Array, ...]
    Psi: tuple[Array, ...]


def articulated_inertia(
    model: Model, kin: Kinematics, *, P_r: Array | None = None, P_m: Array | None = None, held: BoolArray | None = None
) -> ArticulatedInertia:
    """Preparation for `inverse_inertia_product`. Source: RBDN Alg. 10 lines 1-12.

    P_r: (nr,) added to the diagonal of M_r; P_m: (n, 6, 6) added to the bodies' inertias in their principal frames,
    both with the signs of `implicit_terms`. held: (nr,) True for coordinates that do not move: their rows and columns
    are left out of the matrix before it is inverted.
    """
    Mhat = joint_frame.inertias(model)
    if P_m is not None:
        Ad_ij = adjoint.Ad_inverse(model.E_ji)
        Mhat = Mhat + np.swapaxes(Ad_ij, 1, 2) @ P_m @ Ad_ij
    Ad_jp = adjoint.Ad_inverse(kin.E_pj)
    n = model.body_count
    diagonal = np.zeros(model.dof_count) if P_r is None else P_r
    moving: list[IntArray] = [np.zeros(0, np.int64)] * n
    S, U, Psi = [np.zeros((6, 0))] * n, [np.zeros((6, 0))] * n, [np.zeros((0, 0))] * n
    for j in reversed(range(n)):
        coordinates = np.arange(model.dof[j], model.dof[j + 1])
        moving[j] = coordinates if held is None else coordinates[~held[coordinates]]
        # Symmetrised, or long chains of spherical joints lose all digits; see recursive.py.
        Mhat_j, S[j] = symmetric(Mhat[j]), kin.S[:, moving[j]]
        U[j] = Mhat_j @ S[j]
        own = S[j].T @ U[j] + np.diag(diagonal[moving[j]])
        Psi[j] = solve(own, np.eye(len(own)), model.joint_names[j])
        p = int(model.parent[j])
        if p >= 0:
            Mhat[p] += Ad_jp[j].T @ (Mhat_j - U[j] @ Psi[j] @ U[j].T) @ Ad_jp[j]
    return ArticulatedInertia(model, Ad_jp, tuple(moving), tuple(S), tuple(U), tuple(Psi))


def inverse_inertia_product(inertia: ArticulatedInertia, x: Array) -> Array:
    """y = M_r^-1 x, (nr,), or with the terms given to `articulated_inertia`; zero at held coordinates.

    x: (nr,), not read at held coordinates. Source: RBDN Alg. 10 lines 14-22.
    """
    model, Ad_jp = inertia.model, inertia.Ad_jp
    n = model.body_count
    Bhat = np.zeros((n, 6))
    for j in reversed(range(n)):
        own, S, U, Psi = inertia.moving[j], inertia.S[j], inertia.U[j], inertia.Psi[j]
        beta = Bhat[j] + U @ Psi @ (x[own] - S.T @ Bhat[j])
        p = int(model.parent[j])
        if p >= 0:
            Bhat[p] += Ad_jp[j].T @ beta
    y, Vdot = np.zeros(model.dof_count), np.zeros((n, 6))
    for j in range(n):
        own, S, U, Psi = inertia.moving[j], inertia.S[j], inertia.U[j], inertia.Psi[j]
        p = int(model.parent[j])
        if p >= 0:
            Vdot[j] = Ad_jp[j] @ Vdot[p]
        y[own] = Psi @ (x[own] - U.T @ Vdot[j] - S.T @ Bhat[j])
        Vdot[j] += S @ y[own]
    return y


def implicit_terms(load: Loads, h: float) -> tuple[Array, Array]:
    """P_r (nr,) and P_m (n, 6, 6) of linearly implicit Euler: -h D - h^2 K, symmetric part, h [s].

    RBDN Alg. 10 writes +h D with the opposite sign of D (a known erratum of eq. 1.30).
    """
    P_m = -h * 0.5 * (load.D_m + np.swapaxes(load.D_m, 1, 2))
    return -h * load.D_r - h**2 * load.K_r, P_m
