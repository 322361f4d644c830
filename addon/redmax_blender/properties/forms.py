# SPDX-License-Identifier: GPL-3.0-or-later
"""The form in which Blender holds a declared field of the engine: which properties there are, and how they are called.

Properties, panels, extraction and fixes each do one thing per form, so that a new element needs a line in none of them.

    plain      one property of the same name
    optional   the same beside a tick box, `use_NAME`: null while it is off
    coordinate the same for a number in the unit of a joint coordinate: `NAME_angle`, `NAME_distance` or `NAME_number`
    reference  `NAME`, an object, with the bone and the last known name (`references`)
    point      `NAME`, coordinates in a body's frame, or `NAME_at`, an object there (`NAME_vertex`: of its mesh)
    pose       `NAME_at`, an object whose place and axes are the pose
    points     `NAME`, a list of such points in the world
    poses      `NAME`, a list of objects whose places and axes are the poses, in the frame of the element's own object
    grid       the same in rows of `NAME_columns`: the places of objects, or with `turns` their angles
    turns      nothing: the angles of the objects of the grid beside it
    numbers    `NAME`, a list of rows of numbers
    table      `NAME_source`: keys on `NAME_1` and so on, or `NAME_curve`, a curve object
    record     `NAME`, a group of fields
    records    `NAME`, a list of such groups
    per        `NAME`, a vector of six, of which as many count as another list has entries
"""

from __future__ import annotations

import functools
from typing import Any, Literal, NamedTuple

from .._engine import fields, tables

Form = Literal[
    "plain",
    "optional",
    "coordinate",
    "reference",
    "point",
    "pose",
    "points",
    "poses",
    "grid",
    "turns",
    "numbers",
    "table",
    "record",
    "records",
    "per",
]

LISTS: tuple[Form, ...] = ("points", "poses", "grid", "numbers", "records")
"""Forms with entries that can be added, removed and moved."""


GRID = 3
"""Dimensions of an array of rows and columns of places, or of angles."""


class Field(NamedTuple):
    """A declared field of an element class: its name, what the engine says of it, its form and its default."""

    name: str
    spec: Any
    form: Form
    default: Any


def form_of(spec: Any) -> Form | None:
    """None for what belongs to bodies and joints alone: shapes, faces and parts."""
    match spec.sort:
        case "records" if spec.record is fields.Pose:
            return "poses"
        case "reference" | "pose" | "records":
            found: Form = spec.sort
            return found
        case "record":
            return "table" if spec.record is tables.Table else "record"
        case "per_dof":
            return "per"
        case "array":
            if len(spec.shape) == GRID:
                return "turns" if spec.unit == "rad" else "grid"
            if None in spec.shape:
                return "points" if spec.frame else "numbers"
            if spec.frame:
                return "point"
            return ("optional" if spec.nullable else "plain") if len(spec.shape) == 1 else None
        case "number" if spec.coordinate is not None:
            return "coordinate"
        case "number" | "integer" | "flag" | "text" | "choice":
            return "optional" if spec.nullable else "plain"
    return None


@functools.cache
def fields_of(cls: Any, base: Any = None) -> tuple[Field, ...]:
    """Fields of an element class that Blender holds, in the order of their declaration; its name is the object's.

    base: a class whose fields are left out.
    """
    common = {"name"} | (set(fields.specs(base)) if base is not None else set())
    found = []
    for name, spec in fields.specs(cls).items():
        form = None if name in common else form_of(spec)
        if form is not None:
            found.append(Field(name, spec, form, fields.defaults(cls)[name]))
    return tuple(found)


@functools.cache
def left_out(cls: Any) -> tuple[str, ...]:
    """Fields of an element class that have no form: an artist cannot edit them in Blender."""
    return tuple(name for name, spec in fields.specs(cls).items() if name != "name" and form_of(spec) is None)
