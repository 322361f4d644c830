# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene tab: RedMax World."""

from typing import Any, ClassVar

import bpy

from ..properties import scene as scene_properties
from . import generated, presets, results


class ScenePanel:
    """Where a panel of the Scene tab belongs."""

    bl_space_type: ClassVar[Any] = "PROPERTIES"
    bl_region_type: ClassVar[Any] = "WINDOW"
    bl_context = "scene"


class REDMAX_PT_world(ScenePanel, bpy.types.Panel):
    bl_label = "RedMax World"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _context: Any) -> None:
        presets.draw_in_header(self.layout, presets.REDMAX_PT_accuracy_presets)

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(context.scene.redmax, "accuracy")
        draw_more(layout, context.scene)


def draw_more(layout: bpy.types.UILayout, scene: Any) -> None:
    """What is needed less often: the integrator with its settings where the accuracy is Custom, and the pre-roll."""
    settings = scene.redmax
    if settings.accuracy == scene_properties.CUSTOM:
        column = layout.column()
        column.prop(settings, "integrator")
        generated.draw_group(column, getattr(settings, settings.integrator))
    layout.prop(settings, "pre_roll")


class REDMAX_PT_world_gravity(ScenePanel, bpy.types.Panel):
    bl_label = "Gravity"
    bl_parent_id = "REDMAX_PT_world"

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.scene, "use_gravity", text="")

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.active = context.scene.use_gravity
        layout.prop(context.scene, "gravity")


class REDMAX_PT_world_range(ScenePanel, bpy.types.Panel):
    bl_label = "Custom Range"
    bl_parent_id = "REDMAX_PT_world"

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.scene.redmax, "use_range", text="")

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.scene.redmax
        layout.active = settings.use_range
        owner = settings if settings.use_range else context.scene
        column = layout.column(align=True)
        column.prop(owner, "frame_start", text="Frame Start")
        column.prop(owner, "frame_end", text="End")


class REDMAX_PT_world_results(ScenePanel, bpy.types.Panel):
    bl_label = "Results"
    bl_parent_id = "REDMAX_PT_world"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(results.channels(context.scene))

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        results.draw_channels(layout, context.scene)


CLASSES = (REDMAX_PT_world, REDMAX_PT_world_gravity, REDMAX_PT_world_range, REDMAX_PT_world_results)
