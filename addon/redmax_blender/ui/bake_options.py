# SPDX-License-Identifier: GPL-3.0-or-later
"""What Bake to Keyframes writes: the options of panel 4, with what is greyed out explained."""

from typing import Any

import bpy

from ..properties.scene import CHANNELS, has_ropes
from . import element_rows, text_lines


def draw_main(layout: bpy.types.UILayout, context: Any) -> None:
    """What is thought of at every bake: how many keys, and whether ropes are to have any."""
    settings = _settings(layout)
    _draw_keys(settings, context.scene.redmax.bake)
    if has_ropes(context.scene):
        settings.prop(context.scene.redmax.bake, "ropes")


def draw_more(layout: bpy.types.UILayout, context: Any) -> None:
    """Where to, which frames and objects, and how the motion goes on between and beyond keys."""
    options = context.scene.redmax.bake
    settings = _settings(layout)
    settings.prop(options, "target")
    _draw_range(settings, context, options)
    settings.prop(options, "selected_only")
    settings.prop(options, "tangents")
    _draw_loop(settings, context, options)


def draw_results(layout: bpy.types.UILayout, context: Any) -> None:
    """Which results become animated properties."""
    options = context.scene.redmax.bake
    column = _settings(layout).column(heading="Results", align=True)
    for name in CHANNELS:
        column.prop(options, name)
    observer = _settings(layout)
    observer.active = options.motion
    element_rows.draw_reference(observer, options, "seen_from", needed=False, empty="World")


def _settings(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def _draw_range(layout: bpy.types.UILayout, context: Any, options: Any) -> None:
    layout.prop(options, "range")
    scene = context.scene
    if options.range == "CUSTOM":
        column = layout.column(align=True)
        column.prop(options, "frame_start", text="Frame Start")
        column.prop(options, "frame_end", text="End")
        if options.frame_end < options.frame_start:
            text_lines.draw_text(layout, context, "The range is empty: its end is before its start", "ERROR")
    elif options.range == "PREVIEW" and not scene.use_preview_range:
        text_lines.draw_text(layout, context, "The scene has no preview range, so all frames are baked", "INFO")


def _draw_keys(layout: bpy.types.UILayout, options: Any) -> None:
    layout.prop(options, "keys")
    if options.keys == "FEWER":
        bound = layout.column(align=True)
        bound.prop(options, "max_distance", text="Within mm")
        bound.prop(options, "max_angle", text="Angle")
    elif options.keys == "EVERY_N":
        layout.prop(options, "every")


def _draw_loop(layout: bpy.types.UILayout, context: Any, options: Any) -> None:
    layout.prop(options, "loop")
    blend = layout.column()
    blend.active = options.loop
    blend.prop(options, "loop_frames")
    if options.loop and options.target == "CURRENT":
        text = "Where you have keys outside the range, they are kept and the loop is not repeated"
        text_lines.draw_text(layout, context, text, "INFO")
