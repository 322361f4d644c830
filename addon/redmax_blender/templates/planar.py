# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages in an upright plane seen from the front: frames, where links meet, and how far a crank can turn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._engine import arrays
from .assembly import at

Array = arrays.Array
Point = tuple[float, float]
"""x, to the right, and z, upwards."""

TOWARDS_TOGGLE = 0.1
"""Part of its range that a rocking crank keeps from either end, where the links lie in line."""

FULL_TURN_SPARE = 1e-2
"""How far, in parts of the linkage, a crank that turns all the way stays from the pose where it could stick."""


def facing(place: Point, depth: float, angle: float) -> Array:
    """Frame whose z points to the viewer at -y and whose x is turned by `angle` [rad] from right towards up.

    depth: how far it lies in front of the plane y = 0.
    """
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, -s, 0.0], [0.0, 0.0, -1.0], [s, c, 0.0]])
    return at((place[0], -depth, place[1]), axes)


def direction(start: Point, end: Point) -> float:
    """Angle [rad] of the way from one place to another."""
    return math.atan2(end[1] - start[1], end[0] - start[0])


def along(place: Point, angle: float, distance: float) -> Point:
    return place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)


def meeting(a: Point, length_a: float, b: Point, length_b: float) -> Point:
    """Where links from a and b meet, to the left of the way from a to b. They must be able to."""
    distance = math.dist(a, b)
    onward = (length_a**2 - length_b**2 + distance**2) / (2.0 * distance)
    across = math.sqrt(max(length_a**2 - onward**2, 0.0))
    angle = direction(a, b)
    return along(along(a, angle, onward), angle + 0.5 * math.pi, across)


@dataclass(frozen=True)
class CrankRange:
    """Angles [rad] that the crank of a four-bar can have, measured from the line between the fixed pins.

    From `low` to `high`; full: all the way round.
    """

    low: float
    high: float
    full: bool

    def nearest(self, angle: float) -> float:
        """The angle, or where the range is as far as the crank should go towards it."""
        if self.full:
            return angle
        middle, half = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)
        around = middle + math.remainder(angle - middle, 2.0 * math.pi)
        room = half * (1.0 - 2.0 * TOWARDS_TOGGLE)
        return min(max(around, middle - room), middle + room)


def crank_range(crank: float, coupler: float, rocker: float, ground: float) -> CrankRange | None:
    """How a crank can turn without the links coming apart; None for lengths that close nowhere.

    The pins that coupler and rocker connect are crank and ground apart, the third side of the triangle
    coupler, rocker, distance: distance^2 = crank^2 + ground^2 - 2 crank ground cos(angle).
    """
    nearest, farthest = abs(coupler - rocker), coupler + rocker
    least, most = abs(ground - crank), ground + crank
    spare = FULL_TURN_SPARE * (crank + coupler + rocker + ground)
    if least > nearest + spare and most < farthest - spare:
        return CrankRange(-math.pi, math.pi, full=True)
    low, high = (_angle(crank, ground, min(max(d, least), most)) for d in (nearest, farthest))
    if most <= nearest or least >= farthest or high - low < TOWARDS_TOGGLE:
        return None
    if least > nearest + spare:  # it passes the line towards the other pin
        return CrankRange(-high, high, full=False)
    if most < farthest - spare:  # it passes the line away from it
        return CrankRange(low, 2.0 * math.pi - low, full=False)
    return CrankRange(low, high, full=False)


def _angle(crank: float, ground: float, distance: float) -> float:
    cosine = (crank**2 + ground**2 - distance**2) / (2.0 * crank * ground)
    return math.acos(min(max(cosine, -1.0), 1.0))
