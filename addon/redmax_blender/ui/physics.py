# SPDX-License-Identifier: GPL-3.0-or-later
"""The Physics tab: what all panels there share, and the buttons beside Blender's own kinds of physics."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ..properties import sorts

BODY_ICON: Any = "PHYSICS"
JOINT_ICON: Any = "CON_PIVOT"
SURFACE_ICON: Any = "MOD_PHYSICS"


class PhysicsPanel:
    """Where a panel of the Physics tab belongs."""

    bl_space_type: ClassVar[Any] = "PROPERTIES"
    bl_region_type: ClassVar[Any] = "WINDOW"
    bl_context = "physics"


def draw_buttons(panel: Any, context: Any) -> None:
    """Body, Joint and Surface of RedMax in columns as Blender's own buttons above them; a body is no joint."""
    obj = context.object
    if obj is None:
        return
    flow = panel.layout.grid_flow(row_major=True, columns=0, even_columns=True, even_rows=False, align=True)
    element = obj.redmax
    if element.is_body:
        flow.column().operator("redmax.remove_body", text="RedMax Body", icon="X")
    elif not element.is_joint:
        flow.column().operator("redmax.add_body", text="RedMax Body", icon=BODY_ICON)
    if element.is_joint:
        flow.column().operator("redmax.remove_joint", text="RedMax Joint", icon="X").keep_empty = True
    elif not element.is_body:
        flow.column().prop(element, "is_joint", toggle=True, icon=JOINT_ICON)
    if element.is_surface:
        flow.column().operator("redmax.remove_surface", text="RedMax Surface", icon="X")
    elif not element.is_joint:
        flow.column().operator("redmax.add_surface", text="RedMax Surface", icon=SURFACE_ICON)
    for sort in sorts.generated_sorts(element):
        flow.column().operator("redmax.remove_element", text=f"RedMax {sort.title}", icon="X").keep_empty = True


APPENDED = ((bpy.types.PHYSICS_PT_add, draw_buttons),)
