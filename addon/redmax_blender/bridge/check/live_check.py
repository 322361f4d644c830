# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what Check shows up to date while the artist works, as long as that is cheap; else says that it is old.

Nothing is checked unasked: the first Check or Simulate begins it, or the first operator that builds a mechanism.
"""

from __future__ import annotations

import bpy

from . import check_report


def note_change(scene: bpy.types.Scene | None) -> bool:
    """Something was edited: what is shown may be old. True if it is worth looking again soon."""
    state = bpy.context.window_manager.redmax
    if scene is None or scene != bpy.context.scene or not state.checked:
        return False
    if not state.outdated:
        state.outdated = True
    return may_look(scene)


def may_look(scene: bpy.types.Scene) -> bool:
    """Whether a look is wanted, and takes no time that the artist would notice."""
    return bool(scene.redmax.live_check) and scene.library is None and check_report.is_cheap()


def check(context: bpy.types.Context) -> bool:
    """Look again if something was edited since; True if that was done. For a timer."""
    state = context.window_manager.redmax
    if not (state.checked and state.outdated and may_look(context.scene)) or state.running:
        return False
    screen = context.screen
    if context.mode != "OBJECT" or (screen is not None and screen.is_animation_playing):
        return False
    check_report.keep_up(context)
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return True
