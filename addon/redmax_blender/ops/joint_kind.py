# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets the type of the active joint, or of its active part: menus show icons for operators, not for properties."""

from typing import Any

import bpy

from .._engine import joints
from ..bridge.core.findings import refuse
from ..bridge.objects.editable import require_editable
from ..properties import from_specs
from ..properties import joint as joint_properties
from . import readiness


class REDMAX_OT_set_kind(bpy.types.Operator):
    """How the child may move relative to the parent"""

    bl_idname = "redmax.set_kind"
    bl_label = "Set Type"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Type", description="Motion that the joint allows", items=joint_properties.kind_items()
    )
    part: bpy.props.BoolProperty(
        name="Part", description="Set the type of the active part of a Composite joint", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """What the type does, with its technical name."""
        return from_specs.summary(joints.JOINTS[properties.kind])

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
        obj = context.object
        require_editable([obj])
        joint = obj.redmax.joint
        if self.part:
            if not 0 <= joint.active_part < len(joint.parts) or self.kind in joint_properties.PARTS:
                raise refuse(obj.name, f"'{obj.name}' has no such part", "choose a part in its list first")
            joint.parts[joint.active_part].kind = self.kind
        else:
            joint.kind = self.kind
        obj.update_tag()
        return {"FINISHED"}


CLASSES = (REDMAX_OT_set_kind,)
