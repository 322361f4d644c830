# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets of every sort, and scenes of joints on them.

Import as `from engine.spline_examples import ring_track, torus_sheet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from redmax.joints import Joint
from redmax.scene import Scene
from redmax.spatial import pose, so3
from redmax.tracks import Sheet, Track, pose_of


def ring_track(seed: int = 0, *, name: str = "track", count: int = 9, turn: float = 0.3, **fields: Any) -> Track:
    """A closed bent ring of about 2 m radius, whose frames are turned at random by about `turn` [rad]."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(count) / count
    x = np.stack([2.2 * np.cos(angle), 1.7 * np.sin(angle), 0.4 * np.sin(2.0 * angle)], 1)
    x += 0.1 * rng.standard_normal(x.shape)
    R = so3.exp(turn * rng.standard_normal((count, 3)))
    return Track(name=name, frames=tuple(map(pose_of, pose.make(R, x))), **({"cyclic": True} | fields))


def torus_sheet(seed: int = 0, *, name: str = "sheet", turn: float = 0.3, **fields: Any) -> Sheet:
    """A dented torus of 2 m and 0.8 m, closed both ways, of 7 x 6 frames turned at random by about `turn` [rad]."""
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(2.0 * np.pi * np.arange(7) / 7, 2.0 * np.pi * np.arange(6) / 6, indexing="ij")
    r = 2.0 + 0.8 * np.cos(v)
    x = np.stack([r * np.cos(u), r * np.sin(u), 0.8 * np.sin(v)], -1) + 0.05 * rng.standard_normal((7, 6, 3))
    closed: dict[str, Any] = {"cyclic_u": True, "cyclic_v": True}
    if fields.get("orientation") != "normal":
        closed["angles"] = turn * rng.standard_normal((7, 6, 3))
    return Sheet(name=name, positions=_plain(x), **(closed | fields))


def _plain(values: np.ndarray) -> Any:
    """Arrays as tuples, which scenes compare by value."""
    return tuple(map(_plain, values)) if values.ndim > 1 else tuple(values.tolist())


def paths(joint: Joint) -> Iterator[Track | Sheet]:
    """Tracks and sheets that a joint, or a part of it, knows."""
    for part in (joint, *getattr(joint, "parts", ())):
        path = getattr(part, "path", None)
        if path is not None:
            yield path


def with_paths(scene: Scene) -> Scene:
    """A scene whose joints know their tracks and sheets, with these in its lists."""
    known = {id(path): path for joint in scene.joints for path in paths(joint)}.values()
    scene.tracks = [path for path in known if isinstance(path, Track)]
    scene.sheets = [path for path in known if isinstance(path, Sheet)]
    return scene
