# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of elements: from numbers that an artist keys, or from a curve object. SI units; the curve's own coordinates
are taken as they are: x is seconds, radians, metres or a plain number, y the value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import tables
from ...properties import from_specs, generated, sorts
from ...properties.forms import Field, fields_of
from ..core.findings import Finding
from . import animation
from .animation import Channel, Clock, Samples

SMOOTH = 4
"""Points of a curve from which a cubic may be laid through them."""


def columns(group: Any, field: Field) -> list[Channel]:
    """What an artist keys for the columns of a table."""
    owner, path = group.id_data.name, group.path_from_id()
    names = [generated.column(field.name, index) for index in range(field.spec.columns)]
    return [Channel(owner, f"{path}.{name}", 0) for name in names]


def channels_to_sample(obj: bpy.types.Object) -> Iterator[Channel]:
    """Keyed numbers of an object's elements that drivers or the NLA set."""
    if obj.animation_data is None:
        return
    for sort in sorts.generated_sorts(obj.redmax):
        settings = getattr(obj.redmax, sort.name)
        found = list(_keyed(sort.own_group(settings), sort.class_of(settings)))
        yield from animation.set_elsewhere(obj, found)


def _keyed(group: Any, cls: Any) -> Iterator[Channel]:
    for field in fields_of(cls):
        match field.form:
            case "table":
                if getattr(group, f"{field.name}_source") == generated.KEYS:
                    yield from columns(group, field)
            case "record":
                yield from _keyed(getattr(group, field.name), field.spec.record)
            case "records":
                for entry in getattr(group, field.name):
                    yield from _keyed(entry, field.spec.record)


class KeyedTable(NamedTuple):
    """table: constant where nothing is keyed. broken: a key is no finite number. keyed: or driven, or by the NLA."""

    table: Any
    broken: bool
    keyed: bool


def keyed_table(group: Any, field: Field, clock: Clock, samples: Samples) -> KeyedTable:
    channels = columns(group, field)
    found = animation.courses_of(group.id_data, channels, clock, samples)
    courses = found or [animation.Course(animation.value(group.id_data, channel)) for channel in channels]
    table = animation.coordinate_table(courses, [1.0] * len(courses), clock)
    return KeyedTable(table, any(course.broken for course in courses), keyed=found is not None)


def curve_table(
    curve: bpy.types.Object, depsgraph: bpy.types.Depsgraph, field: Field, said_of: str
) -> tuple[Any, Finding | None]:
    """The table that a curve object draws, or what keeps it from being one. said_of: who needs it, in words."""
    owner = curve.evaluated_get(depsgraph)
    mesh: Any = owner.to_mesh()
    points = np.array([vertex.co[:2] for vertex in mesh.vertices], np.float64).reshape(-1, 2)
    owner.to_mesh_clear()
    name = from_specs.title(field.name)
    if field.spec.columns != 1:
        text = f"{said_of} has a {name} of {field.spec.columns} columns, which no curve can draw"
        return None, Finding(curve.name, text, "use Keys instead")
    if len(points) < 2:
        return None, Finding(curve.name, f"{said_of} has curve '{curve.name}', which has no points", "draw it")
    if points[0, 0] > points[-1, 0]:
        points = points[::-1]
    if (np.diff(points[:, 0]) <= 0.0).any():
        text = f"{said_of} has curve '{curve.name}', which turns back: it has two values in one place"
        return None, Finding(curve.name, text, "let it run along its own X axis")
    data: Any = curve.data
    straight = all(spline.type == "POLY" for spline in data.splines) or len(points) < SMOOTH
    table = tables.Table(
        x=tuple(points[:, 0].tolist()),
        y=tuple((value,) for value in points[:, 1].tolist()),
        interpolation="linear" if straight else "cubic",
    )
    return table, None
