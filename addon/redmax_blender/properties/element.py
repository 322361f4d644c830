# SPDX-License-Identifier: GPL-3.0-or-later
"""`object.redmax` and `pose_bone.redmax`: whether it is a body or a joint, and what a result has put aside."""

from typing import Any

import bpy

from . import body, from_specs, joint, migration
from .from_specs import OVERRIDABLE, STATIC


def _stamp(group: Any, _context: Any) -> None:
    """Whoever becomes part of a mechanism carries the version its properties are written in."""
    if group.is_body or group.is_joint:
        group.version = migration.CURRENT


def _element_annotations() -> dict[str, Any]:
    return {
        "version": bpy.props.IntProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "is_body": bpy.props.BoolProperty(
            name="RedMax Body",
            description="This is a rigid body of a mechanism",
            update=_stamp,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "is_joint": bpy.props.BoolProperty(
            name="RedMax Joint",
            description="This is a joint of a mechanism",
            update=_stamp,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "body": bpy.props.PointerProperty(type=body.REDMAX_PG_body, override=OVERRIDABLE),
        "joint": bpy.props.PointerProperty(type=joint.REDMAX_PG_joint, override=OVERRIDABLE),
    }


def _vector(size: int) -> Any:
    return bpy.props.FloatVectorProperty(size=size, precision=6, options={"HIDDEN"}, override=OVERRIDABLE)


REDMAX_PG_kept = from_specs.make_group(
    "REDMAX_PG_kept",
    {
        "active": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "location": _vector(3),
        "rotation_euler": _vector(3),
        "rotation_quaternion": _vector(4),
        "rotation_axis_angle": _vector(4),
    },
    "Transform channels as the artist left them, while a result moves the object.",
)

REDMAX_PG_baked = from_specs.make_group(
    "REDMAX_PG_baked",
    {
        "active": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "target": bpy.props.EnumProperty(
            items=[("NEW", "New Action", "", 0), ("CURRENT", "Current Action", "", 1)],
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "action": bpy.props.PointerProperty(type=bpy.types.Action, override=OVERRIDABLE),
        "previous_action": bpy.props.PointerProperty(type=bpy.types.Action, override=OVERRIDABLE),
        "previous_slot": bpy.props.StringProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "had_animation_data": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "channels": bpy.props.StringProperty(
            description="Custom properties the bake added, separated by commas",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    },
    "What a bake replaced, so that Remove Bake can bring it back.",
)

REDMAX_PG_object = from_specs.make_group(
    "REDMAX_PG_object",
    {
        **_element_annotations(),
        "kept": bpy.props.PointerProperty(type=REDMAX_PG_kept, override=OVERRIDABLE),
        "baked": bpy.props.PointerProperty(type=REDMAX_PG_baked, override=OVERRIDABLE),
    },
    "RedMax settings of an object.",
)
REDMAX_PG_bone = from_specs.make_group("REDMAX_PG_bone", _element_annotations(), "RedMax settings of a pose bone.")

CLASSES = (REDMAX_PG_kept, REDMAX_PG_baked, REDMAX_PG_object, REDMAX_PG_bone)
