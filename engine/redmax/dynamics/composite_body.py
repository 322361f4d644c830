# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-rigid-body mass matrix: the same J^T M J, built from what each joint carries, in O(n * depth)."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..spatial import adjoint
from . import joint_frame
from .kinematics import Kinematics


def composite_inertias(model: Model, kin: Kinematics) -> Array:
    """(n, 6, 6) [kg m^2, kg m, kg]: inertia of body j and everything it carries, welded, at its joint frame.

    Source: RBDN eq. 1.26 applied up the tree.
    """
    Mc = joint_frame.inertias(model)
    Ad_jp = adjoint.Ad_inverse(kin.E_pj)
    for j in reversed(range(model.body_count)):
        p = int(model.parent[j])
        if p >= 0:
            Mc[p] += Ad_jp[j].T @ Mc[j] @ Ad_jp[j]
    return Mc


def mass_matrix(model: Model, kin: Kinematics) -> Array:
    """Reduced mass matrix, (nr, nr) [kg, kg m, kg m^2 by joint].

    Accelerating joint j alone moves what it carries as one rigid body. The wrench F this takes is passed down to
    the root; each ancestor feels S^T F of it.
    """
    Mc = composite_inertias(model, kin)
    Ad_jp = adjoint.Ad_inverse(kin.E_pj)
    M = np.zeros((model.dof_count, model.dof_count))
    for j in range(model.body_count):
        columns = model.columns(j)
        F = Mc[j] @ kin.S[:, columns]
        M[columns, columns] = kin.S[:, columns].T @ F
        k = j
        while (p := int(model.parent[k])) >= 0:
            F = Ad_jp[k].T @ F
            ancestor = model.columns(p)
            M[ancestor, columns] = kin.S[:, ancestor].T @ F
            M[columns, ancestor] = M[ancestor, columns].T
            k = p
    return M
