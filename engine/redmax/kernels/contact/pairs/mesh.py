# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex shape and the triangles of a mesh, those whose boxes are near it; `facet` has what each of them does."""

from __future__ import annotations

from ....arrays import Array, IntArray
from ....surfaces import layout
from ..convex import convex_of
from ..facets import triangle_of
from ..manifold import reduced
from ..sizes import MOST_WAITING, WAITING
from ..vectors import Pose, Vector, along, minus, pose_at, turned_back
from .facet import BOTH, FRONT, MOST, added, facet_points


def convex_mesh(
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
    """Contact points of a convex surface and a mesh; see `table`."""
    E, shape = pose_at(work, 0), convex_of(ints, numbers, a)
    mesh = ints[layout.SURFACE_INTS] + b * layout.INTS
    center = turned_back(E, (-E[9], -E[10], -E[11]))
    low, high = box_seen_from(numbers, ints[layout.SURFACE_NUMBERS] + a * layout.NUMBERS, E, center, margin)
    first, waiting, found = ints[mesh + layout.FIRST_NODE], 1, 0
    sides = BOTH if ints[mesh + layout.TWO_SIDED] == 1 else FRONT
    marks[WAITING] = 0
    while waiting > 0:
        waiting -= 1
        number = first + marks[WAITING + waiting]
        bounds = ints[layout.BOXES] + 6 * number
        if not overlap(numbers, bounds, low, high):
            continue
        node = ints[layout.NODES] + layout.NODE_INTS * number
        left, second = ints[node + layout.LEFT], ints[node + layout.RIGHT_OR_FIRST]
        if left >= 0:
            if waiting + 2 <= MOST_WAITING:
                marks[WAITING + waiting], marks[WAITING + waiting + 1] = second, left
                waiting += 2
            continue
        for face in range(second, second + ints[node + layout.FACES]):
            flat = triangle_of(ints, b, face, shape[8])
            points = facet_points(ints, numbers, shape, flat, E, center, margin, sides, work, marks)
            for k in range(points):
                found = added(found, k, face, shape[8], work, marks, out, ids)
    return reduced(found, MOST, out, ids)


def box_seen_from(numbers: Array, at: int, E: Pose, center: Vector, margin: float) -> tuple[Vector, Vector]:
    """Lower and upper corner of a box along the mesh's axes around a shape, whose record begins at `at`."""
    x, y, z = numbers[at + layout.EXTENT], numbers[at + layout.EXTENT + 1], numbers[at + layout.EXTENT + 2]
    half = (
        abs(E[0]) * x + abs(E[3]) * y + abs(E[6]) * z + margin,
        abs(E[1]) * x + abs(E[4]) * y + abs(E[7]) * z + margin,
        abs(E[2]) * x + abs(E[5]) * y + abs(E[8]) * z + margin,
    )
    return minus(center, half), along(center, 1.0, half)


def overlap(numbers: Array, at: int, low: Vector, high: Vector) -> bool:
    """Whether a box in the array overlaps another."""
    for i in range(3):  # noqa: SIM110  (kernels have no generators)
        if numbers[at + i] > high[i] or numbers[at + 3 + i] < low[i]:
            return False
    return True
