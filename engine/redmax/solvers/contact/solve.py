# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution of a contact problem, island by island: sweeps, augmented-Lagrangian Newton, alternating directions."""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import augmented_newton, speeds_of_velocities, velocities_of_impulses
from .cones import project_block
from .islands import find_islands, order_elimination
from .layout import integers, numbers_of
from .near import all_blocks, choose_near, list_blocks
from .products import delassus_diagonal, factor_masses
from .residual import residual
from .splitting import alternating_directions
from .sweeps import gauss_seidel
from .vectors import fill_rows, keep_rows

FIRST_SWEEPS = 600
"""Most sweeps before Newton's method, which takes as long as ten of them and more for each of its iterations."""

GENTLY, FIRMLY, ALTERNATING = 0.5, 0.1, 0.0
"""Newton's method takes half as many iterations where softness shrinks slowly; some problems want it otherwise."""

STIFFEST_PART = 1e-2
"""After sweeps Newton's method begins with the part of its softness that they have left of the residual, but no less
than this: nearly solved problems would have to be led back from a soft one."""

MOST_LOOKS = 4
"""Solutions among near blocks that close others, after which all blocks of an island are near."""

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
        solve_island(ints, numbers, island)
    if report[at.FACTOR_NEEDED] > ints[at.FACTOR_ROOM]:
        return at.MORE_SPACE
    return at.SOLVED if report[at.MISSED] == 0.0 else at.MISSES


def solve_island(ints: IntArray, numbers: Array, island: int) -> None:
    """Impulses and velocities of one island, from its impulses as they are. FACTOR_NEEDED says where room for its
    factor is missing."""
    options, report = numbers_of(ints, numbers, at.OPTIONS), numbers_of(ints, numbers, at.REPORT)
    blocks, limits = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    x, delassus = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.DELASSUS)
    sigma = numbers_of(ints, numbers, at.SIGMA)
    for k in range(limits[island], limits[island + 1]):
        project_block(ints, numbers, blocks[k], delassus, x, x)
    velocities_of_impulses(ints, numbers, island, x)
    value, worst = residual(ints, numbers, island, x, sigma)
    begin = value
    most = int(options[at.MOST_SWEEPS])
    goal, enough = options[at.TOLERANCE], max(options[at.TOLERANCE], options[at.SPARE])
    members = integers(ints, at.ISLAND_TREE_START)
    is_heap = members[island + 1] - members[island] > 1
    if is_heap and goal < value < math.inf and options[at.RELATIVE] > 0.0:
        from_speed = options[at.RELATIVE] * value
        goal, enough = max(goal, from_speed), max(enough, ENOUGH * from_speed)
    options[at.GOAL] = goal
    if value > goal:
        value = gauss_seidel(ints, numbers, island, value, FIRST_SWEEPS if most > 0 else 0, False)
        if value > goal:
            first = min(max(value / begin, STIFFEST_PART), 1.0)
            value = among_near(ints, numbers, island, value, first, GENTLY)
        if value > enough:
            value = gauss_seidel(ints, numbers, island, value, most, True)
            if value > goal:
                value = among_near(ints, numbers, island, value, 1.0, FIRMLY)
        if value > enough:
            value = from_nothing(ints, numbers, island, value)
        if value > enough:
            value = among_near(ints, numbers, island, value, 1.0, ALTERNATING)
        value, worst = residual(ints, numbers, island, x, sigma)
    if not value <= enough:
        report[at.MISSED] += 1.0
    if not value <= report[at.RESIDUAL]:
        report[at.RESIDUAL] = value
        report[at.WORST_BLOCK] = worst


def from_nothing(ints: IntArray, numbers: Array, island: int, value: float) -> float:
    """Newton's method from impulses 0, whose result counts where its residual is less than `value`, which it returns
    else: what sweeps have found may lie on the wrong side of what friction decides."""
    x, kept = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.START)
    sigma = numbers_of(ints, numbers, at.SIGMA)
    keep_rows(ints, island, x, kept)
    fill_rows(ints, island, 0.0, x)
    velocities_of_impulses(ints, numbers, island, x)
    other, _ = residual(ints, numbers, island, x, sigma)
    other = among_near(ints, numbers, island, other, 1.0, FIRMLY)
    if other < value:
        return other
    keep_rows(ints, island, kept, x)
    velocities_of_impulses(ints, numbers, island, x)
    return value


def among_near(ints: IntArray, numbers: Array, island: int, value: float, first: float, how: float) -> float:
    """Improve IMPULSE, V and SIGMA of an island, whose residual is `value`, among the blocks that are near; returns the
    residual. By Newton's method, whose softness begins with the part `first` of FIRST_SOFTNESS and shrinks by the
    factor `how`, or by alternating directions.
    """
    report, x = numbers_of(ints, numbers, at.REPORT), numbers_of(ints, numbers, at.IMPULSE)
    goal, sigma = numbers_of(ints, numbers, at.OPTIONS)[at.GOAL], numbers_of(ints, numbers, at.SIGMA)
    begin, before = numbers_of(ints, numbers, at.WAY), value
    keep_rows(ints, island, x, begin)
    end = list_blocks(ints, island)
    for n in range(MOST_LOOKS + 1):
        if not (value > goal and choose_near(ints, numbers, island, end, math.inf if n == MOST_LOOKS else value)):
            break
        size = order_elimination(ints, island)
        if size > ints[at.FACTOR_ROOM]:
            all_blocks(ints, island, end)
            report[at.FACTOR_NEEDED] = max(report[at.FACTOR_NEEDED], order_elimination(ints, island))
            return value
        value, _ = residual(ints, numbers, island, x, sigma)
        if how == ALTERNATING:
            alternating_directions(ints, numbers, island, size, value)
        else:
            augmented_newton(ints, numbers, island, size, value, first, how)
        all_blocks(ints, island, end)
        speeds_of_velocities(ints, numbers, island)
        value, _ = residual(ints, numbers, island, x, sigma)
    all_blocks(ints, island, end)
    if not value <= before:  # what is best among few may be worse among all
        keep_rows(ints, island, begin, x)
        velocities_of_impulses(ints, numbers, island, x)
        value = before
    return value
