# SPDX-License-Identifier: GPL-3.0-or-later
"""Toothed wheels: their outlines, and how one must stand to mesh with another."""

from __future__ import annotations

import math

import numpy as np

from .._engine import arrays
from . import shells
from .shells import Shell

Array = arrays.Array

TIP, ROOT = 1.0, 1.25
"""How far teeth reach beyond the pitch circle and below it, in modules."""

WIDTHS = ((ROOT, 0.66), (0.0, 0.46), (-TIP, 0.22))
"""Half width of a tooth at a depth below the pitch circle [modules], in parts of the pitch; with some play."""


def pitch_radius(teeth: int, module: float) -> float:
    return 0.5 * teeth * module


def outline(teeth: int, module: float) -> Array:
    """Counter-clockwise; the middle of a tooth is on x."""
    radius, pitch = pitch_radius(teeth, module), 2.0 * math.pi / teeth
    flank = [(radius - depth * module, 0.5 * part * pitch) for depth, part in WIDTHS]
    tooth = [(r, -half) for r, half in flank] + [(r, half) for r, half in reversed(flank)]
    points = [(r, k * pitch + angle) for k in range(teeth) for r, angle in tooth]
    return np.array([(r * math.cos(angle), r * math.sin(angle)) for r, angle in points])


def wheel(teeth: int, module: float, low: float, high: float, bore: float) -> Shell:
    """A wheel with a bore; a large one has holes between its spokes."""
    radius = pitch_radius(teeth, module)
    bosses = [shells.Boss((0.0, 0.0), 1.8 * bore, 0.0, 0.0, bore)]
    rim, hub = radius - 3.2 * module, 2.6 * bore
    room = 0.5 * (rim - hub)
    if room > 1.5 * module:
        away, count = 0.5 * (rim + hub), max(3, math.floor(math.pi * 0.5 * (rim + hub) / (1.25 * room)))
        for k in range(min(count, 6)):
            angle = 2.0 * math.pi * (k + 0.5) / min(count, 6)
            bosses.append(shells.Boss((away * math.cos(angle), away * math.sin(angle)), 0.0, 0.0, 0.0, 0.8 * room))
    return shells.plate(outline(teeth, module), low, high, 0.12 * module, bosses)


def meshing(teeth: int, angle: float, other_teeth: int, towards: float) -> float:
    """Angle [rad] at which a wheel of `other_teeth` meshes with one of `teeth` that stands at `angle`.

    towards: direction [rad] from the first to the second. A tooth of one meets a gap of the other there.
    """
    part = (towards - angle) * teeth / (2.0 * math.pi)
    return towards + math.pi - (0.5 - part) * 2.0 * math.pi / other_teeth


def pinion(teeth: int, module: float, low: float, high: float, bore: float) -> Shell:
    """A small wheel without holes."""
    return shells.plate(
        outline(teeth, module), low, high, 0.12 * module, [shells.Boss((0.0, 0.0), 1.5 * bore, 0.0, 0.0, bore)]
    )
