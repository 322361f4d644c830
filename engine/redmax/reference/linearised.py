# SPDX-License-Identifier: GPL-3.0-or-later
"""The linearised system of implicit integrators, projected with the Jacobian."""

from __future__ import annotations

import numpy as np

from ..dynamics import body_forces
from ..dynamics.jacobians import jacobian
from ..dynamics.kinematics import Kinematics
from ..dynamics.linear_system import LinearSystem
from ..dynamics.loads import Loads
from ..model import Model
from .projected import generalized_force


def linear_system(
    model: Model, kin: Kinematics, load: Loads, t: float, *, which: str = body_forces.IMPLICIT
) -> LinearSystem:
    """The tree linearised at time t [s]. which: K and D of forces, see `body_forces.couplings`.

    Source: RM19 eq. 12; RBDN eqs. 2.71-2.75.
    """
    J, _ = jacobian(model, kin)
    blocks = J.reshape(model.body_count, 6, model.dof_count)
    D = J.T @ (load.D_m @ blocks).reshape(J.shape) + np.diag(load.D_r)
    M = J.T @ (model.inertia.reshape(-1, 1) * J)
    K = np.diag(load.K_r)
    if model.forces:
        K_forces, D_forces = body_forces.projected(body_forces.couplings(model, kin.E_wi, kin.phi, t, which=which), J)
        K, D = K + K_forces, D + D_forces
    return LinearSystem(M, generalized_force(model, kin, load), K, D)
