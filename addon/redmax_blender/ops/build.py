# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make objects bodies and connect them."""

from typing import Any

import bpy

from ..bridge.authoring import build, make_mechanism
from ..bridge.authoring.connecting import Connecting, connect_selected
from ..bridge.core import axis_report, joint_axes
from ..bridge.objects import joint_graph
from ..bridge.objects.editable import require_editable
from ..bridge.results import preview
from ..properties import joint as joint_properties
from . import joint_axis, joint_editing, readiness

KIND_ITEMS = joint_properties.kind_items()

WORLD_AXES = [
    ("X", "World X", "Along the world's x axis", 2),
    ("Y", "World Y", "Along the world's y axis", 3),
    ("Z", "World Z", "Along the world's z axis", 4),
]
AUTO_AXIS = (
    "AUTO",
    "Automatic",
    "The Z axis of an empty or cursor that was turned; else as a mechanic would: hinges of a loop are parallel and "
    "square to it, plates turn in their plane, sliders go along their bore or toward the crank",
    0,
)
LOCAL_AXIS = ("LOCAL", "Local Z", "The Z axis of the empty, the cursor or the object at whose origin the joint is", 1)


def kind_property() -> Any:
    return bpy.props.EnumProperty(
        name="Type",
        description="How a child may move relative to its parent",
        items=KIND_ITEMS,
        default=joint_properties.DEFAULT_KIND,
    )


def axis_property() -> Any:
    return bpy.props.EnumProperty(
        name="Axis",
        description="Where the Z axis of new joints points, about which a hinge turns and along which a slider moves",
        items=[AUTO_AXIS, LOCAL_AXIS, *WORLD_AXES],
        default="AUTO",
    )


class REDMAX_OT_make_mechanism(bpy.types.Operator):
    """Connect the selected objects by joints: Blender parents and selected empties become hinges, \
the active object is the base and stands still"""

    bl_idname = "redmax.make_mechanism"
    bl_label = "Make Mechanism"
    bl_options = {"REGISTER", "UNDO"}

    kind: kind_property()
    axis: axis_property()

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        bodies = [obj for obj in context.selected_objects if build.may_be_body(obj)]
        if len(bodies) < 2:
            cls.poll_message_set("Select the parts of the mechanism, the base last")
            return False
        if context.object not in bodies:
            cls.poll_message_set("Make the base the active object: Shift-click it last")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        axis: joint_axes.Axis = self.axis
        report = make_mechanism.make_mechanism(
            context, context.selected_objects, context.object, kind=self.kind, axis=axis
        )
        joint_axis.tell(self, context, str(report), [guess.name for guess in report.guesses])
        return {"FINISHED"}


class REDMAX_OT_connect(bpy.types.Operator):
    """Connect the selected objects to the active one by a joint, or a single one to the world"""

    bl_idname = "redmax.connect"
    bl_label = "Connect with Joint"
    bl_options = {"REGISTER", "UNDO"}

    kind: kind_property()
    at: bpy.props.EnumProperty(
        name="At",
        description="Where the joint goes",
        items=[
            (
                "EMPTY",
                "Selected Empty",
                "A selected empty becomes the joint; the nearest of several",
                0,
            ),
            ("CURSOR", "3D Cursor", "At the 3D cursor", 1),
            ("CHILD", "Child Origin", "At the origin of the object that is connected", 2),
            ("PARENT", "Parent Origin", "At the origin of the active object", 3),
        ],
        default="CHILD",
    )
    axis: axis_property()
    to_world: bpy.props.BoolProperty(
        name="To World", description="Connect all selected objects to the world instead of the active one"
    )
    lock_parent: bpy.props.BoolProperty(
        name="Lock New Parent",
        description="Let the active object stand still if it is not part of a mechanism yet",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not any(build.may_be_body(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select the child and then the parent")
            return False
        if context.object is None or not build.may_be_body(context.object):
            cls.poll_message_set("Make the parent the active object: Shift-click it last")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        bodies = [obj for obj in context.selected_objects if build.may_be_body(obj) and obj != context.object]
        empties = [obj for obj in context.selected_objects if build.is_pin(obj)]
        # What was not chosen follows from the selection; once set it shows in the redo panel and can be changed.
        if not self.properties.is_property_set("at") and empties:
            self.at = "EMPTY"
        if not self.properties.is_property_set("to_world"):
            self.to_world = not bodies
        parent = None if self.to_world else context.object
        children = [*bodies, context.object] if self.to_world else bodies
        options = Connecting(kind=self.kind, at=self.at, axis=self.axis, lock_parent=self.lock_parent)
        made = connect_selected(context, parent, children, empties, options)
        for line in made.lines[:-1]:
            self.report({"INFO"}, line)
        text = "; ".join(part for part in (made.lines[-1], axis_report.said(made.guesses)) if part)
        joint_axis.tell(self, context, text, [guess.name for guess in made.guesses])
        return {"FINISHED"}


class REDMAX_OT_add_body(bpy.types.Operator):
    """Make the selected objects rigid bodies of a mechanism"""

    bl_idname = "redmax.add_body"
    bl_label = "Add Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not _new_bodies(context):
            cls.poll_message_set("Select a mesh, curve, text or empty that is not a body or joint yet")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        objects = _new_bodies(context)
        require_editable(objects)
        for obj in objects:
            build.add_body(obj)
        names = make_mechanism.listed([obj.name for obj in objects])
        self.report({"INFO"}, f"Made {names} {'a body' if len(objects) == 1 else 'bodies'}")
        return {"FINISHED"}


def _new_bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    candidates = [obj for obj in readiness.targets(context) if build.may_be_body(obj) or obj.type == "EMPTY"]
    return [obj for obj in candidates if not obj.redmax.is_body and not obj.redmax.is_joint]


class REDMAX_OT_remove_body(bpy.types.Operator):
    """Make the selected bodies ordinary objects again; joints that connect them are removed too"""

    bl_idname = "redmax.remove_body"
    bl_label = "Remove Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit_bodies(cls, context)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        bodies = readiness.bodies(context)
        text = f"No longer a body: {make_mechanism.listed([obj.name for obj in bodies])}"
        joints_removed = build.remove_body(context, bodies)
        preview.show(context.scene)  # which no longer moves them
        if joints_removed:
            text = f"{text}. Also removed {make_mechanism.listed(joints_removed)}"
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_set_root(bpy.types.Operator):
    """Choose what holds the selected bodies where no joint carries them"""

    bl_idname = "redmax.set_root"
    bl_label = "Lock or Free Body"
    bl_options = {"REGISTER", "UNDO"}

    root: bpy.props.EnumProperty(
        name="Without a Joint",
        description="What holds the body when it is not the child of any joint",
        items=[
            ("FREE", "Free", "Nothing holds it: it falls", 0),
            ("LOCKED", "Locked", "It stands still in the world", 1),
        ],
        default="LOCKED",
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Two buttons use this operator; each says what it does."""
        if properties.root == "LOCKED":
            return "Let the selected bodies stand still in the world where no joint carries them"
        return "Let the selected bodies fall where no joint carries them"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit_bodies(cls, context)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        bodies = readiness.bodies(context)
        build.set_root(bodies, self.root)
        done = "Locked" if self.root == "LOCKED" else "Freed"
        self.report({"INFO"}, f"{done} {make_mechanism.listed([body.name for body in bodies])}")
        graph = joint_graph.JointGraph.of(context.scene)
        for body in bodies:
            if (carrier := graph.carrier(body)) is not None:
                text = f"'{body.name}' is carried by joint '{carrier.name}': this counts once that is removed"
                self.report({"WARNING"}, text)
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_make_mechanism,
    REDMAX_OT_connect,
    REDMAX_OT_add_body,
    REDMAX_OT_remove_body,
    REDMAX_OT_set_root,
    *joint_editing.CLASSES,
    *joint_axis.CLASSES,
)
