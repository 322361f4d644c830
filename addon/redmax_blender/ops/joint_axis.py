# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Axis: one click gives joints another axis. Registered by `build`."""

from collections.abc import Sequence
from typing import Any

import bpy

from ..bridge.authoring import axis_setting
from ..bridge.objects.named_objects import local_object
from . import readiness

SEPARATOR = "\n"

AXIS_ITEMS = [
    ("X", "X", "Along the world's x axis, as modelled at the first frame", 0),
    ("Y", "Y", "Along the world's y axis, as modelled at the first frame", 1),
    ("Z", "Z", "Along the world's z axis, as modelled at the first frame", 2),
    (
        "PICKED",
        "From Selection",
        "Along the edge, square to the face, or about the rim of the hole that is selected on a mesh in Edit Mode",
        3,
    ),
    ("AUTO", "Automatic", "As a new joint would have it, by the loop, the bore or the parts", 4),
    ("ROTATION", "Turn Empty to Axis", "Keep the axis, and turn the empty so that its arrow shows it", 5),
]


def tell(operator: Any, context: bpy.types.Context, text: str, names: Sequence[str]) -> None:
    """Report in the status bar and in the sidebar; Set Axis acts on the named joints while a mesh is edited."""
    state: Any = context.window_manager.redmax
    state.message = text
    if names:
        state.axis_joints = SEPARATOR.join(names)
    operator.report({"INFO"}, text)


def _joints(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected joints; while a mesh is edited, those that were made or turned last."""
    selected = [obj for obj in readiness.targets(context) if obj.redmax.is_joint]
    if selected or context.mode == "OBJECT":
        return selected
    named = [local_object(name) for name in context.window_manager.redmax.axis_joints.split(SEPARATOR)]
    return [obj for obj in named if obj is not None and obj.redmax.is_joint]


class REDMAX_OT_set_joint_axis(bpy.types.Operator):
    """Turn the selected joints so that they point along an axis; nothing else moves"""

    bl_idname = "redmax.set_joint_axis"
    bl_label = "Set Axis"
    bl_options = {"REGISTER", "UNDO"}

    axis: bpy.props.EnumProperty(name="Axis", description="Where the joint points", items=AXIS_ITEMS, default="Z")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return next(text for name, _, text, _ in AXIS_ITEMS if name == properties.axis)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in ("OBJECT", "EDIT_MESH"):
            cls.poll_message_set("Switch to Object Mode, or to Edit Mode of a mesh")
            return False
        if not readiness.idle(cls, context):
            return False
        if not _joints(context):
            cls.poll_message_set("Select a joint first")
            return False
        return True

    @readiness.refusing
    def execute(self, context: bpy.types.Context) -> set[str]:
        joints, to = _joints(context), self.axis
        meshes = list(context.objects_in_mode) if context.mode == "EDIT_MESH" else list(context.selected_objects)
        was_editing = context.mode == "EDIT_MESH"
        # Edit Mode would undo the mesh alone: what it has picked is stored on it, and Object Mode undoes joints.
        context.window_manager.redmax.axis_joints = SEPARATOR.join(obj.name for obj in joints)
        if was_editing:
            axis_setting.require_picked(context, meshes)
            _to_object_mode(joints)
        text = axis_setting.set_axes(context, joints, to, [obj for obj in meshes if obj not in joints])
        tell(self, context, text, [obj.name for obj in joints])
        return {"FINISHED"}


def _to_object_mode(joints: Sequence[bpy.types.Object]) -> None:
    """Leave Edit Mode with the joints selected, so that what happens to them is seen."""
    context = bpy.context
    bpy.ops.object.mode_set(mode="OBJECT")
    visible = [obj for obj in joints if obj.visible_get(view_layer=context.view_layer)]
    if visible:
        for other in context.view_layer.objects.selected[:]:
            other.select_set(False)
        for obj in visible:
            obj.select_set(True)
        context.view_layer.objects.active = visible[0]


CLASSES = (REDMAX_OT_set_joint_axis,)
