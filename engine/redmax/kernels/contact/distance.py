# SPDX-License-Identifier: GPL-3.0-or-later
"""The distance between two convex cores by the algorithm of Gilbert, Johnson and Keerthi.

Everything is seen from the first shape. w = a - b, with a on the first core and b on the second, runs over their
Minkowski difference; its point nearest to the origin gives distance and direction. A simplex of at most four of these
is kept in `work`: ten numbers each, w, a, b and the weight of the point in the nearest one.
"""

from __future__ import annotations

import math

from ...arrays import Array
from .convex import support
from .shapes import Convex
from .vectors import Pose, Vector, cross, dot, length, minus, placed, put_vector, times, turned_back, vector_at

W, A, B, WEIGHT = 0, 3, 6, 9
CORNER = 10
SIMPLEX = 4 * CORNER
"""Numbers of `work` that are used."""

MOST_ROUNDS = 128

EXACT = 1e-14
"""Part of the squared distance by which the nearest point may be improved still."""

TOUCHING = 1e-12
"""Distance, as a part of both sizes, below which cores touch."""

FAR, APART, TOUCH = range(3)


def distance(
    numbers: Array, a: Convex, b: Convex, E: Pose, limit: float, guess: Vector, work: Array
) -> tuple[int, Vector, float, float, int]:
    """How two cores lie (FAR, APART, TOUCH), the unit direction from b to a, the distance, a lower bound of it, and how
    many corners the simplex has that the nearest points are made of.

    E: pose of b in the frame of a. FAR: farther apart than `limit`. guess: a direction from b to a to begin with.
    """
    scale = a[8] + b[8]
    v = guess
    if dot(v, v) == 0.0:
        v = (1.0, 0.0, 0.0)
    corners, best, bound = 0, math.inf, 0.0
    nearest = v
    for _ in range(MOST_ROUNDS):
        put_support(numbers, a, b, E, times(-1.0, v), work, CORNER * corners)
        w = vector_at(work, CORNER * corners)
        size = length(v)
        bound = dot(v, w) / size
        if bound > limit:
            return FAR, times(1.0 / size, v), bound, bound, 0
        if corners > 0 and best - dot(v, w) <= EXACT * best:
            break
        known = False
        for k in range(corners):
            known = known or vector_at(work, CORNER * k) == w
        if known:
            break
        corners, v = reduced(corners + 1, work)
        square = dot(v, v)
        if corners == 4 or square <= (TOUCHING * scale) ** 2:
            return TOUCH, (0.0, 0.0, 0.0), 0.0, 0.0, corners
        if square >= best:
            break  # rounding
        best, nearest = square, v
    size = math.sqrt(best)
    return APART, times(1.0 / size, nearest), size, bound, corners


def put_support(numbers: Array, a: Convex, b: Convex, E: Pose, d: Vector, work: Array, at: int) -> None:
    """The farthest point of the difference along d: w, and the points of both cores."""
    x = support(numbers, a, d)
    y = placed(E, support(numbers, b, times(-1.0, turned_back(E, d))))
    put_vector(work, at + W, minus(x, y))
    put_vector(work, at + A, x)
    put_vector(work, at + B, y)


def reduced(count: int, work: Array) -> tuple[int, Vector]:
    """The point of a simplex of `count` corners that is nearest to the origin, and the corners it is made of, which
    come first afterwards, with their weights. Four corners left: the origin is inside."""
    if count == 1:
        work[WEIGHT] = 1.0
        return 1, vector_at(work, 0)
    if count == 2:
        return on_segment(0, 1, work)
    if count == 3:
        return on_triangle(work)
    return on_tetrahedron(work)


def on_segment(i: int, k: int, work: Array) -> tuple[int, Vector]:
    p, q = vector_at(work, CORNER * i), vector_at(work, CORNER * k)
    e = minus(q, p)
    square = dot(e, e)
    t = -dot(p, e) / square if square > 0.0 else 0.0
    if t <= 0.0:
        keep(i, 0, work)
        work[WEIGHT] = 1.0
        return 1, p
    if t >= 1.0:
        keep(k, 0, work)
        work[WEIGHT] = 1.0
        return 1, q
    keep(i, 0, work)
    keep(k, 1, work)
    work[WEIGHT], work[CORNER + WEIGHT] = 1.0 - t, t
    return 2, (p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2])


def keep(source: int, target: int, work: Array) -> None:
    """Move a corner to an earlier place."""
    if source != target:
        for j in range(CORNER):
            work[CORNER * target + j] = work[CORNER * source + j]


def on_triangle(work: Array) -> tuple[int, Vector]:
    """The nearest point of three corners. Source: Ericson, "Real-Time Collision Detection", 5.1.5."""
    a, b, c = vector_at(work, 0), vector_at(work, CORNER), vector_at(work, 2 * CORNER)
    ab, ac = minus(b, a), minus(c, a)
    n = cross(ab, ac)
    square = dot(n, n)
    # Areas of the triangles of the origin with each edge, in the plane.
    u, v, w = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    if square > 0.0 and u > 0.0 and v > 0.0 and w > 0.0:
        work[WEIGHT], work[CORNER + WEIGHT], work[2 * CORNER + WEIGHT] = u / square, v / square, w / square
        return 3, times(dot(a, n) / square, n)
    best, first, second = math.inf, 0, 1
    for i, k in ((1, 2), (2, 0), (0, 1)):
        p, q = vector_at(work, CORNER * i), vector_at(work, CORNER * k)
        e = minus(q, p)
        ee = dot(e, e)
        t = min(1.0, max(0.0, -dot(p, e) / ee)) if ee > 0.0 else 0.0
        x = (p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2])
        if dot(x, x) < best:
            best, first, second = dot(x, x), i, k
    if first > second:
        first, second = second, first
    return on_segment(first, second, work)


def on_tetrahedron(work: Array) -> tuple[int, Vector]:
    """The nearest point of four corners: on the nearest of the faces that the origin is outside of."""
    best, leave = math.inf, -1
    for skip in range(4):
        i, j, k = (skip + 1) % 4, (skip + 2) % 4, (skip + 3) % 4
        p, q, r = vector_at(work, CORNER * i), vector_at(work, CORNER * j), vector_at(work, CORNER * k)
        n = cross(minus(q, p), minus(r, p))
        inside, origin = dot(n, minus(vector_at(work, CORNER * skip), p)), -dot(n, p)
        if inside * origin > 0.0:
            continue
        square = triangle_square(p, q, r)
        if square < best:
            best, leave = square, skip
    if leave < 0:
        return 4, (0.0, 0.0, 0.0)
    place = 0
    for k in range(4):
        if k != leave:
            keep(k, place, work)
            place += 1
    return on_triangle(work)


def triangle_square(a: Vector, b: Vector, c: Vector) -> float:
    """Squared distance of the origin from a triangle."""
    n = cross(minus(b, a), minus(c, a))
    square = dot(n, n)
    if square > 0.0 and dot(n, cross(b, c)) > 0.0 and dot(n, cross(c, a)) > 0.0 and dot(n, cross(a, b)) > 0.0:
        return dot(a, n) ** 2 / square
    return min(segment_square(a, b), segment_square(b, c), segment_square(c, a))


def segment_square(p: Vector, q: Vector) -> float:
    e = minus(q, p)
    ee = dot(e, e)
    t = min(1.0, max(0.0, -dot(p, e) / ee)) if ee > 0.0 else 0.0
    x = (p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2])
    return dot(x, x)


def witnesses(corners: int, work: Array) -> tuple[Vector, Vector]:
    """The nearest points of both cores, of as many corners as the simplex has."""
    x, y = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(corners):
        s, p, q = work[CORNER * k + WEIGHT], vector_at(work, CORNER * k + A), vector_at(work, CORNER * k + B)
        x = (x[0] + s * p[0], x[1] + s * p[1], x[2] + s * p[2])
        y = (y[0] + s * q[0], y[1] + s * q[1], y[2] + s * q[2])
    return x, y
