# SPDX-License-Identifier: GPL-3.0-or-later
"""Lattice girders: four chords with braces between them, none touching another."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import shells
from .assembly import Part
from .paint import Paint

Array = arrays.Array

_SIDES = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
"""Corners of the section, in order round it."""


def girder(length: float, start: float, end: float, chord: float, brace: float, bays: int, paint: Paint) -> list[Part]:
    """A girder along z from 0 to length whose square section narrows from side `start` to side `end`.

    chord, brace: radii of the bars. bays: fields from bottom to top; each has a ring and a diagonal on every face.
    """

    def corner(side: int, z: float) -> Array:
        half = 0.5 * (start + (end - start) * z / length)
        x, y = half * _SIDES[side % 4]
        return np.array([x, y, z])

    parts = [(shells.rod(corner(side, 0.0), corner(side, length), chord), paint) for side in range(4)]
    bay = length / bays
    # Rings lie this far from the ends of a bay, diagonals stay clear of them.
    clear = 1.6 * brace
    for k in range(bays):
        low, high = k * bay, (k + 1) * bay
        for side in range(4):
            ring = high - clear if k == bays - 1 else high
            parts.append((between(corner(side, ring), corner(side + 1, ring), chord, brace), paint))
            first, second = (side, side + 1) if (k + side) % 2 else (side + 1, side)
            bottom, top = low + 2.5 * clear, ring - 2.5 * clear
            parts.append((between(corner(first, bottom), corner(second, top), chord, brace), paint))
    for side in range(4):
        parts.append((between(corner(side, clear), corner(side + 1, clear), chord, brace), paint))
    return parts


def between(start: Array, end: Array, chord: float, brace: float) -> shells.Shell:
    """A brace between the axes of two chords, ending just before their surfaces."""
    along = (end - start) / np.linalg.norm(end - start)
    slope = abs(along[2])
    level = np.sqrt(1.0 - slope * slope)
    # A square end of a sloping bar reaches sideways by its radius times the slope.
    trim = (chord * 1.05 + brace * slope) / level
    return shells.rod(start + trim * along, end - trim * along, brace, 8)
