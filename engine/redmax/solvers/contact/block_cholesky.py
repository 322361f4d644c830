# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's matrix M + sum of G_b^T W_b G_b of an island and its Cholesky factor, blocks of trees in FACTOR.

Only blocks on and below the diagonal, in the order of elimination (`islands`), are written; of those on the diagonal
the lower triangle. An island of one tree is a dense matrix.
"""

from __future__ import annotations

from ...arrays import Array, IntArray
from . import layout as at
from .dense import backward, cholesky, forward, right_solve, subtract_product, subtract_square
from .layout import integers, numbers_of


def begin_matrix(ints: IntArray, numbers: Array, island: int, size: int) -> None:
    """M. size: numbers of the factor, from `order_elimination`."""
    factor, mass = numbers_of(ints, numbers, at.FACTOR), numbers_of(ints, numbers, at.MASS)
    trees, bounds = integers(ints, at.ISLAND_TREES), integers(ints, at.ISLAND_TREE_START)
    masses, place = integers(ints, at.MASS_START), integers(ints, at.PLACE)
    count = bounds[island + 1] - bounds[island]
    for k in range(size):
        factor[k] = 0.0
    for a in range(count):
        tree = trees[bounds[island] + a]
        here = place[a * count + a]
        for k in range(masses[tree + 1] - masses[tree]):
            factor[here + k] = mass[masses[tree] + k]


def add_row(ints: IntArray, numbers: Array, island: int, i: int, j: int, weight: float) -> None:
    """Add weight g^T g for row j of block i."""
    part, start, local = integers(ints, at.PART), integers(ints, at.TREE_START), integers(ints, at.LOCAL)
    place, position = integers(ints, at.PLACE), integers(ints, at.POSITION)
    bounds, block = integers(ints, at.ISLAND_TREE_START), integers(ints, at.BLOCK)
    values, factor = numbers_of(ints, numbers, at.JACOBIAN), numbers_of(ints, numbers, at.FACTOR)
    count = bounds[island + 1] - bounds[island]
    first = block[at.BLOCK_FIELDS * i + at.FIRST_PART]
    end = first + block[at.BLOCK_FIELDS * i + at.PART_COUNT]
    for p in range(first, end):
        tree = part[at.PART_FIELDS * p]
        a, n = local[tree], start[tree + 1] - start[tree]
        ga = part[at.PART_FIELDS * p + 1] + j * n
        for q in range(first, end):
            other = part[at.PART_FIELDS * q]
            b, m = local[other], start[other + 1] - start[other]
            if position[a] < position[b]:
                continue
            gb = part[at.PART_FIELDS * q + 1] + j * m
            here = place[a * count + b]
            for r in range(n):
                value = weight * values[ga + r]
                for c in range(r + 1 if a == b else m):
                    factor[here + r * m + c] += value * values[gb + c]


def add_contact(ints: IntArray, numbers: Array, island: int, i: int, weight: Array) -> None:
    """Add G^T W G for contact i; weight: W (rows, rows), row by row."""
    part, start, local = integers(ints, at.PART), integers(ints, at.TREE_START), integers(ints, at.LOCAL)
    place, position = integers(ints, at.PLACE), integers(ints, at.POSITION)
    bounds, block = integers(ints, at.ISLAND_TREE_START), integers(ints, at.BLOCK)
    values, factor = numbers_of(ints, numbers, at.JACOBIAN), numbers_of(ints, numbers, at.FACTOR)
    weighted = numbers_of(ints, numbers, at.WEIGHTED)
    count = bounds[island + 1] - bounds[island]
    rows, first = block[at.BLOCK_FIELDS * i + at.COUNT], block[at.BLOCK_FIELDS * i + at.FIRST_PART]
    end = first + block[at.BLOCK_FIELDS * i + at.PART_COUNT]
    for q in range(first, end):
        other = part[at.PART_FIELDS * q]
        b, m, gb = local[other], start[other + 1] - start[other], part[at.PART_FIELDS * q + 1]
        for r in range(rows):
            for c in range(m):
                total = 0.0
                for k in range(rows):
                    total += weight[r * rows + k] * values[gb + k * m + c]
                weighted[r * m + c] = total
        for p in range(first, end):
            tree = part[at.PART_FIELDS * p]
            a, n, ga = local[tree], start[tree + 1] - start[tree], part[at.PART_FIELDS * p + 1]
            if position[a] < position[b]:
                continue
            here = place[a * count + b]
            if rows == 3:
                for r in range(n):
                    x, y, z = values[ga + r], values[ga + n + r], values[ga + 2 * n + r]
                    for c in range(r + 1 if a == b else m):
                        factor[here + r * m + c] += x * weighted[c] + y * weighted[m + c] + z * weighted[2 * m + c]
                continue
            for k in range(rows):
                for r in range(n):
                    value = values[ga + k * n + r]
                    for c in range(r + 1 if a == b else m):
                        factor[here + r * m + c] += value * weighted[k * m + c]


def factorise(ints: IntArray, numbers: Array, island: int) -> bool:
    """Cholesky factor in place, column by column of blocks; False if the matrix is not positive definite."""
    factor, place, order = numbers_of(ints, numbers, at.FACTOR), integers(ints, at.PLACE), integers(ints, at.ORDER)
    starts, column = integers(ints, at.COLUMN_START), integers(ints, at.COLUMN_TREES)
    bounds, trees = integers(ints, at.ISLAND_TREE_START), integers(ints, at.ISLAND_TREES)
    coordinate = integers(ints, at.TREE_START)
    base = bounds[island]
    count = bounds[island + 1] - base
    for step in range(count):
        d = order[step]
        n = coordinate[trees[base + d] + 1] - coordinate[trees[base + d]]
        diagonal = place[d * count + d]
        if not cholesky(factor, diagonal, n):
            return False
        for p in range(starts[step], starts[step + 1]):
            a = column[p]
            rows = coordinate[trees[base + a] + 1] - coordinate[trees[base + a]]
            here = place[a * count + d]
            right_solve(factor, diagonal, n, here, rows)
            for q in range(starts[step], p):
                b = column[q]
                columns = coordinate[trees[base + b] + 1] - coordinate[trees[base + b]]
                subtract_product(factor, here, rows, place[b * count + d], columns, n, place[a * count + b])
            subtract_square(factor, here, rows, n, place[a * count + a])
    return True


def solve_factored(ints: IntArray, numbers: Array, island: int, x: Array) -> None:
    """Newton's matrix^-1 x in place, for the coordinates of the island."""
    factor, place, order = numbers_of(ints, numbers, at.FACTOR), integers(ints, at.PLACE), integers(ints, at.ORDER)
    starts, column = integers(ints, at.COLUMN_START), integers(ints, at.COLUMN_TREES)
    bounds, trees = integers(ints, at.ISLAND_TREE_START), integers(ints, at.ISLAND_TREES)
    coordinate = integers(ints, at.TREE_START)
    base = bounds[island]
    count = bounds[island + 1] - base
    for step in range(count):
        d = order[step]
        c = coordinate[trees[base + d]]
        n = coordinate[trees[base + d] + 1] - c
        forward(factor, place[d * count + d], n, x, c)
        for p in range(starts[step], starts[step + 1]):
            a = column[p]
            o, here = coordinate[trees[base + a]], place[a * count + d]
            for r in range(coordinate[trees[base + a] + 1] - o):
                total = 0.0
                for k in range(n):
                    total += factor[here + r * n + k] * x[c + k]
                x[o + r] -= total
    for step in range(count - 1, -1, -1):
        d = order[step]
        c = coordinate[trees[base + d]]
        n = coordinate[trees[base + d] + 1] - c
        for p in range(starts[step], starts[step + 1]):
            a = column[p]
            o, here = coordinate[trees[base + a]], place[a * count + d]
            for r in range(coordinate[trees[base + a] + 1] - o):
                value = x[o + r]
                for k in range(n):
                    x[c + k] -= factor[here + r * n + k] * value
        backward(factor, place[d * count + d], n, x, c)
