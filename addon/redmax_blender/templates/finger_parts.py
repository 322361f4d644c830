# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of a finger that points up, in units of its length: z along each bone, x to the side that it bends to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import outlines, shells
from .assembly import Part
from .paint import BRASS, GRAPHITE, IVORY, OAK, STEEL
from .shells import GAP

KNUCKLES = (0.062, 0.052, 0.044)
"""Radius of the head of the bone below each hinge."""

LENGTHS = (0.46, 0.31, 0.23)
"""Of the bones between the hinges, from the base to the tip."""

HAND = 0.62
"""Height of the lowest hinge over the floor."""

RING = 0.021
"""Outer radius of the rings that tendons run through."""


def bone(length: float, low: float, high: float | None) -> shells.Shell:
    """Up from its hinge at the origin. low: radius of the knuckle below. high: of its own head at z = length; without,
    it ends in a tip."""
    start = 1.04 * low
    waist = 0.62 * low
    profile = [
        (0.0, start),
        (0.7 * low, start - 0.12 * low),
        (0.98 * low, start + 0.22 * low),
        (0.9 * low, start + 0.6 * low),
    ]
    if high is None:
        top = length - 0.6 * low
        profile += [(waist, 0.5 * length), (0.8 * low, top), (0.66 * low, top + 0.35 * low), (0.0, length)]
        return shells.lathe(profile, 28)
    profile += [(waist, 0.35 * length), (0.9 * waist, 0.55 * length), (0.8 * high, length - 1.15 * high)]
    angles = np.linspace(-0.6, 0.5 * np.pi, 9)
    profile += [(high * np.cos(a), length + high * np.sin(a)) for a in angles[:-1]]
    return shells.lathe([*profile, (0.0, length + high)], 28)


def ring(x: float, z: float) -> shells.Shell:
    """Around a tendon that runs up at (x, z)."""
    return shells.moved(shells.tube(RING, 0.55 * RING, -0.014, 0.014, 0.002), (x, 0.0, z))


def phalanx(number: int, rings: Sequence[tuple[float, float]]) -> list[Part]:
    """A bone with the pin of the hinge at its upper end, and rings as (x, z)."""
    last = number == len(LENGTHS) - 1
    low, high = KNUCKLES[number], None if last else KNUCKLES[number + 1]
    parts: list[Part] = [(bone(LENGTHS[number], low, high), IVORY)]
    parts += [(ring(x, z), BRASS) for x, z in rings]
    # Two cheeks hold the pin of the knuckle below.
    for side in (-1.0, 1.0):
        disc = shells.cylinder(0.36 * low, 0.0, 0.1 * low, 0.02 * low, 24)
        facing = shells.frame_along((0.0, side, 0.0), (0.0, side * 1.04 * low, 0.0))
        parts.append((shells.placed(disc, facing), STEEL))
    return parts


def hand(rings: Sequence[tuple[float, float]]) -> list[Part]:
    """The foot and the bone of the palm, whose head is the lowest knuckle."""
    slab = shells.prism(outlines.rounded_rectangle(0.62, 0.44, 0.06), 0.0, 0.06, 0.012)
    rise = shells.cylinder(0.12, 0.06 + GAP, 0.1, 0.012, 40)
    parts: list[Part] = [(slab, OAK), (rise, GRAPHITE)]
    low, high = 0.075, KNUCKLES[0]
    top = HAND
    profile = [(0.0, 0.1 + GAP), (1.1 * low, 0.1 + GAP), (low, 0.16), (0.6 * low, 0.3), (0.62 * low, 0.42),
               (0.85 * high, top - 1.2 * high)]  # fmt: skip
    profile += [(high * np.cos(a), top + high * np.sin(a)) for a in np.linspace(-0.6, 0.5 * np.pi, 9)[:-1]]
    parts.append((shells.lathe([*profile, (0.0, top + high)], 32), IVORY))
    parts += [(ring(x, z), BRASS) for x, z in rings]
    for side in (-1.0, 1.0):
        post = shells.block((0.05, 0.09, 0.05), (side * 0.2, 0.0, 0.06 + GAP + 0.025), 0.006)
        parts.append((post, GRAPHITE))
    return parts
