# SPDX-License-Identifier: GPL-3.0-or-later
"""Tower, turntable and boom of the crane, drawn in units of the tower's width. x points along the boom, z up."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import lattice, outlines, shells
from .assembly import SIDEWAYS, Part, at, placed
from .paint import CONCRETE, GLASS, GRAPHITE, IVORY, RED, STEEL, YELLOW
from .shells import GAP

Array = arrays.Array

BOOM_FOOT = (0.62, 0.0, 0.78)
"""Where the boom's hinge is, in the turntable's frame."""

DECK = 0.12 + GAP
"""Height of the turntable's floor."""


def tower(height: float) -> list[Part]:
    """Foot at z = 0, the bearing on its top at `height`."""
    pad, cap = 0.45, 0.22
    foot = shells.block((2.6, 2.6, pad), (0.0, 0.0, 0.5 * pad), 0.06)
    length = height - pad - cap - 3.0 * GAP
    mast = lattice.girder(length, 1.0, 1.0, 0.06, 0.032, _bays(length), YELLOW)
    plate = shells.block((1.25, 1.25, 0.1), (0.0, 0.0, height - cap + 0.05 - GAP), 0.02)
    ring = shells.cylinder(0.55, height - cap + 0.1, height - GAP, 0.03, 48)
    return [(foot, CONCRETE), *placed(mast, at((0.0, 0.0, pad + GAP))), (plate, YELLOW), (ring, STEEL)]


def _bays(length: float) -> int:
    """Fields of a girder: not so many that checking the mesh takes long."""
    return min(max(2, round(length / 1.25)), 10)


def turntable() -> list[Part]:
    """The part that slews, from z = 0 up."""
    thick = 0.2
    top = DECK + thick + GAP
    bearing = shells.cylinder(0.6, 0.0, 0.12, 0.03, 48)
    floor = shells.block((2.9, 1.3, thick), (-0.45, 0.0, DECK + 0.5 * thick), 0.03)
    ballast = [shells.block((0.32, 1.2, 0.85), (x, 0.0, top + 0.425), 0.04) for x in (-1.66, -1.3)]
    parts = [(bearing, GRAPHITE), (floor, YELLOW), *((block, CONCRETE) for block in ballast)]
    cheek = _cheek(BOOM_FOOT[2] - top)
    drum = shells.lathe(_mirrored([(0.0, 0.34), (0.24, 0.34), (0.24, 0.29), (0.17, 0.28)]))
    parts.append((shells.placed(drum, at((-0.3, 0.0, top + 0.3), SIDEWAYS)), GRAPHITE))
    for side in (-1.0, 1.0):
        parts.append((shells.placed(cheek, at((BOOM_FOOT[0], side * 0.5 + 0.05, top), SIDEWAYS)), YELLOW))
        parts.append((shells.rod((-0.02, side * 0.48, top + 0.05), (-0.44, side * 0.24, top + 1.6), 0.045), YELLOW))
        parts.append((shells.rod((-1.02, side * 0.48, top + 0.05), (-0.56, side * 0.24, top + 1.6), 0.035), YELLOW))
    pulley = shells.lathe(_mirrored([(0.0, 0.36), (0.09, 0.36), (0.09, 0.12), (0.17, 0.11), (0.13, 0.05)]))
    parts.append((shells.placed(pulley, at((-0.5, 0.0, top + 1.7), SIDEWAYS)), STEEL))
    return [*parts, *_cab()]


def _mirrored(half: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """A lathe profile that is the same on both sides, from its upper half, axis first."""
    return [(radius, -z) for radius, z in half] + half[::-1]


def _cheek(height: float) -> shells.Shell:
    """An upright plate with an eye at its top: local x is forward, y up, z sideways."""
    eye = outlines.arc((0.0, height), 0.21, -0.12 * np.pi, 1.12 * np.pi, 17)
    outline = np.concatenate([[[-0.42, 0.0], [0.42, 0.0]], eye])
    return shells.plate(outline, 0.0, 0.1, 0.02, [shells.Boss((0.0, height), 0.0, 0.0, 0.0, 0.1)])


def _cab() -> list[Part]:
    """The driver's cab, beside the deck on the right."""
    x, y, z = 0.52, -1.06, DECK + 0.45
    thin = 0.02
    hull = shells.block((0.8, 0.72, 0.9), (x, y, z), 0.05)
    front = shells.block((thin, 0.56, 0.46), (x + 0.4 + GAP + 0.5 * thin, y, z + 0.12), 0.004)
    panes = [
        shells.block((0.54, thin, 0.42), (x + 0.04, y + side * (0.36 + GAP + 0.5 * thin), z + 0.14), 0.004)
        for side in (-1.0, 1.0)
    ]
    roof = shells.block((0.9, 0.8, 0.06), (x, y, z + 0.48 + GAP), 0.015)
    return [(hull, IVORY), (front, GLASS), *((pane, GLASS) for pane in panes), (roof, YELLOW)]


def boom(length: float) -> list[Part]:
    """Along x from its hinge, which turns about y, to the axle of the sheave at (length, 0, 0)."""
    foot, tip = 0.5, 0.42
    axle = shells.placed(shells.cylinder(0.09, -0.66, 0.66, 0.015), at((0.0, 0.0, 0.0), SIDEWAYS))
    root = shells.block((foot - 0.12, 0.74, 0.74), (0.06 + 0.5 * foot - GAP, 0.0, 0.0), 0.03)
    end = shells.block((0.06, 0.5, 0.44), (length - tip - 0.03 - GAP, 0.0, 0.0), 0.012)
    span = length - tip - 0.06 - foot - 3.0 * GAP
    truss = lattice.girder(span, 0.62, 0.34, 0.04, 0.022, _bays(span), YELLOW)
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    parts = [(axle, STEEL), (root, YELLOW), *placed(truss, at((foot + GAP, 0.0, 0.0), lying)), (end, YELLOW)]
    outline = -outlines.blade(tip, 0.13, 0.4)
    nose = shells.plate(outline, 0.0, 0.05, 0.008, [shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, 0.05)])
    for side in (-1.0, 1.0):
        parts.append((shells.placed(nose, at((length, side * 0.16 + 0.025, 0.0), SIDEWAYS)), RED))
    sheave = shells.lathe(_mirrored([(0.0, 0.22), (0.045, 0.22), (0.045, 0.06), (0.17, 0.05), (0.13, 0.02)]))
    return [*parts, (shells.placed(sheave, at((length, 0.0, 0.0), SIDEWAYS)), STEEL)]
