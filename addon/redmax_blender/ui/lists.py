# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists: mechanisms, problems, parts of a composite joint."""

from typing import Any

import bpy

from ..properties import joint as joint_properties
from . import text_lines

SEVERITY_ICON = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


def count(number: int, one: str, many: str = "") -> str:
    """'1 body', '4 bodies'."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def mechanism_text(mechanism: Any) -> str:
    """What a mechanism consists of: '4 bodies, 3 degrees of freedom, 1 loop joint'."""
    parts = [
        count(mechanism.bodies, "body", "bodies"),
        count(mechanism.dofs, "degree of freedom", "degrees of freedom"),
    ]
    if mechanism.loops:
        parts.append(count(mechanism.loops, "loop joint"))
    return ", ".join(parts)


def mechanism_icon(mechanism: Any) -> Any:
    """How a mechanism is doing."""
    if not mechanism.enabled:
        return "RADIOBUT_OFF"
    return "CANCEL" if mechanism.problems else "ERROR" if mechanism.warnings else "CHECKMARK"


class REDMAX_UL_mechanisms(bpy.types.UIList):
    """Mechanisms that Check has found, with their state; what the active one consists of stands below the list."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        row = layout.row(align=True)
        root: Any = bpy.data.objects.get((item.root, None))
        if root is not None:
            row.prop(root.redmax.mechanism, "enabled", text="")
        name = row.row(align=True)
        name.active = item.enabled
        name.label(text=item.root, icon=mechanism_icon(item))
        numbers = name.row()
        numbers.alignment = "RIGHT"
        numbers.label(text=f"{item.dofs} DOF")
        if root is not None:
            row.separator(factor=0.5)
            colour = row.row()
            colour.ui_units_x = 0.8
            colour.prop(root.redmax.mechanism, "color", text="")


class REDMAX_UL_problems(bpy.types.UIList):
    """What Check has to say, one line each; the whole sentence of the active one stands below the list."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        row = layout.row(align=True)
        row.label(
            text=text_lines.shortened(context, item.text, icons=1 if item.element else 0),
            icon=SEVERITY_ICON[item.severity],
        )
        if item.element:
            row.operator("redmax.select_element", text="", icon="RESTRICT_SELECT_OFF", emboss=False).name = item.element


class REDMAX_UL_parts(bpy.types.UIList):
    """Parts of a composite joint, from the parent to the child."""

    def draw_item(
        self,
        _context: Any,
        layout: Any,
        _data: Any,
        item: Any,
        _icon: Any,
        _active: Any,
        _active_name: Any,
        index: int,
    ) -> None:
        row = layout.row(align=True)
        row.label(text=f"{index + 1}: {item.bl_rna.properties['kind'].enum_items[item.kind].name}")
        numbers = row.row()
        numbers.alignment = "RIGHT"
        numbers.label(text=f"{len(joint_properties.dofs(item))} DOF")


CLASSES = (REDMAX_UL_mechanisms, REDMAX_UL_problems, REDMAX_UL_parts)
