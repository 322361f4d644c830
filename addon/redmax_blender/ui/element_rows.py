# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a panel for the fields of any element, one way to draw for each form of a field (`properties.forms`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ..properties import coordinate_units, from_specs, generated, references, sorts
from ..properties import joint as joint_properties
from ..properties.forms import Field, fields_of
from . import lists

Draw = Callable[[Any, Any, Field], None]


def draw_fields(layout: bpy.types.UILayout, group: Any, cls: Any, *, wanted: Callable[[Field], bool]) -> None:
    """Rows for those fields of an element class that are wanted. Lists have panels of their own."""
    for field in fields_of(cls):
        if wanted(field) and field.form in DRAW:
            DRAW[field.form](layout, group, field)


def units_text(cls: Any, *, wanted: Callable[[Field], bool]) -> str:
    """'Peak force in N, max velocity in 1/s': units that Blender cannot show in the numbers themselves."""
    shown = [
        field
        for field in fields_of(cls)
        if wanted(field) and field.form in ("plain", "optional") and _has_other_unit(field.spec.unit)
    ]
    titles = [from_specs.title(field.name).lower() for field in shown]
    said = [f"{title} in {field.spec.unit}" for title, field in zip(titles, shown, strict=True)]
    return ", ".join([*(text[0].upper() + text[1:] for text in said[:1]), *said[1:]])


def _has_other_unit(unit: str) -> bool:
    return unit not in ("", "1", *from_specs.BLENDER_UNITS)


def _plain(layout: Any, group: Any, field: Field) -> None:
    if not field.spec.of:  # which coordinate of a joint stands beside that
        layout.prop(group, field.name)


def _optional(layout: Any, group: Any, field: Field) -> None:
    row = layout.row(align=True, heading=from_specs.title(field.name))
    row.prop(group, f"use_{field.name}", text="")
    number = row.row(align=True)
    number.active = getattr(group, f"use_{field.name}")
    number.prop(group, field.name, text="")


def _coordinate(layout: Any, group: Any, field: Field) -> None:
    if not field.spec.nullable:
        layout.prop(group, coordinate_units.place(group, field))
        return
    row = layout.row(align=True, heading=from_specs.title(field.name))
    row.prop(group, f"use_{field.name}", text="")
    number = row.row(align=True)
    number.active = getattr(group, f"use_{field.name}")
    number.prop(group, coordinate_units.place(group, field), text="")


def _reference(layout: Any, group: Any, field: Field) -> None:
    draw_reference(layout, group, field.name, needed=not field.spec.nullable, empty=_empty(field))
    meant = references.target(group, field.name)
    which = coordinate_units.index_field(type(group), field.name)
    if meant is None or which is None or not meant.object.redmax.is_joint:
        return
    if getattr(group, which) or len(joint_properties.dofs(meant.object.redmax.joint)) > 1:
        layout.prop(group, which, text="Coordinate")


def _empty(field: Field) -> str:
    if not field.spec.nullable:
        return f"Pick a {field.spec.refers_to}"
    return "World" if field.spec.refers_to == "body" else "None"


def draw_reference(layout: Any, group: Any, name: str, *, needed: bool, empty: str, text: str | None = None) -> None:
    """The object that is meant, red where it is missing or lost, and the bone where it is an armature."""
    lost = references.is_lost(group, name)
    row = layout.row(align=True)
    row.alert = lost or (needed and getattr(group, name) is None)
    shown = f"Lost: {references.lost_name(group, name)}" if lost else empty
    more: dict[str, Any] = {} if text is None else {"text": text}
    row.prop(group, name, placeholder=shown, **more)
    meant = getattr(group, name)
    if meant is not None and meant.pose is not None:
        layout.prop_search(group, f"{name}{references.BONE}", meant.pose, "bones", text="Bone")


def _point(layout: Any, group: Any, field: Field) -> None:
    """An object at the point, or its coordinates; both would say the same twice."""
    column = layout.column(align=True)
    draw_reference(
        column, group, f"{field.name}_at", needed=False, empty="Coordinates", text=from_specs.title(field.name)
    )
    meant = getattr(group, f"{field.name}_at")
    if meant is None:
        _coordinates(column, group, field.name)
    elif meant.type == "MESH":
        column.prop(group, f"{field.name}_vertex")


def _coordinates(layout: Any, group: Any, name: str) -> None:
    """Three numbers in a row, over the whole width: one below the other they would take much room."""
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(group, name, text="")


def _pose(layout: Any, group: Any, field: Field) -> None:
    title = from_specs.title(field.name)
    draw_reference(layout, group, f"{field.name}_at", needed=False, empty="As the frame itself", text=title)


def _table(layout: Any, group: Any, field: Field) -> None:
    column = layout.column(align=True)
    source = getattr(group, f"{field.name}_source")
    column.prop(group, f"{field.name}_source")
    if source == generated.CURVE:
        draw_reference(column, group, f"{field.name}_curve", needed=True, empty="Pick a curve")
    elif source == generated.KEYS:
        column.use_property_decorate = True
        for index in range(field.spec.columns):
            number = f" {index + 1}" if field.spec.columns > 1 else ""
            name = "Slider" if field.name == sorts.SLIDER and sorts.is_slider(group) else f"Value{number}"
            column.prop(group, generated.column(field.name, index), text=name)


def _record(layout: Any, group: Any, field: Field) -> None:
    column = layout.column()
    if field.spec.nullable:
        column.prop(group, f"use_{field.name}")
        column = column.column()
        column.active = getattr(group, f"use_{field.name}")
    else:
        column.label(text=from_specs.title(field.name))
    draw_fields(column, getattr(group, field.name), field.spec.record, wanted=lambda _field: True)


def _per(layout: Any, group: Any, field: Field) -> None:
    column = layout.column(align=True)
    column.prop(group, field.name, index=0)


DRAW: dict[str, Draw] = {
    "plain": _plain,
    "optional": _optional,
    "coordinate": _coordinate,
    "reference": _reference,
    "point": _point,
    "pose": _pose,
    "table": _table,
    "record": _record,
    "per": _per,
}


def draw_list(layout: bpy.types.UILayout, group: Any, field: Field, sort: str) -> None:
    """A list with its buttons, and below it the active entry."""
    if field.form == "numbers" and field.spec.nullable:
        layout.prop(group, f"use_{field.name}")
        if not getattr(group, f"use_{field.name}"):
            return
    row = layout.row()
    active = f"active_{field.name}"
    shown = lists.REDMAX_UL_entries.__name__
    columns = field.spec.shape[1] if len(field.spec.shape) == 2 else 1
    row.template_list(shown, lists.identifier(field.name, columns), group, field.name, group, active, rows=4)
    buttons = row.column(align=True)
    actions: dict[Any, Any] = {"ADD": "ADD", "REMOVE": "REMOVE", "UP": "TRIA_UP", "DOWN": "TRIA_DOWN"}
    for action, icon in actions.items():
        button = buttons.operator("redmax.edit_list", text="", icon=icon)
        button.sort, button.field, button.action = sort, field.name, action
    if field.form == "grid":
        layout.prop(group, f"{field.name}_columns")
    entries, index = getattr(group, field.name), getattr(group, active)
    if not 0 <= index < len(entries):
        return
    layout.use_property_split = True
    layout.use_property_decorate = False
    entry = entries[index]
    if field.form == "records":
        draw_fields(layout, entry, field.spec.record, wanted=lambda inner: inner.form != "per")
        for inner in fields_of(field.spec.record):
            if inner.form == "per":
                draw_per(layout, entry, inner, len(getattr(group, inner.spec.per)))
    elif field.form in ("poses", "grid"):
        draw_reference(layout, entry, "place_at", needed=True, empty="Pick an empty", text="At")
    elif field.form == "points":
        draw_reference(layout, entry, "place_at", needed=False, empty="Coordinates", text="At")
        if entry.place_at is None:
            _coordinates(layout, entry, "place")
        elif entry.place_at.type == "MESH":
            layout.prop(entry, "place_vertex")
    else:
        column = layout.column(align=True)
        for number in range(columns):
            column.prop(entry, "values", index=number, text=f"Value {number + 1}")


def draw_per(layout: bpy.types.UILayout, group: Any, field: Field, count: int) -> None:
    """A vector of which the first numbers count."""
    column = layout.column(align=True)
    for index in range(count):
        number = f" {index + 1}" if count > 1 else ""
        column.prop(group, field.name, index=index, text=f"{from_specs.title(field.name)}{number}")
