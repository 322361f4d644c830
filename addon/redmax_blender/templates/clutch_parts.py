# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the clutch and the brake, in units of the plates' radius: shafts along x, the plates meet at x = 0."""

from __future__ import annotations

import math

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import Part, at, placed, turn
from .paint import BRASS, CONCRETE, GRAPHITE, ORANGE, RED, STEEL, TEAL
from .shells import GAP

Array = arrays.Array

AXIS = 1.75
"""Height of the shafts."""

PADS, BALL = 0.72, 0.12
"""Radius at which the pads rub, and that of the balls with which they touch."""

GAP_FORK, GAP_SHOE = 0.1, 0.06
"""How far the plates, and shoes and drum, are apart at the start."""

DRUM, WIDE = 0.8, 0.7
"""Radius and breadth of the brake drum."""

BRAKE, FORK = 1.45, 2.9
"""x of the middle of the drum, and of the fork that presses the plates together."""

SHOE = 0.5
"""Breadth of a shoe."""

ALONG = turn("Y", 0.5 * np.pi)
"""Rotation that lays what is drawn along z along x."""


def _turned(profile: list[tuple[float, float]], points: int = 72) -> shells.Shell:
    """A profile of (radius, x), from the left, turned about x."""
    return shells.placed(shells.lathe(profile, points), at((0.0, 0.0, 0.0), ALONG))


def driver() -> list[Part]:
    """The driving plate, its face at x = 0, with spokes to see it turn, and its shaft to the motor."""
    parts: list[Part] = [
        (_turned([(0.0, -0.22), (0.97, -0.22), (1.0, -0.19), (1.0, -0.03), (0.97, 0.0), (0.0, 0.0)]), STEEL),
        (_turned([(0.0, -1.6), (0.14, -1.6), (0.14, -0.5), (0.3, -0.5), (0.34, -0.46), (0.34, -0.22 - GAP),
                  (0.0, -0.22 - GAP)], 40), GRAPHITE),
    ]  # fmt: skip
    return parts + _marks(1.0 + GAP, -0.11, 8)


def _marks(radius: float, x: float, count: int) -> list[Part]:
    """Studs around a rim, which show how it turns."""
    found: list[Part] = []
    for angle in np.linspace(0.0, 2.0 * math.pi, count, endpoint=False):
        way = np.array([0.0, math.sin(angle), math.cos(angle)])
        place = np.array([x, 0.0, 0.0]) + radius * way
        found.append((shells.rod(place, place + 0.035 * way, 0.045, 12), ORANGE))
    return found


def flywheel() -> list[Part]:
    """The driven plate with its pads, whose faces are at x = 0, the drum, and the shaft to the fork."""
    pad = 0.1
    plate = [(0.0, pad + GAP), (0.92, pad + GAP), (0.95, pad + 0.03), (0.95, pad + 0.17), (0.92, pad + 0.2),
             (0.0, pad + 0.2)]  # fmt: skip
    parts: list[Part] = [(_turned(plate), STEEL)]
    for angle in np.linspace(0.0, 2.0 * math.pi, 6, endpoint=False):
        block = shells.block((0.3, 0.36, pad - GAP), (0.0, 0.0, 0.0), 0.02)
        frame = np.eye(4)
        frame[:3, :3] = turn("X", angle) @ ALONG
        frame[:3, 3] = turn("X", angle) @ np.array([0.5 * pad, 0.0, PADS])
        parts.append((shells.placed(block, frame), BRASS))
    low, high = BRAKE - 0.5 * WIDE - GAP_FORK, BRAKE + 0.5 * WIDE - GAP_FORK
    shaft = [(0.0, pad + 0.2 + GAP), (0.16, pad + 0.2 + GAP), (0.16, low - GAP), (0.0, low - GAP)]
    drum = [(0.0, low), (DRUM - 0.04, low), (DRUM, low + 0.04), (DRUM, high - 0.04), (DRUM - 0.04, high), (0.62, high),
            (0.62, high - 0.12), (0.24, high - 0.12), (0.24, high), (0.0, high)]  # fmt: skip
    tail = [(0.0, high + GAP), (0.16, high + GAP), (0.16, FORK - GAP_FORK + 0.35), (0.0, FORK - GAP_FORK + 0.35)]
    parts += [(_turned(shaft, 40), GRAPHITE), (_turned(drum), TEAL), (_turned(tail, 40), GRAPHITE)]
    # Six bright bolts on the open side of the drum and six studs around the plate show how it turns.
    for angle in np.linspace(0.0, 2.0 * math.pi, 6, endpoint=False):
        way = np.array([0.0, math.sin(angle), math.cos(angle)])
        foot = np.array([high - 0.12 + GAP, 0.0, 0.0]) + 0.43 * way
        parts.append((shells.rod(foot, foot + np.array([0.1, 0.0, 0.0]), 0.06, 6), ORANGE))
    return parts + _marks(0.95 + GAP, pad + 0.1, 6)


def fork() -> list[Part]:
    """The collar that the flywheel's shaft turns in, about its middle, on a carriage that slides on the bench."""
    collar = _turned([(0.175, -0.15), (0.36, -0.15), (0.4, -0.11), (0.4, 0.11), (0.36, 0.15), (0.175, 0.15)], 48)
    stem = shells.block((0.22, 0.4, 0.85), (0.0, 0.0, -0.4 - GAP - 0.425), 0.02)
    shoe = shells.block((0.6, 0.7, 0.2), (0.0, 0.0, -1.25 - 2.0 * GAP - 0.1), 0.03)
    return [(collar, BRASS), (stem, RED), (shoe, RED)]


def shoe() -> list[Part]:
    """A shoe above the drum: its lining rubs at the origin, its rod goes up through the frame."""
    radius, half = DRUM + 0.015, math.radians(32.0)
    inner = outlines.arc((0.0, -radius), radius, 0.5 * math.pi - half, 0.5 * math.pi + half, 17)
    outer = outlines.arc((0.0, -radius), radius + 0.09, 0.5 * math.pi + half, 0.5 * math.pi - half, 17)
    lining = shells.prism(np.concatenate([outer, inner])[::-1], -0.5 * SHOE, 0.5 * SHOE)
    inner = outlines.arc((0.0, -radius), radius + 0.09 + GAP, 0.5 * math.pi - half, 0.5 * math.pi + half, 17)
    top = np.array([[-0.3, 0.32], [0.3, 0.32]])
    back = shells.prism(np.concatenate([top, inner])[::-1], -0.5 * SHOE, 0.5 * SHOE)
    frame = at((0.0, 0.0, 0.0), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    rod = shells.rod((0.0, 0.0, 0.32 + GAP), (0.0, 0.0, 0.95), 0.1, 24)
    return [*placed([(lining, BRASS), (back, RED)], frame), (rod, STEEL)]


def bench() -> list[Part]:
    """The slab, the motor, a bearing, a guide for the fork and the frame of the brake."""
    slab = 0.22
    parts: list[Part] = [(shells.block((6.6, 2.6, slab), (0.55, 0.0, 0.5 * slab), 0.04), CONCRETE)]
    motor = [(0.0, -2.55), (0.6, -2.55), (0.66, -2.49), (0.66, -1.5), (0.6, -1.44), (0.2, -1.44), (0.2, -1.3),
             (0.145, -1.3), (0.145, -1.65), (0.0, -1.65)]  # fmt: skip
    parts.append((shells.moved(_turned(motor), (0.0, 0.0, AXIS)), TEAL))
    for angle in np.linspace(0.0, 2.0 * math.pi, 20, endpoint=False):
        fin = shells.block((0.8, 0.035, 0.09), (-1.98, 0.0, 0.66 + GAP + 0.045), 0.004)
        frame = at((0.0, 0.0, AXIS), turn("X", angle))
        if abs(angle - math.pi) > 0.7:
            parts.append((shells.placed(fin, frame), TEAL))
    high = AXIS - 0.66 - GAP
    parts.append((shells.block((0.9, 0.8, high - slab - GAP), (-1.98, 0.0, 0.5 * (high + slab)), 0.03), GRAPHITE))
    # The carriage of the fork slides between two rails.
    for y in (-0.46, 0.46):
        parts.append((shells.block((1.3, 0.14, 0.26), (FORK, y, slab + GAP + 0.13), 0.02), GRAPHITE))
    parts.append((shells.block((1.3, 0.7, 0.09), (FORK, 0.0, slab + GAP + 0.045), 0.01), STEEL))
    # A gate over the drum guides the rod of the upper shoe, a block below it that of the lower one.
    top = AXIS + DRUM + 0.78
    for y in (-1.1, 1.1):
        post = shells.block((0.24, 0.16, top - slab - 2.0 * GAP), (BRAKE, y, 0.5 * (top + slab)), 0.02)
        parts.append((post, GRAPHITE))
    sleeve = shells.plate(
        outlines.rounded_rectangle(0.34, 2.4, 0.03),
        top,
        top + 0.22,
        0.015,
        [shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, 0.115)],
    )
    parts.append((shells.moved(sleeve, (BRAKE, 0.0, 0.0)), GRAPHITE))
    low = AXIS - DRUM - 0.55
    guide = shells.tube(0.2, 0.115, slab + GAP, low, 0.02)
    parts.append((shells.moved(guide, (BRAKE, 0.0, 0.0)), GRAPHITE))
    return parts
