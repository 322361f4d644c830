# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis of a joint, one click each: X, Y, Z, what is selected on a mesh, or a guess."""

from typing import Any

import bpy

from ..properties import joint as joint_properties
from ..properties import joint_arrow

SET_AXIS = "redmax.set_joint_axis"


def draw(layout: bpy.types.UILayout, joint: Any) -> None:
    """Buttons that turn a joint, and a line where its arrow does not show its axis."""
    on_track = any(True for _ in joint_properties.own_references(joint))
    if on_track or joint_properties.traits_of(joint).is_directionless:
        return
    row = layout.row(align=True)
    row.label(text="Axis")
    for axis in "XYZ":
        row.operator(SET_AXIS, text=axis).axis = axis
    row.operator(SET_AXIS, text="Auto").axis = "AUTO"
    row.operator(SET_AXIS, text="", icon="EYEDROPPER").axis = "PICKED"
    group = joint_properties.own_group(joint)
    if hasattr(group, "axis") and not joint_arrow.is_along_z(group.axis):
        layout.operator(SET_AXIS, text="Turn Empty to Axis", icon="ORIENTATION_LOCAL").axis = "ROTATION"


class REDMAX_PT_picked_axis(bpy.types.Panel):
    """While a mesh is edited: what is selected there can be the axis of the joints that were made last."""

    bl_label = "Joint Axis"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "RedMax"
    bl_parent_id = "REDMAX_PT_build"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.mode == "EDIT_MESH" and bool(context.window_manager.redmax.axis_joints)

    def draw(self, context: Any) -> None:
        names = context.window_manager.redmax.axis_joints.split("\n")
        self.layout.label(text=names[0] if len(names) == 1 else f"{len(names)} joints", icon="EMPTY_SINGLE_ARROW")
        self.layout.operator(SET_AXIS, text="Axis from Selection", icon="EYEDROPPER").axis = "PICKED"


CLASSES = (REDMAX_PT_picked_axis,)
