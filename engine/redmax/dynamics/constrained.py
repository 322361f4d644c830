# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion under constraints: accelerations, and the least changes of coordinates and velocities that satisfy rows.

The mass matrix of the free coordinates is factored here, and the rank of the rows with it. `delassus` does the same in
O(n) per row without the matrix; both agree to round-off.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..errors import RunError
from ..model import Model
from ..solvers.row_solver import BoundedRows, RowSolver
from .constraint_rows import ConstraintRows
from .freedoms import Freedoms
from .loads import Loads


class ConstraintError(RunError):
    """Constraints that cannot be satisfied."""

    code = "cannot_close"


@dataclass(frozen=True, eq=False)
class ConstrainedMotion:
    """qddot (nr,) and the multipliers (m,) of all rows, which push with +G^T lambda; zero for rows that rest."""

    qddot: Array
    multipliers: Array


def solver_of(freedoms: Freedoms, M: Array, G: Array, rank: int | None = None) -> RowSolver:
    """Rows G (m, nr) on the free coordinates, with their part of the mass matrix M (nr, nr).

    rank: how many of them are independent at most, where that is known.
    """
    return RowSolver(freedoms.reduced(M), freedoms.columns(G), rank)


def accelerations(
    model: Model,
    rows: ConstraintRows,
    active: BoolArray,
    M: Array,
    qddot: Array,
    phidot: Array,
    qdot: Array,
    rank: int | None = None,
) -> ConstrainedMotion:
    """Accelerations that satisfy the active rows. Source: RBDN eqs. 2.94, 2.96, 2.99-2.101, 2.119-2.120.

    The last two are how they are solved, and the consistent pair of signs.

    qddot, phidot: (nr,) and (n, 6) of the mechanism without constraints, prescribed coordinates included.
    active: (m,), all equations and the one-sided rows that touch. qdot: (nr,).
    rank: of the equations, where it is known.
    """
    chosen = np.flatnonzero(active)
    wanted = (rows.bias - rows.acceleration(model, qddot, phidot))[chosen]
    treatment = model.treatment
    if not treatment.projects:
        slip = np.where(rows.moved, 0.0, rows.G @ qdot - rows.rate)
        wanted -= (2.0 * treatment.alpha * slip + treatment.beta**2 * rows.error)[chosen]
    multipliers, change = _least_change(rows, chosen, M, wanted, rank)
    return ConstrainedMotion(qddot + change, multipliers)


def velocity_change(rows: ConstraintRows, active: BoolArray, M: Array, wanted: Array) -> tuple[Array, Array]:
    """dqdot (nr,) of least kinetic energy with G dqdot = wanted (m,) in the active rows, and the impulses (m,).

    One-sided rows change by at least what is wanted; their impulses push.
    """
    chosen = np.flatnonzero(active)
    impulses, change = _least_change(rows, chosen, M, wanted[chosen])
    return change, impulses


def impact_change(
    rows: ConstraintRows, near: BoolArray, M: Array, speeds: Array, *, slow: Array, tiny: Array
) -> tuple[Array, Array]:
    """dqdot (nr,) of the impacts that are due on one-sided rows, one after another, and the impulses (m,).
    RBDN eqs. 2.121-2.123 with restitution.

    near: (m,) the one-sided rows that can be met. speeds: (m,) G qdot - rate; equations bring theirs to 0.
    slow, tiny: (m,) speeds that do not bounce, and speeds that do not count. See `solvers.impacts`.
    """
    chosen = np.flatnonzero(near | ~rows.one_sided)
    bounded = _bounded(rows, chosen, M)
    jump = bounded.impacts(speeds[chosen], near[chosen], rows.bounce[chosen], slow=slow[chosen], tiny=tiny[chosen])
    impulses = np.zeros(len(near))
    impulses[chosen] = jump.impulses
    return rows.freedoms.spread(bounded.solver.change(jump.impulses)), impulses


def _bounded(rows: ConstraintRows, chosen: IntArray, M: Array, rank: int | None = None) -> BoundedRows:
    """The chosen rows on the free coordinates. rank: of the equations at most, where it is known."""
    G = rows.freedoms.columns(rows.G[chosen])
    return BoundedRows(rows.freedoms.reduced(M), G, ~rows.one_sided[chosen], rank)


def _least_change(
    rows: ConstraintRows, chosen: IntArray, M: Array, wanted: Array, rank: int | None = None
) -> tuple[Array, Array]:
    """Multipliers (m,) of all rows, and the change (nr,) that they make: the chosen rows change by what is wanted."""
    bounded = _bounded(rows, chosen, M, rank)
    lo = np.where(rows.one_sided[chosen], 0.0, -np.inf)
    part = bounded.multipliers(wanted, lo, np.full(len(chosen), np.inf))
    multipliers = np.zeros(len(rows.rate))
    multipliers[chosen] = part
    return multipliers, rows.freedoms.spread(bounded.solver.change(part))


def position_change(rows: ConstraintRows, active: BoolArray, M: Array, wanted: Array, rank: int | None = None) -> Array:
    """dq (nr,), the least in the metric of M with G dq = wanted (m,) in the active rows, to first order."""
    chosen = np.flatnonzero(active & rows.holonomic)
    solver = solver_of(rows.freedoms, M, rows.G[chosen], _rank(rows, chosen, rank))
    return rows.freedoms.spread(solver.least_change(wanted[chosen]))


def _rank(rows: ConstraintRows, chosen: IntArray, rank: int | None) -> int | None:
    """The most that the chosen rows can have, if the equations among them have `rank`."""
    return None if rank is None else rank + int(rows.one_sided[chosen].sum())


def with_rows(model: Model, load: Loads, rows: ConstraintRows, multipliers: Array) -> Loads:
    """The loads together with what the rows push with: wrenches on bodies, and forces along coordinates."""
    f_m, f_r = load.f_m.copy(), load.f_r.copy()
    for row, body, B in rows.on_bodies:
        f_m[body] += B.T @ multipliers[row : row + len(B)]
    for row, joint, C in rows.on_joints:
        f_r[model.columns(joint)] += C.T @ multipliers[row : row + len(C)]
    return dataclasses.replace(load, f_m=f_m, f_r=f_r)
