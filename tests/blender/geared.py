# SPDX-License-Identifier: GPL-3.0-or-later
"""Small mechanisms with a spring and with a gear, made as an artist makes them: by selecting and pressing a button."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from swinging import box

from redmax_blender.bridge.authoring import build
from redmax_blender.bridge.extract.extraction import Extraction, extract

MASS = 8.0
"""Of the bob of `sprung` [kg]: a cube of 0.2 m with the density of water."""


def select(*objects: bpy.types.Object) -> None:
    """Select some objects, the last one active."""
    bpy.context.view_layer.update()
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


def extracted() -> Extraction:
    return extract(bpy.context.scene, bpy.context.view_layer)


def texts() -> list[str]:
    """What Check would say."""
    return [finding.text for finding in extracted().findings]


def sprung(**options: Any) -> bpy.types.Object:
    """A bob on a spring of 2 Hz, one metre below a locked anchor; the spring."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24
    anchor, bob = box("Anchor", (0.0, 0.0, 2.0), (0.2, 0.2, 0.2)), box("Bob", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    anchor.redmax.body.root = "LOCKED"
    select(anchor, bob)
    assert bpy.ops.redmax.add_spring(**options) == {"FINISHED"}
    return bpy.context.object


def wheel(name: str, x: float, radius: float, breadth: float = 0.1) -> bpy.types.Object:
    """A wheel with its axis along the world's z."""
    corners = [
        (radius * math.cos(a), radius * math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    ]
    points = [(px, py, z) for z in (-0.5 * breadth, 0.5 * breadth) for px, py in corners]
    count = len(corners)
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], [*sides, tuple(reversed(range(count))), tuple(range(count, 2 * count))])
    obj = bpy.data.objects.new(name, mesh)
    obj.location = (x, 0.0, 0.0)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def geared(**options: Any) -> bpy.types.Object:
    """Two wheels of 0.2 and 0.4 m on hinges in the world, and the gear between them; the small one leads."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 13, 24
    small, large = wheel("Small", 0.0, 0.2), wheel("Large", 0.6, 0.4)
    bpy.context.view_layer.update()
    for obj in (small, large):
        build.connect(bpy.context, None, obj, name=f"{obj.name} Hinge", frame=np.array(obj.matrix_world))
    select(bpy.data.objects["Small Hinge"], bpy.data.objects["Large Hinge"])
    assert bpy.ops.redmax.add_gear(**options) == {"FINISHED"}
    return bpy.context.object


def rod(name: str = "Rod", at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    return box(name, at, (0.4, 0.1, 0.1))


def empty(name: str, at: tuple[float, float, float]) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, None)
    obj.location = at
    bpy.context.scene.collection.objects.link(obj)
    return obj
