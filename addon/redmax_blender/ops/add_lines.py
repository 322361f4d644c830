# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add what pulls along a line: Add Spring, Damper, Cable, Muscle and Strand."""

from typing import Any

import bpy

from ..bridge.authoring import paths, springs, strands
from ..bridge.objects import units
from ..properties.sorts import SORTS
from . import readiness
from .elements import show

ENDS = [
    ("ORIGINS", "Origins", "From origin to origin; of a single body to the 3D cursor", 0),
    ("CURSOR", "3D Cursor", "From the first body's origin to the 3D cursor on the second", 1),
    ("EMPTIES", "Empties", "At two empties that are selected too, and follow them when they are moved", 2),
]
ORDER = [
    ("SHORTEST", "Shortest", "The shortest line through all of them, from the active one if it is among them", 0),
    ("NAME", "Name", "In the order of their names: Eye 2 comes before Eye 10", 1),
]
SELECT_TWO = "Select two bodies first"
SELECT_POINTS = "Select bodies and empties that it runs through"


def _rest() -> bpy.props.FloatProperty:
    return bpy.props.FloatProperty(
        name="Rest Length",
        description="Length without tension as a part of the present one: below 1 it pulls from the start",
        default=1.0,
        min=0.01,
        soft_max=2.0,
        subtype="FACTOR",
    )


def _frequency(default: float) -> bpy.props.FloatProperty:
    return bpy.props.FloatProperty(
        name="Frequency",
        description="How often the bodies swing on it in a second [Hz]; the stiffness follows from what they weigh",
        default=default,
        min=1e-3,
        soft_max=50.0,
    )


def _damping(default: float) -> bpy.props.FloatProperty:
    return bpy.props.FloatProperty(
        name="Damping",
        description="As a part of the damping with which it no longer swings",
        default=default,
        min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
    )


def _shape(*, default: bool, what: str) -> bpy.props.BoolProperty:
    return bpy.props.BoolProperty(
        name="Visible Shape",
        description=f"Add {what} that follows it, in previews and in renders; give it a material as any other object",
        default=default,
    )


def _points(context: bpy.types.Context, order: Any) -> paths.Points:
    return paths.Points(list(context.selected_objects), context.object, order)


class REDMAX_OT_add_spring(bpy.types.Operator):
    """Add a spring with a damper between two selected bodies, or between one and the world at the 3D cursor"""

    bl_idname = "redmax.add_spring"
    bl_label = "Add Spring"
    bl_options = {"REGISTER", "UNDO"}

    ends: bpy.props.EnumProperty(name="Ends", description="Where the spring is fixed to the bodies", items=ENDS)
    rest: _rest()
    frequency: _frequency(2.0)
    damping: _damping(0.1)
    shape: _shape(default=False, what="a coil")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_TWO)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = springs.Wishes(self.ends, self.rest, self.frequency, self.damping, self.shape)
        spring = springs.add_spring(context, readiness.in_order(context), wishes)
        show(context, spring)
        stiffness = spring.redmax.force.spring_damper.stiffness
        self.report({"INFO"}, f"Added '{spring.name}' with {stiffness:.4g} N/m")
        return {"FINISHED"}


class REDMAX_OT_add_damper(bpy.types.Operator):
    """Add a damper between two selected bodies, or between one and the world at the 3D cursor: it takes speed out of
    the motion along its line and holds nothing"""

    bl_idname = "redmax.add_damper"
    bl_label = "Add Damper"
    bl_options = {"REGISTER", "UNDO"}

    ends: bpy.props.EnumProperty(name="Ends", description="Where the damper is fixed to the bodies", items=ENDS)
    slowing: bpy.props.FloatProperty(
        name="Slowing Time",
        description="Time in which the speed along it falls to about a third; the damping follows from what it slows",
        default=0.5,
        min=1e-4,
        soft_max=10.0,
        unit="TIME_ABSOLUTE",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_TWO)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        damper = springs.add_damper(context, readiness.in_order(context), self.ends, self.slowing)
        show(context, damper)
        damping = damper.redmax.force.spring_damper.damping
        self.report({"INFO"}, f"Added '{damper.name}' with {damping:.4g} N s/m")
        return {"FINISHED"}


class REDMAX_OT_add_cable(bpy.types.Operator):
    """Add a cable that runs without friction through the selected bodies and empties, and pulls only. Empties belong to
    the body that they are parented to or lie on, else to the world"""

    bl_idname = "redmax.add_cable"
    bl_label = "Add Cable"
    bl_options = {"REGISTER", "UNDO"}

    order: bpy.props.EnumProperty(name="Order", description="In which order it runs through its points", items=ORDER)
    rest: _rest()
    frequency: _frequency(10.0)
    damping: _damping(0.3)
    shape: _shape(default=True, what="a curve")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_POINTS)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = paths.CableWishes(self.rest, self.frequency, self.damping, self.shape)
        cable = paths.add_cable(context, _points(context, self.order), wishes)
        show(context, cable)
        settings = cable.redmax.force.cable
        text = f"Added '{cable.name}' through {len(settings.points)} points with {settings.stiffness:.4g} N/m"
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_add_muscle(bpy.types.Operator):
    """Add a muscle that runs through the selected bodies and empties and pulls as far as it is activated. Empties
    belong to the body that they are parented to or lie on, else to the world"""

    bl_idname = "redmax.add_muscle"
    bl_label = "Add Muscle"
    bl_options = {"REGISTER", "UNDO"}

    order: bpy.props.EnumProperty(name="Order", description="In which order it runs through its points", items=ORDER)
    strength: bpy.props.FloatProperty(
        name="Strength",
        description="Greatest force, in times of the weight of what it moves",
        default=5.0,
        min=1e-3,
        soft_max=50.0,
    )
    tendon: bpy.props.FloatProperty(
        name="Tendon",
        description="Part of the present length that is tendon, which does not stretch",
        default=0.3,
        min=0.0,
        max=0.95,
        subtype="FACTOR",
    )
    activation: bpy.props.FloatProperty(
        name="Activation",
        description="How much the muscle is told to pull",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    keyed: bpy.props.BoolProperty(
        name="Key Activation",
        description="Add keys with which it is relaxed at the first frame and contracts from there; edit them at will",
    )
    contracting: bpy.props.FloatProperty(
        name="Contracting Time",
        description="Time from the first to the second of these keys",
        default=0.5,
        min=0.01,
        soft_max=10.0,
        unit="TIME_ABSOLUTE",
    )
    shape: _shape(default=True, what="a curve")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, SELECT_POINTS)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("order", "strength", "tendon", "activation", "keyed"):
            layout.prop(self, name)
        if self.keyed:
            layout.prop(self, "contracting")
        layout.prop(self, "shape")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        time = self.contracting if self.keyed else 0.0
        wishes = paths.MuscleWishes(self.strength, self.tendon, self.activation, time, self.shape)
        muscle = paths.add_muscle(context, _points(context, self.order), wishes)
        show(context, muscle)
        settings = SORTS["force"].own_group(muscle.redmax.force)
        text = f"Added '{muscle.name}' through {len(settings.points)} points with up to {settings.peak_force:.4g} N"
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_add_strand(bpy.types.Operator):
    """Add a rope through the selected bodies and empties, or along the selected curve: masses and springs that swing,
    sag and go slack. With a single body it goes to the 3D cursor"""

    bl_idname = "redmax.add_strand"
    bl_label = "Add Strand"
    bl_options = {"REGISTER", "UNDO"}

    order: bpy.props.EnumProperty(name="Order", description="In which order it runs through its points", items=ORDER)
    segments: bpy.props.IntProperty(
        name="Segments", description="Pieces between its nodes", default=12, min=1, soft_max=60, max=400
    )
    density: bpy.props.FloatProperty(
        name="Mass per Length",
        description="Mass of each metre of the rope [kg/m]",
        default=0.2,
        min=1e-4,
        soft_max=10.0,
        precision=3,
    )
    slack: bpy.props.FloatProperty(
        name="Slack",
        description="Length without tension as a part of the present one: above 1 the rope sags",
        default=1.0,
        min=0.1,
        soft_max=3.0,
        subtype="FACTOR",
    )
    stretch: bpy.props.FloatProperty(
        name="Stretch",
        description="By which part it gets longer under the weight of what hangs on it; the stiffness follows",
        default=0.01,
        min=1e-4,
        soft_max=0.5,
        precision=3,
        subtype="FACTOR",
    )
    free_end: bpy.props.BoolProperty(name="Free End", description="Let the last end hang freely, fixed to nothing")
    shape: _shape(default=True, what="a curve")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        text = "Select bodies and empties between which it hangs, or a curve that it runs along"
        return readiness.may_use_selection(cls, context, text)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = strands.Wishes(self.segments, self.density, self.slack, self.stretch, self.free_end, self.shape)
        strand = strands.add_strand(context, _points(context, self.order), wishes)
        show(context, strand)
        settings = strand.redmax.strand
        mass = settings.mass * units.metres_per_unit(context.scene) ** 3
        text = f"Added '{strand.name}' with {len(settings.nodes)} nodes, {mass:.3g} kg"
        self.report({"INFO"}, text)
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_spring,
    REDMAX_OT_add_damper,
    REDMAX_OT_add_cable,
    REDMAX_OT_add_muscle,
    REDMAX_OT_add_strand,
)
