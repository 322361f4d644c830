# SPDX-License-Identifier: GPL-3.0-or-later
"""A small mechanism for tests: a locked post and two arms that hang from it by hinges, in a short scene."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from redmax_blender.bridge.objects import joint_fits

BODIES = ("Post", "Upper", "Lower")
MOVING = ("Upper", "Lower")


def box(name: str, location: tuple[float, float, float], size: tuple[float, float, float]) -> bpy.types.Object:
    """A solid box with its origin in the middle."""
    x, y, z = (0.5 * side for side in size)
    corners = [(sx * x, sy * y, sz * z) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    bpy.context.scene.collection.objects.link(obj)
    obj.redmax.is_body = True
    return obj


def hinge(name: str, parent: Any, child: Any, location: tuple[float, float, float]) -> bpy.types.Object:
    """A hinge about the world's y axis."""
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = location
    empty.redmax.is_joint = True
    joint = empty.redmax.joint
    joint.kind, joint.parent, joint.child = "revolute", parent, child
    joint.revolute.axis = (0.0, 1.0, 0.0)
    return empty


def build(*, frames: tuple[int, int] = (1, 13)) -> bpy.types.Scene:
    """The mechanism in the open scene. The arms stick out, so they fall at once."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = frames
    scene.render.fps = 24
    post = box("Post", (0.0, 0.0, 1.0), (0.2, 0.2, 2.0))
    upper = box("Upper", (0.5, 0.0, 2.0), (1.0, 0.1, 0.1))
    lower = box("Lower", (1.5, 0.0, 2.0), (1.0, 0.1, 0.1))
    post.redmax.body.root = "LOCKED"
    joints = (hinge("Shoulder", post, upper, (0.0, 0.0, 2.0)), hinge("Elbow", upper, lower, (1.0, 0.0, 2.0)))
    scene.frame_set(scene.frame_start)
    for joint in joints:
        joint_fits.record_modelled(joint, bpy.context.evaluated_depsgraph_get())  # as Connect does
    return scene


def simulate() -> Any:
    """Simulate through the operator; the scene's result."""
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    return bpy.context.scene.redmax.result


def world(name: str) -> Any:
    """Where an object stands in the evaluated scene, (4, 4)."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world)


def channels(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Location and Euler angles that an object has now."""
    obj = bpy.data.objects[name]
    return tuple(obj.location), tuple(obj.rotation_euler)
