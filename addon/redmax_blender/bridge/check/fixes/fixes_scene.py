# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about a result and about the scene as a whole."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.findings import refuse
from ...objects.editable import require_editable
from ...objects.named_objects import local_object

HIGH = "HIGH"

RESERVE = 1.5
"""What a motor gets that stalled, as a multiple of what it needed."""


def go_to_frame(context: bpy.types.Context) -> str:
    result = context.scene.redmax.result
    if not result.identifier:
        raise refuse("", "There is no result to go to", "Simulate first")
    context.scene.frame_set(result.frame_end)
    return f"Frame {result.frame_end} is the last that was computed"


def go_to_stall(context: bpy.types.Context) -> str:
    """The frame at which a motor stalled."""
    result, obj = context.scene.redmax.result, _stalled(context)
    context.scene.frame_set(result.stalled_frame)
    return f"The motor of '{obj.name}' stalls at frame {result.stalled_frame}"


def raise_motor(context: bpy.types.Context) -> str:
    """A motor that stalled gets half as much again as it needed, but never less than it had."""
    result, obj = context.scene.redmax.result, _stalled(context)
    require_editable([obj])
    settings: Any = obj.redmax.joint
    place, most = result.stalled_coordinate, settings.motor_maximum
    most[place] = max(most[place], float(f"{RESERVE * result.stalled_torque:.2g}"))
    return f"The motor of '{obj.name}' has up to {most[place]:.3g}; Simulate again"


def _stalled(context: bpy.types.Context) -> bpy.types.Object:
    obj = local_object(context.scene.redmax.result.stalled)
    if obj is None or not obj.redmax.is_joint:
        raise refuse("", "No motor has stalled in the last simulation", "Simulate again")
    return obj


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
    "GO_TO_STALL": go_to_stall,
    "RAISE_MOTOR": raise_motor,
    "ACCURACY_HIGH": accuracy_high,
    "ENABLE": enable,
    "IGNORE": ignore_contact,
}
OF_OBJECTS = {"REMOVE_RIGID_BODY": remove_rigid_body}
