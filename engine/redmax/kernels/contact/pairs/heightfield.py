# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex shape and a heightfield: the facets of the cells below the shape's box; `facet` has what each of them does.

Blocks of cells that lie lower than the box are passed over. A shape whose middle is below the heights is pushed out of
the triangles that are over it; walls and floor hold what is outside of them.
"""

from __future__ import annotations

import math

from ....arrays import Array, IntArray
from ....surfaces import layout
from ..convex import convex_of
from ..facets import EAST, FLOOR, LOWER, NORTH, SOUTH, UPPER, WEST, facet_of, grid_point, slope_normal
from ..manifold import reduced
from ..shapes import Convex
from ..vectors import Pose, Vector, pose_at, turned_back
from .facet import ABOVE, FRONT, MOST, SOLID, added, facet_points
from .mesh import box_seen_from


def convex_heightfield(
    ints: IntArray,
    numbers: Array,
    a: int,
    b: int,
    margin: float,
    work: Array,
    marks: IntArray,
    out: Array,
    ids: IntArray,
) -> int:
    """Contact points of a convex surface and a heightfield; see `table`."""
    E, shape = pose_at(work, 0), convex_of(ints, numbers, a)
    grid = ints[layout.GRIDS] + ints[ints[layout.SURFACE_INTS] + b * layout.INTS + layout.FIRST_NUMBER]
    center = turned_back(E, (-E[9], -E[10], -E[11]))
    low, high = box_seen_from(numbers, ints[layout.SURFACE_NUMBERS] + a * layout.NUMBERS, E, center, margin)
    half_x, half_y = numbers[grid + layout.HALF_X], numbers[grid + layout.HALF_Y]
    if high[0] < -half_x or low[0] > half_x or high[1] < -half_y or low[1] > half_y:
        return 0
    columns, rows = int(numbers[grid + layout.COLUMNS]) - 1, int(numbers[grid + layout.ROWS]) - 1  # of cells
    first_column = cell_at(low[0], half_x, numbers[grid + layout.SPACING_X], columns)
    last_column = cell_at(high[0], half_x, numbers[grid + layout.SPACING_X], columns)
    first_row = cell_at(low[1], half_y, numbers[grid + layout.SPACING_Y], rows)
    last_row = cell_at(high[1], half_y, numbers[grid + layout.SPACING_Y], rows)
    under = triangle_above(numbers, grid, center, columns, rows)
    blocks = (columns + layout.BLOCK - 1) // layout.BLOCK
    highest = grid + layout.GRID_HEAD + (columns + 1) * (rows + 1)
    found = 0
    for block_row in range(first_row // layout.BLOCK, last_row // layout.BLOCK + 1):
        for block in range(first_column // layout.BLOCK, last_column // layout.BLOCK + 1):
            if numbers[highest + block_row * blocks + block] < low[2]:
                continue
            begin, end = layout.BLOCK * block_row, layout.BLOCK * (block_row + 1)
            left, right = layout.BLOCK * block, layout.BLOCK * (block + 1)
            for row in range(max(first_row, begin), min(last_row + 1, end)):
                for column in range(max(first_column, left), min(last_column + 1, right)):
                    if highest_of(numbers, grid, column, row) < low[2]:
                        continue
                    face = 2 * (row * columns + column)
                    for which in range(2):
                        sides = ABOVE if face + which == under else FRONT if under < 0 else SOLID
                        found = put_facet(ints, numbers, shape, grid, column, row, which, face + which, sides, E,
                                          center, margin, found, work, marks, out, ids)  # fmt: skip
    face = 2 * columns * rows
    if center[1] < -half_y or center[1] > half_y:
        which, row = (SOUTH, 0) if center[1] < 0.0 else (NORTH, rows - 1)
        for column in range(first_column, last_column + 1):
            number = face + (column if which == SOUTH else columns + column)
            found = put_facet(ints, numbers, shape, grid, column, row, which, number, FRONT, E, center, margin, found,
                              work, marks, out, ids)  # fmt: skip
    face += 2 * columns
    if center[0] < -half_x or center[0] > half_x:
        which, column = (WEST, 0) if center[0] < 0.0 else (EAST, columns - 1)
        for row in range(first_row, last_row + 1):
            number = face + (row if which == WEST else rows + row)
            found = put_facet(ints, numbers, shape, grid, column, row, which, number, FRONT, E, center, margin, found,
                              work, marks, out, ids)  # fmt: skip
    if center[2] < numbers[grid + layout.BOTTOM]:
        found = put_facet(ints, numbers, shape, grid, 0, 0, FLOOR, face + 2 * rows, FRONT, E, center, margin, found,
                          work, marks, out, ids)  # fmt: skip
    return reduced(found, MOST, out, ids)


def cell_at(x: float, half: float, spacing: float, count: int) -> int:
    """The cell in which a place along an axis is, the nearest one where it is beyond all."""
    return int(min(max(math.floor((x + half) / spacing), 0.0), count - 1.0))


def highest_of(numbers: Array, grid: int, column: int, row: int) -> float:
    """The highest corner of a cell."""
    columns = int(numbers[grid + layout.COLUMNS])
    at = grid + layout.GRID_HEAD + row * columns + column
    return float(max(numbers[at], numbers[at + 1], numbers[at + columns], numbers[at + columns + 1]))


def triangle_above(numbers: Array, grid: int, x: Vector, columns: int, rows: int) -> int:
    """Number of the triangle above a point that is inside the solid, -1 where the point is not."""
    half_x, half_y = numbers[grid + layout.HALF_X], numbers[grid + layout.HALF_Y]
    if abs(x[0]) > half_x or abs(x[1]) > half_y or x[2] < numbers[grid + layout.BOTTOM]:
        return -1
    spacing_x, spacing_y = numbers[grid + layout.SPACING_X], numbers[grid + layout.SPACING_Y]
    column, row = cell_at(x[0], half_x, spacing_x, columns), cell_at(x[1], half_y, spacing_y, rows)
    p = grid_point(numbers, grid, column, row)
    which = LOWER if (x[0] - p[0]) * spacing_y >= (x[1] - p[1]) * spacing_x else UPPER
    m = slope_normal(numbers, grid, column, row, which)
    if m[0] * (x[0] - p[0]) + m[1] * (x[1] - p[1]) + m[2] * (x[2] - p[2]) >= 0.0:
        return -1
    return 2 * (row * columns + column) + which


def put_facet(
    ints: IntArray,
    numbers: Array,
    shape: Convex,
    grid: int,
    column: int,
    row: int,
    which: int,
    face: int,
    sides: int,
    E: Pose,
    center: Vector,
    margin: float,
    found: int,
    work: Array,
    marks: IntArray,
    out: Array,
    ids: IntArray,
) -> int:
    """Add the points of one facet, whose number is `face`; how many there are then."""
    flat = facet_of(grid, column, row, which, shape[8])
    points = facet_points(ints, numbers, shape, flat, E, center, margin, sides, work, marks)
    for k in range(points):
        found = added(found, k, face, shape[8], work, marks, out, ids)
    return found
