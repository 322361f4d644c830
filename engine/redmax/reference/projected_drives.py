# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with drives, projected onto the coordinates that are left; the oracle of `dynamics.driven`."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics.driven import solve, unforced
from ..dynamics.freedoms import freedoms
from ..dynamics.jacobians import jacobian
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..model import Model
from .projected import generalized_force, mass_matrix


def forward_dynamics(model: Model, kin: Kinematics, load: Loads, qddot_prescribed: Array) -> Array:
    """qddot (nr,), written like the paper: J_mR = J_mr J_rR. Source: RBDN eqs. 2.77-2.79."""
    free = freedoms(model, kin.q)
    J_rR = free.directions.T
    J_mR = jacobian(model, kin)[0] @ J_rR
    M_m = model.inertia.reshape(-1, 1)
    given = unforced(model, kin.q, kin.qdot, qddot_prescribed)
    M_r = mass_matrix(model, kin)
    M_R = J_mR.T @ (M_m * J_mR)
    f_R = J_rR.T @ (generalized_force(model, kin, load) - M_r @ given)
    return np.asarray(given + J_rR @ solve(model, free, M_R, f_R))
