# SPDX-License-Identifier: GPL-3.0-or-later
"""De Saxce's shifts from one outer iteration to the next, by Anderson's acceleration.

Shifts s are right where they equal g(s) = mu |sigma_t|, the speeds being those of the problem with s held. A larger
shift lifts a contact, which takes friction from it, so that it slides more: the slope of g is about mu^2, and s <-
g(s) creeps for mu near 1 and flees beyond. From earlier pairs of s and g the next s is the one whose g would equal it,
were g linear.
"""

from __future__ import annotations

from ...arrays import Array, IntArray
from . import layout as at
from .dense import backward, cholesky, forward
from .layout import integers, numbers_of
from .residual import shift_of

LAST_ERROR, LAST_VALUE, CHANGES = 0, 1, 2
"""Rows of SHIFTS, each over all blocks: g - s and g of the iteration before; then changes of the first from iteration
to iteration, SHIFT_MEMORY rows, then those of the second."""

FIRST_PART = 0.7
"""Part of the way that shifts go to g where nothing earlier is known."""

REGULAR = 1e-9
"""Added to the diagonal of the least-squares problem, relative to it."""


def next_shifts(ints: IntArray, numbers: Array, island: int, known: int) -> int:
    """Write SHIFT of an island's contacts for the next iteration, after speeds REACHED; returns how many iterations are
    known now. known: how many were; 0 forgets them. Uses WEIGHT and CONE."""
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    reached, shift = numbers_of(ints, numbers, at.REACHED), numbers_of(ints, numbers, at.SHIFT)
    kept, normal, share = (
        numbers_of(ints, numbers, at.SHIFTS),
        numbers_of(ints, numbers, at.WEIGHT),
        numbers_of(ints, numbers, at.CONE),
    )
    count = ints[at.BLOCKS]
    newest = (known - 1) % at.SHIFT_MEMORY
    columns = min(known, at.SHIFT_MEMORY)
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        value = shift_of(ints, numbers, i, reached)
        error = value - shift[i]
        if known > 0:
            kept[(CHANGES + newest) * count + i] = error - kept[LAST_ERROR * count + i]
            kept[(CHANGES + at.SHIFT_MEMORY + newest) * count + i] = value - kept[LAST_VALUE * count + i]
        kept[LAST_ERROR * count + i] = error
        kept[LAST_VALUE * count + i] = value
    for a in range(columns):
        for b in range(a + 1):
            total = 0.0
            for k in range(bounds[island], bounds[island + 1]):
                total += kept[(CHANGES + a) * count + blocks[k]] * kept[(CHANGES + b) * count + blocks[k]]
            normal[a * columns + b] = total
        normal[a * columns + a] += REGULAR * normal[a * columns + a] + 1e-300
        total = 0.0
        for k in range(bounds[island], bounds[island + 1]):
            total += kept[(CHANGES + a) * count + blocks[k]] * kept[LAST_ERROR * count + blocks[k]]
        share[a] = total
    solved = columns > 0 and cholesky(normal, 0, columns)
    if solved:
        forward(normal, 0, columns, share, 0)
        backward(normal, 0, columns, share, 0)
    for k in range(bounds[island], bounds[island + 1]):
        i = blocks[k]
        following = kept[LAST_VALUE * count + i]
        if solved:
            for a in range(columns):
                following -= share[a] * kept[(CHANGES + at.SHIFT_MEMORY + a) * count + i]
        else:
            following = shift[i] + FIRST_PART * kept[LAST_ERROR * count + i]
        shift[i] = max(following, 0.0)
    return known + 1
