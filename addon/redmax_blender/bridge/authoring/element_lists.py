# SPDX-License-Identifier: GPL-3.0-or-later
"""Ordered lists of an element: points, records and rows of numbers are added, removed and moved."""

from __future__ import annotations

from typing import Any

import bpy

from ...properties import from_specs, generated
from ...properties.forms import LISTS, fields_of
from ...properties.sorts import Sort
from ..core.findings import refuse
from ..objects.editable import require_editable
from . import elements

Object = bpy.types.Object


def edit(context: bpy.types.Context, obj: Object, sort: Sort, name: str, action: str) -> None:
    """Do one thing with a list: ADD, REMOVE, or move the active entry UP or DOWN."""
    require_editable([obj])
    settings = getattr(obj.redmax, sort.name)
    group, cls = sort.own_group(settings), sort.class_of(settings)
    field = next((field for field in fields_of(cls) if field.name == name and field.form in LISTS), None)
    if field is None:
        raise refuse(obj.name, f"'{obj.name}' has no list '{name}'", "use the buttons of its panel")
    entries, active = getattr(group, name), f"active_{name}"
    index = getattr(group, active)
    if action == "ADD":
        _add(context, obj, field, entries)
        setattr(group, active, len(entries) - 1)
    elif not 0 <= index < len(entries):
        raise refuse(obj.name, f"No entry of {from_specs.title(name)} is active", "click one in the list")
    elif action == "REMOVE":
        entries.remove(index)
        setattr(group, active, max(min(index, len(entries) - 1), 0))
    else:
        other = index + (1 if action == "DOWN" else -1)
        if 0 <= other < len(entries):
            entries.move(index, other)
            setattr(group, active, other)


def _add(context: bpy.types.Context, obj: Object, field: Any, entries: Any) -> None:
    others = [other for other in _by_name(context) if other != obj]
    if field.form == "points":
        at = [(other, vertex) for other in others for vertex in _vertices(other)]
        for other, vertex in at or [(None, generated.NO_VERTEX)]:
            entry = entries.add()
            entry.place_at, entry.place_vertex = other, vertex
            if other is None:
                entry.place = context.scene.cursor.location
        return
    if field.form in ("poses", "grid"):
        empties = [other for other in others if other.type == "EMPTY" and not other.redmax.is_joint]
        listed = {entry.place_at for entry in entries}
        for other in [empty for empty in empties if empty not in listed] or [None]:
            entries.add().place_at = other
        return
    entry = entries.add()
    if field.form == "records":
        elements.fill(
            entry, field.spec.record, [each for each in others if each.redmax.is_body or each.redmax.is_joint]
        )
        places = [f"{inner.name}_at" for inner in fields_of(field.spec.record) if inner.form == "point"]
        empties = [each for each in others if each.type == "EMPTY" and not each.redmax.is_joint]
        for name, empty in zip(places, empties, strict=False):
            setattr(entry, name, empty)


def _by_name(context: bpy.types.Context) -> list[Object]:
    return sorted(context.selected_objects, key=lambda obj: obj.name)


def _vertices(obj: Object) -> list[int]:
    """Selected vertices of a mesh that is being edited, else the object itself."""
    if obj.mode == "EDIT" and isinstance(obj.data, bpy.types.Mesh):
        obj.update_from_editmode()
        chosen = [vertex.index for vertex in obj.data.vertices if vertex.select]
        if chosen:
            return chosen
    return [generated.NO_VERTEX]
