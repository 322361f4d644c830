# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a new joint points: its z axis is what a hinge turns about and a slider moves along."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .._engine import arrays
from .extents import Extent

Array = arrays.Array
BoolArray = arrays.BoolArray
Axis = Literal["AUTO", "LOCAL", "X", "Y", "Z"]

WORLD_AXES = {"X": np.array([1.0, 0.0, 0.0]), "Y": np.array([0.0, 1.0, 0.0]), "Z": np.array([0.0, 0.0, 1.0])}

ALIKE = 1.2
"""Directions less than this factor thicker than the thinnest are as thin: a rod is no plate."""

TURNED = 1e-5
"""An object whose axes differ less from the world's was never turned [rad]."""

LENGTHWISE = frozenset({"prismatic", "screw", "universal", "composite"})
"""Kinds of joints whose z axis runs along what they carry: a piston, a bolt, a shaft. Others turn a flat link."""

_ACROSS, _ALONG = (1, 0, 2), (0, 1, 2)
"""Between equally thin directions the one nearest to the world's y is taken, then x, then z: weight never turns a
hinge about z, and a motion about y is seen face-on in Blender's front view. Between equally long ones x comes first."""


def joint_frame(axis: Axis, kind: str, place: Array, child: Extent, *, is_marker: bool) -> Array:
    """Frame (4, 4) of a new joint, Blender units.

    place: (4, 4) rigid, where it goes, with the axes of the empty, cursor or object that says so.
    is_marker: `place` is an empty or the cursor, which one turns on purpose, and not the origin of a body.
    AUTO keeps the axes of a marker that was turned; else z is the direction in which the child is thinnest, because
    links are flat and turn in their plane (for LENGTHWISE kinds the one in which it is longest). LOCAL always keeps
    them. x points to the middle of the child.
    """
    if axis == "LOCAL" or (axis == "AUTO" and is_marker and is_turned(place)):
        return place.copy()
    if axis in WORLD_AXES:
        z = WORLD_AXES[axis]
    else:
        z = longest_direction(child) if kind in LENGTHWISE else thinnest_direction(child)
    return frame_along(z, place[:3, 3], child.centre)


def is_turned(place: Array) -> bool:
    """Whether a frame has other axes than the world."""
    return bool(np.abs(place[:3, :3] - np.eye(3)).max() > TURNED)


def thinnest_direction(child: Extent) -> Array:
    """Unit vector along the object axis in which it is thinnest, pointing to the positive side of the world."""
    lengths = child.lengths
    return _direction(child, lengths <= ALIKE * lengths.min(), _ACROSS)


def longest_direction(child: Extent) -> Array:
    """Unit vector along the object axis in which it is longest, pointing to the positive side of the world."""
    lengths = child.lengths
    return _direction(child, lengths * ALIKE >= lengths.max(), _ALONG)


def _direction(child: Extent, allowed: BoolArray, order: tuple[int, int, int]) -> Array:
    """The allowed object axis whose nearest world axis comes first in `order` (rank of x, y, z)."""
    directions = child.M[:3, :3] / np.linalg.norm(child.M[:3, :3], axis=0)
    candidates = [directions[:, axis] for axis in np.flatnonzero(allowed)]
    z: Array = min(candidates, key=lambda along: (order[int(np.argmax(np.abs(along)))], -np.abs(along).max()))
    return z if z[np.argmax(np.abs(z))] > 0.0 else -z


def frame_along(z: Array, origin: Array, target: Array) -> Array:
    """Rigid frame (4, 4) at `origin` with this z; x points to `target` as far as it can."""
    x = target - origin
    shortest = 1e-6 * float(np.linalg.norm(x))
    x = x - (x @ z) * z
    if np.linalg.norm(x) <= shortest:
        x = WORLD_AXES["X"] if abs(z[0]) < 0.9 else WORLD_AXES["Y"]
        x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    E = np.eye(4)
    E[:3, 0], E[:3, 1], E[:3, 2], E[:3, 3] = x, np.cross(z, x), z, origin
    return E
