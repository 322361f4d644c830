# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches of what RedMax draws, in the viewport's own Overlays popover."""

from typing import Any, ClassVar

import bpy


class OverlayPanel:
    """Where a part of the Overlays popover belongs."""

    bl_space_type: ClassVar[Any] = "VIEW_3D"
    bl_region_type: ClassVar[Any] = "HEADER"
    bl_parent_id = "VIEW3D_PT_overlay"


class REDMAX_PT_overlays(OverlayPanel, bpy.types.Panel):
    bl_label = "RedMax"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.active = context.space_data.overlay.show_overlays
        layout.prop(context.scene.redmax, "show_joints")
        layout.prop(context.scene.redmax, "show_forces")
        layout.prop(context.scene.redmax, "show_contacts")
        split = layout.split(factor=0.3)
        split.label(text="Surfaces")
        split.row().prop(context.scene.redmax, "show_surfaces", expand=True)


CLASSES = (REDMAX_PT_overlays,)
