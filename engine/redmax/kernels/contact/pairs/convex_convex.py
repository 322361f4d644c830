# SPDX-License-Identifier: GPL-3.0-or-later
"""Any two convex shapes: distance outside, expanding polytope where they touch, manifold along the normal."""

from __future__ import annotations

from ....arrays import Array, IntArray
from ....surfaces import layout
from .. import distance as gjk
from ..convex import convex_of, radius_of, support
from ..distance import distance, witnesses
from ..facets import is_facet, normal_of
from ..manifold import put_manifold
from ..penetration import EXACT, ROUGH, penetration
from ..shapes import Convex
from ..sizes import MANIFOLD_WORK, POLYTOPE_WORK, SIMPLEX_WORK
from ..smooth import is_flat, is_smooth, polished
from ..vectors import Pose, Vector, along, dot, length, placed, pose_at, times, turned, turned_back

NEAR = 1e-7
"""Distance of cores, as a part of both sizes, below which its direction is that of a face of their difference."""
CONVERGED = 1e-11
"""How much the distance and its lower bound may differ, in the same measure; round shapes take the slow way else."""
SAME = 1e-12
"""How much farther apart, in the same measure, the nearest points may be than that face says."""


def convex_convex(
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
    """Contact points of two convex surfaces; see `table`."""
    E = pose_at(work, 0)
    shape_a, shape_b = convex_of(ints, numbers, a), convex_of(ints, numbers, b)
    limit = margin + radius_of(shape_a) + radius_of(shape_b)
    found, n, separation, x, y = facing(ints, numbers, shape_a, shape_b, E, limit, work, marks)
    if not found:
        return 0
    return put_manifold(
        ints, numbers, shape_a, shape_b, E, n, separation, margin, x, y, True, work[MANIFOLD_WORK:], out, ids
    )


def facing(
    ints: IntArray, numbers: Array, a: Convex, b: Convex, E: Pose, limit: float, work: Array, marks: IntArray
) -> tuple[bool, Vector, float, Vector, Vector]:
    """Whether two cores are within `limit` of each other; the unit direction from b to a along which, the distance
    along it, negative inside; and the points of both between which it is."""
    simplex = work[SIMPLEX_WORK:]
    state, n, separation, bound, corners = distance(numbers, a, b, E, limit, (-E[9], -E[10], -E[11]), simplex)
    if state == gjk.FAR:
        return False, n, separation, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    x, y = witnesses(corners, simplex)
    scale = a[8] + b[8]
    smooth = (is_smooth(a) or is_smooth(b)) and not (is_flat(a) or is_flat(b))
    if state == gjk.APART and separation > NEAR * scale:
        if smooth:
            better, m, depth, on_a, on_b = polished(numbers, a, b, E, n, bound)
            if better:
                return True, m, depth, on_a, on_b
        if separation - bound <= CONVERGED * scale:
            return True, n, separation, x, y
    polytope = work[POLYTOPE_WORK:MANIFOLD_WORK]
    if smooth:
        found, m, depth, on_a, on_b = penetration(numbers, a, b, E, ROUGH, polytope, marks)
        if found:
            better, m, depth, on_a, on_b = polished(numbers, a, b, E, m, depth)
            if better:
                return True, m, depth, on_a, on_b
    found, m, depth, on_a, on_b = penetration(numbers, a, b, E, EXACT, polytope, marks)
    if found:
        if state == gjk.APART and bound > depth + SAME * scale:
            return True, n, separation, x, y
        if a[0] in (layout.SPHERE, layout.ELLIPSOID):  # of these the farthest point is one alone
            on_a = support(numbers, a, times(-1.0, m))
            on_b = along(on_a, -depth, m)
        elif b[0] in (layout.SPHERE, layout.ELLIPSOID):
            on_b = placed(E, support(numbers, b, turned_back(E, m)))
            on_a = along(on_b, depth, m)
        return True, m, depth, on_a, on_b
    if state == gjk.APART:
        return True, n, separation, x, y
    m = flat_normal(ints, numbers, b, E)
    return True, m, 0.0, x, x


def flat_normal(ints: IntArray, numbers: Array, b: Convex, E: Pose) -> Vector:
    """A direction from b to a for a point or a segment that lies in a triangle, or two that cross."""
    if is_facet(b):
        n = turned(E, normal_of(ints, numbers, b))
        return n if dot(n, (-E[9], -E[10], -E[11])) >= 0.0 else times(-1.0, n)
    p = (-E[9], -E[10], -E[11])
    size = length(p)
    return times(1.0 / size, p) if size > 0.0 else (0.0, 0.0, 1.0)
