# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on every frame of an F-curve, written in bulk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import compat
from ..._engine import arrays

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


def write(
    curves: compat.Curves,
    times: Times,
    channels: Sequence[Channel],
    group: Callable[[str, int], str] = lambda _path, _index: GROUP,
) -> int:
    """Add an F-curve for each component of each channel, which must not have one yet; returns the number of keys.

    group: name of the channel group of a data path and component.
    """
    for has_rates in (True, False):
        alike = [channel for channel in channels if (channel.rates is not None) == has_rates]
        if alike:
            points = Points(times, alike)
            places = [(channel.data_path, index) for channel in alike for index in range(channel.values.shape[1])]
            for row, place in enumerate(places):
                points.fill(curves.new(*place, group(*place)), row)
    return sum(channel.keys for channel in channels)


class Times:
    """Frames (f,) of the keys and, in single precision as Blender has them, their x and those of both handles.

    Handles reach a third of a frame to either side, which makes time run evenly along the Bezier curve.
    """

    def __init__(self, frames: Array) -> None:
        self.frames = np.asarray(frames, np.float64)
        self.x = self.frames.astype(np.float32)
        exact = self.x.astype(np.float64)
        self.left, self.right = ((exact + reach).astype(np.float32) for reach in (-1.0 / 3.0, 1.0 / 3.0))
        self.back, self.ahead = self.left.astype(np.float64) - exact, self.right.astype(np.float64) - exact


class Points:
    """Keys of k F-curves with a key per frame. With rates each is the cubic of its values and rates at the keys.

    Handles lie on the tangent for the place they get in single precision, so that long animations lose nothing.
    """

    def __init__(self, times: Times, channels: Sequence[Channel]) -> None:
        """channels: all with rates or all without."""
        values = np.concatenate([channel.values.T for channel in channels])
        exact = channels[0].rates is not None
        if exact:
            left = right = np.concatenate([channel.rates.T for channel in channels if channel.rates is not None])
        else:
            left, right = _straight(times.frames, values)
        self.count = len(times.x)
        self.numbers = {
            "co": _pairs(times.x, values),
            "handle_left": _pairs(times.left, values + left * times.back),
            "handle_right": _pairs(times.right, values + right * times.ahead),
        }
        kind, line = ("ALIGNED", "BEZIER") if exact else ("VECTOR", "LINEAR")
        handles = np.full(self.count, _HANDLE_TYPE[kind], np.int32)
        lines = np.full(self.count, _INTERPOLATION[line], np.int32)
        self.enums = {
            "handle_left_type": (kind, handles),
            "handle_right_type": (kind, handles),
            "interpolation": (line, lines),
        }
        self._compared = False

    def fill(self, curve: bpy.types.FCurve, row: int) -> None:
        """Give an empty F-curve its keys."""
        points = curve.keyframe_points
        points.add(self.count)
        for name, numbers in self.numbers.items():
            points.foreach_set(name, numbers[row])
        if not self._compared:
            # Numbers of enums are set one by one inside Blender: worth avoiding where new keys already have them.
            first = points[0]
            self.enums = {name: pair for name, pair in self.enums.items() if getattr(first, name) != pair[0]}
            self._compared = True
        for name, (_, items) in self.enums.items():
            points.foreach_set(name, items)


def _pairs(x: Any, y: Array) -> Any:
    """(k, 2 f) single-precision numbers x0 y0 x1 y1 ... for each of the k rows of y."""
    pairs = np.empty((len(y), len(x), 2), np.float32)
    pairs[..., 0], pairs[..., 1] = x, y
    return pairs.reshape(len(y), -1)


def _straight(frames: Array, values: Array) -> tuple[Array, Array]:
    """Slopes (k, f) towards the key before and the key after."""
    if values.shape[1] < 2:
        return np.zeros_like(values), np.zeros_like(values)
    slopes = np.diff(values, axis=1) / np.diff(frames)
    return np.concatenate([slopes[:, :1], slopes], axis=1), np.concatenate([slopes, slopes[:, -1:]], axis=1)
