# SPDX-License-Identifier: GPL-3.0-or-later
"""`object.redmax` and `pose_bone.redmax`: which sorts of element it is, and what a result has put aside."""

from typing import Any

import bpy

from . import body, from_specs, joint, joint_fit, migration, rigid_bodies, sorts, stored_groups, surface
from .from_specs import OVERRIDABLE, STATIC
from .mechanism_bodies import mechanism_bodies


def _stamp(group: Any, _context: Any) -> None:
    """Whoever becomes part of a mechanism carries the version its properties are written in."""
    if sorts.is_element(group):
        group.version = migration.CURRENT
        stored_groups.store(group)
    if group.is_joint:
        joint.show_type(group.joint)
        group.joint.name = group.id_data.name


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
        "is_surface": bpy.props.BoolProperty(
            name="RedMax Surface",
            description="This touches other surfaces: it is one of the body above it, or scenery",
            update=_stamp,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "body": bpy.props.PointerProperty(type=body.REDMAX_PG_body, override=OVERRIDABLE),
        "joint": bpy.props.PointerProperty(type=joint.REDMAX_PG_joint, override=OVERRIDABLE),
        "surface": bpy.props.PointerProperty(type=surface.REDMAX_PG_surface, override=OVERRIDABLE),
        **sorts.annotations(_stamp),
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


def _text(description: str) -> Any:
    return bpy.props.StringProperty(description=description, options={"HIDDEN"}, override=OVERRIDABLE)


def _flag(description: str) -> Any:
    return bpy.props.BoolProperty(description=description, options={"HIDDEN"}, override=OVERRIDABLE)


def _slot(description: str) -> Any:
    return bpy.props.IntProperty(description=description, options={"HIDDEN"}, override=OVERRIDABLE)


REDMAX_PG_baked = from_specs.make_group(
    "REDMAX_PG_baked",
    {
        "active": _flag("A bake wrote keys here"),
        "target": bpy.props.EnumProperty(
            items=[
                ("NEW", "New Action", "", 0),
                ("CURRENT", "Current Action", "", 1),
                ("NLA", "NLA Track", "", 2),
                ("RESULTS", "Results Only", "", 3),
                ("CACHE", "Mesh Cache", "", 4),
            ],
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "action": bpy.props.PointerProperty(
            type=bpy.types.Action, description="Action that holds the baked keys", override=OVERRIDABLE
        ),
        "slot": _slot("Handle of the slot of the baked keys, 0 for none"),
        "paths": _text("Data paths of the baked channels, separated by commas"),
        "others": _text("Digest of the F-curves of other channels that a new action took over, as they were then"),
        "channels": _text("Custom properties the bake added, separated by commas"),
        "units": _text("Units of those of forces and the like, as 'redmax_tension=N;redmax_length=m'"),
        "cache": _text("Identifier of the file that holds the points of a rope, empty where they have keys"),
        "results": bpy.props.PointerProperty(
            type=bpy.types.Action, description="Action that holds the keys of results", override=OVERRIDABLE
        ),
        "results_slot": _slot("Handle of the slot of the keys of results, 0 for none"),
        "previous_action": bpy.props.PointerProperty(
            type=bpy.types.Action,
            description="The action a new one replaced; or a copy of the current one from before the bake",
            override=OVERRIDABLE,
        ),
        "previous_slot": _slot("Handle of the slot that was assigned before, 0 for none"),
        "had_animation_data": _flag("There was animation data before"),
        "had_action": _flag("There was an action before"),
        "influence": bpy.props.FloatProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "blend_type": _text("How the action was mixed with the NLA before"),
    },
    "What a bake replaced, so that Remove Bake can bring it back.",
)


def _colour_bodies(group: Any, _context: Any) -> None:
    """The mechanism's colour is that of its bodies in the viewport."""
    for obj in mechanism_bodies(group.id_data):
        if obj.library is None:
            obj.color = (*group.color, 1.0)


REDMAX_PG_mechanism_settings = from_specs.make_group(
    "REDMAX_PG_mechanism_settings",
    {
        "enabled": bpy.props.BoolProperty(
            name="Enabled",
            description="Check, simulate and bake this mechanism; one that is off stands as you modelled it",
            default=True,
            options=STATIC,
            override=OVERRIDABLE,
        ),
        "color": bpy.props.FloatVectorProperty(
            name="Color",
            description="Color of the mechanism: its bodies get it as their viewport color "
            "(Viewport Shading > Color > Object)",
            size=3,
            subtype="COLOR",
            min=0.0,
            max=1.0,
            default=(1.0, 1.0, 1.0),
            update=_colour_bodies,
            options=STATIC,
            override=OVERRIDABLE,
        ),
    },
    "What the list of mechanisms keeps of the one that hangs from this body.",
)

REDMAX_PG_object = from_specs.make_group(
    "REDMAX_PG_object",
    {
        **_element_annotations(),
        "kept": bpy.props.PointerProperty(type=REDMAX_PG_kept, override=OVERRIDABLE),
        "fit": bpy.props.PointerProperty(type=joint_fit.REDMAX_PG_fit, override=OVERRIDABLE),
        "baked": bpy.props.PointerProperty(type=REDMAX_PG_baked, override=OVERRIDABLE),
        "mechanism": bpy.props.PointerProperty(type=REDMAX_PG_mechanism_settings, override=OVERRIDABLE),
        "shows": bpy.props.PointerProperty(
            type=bpy.types.Object,
            name="Shows",
            description="Spring, cable, muscle or rope that this object makes visible",
            override=OVERRIDABLE,
        ),
        "muted": _text("What was muted so that a bake is not overwritten, as JSON"),
        "from_rigid_body": rigid_bodies.mark(),
    },
    "RedMax settings of an object.",
)
REDMAX_PG_bone = from_specs.make_group(
    "REDMAX_PG_bone",
    {**_element_annotations(), "identifier": _text("By which references know the bone, whatever its name")},
    "RedMax settings of a pose bone.",
)

CLASSES = (
    *joint_fit.CLASSES,
    *sorts.CLASSES,
    REDMAX_PG_kept,
    REDMAX_PG_baked,
    REDMAX_PG_mechanism_settings,
    REDMAX_PG_object,
    REDMAX_PG_bone,
)
