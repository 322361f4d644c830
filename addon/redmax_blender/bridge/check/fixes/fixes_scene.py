# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about a result and about the scene as a whole."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.findings import refuse
from ...objects.editable import require_editable

HIGH = "HIGH"


def go_to_frame(context: bpy.types.Context) -> str:
    result = context.scene.redmax.result
    if not result.identifier:
        raise refuse("", "There is no result to go to", "Simulate first")
    context.scene.frame_set(result.frame_end)
    return f"Frame {result.frame_end} is the last that was computed"


def accuracy_high(context: bpy.types.Context) -> str:
    settings = context.scene.redmax
    if settings.accuracy == HIGH:
        hint = "look for joints without damping, very light bodies or stiff springs where it stopped"
        raise refuse("", "Accuracy is High already", hint)
    settings.accuracy = HIGH
    return "Accuracy is High; Simulate again"


def enable(context: bpy.types.Context) -> str:
    """Switch every mechanism on."""
    bodies = [obj for obj in context.scene.objects if obj.redmax.is_body and not obj.redmax.mechanism.enabled]
    require_editable(bodies)
    for obj in bodies:
        obj.redmax.mechanism.enabled = True
        obj.update_tag()
    return f"Switched on {', '.join(repr(obj.name) for obj in bodies)}" if bodies else "All mechanisms are on"


def ignore_contact(context: bpy.types.Context) -> str:
    context.scene.redmax.ignore_contact = True
    return "Bodies may pass through each other"


def remove_rigid_body(context: bpy.types.Context, obj: bpy.types.Object) -> str:
    """Blender's own operator: it keeps the rigid-body world's collections in order."""
    require_editable([obj])
    if obj.rigid_body is None:
        raise refuse(f"'{obj.name}'", "is no rigid body of Blender's", "press Check again")
    within: Any = context.temp_override(object=obj, active_object=obj, selected_objects=[obj])
    with within:
        bpy.ops.rigidbody.object_remove()
    return f"'{obj.name}' is no rigid body of Blender's any more"


OF_SCENES = {
    "GO_TO_FRAME": go_to_frame,
    "ACCURACY_HIGH": accuracy_high,
    "ENABLE": enable,
    "IGNORE": ignore_contact,
}
OF_OBJECTS = {"REMOVE_RIGID_BODY": remove_rigid_body}
