# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators that change a mechanism ask before they may run, and whom they act on."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import window_manager


def may_edit(cls: Any, context: bpy.types.Context) -> bool:
    """Object mode and no simulation running; says which of them keeps the button grey."""
    if context.mode != "OBJECT":
        cls.poll_message_set("Switch to Object Mode first")
        return False
    if window_manager.running(context):
        cls.poll_message_set("A simulation is running; press ESC to stop it")
        return False
    return True


def may_edit_joint(cls: Any, context: bpy.types.Context) -> bool:
    """The same, with a joint as the active object."""
    if not may_edit(cls, context):
        return False
    if context.object is None or not context.object.redmax.is_joint:
        cls.poll_message_set("Select a joint first")
        return False
    return True


def targets(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected objects; only the active one if its own panel was used without selecting it, or nothing is selected."""
    active, selected = context.object, list(context.selected_objects)
    own_panel = context.area is not None and context.area.type == "PROPERTIES"
    if active is not None and active not in selected and (own_panel or not selected):
        return [active]
    return selected
