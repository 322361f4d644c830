# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on the points of curves that show strands: three F-curves for each point, straight from key to key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..._engine import arrays, trajectory
from ..core import fewer_keys
from ..core.findings import Finding
from ..results import strand_curves
from . import key_curves, rope_caches
from .bake_options import BakeOptions
from .keys import Channel

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

POINTS = "splines"
"""How the data paths of points begin."""


def owners(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    result: Trajectory,
    used: slice,
    extraction: Extraction,
    options: BakeOptions,
) -> tuple[dict[str, tuple[Any, dict[str, Any]]], list[Finding]]:
    """By strand: the curve that shows it and what to write, channels, fewer keys or a file; and what is in the way."""
    columns = strand_curves.node_columns(result)
    frames = extraction.frame_start + np.arange(len(result), dtype=np.float64)[used]
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    findings: list[Finding] = []
    for obj in strand_curves.ropes(scene.objects):
        name = obj.redmax.shows.name
        data: Any = obj.data
        if name not in columns or not _is_wanted(obj, view_layer, options):
            continue
        if data.users > 1:
            text = f"The curve '{data.name}' that shows '{name}' is used by {data.users} objects"
            findings.append(Finding(obj.name, text, "make it a single-user copy: Object > Relations"))
            continue
        nodes = strand_curves.local(obj, result.channels["nodes"][used][:, columns[name]] / extraction.length)
        if options.ropes == "CACHE":
            findings += rope_caches.findings(obj, nodes.shape[1])
            found[name] = (data, {"rope": rope_caches.Rope(obj, nodes)})
            continue
        found[name] = (data, _written(nodes, frames, extraction.length, options))
    return found, findings


def _is_wanted(obj: bpy.types.Object, view_layer: bpy.types.ViewLayer, options: BakeOptions) -> bool:
    """All ropes, or those that are selected themselves or by their strands, or are baked already."""
    if not options.selected_only or strand_curves.is_baked(obj):
        return True
    return any(each.select_get(view_layer=view_layer) for each in (obj, obj.redmax.shows))


def _path(number: int) -> str:
    return f"{POINTS}[0].points[{number}].co"


def _written(nodes: Array, frames: Array, length: float, options: BakeOptions) -> dict[str, Any]:
    """nodes: (f, n, 3) in the curve's own coordinates."""
    count = nodes.shape[1]
    if options.keys == "EVERY":
        return {"place": [Channel(_path(number), nodes[:, number], None) for number in range(count)]}
    values = nodes.reshape(len(nodes), -1).T
    flat = np.zeros((2, *values.shape))
    if options.keys == "FEWER":
        bound = np.full(len(values), 1e-3 * options.distance / length)
        fitted = fewer_keys.fit(values, flat, bound, 1, linear=True)
    else:
        chosen = np.unique(np.append(np.arange(0, len(frames), max(1, options.every)), len(frames) - 1))
        fitted = fewer_keys.at_frames(values, flat, chosen, 1, linear=True)
    curves = [
        key_curves.from_fit(_path(row // 3), row % 3, frames, values[row], flat[:, row], keys, linear=True)
        for row, keys in enumerate(fitted)
    ]
    return {"curves": curves}
