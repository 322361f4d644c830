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

    ends = [(corner(side, 0.0), corner(side, length)) for side in range(4)]
    chords = [(top - bottom) / np.linalg.norm(top - bottom) for bottom, top in ends]
    parts: list[Part] = []
    for (bottom, top), along in zip(ends, chords, strict=True):
        # The flat ends of a leaning chord must not stick out of the girder.
        lean = chord * float(np.hypot(along[0], along[1])) * along
        parts.append((shells.rod(bottom + lean, top - lean, chord), paint))

    def add_brace(first: int, low: float, second: int, high: float) -> None:
        a, b = corner(first, low), corner(second, high)
        along = (b - a) / np.linalg.norm(b - a)
        a = a + _trim(along, chords[first % 4], chord, brace) * along
        b = b - _trim(along, chords[second % 4], chord, brace) * along
        parts.append((shells.rod(a, b, brace, 8), paint))

    bay = length / bays
    clear = 1.6 * brace
    for side in range(4):
        add_brace(side, clear, side + 1, clear)
        for k in range(bays):
            # The last ring lies a little below the top, and diagonals stay clear of rings.
            low, ring = k * bay, (k + 1) * bay - (clear if k == bays - 1 else 0.0)
            add_brace(side, ring, side + 1, ring)
            first, second = (side, side + 1) if (k + side) % 2 else (side + 1, side)
            add_brace(first, low + 2.5 * clear, second, ring - 2.5 * clear)
    return parts


def _trim(along: Array, chord_along: Array, chord: float, brace: float) -> float:
    """How far before the axis of a chord a brace must end.

    Its flat end comes nearer to the chord than its axis, by its radius times the cosine of the angle between them.
    """
    cosine = abs(float(along @ chord_along))
    return (1.06 * chord + brace * cosine) / float(np.sqrt(1.0 - cosine * cosine))
