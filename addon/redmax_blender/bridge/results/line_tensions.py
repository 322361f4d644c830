# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensions of springs, cables, muscles and strands over a run: kept with its result, so that lines can be coloured by
them without the mechanism that was simulated. What is read comes from a file, and may be anything."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ..._engine import arrays, trajectory
from ...properties import result_names
from . import element_channels

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

LINES, CHANNEL = "lines", "line_tension"
"""Entry of a result's meta with the names of its lines, and the channel (f, n) with their tensions [N]."""

TENSION = f"{result_names.PREFIX}tension"


def with_tensions(result: Trajectory, extraction: Extraction) -> Trajectory:
    """The result together with the tensions of its lines; as it is where it has none."""
    if not len(result) or not (extraction.scene.forces or extraction.scene.strands):
        return result
    found = {
        name: channels[TENSION].values[:, 0]
        for name, channels in element_channels.line_channels(extraction, result).items()
        if TENSION in channels
    }
    if not found:
        return result
    channels = {**result.channels, CHANNEL: np.stack(list(found.values()), axis=1)}
    return dataclasses.replace(result, channels=channels, meta={**result.meta, LINES: list(found)})


def parts_at(result: Trajectory, sample: int) -> dict[str, float]:
    """By name of a line, its tension at a sample as a part, -1 to 1, of its greatest in the run."""
    names, values = result.meta.get(LINES), result.channels.get(CHANNEL)
    if not isinstance(names, list) or values is None or values.ndim != 2 or values.shape[1] != len(names):
        return {}
    greatest = np.abs(values).max(axis=0)
    now = np.where(greatest > 0.0, values[sample] / np.where(greatest > 0.0, greatest, 1.0), 0.0)
    return {str(name): float(part) for name, part in zip(names, now, strict=True)}
