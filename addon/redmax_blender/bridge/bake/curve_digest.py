# SPDX-License-Identifier: GPL-3.0-or-later
"""A short text that changes whenever an artist edits one of some F-curves: keys, modifiers, looks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import bpy

LOOKS = ("extrapolation", "auto_smoothing", "mute", "lock", "hide", "color_mode", "color")
KEYS = ("co", "handle_left", "handle_right", "back", "amplitude", "period")
KINDS = ("handle_left_type", "handle_right_type", "interpolation", "easing", "type")


def digest(curves: Iterable[bpy.types.FCurve]) -> str:
    """The same text for the same F-curves in any order; what is selected does not count. Empty without any."""
    rows = sorted(repr(_facts(curve)) for curve in curves)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:32] if rows else ""


def _facts(curve: Any) -> tuple[Any, ...]:
    keys = [
        *(tuple(_plain(getattr(point, name)) for name in (*KEYS, *KINDS)) for point in curve.keyframe_points),
        *(tuple(sample.co) for sample in curve.sampled_points),
    ]
    looks = [_plain(getattr(curve, name)) for name in LOOKS]
    group = curve.group.name if curve.group is not None else ""
    return curve.data_path, curve.array_index, group, looks, keys, [_modifier(each) for each in curve.modifiers]


def _modifier(modifier: Any) -> tuple[Any, ...]:
    names = sorted(prop.identifier for prop in modifier.bl_rna.properties if prop.type not in ("POINTER", "COLLECTION"))
    settings = [(name, _plain(getattr(modifier, name))) for name in names if name not in ("active", "show_expanded")]
    points = [(point.frame, point.min, point.max) for point in getattr(modifier, "control_points", ())]
    return settings, points


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
