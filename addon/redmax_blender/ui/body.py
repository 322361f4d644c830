# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics tab: the panels of a body."""

from typing import Any

import bpy

from ..properties import body as body_properties
from . import generated, presets, results, text_lines
from .physics import PhysicsPanel

BY_DENSITY, BY_INERTIA = "DENSITY", "INERTIA"
FREE = "FREE"


class BodyPanel(PhysicsPanel):
    """Shown for an object that is a body."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.redmax.is_body


def mass_text(body: Any, scene: Any) -> str:
    """The mass that was found, such as '3.2 kg'; empty while it is not known."""
    if body.measured_mass < 0.0:
        return ""
    units = scene.unit_settings
    # Blender stores a mass divided by the third power of the unit scale, which counts where there are units at all.
    kilograms = body.measured_mass * (units.scale_length**3 if units.system != "NONE" else 1.0)
    system = "METRIC" if units.system == "NONE" else units.system
    return str(bpy.utils.units.to_string(system, "MASS", kilograms, precision=4))


class REDMAX_PT_body(BodyPanel, bpy.types.Panel):
    bl_label = "RedMax Body"

    def draw(self, _context: Any) -> None:
        """What may act on it; its own settings are in sub-panels."""
        self.layout.menu("REDMAX_MT_elements", icon="FORCE_HARMONIC")


class REDMAX_PT_body_mass(BodyPanel, bpy.types.Panel):
    bl_label = "Mass"
    bl_parent_id = "REDMAX_PT_body"

    def draw_header_preset(self, context: Any) -> None:
        row = self.layout.row()
        row.alignment = "RIGHT"
        row.label(text=mass_text(context.object.redmax.body, context.scene))

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        body = context.object.redmax.body
        sources = layout.row()
        sources.use_property_split = False  # three words need the whole width
        sources.prop(body, "mass_source", expand=True)
        if body.mass_source == BY_DENSITY:
            column = layout.column()
            material = body.bl_rna.properties["material"].enum_items[body.material]
            split = column.split(factor=0.4)
            split.use_property_split = False
            label = split.row()
            label.alignment = "RIGHT"
            label.label(text="Material")
            presets.REDMAX_PT_material_presets.draw_menu(split, text=material.name)
            column.prop(body, "density")
        else:
            layout.prop(body, "mass")
        if body.mass_source == BY_INERTIA:
            layout.column(align=True).prop(body, "moments", text="Moments")
            products = layout.column(align=True)
            for index, axes in enumerate(("XY", "XZ", "YZ")):
                products.prop(body, "products", index=index, text=f"Product {axes}")
            faint = layout.column()
            faint.active = False
            text_lines.draw_text(faint, context, "Moments and products in kg m\u00b2, about the center of mass")


class REDMAX_PT_body_shape(BodyPanel, bpy.types.Panel):
    bl_label = "Shape"
    bl_parent_id = "REDMAX_PT_body"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        body = context.object.redmax.body
        layout.prop(body, "shape")
        if body.shape in body_properties.SHAPE_GROUPS:
            generated.draw_group(layout, getattr(body, body.shape))


class REDMAX_PT_body_root(BodyPanel, bpy.types.Panel):
    bl_label = "Without a Joint"
    bl_parent_id = "REDMAX_PT_body"

    def draw(self, context: Any) -> None:
        body = context.object.redmax.body
        self.layout.row().prop(body, "root", expand=True)
        if body.root == FREE:
            self.layout.prop(body, "keep_free")


class REDMAX_PT_body_velocity(BodyPanel, bpy.types.Panel):
    bl_label = "Start Velocity"
    bl_parent_id = "REDMAX_PT_body_root"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and context.object.redmax.body.root == FREE

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        body = context.object.redmax.body
        layout.prop(body, "velocity")
        layout.prop(body, "spin")


class REDMAX_PT_body_dynamics(BodyPanel, bpy.types.Panel):
    bl_label = "Dynamics"
    bl_parent_id = "REDMAX_PT_body"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(context.object.redmax.body, "damping")


class REDMAX_PT_body_results(BodyPanel, bpy.types.Panel):
    bl_label = "Results"
    bl_parent_id = "REDMAX_PT_body"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and bool(results.channels(context.object))

    def draw(self, context: Any) -> None:
        self.layout.use_property_split = True
        results.draw_channels(self.layout, context.object)


CLASSES = (
    REDMAX_PT_body,
    REDMAX_PT_body_mass,
    REDMAX_PT_body_shape,
    REDMAX_PT_body_root,
    REDMAX_PT_body_velocity,
    REDMAX_PT_body_dynamics,
    REDMAX_PT_body_results,
)
