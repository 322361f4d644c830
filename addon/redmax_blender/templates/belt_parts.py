# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the belt drive, in units of the large pulley's radius: shafts along y, x from fan to motor, z up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..bridge.core import curve_points
from . import outlines, railway, shells
from .assembly import SIDEWAYS, Part, at, turn
from .paint import BRASS, CONCRETE, GRAPHITE, MATERIAL, ORANGE, STEEL, TEAL
from .shells import GAP

Array = arrays.Array

AXIS = 1.75
"""Height of both shafts."""

THICK, WIDE = 0.06, 0.36
"""Of the belt."""

BLADES, FAN = 5, 1.42
"""How many blades the fan has, and how far they reach."""

BEHIND = 0.62
"""How far the fan lies behind the belt."""


def course(ratio: float, distance: float) -> curve_points.Spline:
    """The middle of the belt, tight around both pulleys, whose z axis looks outwards."""
    radii = (1.0 + 0.5 * THICK, ratio + 0.5 * THICK)
    lean = math.asin((radii[0] - radii[1]) / distance)
    large, small = 0.5 * math.pi + lean, 0.5 * math.pi - lean  # half of what the belt goes round each pulley
    left, right = (-0.5 * distance, 0.0), (0.5 * distance, 0.0)
    straight = math.sqrt(distance**2 - (radii[0] - radii[1]) ** 2)
    arcs = [
        outlines.arc(right, radii[1], -small, small, 13),
        outlines.arc(left, radii[0], math.pi - large, math.pi + large, 25),
    ]
    pieces = []
    for first, second in ((0, 1), (1, 0)):
        a, b = arcs[first][-1], arcs[second][0]
        inner = np.linspace(0.0, 1.0, max(4, round(4.0 * straight)) + 1)[1:-1, None]
        pieces += [arcs[first], a + inner * (b - a)]
    flat = np.concatenate(pieces)
    ahead, back = np.roll(flat, -1, axis=0), np.roll(flat, 1, axis=0)
    way = ahead - back
    out = np.column_stack([way[:, 1], np.zeros(len(flat)), -way[:, 0]])
    points = np.column_stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1] + AXIS])
    return railway.banked(railway.smooth_spline(points, cyclic=True), out / np.linalg.norm(out, axis=1, keepdims=True))


def sense(track: Any) -> float:
    """1 where the belt runs along its track as pulleys turn by a positive angle about -y, -1 where against it."""
    E = track.poses([0.0])[0]
    arm = E[:3, 3] - np.array([0.0, 0.0, AXIS])
    return 1.0 if np.cross(np.array([0.0, -1.0, 0.0]), arm) @ E[:3, 0] > 0.0 else -1.0


def band(track: Any) -> shells.Shell:
    """The belt itself."""
    frames = track.poses(np.linspace(0.0, track.length, 240, endpoint=False))
    half = 0.5 * THICK - GAP
    outline = np.array([[-0.5 * WIDE, -half], [0.5 * WIDE, -half], [0.5 * WIDE, half], [-0.5 * WIDE, half]])
    return railway.swept(frames, outline, closed=True)


def lug() -> list[Part]:
    """A lug on the belt, about the middle of the belt below it."""
    block = shells.block((0.1, WIDE * 0.92, 0.06), (0.0, 0.0, 0.5 * THICK + 0.03 + GAP), 0.012)
    return [(block, ORANGE)]


def _pulley(radius: float) -> list[Part]:
    """A crowned rim with flanges about z, on a web with holes."""
    half, wall = 0.5 * WIDE + 0.02, min(0.12, 0.3 * radius)
    edge, inside = radius + 0.05, radius - GAP
    rim = [(radius - wall, -half), (edge, -half - 0.05), (edge, -half), (inside, -half + 0.01), (inside, half - 0.01),
           (edge, half), (edge, half + 0.05), (radius - wall, half)]  # fmt: skip
    return [(shells.lathe(rim, 72), STEEL)]


def small_pulley(radius: float) -> list[Part]:
    """The motor's pulley, about its shaft along z, which goes back to the motor."""
    parts = _pulley(radius)
    wall = min(0.12, 0.3 * radius)
    disc = shells.cylinder(radius - wall - GAP, -0.08, 0.08, 0.01, 48)
    shaft = shells.cylinder(0.1, -1.2, -0.08 - GAP, 0.01, 24)
    mark = shells.block((0.5 * (radius - wall), 0.07, 0.03), (0.5 * (radius - wall), 0.0, 0.08 + GAP + 0.015), 0.005)
    return [*parts, (disc, TEAL), (shaft, GRAPHITE), (mark, ORANGE)]


def fan() -> list[Part]:
    """The large pulley with spokes, the fan behind it, and their shaft, about z towards the viewer."""
    parts = _pulley(1.0)
    hub = shells.cylinder(0.2, -0.14, 0.14, 0.02, 40)
    parts.append((hub, TEAL))
    for angle in np.linspace(0.0, 2.0 * math.pi, 5, endpoint=False):
        way = np.array([math.cos(angle), math.sin(angle), 0.0])
        parts.append((shells.rod((0.2 + 2.0 * GAP) * way, (0.88 - 4.0 * GAP) * way, 0.06, 16), TEAL))
    shaft = shells.cylinder(0.11, -1.35, -0.14 - GAP, 0.01, 24)
    nose = shells.cylinder(0.11, 0.14 + GAP, 0.42, 0.02, 24)
    parts += [(shaft, GRAPHITE), (nose, GRAPHITE)]
    boss = shells.tube(0.24, 0.115, -BEHIND - 0.12, -BEHIND + 0.12, 0.02)
    parts.append((boss, BRASS))
    blade = outlines.rounded_rectangle(FAN - 0.3, 0.46, 0.16, 6)
    for angle in np.linspace(0.0, 2.0 * math.pi, BLADES, endpoint=False):
        flat = shells.prism(blade, -0.015, 0.015, 0.004)
        pitched = shells.placed(flat, at((0.5 * (FAN + 0.3), 0.0, 0.0), turn("X", 0.5)))
        arm = shells.rod((0.24 + 2.0 * GAP, 0.0, 0.0), (0.3 - 2.0 * GAP, 0.0, 0.0), 0.04, 12)
        frame = at((0.0, 0.0, -BEHIND), turn("Z", angle))
        parts += [(shells.placed(pitched, frame), MATERIAL["ALUMINIUM"]), (shells.placed(arm, frame), BRASS)]
    return parts


def bench(track: Any, ratio: float, distance: float) -> list[Part]:
    """The slab, the stand of the fan, the motor on its block, and the belt, whose lugs alone are bodies."""
    slab = 0.2
    left, right = -0.5 * distance - 1.5, 0.5 * distance + 0.5 + 0.5 * ratio + 0.3
    parts: list[Part] = [
        (shells.block((right - left, 2.6, slab), (0.5 * (left + right), 0.35, 0.5 * slab), 0.04), CONCRETE),
        (band(track), MATERIAL["RUBBER"]),
    ]
    x = -0.5 * distance
    for y in (1.15, -0.5):
        cheek = shells.plate(
            outlines.belt([((x, AXIS), 0.2), ((x - 0.4, slab + 0.06), 0.05), ((x + 0.4, slab + 0.06), 0.05)]),
            -0.07,
            0.07,
            0.015,
            [shells.Boss((x, AXIS), 0.0, 0.0, 0.0, 0.115)],
        )
        parts.append((shells.placed(cheek, at((0.0, y, 0.0), SIDEWAYS)), GRAPHITE))
    x = 0.5 * distance
    motor = [(0.0, -0.62), (0.5, -0.62), (0.56, -0.56), (0.56, 0.36), (0.5, 0.42), (0.2, 0.42), (0.2, 0.52),
             (0.105, 0.52), (0.105, 0.1), (0.0, 0.1)]  # fmt: skip
    parts.append((shells.placed(shells.lathe(motor, 56), at((x, 1.0, AXIS), SIDEWAYS)), TEAL))
    foot = AXIS - 0.56 - GAP
    parts.append((shells.block((0.8, 0.9, foot - slab - GAP), (x, 1.1, 0.5 * (foot + slab)), 0.03), GRAPHITE))
    return parts
