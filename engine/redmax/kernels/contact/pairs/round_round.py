# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres and capsules among themselves, and spheres and boxes: closed forms."""

from __future__ import annotations

import math

from ....arrays import Array, IntArray
from ....surfaces import layout
from ..convex import convex_of
from ..manifold import PARALLEL, put_contact
from ..vectors import Vector, along, cross, dot, length, minus, plus, pose_at, times, turned, turned_back

TOUCHING = 1e-12
"""Distance of centre lines, as a part of both sizes, at which it has no direction."""


def round_round(
    ints: IntArray,
    numbers: Array,
    a: int,
    b: int,
    margin: float,
    work: Array,
    marks: IntArray,  # noqa: ARG001
    out: Array,
    ids: IntArray,
) -> int:
    """Contact points of two surfaces that are spheres or capsules; see `table`. Parallel capsules touch in two."""
    E, first, second = pose_at(work, 0), convex_of(ints, numbers, a), convex_of(ints, numbers, b)
    ra, rb = first[5], second[5]
    half_a = first[6] if first[0] == layout.CAPSULE else 0.0
    half_b = second[6] if second[0] == layout.CAPSULE else 0.0
    axis, other, p = (0.0, 0.0, 1.0), turned(E, (0.0, 0.0, 1.0)), (E[9], E[10], E[11])
    if half_a > 0.0 and half_b > 0.0:
        slant = cross(axis, other)
        if dot(slant, slant) <= PARALLEL * PARALLEL:
            found = parallel(other, p, half_a, half_b, ra, rb, margin, out, ids)
            if found >= 0:
                return found
    s, t = nearest(other, p, half_a, half_b)
    x, y = times(s, axis), along(p, t, other)
    return between(0, x, y, cross(axis, other), ra, rb, margin, first[8] + second[8], 0, out, ids)


def nearest(other: Vector, p: Vector, half_a: float, half_b: float) -> tuple[float, float]:
    """Coordinates of the nearest points of the segments s z, |s| <= half_a, and p + t other, |t| <= half_b. Source:
    Ericson, "Real-Time Collision Detection", 5.1.9."""
    c, d, e = other[2], p[2], dot(other, p)
    square = 1.0 - c * c
    s = max(-half_a, min(half_a, (d - c * e) / square)) if square > 1e-14 else 0.0
    t = c * s - e
    if t > half_b or t < -half_b:
        t = half_b if t > half_b else -half_b
        s = max(-half_a, min(half_a, d + c * t))
    return s, t


def between(
    found: int,
    x: Vector,
    y: Vector,
    spare: Vector,
    ra: float,
    rb: float,
    margin: float,
    scale: float,
    number: int,
    out: Array,
    ids: IntArray,
) -> int:
    """Add the contact of two balls at x and y; how many points there are then. spare: a direction where x is y."""
    d = minus(x, y)
    size = length(d)
    gap = size - ra - rb
    if gap > margin:
        return found
    if size > TOUCHING * scale:
        n = times(1.0 / size, d)
    elif length(spare) > TOUCHING:
        n = times(1.0 / length(spare), spare)
    else:
        n = (1.0, 0.0, 0.0)
    middle = along(times(0.5, plus(x, y)), 0.5 * (rb - ra), n)
    put_contact(found, middle, n, gap, number, out, ids)
    return found + 1


def parallel(
    other: Vector,
    p: Vector,
    half_a: float,
    half_b: float,
    ra: float,
    rb: float,
    margin: float,
    out: Array,
    ids: IntArray,
) -> int:
    """Both ends of what two nearly parallel capsules have beside each other, with the normal between their lines there;
    -1 where they are end to end, or on the same line."""
    reach = half_b * abs(other[2])
    low, high = max(-half_a, p[2] - reach), min(half_a, p[2] + reach)
    if high - low <= 1e-6 * (half_a + half_b):
        return -1
    s, t = nearest(other, p, half_a, half_b)
    d = minus((0.0, 0.0, s), along(p, t, other))
    size = length(d)
    if size <= 1e-6 * (half_a + half_b):
        return -1
    n, least, found = times(1.0 / size, d), size - ra - rb, 0
    if least > margin:
        return 0
    for k in range(2):
        z = low if k == 0 else high
        x, y = (0.0, 0.0, z), along(p, (z - p[2]) / other[2], other)
        gap = dot(n, minus(x, y)) - ra - rb
        if gap <= margin:
            # Midway along n, below the first line.
            put_contact(found, along(x, -0.5 * (gap + 2.0 * ra), n), n, gap, 1 + k, out, ids)
            found += 1
    lowest = math.inf
    for k in range(found):
        lowest = min(lowest, out[7 * k + 6])
    if lowest > least + 1e-12 * (half_a + half_b):
        middle = along((0.0, 0.0, s), -ra - 0.5 * least, n)
        put_contact(found, middle, n, least, 0, out, ids)
        found += 1
    return found


def sphere_box(
    ints: IntArray,
    numbers: Array,
    a: int,
    b: int,
    margin: float,
    work: Array,
    marks: IntArray,  # noqa: ARG001
    out: Array,
    ids: IntArray,
) -> int:
    """The contact point of a sphere and a box; see `table`."""
    E, sphere, box = pose_at(work, 0), convex_of(ints, numbers, a), convex_of(ints, numbers, b)
    c = turned_back(E, (-E[9], -E[10], -E[11]))  # the centre of the sphere, seen from the box
    x, y, z = box[5], box[6], box[7]
    q = (max(-x, min(x, c[0])), max(-y, min(y, c[1])), max(-z, min(z, c[2])))
    d = minus(c, q)
    separation = length(d)
    if separation > TOUCHING * box[8]:
        m = times(1.0 / separation, d)
    else:  # the centre is inside: out through the nearest face
        to_x, to_y, to_z = x - abs(c[0]), y - abs(c[1]), z - abs(c[2])
        if to_x <= to_y and to_x <= to_z:
            m, separation = (1.0 if c[0] >= 0.0 else -1.0, 0.0, 0.0), -to_x
        elif to_y <= to_z:
            m, separation = (0.0, 1.0 if c[1] >= 0.0 else -1.0, 0.0), -to_y
        else:
            m, separation = (0.0, 0.0, 1.0 if c[2] >= 0.0 else -1.0), -to_z
    gap = separation - sphere[5]
    if gap > margin:
        return 0
    n = turned(E, m)
    put_contact(0, times(-sphere[5] - 0.5 * gap, n), n, gap, 0, out, ids)
    return 1
