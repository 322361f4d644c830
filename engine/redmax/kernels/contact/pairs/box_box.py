# SPDX-License-Identifier: GPL-3.0-or-later
"""Two boxes: the axis that separates them most, of their faces and pairs of edges; elsewhere as any convex shapes.

Where boxes overlap or face each other that axis is the normal. Where the nearest points are corners or edges beside
each other no such axis gives the distance, which shows in a manifold without a point at that gap.
"""

from __future__ import annotations

import math

from ....arrays import Array, IntArray
from ..convex import convex_of
from ..manifold import WITNESS, put_manifold
from ..shapes import Convex
from ..sizes import MANIFOLD_WORK
from ..vectors import Pose, Vector, cross, length, pose_at, times
from .convex_convex import convex_convex

PARALLEL = 1e-6
"""Sine of the angle between edges below which faces say all that their pair could."""
BETTER = 1e-9
"""A pair of edges must separate more than faces by this part of both sizes."""


def box_box(
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
    """Contact points of two boxes; see `table`."""
    E, first, second = pose_at(work, 0), convex_of(ints, numbers, a), convex_of(ints, numbers, b)
    n, separation = separating_axis(first, second, E)
    if separation > margin:
        return 0
    middle = times(0.5, (E[9], E[10], E[11]))
    found = put_manifold(
        ints, numbers, first, second, E, n, separation, margin, middle, middle, True, work[MANIFOLD_WORK:], out, ids
    )
    for k in range(found):
        if ids[k] == WITNESS:  # nothing is as near as the axis says
            return convex_convex(ints, numbers, a, b, margin, work, marks, out, ids)
    return found


def separating_axis(a: Convex, b: Convex, E: Pose) -> tuple[Vector, float]:
    """The unit direction from b to a along which two boxes are farthest apart, and how far, negative inside.

    Source: Gottschalk, Lin and Manocha, "OBBTree", 1996.
    """
    best, most = (0.0, 0.0, 1.0), -math.inf
    p = (E[9], E[10], E[11])
    ha, hb = (a[5], a[6], a[7]), (b[5], b[6], b[7])
    for k in range(3):
        reach = hb[0] * abs(E[3 * k]) + hb[1] * abs(E[3 * k + 1]) + hb[2] * abs(E[3 * k + 2])
        gap = abs(p[k]) - ha[k] - reach
        if gap > most:
            sign = -1.0 if p[k] > 0.0 else 1.0
            best, most = (sign if k == 0 else 0.0, sign if k == 1 else 0.0, sign if k == 2 else 0.0), gap
    for k in range(3):
        axis = (E[k], E[3 + k], E[6 + k])
        off = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
        gap = abs(off) - hb[k] - (ha[0] * abs(axis[0]) + ha[1] * abs(axis[1]) + ha[2] * abs(axis[2]))
        if gap > most:
            best, most = times(-1.0 if off > 0.0 else 1.0, axis), gap
    enough = most + BETTER * (a[8] + b[8])
    for i in range(3):
        unit = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        for k in range(3):
            axis = cross(unit, (E[k], E[3 + k], E[6 + k]))
            size = length(axis)
            if size <= PARALLEL:
                continue
            axis = times(1.0 / size, axis)
            off = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
            reach = ha[0] * abs(axis[0]) + ha[1] * abs(axis[1]) + ha[2] * abs(axis[2])
            for j in range(3):
                reach += hb[j] * abs(axis[0] * E[j] + axis[1] * E[3 + j] + axis[2] * E[6 + j])
            gap = abs(off) - reach
            if gap > enough:
                best, most, enough = times(-1.0 if off > 0.0 else 1.0, axis), gap, gap
    return best, most
