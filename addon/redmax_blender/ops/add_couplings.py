# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on joints that move others or are moved: Add Gear, Belt, Rack, Mimic, Motor and Drive."""

import math

import bpy

from ..bridge.authoring import drives, gears, make_mechanism, motors
from . import readiness
from .elements import show

SELECT_WHEELS = "Select two joints, or two wheels that turn on one each"


class Coupling:
    """What operators have in common that let the active joint follow the other selected one."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_WHEELS, least=2)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        gear = gears.add_gear(context, readiness.in_order(context), self.wishes())  # type: ignore[attr-defined]
        show(context, gear)
        settings = gear.redmax.constraint.coupling
        way = "against it" if settings.ratio < 0.0 else "the same way"
        text = f"'{settings.follower.name}' follows '{settings.leader.name}' by {settings.ratio:.4g}, {way}"
        self.report({"INFO"}, text)  # type: ignore[attr-defined]
        return {"FINISHED"}


class REDMAX_OT_add_gear(Coupling, bpy.types.Operator):
    """Let the active joint follow the other selected one as gear wheels do, or a wheel and a rack.
    Wheels may be selected instead of the joints that they turn on"""

    bl_idname = "redmax.add_gear"
    bl_label = "Add Gear"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.EnumProperty(
        name="Ratio From",
        description="Where the ratio comes from",
        items=[
            ("RADII", "Radii", "From how far the meshes of the two wheels reach from their axes", 0),
            ("GIVEN", "Number", "As entered", 1),
        ],
    )
    ratio: bpy.props.FloatProperty(
        name="Ratio",
        description="Turns of the follower for each turn of the leader; negative against it [1, m/rad or rad/m]",
        default=-1.0,
        precision=4,
    )
    same_way: bpy.props.BoolProperty(
        name="Same Direction",
        description="The wheels turn alike, as one inside the other, not against each other",
    )

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "source")
        layout.prop(self, "ratio" if self.source == "GIVEN" else "same_way")

    def wishes(self) -> gears.Wishes:
        return gears.Wishes(self.source, self.ratio, self.same_way)


class REDMAX_OT_add_belt(Coupling, bpy.types.Operator):
    """Let the active wheel turn with the other selected one as on a belt or a chain: the same way, by their radii"""

    bl_idname = "redmax.add_belt"
    bl_label = "Add Belt"
    bl_options = {"REGISTER", "UNDO"}

    crossed: bpy.props.BoolProperty(
        name="Crossed", description="The belt crosses itself: the wheels turn against each other"
    )

    def wishes(self) -> gears.Wishes:
        return gears.Wishes("RADII", same_way=not self.crossed, word="Belt")


class REDMAX_OT_add_rack(Coupling, bpy.types.Operator):
    """Let a rack on a slider and a wheel on a hinge move each other, by the wheel's radius; the active one follows"""

    bl_idname = "redmax.add_rack"
    bl_label = "Add Rack"
    bl_options = {"REGISTER", "UNDO"}

    other_side: bpy.props.BoolProperty(
        name="Other Side", description="The wheel touches the rack from its other side, which turns the sign round"
    )

    def wishes(self) -> gears.Wishes:
        return gears.Wishes("RADII", same_way=self.other_side, word="Rack")


class REDMAX_OT_add_mimic(Coupling, bpy.types.Operator):
    """Let the active joint copy the other selected one: the same motion, or a part of it, from where both stand"""

    bl_idname = "redmax.add_mimic"
    bl_label = "Add Mimic"
    bl_options = {"REGISTER", "UNDO"}

    ratio: bpy.props.FloatProperty(
        name="Ratio",
        description="Motion of the follower for each motion of the leader; negative against it",
        default=1.0,
        precision=4,
    )

    def wishes(self) -> gears.Wishes:
        return gears.Wishes("GIVEN", ratio=self.ratio, word="Mimic")


class REDMAX_OT_add_motor(bpy.types.Operator):
    """Add a motor to each selected joint, or to the joint of each selected body. Its gains and its greatest torque
    follow from what it has to move"""

    bl_idname = "redmax.add_motor"
    bl_label = "Add Motor"
    bl_options = {"REGISTER", "UNDO"}

    control: bpy.props.EnumProperty(
        name="Control",
        description="What the motor is to reach",
        items=[
            ("speed", "Speed", "It turns or slides with a given speed", 0),
            ("position", "Position", "It goes to a given angle or distance, and holds it", 1),
        ],
    )
    angle: bpy.props.FloatProperty(
        name="Target (hinges)",
        description="Angle to reach, or to turn by in each second, of joints that turn",
        default=math.pi,
        subtype="ANGLE",
    )
    distance: bpy.props.FloatProperty(
        name="Target (sliders)",
        description="Distance to reach, or to go in each second, of joints that slide",
        default=0.5,
        unit="LENGTH",
    )
    response: bpy.props.FloatProperty(
        name="Response Time",
        description="How soon the motor gets there without a load",
        default=0.2,
        min=1e-3,
        soft_max=5.0,
        unit="TIME_ABSOLUTE",
    )
    limited: bpy.props.BoolProperty(
        name="Limit Torque",
        description="Let the motor push no harder than a maximum, so that a load may stall it",
        default=True,
    )
    strength: bpy.props.FloatProperty(
        name="Strength",
        description="Greatest torque or force, in times of what the load and the target take",
        default=2.0,
        min=0.01,
        soft_max=10.0,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, "Select joints, or bodies that one joint carries each")

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("control", "angle", "distance", "response", "limited"):
            layout.prop(self, name)
        if self.limited:
            layout.prop(self, "strength")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        strength = self.strength if self.limited else 0.0
        wishes = motors.Wishes(self.control, self.angle, self.distance, self.response, strength)
        made = motors.add_motor(context, readiness.in_order(context), wishes)
        text = f"Added a motor to {make_mechanism.listed([joint.name for joint in made.joints])}"
        if made.animated:
            verb = "was Animated and is" if len(made.animated) == 1 else "were Animated and are"
            text += f"; {make_mechanism.listed([joint.name for joint in made.animated])} {verb} Simulated now"
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_add_drive(bpy.types.Operator):
    """Let one slider move all selected joints, or the active joint all others. Only what moves them can be moved freely
    from then on"""

    bl_idname = "redmax.add_drive"
    bl_label = "Add Drive"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.EnumProperty(
        name="Moved By",
        description="What moves the joints",
        items=[
            ("SLIDER", "Slider", "A number of the drive's own, which you key in its panel", 0),
            ("ACTIVE", "Active Joint", "The active joint moves the others", 1),
        ],
    )
    travel: bpy.props.EnumProperty(
        name="Travel",
        description="How far each joint moves",
        items=[
            ("EQUAL", "Equal", "All of them by the same ratio, from where they stand", 0),
            ("LIMITS", "Limits", "From the lower limit where the slider is 0 to the upper one where it is 1", 1),
        ],
    )
    ratio: bpy.props.FloatProperty(
        name="Ratio", description="Motion of each joint for each motion of what moves it", default=1.0, precision=4
    )
    alternate: bpy.props.BoolProperty(name="Alternate", description="Every second joint, by name, goes the other way")
    amount: bpy.props.FloatProperty(
        name="Key To",
        description="Value of the slider that keys reach at the last frame; 0 for no keys",
        default=0.0,
        soft_min=-3.2,
        soft_max=3.2,
        precision=3,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, "Select the joints that it moves, or their bodies")

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "source")
        layout.prop(self, "travel")
        if self.travel == "EQUAL":
            layout.prop(self, "ratio")
        layout.prop(self, "alternate")
        if self.source == "SLIDER":
            layout.prop(self, "amount")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = drives.Wishes(self.source, self.travel, self.ratio, self.alternate, self.amount)
        drive = drives.add_drive(context, readiness.in_order(context), wishes)
        show(context, drive)
        count = len(drive.redmax.drive.followers)
        self.report({"INFO"}, f"Added '{drive.name}', which moves {count} joint{'s' * (count != 1)}")
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_gear,
    REDMAX_OT_add_belt,
    REDMAX_OT_add_rack,
    REDMAX_OT_add_mimic,
    REDMAX_OT_add_motor,
    REDMAX_OT_add_drive,
)
