# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of charts of a Custom joint."""

from typing import Any

import bpy

from ..bridge.authoring import joint_formulas
from . import readiness


class REDMAX_OT_edit_charts(bpy.types.Operator):
    """Add, remove or move a chart of the active Custom joint: the same motion in other coordinates, which are taken
    where those of the formula become singular"""

    bl_idname = "redmax.edit_charts"
    bl_label = "Edit Charts"
    bl_options = {"REGISTER", "UNDO"}

    action: bpy.props.EnumProperty(
        name="Action",
        description="What to do with the active chart",
        items=[("ADD", "Add", ""), ("REMOVE", "Remove", ""), ("UP", "Move Up", ""), ("DOWN", "Move Down", "")],
        options={"SKIP_SAVE"},
    )
    part: bpy.props.BoolProperty(
        name="Part", description="Of the active part of a Composite joint", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.idle(cls, context):
            return False
        if context.object is None or not context.object.redmax.is_joint:
            cls.poll_message_set("Select a joint first")
            return False
        return True

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        joint_formulas.edit_charts(context.object, self.action, part=self.part)
        return {"FINISHED"}


CLASSES = (REDMAX_OT_edit_charts,)
