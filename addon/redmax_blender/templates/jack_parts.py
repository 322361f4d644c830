# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a screw jack, in units of its height; z is up, about which the screw turns."""

from __future__ import annotations

import math

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import Part
from .paint import BRASS, CONCRETE, GRAPHITE, ORANGE, STEEL, TEAL
from .shells import GAP

Array = arrays.Array

THREAD = 0.075
"""Mean radius of the thread, at which it rubs."""

NUT, THICK = 0.62, 0.07
"""Height of the top of the nut, where the screw's frame lies, and how thick the nut is."""

TOP = 0.9
"""Height at which the saddle turns on the screw."""

SADDLE = 0.07
"""Height of the saddle above that."""

DEPTH = 0.4
"""Of the thread's groove, as a part of its mean radius."""


def body() -> list[Part]:
    """A bell on a foot, with a brass nut in its top, all about z."""
    bore = 1.32 * THREAD
    profile = [
        (bore, 0.0), (0.3, 0.0), (0.3, 0.045), (0.285, 0.06), (0.2, 0.075), (0.165, 0.12), (0.135, 0.42), (0.15, 0.47),
        (0.15, NUT - 0.07), (bore, NUT - 0.07),
    ]  # fmt: skip
    parts: list[Part] = [(shells.lathe(profile, 64), TEAL)]
    nut = shells.tube(0.165, bore, NUT - 0.07 + GAP, NUT - GAP, 0.012)
    parts.append((nut, BRASS))
    for angle in np.linspace(0.25 * math.pi, 2.25 * math.pi, 4, endpoint=False):
        bolt = shells.cylinder(0.018, 0.0715, 0.092, 0.004, 6)
        parts.append((shells.moved(bolt, (0.252 * math.cos(angle), 0.252 * math.sin(angle), 0.0)), GRAPHITE))
    return parts


def screw(slope: float) -> list[Part]:
    """The spindle about its frame at the top of the nut: thread, head and the bar that turns it.

    slope: tangent of the lead angle.
    """
    low, neck = -NUT + 0.03, TOP - NUT - 0.14
    parts: list[Part] = [(_thread(low, neck - 0.02, slope), STEEL)]
    hub = shells.lathe(
        [(0.0, neck - 0.02 + GAP), (0.1, neck - 0.02 + GAP), (0.115, neck), (0.115, neck + 0.1), (0.1, neck + 0.115),
         (0.05, neck + 0.115), (0.05, TOP - NUT - GAP), (0.0, TOP - NUT - GAP)],
        48,
    )  # fmt: skip
    parts.append((hub, GRAPHITE))
    height, inner, outer = neck + 0.05, 0.115 + GAP, 0.5
    for side in (-1.0, 1.0):
        parts.append((shells.rod((side * inner, 0.0, height), (side * outer, 0.0, height), 0.02, 16), STEEL))
        knob = shells.ball(0.045, (side * (outer + 0.046), 0.0, height), 20)
        parts.append((knob, ORANGE))
    return parts


def _thread(low: float, high: float, slope: float) -> shells.Shell:
    """A spindle with one trapezoidal thread along a helix, from a height to another.

    Its surface is radius(height - pitch angle / 2 pi), so that rings of equal height are closed curves.
    """
    pitch = 2.0 * math.pi * THREAD * slope
    rings = max(12, min(600, math.ceil((high - low) / pitch * 12)))
    around = 48
    angle = np.linspace(0.0, 2.0 * math.pi, around, endpoint=False)
    depth = min(DEPTH * THREAD, 0.5 * pitch)
    surface = shells.Surface()
    levels = []
    for z in np.linspace(low, high, rings):
        phase = np.mod((z - low) / pitch - angle / (2.0 * math.pi), 1.0)
        ridge = np.clip(2.5 - 10.0 * np.abs(phase - 0.5), -1.0, 1.0)
        fade = min(1.0, (z - low) / (0.5 * pitch) + 0.05, (high - z) / (0.5 * pitch) + 0.05)
        radius = THREAD + 0.5 * depth * (np.where(fade < 1.0, -1.0 + fade * (ridge + 1.0), ridge))
        levels.append(
            surface.ring(np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(around, z)]))
        )
    surface.strips(levels)
    surface.cap(levels[0], up=False)
    surface.cap(levels[-1], up=True)
    return surface.shell()


def head() -> list[Part]:
    """The saddle that the load lies on, about the place where it turns on the screw."""
    profile = [(0.0, GAP), (0.1, GAP), (0.13, 0.03), (0.14, SADDLE - 0.01), (0.13, SADDLE - GAP), (0.0, SADDLE - GAP)]
    return [(shells.lathe(profile, 48), BRASS)]


def load(side: float, floor: float) -> list[Part]:
    """A block with a band of steel around it. side, floor: its side and the height of its underside."""
    bevel = 0.03 * side
    block = shells.block((side, side, 0.9 * side), (0.0, 0.0, floor + 0.45 * side + GAP * side), bevel)
    parts: list[Part] = [(block, CONCRETE)]
    thin = 0.012 * side
    for z in (0.3, 0.6):
        ring = outlines.rounded_rectangle(side + 2.0 * (thin + GAP * side), side + 2.0 * (thin + GAP * side), bevel)
        inner = outlines.rounded_rectangle(side + 2.0 * GAP * side, side + 2.0 * GAP * side, bevel)
        parts.append((_hoop(ring, inner, floor + (z - 0.03) * side, floor + (z + 0.03) * side), GRAPHITE))
    return parts


def _hoop(outer: Array, inner: Array, low: float, high: float) -> shells.Shell:
    """A band between two outlines with as many points, from a height to another."""
    surface = shells.Surface()
    rings = [surface.level(outline, z) for outline, z in ((inner, low), (outer, low), (outer, high), (inner, high))]
    surface.strips(rings)
    surface.strip(rings[-1], rings[0])
    return surface.shell()
