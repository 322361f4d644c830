# SPDX-License-Identifier: GPL-3.0-or-later
"""What panel 3 says of the solver: that it is being prepared, or that the full zip has a faster one."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import full_zip
from . import text_lines

FASTER = "10 to 100 times faster"


def draw(layout: bpy.types.UILayout, context: Any) -> None:
    """At most one of both: only the full zip has something to prepare."""
    state = context.window_manager.redmax
    if state.preparing >= 0.0:
        layout.progress(factor=state.preparing, text=f"Preparing the fast solver: {100.0 * state.preparing:.0f} %")
        text = "Once for this computer. Simulations run by numpy until it is ready"
        text_lines.draw_text(layout, context, text, "INFO")
    elif full_zip.wanted() and not full_zip.told(context):
        heading = layout.row()
        heading.label(text=f"Full zip: {FASTER}", icon="INFO")
        heading.operator("redmax.full_zip_told", text="", icon="X", emboss=False)
        text = f"Install {full_zip.wanted()} of the same release over this one"
        text_lines.draw_text(layout, context, text, "BLANK1")
