# SPDX-License-Identifier: GPL-3.0-or-later
"""Gauss-Seidel sweeps: block after block obeys its own law with the impulses of all others as they are.

Cheap, and what finds which contacts stick, slide and open in heaps of trees that sway. Between sweeps impulses go on
along conjugate directions, which about halves what they need; where forces pass through many bodies they are slow all
the same, and Newton's method finishes what they begin.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import velocities_of_impulses
from .cones import clip, describe_discs, is_circular, project_contact, sliding_shift
from .layout import integers, numbers_of
from .residual import residual
from .vectors import copy_coordinates, fill_rows, keep_rows

LOOK = 5
"""The residual is computed after so many sweeps."""

STRETCH = 60
"""The pace of sweeps is that of so many."""

OWN_ITERATIONS = 30
"""Most iterations for the law of one contact."""

LEAST_DRAG = 1e-12
"""What sticks slides with this drag, as a part of the Delassus entry: tangents may depend on each other."""

OWN_NUMBERS = at.MOST_CONTACT_ROWS * at.MOST_CONTACT_ROWS


def gauss_seidel(ints: IntArray, numbers: Array, island: int, value: float, most: int, insists: bool) -> float:
    """Improve IMPULSE, V and SIGMA of an island from those given, whose residual is `value`; returns the residual.

    Ends after `most` sweeps, or, unless it insists, where it would not be done in so many at the pace of its last
    STRETCH. IMPULSE has the best impulses that were found.
    """
    x, best_x = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.BEST)
    report, sigma = numbers_of(ints, numbers, at.REPORT), numbers_of(ints, numbers, at.SIGMA)
    goal, best = numbers_of(ints, numbers, at.OPTIONS)[at.GOAL], value
    keep_rows(ints, island, x, best_x)
    begin_directions(ints, numbers, island)
    done, last_change, mark, marked = 0, math.inf, value, 0
    while done < most:
        for n in range(LOOK):
            keep_start(ints, numbers, island)
            sweep(ints, numbers, island, max(1e-2 * value, 0.05 * goal))
            if n < LOOK - 1:
                last_change = go_on(ints, numbers, island, last_change)
        done += LOOK
        report[at.SWEEPS] += LOOK
        velocities_of_impulses(ints, numbers, island, x)
        value, _worst = residual(ints, numbers, island, x, sigma)
        if value < best:
            best = value
            keep_rows(ints, island, x, best_x)
        if best <= goal or not value < math.inf:
            break
        if done >= marked + STRETCH:
            if not (insists or sweeps_left(goal, best, mark) < most - done):
                break
            mark, marked = best, done
        last_change = go_on(ints, numbers, island, last_change)
    keep_rows(ints, island, best_x, x)
    velocities_of_impulses(ints, numbers, island, x)
    return best


def sweeps_left(goal: float, value: float, before: float) -> float:
    """How many sweeps more make a residual as small as the goal that STRETCH of them took from `before` to `value`."""
    return STRETCH * math.log(value / goal) / math.log(before / value) if value < before else math.inf


def begin_directions(ints: IntArray, numbers: Array, island: int) -> None:
    """No direction yet."""
    fill_rows(ints, island, 0.0, numbers_of(ints, numbers, at.WAY))
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    bounds, way = integers(ints, at.ISLAND_TREE_START), numbers_of(ints, numbers, at.WAY_OF_V)
    for k in range(bounds[island], bounds[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            way[c] = 0.0


def keep_start(ints: IntArray, numbers: Array, island: int) -> None:
    """Keep impulses and velocities as they are before a sweep."""
    keep_rows(ints, island, numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.START))
    copy_coordinates(ints, island, numbers_of(ints, numbers, at.V), numbers_of(ints, numbers, at.START_OF_V))


def go_on(ints: IntArray, numbers: Array, island: int, before: float) -> float:
    """Go on along the conjugate direction, after a sweep from START; returns the square of what the sweep changed.
    before: that of the sweep before.

    A sweep's change is minus a gradient of what it minimises, roughly (Silcowitz, Niebuhr and Erleben: nonsmooth
    nonlinear conjugate gradients, 2010). Where changes grow directions begin anew.
    """
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, limits = integers(ints, at.ISLAND_BLOCK_START), integers(ints, at.ISLAND_TREE_START)
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    x, x_start, way = (
        numbers_of(ints, numbers, at.IMPULSE),
        numbers_of(ints, numbers, at.START),
        numbers_of(ints, numbers, at.WAY),
    )
    v, v_start, v_way = (
        numbers_of(ints, numbers, at.V),
        numbers_of(ints, numbers, at.START_OF_V),
        numbers_of(ints, numbers, at.WAY_OF_V),
    )
    d, total = numbers_of(ints, numbers, at.DELASSUS), 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            total += d[j] * (x[j] - x_start[j]) ** 2
    part = total / before if total <= before and 0.0 < before < math.inf else 0.0
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            change = x[j] - x_start[j]
            x[j] += part * way[j]
            way[j] = part * way[j] + change
    for k in range(limits[island], limits[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            change = v[c] - v_start[c]
            v[c] += part * v_way[c]
            v_way[c] = part * v_way[c] + change
    return total


def sweep(ints: IntArray, numbers: Array, island: int, goal: float) -> None:
    """One sweep over the blocks of an island: IMPULSE and V. goal: accuracy of each contact's own law [m/s]."""
    block, part, start = integers(ints, at.BLOCK), integers(ints, at.PART), integers(ints, at.TREE_START)
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    values, inverse = numbers_of(ints, numbers, at.JACOBIAN), numbers_of(ints, numbers, at.INVERSE)
    x, v, b = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.V), numbers_of(ints, numbers, at.B)
    d, sigma = numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.SIGMA)
    lo, hi, change = (
        numbers_of(ints, numbers, at.LO),
        numbers_of(ints, numbers, at.HI),
        numbers_of(ints, numbers, at.TRIAL),
    )
    friction, law = numbers_of(ints, numbers, at.FRICTION), int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
    own, unit = numbers_of(ints, numbers, at.OWN), numbers_of(ints, numbers, at.UNIT)
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        kind, row = block[at.BLOCK_FIELDS * i + at.KIND], block[at.BLOCK_FIELDS * i + at.ROW]
        count, first = block[at.BLOCK_FIELDS * i + at.COUNT], block[at.BLOCK_FIELDS * i + at.FIRST_PART]
        end = first + block[at.BLOCK_FIELDS * i + at.PART_COUNT]
        together = count if kind == at.CONTACT else 1
        may_stay_open = kind == at.CONTACT and law != at.RELAXED and x[row] == 0.0
        if may_stay_open and row_speed(part, start, values, v, first, end, 0) >= b[row]:
            continue
        for j in range(0, count, together):
            if d[row + j] == 0.0:
                continue
            for r in range(j, j + together):
                sigma[row + r] = row_speed(part, start, values, v, first, end, r) - b[row + r]
            if is_circular(kind, count, law) and law != at.RELAXED:
                mu = friction[at.FRICTIONS * i + at.MU]
                own_circle(mu, d[row], own, OWN_NUMBERS * i, x, sigma, row, goal / unit[row], change)
            elif kind == at.CONTACT:
                own_law(ints, numbers, i, goal)
            else:
                y = x[row + j] - sigma[row + j] / d[row + j]
                change[row + j] = clip(kind, lo[row + j], hi[row + j], y) - x[row + j]
            for r in range(j, j + together):
                push = change[row + r]
                if push == 0.0:
                    continue
                x[row + r] += push
                for p in range(first, end):
                    tree = part[at.PART_FIELDS * p]
                    c, n = start[tree], start[tree + 1] - start[tree]
                    g = part[at.PART_FIELDS * p + 1] + r * n
                    for q in range(n):
                        v[c + q] += inverse[g + q] * push


def row_speed(part: IntArray, start: IntArray, values: Array, v: Array, first: int, end: int, r: int) -> float:
    """Speed of row r of a block with parts `first` to `end` at velocities v."""
    total = 0.0
    for p in range(first, end):
        tree = part[at.PART_FIELDS * p]
        c, n = start[tree], start[tree + 1] - start[tree]
        g = part[at.PART_FIELDS * p + 1] + r * n
        for q in range(n):
            total += values[g + q] * v[c + q]
    return total


def own_circle(
    mu: float, d: float, own: Array, o: int, x: Array, sigma: Array, row: int, goal: float, change: Array
) -> None:
    """`own_law` of a circular contact without relaxation, whose Delassus entry is d, at once.

    What slides has sigma_n = 0 and sigma_t = -a x_t. Without the normal (S: what is left of the tangents' Delassus
    matrix, b: of their speeds without impulses) that is x_t = -(S + a)^-1 b, and a > 0 the root of mu x_n = |x_t|.
    Newton's method on mu x_n / |x_t| - 1, which is nearly linear, inside of a bracket.
    """
    d00, d01, d02, d11, d12, d22 = own[o], own[o + 1], own[o + 2], own[o + 4], own[o + 5], own[o + 8]
    n, a, b = x[row], x[row + 1], x[row + 2]
    q0 = sigma[row] - (d00 * n + d01 * a + d02 * b)  # speeds without impulses
    q1 = sigma[row + 1] - (d01 * n + d11 * a + d12 * b)
    q2 = sigma[row + 2] - (d02 * n + d12 * a + d22 * b)
    if q0 >= 0.0:
        change[row], change[row + 1], change[row + 2] = -n, -a, -b
        return
    if mu == 0.0:
        change[row], change[row + 1], change[row + 2] = -q0 / d00 - n, -a, -b
        return
    s11, s12, s22 = d11 - d01 * d01 / d00, d12 - d01 * d02 / d00, d22 - d02 * d02 / d00
    b1, b2 = q1 - d01 / d00 * q0, q2 - d02 / d00 * q0
    least = LEAST_DRAG * d
    below, above, drag, y0, y1, y2 = least, math.inf, least, 0.0, 0.0, 0.0
    for k in range(OWN_ITERATIONS):
        e11, e22 = s11 + drag, s22 + drag
        determinant = e11 * e22 - s12 * s12
        y1, y2 = (s12 * b2 - e22 * b1) / determinant, (s12 * b1 - e11 * b2) / determinant
        y0 = -(q0 + d01 * y1 + d02 * y2) / d00
        length = math.sqrt(y1 * y1 + y2 * y2)
        lacks = length - mu * y0
        if (k == 0 and lacks <= 0.0) or d * abs(lacks) <= goal:
            break
        if lacks > 0.0:
            below = drag
        else:
            above = drag
        t1, t2 = (s12 * y2 - e22 * y1) / determinant, (s12 * y1 - e11 * y2) / determinant  # by the drag
        t0 = -(d01 * t1 + d02 * t2) / d00
        slope = mu * (t0 - y0 * (y1 * t1 + y2 * t2) / (length * length)) / length
        following = drag + lacks / (length * slope) if slope > 0.0 else math.inf
        if not below < following < above:
            following = 0.5 * (below + above) if above < math.inf else 4.0 * below + d
        drag = following
    if y1 * y1 + y2 * y2 > mu * mu * y0 * y0:
        part = mu * max(y0, 0.0) / math.sqrt(y1 * y1 + y2 * y2)
        y1, y2 = part * y1, part * y2
    change[row], change[row + 1], change[row + 2] = max(y0, 0.0) - n, y1 - a, y2 - b


def own_law(ints: IntArray, numbers: Array, i: int, goal: float) -> None:
    """Write to TRIAL by how much the impulses of contact i must change for its law to hold, all others being as they
    are.

    Iterates x = P(x - (sigma + s) / R) with R large enough to converge where there is no shift. SIGMA: speeds now.
    """
    block, own = integers(ints, at.BLOCK), numbers_of(ints, numbers, at.OWN)
    x, d = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.DELASSUS)
    sigma, friction = numbers_of(ints, numbers, at.SIGMA), numbers_of(ints, numbers, at.FRICTION)
    y, out, now = (
        numbers_of(ints, numbers, at.Y),
        numbers_of(ints, numbers, at.TRIAL),
        numbers_of(ints, numbers, at.PROJECTED),
    )
    soft, speed = numbers_of(ints, numbers, at.SOFTNESS), numbers_of(ints, numbers, at.REACHED)
    unit, cone = numbers_of(ints, numbers, at.UNIT), numbers_of(ints, numbers, at.CONE)
    row, count = block[at.BLOCK_FIELDS * i + at.ROW], block[at.BLOCK_FIELDS * i + at.COUNT]
    law, o = int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW]), OWN_NUMBERS * i
    for j in range(count):
        soft[row + j] = count * d[row + j]
        now[row + j] = x[row + j]
    describe_discs(count, friction, i, law, soft, row, cone)
    for _ in range(OWN_ITERATIONS):
        for j in range(count):
            total = sigma[row + j]
            for k in range(count):
                total += own[o + j * count + k] * (now[row + k] - x[row + k])
            speed[row + j] = total
        shift = sliding_shift(count, friction, i, law, speed, row, d)
        for j in range(count):
            y[row + j] = now[row + j] - speed[row + j] / soft[row + j] if soft[row + j] > 0.0 else 0.0
        y[row] -= shift / soft[row]
        project_contact(count, soft, row, cone, y, out)
        moved = 0.0
        for j in range(count):
            moved = max(moved, unit[row + j] * soft[row + j] * abs(out[row + j] - now[row + j]))
            now[row + j] = out[row + j]
        if moved <= goal:
            break
    for j in range(count):
        out[row + j] = now[row + j] - x[row + j]
