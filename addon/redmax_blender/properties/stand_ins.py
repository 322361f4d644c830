# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets that stand for those of the scene where only the coordinates of a joint are asked for.

Panels ask for names and units of coordinates, and glyphs for the way a joint moves, many times a second. Of a track
only its `coordinate` decides about these.
"""

from __future__ import annotations

import functools
from typing import Any

from .._engine import fields, tracks

FLAT = 4
"""Control frames of a stand-in in each direction."""


def name_of(sort: str, obj: Any) -> str:
    """Name of the stand-in of an object, or of none. sort: of which it is, 'track' or 'sheet'."""
    settings = getattr(obj.redmax, sort, None) if obj is not None else None
    return getattr(settings, "coordinate", usual(sort))


def usual(sort: str) -> str:
    """Name of the stand-in of a new element of a sort."""
    return str(fields.defaults(tracks.Track)["coordinate"]) if sort == "track" else sort


@functools.cache
def find(sort: str, name: str) -> Any:
    """The stand-in of a name: a straight track along x, or a flat sheet, of one metre from frame to frame."""
    if sort == "track":
        frames = tuple(fields.Pose((float(k), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)) for k in range(-1, FLAT - 1))
        return tracks.Track(name=name, frames=frames, coordinate=name)
    rows = tuple(tuple((float(x), float(y), 0.0) for y in range(-1, FLAT - 1)) for x in range(-1, FLAT - 1))
    return tracks.Sheet(name=name, positions=rows)
