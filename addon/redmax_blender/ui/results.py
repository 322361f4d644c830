# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked results: custom properties with keys on a joint's object and on the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..properties import result_names
from ..properties.joint import Dof
from . import dof_rows

PREFIX = "redmax_"
ROWS = {
    "redmax_reaction": tuple(f"{what} {axis}" for what in ("Torque", "Force") for axis in "XYZ"),
    "redmax_gap": ("Angle", "Distance"),
}
"""What the numbers of a result are, where they do not belong to the joint's coordinates."""

TOO_LONG = ("Motor Torque", "Motor Force")
"""For the label of a field; its unit says which of the two it is."""


def channels(data: Any) -> list[str]:
    """Custom properties of an object or scene that a bake has added and that are still there."""
    return [name for name in data.redmax.baked.channels.split(",") if name and name in data]


def draw_channels(layout: bpy.types.UILayout, data: Any, dofs: Sequence[Dof] = ()) -> None:
    """All results of an object or scene, with their units; dofs: the joint's coordinates, in order."""
    units = [dof.unit for dof in dofs]
    for name in channels(data):
        path = f'["{bpy.utils.escape_identifier(name)}"]'
        column = layout.column(align=True)
        count = len(data[name]) if hasattr(data[name], "__len__") else 0
        if count < 2:
            single: dict[str, Any] = {"index": 0} if count else {}
            text = result_names.group(name, 0, units)
            for words in TOO_LONG:
                text = text.replace(words, "Motor")
            column.prop(data, path, text=text, **single)
            continue
        rows = ROWS.get(name) or [dof_rows.coordinate_label(dof.name) for dof in dofs]
        listed = dict.fromkeys(result_names.unit(name, index, units) for index in range(count))
        column.label(text=f"{name.removeprefix(PREFIX).title()} ({', '.join(listed)})")
        for index in range(count):
            column.prop(data, path, index=index, text=rows[index] if index < len(rows) else str(index + 1))
