# SPDX-License-Identifier: GPL-3.0-or-later
"""How far impulses and speeds are from the laws of contact, in m/s.

    max over blocks of |d (x - P(x - (sigma + s) / d))|,     s = mu |sigma_t| on the normal (De Saxce)

with the diagonal d of G M^-1 G^T and the projection P onto what impulses may be, in the metric d. It is 0 exactly where
all laws hold: for an equation it is |sigma|, for a contact that is open by itself the speed at which it closes.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .cones import is_circular, project_block, project_circle, sliding_shift
from .layout import integers, numbers_of


def shift_of(ints: IntArray, numbers: Array, i: int, sigma: Array) -> float:
    """De Saxce's shift of block i at speeds sigma [m/s]; 0 for all but contacts."""
    block = integers(ints, at.BLOCK)
    if block[at.BLOCK_FIELDS * i + at.KIND] != at.CONTACT:
        return 0.0
    friction, delassus = numbers_of(ints, numbers, at.FRICTION), numbers_of(ints, numbers, at.DELASSUS)
    law = int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
    row, count = block[at.BLOCK_FIELDS * i + at.ROW], block[at.BLOCK_FIELDS * i + at.COUNT]
    return sliding_shift(count, friction, i, law, sigma, row, delassus)


def block_residual(ints: IntArray, numbers: Array, i: int, x: Array, sigma: Array) -> float:
    """The residual of block i [m/s]. Uses Y and TRIAL."""
    block, unit = integers(ints, at.BLOCK), numbers_of(ints, numbers, at.UNIT)
    delassus, y = numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.Y)
    trial = numbers_of(ints, numbers, at.TRIAL)
    row, count = block[at.BLOCK_FIELDS * i + at.ROW], block[at.BLOCK_FIELDS * i + at.COUNT]
    for j in range(row, row + count):
        y[j] = x[j] - sigma[j] / delassus[j] if delassus[j] > 0.0 else 0.0
    is_contact = block[at.BLOCK_FIELDS * i + at.KIND] == at.CONTACT
    if is_contact and delassus[row] > 0.0:
        y[row] -= shift_of(ints, numbers, i, sigma) / delassus[row]
    project_block(ints, numbers, i, delassus, y, trial)
    total, most = 0.0, 0.0
    for j in range(row, row + count):
        missed = unit[j] * delassus[j] * (x[j] - trial[j])
        total += missed * missed
        most = max(most, abs(missed))
    return math.sqrt(total) if is_contact else most


def circle_residual(mu: float, d: float, law: int, row: int, x: Array, sigma: Array, y: Array, out: Array) -> float:
    """The residual of a circular contact [m/s], whose Delassus entry is d."""
    a, b = sigma[row + 1], sigma[row + 2]
    shift = 0.0 if law == at.RELAXED else mu * math.sqrt(a * a + b * b)
    y[row] = x[row] - (sigma[row] + shift) / d
    y[row + 1] = x[row + 1] - a / d
    y[row + 2] = x[row + 2] - b / d
    project_circle(mu, row, y, out)
    n, a, b = x[row] - out[row], x[row + 1] - out[row + 1], x[row + 2] - out[row + 2]
    return d * math.sqrt(n * n + a * a + b * b)


def residual(ints: IntArray, numbers: Array, island: int, x: Array, sigma: Array) -> tuple[float, int]:
    """The largest residual of an island's blocks [m/s] and the block that has it (-1: all are 0). Uses Y and TRIAL."""
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    block, friction = integers(ints, at.BLOCK), numbers_of(ints, numbers, at.FRICTION)
    delassus, unit = numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.UNIT)
    y, trial = numbers_of(ints, numbers, at.Y), numbers_of(ints, numbers, at.TRIAL)
    law = int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
    worst, which = 0.0, -1
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        row = block[at.BLOCK_FIELDS * i + at.ROW]
        if is_circular(block[at.BLOCK_FIELDS * i], block[at.BLOCK_FIELDS * i + at.COUNT], law):
            if delassus[row] == 0.0:
                continue
            mu = friction[at.FRICTIONS * i + at.MU]
            value = unit[row] * circle_residual(mu, delassus[row], law, row, x, sigma, y, trial)
        else:
            value = block_residual(ints, numbers, i, x, sigma)
        if not value <= worst:
            worst, which = value, i
    return worst, which
