# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies as the recursions see them: inertias and wrenches at the joint frame j instead of the principal frame i."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..spatial import adjoint


def inertias(model: Model) -> Array:
    """M_j = Ad_ij^T M_i Ad_ij, shape (n, 6, 6) [kg m^2, kg m, kg]: spatial inertia of each body at its joint frame.

    Source: RM19 section 6, list of symbols (the frames of Ad are garbled there, erratum); RBDN eq. 1.26.
    """
    Ad_ij = adjoint.Ad_inverse(model.E_ji)
    return np.asarray(np.swapaxes(Ad_ij, 1, 2) @ (model.inertia[:, :, None] * Ad_ij))


def wrenches(model: Model, f_m: Array) -> Array:
    """F_j = Ad_ij^T f_i, shape (n, 6) [N m, N]: wrenches f_m (n, 6) on the bodies, seen at the joint frames.

    Source: RM19 section 6, list of symbols, which says "viewed in i" for what is viewed in j (erratum).
    """
    return adjoint.transform_wrench(model.E_ji, f_m)
