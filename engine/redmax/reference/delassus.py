# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained motion in O(n) per row: the Delassus operator G M^-1 G^T by products with M^-1, never M itself.

For long chains with few rows; written to be read beside `constrained`, which factors M, and beside the kernels.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray
from ..dynamics.constrained import ConstrainedMotion
from ..dynamics.constraint_rows import ConstraintRows
from ..dynamics.hybrid_dynamics import HybridDynamics
from ..dynamics.jacobians import jacobian_transpose_product
from ..dynamics.kinematics import Kinematics
from ..model import Model
from ..spatial import adjoint, pose
from .inverse_inertia import articulated_inertia, inverse_inertia_product

REDUNDANT_DIRECTION = 1e-12
"""A direction of the scaled operator weaker than this counts as redundant: the square of a weakness of 1e-6, which is
the least that survives its rounding."""

IDLE_ROW = 1e-20
"""A row whose entry is smaller than this beside the largest moves nothing."""


def reach(model: Model, kin: Kinematics, rows: ConstraintRows, active: BoolArray) -> tuple[Array, Array]:
    """G^T and M^-1 G^T (nr, m) of the active rows, column by column by recursions.

    A row of G_m is a set of wrenches on bodies, which J^T takes to the coordinates; the text of the source has J
    there (erratum). Animated and locked coordinates do not move. Source: RBDN section 2.12.
    """
    inertia = articulated_inertia(model, kin, held=model.prescribed)
    chosen = np.flatnonzero(active)
    G_t, moved = np.zeros((model.dof_count, len(chosen))), np.zeros((model.dof_count, len(chosen)))
    for k, row in enumerate(chosen):
        if not rows.G[row].any():  # it moves nothing; here rounding would be left of it
            continue
        wrenches, force = np.zeros((model.body_count, 6)), np.zeros(model.dof_count)
        for first, body, B in rows.on_bodies:
            if first <= row < first + len(B):
                wrenches[body] += B[row - first]
        for first, joint, C in rows.on_joints:
            if first <= row < first + len(C):
                force[model.columns(joint)] += C[row - first]
        G_t[:, k] = jacobian_transpose_product(model, kin, wrenches) + force
        moved[:, k] = inverse_inertia_product(inertia, G_t[:, k])
    return G_t, moved


def accelerations(
    model: Model, kin: Kinematics, rows: ConstraintRows, active: BoolArray, free: HybridDynamics
) -> ConstrainedMotion:
    """Accelerations (nr,) that satisfy the active equations, and all multipliers (m,). free: the motion without rows.

    Source: RBDN eqs. 2.119-2.120.
    """
    G_t, moved = reach(model, kin, rows, active)
    chosen = np.flatnonzero(active)
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), free.Vdot)
    wanted = (rows.bias - rows.acceleration(model, free.qddot, phidot))[chosen]
    multipliers = np.zeros(len(active))
    multipliers[chosen] = pseudo_solved(G_t.T @ moved, wanted)
    return ConstrainedMotion(free.qddot + moved @ multipliers[chosen], multipliers)


def pseudo_solved(A: Array, b: Array) -> Array:
    """The shortest x (m,), rows weighed alike, with A x = b as far as A (m, m), symmetric, of any rank, can."""
    diagonal = np.diag(A)
    kept = diagonal > IDLE_ROW * diagonal.max(initial=0.0)
    scale = 1.0 / np.sqrt(np.where(kept, diagonal, np.inf))
    values, vectors = np.linalg.eigh(scale[:, None] * A * scale)
    strong = values > REDUNDANT_DIRECTION * values.max(initial=0.0)
    inverse = np.where(strong, 1.0 / np.where(strong, values, 1.0), 0.0)
    return np.asarray(scale * (vectors @ (inverse * (vectors.T @ (scale * b)))))
