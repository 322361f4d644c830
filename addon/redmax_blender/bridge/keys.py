# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on every frame of an F-curve, written in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .. import compat
from .._engine import arrays

Array = arrays.Array

GROUP = "RedMax"
"""Channel group of everything a bake writes: one of its own, so that no group of the artist's mutes it."""

_HANDLE_TYPE = {"ALIGNED": 3, "VECTOR": 2}
_INTERPOLATION = {"LINEAR": 1, "BEZIER": 2}
"""Numbers of Blender's enum items, the same in all versions (a test compares them)."""


@dataclass(frozen=True, eq=False)
class Channel:
    """A property over time: values (f, k), rates per frame (f, k) or None for straight lines from key to key."""

    data_path: str
    values: Array
    rates: Array | None

    @property
    def keys(self) -> int:
        return int(self.values.size)


def write(curves: compat.Curves, frames: Array, channels: Sequence[Channel]) -> int:
    """Add an F-curve for each component of each channel, which must not have one yet; returns the number of keys."""
    for channel in channels:
        for index in range(channel.values.shape[1]):
            curve = curves.new(channel.data_path, index, GROUP)
            rates = None if channel.rates is None else channel.rates[:, index]
            fill(curve, frames, channel.values[:, index], rates)
    return sum(channel.keys for channel in channels)


def fill(curve: bpy.types.FCurve, frames: Array, values: Array, rates: Array | None) -> None:
    """Give an empty F-curve a key per frame. With rates it is the cubic that has these values and rates at the keys.

    Handles reach a third of a frame to either side, which makes time run evenly along the Bezier curve. They lie on
    the tangent for the place they get in single precision, so that long animations lose nothing.
    """
    x = np.asarray(frames, np.float32)
    slope = _straight(frames, values) if rates is None else (rates, rates)
    points = curve.keyframe_points
    points.add(len(x))
    _set(points, "co", x, values)
    for name, reach, slopes in (("handle_left", -1.0 / 3.0, slope[0]), ("handle_right", 1.0 / 3.0, slope[1])):
        handle = (x.astype(np.float64) + reach).astype(np.float32)
        _set(points, name, handle, values + slopes * (handle.astype(np.float64) - x))
    kind, line = ("VECTOR", "LINEAR") if rates is None else ("ALIGNED", "BEZIER")
    for name, wanted, number in (
        ("handle_left_type", kind, _HANDLE_TYPE[kind]),
        ("handle_right_type", kind, _HANDLE_TYPE[kind]),
        ("interpolation", line, _INTERPOLATION[line]),
    ):
        # Numbers of enums are set one by one inside Blender: worth avoiding where new keys already have them.
        if getattr(points[0], name) != wanted:
            points.foreach_set(name, np.full(len(x), number, np.int32))


def _set(points: bpy.types.FCurveKeyframePoints, name: str, x: Any, y: Array) -> None:
    points.foreach_set(name, np.stack([x, y.astype(np.float32)], axis=1).ravel())


def _straight(frames: Array, values: Array) -> tuple[Array, Array]:
    """Slopes towards the key before and the key after."""
    if len(values) < 2:
        return np.zeros_like(values), np.zeros_like(values)
    slopes = np.diff(values) / np.diff(frames)
    return np.concatenate([slopes[:1], slopes]), np.concatenate([slopes, slopes[-1:]])
