# SPDX-License-Identifier: GPL-3.0-or-later
"""Products with rows and mass matrices of one island: G v, G^T x, M x, M^-1 x, and the diagonal of G M^-1 G^T."""

from __future__ import annotations

from ...arrays import Array, IntArray
from . import layout as at
from .dense import backward, cholesky, forward
from .layout import integers, numbers_of

IMMOVABLE = 1e-24
"""A row moves nothing but rounding if its Delassus entry, in m/s per N s, is no more than this part of the largest;
and a contact whose normal is no more than 1e-12 of its own rows' mean."""


def row_speeds(ints: IntArray, numbers: Array, island: int, v: Array, out: Array) -> None:
    """G v, written for the rows of the island."""
    block, part = integers(ints, at.BLOCK), integers(ints, at.PART)
    start, blocks = integers(ints, at.TREE_START), integers(ints, at.ISLAND_BLOCKS)
    bounds, values = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, at.JACOBIAN)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        row, count, first = block[i + at.ROW], block[i + at.COUNT], block[i + at.FIRST_PART]
        for j in range(count):
            total = 0.0
            for p in range(first, first + block[i + at.PART_COUNT]):
                tree = part[at.PART_FIELDS * p]
                c, n = start[tree], start[tree + 1] - start[tree]
                g = part[at.PART_FIELDS * p + 1] + j * n
                for q in range(n):
                    total += values[g + q] * v[c + q]
            out[row + j] = total


def add_row_forces(ints: IntArray, numbers: Array, island: int, table: int, x: Array, out: Array) -> None:
    """Add G^T x (table: JACOBIAN) or M^-1 G^T x (table: INVERSE) to `out`."""
    block, part = integers(ints, at.BLOCK), integers(ints, at.PART)
    start, blocks = integers(ints, at.TREE_START), integers(ints, at.ISLAND_BLOCKS)
    bounds, values = integers(ints, at.ISLAND_BLOCK_START), numbers_of(ints, numbers, table)
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        row, count, first = block[i + at.ROW], block[i + at.COUNT], block[i + at.FIRST_PART]
        for j in range(count):
            push = x[row + j]
            if push == 0.0:
                continue
            for p in range(first, first + block[i + at.PART_COUNT]):
                tree = part[at.PART_FIELDS * p]
                c, n = start[tree], start[tree + 1] - start[tree]
                g = part[at.PART_FIELDS * p + 1] + j * n
                for q in range(n):
                    out[c + q] += values[g + q] * push


def mass_product(ints: IntArray, numbers: Array, island: int, x: Array, out: Array) -> None:
    """M x, written for the coordinates of the island."""
    start, trees = integers(ints, at.TREE_START), integers(ints, at.ISLAND_TREES)
    masses, bounds = integers(ints, at.MASS_START), integers(ints, at.ISLAND_TREE_START)
    mass = numbers_of(ints, numbers, at.MASS)
    for k in range(bounds[island], bounds[island + 1]):
        tree = trees[k]
        c, n, m = start[tree], start[tree + 1] - start[tree], masses[tree]
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += mass[m + i * n + j] * x[c + j]
            out[c + i] = total


def factor_masses(ints: IntArray, numbers: Array) -> bool:
    """Cholesky factors of all mass matrices; False where one is not positive definite or not finite."""
    start, masses = integers(ints, at.TREE_START), integers(ints, at.MASS_START)
    mass, factor = numbers_of(ints, numbers, at.MASS), numbers_of(ints, numbers, at.MASS_FACTOR)
    for tree in range(ints[at.TREES]):
        for k in range(masses[tree], masses[tree + 1]):
            factor[k] = mass[k]
        if not cholesky(factor, masses[tree], start[tree + 1] - start[tree]):
            return False
    return True


def delassus_diagonal(ints: IntArray, numbers: Array) -> bool:
    """Write INVERSE = M^-1 G^T, OWN = G M^-1 G^T of each contact by itself, and the diagonal d of G M^-1 G^T; False
    where a number is not finite.

    d is one number for the normal and both tangents of a contact (their mean) and for both rolling rows; 0 for rows
    that move nothing, whose impulses stay 0.
    """
    block, part, start = integers(ints, at.BLOCK), integers(ints, at.PART), integers(ints, at.TREE_START)
    masses, values = integers(ints, at.MASS_START), numbers_of(ints, numbers, at.JACOBIAN)
    factor, delassus = numbers_of(ints, numbers, at.MASS_FACTOR), numbers_of(ints, numbers, at.DELASSUS)
    inverse, unit = numbers_of(ints, numbers, at.INVERSE), numbers_of(ints, numbers, at.UNIT)
    largest = 0.0
    for k in range(ints[at.BLOCKS]):
        i = at.BLOCK_FIELDS * k
        row, first = block[i + at.ROW], block[i + at.FIRST_PART]
        for j in range(block[i + at.COUNT]):
            total = 0.0
            for p in range(first, first + block[i + at.PART_COUNT]):
                tree = part[at.PART_FIELDS * p]
                n = start[tree + 1] - start[tree]
                g = part[at.PART_FIELDS * p + 1] + j * n
                for q in range(n):
                    inverse[g + q] = values[g + q]
                forward(factor, masses[tree], n, inverse, g)
                backward(factor, masses[tree], n, inverse, g)
                for q in range(n):
                    total += inverse[g + q] * values[g + q]
            delassus[row + j] = total
            largest = max(largest, total * unit[row + j] * unit[row + j])
            if not total < 1e300:
                return False
    for k in range(ints[at.BLOCKS]):
        i = at.BLOCK_FIELDS * k
        row, count = block[i + at.ROW], block[i + at.COUNT]
        for j in range(row, row + count):
            if delassus[j] * unit[j] * unit[j] <= IMMOVABLE * largest:
                delassus[j] = 0.0
        if block[i + at.KIND] == at.CONTACT:
            own_delassus(ints, numbers, k)
            mean = (delassus[row] + delassus[row + 1] + delassus[row + 2]) / 3.0
            if delassus[row] <= 1e-12 * mean:
                mean = 0.0
            for j in range(3):
                delassus[row + j] = mean
            if count >= 5:
                mean = 0.5 * (delassus[row + count - 2] + delassus[row + count - 1])
                delassus[row + count - 2] = mean
                delassus[row + count - 1] = mean
    return True


def own_delassus(ints: IntArray, numbers: Array, k: int) -> None:
    """G M^-1 G^T (rows, rows) of contact k by itself, in OWN."""
    block, part, start = integers(ints, at.BLOCK), integers(ints, at.PART), integers(ints, at.TREE_START)
    values, inverse = numbers_of(ints, numbers, at.JACOBIAN), numbers_of(ints, numbers, at.INVERSE)
    own = numbers_of(ints, numbers, at.OWN)
    count, first = block[at.BLOCK_FIELDS * k + at.COUNT], block[at.BLOCK_FIELDS * k + at.FIRST_PART]
    o = at.MOST_CONTACT_ROWS * at.MOST_CONTACT_ROWS * k
    for i in range(count):
        for j in range(i + 1):
            total = 0.0
            for p in range(first, first + block[at.BLOCK_FIELDS * k + at.PART_COUNT]):
                tree = part[at.PART_FIELDS * p]
                n, g = start[tree + 1] - start[tree], part[at.PART_FIELDS * p + 1]
                for q in range(n):
                    total += values[g + i * n + q] * inverse[g + j * n + q]
            own[o + i * count + j] = total
            own[o + j * count + i] = total
