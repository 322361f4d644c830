# SPDX-License-Identifier: GPL-3.0-or-later
"""The linearised system of implicit integrators, in one go."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import body_forces
from ..dynamics.jacobians import jacobian
from ..dynamics.kinematics import Kinematics
from ..dynamics.linear_system import LinearSystem
from ..dynamics.loads import Loads
from ..model import Model
from .dynamics import Forces
from .mass_matrix import MassColumns
from .plan import Plan, plan_of
from .world import world_of


def linear_system(
    model: Model, kin: Kinematics, load: Loads, t: float, *, which: str = body_forces.IMPLICIT
) -> LinearSystem:
    """The tree linearised at time t [s]. which: K and D of forces, see `body_forces.couplings`."""
    plan = plan_of(model)
    forces = Forces.of(model, kin, load)
    M = _assembled(plan, MassColumns(plan, forces.world, plan.carried_mass, forces.inertia))
    D = np.diag(load.D_r)
    if plan.carried_damping is not None:
        # Damping is -d times the twist at the principal frame: the matrix of bodies with mass d and inertia d 1.
        ball = np.eye(3)[:, :, None] * model.body_damping
        D -= _assembled(plan, MassColumns(plan, forces.world, plan.carried_damping, ball))
    K = np.diag(load.K_r)
    if model.forces:
        J, _ = jacobian(model, kin)
        K_forces, D_forces = body_forces.projected(body_forces.couplings(model, kin.E_wi, kin.phi, t, which=which), J)
        K, D = K + K_forces, D + D_forces
    return LinearSystem(M, load.f_r - forces.needed(np.zeros(model.dof_count)), K, D)


def mass_matrix(model: Model, kin: Kinematics) -> Array:
    """Reduced mass matrix J^T M J, (nr, nr) [kg, kg m, kg m^2 by joint], by composite bodies."""
    plan, world = plan_of(model), world_of(model, kin)
    return _assembled(plan, MassColumns(plan, world, plan.carried_mass, world.inertia(plan)))


def _assembled(plan: Plan, columns: MassColumns) -> Array:
    """(nr, nr) from its blocks."""
    matrices = columns.blocks(plan.every)
    if plan.every.whole:
        return np.asarray(matrices[0][0])
    nr = len(plan.is_free)
    M = np.zeros((nr, nr))
    for batch, parts in zip(plan.every.batches, matrices, strict=True):
        for indices, filled, part in zip(batch.columns, batch.filled, parts, strict=True):
            used = indices[filled]
            M[np.ix_(used, used)] = part[: len(used), : len(used)]
    return M
