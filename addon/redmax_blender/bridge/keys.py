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
        points = Points(frames, channel.values, channel.rates)
        for index in range(channel.values.shape[1]):
            points.fill(curves.new(channel.data_path, index, GROUP), index)
    return sum(channel.keys for channel in channels)


class Points:
    """Keys of k F-curves with a key per frame. With rates each is the cubic of its values and rates at the keys.

    Handles reach a third of a frame to either side, which makes time run evenly along the Bezier curve. They lie on
    the tangent for the place they get in single precision, so that long animations lose nothing.
    """

    def __init__(self, frames: Array, values: Array, rates: Array | None) -> None:
        left, right = _straight(frames, values) if rates is None else (rates, rates)
        x = np.asarray(frames, np.float32)
        self.count = len(x)
        self.numbers = {"co": _pairs(x, values)}
        for name, reach, slope in (("handle_left", -1.0 / 3.0, left), ("handle_right", 1.0 / 3.0, right)):
            handle = (x.astype(np.float64) + reach).astype(np.float32)
            self.numbers[name] = _pairs(handle, values + slope * (handle.astype(np.float64) - x)[:, None])
        kind, line = ("VECTOR", "LINEAR") if rates is None else ("ALIGNED", "BEZIER")
        handles = np.full(self.count, _HANDLE_TYPE[kind], np.int32)
        lines = np.full(self.count, _INTERPOLATION[line], np.int32)
        self.enums = {
            "handle_left_type": (kind, handles),
            "handle_right_type": (kind, handles),
            "interpolation": (line, lines),
        }

    def fill(self, curve: bpy.types.FCurve, index: int) -> None:
        """Give an empty F-curve the keys of one component."""
        points = curve.keyframe_points
        points.add(self.count)
        for name, numbers in self.numbers.items():
            points.foreach_set(name, numbers[index])
        for name, (item, numbers) in self.enums.items():
            # Numbers of enums are set one by one inside Blender: worth avoiding where new keys already have them.
            if getattr(points[0], name) != item:
                points.foreach_set(name, numbers)


def _pairs(x: Any, y: Array) -> Any:
    """(k, 2 f) single-precision numbers x0 y0 x1 y1 ... for each of the k columns of y."""
    pairs = np.empty((y.shape[1], len(x), 2), np.float32)
    pairs[..., 0], pairs[..., 1] = x, y.T
    return pairs.reshape(y.shape[1], -1)


def _straight(frames: Array, values: Array) -> tuple[Array, Array]:
    """Slopes towards the key before and the key after."""
    if len(values) < 2:
        return np.zeros_like(values), np.zeros_like(values)
    slopes = np.diff(values, axis=0) / np.diff(frames)[:, None]
    return np.concatenate([slopes[:1], slopes]), np.concatenate([slopes, slopes[-1:]])
