# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of how a result ends, drawn by Workbench in a scene of their own that is gone afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..._engine import files, quaternion, trajectory
from ..core.findings import refuse
from ..extract import parts as parts_of
from ..objects import animated_values
from . import preview, result_frames

NAME = "RedMax Pictures"

BACKGROUND = (0.8, 0.8, 0.8)

DRAWN = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
"""Types of objects that have faces to draw."""

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


class _Part(NamedTuple):
    """A picture's own copy of a part of a body. M: where the part is in the body's frame with its scale, (4, 4)."""

    obj: Any
    body: str
    M: Any


def draw(scene: bpy.types.Scene, results: list[tuple[trajectory.Trajectory, Path]]) -> None:
    """A PNG of the last frame of each result; all from the scene's camera, or else from one place that sees them all.

    results: with the frames of their bodies (`result_frames.with_frames`), and where each picture goes. The artist's
    objects are not touched. Raises BridgeError where Workbench cannot draw.
    """
    if not results:
        return
    made: list[Any] = []
    try:
        stage, parts = _stage(scene, results[0][0], made)
        low, high = _extent(scene, parts, [result for result, _ in results])
        if stage.camera is None:
            camera = _made(
                made,
                bpy.data.objects,
                bpy.data.objects.new(NAME, _made(made, bpy.data.cameras, bpy.data.cameras.new(NAME))),
            )
            stage.collection.objects.link(camera)
            _aim(camera, low, high)
            stage.camera = camera
        with animated_values.unchanged(animated_values.all_animated(), lambda *_: False):
            for result, path in results:
                _pose(parts, result, scene.unit_settings.scale_length)
                _render(stage, path)
    finally:
        for collection, block in reversed(made):
            collection.remove(block)


def _made(made: list[Any], collection: Any, block: Any) -> Any:
    """Note what is to be removed again."""
    made.append((collection, block))
    return block


def _stage(scene: bpy.types.Scene, result: trajectory.Trajectory, made: list[Any]) -> tuple[Any, list[_Part]]:
    """A scene with copies of the bodies' parts, and with whatever else is rendered."""
    stage = _made(made, bpy.data.scenes, bpy.data.scenes.new(NAME))
    preview.hide(stage)
    stage.unit_settings.scale_length = scene.unit_settings.scale_length
    stage.frame_current = scene.frame_current
    render, shading = stage.render, stage.display.shading
    render.engine = "BLENDER_WORKBENCH"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *SIZE, 100
    render.image_settings.file_format = "PNG"
    render.use_file_extension = False
    render.image_settings.color_mode, render.image_settings.compression = "RGB", 90
    render.dither_intensity = 0.0  # noise would make files five times as large
    stage.world = _made(made, bpy.data.worlds, bpy.data.worlds.new(NAME))
    stage.world.color = BACKGROUND
    shading.light, shading.color_type, shading.show_cavity = "STUDIO", "MATERIAL", True
    depsgraph = bpy.context.evaluated_depsgraph_get()
    children = parts_of.children_of(scene)
    frames = {body.name: body for body in result_frames.stored_extraction(result).bodies}
    copier = _Copier(stage, depsgraph, made)
    found: list[_Part] = []
    moving: set[str] = set()
    for name, frame in frames.items():
        body: Any = scene.objects.get(name)
        if body is None:
            continue
        from_body = np.linalg.inv(np.array(body.evaluated_get(depsgraph).matrix_world))
        for part in parts_of.members_of(body, children):
            moving.add(part.name_full)
            if (copy := copier.copy(part)) is not None:
                M = frame.A @ from_body @ np.array(part.evaluated_get(depsgraph).matrix_world)
                found.append(_Part(copy, name, M))
    for obj in scene.objects:
        if obj.name_full not in moving and (copy := copier.copy(obj)) is not None:
            copy.matrix_world = obj.evaluated_get(depsgraph).matrix_world
    if scene.camera is not None and scene.camera.type == "CAMERA":
        seen = scene.camera.evaluated_get(depsgraph)
        data = _made(made, bpy.data.cameras, seen.data.copy())
        data.animation_data_clear()
        stage.camera = _made(made, bpy.data.objects, bpy.data.objects.new(NAME, data))
        stage.collection.objects.link(stage.camera)
        stage.camera.matrix_world = seen.matrix_world
    return stage, found


class _Copier:
    """Copies objects as they look, with nothing of theirs that is animated."""

    def __init__(self, stage: Any, depsgraph: bpy.types.Depsgraph, made: list[Any]) -> None:
        self._stage, self._depsgraph, self._made = stage, depsgraph, made
        self._colours: dict[tuple[float, ...], Any] = {}

    def copy(self, obj: Any) -> Any:
        """None for what is not rendered, or has no faces."""
        if obj.hide_render or obj.type not in DRAWN:
            return None
        seen = obj.evaluated_get(self._depsgraph)
        mesh = _made(self._made, bpy.data.meshes, bpy.data.meshes.new_from_object(seen, depsgraph=self._depsgraph))
        for index, material in enumerate(mesh.materials):
            mesh.materials[index] = self._plain(material)
        copy = _made(self._made, bpy.data.objects, bpy.data.objects.new(NAME, mesh))
        self._stage.collection.objects.link(copy)
        return copy

    def _plain(self, material: Any) -> Any:
        """A material that has only the colour of the viewport."""
        if material is None:
            return None
        colour = tuple(material.diffuse_color)
        if colour not in self._colours:
            plain = _made(self._made, bpy.data.materials, bpy.data.materials.new(NAME))
            plain.diffuse_color = colour
            plain.metallic, plain.roughness = material.metallic, material.roughness
            self._colours[colour] = plain
        return self._colours[colour]


def _pose(parts: list[_Part], result: trajectory.Trajectory, length: float) -> None:
    """Put the copies where a result ends."""
    where = {name: k for k, name in enumerate(result.body_names)}
    for part in parts:
        k = where.get(part.body)
        if k is not None:
            part.obj.matrix_world = Matrix((_end(result, k, length) @ part.M).tolist())


def _end(result: trajectory.Trajectory, k: int, length: float) -> Any:
    """Frame of a body at last, (4, 4) [Blender units]."""
    E = np.eye(4)
    E[:3, :3] = quaternion.to_matrix(result.rotation[-1, k])
    E[:3, 3] = result.position[-1, k] / length
    return E


def _extent(scene: bpy.types.Scene, parts: list[_Part], results: list[trajectory.Trajectory]) -> tuple[Any, Any]:
    """Low and high corner [Blender units] of all parts at the ends of all results."""
    length = scene.unit_settings.scale_length
    corners = {part.obj.name: np.c_[np.array(part.obj.bound_box), np.ones(8)] for part in parts}
    points = [np.zeros((0, 3))]
    for result in results:
        where = {name: k for k, name in enumerate(result.body_names)}
        ends = {name: _end(result, k, length) for name, k in where.items()}
        points += [(corners[p.obj.name] @ (ends[p.body] @ p.M).T)[:, :3] for p in parts if p.body in ends]
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
    corners = [Vector(np.where([k & 1, k & 2, k & 4], high, low).tolist()) - middle for k in range(8)]
    seen = np.array([rotation.transposed() @ corner for corner in corners])
    wide, tall = 2.0 * np.abs(seen[:, 0]).max(), 2.0 * np.abs(seen[:, 1]).max()
    data = camera.data
    data.type, data.sensor_fit = "ORTHO", "HORIZONTAL"
    data.ortho_scale = ROOM * max(wide, tall * SIZE[0] / SIZE[1], 1e-6)
    data.clip_start, data.clip_end = 1e-3 * size, 10.0 * size
    away = Matrix.Translation((middle + towards.normalized() * 3.0 * size)[:])
    camera.matrix_world = away @ rotation.to_4x4()


def _render(stage: bpy.types.Scene, path: Path) -> None:
    try:
        with files.replacing(path) as partial:
            stage.render.filepath = str(partial)
            bpy.ops.render.render(write_still=True, scene=stage.name)
            if partial.stat().st_size == 0:
                raise refuse("", f"Workbench drew nothing into '{path}'", "look at the console")
    except (RuntimeError, OSError) as error:
        raise refuse(
            "", f"'{path}' cannot be drawn: {str(error).strip()}", "check the folder and the graphics"
        ) from None
