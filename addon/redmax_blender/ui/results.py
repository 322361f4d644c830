# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked results: custom properties with keys on the object of a joint, a body or the like, and on the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..properties import coordinate_names, result_names
from ..properties.joint import Dof

ROWS = {
    "redmax_wrench": tuple(f"{what} {axis}" for what in ("Torque", "Force") for axis in "XYZ"),
    "redmax_reaction": tuple(f"{what} {axis}" for what in ("Torque", "Force") for axis in "XYZ"),
    "redmax_gap": ("Angle", "Distance"),
    "redmax_rotation": tuple("WXYZ"),
    **{
        f"redmax_{name}": tuple("XYZ")
        for name in ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
    },
}
"""What the numbers of a result are, where they do not belong to the joint's coordinates."""

TOO_LONG = ("Motor Torque", "Motor Force")
"""For the label of a field; its unit says which of the two it is."""


def channels(data: Any) -> list[str]:
    """Custom properties of an object or scene that a bake has added and that are still there."""
    return [name for name in data.redmax.baked.channels.split(",") if name and name in data]


def _own_units(data: Any) -> dict[str, list[str]]:
    """Units of the numbers of results that bodies, forces and the like have, by property."""
    rows = (row.partition("=") for row in getattr(data.redmax.baked, "units", "").split(";") if row)
    return {name: units.split(",") for name, _, units in rows}


def draw_channels(layout: bpy.types.UILayout, data: Any, dofs: Sequence[Dof] = ()) -> None:
    """All results of an object or scene, with their units; dofs: the joint's coordinates, in order."""
    units = [dof.unit for dof in dofs]
    own = _own_units(data)
    for name in channels(data):
        path = f'["{bpy.utils.escape_identifier(name)}"]'
        column = layout.column(align=True)
        count = len(data[name]) if hasattr(data[name], "__len__") else 0
        if count < 2:
            single: dict[str, Any] = {"index": 0} if count else {}
            text = result_names.group(name, 0, units)
            if name in own:
                text = result_names.own_group(name, own[name])
            for words in TOO_LONG:
                text = text.replace(words, "Motor")
            column.prop(data, path, text=text, **single)
            continue
        rows = ROWS.get(name) or [coordinate_names.label(dof.name) for dof in dofs]
        of_each = own.get(name) or [result_names.unit(name, index, units) for index in range(count)]
        column.label(text=result_names.own_group(name, of_each))
        for index in range(count):
            column.prop(data, path, index=index, text=rows[index] if index < len(rows) else str(index + 1))
