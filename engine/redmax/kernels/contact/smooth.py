# SPDX-License-Identifier: GPL-3.0-or-later
"""The normal between smooth shapes to all digits, from one that is roughly right.

At the normal the farthest points of both cores towards each other lie on one line along it. Newton's method on what
they are off across it converges where both shapes are smooth there; where one has an edge or a face it does not, and
says so.
"""

from __future__ import annotations

import math

from ...arrays import Array
from ...surfaces import layout
from .convex import support
from .facets import is_facet
from .shapes import Convex
from .vectors import Pose, Vector, across, along, cross, dot, length, minus, placed, times, turned_back

MOST_ROUNDS = 12
CHANGE = 1e-6
"""Angle [rad] by which the normal is turned for derivatives."""
LARGEST_TURN = 0.2
"""Most that it turns in a round [rad]."""
FOUND = 1e-12
"""Distance across the normal, as a part of both sizes, up to which points lie on one line."""


def is_smooth(shape: Convex) -> bool:
    """Whether a core has round parts."""
    return shape[0] in (layout.CYLINDER, layout.CONE, layout.ELLIPSOID)


def is_flat(shape: Convex) -> bool:
    """Whether a core has nothing but flat faces."""
    return shape[0] in (layout.BOX, layout.HULL) or is_facet(shape)


def polished(
    numbers: Array, a: Convex, b: Convex, E: Pose, start: Vector, least: float
) -> tuple[bool, Vector, float, Vector, Vector]:
    """Whether the normal from b to a was found near one to start with; the normal, the distance of the cores along it,
    negative inside, and their points there. E: pose of b in the frame of a. least: what that distance must reach, since
    points also lie on one line at the worst of all normals."""
    scale, n = a[8] + b[8], start
    x, y = farthest(numbers, a, b, E, n)
    t = across(n)
    s = cross(n, t)
    off_t, off_s = off_across(x, y, n, t, s)
    off = math.hypot(off_t, off_s)
    for _ in range(MOST_ROUNDS):
        if off <= FOUND * scale:
            break
        if off > scale:
            break
        first, second = tilted(n, CHANGE, t), tilted(n, CHANGE, s)
        x, y = farthest(numbers, a, b, E, first)
        tt, ts = off_across(x, y, first, t, s)
        x, y = farthest(numbers, a, b, E, second)
        st, ss = off_across(x, y, second, t, s)
        tt, ts, st, ss = (tt - off_t) / CHANGE, (ts - off_s) / CHANGE, (st - off_t) / CHANGE, (ss - off_s) / CHANGE
        det = tt * ss - ts * st
        if abs(det) <= 1e-12 * (abs(tt) + abs(ts)) * (abs(st) + abs(ss)):
            break
        u, v = (-off_t * ss + off_s * st) / det, (-off_s * tt + off_t * ts) / det
        turn = math.hypot(u, v)
        if turn > LARGEST_TURN:
            break
        n = tilted(tilted(n, u, t), v, s)
        x, y = farthest(numbers, a, b, E, n)
        t = across(n)
        s = cross(n, t)
        off_t, off_s = off_across(x, y, n, t, s)
        before, off = off, math.hypot(off_t, off_s)
        if off > 0.5 * before:
            break
    depth = dot(n, minus(x, y))
    return off <= FOUND * scale and depth >= least - FOUND * scale, n, depth, x, y


def farthest(numbers: Array, a: Convex, b: Convex, E: Pose, n: Vector) -> tuple[Vector, Vector]:
    """The points of both cores that are farthest towards each other along n."""
    return support(numbers, a, times(-1.0, n)), placed(E, support(numbers, b, turned_back(E, n)))


def off_across(x: Vector, y: Vector, n: Vector, t: Vector, s: Vector) -> tuple[float, float]:
    """How far two points are off each other across n, along t and s."""
    w = minus(x, y)
    w = along(w, -dot(w, n), n)
    return dot(w, t), dot(w, s)


def tilted(n: Vector, angle: float, t: Vector) -> Vector:
    d = along(n, angle, t)
    return times(1.0 / length(d), d)
