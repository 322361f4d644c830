# SPDX-License-Identifier: GPL-3.0-or-later
"""A plane and any convex shape: the shape's corners, ends and rims that are below it or near it."""

from __future__ import annotations

import math

from ....arrays import Array, IntArray
from ....surfaces import layout
from ..convex import convex_of, radius_of, support
from ..manifold import FEW, MOST_OUT, put_contact, reduced
from ..shapes import Convex
from ..vectors import Pose, Vector, placed, pose_at, turned_back

RIM = 6
"""Points at fixed angles on the rim of a flat end, beside the lowest one."""
SAME_ANGLE = 1e-3
"""Those that are closer [rad] to the lowest one are left out for it."""


def plane_convex(
    ints: IntArray,
    numbers: Array,
    a: int,  # noqa: ARG001
    b: int,
    margin: float,
    work: Array,
    marks: IntArray,  # noqa: ARG001
    out: Array,
    ids: IntArray,
) -> int:
    """Contact points of a plane and a convex surface; see `table`."""
    E, shape = pose_at(work, 0), convex_of(ints, numbers, b)
    kind = shape[0]
    down = turned_back(E, (0.0, 0.0, -1.0))
    if kind in (layout.SPHERE, layout.ELLIPSOID):
        return touch(0, support(numbers, shape, down), E, radius_of(shape), margin, 0, out, ids)
    if kind == layout.CAPSULE:
        found = touch(0, (0.0, 0.0, -shape[6]), E, shape[5], margin, 0, out, ids)
        return touch(found, (0.0, 0.0, shape[6]), E, shape[5], margin, 1, out, ids)
    if kind in (layout.CYLINDER, layout.CONE):
        return plane_round(shape, E, down, margin, out, ids)
    found = 0
    for k in range(shape[2]):
        v = shape[1] + 3 * k
        found = touch(found, (numbers[v], numbers[v + 1], numbers[v + 2]), E, 0.0, margin, k, out, ids)
        if found == MOST_OUT:
            found = reduced(found, FEW, out, ids)
    return reduced(found, FEW, out, ids)


def touch(found: int, x: Vector, E: Pose, radius: float, margin: float, number: int, out: Array, ids: IntArray) -> int:
    """Add a point of the shape's core if it is near enough; how many there are then."""
    y = placed(E, x)
    gap = y[2] - radius
    if gap > margin:
        return found
    put_contact(found, (y[0], y[1], 0.5 * gap), (0.0, 0.0, -1.0), gap, number, out, ids)
    return found + 1


def plane_round(shape: Convex, E: Pose, down: Vector, margin: float, out: Array, ids: IntArray) -> int:
    """A cylinder or a cone: the lowest point of each rim, or the tip, and points around the lower end."""
    r, half, is_cone = shape[5], shape[6], shape[0] == layout.CONE
    radial = math.sqrt(down[0] * down[0] + down[1] * down[1])
    x, y = (down[0] / radial, down[1] / radial) if radial > 0.0 else (1.0, 0.0)
    tip = 0.0 if is_cone else r
    found = touch(0, (r * x, r * y, -half), E, 0.0, margin, 21, out, ids)
    found = touch(found, (tip * x, tip * y, half), E, 0.0, margin, 20, out, ids)
    if is_cone and down[2] > 0.0:
        return found
    top = down[2] > 0.0
    lowest = math.atan2(y, x)
    for k in range(RIM):
        angle = 2.0 * math.pi * k / RIM
        off = abs(angle - lowest)
        if min(off, abs(off - 2.0 * math.pi)) > SAME_ANGLE:
            point = (r * math.cos(angle), r * math.sin(angle), half if top else -half)
            found = touch(found, point, E, 0.0, margin, k if top else k + RIM, out, ids)
    return found
