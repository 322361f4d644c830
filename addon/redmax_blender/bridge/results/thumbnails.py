# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of how a result ends, drawn by Workbench in a scene of their own that is gone afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..._engine import files, trajectory
from ..core.findings import refuse
from . import preview, shown

SIZE = (320, 200)
"""Width and height [px]."""

ROOM = 1.15
"""How much wider the picture is than what it shows."""

THIN = 0.35
"""A mechanism whose smallest extent is less than this part of its largest is seen from that side."""

DIRECTION = (0.55, -1.0, 0.45)
"""From where anything else is seen."""

ASIDE = 0.18
"""How far the view on a thin mechanism is turned, so that it has depth."""


def draw(scene: bpy.types.Scene, results: list[tuple[trajectory.Trajectory, Path]]) -> None:
    """A PNG of the last frame of each result; all from the scene's camera, or else from one place that sees them all.

    results: with the frames of their bodies (`result_frames.with_frames`), and where each picture goes. Nothing of
    the file is another afterwards. Raises BridgeError where Workbench cannot draw.
    """
    sources = [(shown.Recorded(result), result, path) for result, path in results]
    with _stage(scene, [result for _, result, _ in sources]) as stage:
        for source, result, path in sources:
            preview.begin_live(scene, source)
            try:
                preview.show_live(scene, source.extraction.frame_start + len(result) - 1)
                _render(stage, path)
            finally:
                preview.end_live()
    preview.show(scene)


@contextmanager
def _stage(scene: bpy.types.Scene, results: list[trajectory.Trajectory]) -> Iterator[bpy.types.Scene]:
    """A scene with the same objects, a camera and Workbench."""
    stage = bpy.data.scenes.new("RedMax Pictures")
    camera: Any = None
    data: Any = None
    try:
        preview.hide(stage)
        stage.unit_settings.scale_length = scene.unit_settings.scale_length
        stage.frame_current = scene.frame_current
        for obj in scene.objects:
            if not obj.hide_render:
                stage.collection.objects.link(obj)
        render, shading = stage.render, stage.display.shading
        render.engine = "BLENDER_WORKBENCH"
        render.resolution_x, render.resolution_y, render.resolution_percentage = *SIZE, 100
        render.image_settings.file_format = "PNG"
        render.use_file_extension = False
        shading.light, shading.color_type, shading.show_cavity = "STUDIO", "MATERIAL", True
        stage.camera = scene.camera if scene.camera is not None and not scene.camera.hide_render else None
        if stage.camera is None:
            data = bpy.data.cameras.new("RedMax Pictures")
            camera = bpy.data.objects.new("RedMax Pictures", data)
            stage.collection.objects.link(camera)
            _aim(camera, *_extent(scene, results))
            stage.camera = camera
        yield stage
    finally:
        bpy.data.scenes.remove(stage)
        if camera is not None:
            bpy.data.objects.remove(camera)
            bpy.data.cameras.remove(data)


def _extent(scene: bpy.types.Scene, results: list[trajectory.Trajectory]) -> tuple[Any, Any]:
    """Low and high corner [Blender units] of bodies as modelled and of where they are at the ends of results."""
    length = scene.unit_settings.scale_length
    bodies = [obj for obj in scene.objects if obj.redmax.is_body]
    parts = [child for obj in bodies for child in (obj, *obj.children_recursive)]
    corners = [obj.matrix_world @ Vector(corner) for obj in parts if obj.type == "MESH" for corner in obj.bound_box]
    points = [np.array(corners).reshape(-1, 3)]
    points += [result.position[-1] / length for result in results if len(result)]
    found = np.concatenate(points)
    found = found[np.isfinite(found).all(axis=1)]
    return (found.min(axis=0), found.max(axis=0)) if len(found) else (-np.ones(3), np.ones(3))


def _aim(camera: Any, low: Any, high: Any) -> None:
    """An orthographic view of a box."""
    extents = high - low
    size = max(float(np.linalg.norm(extents)), 1e-6)
    thin = int(extents.argmin())
    towards = Vector(DIRECTION)
    if extents[thin] < THIN * extents.max():
        towards = Vector((ASIDE, -ASIDE, ASIDE))
        towards[thin] = -1.0 if thin == 1 else 1.0
    rotation = towards.to_track_quat("Z", "Y").to_matrix()
    middle = Vector(0.5 * (low + high))
    corners = [Vector(np.where([k & 1, k & 2, k & 4], high, low)) - middle for k in range(8)]
    seen = np.array([rotation.transposed() @ corner for corner in corners])
    wide, tall = 2.0 * np.abs(seen[:, 0]).max(), 2.0 * np.abs(seen[:, 1]).max()
    data = camera.data
    data.type, data.sensor_fit = "ORTHO", "HORIZONTAL"
    data.ortho_scale = ROOM * max(wide, tall * SIZE[0] / SIZE[1], 1e-6)
    data.clip_start, data.clip_end = 1e-3 * size, 10.0 * size
    away = Matrix.Translation(middle + towards.normalized() * 3.0 * size)
    camera.matrix_world = away @ rotation.to_4x4()


def _render(stage: bpy.types.Scene, path: Path) -> None:
    try:
        with files.replacing(path) as partial:
            stage.render.filepath = str(partial)
            bpy.ops.render.render(write_still=True, scene=stage.name)
            if not math.prod(SIZE) or partial.stat().st_size == 0:
                raise refuse("", f"Workbench drew nothing into '{path}'", "look at the console")
    except (RuntimeError, OSError) as error:
        raise refuse(
            "", f"'{path}' cannot be drawn: {str(error).strip()}", "check the folder and the graphics"
        ) from None
