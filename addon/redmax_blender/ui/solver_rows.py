# SPDX-License-Identifier: GPL-3.0-or-later
"""What panel 3 says of the solver: that it is being prepared, or that the full zip has a faster one."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import full_zip
from . import popovers, text_lines

FASTER = "10 to 100 times faster"


def draw(layout: bpy.types.UILayout, context: Any) -> None:
    """At most one of both: only the full zip has something to prepare."""
    state = context.window_manager.redmax
    if state.preparing >= 0.0:
        layout.progress(factor=state.preparing, text=f"Preparing the fast solver: {100.0 * state.preparing:.0f} %")
        text_lines.draw_text(layout, context, "Until then simulations run by numpy", "INFO")
    elif full_zip.wanted() and not full_zip.told(context):
        row = layout.row(align=True)
        row.popover(REDMAX_PT_full_zip.__name__, text=f"Full zip: {FASTER}", icon="INFO")
        row.operator("redmax.full_zip_told", text="", icon="X")


class REDMAX_PT_full_zip(popovers.Popover, bpy.types.Panel):
    """Opened by the line of panel 3, which has no room for it."""

    bl_label = "Full Zip"
    bl_description = "Which zip has the faster solver, and how to install it"
    bl_ui_units_x = 20

    def draw(self, _context: Any) -> None:
        column = self.layout.column(align=True)
        column.label(text=f"The full zip simulates {FASTER} than this slim one.")
        column.label(text="Download this file from the same release and drop it into Blender:")
        column.label(text=full_zip.wanted(), icon="FILE_ARCHIVE")
        column.label(text="It replaces this one; your files and settings stay.")


CLASSES = (REDMAX_PT_full_zip,)
