# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a drawbridge, in units of its deck: x points over the bridge, z up, y = 0 is the middle of the road."""

from __future__ import annotations

import math

import numpy as np

from . import outlines, shells
from .assembly import SIDEWAYS, Part, at
from .paint import BRASS, GRAPHITE, MATERIAL, OAK, RED, STEEL
from .planar import Point
from .shells import GAP, Boss

STONE = MATERIAL["STONE"]

ROAD, WIDE = 0.3, 0.46
"""Height of the road over the floor; breadth of the deck."""

CABLE = 0.17
"""How far the cables lie beside the middle."""

POSTS = (-0.02, -0.36, 0.3)
"""Of the frame: x of the front and of the rear posts, and how far they stand beside the middle."""

TOP = ROAD + 1.36
"""Height of the frame."""

SHEAVE = 0.06
"""Radius of the sheaves, whose axle lies in front of the block's line by as much."""

LINE = -0.19
"""x of the line along which the block runs."""

DRUM = 0.055
"""Radius of the winch at its chain."""

WINCH: Point = (LINE - DRUM, ROAD + 0.16)
AXLE: Point = (LINE + SHEAVE, TOP - 0.1)


def deck(length: float = 1.0) -> list[Part]:
    """Planks on two beams, along x from its hinge at the origin; its upper side lies at z = 0.03."""
    parts: list[Part] = []
    beam = shells.block((length - 0.02, 0.04, 0.05), (0.5 * length, 0.0, -0.025), 0.006)
    for side in (-1.0, 1.0):
        parts.append((shells.moved(beam, (0.0, side * 0.15, 0.0)), OAK))
        eye = shells.tube(0.022, 0.012, -0.012, 0.012, 0.002)
        place = at((REACH, side * CABLE, 0.03 + 0.022 + GAP), SIDEWAYS)
        parts.append((shells.placed(eye, place), STEEL))
    count = 16
    step = length / count
    for k in range(count):
        plank = shells.block((step - 0.006, WIDE, 0.028), ((k + 0.5) * step, 0.0, 0.014 + GAP), 0.004)
        parts.append((plank, MATERIAL["PINE"]))
    axle = shells.cylinder(0.016, -0.5 * WIDE - 0.03, 0.5 * WIDE + 0.03, 0.003, 20)
    parts.append((shells.placed(axle, at((-0.03, 0.0, 0.0), SIDEWAYS)), STEEL))
    return parts


REACH = 0.94
"""Where the cables are fixed to the deck, from its hinge."""


def ground(length: float = 1.0) -> list[Part]:
    """Two banks, and a frame of timber on the left one with its sheaves, guides and bearings."""
    front, back, aside = POSTS
    left, right = -0.75, length + 0.4
    bed = shells.block((right - left, 1.0, 0.05), (0.5 * (left + right), 0.0, 0.025), 0.01)
    water = shells.block((length + 0.02, 0.96, 0.02), (0.5 * length, 0.0, 0.06 + GAP), 0.002)
    parts: list[Part] = [(bed, STONE), (water, MATERIAL["WATER"])]
    for low, high in ((left, -0.06), (length + 0.03, right)):
        bank = shells.block(
            (high - low, 1.0, ROAD + 0.03 - 0.05 - GAP), (0.5 * (low + high), 0.0, 0.5 * (ROAD + 0.08 + GAP)), 0.02
        )
        parts.append((bank, STONE))
    foot = ROAD + 0.03 + GAP
    thick = 0.065
    for side in (-1.0, 1.0):
        y = side * aside
        for x in (front - 0.08, back - 0.02):
            parts.append((shells.block((thick, thick, TOP - foot), (x, y, 0.5 * (TOP + foot)), 0.008), OAK))
        rail = shells.block(
            (front - back + 0.2, thick, thick), (0.5 * (front + back) - 0.05, y, TOP + 0.5 * thick + GAP), 0.008
        )
        parts.append((rail, OAK))
        # A brace from post to post.
        a = np.array([back + 0.04, y, foot + 0.35])
        b = np.array([front - 0.14, y, foot + 0.72])
        parts.append((shells.rod(a, b, 0.022, 8), OAK))
    for x in (front - 0.08, back - 0.02):
        beam = shells.block((thick, 2.0 * aside + 0.2, thick), (x, 0.0, TOP + 1.5 * thick + 3.0 * GAP), 0.008)
        parts.append((beam, OAK))
    parts += _sheaves(aside, thick) + _guides(foot)
    return parts


def _sheaves(aside: float, thick: float) -> list[Part]:
    """Two sheaves on an axle between the frame's sides."""
    x, z = AXLE
    r = SHEAVE
    half = 0.018
    groove = [(0.2 * r, -half), (1.12 * r, -half), (0.95 * r, -0.4 * half), (0.95 * r, 0.4 * half), (1.12 * r, half),
              (0.2 * r, half)]  # fmt: skip
    sheave = shells.lathe(groove)
    parts: list[Part] = [(shells.placed(sheave, at((x, side * CABLE, z), SIDEWAYS)), BRASS) for side in (-1.0, 1.0)]
    rod = shells.cylinder(0.16 * r, -aside + 0.5 * thick + GAP, aside - 0.5 * thick - GAP, 0.002, 20)
    parts.append((shells.placed(rod, at((x, 0.0, z), SIDEWAYS)), STEEL))
    for side in (-1.0, 1.0):
        hanger = shells.block(
            (0.05, 0.03, TOP - z - 0.03), (x, side * (aside - 0.06), 0.5 * (TOP + z + 0.03) - GAP), 0.004
        )
        parts.append((hanger, GRAPHITE))
    return parts


def _guides(foot: float) -> list[Part]:
    """Two poles that the block slides on, the chain from the winch up to its idle wheel, and the winch's bearings."""
    parts: list[Part] = []
    for side in (-1.0, 1.0):
        pole = shells.cylinder(0.014, foot, TOP - 0.17, 0.002, 16)
        parts.append((shells.moved(pole, (LINE, side * 0.115, 0.0)), STEEL))
        x, z = WINCH
        outline = outlines.belt(
            [((x, z), 0.035), ((x - 0.05, foot + 0.012), 0.012), ((x + 0.05, foot + 0.0125), 0.012)]
        )
        cheek = shells.plate(outline, -0.014, 0.014, 0.003, [Boss((x, z), 0.0, 0.0, 0.0, 0.015)])
        parts.append((shells.placed(cheek, at((0.0, side * 0.22, 0.0), SIDEWAYS)), GRAPHITE))
    high = TOP - 0.2
    idle = shells.cylinder(0.85 * DRUM, -0.012, 0.012, 0.003)
    parts.append((shells.placed(idle, at((WINCH[0], 0.0, high), SIDEWAYS)), BRASS))
    back = WINCH[0] - DRUM
    parts.append((shells.rod((back, 0.0, WINCH[1]), (back, 0.0, high), 0.005, 8), GRAPHITE))
    return parts


def block(height: float) -> list[Part]:
    """The weight that hauls the cables, about the middle of its top, which the cables are fixed to."""
    guides = [Boss((0.0, side * 0.115), 0.0, 0.0, 0.0, 0.016) for side in (-1.0, 1.0)]
    body = shells.plate(outlines.rounded_rectangle(0.11, 0.3, 0.02), -height, 0.0, 0.008, guides)
    parts: list[Part] = [(body, RED)]
    for side in (-1.0, 1.0):
        arm = shells.block((0.03, 0.035, 0.03), (0.0, side * (0.15 + GAP + 0.0175), -0.03), 0.004)
        parts.append((arm, STEEL))
    return parts


def winch() -> list[Part]:
    """About its axle along z, towards the viewer: the drum in the middle, and a hand wheel at its end."""
    rod = shells.cylinder(0.0135, -0.25, 0.43, 0.002, 20)
    parts: list[Part] = [(rod, STEEL)]
    drum = shells.tube(DRUM, 0.0145, -0.03, 0.03, 0.004)
    parts.append((drum, BRASS))
    for side in (-1.0, 1.0):
        flange = shells.tube(1.3 * DRUM, 0.0145, -0.006, 0.006, 0.002)
        parts.append((shells.moved(flange, (0.0, 0.0, side * (0.036 + GAP))), GRAPHITE))
    radius = 0.145
    rim = shells.wire(np.column_stack([outlines.circle(radius, points=48), np.zeros(48)]), 0.012, 10, closed=True)
    parts.append((shells.moved(rim, (0.0, 0.0, 0.4)), OAK))
    hub = shells.tube(0.032, 0.0145, 0.38, 0.42, 0.003)
    parts.append((hub, BRASS))
    for angle in np.linspace(0.0, 2.0 * math.pi, 8, endpoint=False):
        way = np.array([math.cos(angle), math.sin(angle), 0.0])
        middle = np.array([0.0, 0.0, 0.4])
        parts.append((shells.rod(middle + 0.034 * way, middle + (radius - 0.014) * way, 0.008, 8), OAK))
        parts.append((shells.rod(middle + (radius + 0.014) * way, middle + (radius + 0.05) * way, 0.008, 8), OAK))
    return parts
