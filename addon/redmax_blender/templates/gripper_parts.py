# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the gripper and its gantry, in units of the block's side: x along the rail, z up."""

from __future__ import annotations

import math

import numpy as np

from . import shells
from .assembly import Part, at, turn
from .paint import CONCRETE, GRAPHITE, IVORY, MATERIAL, ORANGE, STEEL, YELLOW
from .shells import GAP

FROM, TO = -1.9, 1.9
"""x of the stands that the block is taken from and brought to."""

STAND, TABLE = 0.9, 1.5
"""Height and side of a stand."""

RAIL = 5.2
"""Height of the rail's axis, where the frames of carriage and hand lie."""

REACH = 2.0
"""From there down to the middle of the fingers' pads."""

OVER = 0.95
"""Height of the beam's top over the middle of the pads."""

BEAM = OVER - REACH
"""Height of the top of the beam that the fingers slide on, over the hand's frame."""

DROP = RAIL - REACH - STAND - 0.55
"""How far the hand goes down: pads meet the block a little above its middle."""

PAD, DOME = 0.14, 0.4
"""Thickness of a pad, and the radius of its dome."""


def gantry() -> list[Part]:
    """Floor, two stands, and a rail on two posts."""
    low = 0.2
    parts: list[Part] = [(shells.block((7.6, 2.6, low), (0.0, 0.0, 0.5 * low), 0.05), CONCRETE)]
    for x in (FROM, TO):
        foot = shells.block((1.0, 1.0, STAND - low - 0.12), (x, 0.0, low + GAP + 0.5 * (STAND - low - 0.12)), 0.04)
        top = shells.block((TABLE, TABLE, 0.12 - 2.0 * GAP), (x, 0.0, STAND - 0.06 + GAP), 0.03)
        parts += [(foot, GRAPHITE), (top, IVORY)]
    for x in (-3.4, 3.4):
        post = shells.block((0.36, 0.36, RAIL + 0.2 - low), (x, 0.0, low + GAP + 0.5 * (RAIL + 0.2 - low)), 0.04)
        parts.append((post, YELLOW))
    for y in (-0.4, 0.4):
        rail = shells.block((7.2, 0.16, 0.3), (0.0, y, RAIL), 0.03)
        parts.append((rail, YELLOW))
    for x in (-3.4, 3.4):
        for side in (-1.0, 1.0):
            tie = shells.block((0.3, 0.13, 0.26), (x, side * 0.251, RAIL), 0.02)
            parts.append((tie, GRAPHITE))
    return parts


def carriage() -> list[Part]:
    """It runs between the rails on four wheels, about the rail's axis, and guides the hand's column."""
    parts: list[Part] = []
    for side in (-1.0, 1.0):
        cheek = shells.block((1.0, 0.12, 0.5), (0.0, side * 0.24, 0.02), 0.03)
        parts.append((cheek, GRAPHITE))
        for x in (-0.36, 0.36):
            wheel = shells.cylinder(0.13, -0.06, 0.06, 0.02, 32)
            frame = shells.frame_along((0.0, 1.0, 0.0), (x, side * 0.4, 0.15 + 0.13 + GAP))
            parts.append((shells.placed(wheel, frame), STEEL))
            parts.append((shells.rod((x, side * 0.301, 0.23), (x, side * 0.339, 0.23), 0.04, 12), STEEL))
    for x in (-0.36, 0.36):
        parts.append((shells.block((0.16, 0.354, 0.3), (x, 0.0, 0.02), 0.02), GRAPHITE))
    return parts


def hand() -> list[Part]:
    """The column that slides in the carriage, with the rail that the fingers slide on below it."""
    low = BEAM
    column = shells.block((0.26, 0.26, 2.2 - low), (0.0, 0.0, 0.5 * (2.2 + low)), 0.02)
    beam = shells.block((2.5, 0.34, 0.26), (0.0, 0.0, low - 0.13 - GAP), 0.03)
    parts: list[Part] = [(column, STEEL), (beam, ORANGE)]
    for x in (-1.0, 1.0):
        parts.append((shells.block((0.1, 0.44, 0.34), (1.31 * x, 0.0, low - 0.13), 0.02), GRAPHITE))
    return parts


def finger() -> list[Part]:
    """A finger on the left, whose pad faces +x: its front is the origin."""
    edge = math.acos(1.0 - PAD / DOME)
    cap = [(DOME * math.sin(a), DOME * (math.cos(a) - 1.0)) for a in np.linspace(edge, 0.0, 13)[:-1]]
    dome = shells.lathe([(0.0, -PAD), *cap, (0.0, 0.0)], 40)
    pad = shells.placed(dome, at((0.0, 0.0, 0.0), turn("Y", 0.5 * math.pi)))
    stem = 0.16
    x = -PAD - GAP - 0.5 * stem
    high = OVER - 0.26 - 2.0 * GAP - 0.02
    bar = shells.block((stem, 0.5, 0.35 + high), (x, 0.0, 0.5 * (high - 0.35)), 0.02)
    shoe = OVER - 0.26 - 0.02
    parts: list[Part] = [(pad, MATERIAL["RUBBER"]), (bar, STEEL)]
    for side in (-1.0, 1.0):
        cheek = shells.block((0.34, 0.06, 0.4), (x - 0.05, side * 0.22, shoe + 0.22), 0.01)
        parts.append((cheek, STEEL))
    return parts


def block(material: str) -> list[Part]:
    """The block about its middle."""
    return [(shells.block((1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 0.03), MATERIAL[material])]
