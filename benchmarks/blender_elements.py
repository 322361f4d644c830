# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender: reading 200 bodies, 200 joints and 100 springs, and drawing a panel; prints JSON, processor time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import bpy

import redmax_blender
from redmax_blender.bridge.extract.extraction import extract

BODIES, SPRINGS = 200, 100
REPEATS = 20
CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


class Layout:
    """Takes everything that a panel draws and keeps nothing of it."""

    def __getattr__(self, _name: str) -> Callable[..., Any]:
        return lambda *_arguments, **_options: self


def chain() -> list[bpy.types.Object]:
    """Chains of ten bodies, each on a hinge; half of the springs are between neighbours of different chains."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    mesh = bpy.data.meshes.new("Link")
    mesh.from_pydata(CORNERS, [], SIDES)
    bodies = []
    for number in range(BODIES):
        body, joint = bpy.data.objects.new(f"Body {number:03}", mesh), bpy.data.objects.new(f"Joint {number:03}", None)
        body.location = (number // 10, 0.0, -0.3 * (number % 10))
        joint.location = (number // 10, 0.0, 0.15 - 0.3 * (number % 10))
        for obj in (body, joint):
            bpy.context.scene.collection.objects.link(obj)
        body.redmax.is_body = joint.redmax.is_joint = True
        joint.redmax.joint.child = body
        if number % 10:
            joint.redmax.joint.parent = bodies[-1]
        bodies.append(body)
    bpy.context.view_layer.update()
    return bodies


def add_springs(bodies: list[bpy.types.Object]) -> bpy.types.Object:
    for number in range(SPRINGS):
        empty = bpy.data.objects.new(f"Spring {number:03}", None)
        bpy.context.scene.collection.objects.link(empty)
        empty.redmax.is_force = True
        settings = empty.redmax.force.spring_damper
        settings.body_a, settings.body_b = bodies[number], bodies[number + 10]
        if number % 2:
            settings.point_a_at = empty
    bpy.context.view_layer.update()
    return empty


def least(action: Callable[[], object]) -> float:
    """Least processor time of twenty [s]."""
    taken = []
    for _ in range(REPEATS):
        begun = time.process_time()
        action()
        taken.append(time.process_time() - begun)
    return min(taken)


def draw(spring: bpy.types.Object) -> Callable[[], None]:
    """Draws every panel of the spring that Blender would draw."""
    panels = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("REDMAX_PT_force")]
    bpy.context.view_layer.objects.active = spring
    shown = [panel for panel in panels if panel.poll(bpy.context)]
    instance = SimpleNamespace(layout=Layout())

    def action() -> None:
        for panel in shown:
            panel.draw(instance, bpy.context)

    return action


def main() -> None:
    def reading() -> object:
        return extract(bpy.context.scene, bpy.context.view_layer)

    bodies = chain()
    if extract(bpy.context.scene, bpy.context.view_layer).errors:
        raise SystemExit("the chains cannot be simulated")
    result = {"blender": bpy.app.version_string, "bodies and joints": least(reading)}
    if hasattr(bpy.context.scene.objects[0].redmax, "force"):  # not before there were springs
        spring = add_springs(bodies)
        if extract(bpy.context.scene, bpy.context.view_layer).errors:
            raise SystemExit("the springs cannot be simulated")
        result["with springs"] = least(reading)
        result["panels"] = least(draw(spring))
    print(json.dumps(result))


if __name__ == "__main__":
    redmax_blender.register()
    try:
        main()
    finally:
        redmax_blender.unregister()
