# SPDX-License-Identifier: GPL-3.0-or-later
"""The linearised system of implicit integrators, in one go."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..model import Model
from .blocks import Block
from .dynamics import Forces
from .mass_matrix import MassColumns
from .plan import plan_of
from .pushing import loads
from .world import kinematics


def linear_system(model: Model, q: Array, qdot: Array, chart: IntArray, t: float) -> tuple[Array, Array, Array, Array]:
    """M (nr, nr), f (nr,), K (nr,) and D (nr, nr) of `integrators.equations.LinearSystem`."""
    plan = plan_of(model)
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, t)
    forces = Forces(model, kin, load)
    nr = model.dof_count
    columns = MassColumns(plan, forces.world, plan.mass, plan.carried_mass, forces.inertia, plan.inner_of_every)
    M = _assembled(columns, plan.every, nr)
    D = np.diag(load.D_r)
    if plan.damped:
        # Damping is -d times the twist at the principal frame: the matrix of bodies with mass d and inertia d 1.
        d = model.body_damping
        ball = np.eye(3)[:, :, None] * d
        D -= _assembled(
            MassColumns(plan, forces.world, d, plan.carried_damping, ball, plan.inner_of_every), plan.every, nr
        )
    return M, load.f_r - forces.needed(np.zeros(nr)), load.K_r, D


def _assembled(columns: MassColumns, blocks: list[Block], nr: int) -> Array:
    """(nr, nr) from its blocks."""
    M = np.zeros((nr, nr))
    for block in blocks:
        for indices, filled, part in zip(block.columns, block.filled, columns.block(block), strict=True):
            used = indices[filled]
            M[np.ix_(used, used)] = part[: len(used), : len(used)]
    return M
