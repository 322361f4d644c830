# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex shape and the triangles of a mesh.

Each triangle near the shape is one of two convex shapes. Edges inside the mesh must not catch what slides over them: a
normal that leans over an edge beyond which the mesh goes on, flat or rising, is that of the triangle instead; one that
leans over a ridge farther than the next triangle's normal is left to that triangle.
"""

from __future__ import annotations

from ....arrays import Array, IntArray
from ....surfaces import layout
from ..convex import Convex, convex_of, radius_of, support, triangle_of
from ..manifold import MOST_OUT, OUT, put_contact, put_manifold, reduced
from ..sizes import MANIFOLD_WORK, MOST_WAITING, TRIANGLE_IDS, TRIANGLE_OUT, WAITING
from ..vectors import Pose, Vector, along, cross, dot, length, minus, pose_at, times, turned, turned_back, vector_at
from .convex_convex import facing

MOST = 16
"""Points that a shape has with a mesh at most."""
LEANS = 1e-7
"""Sine of the angle by which a normal leans over an edge, from which on it does."""
RESTING = 1e-6
"""Distance from a triangle's plane, as a part of the shape's size, up to which a shape over the triangle rests on it:
its normal needs no search then."""
TRIANGLES_FROM = 1 << 27
"""A point's number is that among two convex shapes, and this times the number of its triangle."""
SAME_PLACE, SAME_NORMAL = 1e-6, 1e-6
"""Points of neighbouring triangles are one if they are this part of the shape's size apart, and their normals differ by
no more."""

TRIANGLE_NORMAL, OWN_NORMAL, LEFT_OUT = range(3)


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
            points = triangle(
                ints, numbers, shape, b, face, E, center, margin, ints[mesh + layout.TWO_SIDED] == 1, work, marks
            )
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


def triangle(
    ints: IntArray,
    numbers: Array,
    shape: Convex,
    mesh: int,
    face: int,
    E: Pose,
    center: Vector,
    margin: float,
    two_sided: bool,
    work: Array,
    marks: IntArray,
) -> int:
    """Write the contact points of a shape and one triangle to the work space; how many. center: of the shape, seen from
    the mesh."""
    flat = triangle_of(ints, mesh, face, shape[8])
    plane = ints[layout.PLANES] + 4 * flat[3]
    m = vector_at(numbers, plane)
    side = 1.0
    if dot(m, center) < numbers[plane + 3]:
        if not two_sided:
            return 0
        side = -1.0
    m = times(side, m)
    radius, up = radius_of(shape), turned(E, m)
    # The shape is at least as far away as from the triangle's plane.
    x = support(numbers, shape, times(-1.0, up))
    above = dot(up, x) - (side * numbers[plane + 3] + dot(up, (E[9], E[10], E[11])))
    y = along(x, -above, up)
    if above - radius > margin:
        return 0
    own, out, ids = work[MANIFOLD_WORK:TRIANGLE_OUT], work[TRIANGLE_OUT:], marks[TRIANGLE_IDS:]
    if radius == 0.0 and abs(above) <= RESTING * shape[8]:
        found = put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, False, own, out, ids)
        if found > 0:
            return found
    near, n, separation, on_a, on_b = facing(ints, numbers, shape, flat, E, margin + radius, work, marks)
    if not near:
        return 0
    what = leaning(ints, numbers, flat, m, side, turned_back(E, n))
    if what == LEFT_OUT:
        return 0
    if what == TRIANGLE_NORMAL:
        return put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, False, own, out, ids)
    return put_manifold(ints, numbers, shape, flat, E, n, separation, margin, on_a, on_b, True, own, out, ids)


def leaning(ints: IntArray, numbers: Array, flat: Convex, m: Vector, side: float, n: Vector) -> int:
    """Which normal a contact with normal n has at a triangle of normal m: its own, that of the triangle, or none
    because it is the next triangle's contact. side: -1 where the triangle is seen from behind."""
    result = OWN_NORMAL
    for k in range(3):
        p, q = vector_at(numbers, flat[1] + 3 * k), vector_at(numbers, flat[1] + 3 * ((k + 1) % 3))
        t = times(side, cross(minus(q, p), m))
        t = times(1.0 / length(t), t)
        lean = dot(n, t)
        edge = ints[layout.BESIDE] + 12 * flat[3] + 4 * k
        if lean <= LEANS or numbers[edge + 3] == layout.BORDER:
            continue
        next_m = times(side, vector_at(numbers, edge))
        falls = dot(next_m, t)
        if falls <= LEANS:
            result = TRIANGLE_NORMAL
        elif lean * dot(next_m, m) > falls * dot(n, m) + LEANS and result == OWN_NORMAL:
            result = LEFT_OUT
    return result


def added(found: int, k: int, face: int, size: float, work: Array, marks: IntArray, out: Array, ids: IntArray) -> int:
    """Add point k of a triangle to those of the mesh, unless it is there already; how many there are then."""
    at = TRIANGLE_OUT + OUT * k
    x, n, gap = vector_at(work, at), vector_at(work, at + 3), work[at + 6]
    number = (marks[TRIANGLE_IDS + k] + 1) + TRIANGLES_FROM * face
    for j in range(found):
        d = minus(vector_at(out, OUT * j), x)
        if dot(d, d) <= (SAME_PLACE * size) ** 2 and dot(n, vector_at(out, OUT * j + 3)) >= 1.0 - SAME_NORMAL:
            if gap < out[OUT * j + 6]:
                put_contact(j, x, n, gap, number, out, ids)
            return found
    if found == MOST_OUT:
        found = reduced(found, MOST_OUT // 2, out, ids)
    put_contact(found, x, n, gap, number, out, ids)
    return found + 1
