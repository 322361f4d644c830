# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator that adds an element, with a small mechanism to press its button in; batteries run over MAKERS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy
import geared
import numpy as np
from geared import select
from swinging import box, hinge

from redmax_blender.bridge.authoring import build

Object = bpy.types.Object


class Intent(NamedTuple):
    """make: builds a mechanism, presses the button and returns the new element. ends: names of what it refers to as
    bodies and joints. listed: the list of the engine's scene it is in. kind: in its registry, if there is one. field: a
    number of it that an artist may edit."""

    make: Callable[..., Object]
    ends: tuple[str | None, ...]
    listed: str
    kind: str
    field: str


def press(name: str, *objects: Object, **options: Any) -> Object:
    """Select some objects, the last one active, and press a button; the active object after that."""
    select(*objects)
    assert getattr(bpy.ops.redmax, name)(**options) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.object


def anchored() -> tuple[Object, Object]:
    """A locked anchor and a bob of 8 kg one metre below it."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 7, 24
    anchor, bob = box("Anchor", (0.0, 0.0, 2.0), (0.2, 0.2, 0.2)), box("Bob", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    anchor.redmax.body.root = "LOCKED"
    return anchor, bob


def between(name: str, **preset: Any) -> Callable[..., Object]:
    def make(**options: Any) -> Object:
        return press(name, *anchored(), **{**preset, **options})

    return make


def on_bob(name: str) -> Callable[..., Object]:
    def make(**options: Any) -> Object:
        return press(name, anchored()[1], **options)

    return make


def wheels() -> tuple[Object, Object]:
    """Wheels of 0.2 and 0.4 m on hinges in the world along z."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 7, 24
    for name, x, radius in (("Small", 0.0, 0.2), ("Large", 0.6, 0.4)):
        obj = geared.wheel(name, x, radius)
        bpy.context.view_layer.update()
        build.connect(bpy.context, None, obj, name=f"{name} Hinge", frame=np.array(obj.matrix_world))
    return bpy.data.objects["Small Hinge"], bpy.data.objects["Large Hinge"]


def coupled(name: str, **preset: Any) -> Callable[..., Object]:
    def make(**options: Any) -> Object:
        leader, follower = wheels()
        leader.redmax.joint.torque_1 = 0.3
        return press(name, leader, follower, **{**preset, **options})

    return make


def racked(**options: Any) -> Object:
    """The small wheel moves the large one, which slides along -y instead of turning."""
    leader, rack = wheels()
    rack.redmax.joint.kind = "prismatic"
    rack.rotation_euler = (np.pi / 2.0, 0.0, 0.0)
    leader.redmax.joint.torque_1 = 0.3
    return press("add_rack", leader, rack, **options)


def driven(**options: Any) -> Object:
    return press("add_drive", *wheels(), **{"amount": 1.0, **options})


def post_and_arm() -> Object:
    """A level arm of 10 kg and one metre on a hinge along y; the hinge."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24
    post, arm = box("Post", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)), box("Arm", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1))
    post.redmax.body.root = "LOCKED"
    return hinge("Pin", post, arm, (0.0, 0.0, 0.0))


BOTH, HINGES = ("Anchor", "Bob"), ("Small Hinge", "Large Hinge")

MAKERS: dict[str, Intent] = {
    "add_spring": Intent(between("add_spring"), BOTH, "forces", "spring_damper", "stiffness"),
    "add_damper": Intent(between("add_damper"), BOTH, "forces", "spring_damper", "damping"),
    "add_cable": Intent(between("add_cable"), BOTH[::-1], "forces", "cable", "stiffness"),
    "add_muscle": Intent(between("add_muscle"), BOTH[::-1], "forces", "multi_point_muscle", "peak_force"),
    "add_strand": Intent(between("add_strand", segments=3, stretch=0.1), BOTH[::-1], "strands", "", "stiffness"),
    "add_gear": Intent(coupled("add_gear"), HINGES, "constraints", "coupling", "ratio"),
    "add_belt": Intent(coupled("add_belt"), HINGES, "constraints", "coupling", "ratio"),
    "add_rack": Intent(racked, HINGES, "constraints", "coupling", "ratio"),
    "add_mimic": Intent(coupled("add_mimic", ratio=-2.0), HINGES, "constraints", "coupling", "ratio"),
    "add_drive": Intent(driven, (None, *HINGES), "drives", "", ""),
    "add_force": Intent(on_bob("add_force"), ("Bob",), "forces", "point_force", "force"),
    "add_drag": Intent(on_bob("add_drag"), ("Bob",), "forces", "drag", "area"),
    "pin_to_world": Intent(on_bob("pin_to_world"), ("Bob", None), "constraints", "pin", ""),
}
"""By operator. Motors are a part of their joint and no element."""
