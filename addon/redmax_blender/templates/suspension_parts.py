# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a wheel on double wishbones, in units of the lower wishbone. x points out of the car, y to its back, z up.

Each part is drawn about its own joint, and ends a hair before the shells beside it.
"""

from __future__ import annotations

import math

import numpy as np

from . import outlines, shells
from .assembly import Part
from .paint import GRAPHITE, MATERIAL, ORANGE, RED, STEEL, TEAL, YELLOW, Paint
from .shells import GAP

TYRE, RIM, TREAD = 0.9, 0.6, 0.56
"""Radius of the tyre, and of the opening in it; breadth of the tyre."""

TIE = 0.34
"""How far the tie rod lies behind the middle of the wheel."""

SPREAD = {"lower": 0.42, "upper": 0.36}
"""How far the bushings of the wishbones lie before and behind the middle."""


def along_y(radius: float, half: float, centre: tuple[float, float, float]) -> shells.Shell:
    """A round bar that lies along y."""
    bar = shells.cylinder(radius, -half, half, 0.15 * radius)
    return shells.placed(bar, shells.frame_along((0.0, 1.0, 0.0), centre))


def wishbone(length: float, spread: float, thick: float, paint: Paint, mount: float | None = None) -> list[Part]:
    """Two tubes from their bushings at x = 0 to a ball at x = length. mount: where a damper stands on a bridge."""
    eye, cup = 1.7 * thick, 0.11
    parts: list[Part] = []
    inner = np.array([eye, spread])
    outer = np.array([length - cup, 0.075])
    lean = abs(math.atan2(outer[1] - inner[1], outer[0] - inner[0]))
    trim = thick * math.sin(lean) + GAP
    for side in (-1.0, 1.0):
        start = (inner[0] + trim, side * inner[1], 0.0)
        end = (outer[0] - trim, side * outer[1], 0.0)
        parts.append((shells.rod(start, end, thick, 20), paint))
        parts.append((along_y(eye, 0.1, (0.0, side * spread, 0.0)), GRAPHITE))
    housing = shells.block((2.0 * cup, 0.34, 0.1), (length, 0.0, 0.0), 0.02)
    parts.append((housing, paint))
    if mount is not None:
        share = (mount - inner[0]) / (outer[0] - inner[0])
        room = inner[1] + share * (outer[1] - inner[1]) - thick / math.cos(lean) - 0.1 * math.tan(lean) - 2.0 * GAP
        parts.append((along_y(0.035, room, (mount, 0.0, 0.0)), STEEL))
    return parts


def upright(lower: tuple[float, float], upper: tuple[float, float], height: float, metal: Paint) -> list[Part]:
    """About the wheel's axle, world axes: a post between the balls, the stub axle, and an arm for the tie rod.

    lower, upper: the balls as (x, z) from the axle. height: of the tie rod above the axle.
    """
    parts: list[Part] = []
    for x, z in (lower, upper):
        parts.append((shells.ball(0.07, (x, 0.0, z)), STEEL))
    x = 0.5 * (lower[0] + upper[0])
    low, high = lower[1] + 0.085, upper[1] - 0.085
    wide, narrow = outlines.rounded_rectangle(0.15, 0.26, 0.05), outlines.rounded_rectangle(0.09, 0.12, 0.03)
    sections = [
        (np.add(narrow, (lower[0], 0.0)), low),
        (np.add(wide, (x, 0.0)), 0.75 * low),
        (np.add(wide, (x, 0.0)), 0.6 * high),
        (np.add(narrow, (upper[0], 0.0)), high),
    ]
    parts.append((shells.loft(sections), metal))
    face = x + 0.075 + GAP
    stub = shells.lathe([(0.0, face), (0.15, face), (0.15, face + 0.04), (0.07, face + 0.06), (0.06, 0.0), (0.0, 0.0)])
    parts.append((shells.placed(stub, shells.frame_along((1.0, 0.0, 0.0))), STEEL))
    tip = lower[0] + (upper[0] - lower[0]) * (height - lower[1]) / (upper[1] - lower[1])
    parts.append((shells.rod((tip, 0.13 + 2.0 * GAP, height), (tip, TIE - 0.07, height), 0.035), metal))
    parts.append((shells.ball(0.055, (tip, TIE, height), 16), STEEL))
    return parts


def wheel(metal: Paint) -> list[Part]:
    """About its centre, its axis along z, which points out of the car."""
    b = 0.5 * TREAD
    ribs = [(0.80, -b), (0.86, -b), (TYRE, -0.8 * b)]
    for k in range(3):
        middle = (-0.4 + 0.4 * k) * b
        ribs += [
            (TYRE, middle - 0.06 * b),
            (0.875, middle - 0.05 * b),
            (0.875, middle + 0.05 * b),
            (TYRE, middle + 0.06 * b),
        ]
    ribs += [(TYRE, 0.8 * b), (0.86, b), (0.80, b)]
    cavity = [(RIM + 0.01, 0.62 * b), (0.74, 0.82 * b), (0.83, 0.72 * b)]
    cavity += [(r, -z) for r, z in reversed(cavity)]
    rubber = shells.lathe([(RIM + 0.01, -0.8 * b), *ribs, (RIM + 0.01, 0.8 * b), *cavity], 64)
    barrel = shells.lathe(
        [(0.54, -0.86 * b), (RIM + 0.035, -0.86 * b), (RIM + 0.035, -0.83 * b), (RIM, -0.82 * b), (RIM, 0.82 * b),
         (RIM + 0.035, 0.83 * b), (RIM + 0.035, 0.86 * b), (0.56, 0.86 * b)], 64,
    )  # fmt: skip
    # The barrel's inside runs straight from its first point to its last one; the disc stands inside it.
    holes = [shells.Boss((0.335 * math.cos(a), 0.335 * math.sin(a)), 0.0, 0.0, 0.0, 0.125)
             for a in np.linspace(0.0, 2.0 * math.pi, 6, endpoint=False)]  # fmt: skip
    hub = shells.Boss((0.0, 0.0), 0.15, 0.06, 0.0, 0.0)
    disc = shells.plate(outlines.circle(0.535, points=64), 0.2 * b, 0.42 * b, 0.02, [hub, *holes])
    return [(rubber, MATERIAL["RUBBER"]), (barrel, metal), (disc, metal)]


def damper_tube(length: float, seat: float) -> list[Part]:
    """Down from its eye at the origin, z pointing down; with the upper seat of the coil."""
    tube = shells.cylinder(0.075, 0.095, length, 0.01)
    ring = shells.tube(0.155, 0.077, seat - 0.03, seat, 0.006)
    return [(tube, YELLOW), (ring, GRAPHITE), (along_y(0.06, 0.07, (0.0, 0.0, 0.0)), GRAPHITE)]


def damper_rod(length: float, seat: float) -> list[Part]:
    """Up from its eye at the origin, z pointing up; with the lower seat of the coil."""
    rod = shells.cylinder(0.03, 0.075, length, 0.006)
    ring = shells.tube(0.155, 0.032, seat, seat + 0.03, 0.006)
    return [(rod, STEEL), (ring, GRAPHITE), (along_y(0.06, 0.07, (0.0, 0.0, 0.0)), GRAPHITE)]


def tie_rod(length: float) -> list[Part]:
    """Along x from its inner to its outer ball."""
    return [(shells.rod((0.07, 0.0, 0.0), (length - 0.07, 0.0, 0.0), 0.028, 16), STEEL),
            (shells.ball(0.06, (0.0, 0.0, 0.0), 16), GRAPHITE)]  # fmt: skip


def chassis(lower: tuple[float, float], upper: tuple[float, float], top: tuple[float, float], tie: tuple[float, float],
            guide: tuple[float, float]) -> list[Part]:  # fmt: skip
    """A quarter of a car, about its origin, world axes: bushings as (x, z), the damper's top, the tie rod's ball.

    guide: where it runs on its rails: x, and half the distance of the rails.
    """
    parts: list[Part] = []
    left, right = -0.95, -0.13
    low, high = lower[1] - 0.2, upper[1] + 0.25
    body = shells.block((right - left, 1.1, high - low), (0.5 * (left + right), 0.0, 0.5 * (low + high)), 0.04)
    parts.append((body, RED))
    for (x, z), spread in ((lower, SPREAD["lower"]), (upper, SPREAD["upper"])):
        for side in (-1.0, 1.0):
            for way in (-1.0, 1.0):
                eye, tail = 0.09, 0.07
                outline = outlines.belt(
                    [((x, z), eye), ((right + tail + GAP, z - 0.05), tail), ((right + tail + GAP, z + 0.05), tail)]
                )
                y = side * spread + way * 0.15
                lug = shells.plate(outline, -0.035, 0.035, 0.008, [shells.Boss((x, z), 0.0, 0.0, 0.0, 0.04)])
                frame = np.eye(4)
                frame[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
                frame[1, 3] = y
                parts.append((shells.placed(lug, frame), GRAPHITE))
            bolt = along_y(0.035, 0.2, (x, side * spread, z))
            parts.append((bolt, STEEL))
    # The tower that the damper hangs from: two cheeks beside its eye.
    for side in (-1.0, 1.0):
        outline = outlines.belt(
            [((top[0], top[1]), 0.12), ((left + 0.3, high + 0.13), 0.12), ((right - 0.13, high + 0.13), 0.12)]
        )
        frame = np.eye(4)
        frame[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
        frame[1, 3] = side * 0.14
        cheek = shells.plate(outline, -0.04, 0.04, 0.01, [shells.Boss(top, 0.0, 0.0, 0.0, 0.05)])
        parts.append((shells.placed(cheek, frame), RED))
    parts.append((along_y(0.04, 0.22, (top[0], 0.0, top[1])), STEEL))
    parts.append((shells.rod((right + 2.0 * GAP, TIE, tie[1]), (tie[0] - 0.075, TIE, tie[1]), 0.04), STEEL))
    x, half = guide
    for side in (-1.0, 1.0):
        for z in (low + 0.15, high - 0.15):
            shoe = shells.tube(0.12, 0.062, z - 0.13, z + 0.13, 0.01)
            parts.append((shells.moved(shoe, (x, side * half, 0.0)), STEEL))
            reach = left - x - 0.13
            block = shells.block((reach - 0.02, 0.12, 0.16), (left - 0.5 * reach - GAP, side * half, z), 0.02)
            parts.append((block, GRAPHITE))
    return parts


def rig(guide: tuple[float, float], tall: float, pad: tuple[float, float], barrel: float) -> list[Part]:
    """The test rig: a slab at z = 0, two round rails, a yoke on top, and the cylinder that moves the pad.

    pad: its x, and radius of its cylinder. barrel: top of the cylinder.
    """
    x, half = guide
    slab = shells.block((pad[0] - x + 1.7, 1.9, 0.16), (0.5 * (pad[0] + x) + 0.1, 0.0, 0.08), 0.03)
    parts: list[Part] = [(slab, GRAPHITE)]
    for side in (-1.0, 1.0):
        foot = shells.cylinder(0.16, 0.16 + GAP, 0.26, 0.02)
        rail = shells.cylinder(0.06, 0.26 + GAP, tall, 0.01)
        parts += [(shells.moved(foot, (x, side * half, 0.0)), TEAL), (shells.moved(rail, (x, side * half, 0.0)), STEEL)]
    yoke = shells.block((0.24, 2.0 * half + 0.3, 0.14), (x, 0.0, tall + 0.07 + GAP), 0.03)
    parts.append((yoke, TEAL))
    cylinder = shells.tube(pad[1], 0.5 * pad[1], 0.16 + GAP, barrel, 0.02)
    collar = shells.tube(1.5 * pad[1], 1.02 * pad[1], 0.16 + GAP, 0.26, 0.02)
    parts += [(shells.moved(cylinder, (pad[0], 0.0, 0.0)), TEAL), (shells.moved(collar, (pad[0], 0.0, 0.0)), GRAPHITE)]
    return parts


def pad(radius: float, depth: float) -> list[Part]:
    """About the middle of its top: a plate that the tyre stands on, and a piston rod down to -depth."""
    plate = shells.block((0.9, 1.3, 0.08), (0.0, 0.0, -0.04), 0.02)
    stripes = [shells.block((0.02, 1.24, 0.05), (side * (0.46 + GAP), 0.0, -0.04), 0.004) for side in (-1.0, 1.0)]
    rod = shells.cylinder(0.48 * radius, -depth, -0.08 - GAP, 0.01)
    return [(plate, STEEL), *((stripe, ORANGE) for stripe in stripes), (rod, STEEL)]
