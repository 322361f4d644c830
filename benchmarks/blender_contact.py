# SPDX-License-Identifier: GPL-3.0-or-later
"""Run in Blender: ten pins and a ball, and a wall of 30 boxes, by RedMax and by Blender's rigid bodies; prints JSON.

Both get the same meshes, masses, shapes, frictions and starts, and no damping. What is wrong is read off the objects
that Blender shows at each frame, by the same code for both. Ours ends with keys, Bullet with its own cache.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import redmax_blender
from benchmarks.blender_chain import SIDES, bake_bullet
from redmax.kernels import route
from redmax.kernels.contact.detection import Finder
from redmax.surfaces import BoxSurface, CylinderSurface, PlaneSurface, SphereSurface, Surface
from redmax.surfaces.packed import packed
from redmax_blender import compat
from redmax_blender.bridge.results import cache
from redmax_blender.templates import shells

FPS, FRAMES = 24, 250
FRICTION, BOUNCE = 0.4, 0.0
PIN, PIN_MASS = (0.06, 0.38), 1.5  # radius and height [m]
BALL, BALL_MASS, SPEED = 0.11, 6.0, 2.0
PITCH = 0.305
BRICK, BRICK_MASS = (0.5, 0.25, 0.25), 30.0
ROWS, COLUMNS = 5, 6
MARGIN = 1e-3
"""Metres within which pins count as having met."""


class Thing:
    """A body of a scene. start: velocity of its centre [m/s]; a ball then rolls."""

    def __init__(self, name: str, shape: str, mass: float, at: tuple[float, float, float], start: float = 0.0) -> None:
        self.name, self.shape, self.mass, self.at, self.start = name, shape, mass, at, start

    def surface(self) -> Surface:
        given: dict[str, Any] = {"name": self.name, "body": self.name, "friction": FRICTION}
        if self.shape == "sphere":
            return SphereSurface(radius=BALL, **given)
        if self.shape == "cylinder":
            return CylinderSurface(radius=PIN[0], height=PIN[1], **given)
        return BoxSurface(size=BRICK, **given)

    def mesh(self) -> bpy.types.Mesh:
        if (known := bpy.data.meshes.get(self.shape)) is not None:
            return known
        if self.shape == "sphere":
            shell = shells.ball(BALL, points=48)
        elif self.shape == "cylinder":
            shell = shells.cylinder(PIN[0], -0.5 * PIN[1], 0.5 * PIN[1], points=48)
        else:
            corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
            shell = shells.Shell(np.array(corners) * BRICK, SIDES)
        mesh = bpy.data.meshes.new(self.shape)
        mesh.from_pydata(shell.vertices.tolist(), [], shell.faces)
        return mesh


def pins() -> list[Thing]:
    things = [Thing("Ball", "sphere", BALL_MASS, (-1.2, 0.02, BALL), SPEED)]
    for row in range(4):
        for k in range(row + 1):
            at = (row * PITCH * math.sqrt(0.75), (k - 0.5 * row) * PITCH, 0.5 * PIN[1])
            things.append(Thing(f"Pin {row}.{k}", "cylinder", PIN_MASS, at))
    return things


def wall() -> list[Thing]:
    """Bricks in a running bond."""
    length, _, height = BRICK
    return [
        Thing(
            f"Brick {row}.{k}", "box", BRICK_MASS, ((k + 0.25 * (row % 2)) * 1.002 * length, 0.0, (row + 0.5) * height)
        )
        for row in range(ROWS)
        for k in range(COLUMNS)
    ]


def objects(things: list[Thing]) -> list[bpy.types.Object]:
    """An empty file with the things, and a floor below them at the end of the list."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    made = []
    for thing in things:
        obj = bpy.data.objects.new(thing.name, thing.mesh())
        obj.location = thing.at
        made.append(obj)
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(x, y, z) for x in (-200.0, 200.0) for y in (-200.0, 200.0) for z in (-0.5, 0.5)], [], SIDES)
    made.append(bpy.data.objects.new("Floor", mesh))
    made[-1].location.z = -0.5
    for obj in made:
        scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return made


def friction_of(obj: bpy.types.Object, things: list[Thing]) -> float:
    """Lanes are oiled, so that nothing but the bodies themselves exchanges momentum along it."""
    oiled = obj.name == "Floor" and any(thing.start for thing in things)
    return 0.0 if oiled else FRICTION


def redmax(things: list[Thing]) -> list[bpy.types.Object]:
    made = objects(things)
    for thing, obj in zip(things, made, strict=False):
        obj.redmax.is_body = True
        body: Any = obj.redmax.body
        body.mass_source, body.mass = "MASS", thing.mass
        if thing.start:
            body.velocity, body.spin = (thing.start, 0.0, 0.0), (0.0, thing.start / BALL, 0.0)
    for obj, kind in zip(made, [*(thing.shape for thing in things), "plane"], strict=True):
        obj.redmax.is_surface = True
        surface: Any = obj.redmax.surface
        surface.kind, surface.friction, surface.bounce = kind, friction_of(obj, things), BOUNCE
    bpy.context.view_layer.update()
    return made


def bullet(things: list[Thing], *, substeps: int | None, iterations: int | None) -> list[bpy.types.Object]:
    """substeps and iterations: None for Blender's defaults. What moves at the start is keyed over its first two
    frames, at which Bullet takes over: the start of a velocity in Blender."""
    made = objects(things)
    bpy.ops.rigidbody.world_add()
    world: Any = bpy.context.scene.rigidbody_world
    world.collection = bpy.data.collections.new("Bodies")
    if substeps is not None and iterations is not None:
        world.substeps_per_frame, world.solver_iterations = substeps, iterations
    world.point_cache.frame_start, world.point_cache.frame_end = 1, FRAMES
    for obj, thing in zip(made, [*things, None], strict=True):
        world.collection.objects.link(obj)
        body: Any = obj.rigid_body
        body.type = "ACTIVE" if thing else "PASSIVE"
        body.collision_shape = {"sphere": "SPHERE", "cylinder": "CYLINDER"}.get(thing.shape if thing else "", "BOX")
        body.friction, body.restitution, body.use_deactivation = friction_of(obj, things), BOUNCE, False
        body.linear_damping = body.angular_damping = 0.0
        if thing is None:
            continue
        body.mass = thing.mass
        if thing.start:
            body.kinematic = True
            obj.rotation_mode = "XYZ"
            for frame, step in ((1, 0), (2, 1), (3, 2)):
                obj.location.x = thing.at[0] + step * thing.start / FPS
                obj.rotation_euler.y = step * thing.start / FPS / BALL
                obj.keyframe_insert("location", frame=frame)
                obj.keyframe_insert("rotation_euler", frame=frame)
                body.kinematic = step < 2
                body.keyframe_insert("kinematic", frame=frame)
            for curve in compat.fcurves_of(obj):
                for key in curve.keyframe_points:
                    key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    return made


def simulate_and_bake() -> None:
    for operator in (bpy.ops.redmax.simulate, bpy.ops.redmax.bake):
        if operator() != {"FINISHED"}:
            raise SystemExit(f"{operator} did not finish: {bpy.context.window_manager.redmax.message}")


def poses(made: list[bpy.types.Object]) -> np.ndarray:
    """(f, n, 4, 4) of all but the floor, as Blender shows them."""
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(obj.matrix_world) for obj in made[:-1]])
    return np.array(found)


def finder(things: list[Thing]) -> Finder:
    surfaces: list[Surface] = [*(thing.surface() for thing in things), PlaneSurface(name="Floor")]
    bodies = np.array([*range(len(things)), -1])
    frames = np.tile(np.eye(4), (len(surfaces), 1, 1))
    return Finder(packed(surfaces, bodies, frames, bodies, [[] for _ in surfaces], (bodies < 0).tolist()))


def judged(things: list[Thing], E: np.ndarray) -> dict[str, float]:
    """What is wrong: penetration [m], drift [m] of what nothing has struck yet, momentum along x as a part of that at
    the start, until two pins meet."""
    find, places = finder(things), E[..., :3, 3]
    moving = [k for k, thing in enumerate(things) if thing.start]
    struck, met, deepest = len(E), len(E), 0.0
    for frame, now in enumerate(E):
        found = find.find(now, MARGIN)
        deepest = max(deepest, -float(found.gaps.min(initial=0.0)))
        pairs = np.asarray(found.surfaces)
        bodies = pairs[(pairs < len(things)).all(axis=1)] if len(pairs) else np.zeros((0, 2), int)
        with_ball = np.isin(bodies, moving).any(axis=1) if moving else np.zeros(len(bodies), bool)
        if moving and with_ball.any():
            struck = min(struck, frame)
        if moving and (~with_ball).any():
            met = min(met, frame)
    still = [k for k in range(len(things)) if k not in moving]
    drift = float(np.linalg.norm(places[:struck, still] - places[0, still], axis=2).max())
    result = {"penetration": deepest, "drift": drift, "struck": struck, "met": met}
    if moving:
        masses = np.array([thing.mass for thing in things])
        momentum = FPS * (np.diff(places[..., 0], axis=0) @ masses)
        begun = sum(thing.mass * thing.start for thing in things)
        until = momentum[2 : max(met - 1, 3)]  # Bullet takes over at the third frame
        result["momentum"] = float(np.abs(until / begun - 1.0).max())
    return result


SCENES: dict[str, Callable[[], list[Thing]]] = {"ten pins and a ball": pins, "wall of 30 boxes": wall}


def main() -> None:
    redmax(pins()[:2])
    bpy.context.scene.frame_end = 3
    simulate_and_bake()  # compiled once for a computer, which is not to be timed here
    result: dict[str, Any] = {"blender": bpy.app.version_string, "route": route.name()}
    wanted = sys.argv[1:] or list(SCENES)
    for name in wanted:
        things = SCENES[name]()
        ways: dict[str, tuple[Callable[[], Any], Callable[[], None]]] = {
            "defaults": (lambda things=things: bullet(things, substeps=None, iterations=None), bake_bullet),
            "60/60": (lambda things=things: bullet(things, substeps=60, iterations=60), bake_bullet),
            "redmax": (lambda things=things: redmax(things), simulate_and_bake),
        }
        result[name] = {}
        for way, (build, work) in ways.items():
            made = build()
            start = time.process_time()
            work()
            taken = time.process_time() - start
            result[name][way] = {"seconds": taken, **judged(things, poses(made))}
            if way == "redmax":
                found = cache.load(bpy.context.scene)
                result[name][way]["status"] = found.status
                result[name][way]["contact"] = {key: float(value) for key, value in found.meta["contact"].items()}
    print(json.dumps(result))


if __name__ == "__main__":
    redmax_blender.register()
    try:
        main()
    finally:
        redmax_blender.unregister()
