# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked results: custom properties with keys on a joint's object and on the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

PREFIX = "redmax_"
ROWS = {
    "redmax_reaction": ("Torque X", "Torque Y", "Torque Z", "Force X", "Force Y", "Force Z"),
    "redmax_gap": ("Angle", "Distance"),
}
"""What the numbers of a result are, where they do not belong to the joint's coordinates."""


def channels(data: Any) -> list[str]:
    """Custom properties of an object or scene that a bake has added and that are still there."""
    return [name for name in data.redmax.baked.channels.split(",") if name and name in data]


def draw_channels(layout: bpy.types.UILayout, data: Any, coordinates: Sequence[str] = ()) -> None:
    """All results of an object or scene; coordinates: labels of the joint's coordinates, in order."""
    for name in channels(data):
        label = name.removeprefix(PREFIX).replace("_", " ").title()
        path = f'["{bpy.utils.escape_identifier(name)}"]'
        column = layout.column(align=True)
        count = len(data[name]) if hasattr(data[name], "__len__") else 0
        if count < 2:
            single: dict[str, Any] = {"index": 0} if count else {}
            column.prop(data, path, text=label, **single)
            continue
        rows = ROWS.get(name, coordinates)
        column.label(text=label)
        for index in range(count):
            column.prop(data, path, index=index, text=rows[index] if index < len(rows) else str(index + 1))
