# SPDX-License-Identifier: GPL-3.0-or-later
"""The side of a convex shape that faces a direction: a point, a segment or a polygon of its core.

`points` holds POINT numbers per corner: position, then its number, by which it is known again. Corners are seen
counter-clockwise from outside. Round rims are polygons with corners at fixed angles, and one where they go farthest.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from ...surfaces import layout
from .facets import corner, is_facet, normal_of
from .shapes import Convex
from .vectors import Pose, Vector, dot, placed, turned, turned_back

POINT = 4
MOST_POINTS = 64
RIM = 8
"""Corners at fixed angles on a rim."""
SAME_ANGLE = 1e-3
"""Corners of a rim that are closer [rad] to the farthest one are left out for it."""
CONTAINS = 1e-9
"""A face counts as reaching as far as the farthest corner if it does to this part of the size."""


def put_feature(
    ints: IntArray, numbers: Array, shape: Convex, E: Pose, d: Vector, points: Array, at: int
) -> tuple[int, Vector]:
    """Write the side of a shape that faces a direction d from `at` on; how many corners, and its outward normal.

    E: pose of the shape in the frame in which d, the points and the normal are. Points and segments have d as normal.
    """
    kind, m = shape[0], turned_back(E, d)
    if kind == layout.CAPSULE:
        put_point(points, at, placed(E, (0.0, 0.0, -shape[6])), 0)
        put_point(points, at + POINT, placed(E, (0.0, 0.0, shape[6])), 1)
        return 2, d
    if kind in (layout.CYLINDER, layout.CONE):
        return round_feature(shape, E, m, d, points, at)
    if is_facet(shape):
        n, count = normal_of(ints, numbers, shape), shape[2]
        back = dot(n, m) < 0.0
        for k in range(count):
            j = count - 1 - k if back else k
            put_point(points, at + POINT * k, placed(E, corner(numbers, shape, j)), j)
        return count, turned(E, (-n[0], -n[1], -n[2]) if back else n)
    if kind in (layout.BOX, layout.HULL):
        return polyhedron_feature(ints, numbers, shape, E, m, points, at)
    return 0, d


def put_point(points: Array, at: int, x: Vector, number: float) -> None:
    points[at], points[at + 1], points[at + 2], points[at + 3] = x[0], x[1], x[2], number


def polyhedron_feature(
    ints: IntArray, numbers: Array, shape: Convex, E: Pose, m: Vector, points: Array, at: int
) -> tuple[int, Vector]:
    """The face that reaches as far as the whole shape and faces m best."""
    most = -math.inf
    for k in range(shape[2]):
        v = shape[1] + 3 * k
        most = max(most, numbers[v] * m[0] + numbers[v + 1] * m[1] + numbers[v + 2] * m[2])
    enough = most - CONTAINS * shape[8]
    best, facing = -1, -math.inf
    for f in range(shape[3], shape[3] + shape[4]):
        plane = ints[layout.PLANES] + 4 * f
        faces = numbers[plane] * m[0] + numbers[plane + 1] * m[1] + numbers[plane + 2] * m[2]
        if faces > facing:
            first, last = ints[ints[layout.CORNERS_OF] + f], ints[ints[layout.CORNERS_OF] + f + 1]
            reaches = False
            for c in range(first, last):
                v = shape[1] + 3 * ints[ints[layout.CORNERS] + c]
                reaches = reaches or numbers[v] * m[0] + numbers[v + 1] * m[1] + numbers[v + 2] * m[2] >= enough
            if reaches:
                best, facing = f, faces
    plane = ints[layout.PLANES] + 4 * best
    first, last = ints[ints[layout.CORNERS_OF] + best], ints[ints[layout.CORNERS_OF] + best + 1]
    # A face with very many corners is taken with as many of them as there is room for.
    count = min(last - first, MOST_POINTS)
    for k in range(count):
        corner = ints[ints[layout.CORNERS] + first + (k * (last - first)) // count]
        v = shape[1] + 3 * corner
        put_point(points, at + POINT * k, placed(E, (numbers[v], numbers[v + 1], numbers[v + 2])), corner)
    return count, turned(E, (numbers[plane], numbers[plane + 1], numbers[plane + 2]))


def round_feature(shape: Convex, E: Pose, m: Vector, d: Vector, points: Array, at: int) -> tuple[int, Vector]:
    """The rim of a flat end, or the line on the side of a cylinder or a cone."""
    r, half, is_cone = shape[5], shape[6], shape[0] == layout.CONE
    radial = math.sqrt(m[0] * m[0] + m[1] * m[1])
    x, y = (m[0] / radial, m[1] / radial) if radial > 0.0 else (1.0, 0.0)
    # The normal of the side in the plane of the axis and m.
    slant = math.sqrt(4.0 * half * half + r * r)
    side_r, side_z = (2.0 * half / slant, r / slant) if is_cone else (1.0, 0.0)
    side = radial * side_r + m[2] * side_z
    if abs(m[2]) >= side and not (is_cone and m[2] > 0.0):
        top = m[2] > 0.0
        z = half if top else -half
        turn = 1.0 if top else -1.0  # counter-clockwise from outside
        start = math.atan2(y, x)
        count = 1
        put_point(points, at, placed(E, (r * x, r * y, z)), 20 if top else 21)
        step = 2.0 * math.pi / RIM
        # The first fixed angle beyond the start, in the sense of the outline.
        first = math.floor(turn * start / step) + 1.0
        for k in range(RIM):
            angle = turn * (first + k) * step
            off = abs(angle - start)
            if min(off, abs(off - 2.0 * math.pi)) > SAME_ANGLE:
                number = int(turn * (first + k)) % RIM
                corner = placed(E, (r * math.cos(angle), r * math.sin(angle), z))
                put_point(points, at + POINT * count, corner, number if top else number + RIM)
                count += 1
        return count, turned(E, (0.0, 0.0, turn))
    tip = 0.0 if is_cone else r
    put_point(points, at, placed(E, (r * x, r * y, -half)), 21)
    put_point(points, at + POINT, placed(E, (tip * x, tip * y, half)), 20)
    return 2, d
