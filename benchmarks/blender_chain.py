# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender: a hanging chain simulated by RedMax and by Blender's own rigid-body world; prints JSON.

Both get the same link meshes, the same hinges, the same frames and no damping. Both are timed in this process, taking
turns. Ours always ends with keys on every link. Bullet is timed twice: until its motion is baked into Blender's point
cache, which holds it inside the physics, and until it is there as keys too (Bake Action), as ours is.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy_extras import anim_utils

import redmax_blender
from redmax.kernels import route
from redmax_blender.bridge.extract import extraction

LINKS, LENGTH, THICKNESS = 100, 0.5, 0.1
FPS = 24
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
SLOW = 20.0
"""What takes longer than this [s] is run once; the rest is run five times and the median counts."""


@contextmanager
def silence() -> Iterator[None]:
    """Blender's own bake prints a line per frame, which would cost time and hide the result."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def links(frames: int) -> list[bpy.types.Object]:
    """An empty file with the anchor and the links of a chain, level along +x from the origin."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    mesh = bpy.data.meshes.new("Link")
    size = (LENGTH, THICKNESS, THICKNESS)
    mesh.from_pydata([[c * s for c, s in zip(corner, size, strict=True)] for corner in CORNERS], [], SIDES)
    objects = [bpy.data.objects.new(f"Link {k:03}", mesh) for k in range(LINKS + 1)]
    for k, obj in enumerate(objects):
        obj.location = ((k - 0.5) * LENGTH, 0.0, 0.0)
        scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return objects


def pins() -> list[bpy.types.Object]:
    """Empties where the links meet, their z axes along the hinges."""
    made = []
    for k in range(LINKS):
        pin = bpy.data.objects.new(f"Pin {k:03}", None)
        pin.location, pin.rotation_euler = (k * LENGTH, 0.0, 0.0), (np.pi / 2, 0.0, 0.0)
        bpy.context.scene.collection.objects.link(pin)
        made.append(pin)
    return made


_density = itertools.count(1000)


def redmax_chain(frames: int) -> list[bpy.types.Object]:
    """Every chain has a density of its own, so that nothing remembered of the one before makes it quicker."""
    objects = links(frames)
    density = next(_density)
    for obj in objects:
        obj.redmax.is_body = True
        obj.redmax.body.density = density
    objects[0].redmax.body.root = "LOCKED"
    for k, pin in enumerate(pins()):
        pin.redmax.is_joint = True
        pin.redmax.joint.parent, pin.redmax.joint.child = objects[k], objects[k + 1]
    bpy.context.view_layer.update()
    return objects


def bullet_chain(frames: int, *, substeps: int | None, iterations: int | None) -> list[bpy.types.Object]:
    """substeps and iterations: None for Blender's defaults."""
    objects = links(frames)
    bpy.ops.rigidbody.world_add()
    world: Any = bpy.context.scene.rigidbody_world
    world.collection, world.constraints = bpy.data.collections.new("Bodies"), bpy.data.collections.new("Hinges")
    if substeps is not None and iterations is not None:
        world.substeps_per_frame, world.solver_iterations = substeps, iterations
    world.point_cache.frame_start, world.point_cache.frame_end = 1, frames
    for k, obj in enumerate(objects):
        world.collection.objects.link(obj)
        body: Any = obj.rigid_body
        body.type = "ACTIVE" if k else "PASSIVE"
        body.collision_shape, body.use_deactivation = "BOX", False
        body.linear_damping = body.angular_damping = 0.0
    for k, pin in enumerate(pins()):
        world.constraints.objects.link(pin)
        hinge: Any = pin.rigid_body_constraint
        hinge.type, hinge.disable_collisions = "HINGE", True
        hinge.object1, hinge.object2 = objects[k], objects[k + 1]
    bpy.context.view_layer.update()
    return objects


def bake_bullet() -> None:
    with silence(), bpy.context.temp_override(point_cache=bpy.context.scene.rigidbody_world.point_cache):
        bpy.ops.ptcache.bake(bake=True)


def bake_action(objects: list[bpy.types.Object], frames: int) -> None:
    """Blender's own way to turn any motion into keys on location and rotation."""
    options = anim_utils.BakeOptions(
        only_selected=False,
        do_pose=False,
        do_object=True,
        do_visual_keying=True,
        do_constraint_clear=False,
        do_parents_clear=False,
        do_clean=False,
        do_location=True,
        do_rotation=True,
        do_scale=False,
        do_bbone=False,
        do_custom_props=False,
    )
    with silence():
        anim_utils.bake_action_objects(
            [(obj, None) for obj in objects], frames=range(1, frames + 1), bake_options=options
        )


def bake_bullet_to_keys(frames: int) -> dict[str, float]:
    """Seconds until the motion is cached, and until the links have keys."""
    start = time.perf_counter()
    bake_bullet()
    cached = time.perf_counter()
    bake_action(list(bpy.context.scene.rigidbody_world.collection.objects), frames)
    return {"cache": cached - start, "keys": time.perf_counter() - cached}


def simulate_and_bake() -> dict[str, float]:
    """Seconds of either part; extraction belongs to simulating."""
    parts = {}
    for name, operator in (("simulate", bpy.ops.redmax.simulate), ("bake", bpy.ops.redmax.bake)):
        start = time.perf_counter()
        if operator() != {"FINISHED"}:
            raise SystemExit(f"{operator} did not finish: {bpy.context.window_manager.redmax.message}")
        parts[name] = time.perf_counter() - start
    return parts


def separation(objects: list[bpy.types.Object], frames: int) -> float:
    """Largest distance [m] between the two halves of any hinge at any frame, in the evaluated scene."""
    worst = 0.0
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        M = np.array([obj.matrix_world for obj in objects])
        ends = M[:-1, :3, 3] + 0.5 * LENGTH * M[:-1, :3, 0]
        starts = M[1:, :3, 3] - 0.5 * LENGTH * M[1:, :3, 0]
        worst = max(worst, float(np.linalg.norm(ends - starts, axis=1).max()))
    return worst


Way = tuple[Callable[[], list[bpy.types.Object]], Callable[[], dict[str, float] | None]]


def side_by_side(ways: dict[str, Way], frames: int) -> dict[str, dict[str, Any]]:
    """Median seconds, their spread, the parts of it and the separation of each way; the ways take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    parts: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    gaps: dict[str, float] = {}
    for turn in range(5):
        for name, (build, work) in ways.items():
            if turn and seconds[name][0] > SLOW:
                continue
            objects = build()
            start = time.perf_counter()
            parts[name].append(work() or {})
            seconds[name].append(time.perf_counter() - start)
            if not turn:
                gaps[name] = separation(objects, frames)
    return {
        name: {
            **_summary(times),
            "separation": gaps[name],
            "parts": {part: statistics.median(run[part] for run in parts[name]) for part in parts[name][0]},
        }
        for name, times in seconds.items()
    }


def _summary(times: list[float]) -> dict[str, float]:
    median = statistics.median(times)
    return {"seconds": median, "spread": (max(times) - min(times)) / median, "runs": len(times)}


def writing_keys(frames: int) -> dict[str, dict[str, float]]:
    """Extract + bake of a result that is there, beside Blender's own Bake Action of the same motion.

    The chain swings as one stiff piece, which is quick to simulate: only reading and writing is timed here.
    """
    objects = redmax_chain(frames)
    for obj in bpy.data.objects:
        if obj.redmax.is_joint and obj.redmax.joint.parent != objects[0]:
            obj.redmax.joint.motion_type = "locked"
    settings = bpy.context.scene.redmax
    settings.accuracy, settings.integrator = "CUSTOM", "linearly_implicit_euler"
    settings.linearly_implicit_euler.h = 1.0 / FPS
    if bpy.ops.redmax.simulate() != {"FINISHED"}:
        raise SystemExit("the chain could not be simulated")
    ours, again, reading, theirs = [], [], [], []
    for _ in range(5):
        start = time.perf_counter()
        extraction.extract(bpy.context.scene, bpy.context.view_layer)
        reading.append(time.perf_counter() - start)
        start = time.perf_counter()
        if bpy.ops.redmax.bake() != {"FINISHED"}:
            raise SystemExit("the bake did not finish")
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        bpy.ops.redmax.bake()
        again.append(time.perf_counter() - start)
        bpy.ops.redmax.remove_bake()
    bpy.ops.redmax.bake()
    start = time.perf_counter()
    bake_action(objects, frames)
    theirs.append(time.perf_counter() - start)
    return {
        "bake": _summary(ours),
        "bake again": _summary(again),
        "extract": _summary(reading),
        "bake action": _summary(theirs),
    }


def main() -> None:
    frames = 120
    redmax_chain(2)
    simulate_and_bake()  # compiled once for a computer, which is not to be timed here
    ways: dict[str, Way] = {
        "defaults": (lambda: bullet_chain(frames, substeps=None, iterations=None), bake_bullet),
        "defaults, keys": (
            lambda: bullet_chain(frames, substeps=None, iterations=None),
            lambda: bake_bullet_to_keys(frames),
        ),
        "60/60": (lambda: bullet_chain(frames, substeps=60, iterations=60), bake_bullet),
        "redmax": (lambda: redmax_chain(frames), simulate_and_bake),
    }
    result = {
        "chain": side_by_side(ways, frames),
        "keys": writing_keys(250),
        "link": LENGTH,
        "blender": bpy.app.version_string,
        "route": route.name(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    redmax_blender.register()
    try:
        main()
    finally:
        redmax_blender.unregister()
