# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the active joint: remove, swap, parts of a composite, keys on its coordinate. Registered by `build`."""

import math
from typing import Any

import bpy

from .._engine import joints
from ..bridge.authoring import build, composite_parts, elements, make_mechanism, motion_keys
from ..bridge.objects import units
from ..bridge.objects.editable import require_editable
from ..properties import joint as joint_properties
from . import readiness


class REDMAX_OT_remove_joint(bpy.types.Operator):
    """Remove the selected joints; the bodies stay"""

    bl_idname = "redmax.remove_joint"
    bl_label = "Remove Joint"
    bl_options = {"REGISTER", "UNDO"}

    keep_empty: bpy.props.BoolProperty(
        name="Keep Empty", description="Keep the empty as an ordinary object instead of deleting it"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not _joints(context):
            cls.poll_message_set("Select a joint first")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        found = _joints(context)
        require_editable(found)
        depsgraph = context.evaluated_depsgraph_get()
        acting = elements.referring_to(context.scene, found)
        text = f"Removed {make_mechanism.listed([obj.name for obj in (*found, *acting)])}"
        elements.remove(acting, depsgraph)
        for obj in found:
            build.remove_joint(obj, depsgraph, keep_empty=self.keep_empty)
        self.report({"INFO"}, text)
        return {"FINISHED"}


def _joints(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in readiness.targets(context) if obj.redmax.is_joint]


class ActiveJointOperator:
    """Acts on the active joint and changes it by one function that may refuse."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit_joint(cls, context)

    @readiness.refusing
    def execute(self: Any, context: Any) -> Any:
        if said := self.change(context, context.object):
            self.report({"INFO"}, said)
        return {"FINISHED"}


class REDMAX_OT_swap_joint(ActiveJointOperator, bpy.types.Operator):
    """Exchange parent and child of the active joint; it stays where it is and its coordinate turns the other way"""

    bl_idname = "redmax.swap_joint"
    bl_label = "Swap Parent and Child"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        build.swap_joint(obj, context.evaluated_depsgraph_get())
        joint = obj.redmax.joint
        return f"'{joint.parent.name}' now carries '{joint.child.name}'"


class CompositeOperator(ActiveJointOperator):
    """Acts on the parts of the active composite joint."""

    @classmethod
    def poll(cls: Any, context: bpy.types.Context) -> bool:
        if not readiness.may_edit_joint(cls, context):
            return False
        if not joint_properties.has_parts(context.object.redmax.joint):
            cls.poll_message_set("Only a Composite joint has parts")
            return False
        return True


class REDMAX_OT_add_part(CompositeOperator, bpy.types.Operator):
    """Append a joint to the parts of the active composite joint"""

    bl_idname = "redmax.add_part"
    bl_label = "Add Part"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Type",
        description="Motion that the part adds",
        items=joint_properties.kind_items(of_parts=True),
        default=composite_parts.PART_KIND,
    )

    def change(self, _context: bpy.types.Context, obj: bpy.types.Object) -> str:
        composite_parts.add_part(obj, self.kind)
        return f"Added a {joints.JOINTS[self.kind].label} to '{obj.name}'"


class REDMAX_OT_remove_part(CompositeOperator, bpy.types.Operator):
    """Remove the active part; settings and keys of the other parts stay theirs"""

    bl_idname = "redmax.remove_part"
    bl_label = "Remove Part"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, _context: bpy.types.Context, obj: bpy.types.Object) -> str:
        composite_parts.remove_part(obj)
        left = len(obj.redmax.joint.parts)
        return f"'{obj.name}' has {left} part{'s' * (left != 1)} now"


class REDMAX_OT_move_part(CompositeOperator, bpy.types.Operator):
    """Move the active part in the order from parent to child, with its settings and keys"""

    bl_idname = "redmax.move_part"
    bl_label = "Move Part"
    bl_options = {"REGISTER", "UNDO"}

    direction: bpy.props.EnumProperty(
        name="Direction",
        description="Where the part goes in the order",
        items=[("UP", "Up", "Nearer to the parent", 0), ("DOWN", "Down", "Nearer to the child", 1)],
    )

    def change(self, _context: bpy.types.Context, obj: bpy.types.Object) -> str:
        composite_parts.move_part(obj, -1 if self.direction == "UP" else 1)
        return f"Moved a part of '{obj.name}' {self.direction.lower()}"


class REDMAX_OT_key_coordinate(ActiveJointOperator, bpy.types.Operator):
    """Insert a key on every coordinate of the active joint at the current frame"""

    bl_idname = "redmax.key_coordinate"
    bl_label = "Key Coordinate"
    bl_options = {"REGISTER", "UNDO"}

    animate: bpy.props.BoolProperty(
        name="Set Animated", description="Let the joint follow its keys: set its Motion to Animated", default=True
    )

    def change(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        count = motion_keys.key_coordinate(obj, context.scene.frame_current_final, animate=self.animate)
        return f"Keyed {count} coordinate{'s' * (count > 1)} of '{obj.name}' at frame {context.scene.frame_current}"


class REDMAX_OT_coordinate_from_motion(ActiveJointOperator, bpy.types.Operator):
    """Key the coordinates of the active joint so that it moves its child as the child moves already, \
and let it follow these keys"""

    bl_idname = "redmax.coordinate_from_motion"
    bl_label = "Coordinate from Motion"
    bl_options = {"REGISTER", "UNDO"}

    interpolation: bpy.props.EnumProperty(
        name="Interpolation",
        description="How the coordinate goes on between keys",
        items=[
            ("BEZIER", "Smooth", "Bezier curves with automatic handles", 0),
            ("LINEAR", "Linear", "Straight from key to key", 1),
        ],
        default="BEZIER",
    )
    step: bpy.props.IntProperty(name="Every", description="Frames from key to key", default=1, min=1, soft_max=24)
    tolerance_angle: bpy.props.FloatProperty(
        name="Angle Tolerance",
        description="Largest angle by which the joint may miss the motion",
        default=math.radians(0.5),
        min=0.0,
        unit="ROTATION",
    )
    tolerance_distance: bpy.props.FloatProperty(
        name="Distance Tolerance",
        description="Largest distance at the joint by which it may miss the motion",
        default=0.001,
        min=0.0,
        precision=4,
        unit="LENGTH",
    )

    def change(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        length = units.metres_per_unit(context.scene)
        report = motion_keys.coordinate_from_motion(
            context,
            obj,
            tolerance_angle=self.tolerance_angle,
            tolerance_distance=self.tolerance_distance,
            interpolation=self.interpolation,
            step=self.step,
            length=length,
        )
        distance = units.shown_length(context.scene, report.distance)
        return f"Keyed {report.frames} frames of '{obj.name}'; it misses the motion by at most " + (
            f"{math.degrees(report.angle):.2g} deg and {distance}"
        )


CLASSES = (
    REDMAX_OT_remove_joint,
    REDMAX_OT_swap_joint,
    REDMAX_OT_add_part,
    REDMAX_OT_remove_part,
    REDMAX_OT_move_part,
    REDMAX_OT_key_coordinate,
    REDMAX_OT_coordinate_from_motion,
)
