# SPDX-License-Identifier: GPL-3.0-or-later
"""Course, rails, stand and marbles of the marble run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..bridge.core import curve_points
from ..properties import materials
from . import outlines, railway, shells
from .assembly import Part, at, turn
from .paint import BRASS, GRAPHITE, IVORY, OAK, STEEL, Paint
from .shells import GAP

Array = arrays.Array

HELIX, TURNS = 0.34, 2.0
"""Radius of the helix and how often it goes round, for a height of 1."""

TOP, EXIT = 1.0, 0.56
"""Height of the start, and that of the end of the helix."""

LOOP, LOW = 0.15, 0.09
"""Radius of the loop and height of its lowest point: 2.7 times the radius below the start a marble on rails would stay
in it by itself."""

SIDE = 0.11
"""How far the loop leads aside."""

END = 1.62
"""x of the end of the course."""

FINISH = 0.5
"""Height of the end."""

GAUGE = 0.66
"""Half the distance of the rails from each other, in radii of a marble."""

WIRE = 0.22
"""Radius of the rails, in radii of a marble."""


def rolling_radius(radius: float) -> float:
    """Distance of the axis that a marble turns about from where the rails touch it, straight down."""
    return radius * math.sqrt(1.0 - (GAUGE / (1.0 + WIRE)) ** 2)


def rolling_mass(radius: float, part: float) -> float:
    """Mass and 2/5 of it by the rolling radius as a `part` of the radius [m]: what resists along the track [kg]."""
    mass = materials.DENSITY["GLASS"] * 4.0 / 3.0 * math.pi * radius**3
    return mass * (1.0 + 0.4 / part**2)


def course(height: float) -> curve_points.Spline:
    """The track that the middles of the marbles run on."""
    points, up = _waypoints()
    spline = railway.smooth_spline(points * height, cyclic=False)
    return railway.banked(spline, up)


def _waypoints() -> tuple[Array, Array]:
    """Places (n, 3) of the course for a height of 1, and the directions that are up for what runs there."""
    places: list[tuple[float, float, float]] = []
    ups: list[Any] = []
    steps = round(8 * TURNS)
    # The helix ends at (0, -HELIX), going along +x; it turns to the left seen from above.
    for k in range(steps + 1):
        part = k / steps
        angle = -0.5 * math.pi - 2.0 * math.pi * TURNS * (1.0 - part)
        z = TOP + (EXIT - TOP) * part
        inwards = np.array([-math.cos(angle), -math.sin(angle), 0.0])
        places.append((HELIX * math.cos(angle), HELIX * math.sin(angle), z))
        lean = 0.15 + 0.75 * part
        ups.append(np.array([0.0, 0.0, 1.0]) + (lean if k < steps else 0.25) * inwards)
    level = np.array([0.0, 0.0, 1.0])
    for x, z in ((0.16, 0.475), (0.34, 0.32), (0.5, 0.175)):
        places.append((x, -HELIX, z))
        ups.append(level)
    middle = 0.78
    for k in range(9):
        angle = 2.0 * math.pi * k / 8.0 - 0.5 * math.pi
        x = middle + LOOP * math.cos(angle) + 0.045 * (k - 4) / 4.0
        places.append((x, -HELIX - SIDE * k / 8.0, LOW + LOOP * (1.0 + math.sin(angle))))
        ups.append(np.array([-math.cos(angle), 0.0, -math.sin(angle)]))
    for x, z in ((1.06, 0.14), (1.28, 0.25), (1.46, 0.37), (END, FINISH)):
        places.append((x, -HELIX - SIDE, z))
        ups.append(level)
    return np.array(places), np.array(ups)


def stand(track: Any, height: float, radius: float) -> list[Part]:
    """Rails along a track, sleepers below them, a column with spokes, posts, and a slab that they stand on."""
    count = 420
    frames = track.poses(np.linspace(0.0, track.length, count))
    wire, low = WIRE * radius, -math.sqrt((1.0 + WIRE) ** 2 - GAUGE**2) * radius
    circle = outlines.circle(wire, points=10)
    parts: list[Part] = [
        (railway.swept(frames, circle + np.array([side * GAUGE * radius, low]), closed=False), STEEL)
        for side in (-1.0, 1.0)
    ]
    slab = 0.03 * height
    board = shells.block(
        (2.55 * height, 1.1 * height, slab), (0.62 * height, -0.05 * height, 0.5 * slab), 0.008 * height
    )
    parts.append((board, OAK))
    sleeper = low - wire * (1.0 + GAP) - 0.5 * wire
    for k in range(10, count - 6, 14):
        E = frames[k]
        bar = shells.block((1.1 * wire, 2.6 * GAUGE * radius, wire), (0.0, 0.0, sleeper), 0.1 * wire)
        parts.append((shells.placed(bar, E), GRAPHITE))
    return parts + _posts(frames, height, radius, sleeper - 0.5 * wire, slab)


def _posts(frames: Array, height: float, radius: float, under: float, slab: float) -> list[Part]:
    """A column in the helix with spokes to its rails, and posts below the rest."""
    thick = 0.3 * radius
    column = shells.cylinder(0.9 * radius, slab + GAP * height, 1.04 * height, 0.1 * radius, 24)
    knob = shells.ball(1.3 * radius, (0.0, 0.0, (1.04 + GAP) * height + 1.3 * radius), 24)
    parts: list[Part] = [(column, BRASS), (knob, BRASS)]
    place = frames[:, :3, 3] / height
    around = np.hypot(place[:, 0], place[:, 1])
    in_helix = np.flatnonzero((np.abs(around - HELIX) < 0.02) & (place[:, 2] > EXIT + 0.04))
    for k in in_helix[4 :: max(1, len(in_helix) // 9)]:
        E = frames[k]
        below = E[:3, 3] + (under - 1.2 * thick) * E[:3, 2]
        way = np.array([below[0], below[1], 0.0]) / np.hypot(below[0], below[1])
        inner = 0.9 * radius * way * 1.15 + np.array([0.0, 0.0, below[2] - 0.1 * height])
        parts.append((shells.rod(inner, below, 0.8 * thick, 10), GRAPHITE))
    for x, up in ((0.25, 1.0), (1.2, 1.0), (1.5, 1.0), (0.56, 1.0)):
        k = int(np.abs(place[:, 0] - x + 10.0 * (place[:, 1] > -0.9 * HELIX) + 10.0 * (place[:, 2] > EXIT)).argmin())
        E = frames[k]
        below = E[:3, 3] + (under - 0.4 * thick) * E[:3, 2]
        foot = np.array([below[0], below[1], slab + GAP * height])
        top = below - np.array([0.0, 0.0, 1.2 * thick * up])
        if top[2] > foot[2] + 2.0 * thick:
            parts.append((shells.rod(foot, top, thick, 14), IVORY))
    return parts


def marble(radius: float, paint: Paint) -> list[Part]:
    """A ball of glass with a band of another colour, which shows how it turns."""
    band = 0.2
    angle = math.asin(band)
    low = np.linspace(-0.5 * math.pi, -angle, 9)
    middle = np.linspace(-angle, angle, 5)
    cap = [(radius * math.cos(a), radius * math.sin(a)) for a in low]
    cap[0] = (0.0, -radius)
    edge = radius * band
    lower = [*cap, (0.0, -edge)]
    belt = [(0.0, -edge * (1.0 - GAP)), *((radius * math.cos(a), radius * math.sin(a) * (1.0 - GAP)) for a in middle),
            (0.0, edge * (1.0 - GAP))]  # fmt: skip
    upper = [(0.0, edge), *((r, -z) for r, z in reversed(cap))]
    # Bands across the way it rolls would look the same however far it has turned.
    tilted = at((0.0, 0.0, 0.0), turn("X", 0.6))
    shapes = ((lower, paint), (belt, IVORY), (upper, paint))
    return [(shells.placed(shells.lathe(profile, 32), tilted), colour) for profile, colour in shapes]
