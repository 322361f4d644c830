# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground, camera and light for Blender's Workbench, which also draws where there is no graphics card."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from .modelling import linear

GROUND, MARKS, SKY = "#d3d9df", "#ffffff", "#d7e3ee"
EXPOSURE = 1.1
"""Workbench's studio light is dim for a scene in the open."""


def build(scene: bpy.types.Scene, *, reach: float, look_from: Any, look_at: Any, lens: float) -> None:
    """The ground with rings around the mast as far as the jib reaches, the camera and the light."""
    collection = bpy.data.collections.new("Stage")
    scene.collection.children.link(collection)
    collection.objects.link(_disc("Ground", GROUND, 0.0, 300.0, -0.02))
    for k, radius in enumerate(np.linspace(reach / 3.0, reach, 3)):
        collection.objects.link(_disc(f"Ring {k + 1}", MARKS, radius - 0.04, radius + 0.04, -0.01))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = lens
    camera.location = look_from
    camera.rotation_euler = (Vector(look_at) - Vector(look_from)).to_track_quat("-Z", "Y").to_euler()
    collection.objects.link(camera)
    scene.camera = camera
    _light(scene)


def _disc(name: str, code: str, inner: float, outer: float, z: float) -> bpy.types.Object:
    """A flat ring, or a full disc where the inner radius is zero."""
    turn = np.linspace(0.0, 2.0 * np.pi, 128, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    height = np.array([0.0, 0.0, z])
    mesh = bpy.data.meshes.new(name)
    n = len(turn)
    if inner == 0.0:
        mesh.from_pydata((outer * circle + height).tolist(), [], [tuple(range(n))])
    else:
        quads = [(k, n + k, n + (k + 1) % n, (k + 1) % n) for k in range(n)]
        mesh.from_pydata(np.concatenate([inner * circle + height, outer * circle + height]).tolist(), [], quads)
    material = bpy.data.materials.new(name)
    material.diffuse_color = linear(code)
    mesh.materials.append(material)
    return bpy.data.objects.new(name, mesh)


def _light(scene: bpy.types.Scene) -> None:
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = EXPOSURE
    scene.render.dither_intensity = 0.0  # its noise is all that a film of a plain ground would spend its bits on
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.color = [light / 2.0**EXPOSURE for light in linear(SKY)[:3]]
    # To the right, upwards, and towards the viewer: from the upper left in front.
    scene.display.light_direction = Vector((-0.45, 0.75, 0.5)).normalized()
    shading = scene.display.shading
    shading.light, shading.studio_light = "STUDIO", "Default"
    shading.color_type = "MATERIAL"
    shading.background_type = "WORLD"
    shading.show_shadows, shading.shadow_intensity = True, 0.45
    shading.show_cavity, shading.cavity_type = True, "BOTH"
    shading.show_specular_highlight = True
