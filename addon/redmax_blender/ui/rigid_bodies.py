# SPDX-License-Identifier: GPL-3.0-or-later
"""Where somebody with a rigid body world looks: buttons in Blender's own panels, and what a conversion left out."""

from typing import Any

import bpy

from ..properties import rigid_bodies
from . import text_lines
from .scene import ScenePanel

CONVERT, BACK = "redmax.convert_rigid_bodies", "redmax.back_to_rigid_bodies"
CONVERT_ICON: Any = "LINKED"
BACK_ICON: Any = "LOOP_BACK"


class REDMAX_PT_world_rigid_bodies(ScenePanel, bpy.types.Panel):
    bl_label = "Rigid Bodies"
    bl_parent_id = "REDMAX_PT_world"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene.rigidbody_world is not None or rigid_bodies.has_converted(context.scene)

    def draw(self, context: Any) -> None:
        draw_buttons(self.layout, context)
        for line in rigid_bodies.lines(context.scene):
            text_lines.draw_text(self.layout, context, line, "DOT")


def draw_buttons(layout: Any, context: Any) -> None:
    column = layout.column(align=True)
    column.operator(CONVERT, icon=CONVERT_ICON)
    if rigid_bodies.has_converted(context.scene):
        column.operator(BACK, icon=BACK_ICON)


def draw_in_world(panel: Any, context: Any) -> None:
    """Below the settings of Blender's rigid body world."""
    if context.scene.rigidbody_world is not None:
        draw_buttons(panel.layout, context)


def draw_in_object(panel: Any, context: Any) -> None:
    """Below the settings of a rigid body or constraint: they do nothing while RedMax simulates it."""
    if context.object is not None and context.object.redmax.from_rigid_body != rigid_bodies.NONE:
        text_lines.draw_text(panel.layout, context, "RedMax simulates this; these settings wait", "INFO")
    draw_buttons(panel.layout, context)


CLASSES = (REDMAX_PT_world_rigid_bodies,)
APPENDED = tuple(
    (getattr(bpy.types, name), draw)
    for name, draw in (
        ("SCENE_PT_rigid_body_world", draw_in_world),
        ("PHYSICS_PT_rigid_body", draw_in_object),
        ("PHYSICS_PT_rigid_body_constraint", draw_in_object),
    )
)
