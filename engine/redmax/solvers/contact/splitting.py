# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternating directions (ADMM), the method for what the augmented Lagrangian does not solve.

Slacks z = G v - b + s in the dual cone are a variable of their own. In turn v minimises with z and x as they are, which
is one solve with a matrix that stays (all rows act with softness R); x and z follow from a projection. R follows the
ratio of the two errors, what z and speeds differ by and what z changes by.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import project_rows, set_softness, speeds_of_velocities, velocities_of_impulses
from .block_cholesky import add_row, begin_matrix, factorise, solve_factored
from .layout import integers, numbers_of
from .products import add_row_forces, mass_product, row_speeds
from .residual import residual, shift_of
from .vectors import fill_rows, keep_rows

FIRST_SOFTNESS = 0.2
CHANGE, UNBALANCED = 2.2, 10.0
"""Softness is changed by the first factor where errors differ by more than the second."""

LOOK = 5
"""The residual is computed in every so many iterations."""


def splitting_matrix(ints: IntArray, numbers: Array, island: int, size: int) -> bool:
    """Factors of M + G^T R^-1 G; False if that fails."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, soft = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.SOFTNESS)
    begin_matrix(ints, numbers, island, size)
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        row = block[at.BLOCK_FIELDS * i + at.ROW]
        for j in range(block[at.BLOCK_FIELDS * i + at.COUNT]):
            if soft[row + j] > 0.0:
                add_row(ints, numbers, island, i, j, 1.0 / soft[row + j])
    return factorise(ints, numbers, island)


def alternating_directions(ints: IntArray, numbers: Array, island: int, size: int, value: float) -> float:
    """Improve IMPULSE, V and SIGMA of an island from those given, whose residual is `value`; returns the residual.

    Work space: PROJECTED new impulses, ROW_STEP what the slack z lacks to the shifted speeds, over R: (z - sigma - s)
    / R.
    """
    options, report = numbers_of(ints, numbers, at.OPTIONS), numbers_of(ints, numbers, at.REPORT)
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, unit = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.UNIT)
    start, trees, limits = (
        integers(ints, at.TREE_START),
        integers(ints, at.ISLAND_TREES),
        integers(ints, at.ISLAND_TREE_START),
    )
    x, projected, soft = (
        numbers_of(ints, numbers, at.IMPULSE),
        numbers_of(ints, numbers, at.PROJECTED),
        numbers_of(ints, numbers, at.SOFTNESS),
    )
    sigma, shift, z = (
        numbers_of(ints, numbers, at.SIGMA),
        numbers_of(ints, numbers, at.SHIFT),
        numbers_of(ints, numbers, at.REACHED),
    )
    row_step, best_x = numbers_of(ints, numbers, at.ROW_STEP), numbers_of(ints, numbers, at.BEST)
    v, free, b = numbers_of(ints, numbers, at.V), numbers_of(ints, numbers, at.V_FREE), numbers_of(ints, numbers, at.B)
    step = numbers_of(ints, numbers, at.STEP)
    tolerance = options[at.GOAL]
    softness, best = FIRST_SOFTNESS, value
    keep_rows(ints, island, x, best_x)
    set_softness(ints, numbers, island, softness)
    if not splitting_matrix(ints, numbers, island, size):
        return best
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        shift[blocks[k]] = shift_of(ints, numbers, blocks[k], sigma)
    fill_rows(ints, island, 0.0, row_step)
    project_rows(ints, numbers, island, 0.0, projected)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        row = block[i + at.ROW]
        for j in range(row, row + block[i + at.COUNT]):
            z[j] = sigma[j] + soft[j] * (projected[j] - x[j])
        if block[i + at.KIND] == at.CONTACT:
            z[row] += shift[blocks[k]]
    for n in range(int(options[at.MOST_ADMM])):
        report[at.ADMM] += 1
        # v: (M + G^T R^-1 G) v = M v_free + G^T (x + (z + b - s) / R)
        for k in range(bounds[island], bounds[island + 1]):
            i = at.BLOCK_FIELDS * blocks[k]
            row = block[i + at.ROW]
            for j in range(row, row + block[i + at.COUNT]):
                pull = z[j] + b[j]
                if j == row and block[i + at.KIND] == at.CONTACT:
                    pull -= shift[blocks[k]]
                row_step[j] = x[j] + pull / soft[j] if soft[j] > 0.0 else 0.0
        mass_product(ints, numbers, island, free, v)
        add_row_forces(ints, numbers, island, at.JACOBIAN, row_step, v)
        solve_factored(ints, numbers, island, v)
        speeds_of_velocities(ints, numbers, island)
        project_rows(ints, numbers, island, 0.0, projected)
        primal, dual = 0.0, 0.0
        for k in range(bounds[island], bounds[island + 1]):
            i = at.BLOCK_FIELDS * blocks[k]
            row = block[i + at.ROW]
            for j in range(row, row + block[i + at.COUNT]):
                slack = sigma[j] + soft[j] * (projected[j] - x[j])
                if j == row and block[i + at.KIND] == at.CONTACT:
                    slack += shift[blocks[k]]
                primal = max(primal, unit[j] * soft[j] * abs(projected[j] - x[j]))
                dual = max(dual, unit[j] * abs(slack - z[j]))
                z[j] = slack
                x[j] = projected[j]
            # the slack stays where it is while the shift moves with the speeds
            shift[blocks[k]] = shift_of(ints, numbers, blocks[k], sigma)
        if n % LOOK == LOOK - 1 or max(primal, dual) <= tolerance:
            for k in range(limits[island], limits[island + 1]):
                for c in range(start[trees[k]], start[trees[k] + 1]):
                    step[c] = free[c]
            add_row_forces(ints, numbers, island, at.INVERSE, x, step)
            row_speeds(ints, numbers, island, step, row_step)
            for k in range(bounds[island], bounds[island + 1]):
                i = at.BLOCK_FIELDS * blocks[k]
                for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
                    row_step[j] -= b[j]
            value, _worst = residual(ints, numbers, island, x, row_step)
            if value < best:
                best = value
                keep_rows(ints, island, x, best_x)
            if best <= tolerance or not value < math.inf:
                break
        wanted = softness
        if primal > UNBALANCED * dual:
            wanted = softness / CHANGE
        elif dual > UNBALANCED * primal:
            wanted = softness * CHANGE
        wanted = min(max(wanted, 1e-7), 1e4)
        if wanted != softness:
            softness = wanted
            set_softness(ints, numbers, island, softness)
            if not splitting_matrix(ints, numbers, island, size):
                break
    keep_rows(ints, island, best_x, x)
    velocities_of_impulses(ints, numbers, island, x)
    return best
