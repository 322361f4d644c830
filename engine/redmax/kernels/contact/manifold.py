# SPDX-License-Identifier: GPL-3.0-or-later
"""All points at which two convex shapes face each other along a normal.

The sides that face each other (`features`) are seen along the normal. Their outlines overlap in a convex polygon, and
the gap between the two planes, which is measured along the normal, is linear on it: its corners are the contact points,
the least of their gaps that of the shapes. This is the same from either shape. A corner is known again by the two edges
that cross in it.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from .convex import radius_of
from .features import MOST_POINTS, POINT, put_feature
from .shapes import Convex
from .vectors import Pose, Vector, across, along, cross, dot, minus, plus, put_vector, times, vector_at

OUT = 7
"""Numbers of a contact point: position, normal from b to a, gap."""
MOST_OUT = 2 * MOST_POINTS
FEW = 8
"""Points that two convex shapes have at most, after `reduced`."""

U, V, BEFORE, AFTER, HEIGHT_A, HEIGHT_B = range(6)
CORNER = 6
"""Numbers of a corner of the overlap: where it is across the normal, the edges before and after it, and how high both
features are there along the normal."""
FEATURES, CLIPPED, CLIPPED_TOO = 0, 2 * MOST_POINTS * POINT, 2 * MOST_POINTS * POINT + MOST_OUT * CORNER
NUMBERS = CLIPPED_TOO + MOST_OUT * CORNER
"""Numbers of `work` that are used."""

TAG = 4096
"""Edges of b are numbered from here on."""
WITNESS = -1
"""Number of a point that belongs to no corner."""

FACING = 0.05
"""Cosine of the angle between normal and plane of a feature, below which only its farthest point counts."""
PARALLEL = 0.02
"""Sine of the angle up to which two segments touch in two points."""
INSIDE = 1e-10
"""How far outside an edge, as a part of the sizes, a corner may be to count as inside."""
SAME_POINT = 1e-8
"""Corners that are this part of the sizes apart are one."""
DEEPEST = 1e-10
"""The least gap of all corners may be so much more than that of the shapes, as a part of the sizes; if it is not, the
point between which the shapes' gap lies is added."""


def put_manifold(
    ints: IntArray,
    numbers: Array,
    a: Convex,
    b: Convex,
    E: Pose,
    n: Vector,
    separation: float,
    margin: float,
    on_a: Vector,
    on_b: Vector,
    exact: bool,
    work: Array,
    out: Array,
    ids: IntArray,
) -> int:
    """Write the contact points with a gap up to `margin`, in the frame of a; how many.

    E: pose of b. n: from b to a. separation: of the cores along n, between the points on_a and on_b, whose middle is
    near the contact. exact: that is the distance of the cores; else it is a bound, and those points are no contact.
    """
    scale, ra, rb = a[8] + b[8], radius_of(a), radius_of(b)
    gap = separation - ra - rb
    if gap > margin:
        return 0
    middle = times(0.5, plus(on_a, on_b))
    t = across(n)
    s = cross(n, t)
    count = put_overlap(ints, numbers, a, b, E, n, t, s, middle, work)
    found, least = 0, math.inf
    for k in range(count):
        at = CLIPPED + CORNER * k
        high, low = work[at + HEIGHT_A] - ra, work[at + HEIGHT_B] + rb
        least = min(least, high - low)
        if high - low <= margin:
            x = along(along(along(middle, work[at + U], t), work[at + V], s), 0.5 * (high + low), n)
            before, after = int(work[at + BEFORE]), int(work[at + AFTER])
            put_contact(found, x, n, high - low, min(before, after) * 2 * TAG + max(before, after), out, ids)
            found += 1
    if exact and least > gap + DEEPEST * scale:
        put_contact(found, along(middle, 0.5 * (rb - ra), n), n, gap, WITNESS, out, ids)
        found += 1
    return reduced(found, FEW, out, ids)


def put_contact(k: int, x: Vector, n: Vector, gap: float, number: int, out: Array, ids: IntArray) -> None:
    put_vector(out, OUT * k, x)
    put_vector(out, OUT * k + 3, n)
    out[OUT * k + 6] = gap
    ids[k] = number


def put_overlap(
    ints: IntArray,
    numbers: Array,
    a: Convex,
    b: Convex,
    E: Pose,
    n: Vector,
    t: Vector,
    s: Vector,
    origin: Vector,
    work: Array,
) -> int:
    """Write the corners of the overlap of both features to CLIPPED; how many, 0 where they are points.

    n, t, s: the normal and two axes across it.
    """
    same = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    second = MOST_POINTS * POINT
    count_b, m_b = put_feature(ints, numbers, b, E, n, work, second)
    if count_b < 2:
        return 0
    count_a, m_a = put_feature(ints, numbers, a, same, times(-1.0, n), work, 0)
    if count_a < 2:
        return 0
    for k in range(count_a + count_b):
        at = POINT * k if k < count_a else second + POINT * (k - count_a)
        x = minus(vector_at(work, at), origin)
        work[at], work[at + 1], work[at + 2] = dot(x, t), dot(x, s), dot(x, n)
    # Planes as slopes of the height along t and s.
    sound_a, at_a, bt_a = slopes(count_a, m_a, n, t, s, 0, work)
    sound_b, at_b, bt_b = slopes(count_b, m_b, n, t, s, second, work)
    if not (sound_a and sound_b):
        return 0
    tolerance = INSIDE * (a[8] + b[8])
    if count_a == 2 and count_b == 2:
        count = beside(second, work)
    elif count_b > 2:
        # Seen along n the outline of a, which looks the other way, is clockwise.
        put_outline(count_a, 0, 0, True, CLIPPED, work)
        count = clipped(count_a, count_b, second, TAG, False, tolerance, work)
    else:
        put_outline(count_b, second, TAG, False, CLIPPED, work)
        count = clipped(count_b, count_a, 0, 0, True, tolerance, work)
    kept = 0
    near = (SAME_POINT * (a[8] + b[8])) ** 2
    for k in range(count):
        at, to = CLIPPED + CORNER * k, CLIPPED + CORNER * kept
        u, v = work[at + U], work[at + V]
        new = True
        for j in range(kept):
            other = CLIPPED + CORNER * j
            new = new and (u - work[other + U]) ** 2 + (v - work[other + V]) ** 2 > near
        if new:
            work[to + U], work[to + V] = u, v
            work[to + BEFORE], work[to + AFTER] = work[at + BEFORE], work[at + AFTER]
            work[to + HEIGHT_A] = work[2] + at_a * (u - work[0]) + bt_a * (v - work[1])
            work[to + HEIGHT_B] = work[second + 2] + at_b * (u - work[second]) + bt_b * (v - work[second + 1])
            kept += 1
    return kept


def slopes(count: int, m: Vector, n: Vector, t: Vector, s: Vector, at: int, work: Array) -> tuple[bool, float, float]:
    """Slopes of a feature's plane along t and s; the first is False where it is too steep. A segment lies in the plane
    that is level across it."""
    if count == 2:
        u, v = work[at + POINT] - work[at], work[at + POINT + 1] - work[at + 1]
        rise, run = work[at + POINT + 2] - work[at + 2], u * u + v * v
        if run <= (FACING * rise) ** 2:
            return False, 0.0, 0.0
        return True, rise * u / run, rise * v / run
    up = dot(m, n)
    if abs(up) < FACING:
        return False, 0.0, 0.0
    return True, -dot(m, t) / up, -dot(m, s) / up


def put_outline(count: int, at: int, tag: int, backwards: bool, to: int, work: Array) -> None:
    """Copy a feature to a polygon that is counter-clockwise, each corner with the edges around it. An edge has the
    number of the corner that it begins with in the feature's own order."""
    for k in range(count):
        i = count - 1 - k if backwards else k
        point, corner = at + POINT * i, to + CORNER * k
        ahead, behind = work[point + 3] + tag, work[at + POINT * ((i - 1) % count) + 3] + tag
        work[corner + U], work[corner + V] = work[point], work[point + 1]
        if count == 2:
            behind = ahead  # the ends of a segment, which has one edge only
        work[corner + BEFORE], work[corner + AFTER] = (ahead, behind) if backwards else (behind, ahead)


def clipped(count: int, sides: int, at: int, tag: int, backwards: bool, tolerance: float, work: Array) -> int:
    """Cut the polygon at CLIPPED by the edges of a feature with three corners or more; how many corners are left.

    Source: Sutherland and Hodgman, "Reentrant polygon clipping", 1974.
    """
    source, target = CLIPPED, CLIPPED_TOO
    for j in range(sides):
        p, q = at + POINT * j, at + POINT * ((j + 1) % sides)
        eu, ev = work[q] - work[p], work[q + 1] - work[p + 1]
        size = math.sqrt(eu * eu + ev * ev)
        if size <= tolerance:
            continue
        turn = -1.0 / size if backwards else 1.0 / size
        nu, nv = -turn * ev, turn * eu  # inwards
        edge, kept = work[p + 3] + tag, 0
        for k in range(count):
            c, d = source + CORNER * k, source + CORNER * ((k + 1) % count)
            hc = nu * (work[c] - work[p]) + nv * (work[c + 1] - work[p + 1])
            hd = nu * (work[d] - work[p]) + nv * (work[d + 1] - work[p + 1])
            if hc >= -tolerance:
                if kept < MOST_OUT:
                    for i in range(CORNER):
                        work[target + CORNER * kept + i] = work[c + i]
                    kept += 1
                if hd < -tolerance and hc > tolerance and kept < MOST_OUT:
                    put_crossing(c, d, hc / (hc - hd), work[c + AFTER], edge, target + CORNER * kept, work)
                    kept += 1
            elif hd > tolerance and kept < MOST_OUT:
                put_crossing(c, d, hc / (hc - hd), edge, work[c + AFTER], target + CORNER * kept, work)
                kept += 1
        count = kept
        source, target = target, source
    if source != CLIPPED:
        for k in range(CORNER * count):
            work[CLIPPED + k] = work[source + k]
    return count


def put_crossing(c: int, d: int, part: float, before: float, after: float, to: int, work: Array) -> None:
    work[to + U] = work[c + U] + part * (work[d + U] - work[c + U])
    work[to + V] = work[c + V] + part * (work[d + V] - work[c + V])
    work[to + BEFORE], work[to + AFTER] = before, after


def beside(at: int, work: Array) -> int:
    """Write both ends of what two nearly parallel segments have beside each other; 0 where they are not parallel."""
    u, v = work[POINT] - work[0], work[POINT + 1] - work[1]
    run = u * u + v * v
    f, g = work[at + POINT] - work[at], work[at + POINT + 1] - work[at + 1]
    if (u * g - v * f) ** 2 > PARALLEL * PARALLEL * run * (f * f + g * g):
        return 0
    first = ((work[at] - work[0]) * u + (work[at + 1] - work[1]) * v) / run
    last = ((work[at + POINT] - work[0]) * u + (work[at + POINT + 1] - work[1]) * v) / run
    forwards = first <= last
    low, high = max(0.0, min(first, last)), min(1.0, max(first, last))
    if low > high:
        return 0
    for k in range(2):
        part, to = (low if k == 0 else high), CLIPPED + CORNER * k
        work[to + U], work[to + V] = work[0] + part * u, work[1] + part * v
        own = part in (0.0, 1.0)
        number = work[3 if k == 0 else POINT + 3]
        other = work[at + 3] if (k == 0) == forwards else work[at + POINT + 3]
        work[to + BEFORE] = number if own else other + TAG
        work[to + AFTER] = work[to + BEFORE]
    return 2


def reduced(count: int, most: int, out: Array, ids: IntArray) -> int:
    """Keep at most so many points: the deepest, then what is far from those, less twice what it is higher."""
    if count <= most:
        return count
    deepest = 0
    for k in range(count):
        if out[OUT * k + 6] < out[OUT * deepest + 6]:
            deepest = k
    swap(0, deepest, out, ids)
    least = out[6]
    for kept in range(1, most):
        best, score = kept, -math.inf
        for k in range(kept, count):
            square = math.inf
            for j in range(kept):
                d = minus(vector_at(out, OUT * k), vector_at(out, OUT * j))
                square = min(square, dot(d, d))
            value = math.sqrt(square) - 2.0 * (out[OUT * k + 6] - least)
            if value > score:
                best, score = k, value
        swap(kept, best, out, ids)
    return most


def swap(i: int, k: int, out: Array, ids: IntArray) -> None:
    if i != k:
        for j in range(OUT):
            out[OUT * i + j], out[OUT * k + j] = out[OUT * k + j], out[OUT * i + j]
        ids[i], ids[k] = ids[k], ids[i]
