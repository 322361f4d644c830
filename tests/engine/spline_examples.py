# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets of every sort, and scenes of joints on them.

Import as `from engine.spline_examples import ring_track, torus_sheet`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from redmax.joints import Joint
from redmax.scene import Scene
from redmax.spatial import pose, so3
from redmax.tracks import Sheet, Track, pose_of


def ring_track(
    seed: int = 0, *, name: str = "track", count: int = 9, turn: float = 0.3, size: float = 1.0, **fields: Any
) -> Track:
    """A closed bent ring of about 2 m radius times `size`, whose frames are turned at random by about `turn` [rad]."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(count) / count
    x = np.stack([2.2 * np.cos(angle), 1.7 * np.sin(angle), 0.4 * np.sin(2.0 * angle)], 1)
    x = size * (x + 0.1 * rng.standard_normal(x.shape))
    R = so3.exp(turn * rng.standard_normal((count, 3)))
    return Track(name=name, frames=tuple(map(pose_of, pose.make(R, x))), **({"cyclic": True} | fields))


def torus_sheet(
    seed: int = 0,
    *,
    name: str = "sheet",
    count: tuple[int, int] = (7, 6),
    turn: float = 0.3,
    dent: float = 0.05,
    **fields: Any,
) -> Sheet:
    """A dented torus of 2 m and 0.8 m, closed both ways, of frames turned at random by about `turn` [rad]."""
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(*(2.0 * np.pi * np.arange(n) / n for n in count), indexing="ij")
    r = 2.0 + 0.8 * np.cos(v)
    x = np.stack([r * np.cos(u), r * np.sin(u), 0.8 * np.sin(v)], -1) + dent * rng.standard_normal((*count, 3))
    closed: dict[str, Any] = {"cyclic_u": True, "cyclic_v": True}
    if fields.get("orientation") != "normal":
        closed["angles"] = turn * rng.standard_normal((*count, 3))
    return Sheet(name=name, positions=_plain(x), **(closed | fields))


def _plain(values: np.ndarray) -> Any:
    """Arrays as tuples, which scenes compare by value."""
    return tuple(map(_plain, values)) if values.ndim > 1 else tuple(values.tolist())


def off_borders(joint: Joint, q: np.ndarray, room: float) -> np.ndarray:
    """Coordinates at least a part `room` of a segment away from its borders, where third derivatives jump."""
    found, first = q.copy(), 0
    for part in getattr(joint, "parts", (joint,)):
        path = getattr(part, "path", None)
        for k in range(part.ndof if path is not None else 0):
            borders = path.borders if isinstance(path, Track) else np.arange(path.extent[k] + 1.0)
            origin = float(np.atleast_1d(part.origin)[k])
            lap, x = divmod(q[first + k] + origin, borders[-1])
            at = max(0, min(int(np.searchsorted(borders, x, side="right")) - 1, len(borders) - 2))
            low, high = borders[at : at + 2]
            inside = np.clip(x, low + room * (high - low), high - room * (high - low))
            found[first + k] = lap * borders[-1] + inside - origin
        first += part.ndof
    return found


def paths(joint: Joint) -> Iterator[Track | Sheet]:
    """Tracks and sheets that a joint, or a part of it, knows."""
    for part in (joint, *getattr(joint, "parts", ())):
        path = getattr(part, "path", None)
        if path is not None:
            yield path


def resized(joint: Joint, factor: float) -> Joint:
    """A joint on a track or sheet that is `factor` times as large; any other as it is."""
    path = getattr(joint, "path", None)
    if isinstance(path, Sheet):
        return dataclasses.replace(joint, path=dataclasses.replace(path, positions=factor * np.asarray(path.positions)))
    if isinstance(path, Track):
        frames = [dataclasses.replace(one, position=tuple(factor * np.asarray(one.position))) for one in path.frames]
        return dataclasses.replace(joint, path=dataclasses.replace(path, frames=tuple(frames)))
    return joint


def with_paths(scene: Scene) -> Scene:
    """A scene whose joints know their tracks and sheets, with these in its lists."""
    known = {id(path): path for joint in scene.joints for path in paths(joint)}.values()
    scene.tracks = [path for path in known if isinstance(path, Track)]
    scene.sheets = [path for path in known if isinstance(path, Sheet)]
    return scene
