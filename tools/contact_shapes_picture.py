# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of convex pieces and a heightfield for the docs: what is modeled above, what touches below.

    PYTHONPATH=engine:addon .venv-blender-4.5/bin/python tools/contact_shapes_picture.py docs/images

Runs in a Blender environment (bpy) that has the wheel coacd. Writes contact_shapes.png.
"""

from __future__ import annotations

import argparse
import colorsys
import math
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent))
import redmax_blender
import template_pictures
from redmax.geometry.hull import hull_mesh_of_few
from redmax_blender.bridge.extract.extraction import extract

SIZE = (960, 540)
AROUND = 48
APART = 1.12
"""How far pieces are pulled apart, so that each is seen."""
BELOW = 2.9
CUP = [(0.0, 0.0), (0.45, 0.0), (0.75, 1.1), (0.62, 1.1), (0.36, 0.14), (0.0, 0.14)]
"""Radius and height of the outline of a cup [m]."""
MODELED = (0.62, 0.64, 0.67)


def made(name: str, vertices: Any, faces: Any, at: tuple[float, float, float]) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    data.from_pydata([tuple(map(float, v)) for v in vertices], [], [tuple(map(int, f)) for f in faces])
    data.update()
    obj = bpy.data.objects.new(name, data)
    obj.location = at
    bpy.context.scene.collection.objects.link(obj)
    return obj


def paint(obj: bpy.types.Object, color: tuple[float, float, float]) -> None:
    material = bpy.data.materials.new(obj.name)
    material.diffuse_color = (*color, 1.0)
    obj.data.materials.append(material)


def lathe(outline: list[tuple[float, float]]) -> tuple[list[Any], list[Any]]:
    """A closed solid from an outline that begins and ends on its axis."""
    rings = outline[1:-1]
    angles = 2.0 * math.pi * np.arange(AROUND) / AROUND
    vertices = [(r * math.cos(a), r * math.sin(a), z) for r, z in rings for a in angles]
    faces: list[Any] = [
        (AROUND * i + k, AROUND * i + (k + 1) % AROUND, AROUND * (i + 1) + (k + 1) % AROUND, AROUND * (i + 1) + k)
        for i in range(len(rings) - 1)
        for k in range(AROUND)
    ]
    last = AROUND * (len(rings) - 1)
    return vertices, [*faces, tuple(range(AROUND))[::-1], tuple(range(last, last + AROUND))]


def terrain() -> tuple[list[Any], list[Any]]:
    x, y = np.linspace(-1.3, 1.3, 27), np.linspace(-0.8, 0.8, 17)
    n = len(x)
    vertices = [
        (a, b, 0.5 + 0.28 * math.sin(2.6 * a) * math.cos(2.2 * b) + 0.05 * math.sin(9.0 * b)) for b in y for a in x
    ]
    faces = [
        (n * k + i, n * k + i + 1, n * k + n + i + 1, n * k + n + i) for k in range(len(y) - 1) for i in range(n - 1)
    ]
    return vertices, faces


def scene() -> list[bpy.types.Object]:
    """What is modeled, with surfaces; and below it what touches."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.mesh.primitive_torus_add(major_segments=AROUND, minor_segments=16, major_radius=0.62, minor_radius=0.22)
    ring = bpy.context.object
    ring.name, ring.location, ring.rotation_euler = "Ring", (-1.0, 0.0, 0.7), (0.5 * math.pi, 0.0, 0.0)
    cup = made("Cup", *lathe(CUP), (-3.2, 0.0, 0.0))
    for obj in (cup, ring):
        obj.redmax.is_body = obj.redmax.is_surface = True
        obj.redmax.surface.kind, obj.redmax.surface.corners = "pieces", 48
    hill = made("Hill", *terrain(), (1.9, 0.0, 0.0))
    hill.redmax.is_surface = True
    hill.redmax.surface.kind, hill.redmax.surface.depth = "heightfield", 0.3
    bpy.context.view_layer.update()
    found = {each.name: each for each in extract(bpy.context.scene, bpy.context.view_layer).scene.surfaces}
    shown = [cup, ring, hill]
    for obj in shown:
        paint(obj, MODELED)
    for obj in (cup, ring):
        pieces = found[obj.name].pieces
        for number, piece in enumerate(pieces):
            hull = hull_mesh_of_few(np.array(piece.vertices))
            middle = hull.vertices.mean(axis=0)
            spread = hull.vertices + (APART - 1.0) * middle
            part = made(
                f"{obj.name} {number}", spread, hull.corners.reshape(-1, 3), tuple(obj.location - Vector((0, 0, BELOW)))
            )
            part.rotation_euler = obj.rotation_euler
            paint(part, colorsys.hsv_to_rgb(0.06 + 0.55 * number / len(pieces), 0.55, 0.9))
            shown.append(part)
    shown.append(block(found["Hill"], tuple(hill.location - Vector((0, 0, BELOW)))))
    for obj in shown:
        obj.redmax.is_body = True  # the camera looks at bodies
    return shown


def block(field: Any, at: tuple[float, float, float]) -> bpy.types.Object:
    """The solid of a heightfield: its heights, walls and floor."""
    heights, (width, depth) = np.array(field.heights), field.size
    rows, columns = heights.shape
    x, y = np.linspace(-0.5 * width, 0.5 * width, columns), np.linspace(-0.5 * depth, 0.5 * depth, rows)
    top = [(a, b, heights[k, i]) for k, b in enumerate(y) for i, a in enumerate(x)]
    low = [(a, b, float(heights.min()) - field.depth) for a, b, _ in top]
    faces: list[Any] = []
    for k in range(rows - 1):
        for i in range(columns - 1):
            a, b = columns * k + i, columns * (k + 1) + i
            faces += [(a, a + 1, b + 1), (a, b + 1, b)]
    border = [*range(columns), *range(2 * columns - 1, rows * columns, columns)]
    border += [*range(rows * columns - 2, (rows - 1) * columns - 1, -1), *range((rows - 2) * columns, 0, -columns)]
    count = rows * columns
    faces += [(p + count, q + count, q, p) for p, q in zip(border, [*border[1:], border[0]], strict=True)]
    obj = made("Block", [*top, *low], faces, at)
    paint(obj, (0.55, 0.78, 0.45))
    return obj


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    redmax_blender.register()
    try:
        template_pictures.add_camera(scene(), Vector((0.0, -1.0, 0.42)), SIZE[0] / SIZE[1])
        template_pictures.set_up_render(folder / "contact_shapes.png", SIZE)
        bpy.ops.render.render(write_still=True)
    finally:
        redmax_blender.unregister()
    return 0


if __name__ == "__main__":
    sys.exit(main())
