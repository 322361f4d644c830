# SPDX-License-Identifier: GPL-3.0-or-later
"""What baked keys are off by, measured on the F-curves that were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import compat
from ..._engine import arrays
from ..core import rotation_channels
from ..core.bake_accuracy import Judge, Poses
from ..core.bezier_segments import Clock
from . import key_curves
from .bake_fit import PER_FRAME

Array = arrays.Array


@dataclass(frozen=True, eq=False)
class Errors:
    """Largest distance [m] and angle [rad] of each object, (n,) each."""

    names: Sequence[str]
    distance: Array
    angle: Array


def measured(judge: Judge, owners: Mapping[str, Any], frames: Array) -> Errors:
    """What the judge's objects are off by at `PER_FRAME` samples in every frame. owners: the baked objects by name."""
    times = frames[0] + np.arange(PER_FRAME * (len(frames) - 1) + 1) / PER_FRAME
    names = judge.places.names
    distance, angle = np.zeros(len(names)), np.zeros(len(names))
    baked: dict[int, Poses] = {}
    clocks: dict[bytes, Clock] = {}
    for rows in judge.levels():
        values = [_channels(owners[names[row]], judge.places.modes[row], times, frames, clocks) for row in rows]
        found = judge.poses(rows, [each[:, :3] for each in values], [each[:, 3:] for each in values], baked)
        off, turned = judge.errors(rows, found, judge.true_poses(rows))
        distance[rows], angle[rows] = off.max(axis=1) * judge.length, turned.max(axis=1)
        for each, row in enumerate(rows):
            if judge.carried(row):
                baked[row] = Poses(found.R[each : each + 1], found.p[each : each + 1])
    return Errors(names, distance, angle)


def _channels(obj: Any, mode: str, times: Array, frames: Array, clocks: dict[bytes, Clock]) -> Array:
    """(p, 3 + k) location and rotation channels of an object by its baked F-curves; what has none is as it stands."""
    record, path = obj.redmax.baked, rotation_channels.path(mode)
    curves = compat.curves_in(record.action, record.slot)
    values = np.empty((len(times), 3 + len(getattr(obj, path))))
    values[:] = [*obj.location, *getattr(obj, path)]
    for curve in curves or ():
        first = {"location": 0, path: 3}.get(curve.data_path)
        if first is not None:
            keys = key_curves.read(curve, (frames[0], frames[-1]))
            values[:, first + curve.array_index] = keys.evaluate(times, clocks)
    return values
