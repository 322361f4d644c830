# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands: trees that rows tie together, each to be solved by itself; and the order in which its trees are eliminated.

The order is that of least degree: next comes the tree with fewest neighbours that are left, of several the first, and
its neighbours become neighbours of each other. What has been joined so is the pattern of the factor.
"""

from __future__ import annotations

from ...arrays import IntArray
from . import layout as at
from .layout import integers


def find_islands(ints: IntArray) -> int:
    """Write ISLAND_TREES and ISLAND_BLOCKS, island by island in the order of their first trees; returns how many.

    Blocks without parts belong to none. Uses LOCAL and DEGREE as work space.
    """
    block, part = integers(ints, at.BLOCK), integers(ints, at.PART)
    leader, number = integers(ints, at.LOCAL), integers(ints, at.DEGREE)
    trees, blocks = ints[at.TREES], ints[at.BLOCKS]
    for t in range(trees):
        leader[t] = t
    for k in range(blocks):
        first = block[at.BLOCK_FIELDS * k + at.FIRST_PART]
        for p in range(first + 1, first + block[at.BLOCK_FIELDS * k + at.PART_COUNT]):
            a, b = part[at.PART_FIELDS * first], part[at.PART_FIELDS * p]
            while leader[a] != a:
                leader[a] = leader[leader[a]]
                a = leader[a]
            while leader[b] != b:
                leader[b] = leader[leader[b]]
                b = leader[b]
            leader[max(a, b)] = min(a, b)
    islands = 0
    for t in range(trees):  # leaders come before those they lead
        if leader[t] == t:
            number[t] = islands
            islands += 1
        else:
            leader[t] = leader[leader[t]]
            number[t] = number[leader[t]]
    starts, found = integers(ints, at.ISLAND_TREE_START), integers(ints, at.ISLAND_TREES)
    for n in range(islands + 1):
        starts[n] = 0
    for t in range(trees):
        starts[number[t] + 1] += 1
    for n in range(islands):
        starts[n + 1] += starts[n]
    for t in range(trees):
        found[starts[number[t]]] = t
        starts[number[t]] += 1
    for n in range(islands, 0, -1):
        starts[n] = starts[n - 1]
    starts[0] = 0
    starts, found = integers(ints, at.ISLAND_BLOCK_START), integers(ints, at.ISLAND_BLOCKS)
    for n in range(islands + 1):
        starts[n] = 0
    for k in range(blocks):
        if block[at.BLOCK_FIELDS * k + at.PART_COUNT] > 0:
            starts[number[part[at.PART_FIELDS * block[at.BLOCK_FIELDS * k + at.FIRST_PART]]] + 1] += 1
    for n in range(islands):
        starts[n + 1] += starts[n]
    for k in range(blocks):
        if block[at.BLOCK_FIELDS * k + at.PART_COUNT] > 0:
            n = number[part[at.PART_FIELDS * block[at.BLOCK_FIELDS * k + at.FIRST_PART]]]
            found[starts[n]] = k
            starts[n] += 1
    for n in range(islands, 0, -1):
        starts[n] = starts[n - 1]
    starts[0] = 0
    ints[at.ISLANDS] = islands
    return islands


def join_neighbours(ints: IntArray, island: int) -> None:
    """Write LOCAL, and EDGE in PLACE for trees of the island that share a block, and for each with itself."""
    block, part, place = integers(ints, at.BLOCK), integers(ints, at.PART), integers(ints, at.PLACE)
    local, trees, bounds = (
        integers(ints, at.LOCAL),
        integers(ints, at.ISLAND_TREES),
        integers(ints, at.ISLAND_TREE_START),
    )
    blocks, limits = integers(ints, at.ISLAND_BLOCKS), integers(ints, at.ISLAND_BLOCK_START)
    count = bounds[island + 1] - bounds[island]
    for k in range(count):
        local[trees[bounds[island] + k]] = k
    for k in range(count * count):
        place[k] = at.NOWHERE
    for k in range(count):
        place[k * count + k] = at.EDGE
    for k in range(limits[island], limits[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        first, end = block[i + at.FIRST_PART], block[i + at.FIRST_PART] + block[i + at.PART_COUNT]
        for p in range(first, end):
            a = local[part[at.PART_FIELDS * p]]
            for q in range(first, p):
                b = local[part[at.PART_FIELDS * q]]
                place[a * count + b] = at.EDGE
                place[b * count + a] = at.EDGE


def order_elimination(ints: IntArray, island: int) -> int:
    """Write ORDER, POSITION, COLUMN_START, COLUMN_TREES and PLACE of an island; returns how many numbers its factor
    takes.

    Trees in these are local ones: numbers within the island.
    """
    join_neighbours(ints, island)
    place, degree = integers(ints, at.PLACE), integers(ints, at.DEGREE)
    order, position = integers(ints, at.ORDER), integers(ints, at.POSITION)
    starts, column = integers(ints, at.COLUMN_START), integers(ints, at.COLUMN_TREES)
    bounds, trees = integers(ints, at.ISLAND_TREE_START), integers(ints, at.ISLAND_TREES)
    coordinate = integers(ints, at.TREE_START)
    count = bounds[island + 1] - bounds[island]
    for a in range(count):
        position[a] = -1
        degree[a] = 0
        for b in range(count):
            if a != b and place[a * count + b] == at.EDGE:
                degree[a] += 1
    used = 0
    for step in range(count):
        best = -1
        for a in range(count):
            if position[a] < 0 and (best < 0 or degree[a] < degree[best]):
                best = a
        order[step] = best
        position[best] = step
        starts[step] = used
        for a in range(count):
            if position[a] < 0 and place[best * count + a] == at.EDGE:
                column[used] = a
                used += 1
                degree[a] -= 1
        for p in range(starts[step], used):
            a = column[p]
            for q in range(starts[step], p):
                b = column[q]
                if place[a * count + b] != at.EDGE:
                    place[a * count + b] = at.EDGE
                    place[b * count + a] = at.EDGE
                    degree[a] += 1
                    degree[b] += 1
    starts[count] = used
    size = 0
    for step in range(count):
        a = order[step]
        n = coordinate[trees[bounds[island] + a] + 1] - coordinate[trees[bounds[island] + a]]
        place[a * count + a] = size
        size += n * n
        sort_by_position(column, starts[step], starts[step + 1], position)
        for p in range(starts[step], starts[step + 1]):
            b = column[p]
            place[b * count + a] = size
            size += n * (coordinate[trees[bounds[island] + b] + 1] - coordinate[trees[bounds[island] + b]])
    return int(size)


def sort_by_position(column: IntArray, first: int, end: int, position: IntArray) -> None:
    """Sort trees column[first:end] by the order of elimination."""
    for p in range(first + 1, end):
        tree, q = column[p], p
        while q > first and position[column[q - 1]] > position[tree]:
            column[q] = column[q - 1]
            q -= 1
        column[q] = tree
