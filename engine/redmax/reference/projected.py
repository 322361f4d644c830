# SPDX-License-Identifier: GPL-3.0-or-later
"""Projected RedMax: the maximal Newton-Euler equations multiplied by the Jacobian J that maps qdot to body twists.

The paper line by line, written to be read; it is the oracle for every faster formulation.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics.jacobians import jacobian, jacobian_products, jacobian_transpose_product
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations
from ..dynamics.singular import solve
from ..model import Model
from ..spatial import adjoint


def coriolis_wrenches(model: Model, kin: Kinematics) -> Array:
    """ad(phi)^T M phi, (n, 6) [N m, N], in the principal frames. Source: RM19 eq. 9."""
    momentum = model.inertia * kin.phi
    return np.asarray((adjoint.ad_dual(kin.phi) @ momentum[:, :, None])[:, :, 0])


def mass_matrix(model: Model, kin: Kinematics) -> Array:
    """Reduced mass matrix J^T M J, (nr, nr) [kg, kg m, kg m^2 by joint].

    Symmetric, positive definite unless a massless branch can move or S has lost rank. Source: RM19 eq. 12.
    """
    J, _ = jacobian(model, kin)
    return np.asarray(J.T @ (model.inertia.reshape(-1, 1) * J))


def generalized_force(model: Model, kin: Kinematics, loads: Loads) -> Array:
    """Right-hand side J^T (f_m + Coriolis - M Jdot qdot) + f_r, (nr,) [N m or N]: M_r qddot without constraints.

    Source: RM19 eq. 12, with the joint forces f_r that need no projection.
    """
    _, Jdot_qdot = jacobian_products(model, kin, kin.qdot)
    f = loads.f_m + coriolis_wrenches(model, kin) - model.inertia * Jdot_qdot
    return jacobian_transpose_product(model, kin, f) + loads.f_r


def forward_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None) -> Array:
    """qddot, (nr,) [rad/s^2 or m/s^2].

    qddot_prescribed: (nr,), read at the prescribed coordinates only (`animation.prescribed_motion` gives it); may be
    left out when nothing is prescribed. The free rows of M_r qddot = f are solved for the free coordinates.
    Source: RM19 eq. 12, RBDN eq. 2.18.
    """
    qddot = accelerations(model, qddot_prescribed)
    free, given = ~model.prescribed, model.prescribed
    M, f = mass_matrix(model, kin), generalized_force(model, kin, loads)
    qddot[free] = solve(M[np.ix_(free, free)], f[free] - M[np.ix_(free, given)] @ qddot[given], "a joint")
    return qddot
