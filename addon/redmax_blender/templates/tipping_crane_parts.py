# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the crane that tips, in units of its reach: x along the jib, z up, the mast about the origin."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import lattice, shells
from .assembly import SIDEWAYS, Part, at, placed, turn
from .paint import CONCRETE, GLASS, GRAPHITE, IVORY, ORANGE, RED, STEEL, YELLOW
from .shells import GAP

Array = arrays.Array

HEIGHT = 0.72
"""Of the rail that the trolley runs on."""

NEAR, FAR = 0.3, 0.95
"""Where the trolley starts, and full reach."""

PAD, THICK = 0.09, 0.025
"""Side and height of the pads that the crane stands on."""

HOOK = 0.05
"""From the rail down to where the rope hangs."""

SLING = 0.45
"""Height of the load's slings, in units of its side."""

HAIR = 0.05 * GAP


def crane(half: float) -> list[Part]:
    """Outriggers, chassis, mast, jib and counterweight, standing on z = 0. half: half of the stance."""
    parts: list[Part] = []
    deck = 0.075
    parts.append((shells.block((0.2, 0.2, 0.06), (0.0, 0.0, deck + 0.03), 0.008), GRAPHITE))
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            foot = np.array([x * half, y * half, 0.0])
            pad = shells.block((PAD, PAD, THICK - HAIR), foot + np.array([0.0, 0.0, 0.5 * THICK]), 0.004)
            jack = shells.cylinder(0.013, THICK + HAIR, deck + 0.012, 0.002, 20)
            parts += [(pad, GRAPHITE), (shells.moved(jack, foot), STEEL)]
            # A beam from the chassis to the jack; its end caps the jack.
            way = np.array([x, y, 0.0]) / np.sqrt(2.0)
            raised = np.array([0.0, 0.0, deck + 0.03])
            a, b = 0.148 * way + raised, foot + raised
            long = float(np.linalg.norm(b - a)) + 0.02
            beam = shells.block((long, 0.035, 0.034), (0.5 * long, 0.0, 0.0), 0.004)
            parts.append((shells.placed(beam, at(a, turn("Z", float(np.arctan2(y, x))))), YELLOW))
    floor = deck + 0.06 + HAIR
    top = HEIGHT - 0.06
    parts += placed(lattice.girder(top - floor, 0.11, 0.09, 0.0075, 0.004, 6, YELLOW), at((0.0, 0.0, floor)))
    parts += _head(top + HAIR)
    return parts


def _head(low: float) -> list[Part]:
    """What lies on the mast: the slewing head, jib, counter jib with its weight, cab and ties."""
    rail = HEIGHT
    parts: list[Part] = [
        (shells.block((0.16, 0.13, rail + 0.075 - low), (0.0, 0.0, 0.5 * (rail + 0.075 + low)), 0.006), ORANGE)
    ]
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    start, end = 0.08 + HAIR, 1.0
    middle = rail + 0.045
    truss = lattice.girder(end - start, 0.075, 0.05, 0.006, 0.0032, 10, YELLOW)
    parts += placed(truss, at((start, 0.0, middle), lying))
    parts.append((shells.block((0.02, 0.07, 0.07), (end + 0.01 + HAIR, 0.0, middle), 0.004), RED))
    counter = 0.3
    for y in (-0.05, 0.05):
        beam = shells.block((counter, 0.02, 0.03), (-start - 0.5 * counter, y, rail + 0.03), 0.003)
        parts.append((beam, YELLOW))
    for k in range(3):
        x = -0.23 - 0.058 * k
        parts.append((shells.block((0.052, 0.2, 0.17), (x, 0.0, rail + 0.015 - HAIR - 0.085), 0.006), CONCRETE))
    parts += _cab(rail)
    peak = rail + 0.24
    for y in (-0.04, 0.04):
        parts.append((shells.rod((-0.02, y, rail + 0.077), (-0.02, 0.25 * y, peak), 0.006, 10), YELLOW))
    parts.append((shells.block((0.03, 0.05, 0.02), (-0.02, 0.0, peak + 0.013), 0.003), GRAPHITE))
    for x, z in ((0.62, middle + 0.05), (-0.36, rail + 0.052)):
        tip, way = np.array([-0.02, 0.0, peak + 0.01]), np.array([x, 0.0, z])
        along = (way - tip) / np.linalg.norm(way - tip)
        parts.append((shells.rod(tip + 0.025 * along, way, 0.0028, 8), GRAPHITE))
    return parts


def _cab(rail: float) -> list[Part]:
    """The driver's cab, at the near side of the head."""
    x, y, z = 0.03, -0.115, rail + 0.0
    hull = shells.block((0.1, 0.085, 0.11), (x, y, z), 0.008)
    front = shells.block((0.004, 0.065, 0.055), (x + 0.05 + HAIR + 0.002, y, z + 0.015), 0.0008)
    pane = shells.block((0.07, 0.004, 0.05), (x + 0.004, y - 0.0425 - HAIR - 0.002, z + 0.017), 0.0008)
    return [(hull, IVORY), (front, GLASS), (pane, GLASS)]


def trolley() -> list[Part]:
    """Below the jib, about a place on its rail; the rope hangs `HOOK` below that."""
    parts: list[Part] = [(shells.block((0.09, 0.08, 0.022), (0.0, 0.0, -0.022), 0.004), RED)]
    drum = shells.placed(shells.cylinder(0.013, -0.03, 0.03, 0.003, 20), at((0.0, 0.0, -0.047), SIDEWAYS))
    parts.append((drum, STEEL))
    return parts


def slings() -> list[Part]:
    """Four slings from the corners of a block of side 1 to the place that it hangs from."""
    parts: list[Part] = []
    for x in (-0.42, 0.42):
        for y in (-0.42, 0.42):
            low = np.array([x, y, -SLING + 0.022])
            along = -low / np.linalg.norm(low)
            parts.append((shells.rod(low, -0.1 * along, 0.018, 8), GRAPHITE))
    parts.append((shells.ball(0.06, (0.0, 0.0, 0.0), 16), STEEL))
    return parts
