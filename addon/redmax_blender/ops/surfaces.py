# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on surfaces: Add Surface, Remove Surface, Add Ground."""

from typing import Any

import bpy

from .._engine import fields
from .._engine import surfaces as engine_surfaces
from ..bridge.authoring import make_mechanism, surfaces
from ..bridge.objects import units
from ..properties import surface as surface_properties
from . import readiness
from .elements import show

GROUND = 20.0
"""Size of what is shown of a new ground [m]."""

KEEP = "KEEP"

PAIRED = 2
"""Surfaces that a pair is of."""

PAIR = fields.specs(engine_surfaces.SurfacePair)


class REDMAX_OT_add_surface(bpy.types.Operator):
    """Let the selected objects touch others. A shape is fitted to each: to the surface of the body that it belongs to,
    or to scenery where no body is above it"""

    bl_idname = "redmax.add_surface"
    bl_label = "Add Surface"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Shape",
        description="Shape with which the objects touch",
        items=[
            (surfaces.AUTOMATIC, "Automatic", "The tightest simple shape, else the hull; scenery keeps its dents", 0),
            *surface_properties.kind_items(),
        ],
        default=surfaces.AUTOMATIC,
    )
    material: bpy.props.EnumProperty(
        name="Material",
        description="What the surfaces are made of; sets friction and bounce",
        items=[
            (KEEP, "As It Is", "Friction and bounce stay what they are", -1),
            *surface_properties.MATERIAL_ITEMS[1:],
        ],
        default=KEEP,
    )
    with_parts: bpy.props.BoolProperty(
        name="With Parts", description="Meshes that are parts of a selected body get surfaces, too", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not any(surfaces.may_be_surface(obj) for obj in readiness.targets(context)):
            cls.poll_message_set("Select meshes, or empties as large as the shape")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        material = "" if self.material == KEEP else self.material
        wishes = surfaces.Wishes(self.kind, material, self.with_parts)
        made = surfaces.add(context, readiness.targets(context), wishes)
        self.report({"INFO"}, told(made))
        return {"FINISHED"}


def told(made: list[bpy.types.Object]) -> str:
    """ "'Crate' touches as a box", or how many there are of each shape; and which of them are scenery."""
    labels = {item[0]: item[1].lower() for item in surface_properties.kind_items()}
    still = sum(surfaces.is_scenery(obj) for obj in made)
    if len(made) == 1:
        scenery = "; it is scenery, as no body is above it" if still else ""
        return f"'{made[0].name}' touches as {surface_properties.called(made[0].redmax.surface.kind)}{scenery}"
    shapes: dict[str, int] = {}
    for obj in made:
        label = labels[obj.redmax.surface.kind]
        shapes[label] = shapes.get(label, 0) + 1
    counted = ", ".join(f"{count} {label}" for label, count in shapes.items())
    which = "all" if still == len(made) else str(still)
    scenery = f"; {which} of them scenery (Add Body lets them move)" if still else ""
    return f"{len(made)} surfaces: {counted}{scenery}"


class REDMAX_OT_remove_surface(bpy.types.Operator):
    """Let the selected objects touch nothing any more"""

    bl_idname = "redmax.remove_surface"
    bl_label = "Remove Surface"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not _surfaces(context):
            cls.poll_message_set("Select a surface first")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        objects = _surfaces(context)
        surfaces.remove(objects)
        self.report({"INFO"}, f"No longer a surface: {make_mechanism.listed([obj.name for obj in objects])}")
        return {"FINISHED"}


def _surfaces(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in readiness.targets(context) if obj.redmax.is_surface]


class REDMAX_OT_add_ground(bpy.types.Operator):
    """Add a ground without end: below what is selected, or at the 3D cursor"""

    bl_idname = "redmax.add_ground"
    bl_label = "Add Ground"
    bl_options = {"REGISTER", "UNDO"}

    size: bpy.props.FloatProperty(
        name="Size",
        description="Size of what is shown of the ground; it goes on beyond",
        default=GROUND,
        min=1e-6,
        max=1e10,
        soft_max=1e4,
        unit="LENGTH",
    )
    material: bpy.props.EnumProperty(
        name="Material",
        description="What the ground is made of; sets friction and bounce",
        items=surface_properties.MATERIAL_ITEMS,
        default=surface_properties.CUSTOM,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit(cls, context)

    @readiness.building
    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        if not self.properties.is_property_set("size"):
            self.size = GROUND / units.metres_per_unit(context.scene)
        ground = surfaces.add_ground(context, list(context.selected_objects), self.size)
        ground.redmax.surface.material = self.material
        show(context, ground)
        self.report({"INFO"}, f"Added '{ground.name}'")
        return {"FINISHED"}


class REDMAX_OT_add_surface_pair(bpy.types.Operator):
    """Give two selected surfaces a friction and a bounce of their own, instead of what their materials give together"""

    bl_idname = "redmax.add_surface_pair"
    bl_label = "Add Surface Pair"
    bl_options = {"REGISTER", "UNDO"}

    friction: bpy.props.FloatProperty(name="Friction", description=PAIR["friction"].plain, default=0.5, min=0.0)
    bounce: bpy.props.FloatProperty(
        name="Bounce", description=PAIR["bounce"].plain, default=0.0, min=0.0, max=1.0, subtype="FACTOR"
    )
    whole_groups: bpy.props.BoolProperty(
        name="Whole Groups", description="It holds for every two surfaces of the groups of these two"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if len(_surfaces(context)) != PAIRED:
            cls.poll_message_set("Select two surfaces")
            return False
        return True

    @readiness.building
    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        first, second = (obj for obj in readiness.in_order(context) if obj.redmax.is_surface)
        made = surfaces.add_pair(context, first, second)
        settings = made.redmax.surface_pair
        settings.use_friction = settings.use_bounce = True
        settings.friction, settings.bounce, settings.whole_groups = self.friction, self.bounce, self.whole_groups
        show(context, made)
        self.report({"INFO"}, f"Added '{made.name}'")
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_surface,
    REDMAX_OT_remove_surface,
    REDMAX_OT_add_ground,
    REDMAX_OT_add_surface_pair,
)
