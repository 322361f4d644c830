# SPDX-License-Identifier: GPL-3.0-or-later
"""What a redraw of the viewport spends on 100 joints, without the graphics card. Runs in a Blender environment:

PYTHONPATH=engine:addon .venv-blender-5.2/bin/python -m benchmarks.overlay_redraw [OTHER_OBJECTS]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import bpy
import numpy as np

import redmax_blender
from redmax_blender.overlay import drawing, layout, seen_joints

JOINTS, REPEATS = 100, 300
KINDS = ("revolute", "prismatic", "screw", "universal", "spherical")


def build(others: int) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    for number in range(others + JOINTS):
        obj = bpy.data.objects.new(f"Object {number}", None)
        bpy.context.scene.collection.objects.link(obj)
        if number >= others:
            obj.location = (number % 10, number // 10, 0.0)
            obj.redmax.is_joint = True
            obj.redmax.joint.kind = KINDS[number % len(KINDS)]
    bpy.context.view_layer.update()


def milliseconds(action: Callable[[], object]) -> float:
    """Median time of an action."""
    taken = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(taken)


def main() -> None:
    redmax_blender.register()
    others = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    build(others)
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    space = next(area for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D").spaces[0]
    view = layout.View(np.eye(4), 500.0, 1.0)

    def read() -> drawing.Look:
        return drawing.look_at(seen_joints.known(scene, view_layer), view_layer, space)

    def lines() -> object:
        return drawing.pictured(seen_joints.known(scene, view_layer), read(), view)

    print(f"{JOINTS} joints among {others + JOINTS} objects, Blender {bpy.app.version_string}")
    print(f"nothing changed      {milliseconds(read):.2f} ms")
    print(f"the view has changed {milliseconds(lines):.2f} ms")
    print(f"a joint was edited   {milliseconds(lambda: (seen_joints.forget(), lines())):.2f} ms")
    redmax_blender.unregister()


if __name__ == "__main__":
    main()
