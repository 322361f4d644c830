# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on what an element takes from a table over time: a strength, an activation, a slider."""

from __future__ import annotations

from typing import Any

import bpy

from ... import compat
from ...properties import generated, scene
from ..objects import units


def key_rise(context: bpy.types.Context, group: Any, table: str, value: float, *, seconds: float | None) -> None:
    """Let a keyed table of an element grow from 0 at the first frame to a value. group: its properties. seconds: how
    long that takes, None for all frames of the scene."""
    first, last = scene.frame_range(context.scene)
    if seconds is not None:
        last = first + round(seconds * units.frames_per_second(context.scene))
    setattr(group, f"{table}_source", generated.KEYS)
    name = generated.column(table, 0)
    curve = compat.ensure_fcurves(group.id_data).new(f"{group.path_from_id()}.{name}", 0, "RedMax")
    for frame, number in ((first, 0.0), (max(last, first + 1), value)):
        curve.keyframe_points.insert(frame, number)
    curve.update()
    setattr(group, name, curve.evaluate(context.scene.frame_current_final))
