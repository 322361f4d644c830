# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics tab: panels of every generated sort of element. A new kind or sort needs nothing here."""

from collections.abc import Callable
from typing import Any

import bpy

from ..properties import drawn, forms, from_specs, sorts
from ..properties.forms import LISTS, Field
from ..properties.sorts import Sort
from . import element_rows, results, text_lines
from .physics import PhysicsPanel

CONNECTS = ("reference", "point", "pose")
"""Forms of fields that say on what an element acts; all others stand in its main panel."""


LINES = ("force", "strand")
"""Sorts that may run along a line, which a shape makes visible."""


def _may_be_line(cls: Any) -> bool:
    ends = sum(field.form == "point" for field in forms.fields_of(cls))
    return ends > 1 or any(field.form in ("points", "records") for field in forms.fields_of(cls))


WORDS = {"REVERSE": "Reverse", "CLOSE": "Close / Open", "EVEN": "Space Evenly"}
"""Buttons below a list of frames."""


def _is_own(field: Field) -> bool:
    return field.form not in (*CONNECTS, *LISTS)


def _own_of(context: Any, sort: Sort) -> Callable[[Field], bool]:
    """Which fields stand in the main panel of the active element: not those that its geometry gives."""
    given = drawn.fields_of(sort.name, context.object)
    return lambda field: _is_own(field) and field.name not in given


def _panel(sort: Sort, suffix: str, label: str, members: dict[str, Any]) -> Any:
    """A panel class. members: its methods and settings."""
    name = f"REDMAX_PT_{sort.name}{suffix}"
    more = {"bl_parent_id": f"REDMAX_PT_{sort.name}"} if suffix else {}
    return type(name, (PhysicsPanel, bpy.types.Panel), {"bl_label": label, "bl_idname": name, **more, **members})


def settings_of(context: Any, sort: Sort) -> tuple[Any, Any]:
    """Properties and class of the active object's element of a sort."""
    settings = getattr(context.object.redmax, sort.name)
    return sort.own_group(settings), sort.class_of(settings)


def _is_active(context: Any, sort: Sort) -> bool:
    return context.object is not None and getattr(context.object.redmax, sort.flag)


def _main(sort: Sort) -> Any:
    def poll(_cls: Any, context: Any) -> bool:
        return _is_active(context, sort)

    def draw(self: Any, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if sort.registry is not None:
            layout.prop(getattr(context.object.redmax, sort.name), "kind")
        group, cls = settings_of(context, sort)
        wanted = _own_of(context, sort)
        element_rows.draw_fields(layout, group, cls, wanted=wanted)
        if drawn.fields_of(sort.name, context.object):
            faint = layout.column()
            faint.active = False
            text_lines.draw_text(faint, context, "Its shape is that of the object; edit it as ever", "INFO")
        if sort.name in LINES and _may_be_line(cls):
            layout.operator("redmax.add_shape", icon="OUTLINER_OB_CURVE")
        if units := element_rows.units_text(cls, wanted=wanted):
            faint = layout.column()
            faint.active = False
            text_lines.draw_text(faint, context, units)
        if left := forms.left_out(cls):
            faint = layout.column()
            faint.active = False
            named = ", ".join(from_specs.title(name) for name in left)
            text_lines.draw_text(faint, context, f"Cannot be edited in Blender, stays as it is: {named}", "INFO")

    return _panel(sort, "", f"RedMax {sort.title}", {"poll": classmethod(poll), "draw": draw})


def _connects(sort: Sort) -> Any:
    def is_end(field: Field) -> bool:
        return field.form in CONNECTS

    def poll(_cls: Any, context: Any) -> bool:
        return _is_active(context, sort) and any(map(is_end, forms.fields_of(settings_of(context, sort)[1])))

    def draw(self: Any, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        group, cls = settings_of(context, sort)
        element_rows.draw_fields(layout, group, cls, wanted=is_end)

    return _panel(sort, "_connects", "Connects", {"poll": classmethod(poll), "draw": draw})


def _list(sort: Sort, name: str) -> Any:
    """The panel of one list: several kinds may have a list of a name."""

    def field_of(context: Any) -> Field | None:
        if not _is_active(context, sort):
            return None
        if name in drawn.fields_of(sort.name, context.object):
            return None
        fields = forms.fields_of(settings_of(context, sort)[1])
        return next((field for field in fields if field.name == name and field.form in LISTS), None)

    def poll(_cls: Any, context: Any) -> bool:
        return field_of(context) is not None

    def draw(self: Any, context: Any) -> None:
        field: Any = field_of(context)
        element_rows.draw_list(self.layout, settings_of(context, sort)[0], field, sort.name)
        if field.form == "poses":
            row = self.layout.row(align=True)
            for action in ("REVERSE", "CLOSE", "EVEN"):
                row.operator("redmax.edit_track", text=WORDS[action]).action = action

    return _panel(sort, f"_{name}", from_specs.title(name), {"poll": classmethod(poll), "draw": draw})


def _results(sort: Sort) -> Any:
    def poll(_cls: Any, context: Any) -> bool:
        return _is_active(context, sort) and bool(results.channels(context.object))

    def draw(self: Any, context: Any) -> None:
        self.layout.use_property_split = True
        results.draw_channels(self.layout, context.object)

    return _panel(sort, "_results", "Results", {"poll": classmethod(poll), "draw": draw})


def panels(sort: Sort) -> tuple[Any, ...]:
    """All panels of a sort: its own, what it connects, its lists and its results."""
    names = dict.fromkeys(field.name for cls in sort.classes() for field in forms.fields_of(cls) if field.form in LISTS)
    return (_main(sort), _connects(sort), *(_list(sort, name) for name in names), _results(sort))


CLASSES = tuple(panel for sort in sorts.GENERATED for panel in panels(sort))
