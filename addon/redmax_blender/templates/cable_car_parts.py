# SPDX-License-Identifier: GPL-3.0-or-later
"""Towers, rope, carriage and cabin of the cable car, in units of the cabin's height."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import outlines, railway, shells
from .assembly import Part
from .paint import CONCRETE, GLASS, GRAPHITE, IVORY, RED, STEEL

PIVOT = -0.16
"""Height of the cabin's hinge above the rope."""

REACH = 0.95
"""From the hinge to the middle of the cabin."""


def tower(height: float) -> list[Part]:
    """A tapered mast with a foot and a sheave bracket whose top is just below the rope, beside which it stands."""
    y = 0.42
    foot = shells.prism(outlines.rounded_rectangle(1.1, 1.1, 0.2), 0.0, 0.16, 0.03)
    top = height + 0.36
    mast = shells.loft(
        [
            (outlines.rounded_rectangle(0.44, 0.44, 0.08), 0.165),
            (outlines.rounded_rectangle(0.24, 0.24, 0.05), top - 0.02),
            (outlines.rounded_rectangle(0.20, 0.20, 0.04), top),
        ]
    )
    arm = shells.block((0.16, y - 0.14, 0.10), (0.0, -0.5 * (y - 0.14) - 0.135, height + 0.225), 0.01)
    hanger = shells.block((0.10, 0.10, 0.05), (0.0, -y, height + 0.145), 0.01)
    parts = [(foot, CONCRETE), (mast, IVORY), (arm, STEEL), (hanger, STEEL)]
    return [(shells.moved(shell, (0.0, y, 0.0)), paint) for shell, paint in parts]


def rope(track: Any, radius: float) -> Part:
    """The rope along the track."""
    return railway.swept(track.sampled(81)[1], radius * outlines.circle(1.0, points=10), closed=False), GRAPHITE


def carriage() -> list[Part]:
    """Two sheaves on the rope, a plate beside it, and the eye that the cabin hangs from."""
    parts: list[Part] = []
    for x in (-0.17, 0.17):
        sheave = shells.lathe(
            [(0.0, -0.05), (0.11, -0.05), (0.075, -0.012), (0.075, 0.012), (0.11, 0.05), (0.0, 0.05)], 28
        )
        parts.append((shells.placed(sheave, shells.frame_along((0.0, 1.0, 0.0), (x, 0.0, 0.10))), STEEL))
    plate = outlines.belt([((-0.17, 0.10), 0.06), ((0.17, 0.10), 0.06), ((0.0, PIVOT), 0.07)])
    upright = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, -0.06], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    parts.append((shells.placed(shells.prism(plate, 0.0, 0.03, 0.005), upright), RED))
    return parts


def cabin() -> list[Part]:
    """A hanger and a cabin with windows; the origin is the hinge, which hangs beside the carriage's plate."""
    parts: list[Part] = []
    parts.append((shells.rod((0.0, -0.055, 0.0), (0.0, 0.05, 0.0), 0.035, 20), STEEL))
    parts.append((shells.block((0.06, 0.05, 0.40), (0.0, 0.0, -0.24), 0.008), STEEL))
    top, bottom = -0.45, -1.45
    body = [
        (outlines.rounded_rectangle(0.95, 0.62, 0.14), bottom),
        (outlines.rounded_rectangle(1.10, 0.76, 0.18), bottom + 0.10),
        (outlines.rounded_rectangle(1.16, 0.80, 0.19), bottom + 0.42),
    ]
    parts.append((shells.loft(body), RED))
    glass = [
        (outlines.rounded_rectangle(1.13, 0.77, 0.18), bottom + 0.425),
        (outlines.rounded_rectangle(1.10, 0.74, 0.18), top - 0.145),
    ]
    parts.append((shells.loft(glass), GLASS))
    roof = [
        (outlines.rounded_rectangle(1.18, 0.82, 0.19), top - 0.14),
        (outlines.rounded_rectangle(1.14, 0.78, 0.19), top - 0.08),
        (outlines.rounded_rectangle(0.80, 0.48, 0.16), top),
    ]
    parts.append((shells.loft(roof), IVORY))
    return parts
