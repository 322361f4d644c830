# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex shape and a facet of a mesh or a heightfield.

Facet and shape are two convex shapes. Edges inside must not catch what slides over them: a normal that leans over an
edge beyond which the surface goes on, flat or rising, is that of the facet instead; one that leans over a ridge farther
than the next facet's normal is left to that facet.
"""

from __future__ import annotations

import math

from ....arrays import Array, IntArray
from ..convex import radius_of, support
from ..facets import beside, corner, holds, normal_of, offset_of
from ..manifold import MOST_OUT, OUT, put_contact, put_manifold, reduced
from ..shapes import Convex
from ..sizes import MANIFOLD_WORK, TRIANGLE_IDS, TRIANGLE_OUT
from ..vectors import Pose, Vector, along, cross, dot, length, minus, times, turned, turned_back, vector_at
from .convex_convex import facing

MOST = 16
"""Points that a shape has with a mesh or a heightfield at most."""
LEANS = 1e-7
"""Sine of the angle by which a normal leans over an edge, from which on it does."""
RESTING = 1e-6
"""Distance from a facet's plane, as a part of the shape's size, up to which a shape over the facet rests on it: its
normal needs no search then."""
ON_EDGE = 1e-5
"""Edges are equally near to a point whose distances from it differ by up to this part of the shape's size."""
INSIDE = 1e-12
"""How far outside the facet, as a part of the shape's size, a point over it may be."""
FACETS_FROM = 1 << 27
"""A point's number is that among two convex shapes, and this times the number of its facet."""
SAME_PLACE, SAME_NORMAL = 1e-6, 1e-6
"""Points of neighbouring facets are one if they are this part of the shape's size apart, and their normals differ by no
more."""

FACET_NORMAL, OWN_NORMAL, LEFT_OUT = range(3)
FRONT, BOTH, SOLID, ABOVE = range(4)
"""From which side a facet is touched: that of its normal, either, or the shape's middle is inside of the solid whose
skin it is; ABOVE: right below it."""


def facet_points(
    ints: IntArray,
    numbers: Array,
    shape: Convex,
    flat: Convex,
    E: Pose,
    center: Vector,
    margin: float,
    sides: int,
    work: Array,
    marks: IntArray,
) -> int:
    """Write the contact points of a shape and one facet to the work space; how many. E: pose of what the facet belongs
    to, seen from the shape. center: of the shape, seen from there. sides: FRONT to ABOVE."""
    m = normal_of(ints, numbers, flat)
    offset = offset_of(ints, numbers, flat, m)
    side, inside = 1.0, False
    if dot(m, center) < offset:
        if sides == FRONT:
            return 0
        if sides == BOTH:
            side = -1.0
        inside = sides >= SOLID
    m, offset = times(side, m), side * offset
    radius, up = radius_of(shape), turned(E, m)
    # The shape is at least as far away as from the facet's plane.
    x = support(numbers, shape, times(-1.0, up))
    above = dot(up, x) - (offset + dot(up, (E[9], E[10], E[11])))
    y = along(x, -above, up)
    if above - radius > margin:
        return 0
    own, out, ids = work[MANIFOLD_WORK:TRIANGLE_OUT], work[TRIANGLE_OUT:], marks[TRIANGLE_IDS:]
    at = turned_back(E, minus(y, (E[9], E[10], E[11])))
    if holds(numbers, flat, times(side, m), at, INSIDE * shape[8]):  # the point that is farthest down is over the facet
        return put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, True, own, out, ids)
    if radius == 0.0 and (abs(above) <= RESTING * shape[8] or inside):
        found = put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, False, own, out, ids)
        if found > 0:
            return found
    if inside:
        if sides != ABOVE:
            return 0
        return put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, True, own, out, ids)
    near, n, separation, on_a, on_b = facing(ints, numbers, shape, flat, E, margin + radius, work, marks)
    if not near:
        return 0
    at = turned_back(E, minus(on_b, (E[9], E[10], E[11])))
    farther = ON_EDGE * shape[8] if separation >= 0.0 else math.inf
    what = leaning(ints, numbers, flat, m, side, turned_back(E, n), at, farther)
    if what == LEFT_OUT:
        return 0
    if what == FACET_NORMAL:
        return put_manifold(ints, numbers, shape, flat, E, up, above, margin, x, y, False, own, out, ids)
    return put_manifold(ints, numbers, shape, flat, E, n, separation, margin, on_a, on_b, True, own, out, ids)


def leaning(
    ints: IntArray, numbers: Array, flat: Convex, m: Vector, side: float, n: Vector, at: Vector, farther: float
) -> int:
    """Which normal a contact with normal n has at a facet of normal m: its own, that of the facet, or none because it
    is the next facet's contact. side: -1 where the facet is seen from behind. at: its point of the facet. A normal
    that leans over the edge there may lean over others a little, too: those that are so much farther do not count."""
    result, count, nearest = OWN_NORMAL, flat[2], math.inf
    for k in range(count):
        p, q = corner(numbers, flat, k), corner(numbers, flat, (k + 1) % count)
        t = times(side, cross(minus(q, p), m))
        if dot(n, t) > LEANS * length(t):
            nearest = min(nearest, abs(dot(t, minus(p, at))) / length(t))
    for k in range(count):
        p, q = corner(numbers, flat, k), corner(numbers, flat, (k + 1) % count)
        t = times(side, cross(minus(q, p), m))
        t = times(1.0 / length(t), t)
        lean = dot(n, t)
        if lean <= LEANS or abs(dot(t, minus(p, at))) > nearest + farther:
            continue
        goes_on, next_m = beside(ints, numbers, flat, k)
        if not goes_on:
            continue
        next_m = times(side, next_m)
        falls = dot(next_m, t)
        if falls <= LEANS:
            result = FACET_NORMAL
        elif lean * dot(next_m, m) > falls * dot(n, m) + LEANS and result == OWN_NORMAL:
            result = LEFT_OUT
    return result


def added(found: int, k: int, face: int, size: float, work: Array, marks: IntArray, out: Array, ids: IntArray) -> int:
    """Add point k of a facet to those of the surface, unless it is there already; how many there are then."""
    at = TRIANGLE_OUT + OUT * k
    x, n, gap = vector_at(work, at), vector_at(work, at + 3), work[at + 6]
    number = (marks[TRIANGLE_IDS + k] + 1) + FACETS_FROM * face
    for j in range(found):
        d = minus(vector_at(out, OUT * j), x)
        if dot(d, d) <= (SAME_PLACE * size) ** 2 and dot(n, vector_at(out, OUT * j + 3)) >= 1.0 - SAME_NORMAL:
            if gap < out[OUT * j + 6]:
                put_contact(j, x, n, gap, ids[j], out, ids)
            return found
    if found == MOST_OUT:
        found = reduced(found, MOST_OUT // 2, out, ids)
    put_contact(found, x, n, gap, number, out, ids)
    return found + 1
