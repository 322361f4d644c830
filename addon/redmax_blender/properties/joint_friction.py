# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry friction inside a joint as Blender holds it: the engine's fields, and what the bearing is like."""

import math
from typing import Any

import bpy

from .._engine import fields, frictions
from . import from_specs
from .from_specs import OVERRIDABLE, STATIC

CUSTOM = "CUSTOM"
STATES = {
    "DRY": ("Dry Steel", 0.15, 1),
    "OILED": ("Oiled", 0.05, 2),
    "RUSTY": ("Rusty", 0.5, 3),
    "PTFE": ("PTFE", 0.04, 4),
}
"""What a bearing is like: label, coefficient of friction, and the number that .blend files store."""

SAME = 1e-6
"""Coefficients that differ by less than this part are those of the state."""

SIZES = {
    frictions.BearingKind.PIN: ("radius", "height"),
    frictions.BearingKind.GUIDE: ("sides",),
    frictions.BearingKind.SOCKET: ("radius",),
    frictions.BearingKind.PLATE: ("sides",),
}
"""Which sizes count for a bearing of a kind."""


def _use_state(group: Any, _context: Any) -> None:
    """What the bearing is like brings its coefficient."""
    state = STATES.get(group.state)
    if state is not None and not math.isclose(group.coefficient, state[1], rel_tol=SAME):
        name = group.state
        group.coefficient = state[1]
        group.state = name


def _forget_state(group: Any, _context: Any) -> None:
    """A coefficient typed by hand is no longer that of the chosen state."""
    state = STATES.get(group.state)
    if state is not None and not math.isclose(group.coefficient, state[1], rel_tol=SAME):
        group.state = CUSTOM


def _annotations() -> dict[str, Any]:
    shown = [
        (name, label, f"{label}: coefficient {value:g}", number) for name, (label, value, number) in STATES.items()
    ]
    return {
        "state": bpy.props.EnumProperty(
            name="Bearing",
            description="What the bearing is like; sets the coefficient of friction",
            items=[(CUSTOM, "Custom", "A coefficient of your own", 0), *shown],
            default=CUSTOM,
            update=_use_state,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        **from_specs.group_annotations(frictions.Friction, updates={"coefficient": _forget_state}),
    }


REDMAX_PG_joint_friction = from_specs.make_group(
    "REDMAX_PG_joint_friction", _annotations(), "Dry friction in the bearings of a joint."
)

CLASSES = (REDMAX_PG_joint_friction,)


def annotations(tooltip: str) -> dict[str, Any]:
    """Properties of a joint: whether its bearings rub, and how."""
    return {
        "use_friction": bpy.props.BoolProperty(
            name="Friction", description=tooltip, options=STATIC, override=OVERRIDABLE
        ),
        "friction": bpy.props.PointerProperty(type=REDMAX_PG_joint_friction, name="Friction", override=OVERRIDABLE),
    }


def sizes_of(joint: Any) -> list[str]:
    """Sizes that count for the bearings of an engine's joint, in the order of the fields; empty if it has none."""
    used = {name for bearing in joint.bearings() for name in SIZES[bearing.kind]}
    return [name for name in fields.specs(frictions.Friction) if name in used]


def in_si(group: Any, length: float) -> Any:
    """The engine's friction. length: metres per Blender unit."""
    return frictions.Friction(**from_specs.read_group(group, frictions.Friction, length))
