# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors over the coordinates or rows of one island: copies, sums, products."""

from __future__ import annotations

from ...arrays import Array, IntArray
from . import layout as at
from .layout import integers


def product(ints: IntArray, island: int, a: Array, b: Array) -> float:
    """Scalar product over the coordinates of an island."""
    start, trees, bounds = (
        integers(ints, at.TREE_START),
        integers(ints, at.ISLAND_TREES),
        integers(ints, at.ISLAND_TREE_START),
    )
    total = 0.0
    for k in range(bounds[island], bounds[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            total += a[c] * b[c]
    return total


def move(ints: IntArray, island: int, part: float, step: Array, x: Array) -> None:
    """x + part step in place, over the coordinates of an island."""
    start, trees, bounds = (
        integers(ints, at.TREE_START),
        integers(ints, at.ISLAND_TREES),
        integers(ints, at.ISLAND_TREE_START),
    )
    for k in range(bounds[island], bounds[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            x[c] += part * step[c]


def keep_rows(ints: IntArray, island: int, x: Array, out: Array) -> None:
    """Copy x to `out` for the rows of an island."""
    block, blocks, bounds = (
        integers(ints, at.BLOCK),
        integers(ints, at.ISLAND_BLOCKS),
        integers(ints, at.ISLAND_BLOCK_START),
    )
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            out[j] = x[j]


def copy_coordinates(ints: IntArray, island: int, x: Array, out: Array) -> None:
    """Copy x to `out` for the coordinates of an island."""
    start, trees, bounds = (
        integers(ints, at.TREE_START),
        integers(ints, at.ISLAND_TREES),
        integers(ints, at.ISLAND_TREE_START),
    )
    for k in range(bounds[island], bounds[island + 1]):
        for c in range(start[trees[k]], start[trees[k] + 1]):
            out[c] = x[c]


def fill_rows(ints: IntArray, island: int, value: float, out: Array) -> None:
    """Write a value for the rows of an island."""
    block, blocks, bounds = (
        integers(ints, at.BLOCK),
        integers(ints, at.ISLAND_BLOCKS),
        integers(ints, at.ISLAND_BLOCK_START),
    )
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            out[j] = value


def add_rows(ints: IntArray, island: int, x: Array, out: Array) -> None:
    """Add x to `out` for the rows of an island."""
    block, blocks, bounds = (
        integers(ints, at.BLOCK),
        integers(ints, at.ISLAND_BLOCKS),
        integers(ints, at.ISLAND_BLOCK_START),
    )
    for k in range(bounds[island], bounds[island + 1]):
        i = at.BLOCK_FIELDS * blocks[k]
        for j in range(block[i + at.ROW], block[i + at.ROW] + block[i + at.COUNT]):
            out[j] += x[j]
