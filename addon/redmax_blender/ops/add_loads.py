# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add what acts on single bodies: Add Force, Add Drag, Pin to World."""

import bpy

from ..bridge.authoring import loads, make_mechanism
from . import readiness
from .elements import show

SELECT_BODIES = "Select the bodies that it acts on"
PLACE = [
    ("ORIGIN", "Origin", "At the body's origin, or at each empty that is selected with it", 0),
    ("CURSOR", "3D Cursor", "At the 3D cursor, or at each empty that is selected with it", 1),
]


def _told(added: list[bpy.types.Object]) -> str:
    return f"Added {make_mechanism.listed([obj.name for obj in added])}"


class REDMAX_OT_add_force(bpy.types.Operator):
    """Add a force that pulls each selected body in one direction, at its origin, at the 3D cursor, or at the empties
    that are selected with one body"""

    bl_idname = "redmax.add_force"
    bl_label = "Add Force"
    bl_options = {"REGISTER", "UNDO"}

    place: bpy.props.EnumProperty(name="Acts At", description="Where the force acts", items=PLACE)
    direction: bpy.props.FloatVectorProperty(
        name="Direction",
        description="Where it pulls; its length does not matter",
        default=(0.0, 0.0, 1.0),
        subtype="XYZ",
    )
    axes: bpy.props.EnumProperty(
        name="Axes",
        description="Along which axes the direction is given",
        items=[
            ("world", "World", "It keeps its direction in space", 0),
            ("body", "Body", "It turns with the body, like a thruster", 1),
        ],
    )
    strength: bpy.props.FloatProperty(
        name="Strength",
        description="In times of the body's weight; negative pushes",
        default=1.0,
        soft_min=0.0,
        soft_max=10.0,
    )
    keyed: bpy.props.BoolProperty(
        name="Key Strength",
        description="Add keys with which it grows from nothing at the first frame; edit them at will",
    )
    swelling: bpy.props.FloatProperty(
        name="Growing Time",
        description="Time from the first to the second of these keys",
        default=1.0,
        min=0.01,
        soft_max=10.0,
        unit="TIME_ABSOLUTE",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_BODIES)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("place", "direction", "axes", "strength", "keyed"):
            layout.prop(self, name)
        if self.keyed:
            layout.prop(self, "swelling")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        time = self.swelling if self.keyed else 0.0
        wishes = loads.ForceWishes(self.place, tuple(self.direction), self.axes, self.strength, time)
        added = loads.add_force(context, readiness.in_order(context), wishes)
        show(context, added[-1])
        self.report({"INFO"}, _told(added))
        return {"FINISHED"}


class REDMAX_OT_add_drag(bpy.types.Operator):
    """Add the drag of air or water to each selected body, by the size of its bounding box; with a wind it is carried
    along"""

    bl_idname = "redmax.add_drag"
    bl_label = "Add Drag"
    bl_options = {"REGISTER", "UNDO"}

    medium: bpy.props.EnumProperty(
        name="Through",
        description="What the body moves through",
        items=[("AIR", "Air", "At 20 degrees", 0), ("WATER", "Water", "Fresh water; it does not float", 1)],
    )
    coefficient: bpy.props.FloatProperty(
        name="Coefficient",
        description="Drag coefficient: 0.5 for a ball, 1.2 for a plate",
        default=1.0,
        min=0.0,
        soft_max=2.0,
    )
    wind: bpy.props.FloatVectorProperty(
        name="Wind", description="Velocity of the air or water", subtype="VELOCITY", unit="VELOCITY"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_BODIES)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = loads.DragWishes(self.medium, self.coefficient, tuple(self.wind))
        added = loads.add_drag(context, readiness.in_order(context), wishes)
        show(context, added[-1])
        self.report({"INFO"}, _told(added))
        return {"FINISHED"}


class REDMAX_OT_pin_to_world(bpy.types.Operator):
    """Pin each selected body to where it is now, at its origin, at the 3D cursor, or at the empties that are selected
    with one body. It may still turn about that point"""

    bl_idname = "redmax.pin_to_world"
    bl_label = "Pin to World"
    bl_options = {"REGISTER", "UNDO"}

    place: bpy.props.EnumProperty(name="Pinned At", description="Which point of the body stays", items=PLACE)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_BODIES)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        added = loads.pin_to_world(context, readiness.in_order(context), self.place)
        show(context, added[-1])
        self.report({"INFO"}, _told(added))
        return {"FINISHED"}


CLASSES = (REDMAX_OT_add_force, REDMAX_OT_add_drag, REDMAX_OT_pin_to_world)
