# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders each template for the docs, with Blender's Workbench: no display and no graphics card are needed.

    PYTHONPATH=engine:addon .venv-blender-4.5/bin/python tools/template_pictures.py docs/images

Runs in a Blender environment (bpy). Pictures are template_<name>.png.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

import redmax_blender
from redmax_blender.templates import TEMPLATES

SIZE = (480, 360)
DIRECTION = Vector((0.55, -1.0, 0.32))
"""From the mechanism to the camera, unless listed below."""

MARGIN = 1.08
"""How much larger than the mechanism the picture is."""

VIEWS = {
    "crane": Vector((1.0, -0.75, 0.28)),
    "robot_arm": Vector((0.9, -1.0, 0.42)),
    "chain": Vector((0.45, -1.0, 0.25)),
    "coaster": Vector((0.42, -1.0, 0.6)),
    "cable_car": Vector((0.25, -1.0, 0.16)),
    "bowl": Vector((0.35, -1.0, 0.75)),
    "cam": Vector((0.35, -1.0, 0.18)),
    "peaucellier": Vector((0.3, -1.0, 0.2)),
    "jansen_leg": Vector((0.35, -1.0, 0.2)),
    "jansen_walker": Vector((-0.62, -1.0, 0.28)),
    "gear_train": Vector((0.3, -1.0, 0.2)),
    "dominoes": Vector((0.3, -1.0, 0.75)),
    "cradle": Vector((0.55, -1.0, 0.3)),
    "wrecking_ball": Vector((0.9, -1.0, 0.4)),
    "dice": Vector((0.3, -1.0, 0.8)),
    "wheel": Vector((0.25, -1.0, 0.3)),
    "suspension": Vector((0.25, -1.0, 0.3)),
    "excavator": Vector((0.7, -1.0, 0.35)),
    "drawbridge": Vector((0.75, -1.0, 0.3)),
    "muscle_finger": Vector((0.35, -1.0, 0.25)),
    "marionette": Vector((0.25, -1.0, 0.2)),
    "driven_lift": Vector((0.6, -1.0, 0.35)),
    "belt_drive": Vector((0.3, -1.0, 0.3)),
    "gripper": Vector((0.35, -1.0, 0.22)),
    "tipping_crane": Vector((0.5, -1.0, 0.22)),
    "clutch": Vector((0.45, -1.0, 0.3)),
    "marble_run": Vector((0.2, -1.0, 0.42)),
    "windmill": Vector((0.35, -1.0, 0.15)),
    "knee": Vector((0.5, -1.0, 0.2)),
}


def vertices(objects: list[bpy.types.Object]) -> np.ndarray:
    """Vertices of all bodies in the world (n, 3)."""
    bpy.context.view_layer.update()
    found = []
    for obj in objects:
        if obj.redmax.is_body:
            points = np.empty(3 * len(obj.data.vertices), np.float32)
            obj.data.vertices.foreach_get("co", points)
            M = np.array(obj.matrix_world)
            found.append(points.reshape(-1, 3) @ M[:3, :3].T + M[:3, 3])
    return np.concatenate(found)


def add_camera(objects: list[bpy.types.Object], direction: Vector, aspect: float) -> None:
    """A camera that looks at all bodies from a direction and sees them as large as they fit."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    camera.data.lens = 60.0
    rotation = direction.to_track_quat("Z", "Y").to_matrix()
    points = vertices(objects) @ np.array(rotation)
    tangent = np.tan(0.5 * camera.data.angle) * np.array([1.0, 1.0 / aspect])
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    # A point is in the picture if it lies inside the camera's pyramid, whose tip is at this distance from the centre.
    away = np.abs(points - centre)[:, :2] * MARGIN / tangent + (points - centre)[:, 2:]
    distance = float(away.max())
    place = rotation @ Vector((*centre[:2], centre[2] + distance))
    camera.matrix_world = Matrix.Translation(place) @ rotation.to_4x4()
    camera.data.clip_start, camera.data.clip_end = 1e-3 * distance, 1e2 * distance


def set_up_render(path: Path, size: tuple[int, int]) -> None:
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.image_settings.compression = 100
    scene.render.filepath = str(path)
    scene.render.dither_intensity = 0.0  # noise would make the files five times as large
    scene.display.render_aa = "16"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_cavity, shading.cavity_type = True, "BOTH"
    shading.show_shadows, shading.shadow_intensity = True, 0.35
    shading.show_specular_highlight = True
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.50, 0.54, 0.58)
    scene.view_settings.view_transform = "Standard"


def picture(name: str, folder: Path, size: tuple[int, int] = SIZE) -> Path:
    """Build a template with its defaults in an empty file and render it."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    template = next(template for template in TEMPLATES if name == template.NAME)
    objects = template.build(bpy.context)
    add_camera(objects, VIEWS.get(name, DIRECTION), size[0] / size[1])
    path = folder / f"template_{name}.png"
    set_up_render(path, size)
    bpy.ops.render.render(write_still=True)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="templates to render, all if none is named")
    parser.add_argument("--size", type=int, nargs=2, default=SIZE, metavar=("WIDTH", "HEIGHT"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    redmax_blender.register()
    try:
        for name in options.names or [template.NAME for template in TEMPLATES]:
            path = picture(name, options.folder.resolve(), tuple(options.size))
            print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
    finally:
        redmax_blender.unregister()
    return 0


if __name__ == "__main__":
    sys.exit(main())
