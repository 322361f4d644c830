# SPDX-License-Identifier: GPL-3.0-or-later
"""Rails, supports and carts of the roller coaster, for a height of 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine import arrays
from . import outlines, railway, shells
from .assembly import Part, placed
from .paint import GLASS, GRAPHITE, RED, STEEL, TEAL, YELLOW, Paint

Array = arrays.Array

GAUGE = 0.068
"""Distance between the rails."""

RAIL, SPINE = 0.0075, 0.015
"""Radii of the rails and of the tube below them."""

DEPTH = 0.046
"""How far below the rails that tube is."""

RIDE = 0.0075
"""Height of the wheels' axles above the middle of the rails."""

PITCH = 0.17
"""From cart to cart."""

RINGS, TIES = 400, 120
"""Rings of a rail, and ties between rails."""

LEANING = 0.72
"""Cosine of the angle up to which a track that leans or climbs has posts."""

SUPPORT = 0.016
"""Radius of a post."""

WHITE = Paint("Coaster White", (0.80, 0.80, 0.78), 0.0, 0.4)


def rails(track: Any) -> list[Part]:
    """Two rails, the tube below them, ties and posts. The middle between the rails runs along the track."""
    E = track.sampled(RINGS + 1)[1][:-1]
    round_tube = outlines.circle(1.0, points=8)
    parts: list[Part] = []
    for side in (-0.5, 0.5):
        profile = RAIL * round_tube + np.array([side * GAUGE, -RAIL])
        parts.append((railway.swept(E, profile, closed=True), RED))
    parts.append((railway.swept(E, SPINE * round_tube + np.array([0.0, -DEPTH - RAIL]), closed=True), RED))
    tie = _tie()
    for frame in track.sampled(TIES + 1)[1][:-1]:
        parts += placed(tie, frame)
    parts += _posts(track)
    return parts


def _tie() -> list[Part]:
    """A plate from the tube below to both rails, which it all but touches."""
    gap = 0.001
    top, bottom = -2.0 * RAIL - gap, -DEPTH - RAIL + SPINE + gap
    outline = np.array(
        [
            (-0.5 * GAUGE - 0.3 * RAIL, top),
            (-0.25 * SPINE, bottom),
            (0.25 * SPINE, bottom),
            (0.5 * GAUGE + 0.3 * RAIL, top),
        ]
    )
    half = 0.003
    surface = shells.Surface()
    rings = [surface.ring(np.column_stack([np.full(4, x), outline])) for x in (-half, half)]
    surface.strips(rings)
    surface.faces.append(tuple(reversed(rings[0])))
    surface.faces.append(tuple(rings[1]))
    return [(surface.shell(), TEAL)]


def _posts(track: Any) -> list[Part]:
    """Posts from the ground to the tube, where the track is not leaning over and nothing is below."""
    parts: list[Part] = []
    E = track.sampled(401)[1]
    path = E[:, :3, 3]
    count = 40
    for k in range(count):
        frame = E[int((k + 0.5) * 400 / count)]
        if frame[2, 2] < LEANING:
            continue
        foot = frame[:3, 3] - (DEPTH + RAIL) * frame[:3, 2]
        level = float(np.hypot(frame[0, 0], frame[1, 0]))
        end = foot[2] - 1.05 * (SPINE + SUPPORT * abs(frame[2, 0])) / level
        beside = np.linalg.norm(path[:, :2] - foot[:2], axis=1) < 2.2 * GAUGE
        if end < 0.05 or (beside & (path[:, 2] < foot[2] - 0.05)).any():
            continue
        shape = shells.lathe(
            [
                (0.0, 0.0),
                (2.6 * SUPPORT, 0.0),
                (2.6 * SUPPORT, 0.012),
                (SUPPORT, 0.02),
                (0.8 * SUPPORT, end),
                (0.0, end),
            ],
            12,
        )
        parts.append((shells.moved(shape, (foot[0], foot[1], 0.0)), WHITE))
    return parts


def cart() -> list[Part]:
    """A cart that looks along x, its wheels on the rails."""
    length, width = 0.78 * PITCH, 1.25 * GAUGE
    floor = 2.0 * RIDE + 0.06 * width
    parts: list[Part] = []
    hull = [
        (outlines.rounded_rectangle(0.94 * length, 0.90 * width, 0.3 * width), floor),
        (outlines.rounded_rectangle(length, width, 0.32 * width), floor + 0.10 * width),
        (outlines.rounded_rectangle(length, 1.02 * width, 0.32 * width), floor + 0.36 * width),
        (outlines.rounded_rectangle(0.97 * length, 0.98 * width, 0.3 * width), floor + 0.42 * width),
    ]
    parts.append((shells.loft(hull), YELLOW))
    deck = floor + 0.43 * width
    nose = shells.ball(0.36 * width, points=20)
    nose = shells.Shell(nose.vertices * np.array([0.9, 1.0, 0.6]), nose.faces)
    parts.append((shells.moved(nose, (0.34 * length, 0.0, deck + 0.22 * width)), GLASS))
    for x in (-0.32, -0.05):
        back = shells.block((0.07 * length, 0.78 * width, 0.46 * width), (0.0, 0.0, 0.24 * width), 0.03 * width)
        seat = shells.block(
            (0.14 * length, 0.78 * width, 0.14 * width), (0.11 * length, 0.0, 0.08 * width), 0.03 * width
        )
        place = ((x - 0.05) * length, 0.0, deck)
        parts += [(shells.moved(shape, place), GRAPHITE) for shape in (back, seat)]
    half = 0.09 * GAUGE
    for x in (-0.32, 0.32):
        for y in (-0.5, 0.5):
            wheel = shells.cylinder(RIDE, -half, half, 0.1 * RIDE, 20)
            frame = shells.frame_along((0.0, 1.0, 0.0), (x * length, y * GAUGE, RIDE))
            parts.append((shells.placed(wheel, frame), GRAPHITE))
        end = 0.5 * GAUGE - 1.3 * half
        parts.append((shells.rod((x * length, -end, RIDE), (x * length, end, RIDE), 0.3 * RIDE), STEEL))
    return parts
