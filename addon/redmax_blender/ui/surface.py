# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics tab: the panels of a surface."""

from typing import Any

import bpy

from ..properties.surface import HEIGHTFIELD, HULL, MESH, PIECES
from . import results, text_lines
from .physics import PhysicsPanel

CELLS = 5
"""Groups in a row."""


class SurfacePanel(PhysicsPanel):
    """Shown for an object that is a surface."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.redmax.is_surface


def owner_text(obj: Any) -> str:
    """Whose surface an object is."""
    above = obj
    while above is not None and not above.redmax.is_body:
        above = above.parent
    if above is None:
        return "Scenery: no body is above it"
    return "Surface of this body" if above == obj else f"Surface of '{above.name}'"


def pairs_of(scene: Any, obj: Any) -> list[Any]:
    """Elements that say what a surface is like together with another."""
    having = (other for other in scene.objects if other.redmax.is_surface_pair)
    return [other for other in having if obj in (other.redmax.surface_pair.first, other.redmax.surface_pair.second)]


class REDMAX_PT_surface(SurfacePanel, bpy.types.Panel):
    bl_label = "RedMax Surface"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        surface = obj.redmax.surface
        layout.prop(surface, "kind")
        if surface.kind == HULL:
            layout.prop(surface, "corners")
        elif surface.kind == MESH:
            layout.prop(surface, "two_sided")
        elif surface.kind == HEIGHTFIELD:
            layout.prop(surface, "depth")
        elif surface.kind == PIECES:
            layout.prop(surface, "most_pieces")
            layout.prop(surface, "concavity")
            layout.prop(surface, "corners")
        if obj.parent is not None and not obj.redmax.is_body:
            layout.prop(surface, "only_touches")
        faint = layout.column()
        faint.active = False
        text_lines.draw_text(faint, context, owner_text(obj), "INFO")


class REDMAX_PT_surface_material(SurfacePanel, bpy.types.Panel):
    bl_label = "Material"
    bl_parent_id = "REDMAX_PT_surface"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        surface = context.object.redmax.surface
        layout.prop(surface, "material")
        layout.prop(surface, "friction")
        row = layout.row(align=True, heading="Sliding Friction")
        row.prop(surface, "use_kinetic_friction", text="")
        number = row.row(align=True)
        number.active = surface.use_kinetic_friction
        number.prop(surface, "kinetic_friction", text="")
        layout.prop(surface, "bounce")


class REDMAX_PT_surface_pairs(SurfacePanel, bpy.types.Panel):
    bl_label = "Together With"
    bl_parent_id = "REDMAX_PT_surface"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        column = layout.column(align=True)
        for pair in pairs_of(context.scene, context.object):
            row = column.row(align=True)
            row.operator("redmax.select_element", text=pair.name, icon="RESTRICT_SELECT_OFF").name = pair.name
            settings = pair.redmax.surface_pair
            number = row.row(align=True)
            number.active = settings.use_friction
            number.prop(settings, "friction")
        layout.operator("redmax.add_surface_pair", icon="ADD")


class REDMAX_PT_surface_more(SurfacePanel, bpy.types.Panel):
    bl_label = "Rolling, Conveyor"
    bl_parent_id = "REDMAX_PT_surface"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        surface = context.object.redmax.surface
        layout.prop(surface, "rolling_friction")
        layout.prop(surface, "torsional_friction")
        layout.prop(surface, "bounce_above")
        layout.prop(surface, "conveyor")


class REDMAX_PT_surface_groups(SurfacePanel, bpy.types.Panel):
    bl_label = "Touches"
    bl_parent_id = "REDMAX_PT_surface"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        surface = context.object.redmax.surface
        layout.prop(surface, "group")
        column = layout.column()
        column.use_property_split = False
        column.label(text="Groups It Touches")
        cells = column.grid_flow(row_major=True, columns=CELLS, even_columns=True, even_rows=True, align=True)
        for group in range(len(surface.touches)):
            cells.prop(surface, "touches", index=group, text=str(group), toggle=True)
        layout.prop(surface, "touches_neighbours")


class REDMAX_PT_surface_results(SurfacePanel, bpy.types.Panel):
    bl_label = "Results"
    bl_parent_id = "REDMAX_PT_surface"

    @classmethod
    def poll(cls, context: Any) -> bool:
        is_only_surface = super().poll(context) and not context.object.redmax.is_body  # a body's panel has them all
        return is_only_surface and bool(results.channels(context.object))

    def draw(self, context: Any) -> None:
        self.layout.use_property_split = True
        results.draw_channels(self.layout, context.object)


CLASSES = (
    REDMAX_PT_surface,
    REDMAX_PT_surface_material,
    REDMAX_PT_surface_pairs,
    REDMAX_PT_surface_more,
    REDMAX_PT_surface_groups,
    REDMAX_PT_surface_results,
)
