# SPDX-License-Identifier: GPL-3.0-or-later
"""Which blocks of an island its slow methods look at: most contacts of a heap in flight are open, and stay so.

Contacts that are found far ahead join trees which do not touch, and fill the factor. So methods that factor matrices
see only *near* blocks: those that push, or that close or hardly part at speeds as they are. Their solution is one of
all blocks if it closes no other; where it does, those are near too, and it is looked for again. What was near stays
near.
"""

from __future__ import annotations

from ...arrays import Array, IntArray
from . import layout as at
from .layout import integers, numbers_of


def list_blocks(ints: IntArray, island: int) -> int:
    """Keep the blocks of an island in LISTED, none of them near; returns where they end in ISLAND_BLOCKS."""
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    listed, near = integers(ints, at.LISTED), integers(ints, at.IS_NEAR)
    for k in range(bounds[island], bounds[island + 1]):
        listed[k] = blocks[k]
        near[blocks[k]] = 0
    return int(bounds[island + 1])


def choose_near(ints: IntArray, numbers: Array, island: int, end: int, slow: float) -> bool:
    """Mark blocks up to `end` that are near at IMPULSE and SIGMA, or that part more slowly than `slow` [m/s], and let
    the island consist of those that are marked; whether there are new ones."""
    block, blocks = integers(ints, at.BLOCK), integers(ints, at.ISLAND_BLOCKS)
    bounds, listed, near = (
        integers(ints, at.ISLAND_BLOCK_START),
        integers(ints, at.LISTED),
        integers(ints, at.IS_NEAR),
    )
    x, sigma = numbers_of(ints, numbers, at.IMPULSE), numbers_of(ints, numbers, at.SIGMA)
    delassus, unit = numbers_of(ints, numbers, at.DELASSUS), numbers_of(ints, numbers, at.UNIT)
    first, more = bounds[island], False
    place = first
    for k in range(first, end):
        i = listed[k]
        row, kind = block[at.BLOCK_FIELDS * i + at.ROW], block[at.BLOCK_FIELDS * i + at.KIND]
        if near[i] == 0 and (
            kind != at.CONTACT or x[row] > 0.0 or (unit[row] * sigma[row] < slow and delassus[row] > 0.0)
        ):
            near[i] = 1
            more = True
        if near[i] == 1:
            blocks[place] = i
            place += 1
    bounds[island + 1] = place
    for k in range(first, end):
        if near[listed[k]] == 0:
            blocks[place] = listed[k]
            place += 1
    return more


def all_blocks(ints: IntArray, island: int, end: int) -> None:
    """Let the island consist of all its blocks again, in their order."""
    blocks, bounds = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    listed = integers(ints, at.LISTED)
    for k in range(bounds[island], end):
        blocks[k] = listed[k]
    bounds[island + 1] = end
