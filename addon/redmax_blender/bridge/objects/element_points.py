# SPDX-License-Identifier: GPL-3.0-or-later
"""Points through which a force or a strand runs: on which bodies they are, and where they stand as modelled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import generated, sorts
from ...properties.forms import Field, fields_of
from . import frames

Array = arrays.Array
Object = bpy.types.Object

SHARED = ("force", "strand")
"""Sorts of elements that may run along a line."""


class Point(NamedTuple):
    """A point of an element's line. body: what it moves with, None for the world or for nothing.
    at: the object that stands there, or None. place: (3,) in the world as modelled [Blender units]."""

    body: Object | None
    at: Object | None
    place: Array


def line_of(obj: Object, depsgraph: bpy.types.Depsgraph) -> list[Point]:
    """Points of an object's line, at least two; none if it is no element along a line, or has lost what it needs."""
    for sort in sorts.generated_sorts(obj.redmax):
        if sort.name in SHARED:
            settings = getattr(obj.redmax, sort.name)
            group, cls = sort.own_group(settings), sort.class_of(settings)
            try:
                found = list(_points(group, cls, depsgraph))
            except frames.FrameError:
                return []
            return found if len(found) > 1 else []
    return []


def is_line(obj: Object) -> bool:
    """Whether an object is an element that runs along a line."""
    return any(
        sort.name in SHARED and _is_line(sort.class_of(getattr(obj.redmax, sort.name)))
        for sort in sorts.generated_sorts(obj.redmax)
    )


def _is_line(cls: Any) -> bool:
    own = fields_of(cls)
    return sum(field.form == "point" for field in own) > 1 or any(_is_path(field) for field in own)


def _is_path(field: Field) -> bool:
    """Whether a field is a list of points, in the world or on bodies."""
    record = field.form == "records" and any(inner.form == "point" for inner in fields_of(field.spec.record))
    return field.form == "points" or record


def _points(group: Any, cls: Any, depsgraph: bpy.types.Depsgraph) -> Iterator[Point]:
    for field in fields_of(cls):
        if field.form == "points":
            for entry in getattr(group, field.name):
                yield _point(entry, "place", None, depsgraph)
        elif _is_path(field):
            for entry in getattr(group, field.name):
                yield from _points(entry, field.spec.record, depsgraph)
        elif field.form == "point":
            yield _point(group, field.name, getattr(group, field.spec.frame, None), depsgraph)


def _point(group: Any, name: str, body: Object | None, depsgraph: bpy.types.Depsgraph) -> Point:
    at = getattr(group, f"{name}_at")
    if at is not None:
        M = frames.modelled_matrix(at, depsgraph)
        return Point(body, at, M[:3, :3] @ _vertex(at, getattr(group, f"{name}_vertex"), depsgraph) + M[:3, 3])
    local = np.array(getattr(group, name), np.float64)
    E = np.eye(4) if body is None else frames.rigid_part(frames.modelled_matrix(body, depsgraph))[0]
    return Point(body, None, E[:3, :3] @ local + E[:3, 3])


def _vertex(at: Object, number: int, depsgraph: bpy.types.Depsgraph) -> Array:
    """(3,) a vertex of an object's mesh in its own coordinates; its origin where there is none of the number."""
    data: Any = at.evaluated_get(depsgraph).data if number > generated.NO_VERTEX else None
    if not isinstance(data, bpy.types.Mesh) or number >= len(data.vertices):
        return np.zeros(3)
    return np.array(data.vertices[number].co, np.float64)
