# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics in extended precision (80-bit where the machine has it), for the digits of long chains."""

from __future__ import annotations

import numpy as np

from redmax.arrays import Array
from redmax.dynamics import joint_frame
from redmax.dynamics.kinematics import Kinematics
from redmax.dynamics.loads import Loads
from redmax.model import Model
from redmax.spatial import adjoint


def forward_dynamics(model: Model, kin: Kinematics, loads: Loads) -> Array:
    """qddot, (nr,), from J^T M J at the joint frames and a Cholesky solve, all in np.longdouble.

    Inputs are the double-precision adjoints, S, Sdot, inertias and loads that the recursions start from.
    """
    n, nr = model.body_count, model.dof_count
    Ad_jp, M, F_ext, S, Sdot, qdot = (
        np.asarray(a, np.longdouble)
        for a in (
            adjoint.Ad_inverse(kin.E_pj),
            joint_frame.inertias(model),
            joint_frame.wrenches(model, loads.f_m),
            kin.S,
            kin.Sdot,
            kin.qdot,
        )
    )
    J, V, drift = (np.zeros((n, *shape), np.longdouble) for shape in ((6, nr), (6,), (6,)))
    mass, f = np.zeros((nr, nr), np.longdouble), np.asarray(loads.f_r, np.longdouble)
    for j in range(n):
        columns, p = model.columns(j), int(model.parent[j])
        own = S[:, columns] @ qdot[columns]
        if p >= 0:
            J[j], V[j], drift[j] = Ad_jp[j] @ J[p], Ad_jp[j] @ V[p], Ad_jp[j] @ drift[p]
        V[j] += own
        J[j, :, columns] = S[:, columns]
        drift[j] += _bracket(V[j]) @ own + Sdot[:, columns] @ qdot[columns]
        mass += J[j].T @ M[j] @ J[j]
        f = f + J[j].T @ (F_ext[j] + _bracket(V[j]).T @ M[j] @ V[j] - M[j] @ drift[j])
    return _solve(mass, f)


def _bracket(V: Array) -> Array:
    """ad(V) by its columns, (6, 6)."""
    cross = [[0, -V[2], V[1]], [V[2], 0, -V[0]], [-V[1], V[0], 0]]
    linear = [[0, -V[5], V[4]], [V[5], 0, -V[3]], [-V[4], V[3], 0]]
    zero = np.zeros((3, 3), np.longdouble)
    return np.block([[np.array(cross), zero], [np.array(linear), np.array(cross)]])


def _solve(A: Array, b: Array) -> Array:
    """A^-1 b by elimination, A symmetric and positive definite."""
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n):
        factor = A[k + 1 :, k] / A[k, k]
        A[k + 1 :, k:] -= factor[:, None] * A[k, k:]
        b[k + 1 :] -= factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - A[k, k + 1 :] @ b[k + 1 :]) / A[k, k]
    return b
