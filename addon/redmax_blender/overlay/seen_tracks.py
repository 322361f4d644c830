# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets of a view layer as lines: the path with its frames as the sleepers of a rail, or a net.

What is known is remembered until one of the objects that a track is made of changes. Lines are in the frame of the
track's object, whose place is read anew for every redraw.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np

from .._engine import arrays
from ..bridge.core.findings import Finding
from ..bridge.extract import guide_reader, guides
from ..bridge.objects import frames, units
from ..properties import sorts
from .layout import Lines

Array = arrays.Array

PATH, SLEEPER, UP = (0.30, 0.72, 1.0, 0.95), (0.30, 0.72, 1.0, 0.55), (0.45, 0.55, 1.0, 0.9)
"""Colours of the path, of the frames' y axes across it and of their z axes."""

SELECTED = (1.0, 1.0, 1.0, 1.0)

POINTS, SLEEPERS, NET = 240, 48, 24
"""Points of a path, frames that are shown of it, and lines of a net in each direction."""

WIDTH = 0.3
"""Half the length of a sleeper, as a part of the distance to the next; z is as long."""


class Way(NamedTuple):
    """A track or sheet. place: of its object among the view layer's. lines: in its rigid frame [Blender units].
    members: session_uid of all objects that it is made of."""

    place: int
    lines: Lines
    members: frozenset[int]


_seen: dict[tuple[int, str], tuple[int, list[Way]]] = {}
"""By scene and view layer: how many objects there were, and what was found."""


def known(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[Way]:
    """Tracks and sheets of a view layer, remembered as long as they are the same."""
    key = (scene.session_uid, view_layer.name)
    count = len(view_layer.objects)
    if key not in _seen or _seen[key][0] != count:
        _seen[key] = (count, look(scene, view_layer))
    return _seen[key][1]


def forget() -> None:
    """Something of a track has changed, or another file is open."""
    _seen.clear()


def is_part(uid: int) -> bool:
    """Whether a track that was drawn is made of the object of a session_uid."""
    return any(uid in way.members for _, ways in _seen.values() for way in ways)


def look(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[Way]:
    """Read everything anew but where they are. What is not sound is not drawn: Check says what is wrong."""
    objects = {obj.name: (place, obj) for place, obj in enumerate(view_layer.objects) if _is_way(obj)}
    findings: list[Finding] = []
    having = [obj for _, obj in objects.values()]
    found = guide_reader.read(having, scene, view_layer.depsgraph, findings) if having else {}
    length = units.metres_per_unit(scene)
    ways = []
    for name, guide in found.items():
        place, obj = objects[name]
        points, colours = lines_of(guide.element)
        members = {
            obj.session_uid,
            *(each.object().session_uid for each in sorts.references_of(obj.redmax) if each.object()),
        }
        ways.append(Way(place, Lines(points / length, colours), frozenset(members)))
    return ways


def _is_way(obj: bpy.types.Object) -> bool:
    return any(getattr(obj.redmax, f"is_{sort}") for sort in guides.SORTS)


@lru_cache(maxsize=64)
def lines_of(element: Any) -> tuple[Array, Array]:
    """Ends (2 n, 3) [m] of lines that show a track or a sheet, and their colours (2 n, 4)."""
    return _net(element) if isinstance(element.extent, tuple) else _rail(element)


def _rail(track: Any) -> tuple[Array, Array]:
    path = track.sampled(POINTS)[1][:, :3, 3]
    sleepers = min(SLEEPERS, 2 * len(track.frames))
    E = track.sampled(sleepers + 1)[1][: sleepers + (0 if track.cyclic else 1)]
    reach = WIDTH * track.length / sleepers
    across = np.stack([E[:, :3, 3] - reach * E[:, :3, 1], E[:, :3, 3] + reach * E[:, :3, 1]], 1)
    up = np.stack([E[:, :3, 3], E[:, :3, 3] + reach * E[:, :3, 2]], 1)
    return _coloured((np.stack([path[:-1], path[1:]], 1), PATH), (across, SLEEPER), (up, UP))


def _net(sheet: Any) -> tuple[Array, Array]:
    u, v = (np.linspace(0.0, extent, NET + 1) for extent in sheet.extent)
    x = sheet.origins(u, v)
    along = np.stack([x[:-1], x[1:]], 2).reshape(-1, 2, 3)
    across = np.stack([x[:, :-1], x[:, 1:]], 2).reshape(-1, 2, 3)
    return _coloured((along, SLEEPER), (across, SLEEPER))


def _coloured(*parts: tuple[Array, tuple[float, ...]]) -> tuple[Array, Array]:
    points = np.concatenate([lines.reshape(-1, 3) for lines, _ in parts])
    colours = np.concatenate([np.tile(colour, (2 * len(lines), 1)) for lines, colour in parts])
    return points, colours


def placed(ways: Iterable[Way], M: Array, shown: Any, selected: Any) -> Lines:
    """Lines in the world. M: (n, 4, 4) matrices of the objects of the ways; shown, selected: (n,)."""
    points, colours = [np.zeros((0, 3), np.float32)], [np.zeros((0, 4), np.float32)]
    for way, matrix, is_shown, is_selected in zip(ways, M, shown, selected, strict=True):
        (E,), _, (wrong,) = frames.rigid_parts(matrix[None])
        if is_shown and not wrong:
            points.append((way.lines.points @ E[:3, :3].T + E[:3, 3]).astype(np.float32))
            ink = way.lines.colours
            colours.append((0.5 * ink + 0.5 * np.array(SELECTED) if is_selected else ink).astype(np.float32))
    return Lines(np.concatenate(points), np.concatenate(colours))
