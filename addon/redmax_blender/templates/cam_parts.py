# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand, cam, follower and roller, in units of the cam's radius. Flat parts have z towards the viewer."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import SIDEWAYS, Part, at, placed
from .paint import BRASS, GRAPHITE, OAK, RED, STEEL

Array = arrays.Array

HALF = 0.11
"""Half the thickness of the cam and of the roller."""

AXLE = 0.12
"""Radius of the shaft."""

STEM = 0.07
"""Half the width of the follower's stem."""


def rim(pitch: Array, roller: float) -> Array:
    """The cam's outline: inside the way of the roller's middle by its radius."""
    return outlines.inset(pitch, roller * 1.01)


def stand(height: float, reach: float) -> list[Part]:
    """A foot, a post behind the cam with a shaft, and a bracket that guides the follower's stem."""
    back = HALF + 0.1
    foot = shells.moved(
        shells.prism(outlines.rounded_rectangle(2.6, 1.3, 0.15), 0.0, 0.14, 0.03), (0.0, back + 0.15, 0.0)
    )
    top = height + reach + 1.05
    post = shells.moved(
        shells.loft(
            [
                (outlines.rounded_rectangle(0.62, 0.3, 0.06), 0.145),
                (outlines.rounded_rectangle(0.40, 0.3, 0.06), 0.6),
                (outlines.rounded_rectangle(0.34, 0.3, 0.06), top),
            ]
        ),
        (0.0, back + 0.15, 0.0),
    )
    shaft = shells.placed(shells.cylinder(AXLE, 0.0, back + HALF, 0.015), at((0.0, back - 0.005, height), SIDEWAYS))
    guide: list[Part] = []
    for side in (-1.0, 1.0):
        cheek = shells.block(
            (0.16, back + 0.155, 0.34), (side * (STEM + 0.095), 0.5 * (back + 0.155) - 0.16, top - 0.2), 0.02
        )
        guide.append((cheek, GRAPHITE))
    return [(foot, OAK), (post, OAK), (shaft, STEEL), *guide]


def cam(outline: Array) -> list[Part]:
    """The cam with the bore of its shaft and five round windows."""
    bosses = [shells.Boss((0.0, 0.0), 2.2 * AXLE, 0.04, 0.03, 1.08 * AXLE)]
    for angle in (np.arange(5) + 0.25) * 0.4 * np.pi:
        bosses.append(shells.Boss((0.6 * np.cos(angle), 0.6 * np.sin(angle)), 0.2, 0.0, 0.0, 0.16))
    return [(shells.plate(outline, -HALF, HALF, 0.02, bosses), BRASS)]


def follower(lift: float) -> list[Part]:
    """A fork around the roller and a stem; the origin is the roller's axle, y is up."""
    parts: list[Part] = []
    for z in (-1.0, 1.0):
        cheek = outlines.belt([((0.0, 0.0), 0.085), ((0.0, 0.36), 0.085)])
        low, high = sorted((z * (HALF + 0.015), z * (HALF + 0.05)))
        parts.append((shells.prism(cheek, low, high, 0.006), STEEL))
    bridge = shells.block((0.26, 0.12, 2.0 * HALF + 0.022), (0.0, 0.36, 0.0), 0.01)
    parts.append((bridge, STEEL))
    length = 0.8 + lift
    stem = shells.prism(outlines.rounded_rectangle(2.0 * STEM, 2.0 * STEM, 0.02), 0.0, length, 0.01)
    parts += placed([(stem, STEEL)], _up(0.425))
    knob = shells.cylinder(0.13, 0.0, 0.09, 0.02)
    parts += placed([(knob, RED)], _up(0.43 + length))
    return parts


def _up(y: float) -> Array:
    """A frame whose z is along y, at a height."""
    E = np.eye(4)
    E[:3, :3] = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    E[1, 3] = y
    return E


def roller(radius: float) -> list[Part]:
    """A wheel with an axle and a mark, by which one sees it turn."""
    wheel = shells.plate(
        outlines.circle(radius, points=48),
        -HALF,
        HALF,
        0.012,
        [shells.Boss((0.0, 0.0), 0.6 * radius, 0.0, 0.0, 0.3 * radius)],
    )
    axle = shells.cylinder(0.28 * radius, -HALF - 0.012, HALF + 0.012, 0.004)
    mark = shells.moved(shells.cylinder(0.12 * radius, HALF + 0.001, HALF + 0.010, 0.002), (0.68 * radius, 0.0, 0.0))
    return [(wheel, GRAPHITE), (axle, STEEL), (mark, RED)]
