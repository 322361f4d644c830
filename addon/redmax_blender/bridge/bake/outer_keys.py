# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of the artist's before and after the frames that a bake writes: they stay where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import compat


@dataclass(frozen=True, eq=False)
class OuterKeys:
    """Of one F-curve. fields: by name, the numbers of the keys (k, size)."""

    fields: dict[str, Any]
    extrapolation: Any


def outside(
    curves: Iterable[bpy.types.FCurve], paths: Collection[str], frames: tuple[float, float]
) -> dict[tuple[str, int], OuterKeys]:
    """Keys of these properties before the first and after the last frame, by data path and component."""
    found = {}
    for curve in curves:
        if curve.data_path in paths and curve.keyframe_points:
            fields = _fields(curve)
            x = fields["co"][:, 0]
            outer = (x < frames[0]) | (x > frames[1])
            if outer.any():
                kept = {name: numbers[outer] for name, numbers in fields.items()}
                found[curve.data_path, curve.array_index] = OuterKeys(kept, curve.extrapolation)
    return found


def add(curves: compat.Curves, kept: dict[tuple[str, int], OuterKeys]) -> None:
    """Put keys back beside those that were baked meanwhile."""
    for (data_path, index), keys in kept.items():
        curve = curves.ensure(data_path, index)
        baked = _fields(curve)
        fields = {name: np.concatenate([numbers, baked[name]]) for name, numbers in keys.fields.items()}
        order = np.argsort(fields["co"][:, 0], kind="stable")
        curve.extrapolation = keys.extrapolation
        curve.keyframe_points.add(len(keys.fields["co"]))
        for name, numbers in fields.items():
            curve.keyframe_points.foreach_set(name, np.ascontiguousarray(numbers[order]).ravel())


def _fields(curve: bpy.types.FCurve) -> dict[str, Any]:
    points = curve.keyframe_points
    fields = {}
    for name, size, number in compat.KEY_FIELDS:
        numbers = np.empty(len(points) * size, np.float32 if number is float else np.int32)
        points.foreach_get(name, numbers)
        fields[name] = numbers.reshape(-1, size)
    return fields
