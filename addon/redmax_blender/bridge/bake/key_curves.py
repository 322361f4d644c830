# SPDX-License-Identifier: GPL-3.0-or-later
"""An F-curve with keys of its own: made from a fit, evaluated as Blender will, written, and read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays
from ..core import bezier_segments
from ..core.fewer_keys import Fitted

Array = arrays.Array

BEZIER, LINEAR = 2, 1
ALIGNED, VECTOR, FREE = 3, 2, 0
"""Numbers of Blender's enum items, the same in all versions (a test compares them)."""


JUMP = 1e-3
"""Part of a slope by which it may change at a key whose handles still lie on one line."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Keys of one component of a property: co, left and right handles, (k, 2) each, in single precision.
    broken: (k,) where velocities jump, so that the handles of a key do not lie on one line."""

    data_path: str
    index: int
    co: Any
    left: Any
    right: Any
    linear: bool
    broken: Any = False

    @property
    def keys(self) -> int:
        return len(self.co)

    @property
    def value(self) -> float:
        """At the first key."""
        return float(self.co[0, 1])

    def evaluate(self, times: Array, clocks: dict[bytes, bezier_segments.Clock] | None = None) -> Array:
        """Values at the times (p,) [frames]. clocks: what curves with keys at the same times share, for these times."""
        if self.keys == 1 or (self.co[0, 1] == np.stack([self.co, self.left, self.right])[..., 1]).all():
            return np.full(len(times), float(self.co[0, 1]))
        x, y = np.stack([self.co, self.left, self.right], axis=-1).astype(np.float64).swapaxes(0, 1)
        clocks = {} if clocks is None else clocks
        known = x.tobytes() + bytes([self.linear])
        if known not in clocks:
            clocks[known] = bezier_segments.clock(times, *x.T, linear=self.linear)
        return bezier_segments.evaluate(clocks[known], *y.T, linear=self.linear)

    def fill(self, curve: bpy.types.FCurve) -> None:
        """Give an empty F-curve these keys."""
        points = curve.keyframe_points
        points.add(self.keys)
        for name, numbers in (("co", self.co), ("handle_left", self.left), ("handle_right", self.right)):
            points.foreach_set(name, np.ascontiguousarray(numbers, np.float32).ravel())
        kind, line = (VECTOR, LINEAR) if self.linear else (ALIGNED, BEZIER)
        kinds = np.where(np.broadcast_to(self.broken, self.keys), FREE, kind).astype(np.int32)
        lines = np.full(self.keys, line, np.int32)
        for name, items in (("handle_left_type", kinds), ("handle_right_type", kinds), ("interpolation", lines)):
            points.foreach_set(name, items)


def from_fit(
    data_path: str, index: int, frames: Array, values: Array, slopes: Array, fitted: Fitted, *, linear: bool
) -> Curve:
    """frames, values: (f,) numbers of all frames, and the motion there. slopes: (2, f) per frame before and after each.
    fitted: which of the frames are keys.

    Handles lie on the tangent for the place they get in single precision, so that long animations lose nothing.
    """
    x = frames[fitted.frames].astype(np.float32).astype(np.float64)
    y = values[fitted.frames]
    gaps = np.diff(x)
    before, after = np.insert(gaps, 0, 1.0), np.append(gaps, 1.0)
    if linear:
        rises = np.diff(y) / gaps
        behind, ahead = np.insert(rises, 0, 0.0), np.append(rises, 0.0)
    else:
        behind, ahead = slopes[:, fitted.frames]
    left_x, right_x = (
        each.astype(np.float32).astype(np.float64) for each in (x - fitted.behind * before, x + fitted.ahead * after)
    )
    pairs = ((x, y), (left_x, y + behind * (left_x - x)), (right_x, y + ahead * (right_x - x)))
    co, left, right = (np.stack(pair, axis=1).astype(np.float32) for pair in pairs)
    broken = np.abs(ahead - behind) > JUMP * np.maximum(np.abs(ahead), np.abs(behind))
    return Curve(data_path, index, co, left, right, linear, broken=False if linear else broken)


def read(curve: bpy.types.FCurve, frames: tuple[float, float]) -> Curve:
    """The keys that an F-curve has from a first to a last frame, as a bake writes them."""
    points = curve.keyframe_points
    numbers = []
    for name in ("co", "handle_left", "handle_right"):
        pairs = np.empty(2 * len(points), np.float32)
        points.foreach_get(name, pairs)
        numbers.append(pairs.reshape(-1, 2))
    x = numbers[0][:, 0]
    first, last = np.searchsorted(x, frames[0], side="left"), np.searchsorted(x, frames[1], side="right")
    co, left, right = (each[first:last] for each in numbers)
    linear = points[int(first)].interpolation == "LINEAR"
    return Curve(curve.data_path, curve.array_index, co, left, right, linear)
