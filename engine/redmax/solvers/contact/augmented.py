# SPDX-License-Identifier: GPL-3.0-or-later
"""Augmented-Lagrangian Newton method in reduced velocities.

Outer iterations minimise, by Newton's method with exact line search,

    1/2 |v - v_free|_M^2 + sum of R/2 (|y|^2 - |y - P(y)|^2),     y = x - (G v - b + s) / R,

whose gradient is M (v - v_free) - G^T P(y); then x becomes P(y) and the shift s moves to mu |sigma_t| (`shifts`). R =
softness d is made smaller where impulses converge slowly, down to a floor: redundant equations that
disagree by rounding would otherwise have impulses without bound.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .block_cholesky import add_contact, add_row, begin_matrix, factorise, solve_factored
from .cones import circle_weight, contact_weight, is_circular, project_block, project_circle
from .layout import integers, numbers_of
from .products import add_row_forces, mass_product, row_speeds
from .residual import residual, shift_of
from .shifts import next_shifts
from .vectors import fill_rows, keep_rows, move, product

SOFTEST, STIFFEST = 1e-2, 1e-6
"""Softness of rows relative to their Delassus entry."""

SLOW_PROGRESS = 0.25
"""Softness shrinks where the change of impulses shrinks by less than this."""

STALLED = 10
"""Outer iterations without a residual half as large as before, after which the method gives up."""

INNER_PART = 0.1
"""Newton's method goes on until its velocities miss those of its impulses by this part of the residual."""

LINE_SEARCH = 1e-3
"""Slope at the end of a line search, relative to the one at its begin."""


def set_softness(ints: IntArray, numbers: Array, island: int, softness: float) -> None:
    """R = softness d for the rows of an island."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, delassus = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.DELASSUS)
    soft = numbers_of(ints, numbers, at.SOFTNESS)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            soft[j] = softness * delassus[j]


def velocities_of_impulses(ints: IntArray, numbers: Array, island: int, x: Array) -> None:
    """Write V = v_free + M^-1 G^T x and its speeds SIGMA."""
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    bounds, v, free = (
        integers(ints, at.ISLAND_TREE_START),
        numbers_of(ints, numbers, at.V),
        numbers_of(ints, numbers, at.V_FREE),
    )
    for k in range(bounds[island], bounds[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            v[c] = free[c]
    add_row_forces(ints, numbers, island, at.INVERSE, x, v)
    speeds_of_velocities(ints, numbers, island)


def speeds_of_velocities(ints: IntArray, numbers: Array, island: int) -> None:
    """Write SIGMA = G V - b."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, b = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.B)
    sigma = numbers_of(ints, numbers, at.SIGMA)
    row_speeds(ints, numbers, island, numbers_of(ints, numbers, at.V), sigma)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            sigma[j] -= b[j]


def project_rows(ints: IntArray, numbers: Array, island: int, part: float, out: Array) -> float:
    """Write Y and its projection `out` at the speeds SIGMA + part ROW_STEP; returns the sum of ROW_STEP times `out`."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, sigma = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.SIGMA)
    step, soft = numbers_of(ints, numbers, at.ROW_STEP), numbers_of(ints, numbers, at.SOFTNESS)
    x, y, shift = (
        numbers_of(ints, numbers, at.IMPULSE),
        numbers_of(ints, numbers, at.Y),
        numbers_of(ints, numbers, at.SHIFT),
    )
    friction, law = numbers_of(ints, numbers, at.FRICTION), int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
    total = 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        row, count = block[at.BLOCK_FIELDS * i + at.ROW], block[at.BLOCK_FIELDS * i + at.COUNT]
        for j in range(row, row + count):
            y[j] = x[j] - (sigma[j] + part * step[j]) / soft[j] if soft[j] > 0.0 else 0.0
        if block[at.BLOCK_FIELDS * i + at.KIND] == at.CONTACT and soft[row] > 0.0:
            y[row] -= shift[i] / soft[row]
        if is_circular(block[at.BLOCK_FIELDS * i], count, law) and soft[row] > 0.0:
            project_circle(friction[at.FRICTIONS * i + at.MU], row, y, out)
        else:
            project_block(ints, numbers, i, soft, y, out)
        for j in range(row, row + count):
            total += step[j] * out[j]
    return total


def newton_matrix(ints: IntArray, numbers: Array, island: int, size: int) -> bool:
    """Factors of Newton's matrix at the impulses Y, which `project_rows` wrote; False if that fails."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, soft = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.SOFTNESS)
    y, trial, weight = (
        numbers_of(ints, numbers, at.Y),
        numbers_of(ints, numbers, at.TRIAL),
        numbers_of(ints, numbers, at.WEIGHT),
    )
    lo, hi, cone = (
        numbers_of(ints, numbers, at.LO),
        numbers_of(ints, numbers, at.HI),
        numbers_of(ints, numbers, at.CONE),
    )
    friction, law = numbers_of(ints, numbers, at.FRICTION), int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
    begin_matrix(ints, numbers, island, size)
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        kind, row = block[at.BLOCK_FIELDS * i + at.KIND], block[at.BLOCK_FIELDS * i + at.ROW]
        count = block[at.BLOCK_FIELDS * i + at.COUNT]
        if is_circular(kind, count, law):
            mu = friction[at.FRICTIONS * i + at.MU]
            if soft[row] > 0.0 and circle_weight(mu, soft[row], row, y, weight):
                add_contact(ints, numbers, island, i, weight)
            continue
        if kind == at.CONTACT:
            project_block(ints, numbers, i, soft, y, trial)
            if soft[row] > 0.0 and trial[row] > 0.0:
                contact_weight(count, soft, row, cone, y, weight)
                add_contact(ints, numbers, island, i, weight)
            continue
        for j in range(count):
            if soft[row + j] == 0.0:
                continue
            free = kind == at.EQUATION or (kind == at.ONE_SIDED and y[row + j] > 0.0)
            if kind == at.BOXED:
                free = lo[row + j] < y[row + j] < hi[row + j]
            if free:
                add_row(ints, numbers, island, i, j, 1.0 / soft[row + j])
    return factorise(ints, numbers, island)


def reach(ints: IntArray, numbers: Array, island: int) -> float:
    """GRADIENT, minus the gradient at V; CORRECTION and REACHED: from V to the velocities that the impulses PROJECTED
    give, and their speeds. Returns by how much speeds differ [m/s]."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, sigma = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.SIGMA)
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    limits, unit = integers(ints, at.ISLAND_TREE_START), numbers_of(ints, numbers, at.UNIT)
    projected, reached = numbers_of(ints, numbers, at.PROJECTED), numbers_of(ints, numbers, at.REACHED)
    gradient, change = numbers_of(ints, numbers, at.GRADIENT), numbers_of(ints, numbers, at.CORRECTION)
    v, free = numbers_of(ints, numbers, at.V), numbers_of(ints, numbers, at.V_FREE)
    for k in range(limits[island], limits[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            change[c] = free[c] - v[c]
    add_row_forces(ints, numbers, island, at.INVERSE, projected, change)
    mass_product(ints, numbers, island, change, gradient)
    row_speeds(ints, numbers, island, change, reached)
    most = 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            most = max(most, abs(unit[j] * reached[j]))
            reached[j] += sigma[j]
    return most


def line_search(ints: IntArray, numbers: Array, island: int, slope: float, at_begin: float, curvature: float) -> float:
    """Part of STEP at which the slope along it vanishes; it is that of a convex function, so it grows.

    slope: where the step begins; at_begin: STEP M (V - v_free); curvature: STEP M STEP. False position, in which the
    end that stays counts half (Illinois).
    """
    trial = numbers_of(ints, numbers, at.TRIAL)
    small = LINE_SEARCH * abs(slope)
    low, low_slope, high, high_slope = 0.0, slope, math.inf, 0.0
    part, side = 1.0, 0
    for _ in range(50):
        slope = at_begin + part * curvature - project_rows(ints, numbers, island, part, trial)
        if abs(slope) <= small:
            break
        if slope < 0.0:
            low, low_slope = part, slope
            high_slope *= 0.5 if side < 0 else 1.0
            side = -1
        else:
            high, high_slope = part, slope
            low_slope *= 0.5 if side > 0 else 1.0
            side = 1
        if high == math.inf:
            part *= 2.0
            continue
        part = low + (high - low) * low_slope / (low_slope - high_slope)
        if not low < part < high:
            part = 0.5 * (low + high)
        if high - low <= 1e-14 * high:
            break
    return part


def newton(ints: IntArray, numbers: Array, island: int, size: int, goal: float, most: int) -> int:
    """Minimise over V, with impulses and shift as they are, until V and the velocities of the impulses PROJECTED
    differ by no more than `goal` [m/s]. Returns the number of iterations, -1 where a matrix could not be factored."""
    step, gradient = numbers_of(ints, numbers, at.STEP), numbers_of(ints, numbers, at.GRADIENT)
    row_step, projected = numbers_of(ints, numbers, at.ROW_STEP), numbers_of(ints, numbers, at.PROJECTED)
    v, sigma = numbers_of(ints, numbers, at.V), numbers_of(ints, numbers, at.SIGMA)
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    bounds = integers(ints, at.ISLAND_TREE_START)
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    limits = integers(ints, at.ISLAND_BLOCK_START)
    best, waited = math.inf, 0
    for n in range(most):
        project_rows(ints, numbers, island, 0.0, projected)
        missed = reach(ints, numbers, island)
        if missed <= goal:
            return n
        waited = waited + 1 if missed > 0.5 * best else 0
        best = min(best, missed)
        if waited > 12:
            return n
        if not newton_matrix(ints, numbers, island, size):
            return -1
        for k in range(bounds[island], bounds[island + 1]):
            for c in range(start[trees[k]], start[trees[k] + 1]):
                step[c] = gradient[c]
        solve_factored(ints, numbers, island, step)
        row_speeds(ints, numbers, island, step, row_step)
        slope = -product(ints, island, step, gradient)
        mass_product(ints, numbers, island, step, gradient)
        curvature = product(ints, island, step, gradient)
        at_begin = slope
        for k in range(limits[island], limits[island + 1]):
            i = at.BLOCK_FIELDS * blocks[k]
            for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
                at_begin += row_step[j] * projected[j]
        part = line_search(ints, numbers, island, slope, at_begin, curvature)
        move(ints, island, part, step, v)
        for k in range(limits[island], limits[island + 1]):
            i = at.BLOCK_FIELDS * blocks[k]
            for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
                sigma[j] += part * row_step[j]
    project_rows(ints, numbers, island, 0.0, projected)
    reach(ints, numbers, island)
    return most


def take_impulses(ints: IntArray, numbers: Array, island: int) -> float:
    """PROJECTED becomes IMPULSE; returns the change R |x' - x| [m/s]."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, unit = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.UNIT)
    x, projected = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.PROJECTED)
    soft = numbers_of(ints, numbers, at.SOFTNESS)
    most = 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            most = max(most, unit[j] * soft[j] * abs(projected[j] - x[j]))
            x[j] = projected[j]
    return most


def augmented_newton(
    ints: IntArray, numbers: Array, island: int, size: int, value: float, first: float, stiffer: float
) -> float:
    """Improve IMPULSE, V and SIGMA of an island from those given, whose residual is `value`; returns the residual.

    On return IMPULSE has the best impulses that were found, V and SIGMA are theirs. first: part of
    FIRST_SOFTNESS to begin with. stiffer: by what factor softness shrinks.
    """
    options, report = numbers_of(ints, numbers, at.OPTIONS), numbers_of(ints, numbers, at.REPORT)
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    x, projected = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.PROJECTED)
    sigma, reached, shift = (
        numbers_of(ints, numbers, at.SIGMA),
        numbers_of(ints, numbers, at.REACHED),
        numbers_of(ints, numbers, at.SHIFT),
    )
    best_x, tolerance = numbers_of(ints, numbers, at.BEST), options[at.GOAL]
    for k in range(bounds[island], bounds[island + 1]):
        shift[blocks[k]] = shift_of(ints, numbers, blocks[k], sigma)
    keep_rows(ints, island, x, best_x)
    fill_rows(ints, island, 0.0, numbers_of(ints, numbers, at.ROW_STEP))
    best, mark, waited, before = value, value, 0, math.inf
    known, last = 0, value
    softness = first * options[at.FIRST_SOFTNESS]
    set_softness(ints, numbers, island, softness)
    for _ in range(int(options[at.MOST_OUTER])):
        goal = max(INNER_PART * value, 0.2 * tolerance)
        count = newton(ints, numbers, island, size, goal, int(options[at.MOST_NEWTON]))
        report[at.OUTER] += 1
        if count < 0:
            break
        report[at.NEWTON] += count
        value, _worst = residual(ints, numbers, island, projected, reached)
        if not value < math.inf:
            break
        if value < best:
            best = value
            keep_rows(ints, island, projected, best_x)
        change = take_impulses(ints, numbers, island)
        known = next_shifts(ints, numbers, island, known if value < 2.0 * last else 0)
        last = value
        if best <= tolerance:
            break
        if change > SLOW_PROGRESS * before and softness > STIFFEST:
            softness = max(stiffer * softness, STIFFEST)
            set_softness(ints, numbers, island, softness)
        before = change
        waited += 1
        if best < 0.5 * mark:
            mark, waited = best, 0
        if waited > STALLED:
            break
        speeds_of_velocities(ints, numbers, island)
    keep_rows(ints, island, best_x, x)
    velocities_of_impulses(ints, numbers, island, x)
    return best
