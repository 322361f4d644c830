# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of joints whose motion is written down: texts over the whole width, what is wrong with them, charts, sizes."""

from __future__ import annotations

from typing import Any

import bpy

from .._engine import joints
from ..properties import coordinate_names, formulas
from ..properties import joint as joint_properties
from . import lists, presets, text_lines

LABELS = {
    "coordinates": "Coordinates",
    "constants": "Constants [m, rad]",
    "transform": "Transform, from Parent to Child",
}
CHART_LABELS = {"transform": "Transform", "from_pose": "Coordinates From Pose", "marks": "Marks"}


def draw(layout: bpy.types.UILayout, context: Any, joint: Any) -> None:
    """What is written of a joint, or of a part of one: texts, or surfaces with sizes."""
    has_texts = formulas.texts_of(joints.JOINTS[joint.kind])
    (_draw_formulas if has_texts else _draw_contact)(layout, context, joint)


def _draw_formulas(layout: bpy.types.UILayout, context: Any, joint: Any) -> None:
    """Texts of a joint, or of a part of one, with the menu of presets and what is wrong."""
    group = joint_properties.own_group(joint)
    if isinstance(joint, joint_properties.REDMAX_PG_joint):
        layout.popover(presets.REDMAX_PT_formula_presets.__name__, text="Presets", icon="PRESET")
    _texts(layout, group, LABELS, alert=bool(group.note))
    _draw_note(layout, context, joint, group)


def _draw_note(layout: bpy.types.UILayout, context: Any, joint: Any, group: Any) -> None:
    """What is wrong with the formulas, which was found when they were edited; or in what the joint moves."""
    if group.note:
        text_lines.draw_text(layout, context, group.note, "ERROR", alert=True)
        return
    named = ", ".join(f"{coordinate_names.label(dof.name)} [{dof.unit}]" for dof in joint_properties.dofs(joint))
    faint = layout.column()
    faint.active = False
    text_lines.draw_text(faint, context, f"Moves by {named}", "CHECKMARK")


def draw_charts(layout: bpy.types.UILayout, group: Any, *, part: bool) -> None:
    """Other ways to write the coordinates, and what changing to them needs."""
    _texts(layout, group, {name: CHART_LABELS[name] for name in ("from_pose", "marks")})
    row = layout.row()
    shown = lists.REDMAX_UL_entries.__name__
    row.template_list(shown, "charts", group, "charts", group, "active_charts", rows=3)
    buttons = row.column(align=True)
    icons: dict[Any, Any] = {"ADD": "ADD", "REMOVE": "REMOVE", "UP": "TRIA_UP", "DOWN": "TRIA_DOWN"}
    for action, icon in icons.items():
        if action in ("ADD", "REMOVE") or len(group.charts) > 1:
            button = buttons.operator("redmax.edit_charts", text="", icon=icon)
            button.action, button.part = action, part
    if 0 <= group.active_charts < len(group.charts):
        _texts(layout, group.charts[group.active_charts], CHART_LABELS)


def _texts(layout: bpy.types.UILayout, group: Any, labels: dict[str, str], *, alert: bool = False) -> None:
    """Each text under its label: beside it a formula would have half of the width."""
    column = layout.column()
    column.use_property_split = False
    for name, label in labels.items():
        pair = column.column(align=True)
        pair.label(text=label)
        field = pair.row()
        field.alert = alert and name == "transform"
        field.prop(group, name, text="")


SIZES = {
    "sphere": ("Radius",),
    "ellipsoid": ("Radius X", "Radius Y", "Radius Z"),
    "torus": ("Ring Radius", "Tube Radius"),
    "cylinder": ("Radius",),
    "circle": ("Radius",),
    "ellipse": ("Radius X", "Radius Y"),
    "helix": ("Radius", "Rise per Turn"),
}
"""What the sizes of a surface or curve are called."""


def _draw_contact(layout: bpy.types.UILayout, context: Any, joint: Any) -> None:
    """Two surfaces or curves with the sizes that each has, and the rest of the joint's parameters."""
    group = joint_properties.own_group(joint)
    for side, owner in (("first", "Parent"), ("second", "Child")):
        kind = getattr(group, side)
        column = layout.column(align=True)
        column.prop(group, side, text=f"Of {owner}")
        for index, label in enumerate(SIZES.get(kind, ())):
            column.prop(group, f"{side}_size", index=index, text=label)
        if hasattr(group, f"{side}_point"):
            column.prop(group, f"{side}_point", text="Starts At U, V")
    for name in ("spin", "twist", "inside"):
        if hasattr(group, name):
            layout.prop(group, name)
    _draw_note(layout, context, joint, group)
