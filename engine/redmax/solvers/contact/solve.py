# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution of a contact problem, island by island: augmented-Lagrangian Newton, then alternating directions."""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import augmented_newton, velocities_of_impulses
from .cones import project_block
from .islands import find_islands, order_elimination
from .layout import integers, numbers_of
from .products import delassus_diagonal, factor_masses
from .residual import residual
from .splitting import alternating_directions
from .sweeps import gauss_seidel

FIRST_SWEEPS, PATIENCE, PATIENCE_IF_LARGE, LARGE = 40, 0.5, 0.8, 60
"""Most sweeps before Newton's method, which go on while LOOK of them make the residual smaller by the factor; islands
of more than LARGE blocks have the second one, since sweeps grow with their number and factors faster."""

ENOUGH = 10.0
"""Where RELATIVE sets the goal, what is worse by no more than this factor after Newton's method is good enough: nothing
slower is tried."""


def solve(ints: IntArray, numbers: Array) -> int:
    """Impulses and velocities of the problem that stands in both arrays (`layout`); returns SOLVED, MISSES, MORE_SPACE
    or UNFIT. IMPULSE is where iterations begin: impulses of an earlier solution, or zeros."""
    if not prepare(ints, numbers):
        return at.UNFIT
    find_islands(ints)
    return solve_islands(ints, numbers)


def prepare(ints: IntArray, numbers: Array) -> bool:
    """Clear REPORT, factor mass matrices, write DELASSUS; False where the problem is unfit."""
    report = numbers_of(ints, numbers, at.REPORT)
    for k in range(at.REPORT_COUNT):
        report[k] = 0.0
    report[at.WORST_BLOCK] = -1.0
    free, v, x = (
        numbers_of(ints, numbers, at.V_FREE),
        numbers_of(ints, numbers, at.V),
        numbers_of(ints, numbers, at.IMPULSE),
    )
    b = numbers_of(ints, numbers, at.B)
    finite = True
    for c in range(ints[at.COORDINATES]):
        v[c] = free[c]
        finite = finite and math.isfinite(free[c])
    for j in range(ints[at.ROWS]):
        finite = finite and math.isfinite(b[j])
        if not math.isfinite(x[j]):
            x[j] = 0.0
    return finite and factor_masses(ints, numbers) and delassus_diagonal(ints, numbers)


def solve_islands(ints: IntArray, numbers: Array) -> int:
    """Solve all islands that `find_islands` wrote; returns SOLVED, MISSES or MORE_SPACE."""
    report = numbers_of(ints, numbers, at.REPORT)
    limits = integers(ints, at.ISLAND_BLOCK_START)
    for island in range(ints[at.ISLANDS]):
        if limits[island] == limits[island + 1]:
            continue
        report[at.ISLAND_COUNT] += 1
        size = order_elimination(ints, island)
        report[at.FACTOR_NEEDED] = max(report[at.FACTOR_NEEDED], size)
        if size <= ints[at.FACTOR_ROOM]:
            solve_island(ints, numbers, island, size)
    if report[at.FACTOR_NEEDED] > ints[at.FACTOR_ROOM]:
        return at.MORE_SPACE
    return at.SOLVED if report[at.MISSED] == 0.0 else at.MISSES


def solve_island(ints: IntArray, numbers: Array, island: int, size: int) -> None:
    """Impulses and velocities of one island, from its impulses as they are. size: numbers of its factor."""
    options, report = numbers_of(ints, numbers, at.OPTIONS), numbers_of(ints, numbers, at.REPORT)
    blocks, limits = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    x, delassus = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.DELASSUS)
    sigma = numbers_of(ints, numbers, at.SIGMA)
    for k in range(limits[island], limits[island + 1]):
        project_block(ints, numbers, blocks[k], delassus, x, x)
    velocities_of_impulses(ints, numbers, island, x)
    value, worst = residual(ints, numbers, island, x, sigma)
    most = int(options[at.MOST_SWEEPS])
    goal, enough = options[at.TOLERANCE], options[at.TOLERANCE]
    members = integers(ints, at.ISLAND_TREE_START)
    is_heap = members[island + 1] - members[island] > 1
    if is_heap and goal < value < math.inf and options[at.RELATIVE] > 0.0:
        from_speed = options[at.RELATIVE] * value
        goal, enough = max(goal, from_speed), max(goal, ENOUGH * from_speed)
    options[at.GOAL] = goal
    if value > goal:
        is_large = limits[island + 1] - limits[island] > LARGE
        patience = PATIENCE_IF_LARGE if is_large else PATIENCE
        value = gauss_seidel(ints, numbers, island, value, min(FIRST_SWEEPS, most), patience)
        if value > goal:
            value = augmented_newton(ints, numbers, island, size, value)
        if value > enough:
            value = gauss_seidel(ints, numbers, island, value, most, 1.0)
            if value > goal:
                value = augmented_newton(ints, numbers, island, size, value)
        if value > enough:
            value = alternating_directions(ints, numbers, island, size, value)
        value, worst = residual(ints, numbers, island, x, sigma)
    if not value <= enough:
        report[at.MISSED] += 1.0
    if not value <= report[at.RESIDUAL]:
        report[at.RESIDUAL] = value
        report[at.WORST_BLOCK] = worst
