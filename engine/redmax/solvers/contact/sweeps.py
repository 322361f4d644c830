# SPDX-License-Identifier: GPL-3.0-or-later
"""Gauss-Seidel sweeps: block after block obeys its own law with the impulses of all others as they are.

Cheap, and what finds which contacts stick, slide and open in heaps of trees that sway; but slow where forces pass
through many bodies, so it only begins what Newton's method finishes.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .augmented import velocities_of_impulses
from .cones import clip, describe_discs, is_circular, project_contact, sliding_shift
from .layout import integers, numbers_of
from .residual import residual
from .vectors import keep_rows

LOOK = 5
"""The residual is computed after so many sweeps."""

OWN_ITERATIONS = 30
"""Most iterations for the law of one contact."""

OWN_NUMBERS = at.MOST_CONTACT_ROWS * at.MOST_CONTACT_ROWS


def gauss_seidel(ints: IntArray, numbers: Array, island: int, value: float, most: int, patience: float) -> float:
    """Improve IMPULSE, V and SIGMA of an island from those given, whose residual is `value`; returns the residual.

    Ends after `most` sweeps, or where LOOK of them do not make the residual smaller by `patience`, if that is below 1.
    IMPULSE has the best impulses that were found.
    """
    x, best_x = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.BEST)
    report, sigma = numbers_of(ints, numbers, at.REPORT), numbers_of(ints, numbers, at.SIGMA)
    goal, best = numbers_of(ints, numbers, at.OPTIONS)[at.GOAL], value
    keep_rows(ints, island, x, best_x)
    done = 0
    while done < most:
        for _ in range(LOOK):
            sweep(ints, numbers, island, max(1e-2 * value, 0.05 * goal))
        done += LOOK
        report[at.SWEEPS] += LOOK
        velocities_of_impulses(ints, numbers, island, x)
        before = value
        value, _worst = residual(ints, numbers, island, x, sigma)
        if value < best:
            best = value
            keep_rows(ints, island, x, best_x)
        if best <= goal or not value < math.inf or (patience < 1.0 and value > patience * before):
            break
    keep_rows(ints, island, best_x, x)
    velocities_of_impulses(ints, numbers, island, x)
    return best


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
        for j in range(0, count, together):
            if d[row + j] == 0.0:
                continue
            for r in range(j, j + together):
                total = -b[row + r]
                for p in range(first, end):
                    tree = part[at.PART_FIELDS * p]
                    c, n = start[tree], start[tree + 1] - start[tree]
                    g = part[at.PART_FIELDS * p + 1] + r * n
                    for q in range(n):
                        total += values[g + q] * v[c + q]
                sigma[row + r] = total
            if is_circular(kind, count, law):
                mu = friction[at.FRICTIONS * i + at.MU]
                own_circle(mu, law, d[row], own, OWN_NUMBERS * i, x, sigma, row, goal / unit[row], change)
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


def own_circle(
    mu: float, law: int, d: float, own: Array, o: int, x: Array, sigma: Array, row: int, goal: float, change: Array
) -> None:
    """`own_law` of a circular contact, whose Delassus entry is d: open and sticking contacts at once, sliding ones by
    the same iteration."""
    d00, d01, d02, d11, d12, d22 = own[o], own[o + 1], own[o + 2], own[o + 4], own[o + 5], own[o + 8]
    n, a, b = x[row], x[row + 1], x[row + 2]
    q0 = sigma[row] - (d00 * n + d01 * a + d02 * b)  # speeds without impulses
    q1 = sigma[row + 1] - (d01 * n + d11 * a + d12 * b)
    q2 = sigma[row + 2] - (d02 * n + d12 * a + d22 * b)
    if q0 >= 0.0 and (law != at.RELAXED or q0 >= mu * math.sqrt(q1 * q1 + q2 * q2)):
        change[row], change[row + 1], change[row + 2] = -n, -a, -b
        return
    c0, c1, c2 = d11 * d22 - d12 * d12, d02 * d12 - d01 * d22, d01 * d12 - d02 * d11
    determinant = d00 * c0 + d01 * c1 + d02 * c2
    if determinant > 1e-9 * d * d * d:
        s0 = -(c0 * q0 + c1 * q1 + c2 * q2) / determinant
        s1 = -(c1 * q0 + (d00 * d22 - d02 * d02) * q1 + (d01 * d02 - d00 * d12) * q2) / determinant
        s2 = -(c2 * q0 + (d01 * d02 - d00 * d12) * q1 + (d00 * d11 - d01 * d01) * q2) / determinant
        if s0 >= 0.0 and s1 * s1 + s2 * s2 <= mu * mu * s0 * s0:
            change[row], change[row + 1], change[row + 2] = s0 - n, s1 - a, s2 - b
            return
    soft = 3.0 * d
    for _ in range(OWN_ITERATIONS):
        w1 = q1 + d01 * n + d11 * a + d12 * b
        w2 = q2 + d02 * n + d12 * a + d22 * b
        shift = 0.0 if law == at.RELAXED else mu * math.sqrt(w1 * w1 + w2 * w2)
        y0 = n - (q0 + d00 * n + d01 * a + d02 * b + shift) / soft
        y1, y2 = a - w1 / soft, b - w2 / soft
        length = math.sqrt(y1 * y1 + y2 * y2)
        part = 1.0
        if length > mu * y0:
            y0 = max((y0 + mu * length) / (1.0 + mu * mu), 0.0)
            part = mu * y0 / length if length > 0.0 else 0.0
        y1, y2 = part * y1, part * y2
        moved = soft * max(abs(y0 - n), abs(y1 - a), abs(y2 - b))
        n, a, b = y0, y1, y2
        if moved <= goal:
            break
    change[row], change[row + 1], change[row + 2] = n - x[row], a - x[row + 1], b - x[row + 2]


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
