# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts with restitution and friction: M (v' - v) = G^T x, one impact after another, so that energy never grows.

As `solvers.impacts` does for rows without friction: the row that is approached fastest gives back its restitution e of
the speed, together with rows that are approached equally fast and have the same e; what that pushes into is approached
next, and so on. Rows without restitution, or slower than what bounces, act together and take no more than they need.
After MOST_ROUNDS all rows act together without restitution. Equations act in every round; boxed rows never, since
bounded forces give no impulses in no time.

In each round friction obeys the same cone as in a step, with the impulses and the sliding speeds after the impact.
Speeds u before and u' after change the energy by x (u + u') / 2. Without restitution x u' <= 0 and this is no more than
- x G M^-1 G^T x / 2. With it, Newton's law and friction together can add energy where rows are coupled (Kane's
paradox): the round is then solved again with half of the restitution, a quarter of it, none.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import speeds_of_velocities
from .islands import find_islands
from .layout import integers, numbers_of
from .products import row_speeds
from .solve import prepare, solve_island
from .vectors import add_rows, copy_coordinates, fill_rows, keep_rows

EQUALLY_FAST = 1e-6
"""Speeds that differ by less than this part are equal."""

TINY = 10.0
"""Rows that are approached more slowly than this times the tolerance are not approached."""

GAINED = 1e-12
"""Energy that a round gains is rounding up to this part of the terms it is the sum of."""


def resolve(ints: IntArray, numbers: Array) -> int:
    """Impulses and velocities after all impacts that are due in the problem of both arrays (`layout`), where V_FREE are
    the velocities before and B the speeds of what is touched; returns SOLVED, MISSES, MORE_SPACE or UNFIT.

    IMPULSE before is not read. REPORT: ENERGY is sum of x (u + u') / 2 over rounds, which is the change of kinetic
    energy where B is 0; ROUNDS.
    """
    if not prepare(ints, numbers):
        return at.UNFIT
    find_islands(ints)
    report, limits = numbers_of(ints, numbers, at.REPORT), integers(ints, at.ISLAND_BLOCK_START)
    x = numbers_of(ints, numbers, at.IMPULSE)
    for j in range(ints[at.ROWS]):
        x[j] = 0.0
    for island in range(ints[at.ISLANDS]):
        if limits[island] == limits[island + 1]:
            continue
        report[at.ISLAND_COUNT] += 1
        resolve_island(ints, numbers, island)
    if report[at.FACTOR_NEEDED] > ints[at.FACTOR_ROOM]:
        return at.MORE_SPACE
    return at.SOLVED if report[at.MISSED] == 0.0 else at.MISSES


def resolve_island(ints: IntArray, numbers: Array, island: int) -> None:
    """All rounds of one island. B, V_FREE are as before on return; DELASSUS is not."""
    options, report = numbers_of(ints, numbers, at.OPTIONS), numbers_of(ints, numbers, at.REPORT)
    x, total = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.TOTAL)
    b, kept_b = numbers_of(ints, numbers, at.B), numbers_of(ints, numbers, at.KEPT_B)
    v, free, kept_v = (
        numbers_of(ints, numbers, at.V),
        numbers_of(ints, numbers, at.V_FREE),
        numbers_of(ints, numbers, at.KEPT_V),
    )
    sigma = numbers_of(ints, numbers, at.SIGMA)
    blocked, unit = numbers_of(ints, numbers, at.BLOCKED), numbers_of(ints, numbers, at.UNIT)
    keep_rows(ints, island, b, kept_b)
    keep_rows(ints, island, numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.KEPT_DELASSUS))
    copy_coordinates(ints, island, free, kept_v)
    copy_coordinates(ints, island, free, v)
    fill_rows(ints, island, 0.0, total)
    fill_rows(ints, island, 0.0, blocked)
    rounds = int(options[at.MOST_ROUNDS])
    for n in range(rounds + 1):
        keep_rows(ints, island, kept_b, b)
        speeds_of_velocities(ints, numbers, island)
        leader, e = fastest(ints, numbers, island)
        if leader < 0 or report[at.FACTOR_NEEDED] > ints[at.FACTOR_ROOM]:
            break
        report[at.ROUNDS] += 1
        if n == rounds:
            e = 0.0
        copy_coordinates(ints, island, v, free)
        for attempt in range(4):
            choose_rows(ints, numbers, island, leader, e, n == rounds)
            missed = report[at.MISSED]
            fill_rows(ints, island, 0.0, x)
            solve_island(ints, numbers, island)
            keep_rows(ints, island, kept_b, b)
            gained, terms = energy_change(ints, numbers, island, free, v)
            if e == 0.0 or gained <= GAINED * terms:
                break
            e = 0.0 if attempt == 2 else 0.5 * e
            report[at.MISSED] = missed
        report[at.ENERGY] += gained
        add_rows(ints, island, x, total)
        speeds_of_velocities(ints, numbers, island)
        if unit[leader] * sigma[leader] < -TINY * options[at.TOLERANCE]:
            blocked[leader] = 1.0
    keep_rows(ints, island, kept_b, b)
    keep_rows(ints, island, total, x)
    copy_coordinates(ints, island, kept_v, free)


def fastest(ints: IntArray, numbers: Array, island: int) -> tuple[int, float]:
    """The row that is approached fastest, of several the one that bounces most, then the first, and its restitution;
    -1 if none is approached."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, sigma = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.SIGMA)
    d, unit = numbers_of(ints, numbers, at.KEPT_DELASSUS), numbers_of(ints, numbers, at.UNIT)
    blocked, options = numbers_of(ints, numbers, at.BLOCKED), numbers_of(ints, numbers, at.OPTIONS)
    restitution, tiny = numbers_of(ints, numbers, at.RESTITUTION), TINY * options[at.TOLERANCE]
    best, most, bounce = -1, 0.0, 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        kind, row = block[i + at.KIND], block[i + at.ROW]
        if kind not in (at.ONE_SIDED, at.CONTACT):
            continue
        for j in range(row, row + (1 if kind == at.CONTACT else block[i + at.COUNT])):
            speed = -unit[j] * sigma[j]
            if speed <= tiny or d[j] == 0.0 or blocked[j] > 0.0:
                continue
            e = restitution[blocks[k]] if speed > options[at.SLOW] else 0.0
            speed = -sigma[j] / math.sqrt(d[j])
            if speed > most * (1.0 + EQUALLY_FAST) or (speed >= most * (1.0 - EQUALLY_FAST) and e > bounce):
                best, most, bounce = j, speed, e
    return best, bounce


def choose_rows(ints: IntArray, numbers: Array, island: int, leader: int, e: float, last: bool) -> None:
    """Write B and DELASSUS (0 for rows that do not act) of a round that row `leader` leads with restitution e.

    SIGMA: speeds before the round, of V_FREE; kept in ROW_STEP, since the solution overwrites it.
    """
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, options = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.OPTIONS)
    b, kept_b = numbers_of(ints, numbers, at.B), numbers_of(ints, numbers, at.KEPT_B)
    d, kept_d = numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.KEPT_DELASSUS)
    sigma, unit = numbers_of(ints, numbers, at.SIGMA), numbers_of(ints, numbers, at.UNIT)
    restitution, v, free = (
        numbers_of(ints, numbers, at.RESTITUTION),
        numbers_of(ints, numbers, at.V),
        numbers_of(ints, numbers, at.V_FREE),
    )
    copy_coordinates(ints, island, free, v)
    speeds_of_velocities(ints, numbers, island)
    slow, tiny = options[at.SLOW], TINY * options[at.TOLERANCE]
    is_slow = -unit[leader] * sigma[leader] <= slow
    least = -sigma[leader] / math.sqrt(kept_d[leader]) * (1.0 - EQUALLY_FAST)
    leading = restitution_of_row(ints, numbers, island, leader)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        kind, row, count = block[i + at.KIND], block[i + at.ROW], block[i + at.COUNT]
        for j in range(row, row + count):
            b[j] = kept_b[j]
            d[j] = kept_d[j] if kind == at.EQUATION else 0.0
        if kind not in (at.ONE_SIDED, at.CONTACT):
            continue
        for j in range(row, row + (1 if kind == at.CONTACT else count)):
            if kept_d[j] == 0.0:
                continue
            speed = -unit[j] * sigma[j]
            if last:
                acts = True
            elif leading > 0.0 and not is_slow:
                alike = restitution[blocks[k]] == leading and speed > tiny and speed > slow
                acts = alike and -sigma[j] / math.sqrt(kept_d[j]) >= least
                if acts:
                    b[j] = kept_b[j] - e * sigma[j]
            else:
                acts = restitution[blocks[k]] == 0.0 or (is_slow and abs(speed) <= slow)
            if acts:
                for p in range(j, row + count if kind == at.CONTACT else j + 1):
                    d[p] = kept_d[p]


def restitution_of_row(ints: IntArray, numbers: Array, island: int, row: int) -> float:
    """Restitution of the block that a row belongs to."""
    block, blocks, bounds = (
        integers(ints, at.BLOCK),
        integers(ints, at.ISLAND_BLOCKS),
        integers(ints, at.ISLAND_BLOCK_START),
    )
    restitution = numbers_of(ints, numbers, at.RESTITUTION)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        if block[i + at.ROW] <= row < block[i + at.ROW] + block[i + at.COUNT]:
            return float(restitution[blocks[k]])
    return 0.0


def energy_change(ints: IntArray, numbers: Array, island: int, before: Array, after: Array) -> tuple[float, float]:
    """Sum of x (u + u') / 2 over the rows of an island [J], and the sum of its terms without sign.

    Impulses x are IMPULSE; before, after: velocities. Writes V = after, SIGMA; uses ROW_STEP.
    """
    block, blocks, bounds = (
        integers(ints, at.BLOCK),
        integers(ints, at.ISLAND_BLOCKS),
        integers(ints, at.ISLAND_BLOCK_START),
    )
    x, sigma, u = (
        numbers_of(ints, numbers, at.IMPULSE),
        numbers_of(ints, numbers, at.SIGMA),
        numbers_of(ints, numbers, at.ROW_STEP),
    )
    b = numbers_of(ints, numbers, at.B)
    row_speeds(ints, numbers, island, before, u)
    row_speeds(ints, numbers, island, after, sigma)
    change, terms = 0.0, 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            change += 0.5 * x[j] * (u[j] + sigma[j] - 2.0 * b[j])
            terms += 0.5 * abs(x[j]) * (abs(u[j] - b[j]) + abs(sigma[j] - b[j]))
    return change, terms
