# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of joints whose motion is written down: texts that are judged with every letter, and lists of charts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .._engine import fields, joints
from . import from_specs
from .from_specs import OVERRIDABLE, STATIC

Update = Callable[[Any, Any], None]

WHILE_TYPING = {"TEXTEDIT_UPDATE"}
"""Of a text: Blender tells of every letter, not only of the end."""

NOTE = "note"
"""The property that says what is wrong."""

_made: dict[Any, Any] = {}
"""Groups of record classes, such as a chart."""


def is_written(cls: Any) -> bool:
    """Whether a class of joints gets its motion from texts."""
    return issubclass(cls, joints.WrittenJoint)


def texts_of(cls: Any) -> tuple[str, ...]:
    """Fields of a class of joints in which somebody writes formulas."""
    common = fields.specs(joints.Joint)
    return tuple(name for name, spec in fields.specs(cls).items() if spec.sort == "text" and name not in common)


def written_annotations(cls: Any, update: Update) -> dict[str, Any]:
    """What a written joint has besides plain parameters: texts judged letter by letter, lists, and its note."""
    made: dict[str, Any] = {}
    for name, spec in fields.specs(cls).items():
        if name in fields.specs(joints.Joint):
            continue
        if spec.sort == "text":
            made[name] = _text(name, spec, fields.defaults(cls)[name], update)
        elif spec.sort == "records":
            made |= _list(name, spec, update)
    note = bpy.props.StringProperty(
        name="Note",
        description="What is wrong with the formulas, empty where nothing is",
        options={"HIDDEN"},
        override=OVERRIDABLE,
    )
    return {**made, NOTE: note}


def _text(name: str, spec: Any, default: str, update: Update) -> Any:
    return from_specs.to_property(name, spec, default, options=WHILE_TYPING, update=update)


def _list(name: str, spec: Any, update: Update) -> dict[str, Any]:
    if spec.record not in _made:
        texts = {field: _text(field, inner, "", update) for field, inner in fields.specs(spec.record).items()}
        _made[spec.record] = from_specs.make_group(
            f"REDMAX_PG_{spec.record.__name__.lower()}", texts, f"{spec.record.__doc__}"
        )
    label = from_specs.title(name)
    entries = bpy.props.CollectionProperty(
        type=_made[spec.record],
        name=label,
        description=from_specs.tooltip(spec),
        override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
    )
    active = bpy.props.IntProperty(
        name=f"Active of {label}", description="The one shown below the list", options=STATIC, override=OVERRIDABLE
    )
    return {name: entries, f"active_{name}": active}


def note_of(joint: Any) -> str:
    """What is wrong with what is written of a joint, as a sentence; empty where nothing is."""
    for fault in joint.written_problems():
        return f"{fault.sentence[0].upper()}{fault.sentence[1:]}; {fault.hint}"
    return ""


def groups() -> tuple[Any, ...]:
    """Groups of records that were made so far."""
    return tuple(_made.values())
