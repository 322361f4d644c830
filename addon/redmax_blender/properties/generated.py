# SPDX-License-Identifier: GPL-3.0-or-later
"""Property groups of elements of any sort, generated from what the engine declares of them; see `forms`."""

from collections.abc import Callable
from typing import Any

import bpy

from .._engine import fields
from . import forms, from_specs, references
from .forms import Field
from .from_specs import MOST_DOFS, OVERRIDABLE, SPLIT_NAMES, SPLIT_UNITS, STATIC

LIST = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
"""Of a list: an override may add entries."""

KEYS, CURVE, NO_TABLE = "KEYS", "CURVE", "NONE"

SOURCES = [
    (NO_TABLE, "None", "It does not change", 0),
    (KEYS, "Keys", "Numbers that are keyed, over time", 1),
    (CURVE, "Curve", "A curve object: x of its points is what the table is over, y is the value", 2),
]

OVER_TIME = "Over Time"
"""How the row below a constant number asks where a changing one comes from."""

NO_VERTEX = -1

USEFUL = {"mass": 0.1}
"""What a new element has instead of the engine's own 0, with which nothing could be simulated."""

INDICES: dict[tuple[str, str], str] = {}
"""By group and reference to a joint, the property that says which of its coordinates is meant."""

_records: dict[Any, Any] = {}
"""Groups of record classes that were made, in the order in which Blender must know them."""


def _any_object(_group: Any, obj: Any) -> bool:
    return obj is not None


def _curve_object(_group: Any, obj: Any) -> bool:
    return bool(obj.type == "CURVE")


def _at(name: str, label: str, what: str) -> dict[str, Any]:
    return references.annotations(f"{name}_at", f"{label} At", what, _any_object)


def _vertex(name: str) -> dict[str, Any]:
    prop = bpy.props.IntProperty(
        name="Vertex",
        description="Vertex of that object's mesh that is meant, counted from 0; -1 for its origin",
        default=NO_VERTEX,
        min=NO_VERTEX,
        options=STATIC,
        override=OVERRIDABLE,
    )
    return {f"{name}_vertex": prop}


REDMAX_PG_point = from_specs.make_group(
    "REDMAX_PG_point",
    {
        "place": bpy.props.FloatVectorProperty(
            name="Place", description="Where the point is in the world", size=3, unit="LENGTH", subtype="XYZ"
        ),
        **_at("place", "Place", "Object that stands at the point"),
        **_vertex("place"),
    },
    "A point of a list: an object, a vertex of it, or coordinates in the world.",
)

REDMAX_PG_frame = from_specs.make_group(
    "REDMAX_PG_frame",
    _at("place", "Frame", "Object whose place and axes are the frame"),
    "A frame of a list: an object that stands there.",
)

REDMAX_PG_numbers = from_specs.make_group(
    "REDMAX_PG_numbers",
    {
        "values": bpy.props.FloatVectorProperty(
            name="Values", description="Numbers of this row", size=MOST_DOFS, precision=4, override=OVERRIDABLE
        )
    },
    "A row of a list of numbers, of which the first ones count.",
)


def _plain(field: Field) -> dict[str, Any]:
    default = USEFUL.get(field.name, field.default) if field.default == 0.0 else field.default
    prop = from_specs.to_property(field.name, field.spec, default)
    return {} if prop is None else {field.name: prop}


def _begins_with(field: Field) -> Any:
    """What a new element has of a field that may be left out; None if it is left out."""
    return field.spec.first if field.spec.first is not None else field.default


def _switch(field: Field) -> dict[str, Any]:
    """The tick box of a field that may be left out."""
    prop = bpy.props.BoolProperty(
        name=f"Use {from_specs.title(field.name)}",
        description=from_specs.tooltip(field.spec),
        default=_begins_with(field) is not None,
        options=STATIC,
        override=OVERRIDABLE,
    )
    return {f"use_{field.name}": prop}


def _optional(field: Field) -> dict[str, Any]:
    begins = _begins_with(field)
    default = begins if begins is not None else fields.REQUIRED
    return {**_switch(field), field.name: from_specs.to_property(field.name, field.spec, default)}


def _coordinate(field: Field) -> dict[str, Any]:
    """A number that Blender shows as an angle, as a length or plainly, whatever the joint's coordinate is."""
    made = _switch(field) if field.spec.nullable else {}
    for end, unit in zip(SPLIT_NAMES.values(), SPLIT_UNITS[field.spec.unit], strict=True):
        made[f"{field.name}_{end}"] = bpy.props.FloatProperty(
            name=from_specs.title(field.name),
            description=from_specs.tooltip(field.spec),
            default=field.default or 0.0,
            unit=unit,
            options=STATIC,
            override=OVERRIDABLE,
            **from_specs.DECIMALS[end],
        )
    return made


def _reference(field: Field) -> dict[str, Any]:
    poll = references.of_sort(field.spec.refers_to)
    label = references.label_of(field.name)
    return references.annotations(field.name, label, from_specs.tooltip(field.spec), poll)


def _point(field: Field) -> dict[str, Any]:
    label = from_specs.title(field.name)
    return {**_plain(field), **_at(field.name, label, "Object that stands at the point"), **_vertex(field.name)}


def _pose(field: Field) -> dict[str, Any]:
    return _at(field.name, from_specs.title(field.name), from_specs.tooltip(field.spec))


def _list(field: Field, entry: Any) -> dict[str, Any]:
    label = from_specs.title(field.name)
    entries = bpy.props.CollectionProperty(
        type=entry, name=label, description=from_specs.tooltip(field.spec), override=LIST
    )
    active = bpy.props.IntProperty(name=f"Active of {label}", options=STATIC, override=OVERRIDABLE)
    return {field.name: entries, f"active_{field.name}": active}


def _grid(field: Field) -> dict[str, Any]:
    columns = bpy.props.IntProperty(
        name="Columns",
        description="How many entries of the list make a row",
        default=4,
        min=1,
        options=STATIC,
        override=OVERRIDABLE,
    )
    return {**_list(field, REDMAX_PG_frame), f"{field.name}_columns": columns}


def _table(field: Field) -> dict[str, Any]:
    timed, is_table = field.spec.over == "time", field.name.endswith("table")
    value = from_specs.title(field.name.removesuffix("_table")) if field.name != "table" else "Value"
    items = [item for item in SOURCES if (item[0] != NO_TABLE or field.spec.nullable) and (item[0] != KEYS or timed)]
    made: dict[str, Any] = {
        f"{field.name}_source": bpy.props.EnumProperty(
            name=OVER_TIME if timed and is_table else from_specs.title(field.name),
            description=from_specs.tooltip(field.spec),
            items=items,
            default=items[0][0],
            options=STATIC,
            override=OVERRIDABLE,
        ),
        **references.annotations(f"{field.name}_curve", "Curve", "Curve object that draws the table", _curve_object),
    }
    for index in range(field.spec.columns if timed else 0):
        number = f" {index + 1}" if field.spec.columns > 1 else ""
        made[column(field.name, index)] = bpy.props.FloatProperty(
            name=f"{value}{number}", description=from_specs.tooltip(field.spec), precision=4, override=OVERRIDABLE
        )
    return made


def column(name: str, index: int) -> str:
    """The property that an artist keys for one column of a table."""
    return f"{name}_{index + 1}"


def _record(field: Field) -> dict[str, Any]:
    pointer = bpy.props.PointerProperty(
        type=record_group(field.spec.record), name=from_specs.title(field.name), override=OVERRIDABLE
    )
    return {field.name: pointer}


def _per(field: Field) -> dict[str, Any]:
    default = field.default if isinstance(field.default, float) else 0.0
    prop = bpy.props.FloatVectorProperty(
        name=from_specs.title(field.name),
        description=from_specs.tooltip(field.spec),
        size=MOST_DOFS,
        default=(default,) * MOST_DOFS,
        precision=4,
        options=STATIC,
        override=OVERRIDABLE,
    )
    return {field.name: prop}


MAKERS: dict[str, Callable[[Field], dict[str, Any]]] = {
    "plain": _plain,
    "optional": _optional,
    "coordinate": _coordinate,
    "reference": _reference,
    "point": _point,
    "pose": _pose,
    "points": lambda field: _list(field, REDMAX_PG_point),
    "poses": lambda field: _list(field, REDMAX_PG_frame),
    "grid": _grid,
    "turns": lambda _field: {},
    "numbers": lambda field: _list(field, REDMAX_PG_numbers),
    "table": _table,
    "record": _record,
    "records": lambda field: _list(field, record_group(field.spec.record)),
    "per": _per,
}


def annotations(cls: Any) -> dict[str, Any]:
    """Properties of all fields of an element class."""
    made: dict[str, Any] = {}
    for field in forms.fields_of(cls):
        made |= MAKERS[field.form](field)
        if field.form in ("numbers", "record") and field.spec.nullable:
            made |= _switch(field)
    return made


def make_group(name: str, cls: Any, doc: str) -> Any:
    """The group of an element class."""
    for field in forms.fields_of(cls):
        if field.spec.of:
            INDICES[name, field.spec.of] = field.name
    return from_specs.make_group(name, annotations(cls), doc)


def record_group(cls: Any) -> Any:
    """The group of a record class, made once."""
    if cls not in _records:
        _records[cls] = make_group(f"REDMAX_PG_{cls.__name__.lower()}", cls, f"{cls.__doc__}")
    return _records[cls]


def record_groups() -> tuple[Any, ...]:
    """All that were made so far; those inside others come first."""
    return (REDMAX_PG_point, REDMAX_PG_frame, REDMAX_PG_numbers, *_records.values())
