# SPDX-License-Identifier: GPL-3.0-or-later
"""Facets of meshes and heightfields: flat convex shapes whose corners, planes and neighbours are known.

A triangle of a mesh has them in the packed arrays. A facet of a heightfield is worked out from the heights around its
cell where it is needed: two triangles on top, cut from the corner of least x and y to the opposite one, a wall at each
border, and one floor. The walls of a cell are at its sides of least y, most y, least x and most x.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from ...surfaces import layout
from .shapes import FACET, TRIANGLE, Convex
from .vectors import Vector, cross, minus, vector_at

LOWER, UPPER, SOUTH, NORTH, WEST, EAST, FLOOR = range(7)
"""Facets of a cell: the triangle with the corner of most x and least y, the other one, walls; and the floor of all."""


def triangle_of(ints: IntArray, surface: int, face: int, reach: float) -> Convex:
    """A triangle of a mesh. face: counted from the surface's first."""
    at = ints[layout.SURFACE_INTS] + surface * layout.INTS
    first = ints[layout.VERTICES] + 3 * (ints[at + layout.FIRST_VERTEX] + 3 * face)
    return (TRIANGLE, first, 3, ints[at + layout.FIRST_FACE] + face, 1, 0.0, 0.0, 0.0, reach)


def facet_of(grid: int, column: int, row: int, which: int, reach: float) -> Convex:
    """A facet of a cell. grid: place in `numbers` of its heightfield's."""
    corners = 3 if which <= UPPER else 4
    return (FACET, grid, corners, which, 0, float(column), float(row), 0.0, reach)


def is_facet(shape: Convex) -> bool:
    return shape[0] in (TRIANGLE, FACET)


def corner(numbers: Array, flat: Convex, k: int) -> Vector:
    """Corner k of a facet; they go counter-clockwise seen from outside."""
    if flat[0] == TRIANGLE:
        return vector_at(numbers, flat[1] + 3 * k)
    which, column, row = flat[3], int(flat[5]), int(flat[6])
    if which == LOWER:  # (0, 0), (1, 0), (1, 1) of column and row
        return grid_point(numbers, flat[1], column + (1 if k >= 1 else 0), row + (1 if k >= 2 else 0))
    if which == UPPER:  # (0, 0), (1, 1), (0, 1)
        return grid_point(numbers, flat[1], column + (1 if k == 1 else 0), row + (1 if k >= 1 else 0))
    second = k in (1, 2)
    if which == FLOOR:
        x, y = numbers[flat[1] + layout.HALF_X], numbers[flat[1] + layout.HALF_Y]
        return (x if k >= 2 else -x, y if second else -y, numbers[flat[1] + layout.BOTTOM])
    # Walls: from the bottom to the top on their right, and down on their left, seen from outside.
    right = second if which in (SOUTH, EAST) else not second
    if which in (SOUTH, NORTH):
        x = grid_point(numbers, flat[1], column + (1 if right else 0), row + (1 if which == NORTH else 0))
    else:
        x = grid_point(numbers, flat[1], column + (1 if which == EAST else 0), row + (1 if right else 0))
    return (x[0], x[1], x[2] if k >= 2 else numbers[flat[1] + layout.BOTTOM])


def grid_point(numbers: Array, grid: int, column: int, row: int) -> Vector:
    """Where a height is."""
    height = numbers[grid + layout.GRID_HEAD + row * int(numbers[grid + layout.COLUMNS]) + column]
    return (
        column * numbers[grid + layout.SPACING_X] - numbers[grid + layout.HALF_X],
        row * numbers[grid + layout.SPACING_Y] - numbers[grid + layout.HALF_Y],
        height,
    )


def normal_of(ints: IntArray, numbers: Array, flat: Convex) -> Vector:
    """Outward unit normal of a facet."""
    if flat[0] == TRIANGLE:
        return vector_at(numbers, ints[layout.PLANES] + 4 * flat[3])
    which = flat[3]
    if which <= UPPER:
        return slope_normal(numbers, flat[1], int(flat[5]), int(flat[6]), which)
    if which == FLOOR:
        return (0.0, 0.0, -1.0)
    return wall_normal(which)


def wall_normal(which: int) -> Vector:
    if which <= NORTH:
        return (0.0, -1.0 if which == SOUTH else 1.0, 0.0)
    return (-1.0 if which == WEST else 1.0, 0.0, 0.0)


def slope_normal(numbers: Array, grid: int, column: int, row: int, which: int) -> Vector:
    """Upward unit normal of a triangle on top of a cell."""
    columns = int(numbers[grid + layout.COLUMNS])
    at = grid + layout.GRID_HEAD + row * columns + column
    near, far = numbers[at], numbers[at + columns + 1]
    if which == LOWER:
        x, y = numbers[at + 1] - near, far - numbers[at + 1]
    else:
        x, y = far - numbers[at + columns], numbers[at + columns] - near
    x, y = -x / numbers[grid + layout.SPACING_X], -y / numbers[grid + layout.SPACING_Y]
    size = 1.0 / math.sqrt(x * x + y * y + 1.0)
    return (size * x, size * y, size)


def offset_of(ints: IntArray, numbers: Array, flat: Convex, m: Vector) -> float:
    """How far along its normal m the plane of a facet lies."""
    if flat[0] == TRIANGLE:
        return float(numbers[ints[layout.PLANES] + 4 * flat[3] + 3])
    x = corner(numbers, flat, 0)
    return m[0] * x[0] + m[1] * x[1] + m[2] * x[2]


def beside(ints: IntArray, numbers: Array, flat: Convex, k: int) -> tuple[bool, Vector]:
    """Whether a facet goes on beyond its edge from corner k to the next, and the outward normal there."""
    if flat[0] == TRIANGLE:
        edge = ints[layout.BESIDE] + 12 * flat[3] + 4 * k
        return numbers[edge + 3] != layout.BORDER, vector_at(numbers, edge)
    grid, which, column, row = flat[1], flat[3], int(flat[5]), int(flat[6])
    last_column = int(numbers[grid + layout.COLUMNS]) - 2
    last_row = int(numbers[grid + layout.ROWS]) - 2
    if which == LOWER:
        if k == 0:
            if row == 0:
                return True, wall_normal(SOUTH)
            return True, slope_normal(numbers, grid, column, row - 1, UPPER)
        if k == 1:
            if column == last_column:
                return True, wall_normal(EAST)
            return True, slope_normal(numbers, grid, column + 1, row, UPPER)
        return True, slope_normal(numbers, grid, column, row, UPPER)
    if which == UPPER:
        if k == 0:
            return True, slope_normal(numbers, grid, column, row, LOWER)
        if k == 1:
            if row == last_row:
                return True, wall_normal(NORTH)
            return True, slope_normal(numbers, grid, column, row + 1, LOWER)
        if column == 0:
            return True, wall_normal(WEST)
        return True, slope_normal(numbers, grid, column - 1, row, LOWER)
    if which == FLOOR:
        return True, wall_normal((WEST, NORTH, EAST, SOUTH)[k])
    if k == 0:
        return True, (0.0, 0.0, -1.0)
    if k == 2:
        return True, slope_normal(numbers, grid, column, row, LOWER if which in (SOUTH, EAST) else UPPER)
    right = k == 1
    if which in (SOUTH, NORTH):
        high = right if which == SOUTH else not right
        if column == (last_column if high else 0):
            return True, wall_normal(EAST if high else WEST)
    else:
        high = right if which == EAST else not right
        if row == (last_row if high else 0):
            return True, wall_normal(NORTH if high else SOUTH)
    return True, wall_normal(which)


def holds(numbers: Array, flat: Convex, m: Vector, y: Vector, tolerance: float) -> bool:
    """Whether a point of the plane of a facet, whose normal is m, is inside its outline, or this much outside."""
    for k in range(flat[2]):
        p = corner(numbers, flat, k)
        e = minus(corner(numbers, flat, (k + 1) % flat[2]), p)
        out = cross(e, m)
        d = minus(y, p)
        if out[0] * d[0] + out[1] * d[1] + out[2] * d[2] > tolerance * math.sqrt(
            e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        ):
            return False
    return True
