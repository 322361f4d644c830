# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex shapes: which they are, and their farthest points.

A shape is a core and a radius around it: a sphere is a point, a capsule a segment; all others have no radius.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from ...surfaces import layout
from .facets import corner
from .shapes import FACET, Convex
from .vectors import Vector


def convex_of(ints: IntArray, numbers: Array, surface: int) -> Convex:
    """The shape of a surface."""
    at = ints[layout.SURFACE_INTS] + surface * layout.INTS
    size = ints[layout.SURFACE_NUMBERS] + surface * layout.NUMBERS
    return (
        ints[at + layout.SHAPE],
        ints[layout.VERTICES] + 3 * ints[at + layout.FIRST_VERTEX],
        ints[at + layout.VERTEX_COUNT],
        ints[at + layout.FIRST_FACE],
        ints[at + layout.FACE_COUNT],
        numbers[size + layout.SIZE],
        numbers[size + layout.SIZE + 1],
        numbers[size + layout.SIZE + 2],
        numbers[size + layout.REACH],
    )


def radius_of(shape: Convex) -> float:
    """Radius around the core."""
    return shape[5] if shape[0] in (layout.SPHERE, layout.CAPSULE) else 0.0


def support(numbers: Array, shape: Convex, d: Vector) -> Vector:
    """The point of the core that is farthest along a direction."""
    kind, x, y, z = shape[0], d[0], d[1], d[2]
    if kind == layout.SPHERE:
        return (0.0, 0.0, 0.0)
    if kind == layout.CAPSULE:
        return (0.0, 0.0, shape[6] if z >= 0.0 else -shape[6])
    if kind == layout.BOX:
        return (
            shape[5] if x >= 0.0 else -shape[5],
            shape[6] if y >= 0.0 else -shape[6],
            shape[7] if z >= 0.0 else -shape[7],
        )
    if kind in (layout.CYLINDER, layout.CONE):
        r = math.sqrt(x * x + y * y)
        if kind == layout.CONE and z * 2.0 * shape[6] >= r * shape[5]:
            return (0.0, 0.0, shape[6])
        s = shape[5] / r if r > 0.0 else 0.0
        u = s * x if r > 0.0 else shape[5]
        top = kind == layout.CYLINDER and z >= 0.0
        return (u, s * y, shape[6] if top else -shape[6])
    if kind == layout.ELLIPSOID:
        a, b, c = shape[5] * x, shape[6] * y, shape[7] * z
        s = math.sqrt(a * a + b * b + c * c)
        s = 1.0 / s if s > 0.0 else 0.0
        return (shape[5] * a * s, shape[6] * b * s, shape[7] * c * s)
    if kind == FACET:
        farthest, most = corner(numbers, shape, 0), -math.inf
        for k in range(shape[2]):
            v = corner(numbers, shape, k)
            value = v[0] * x + v[1] * y + v[2] * z
            if value > most:
                farthest, most = v, value
        return farthest
    best, most, start = shape[1], -math.inf, shape[1]
    for k in range(shape[2]):
        at = start + 3 * k
        value = numbers[at] * x + numbers[at + 1] * y + numbers[at + 2] * z
        if value > most:
            best, most = at, value
    return (numbers[best], numbers[best + 1], numbers[best + 2])
