# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a quantity that is known at both ends of a step passes a level inside it; see `integrators.events`.

Each function is plain arithmetic and calls no other, so that kernels compile the same text.
"""

from __future__ import annotations

import math
from typing import Any

COORDINATE, OWN, FORCE = range(3)
"""Sorts of quantities: a free coordinate that is always written in one way; one that may be written otherwise, or that
a drive moves, as loads see it; what makes a force switch (`BoundForce.switch_quantity`)."""

WINDOW, CALMING = 1e-6, 0.7
"""What is this part of a usual step ahead is as good as reached. Usual is the longest step of late, which counts for
less by the second factor at each step: those that feel their way to a switch become ever shorter, and would never
arrive."""

AIM, ARRIVED = 0.25, 0.75
"""In windows before a switch: where a step ends that is taken again for it, and where the next begins beyond it."""

PIECE = 0.01
"""Part of the distance between two levels that may be passed in that time."""

LONGEST_PIECE, MOST_TURN = 1.0, 16.0
"""Poses between the ends of a step are half so far apart, in turns of all joints together [rad]; a step in which they
turn further than the second is made shorter."""

FLOOR, CREEPING = 1e-3, 1e-3
"""Part of the error allowed by which a quantity may be beyond a level, or before it, as if it were at it; in the second
case only if it gets there within the second part of a usual step."""

MOST_TRIES, MOST_HOPS = 8, 4
"""How often a step is taken again for one switch, and how many switches may be so close that no step is between."""

BEYOND = 1e-14
"""How far beyond a level a step begins, as part of the level and of what is passed in a step: more than rounding."""

NEAR_MISS = 0.01
"""A step that was to end at a switch and falls short of it by less than this part of itself is taken again."""


def quintic(x0: Any, v0: Any, a0: Any, x1: Any, v1: Any, a1: Any, h: float, s: float) -> tuple[Any, Any]:
    """Values and rates after the part s of a step of length h [s], of the polynomial of degree 5 that has the values x,
    rates v and accelerations a of both ends."""
    change, d0, d1, e0, e1 = x1 - x0, h * v0, h * v1, h * h * a0, h * h * a1
    c3 = 10.0 * change - 6.0 * d0 - 4.0 * d1 - 1.5 * e0 + 0.5 * e1
    c4 = -15.0 * change + 8.0 * d0 + 7.0 * d1 + 1.5 * e0 - e1
    c5 = 6.0 * change - 3.0 * (d0 + d1) + 0.5 * (e1 - e0)
    value = x0 + s * (d0 + s * (0.5 * e0 + s * (c3 + s * (c4 + s * c5))))
    slope = d0 + s * (e0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))
    return value, slope / h


def departure(
    x0: float, v0: float, x1: float, v1: float, h: float, low: float, high: float, margin: float, floor: float
) -> float:
    """Part of a step of length h [s] after which x first leaves low < x < high; 2 if it stays inside.

    By the cubic that has the values x and rates v of both ends. margin: how wrong it may be, and floor: how far beyond
    is as good as inside. Where it comes from afar and turns back less than `margin` before a border, or less than
    `floor` beyond it, the part is that of its turning point: a step that ends there shows on which side that is.
    """
    first = 2.0
    for side in (-1.0, 1.0):
        level = high if side > 0.0 else low
        # the room that is left, p0 + d0 s + c2 s^2 + c3 s^3
        p0, p1, d0, d1 = side * (level - x0), side * (level - x1), -side * h * v0, -side * h * v1
        if not min(p0, p1, p0 + d0 / 3.0, p1 - d1 / 3.0) <= margin:  # a cubic stays within its Bezier polygon
            continue
        c2, c3 = 3.0 * (p1 - p0) - 2.0 * d0 - d1, 2.0 * (p0 - p1) + d0 + d1
        root = c2 * c2 - 3.0 * c3 * d0
        lowest, highest = 2.0, 2.0
        if root > 0.0:
            root = math.sqrt(root)
            if c2 + root > 0.0:
                lowest = -d0 / (c2 + root)
            elif c3 != 0.0:
                lowest = (root - c2) / (3.0 * c3)
            if c2 - root < 0.0:
                highest = -d0 / (c2 - root)
            elif c3 != 0.0:
                highest = -(root + c2) / (3.0 * c3)
        turns = 0.0 < lowest < 1.0
        p = p0 + lowest * (d0 + lowest * (c2 + lowest * c3)) if turns else p1
        if turns and -floor <= p <= margin and p0 > 2.0 * margin and 0.02 < lowest < 0.98:
            first = min(first, lowest)
        if turns and p < -floor:
            start, end = highest if 0.0 < highest < lowest else 0.0, lowest
        elif p1 <= 0.0:
            start, end = highest if 0.0 < highest < 1.0 else 0.0, 1.0
        else:
            continue
        if not p0 + start * (d0 + start * (c2 + start * c3)) > 0.0:
            continue
        s = 0.5 * (start + end)
        for _ in range(60):  # Newton's method, kept where room is left at the start and none at the end
            p = p0 + s * (d0 + s * (c2 + s * c3))
            if p > 0.0:
                start = s
            else:
                end = s
            slope = d0 + s * (2.0 * c2 + s * 3.0 * c3)
            following = s - p / slope if slope < 0.0 else end
            if not start < following < end:
                following = 0.5 * (start + end)
            if abs(following - s) <= 1e-15 * s:
                break
            s = following
        first = min(first, s)
    return first
