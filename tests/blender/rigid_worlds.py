# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with Blender's own rigid bodies, made by script, and how Blender moves them."""

from __future__ import annotations

import math
from typing import Any

import bpy
import by_hand
import numpy as np

G = 9.81
FINE, COARSE = 120, 60
"""Substeps per frame of two runs; what they differ by is a measure of Bullet's own error."""


def world(*, substeps: int = FINE, iterations: int = 200) -> Any:
    """A new rigid body world with its two collections."""
    scene = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    scene.rigidbody_world.collection = bpy.data.collections.new("RigidBodyWorld")
    scene.rigidbody_world.constraints = bpy.data.collections.new("RigidBodyConstraints")
    scene.rigidbody_world.use_split_impulse = True
    scene.rigidbody_world.solver_iterations = iterations
    scene.rigidbody_world.substeps_per_frame = substeps
    scene.render.fps = 24
    return scene.rigidbody_world


def rigid(name: str, size: Any = (1.0, 1.0, 1.0), at: Any = (0.0, 0.0, 0.0), **settings: Any) -> Any:
    """A box that is a rigid body without damping."""
    return make_rigid(by_hand.cube(name, size, at), **settings)


def make_rigid(obj: Any, **settings: Any) -> Any:
    bpy.context.scene.rigidbody_world.collection.objects.link(obj)
    values = {"collision_shape": "BOX", "linear_damping": 0.0, "angular_damping": 0.0, **settings}
    for name, value in values.items():
        setattr(obj.rigid_body, name, value)
    bpy.context.view_layer.update()
    return obj


def round_body(name: str, radius: float, height: float = 0.0, **more: Any) -> Any:
    """A ball, or a cylinder along z, as a mesh of 24 corners around."""
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius
    if height:
        rows = [(ring, -0.5 * height), (ring, 0.5 * height)]
    else:
        rows = [(ring * math.cos(b), radius * math.sin(b)) for b in np.linspace(-1.2, 1.2, 9)]
    corners = np.concatenate([np.column_stack([xy, np.full(24, z)]) for xy, z in rows])
    if not height:
        corners = np.concatenate([corners, [(0.0, 0.0, -radius), (0.0, 0.0, radius)]])
    faces: list[tuple[int, ...]] = [
        (24 * r + k, 24 * r + (k + 1) % 24, 24 * (r + 1) + (k + 1) % 24, 24 * (r + 1) + k)
        for r in range(len(rows) - 1)
        for k in range(24)
    ]
    last = 24 * (len(rows) - 1)
    if height:
        faces += [tuple(range(23, -1, -1)), tuple(range(last, last + 24))]
    else:
        south, north = len(corners) - 2, len(corners) - 1
        faces += [(south, (k + 1) % 24, k) for k in range(24)]
        faces += [(north, last + k, last + (k + 1) % 24) for k in range(24)]
    obj = by_hand.add(name, by_hand.mesh(name, corners, faces))
    obj.location = more.pop("at", (0.0, 0.0, 0.0))
    obj.rotation_euler = more.pop("turned", (0.0, 0.0, 0.0))
    return make_rigid(obj, **{"collision_shape": "CYLINDER" if height else "SPHERE", **more})


def tie(kind: str, first: Any, second: Any, at: Any, turned: Any = (0.0, 0.0, 0.0), **settings: Any) -> Any:
    """An empty with a constraint."""
    obj = by_hand.add(f"{first.name} {kind.title()} {second.name}")
    obj.location, obj.rotation_euler = at, turned
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.rigidbody.constraint_add(type=kind)
    constraint = obj.rigid_body_constraint
    constraint.object1, constraint.object2 = first, second
    for name, value in settings.items():
        setattr(constraint, name, value)
    return obj


def limits(**by_axis: Any) -> dict[str, Any]:
    """Settings of limits: lin_x=(-1, 1), ang_z=0 (locked)."""
    found: dict[str, Any] = {}
    for name, ends in by_axis.items():
        lower, upper = (ends, ends) if isinstance(ends, (int, float)) else ends
        found |= {f"use_limit_{name}": True, f"limit_{name}_lower": lower, f"limit_{name}_upper": upper}
    return found


ABOUT_Y = (-0.5 * math.pi, 0.0, 0.0)
"""Turns z to the world's y."""

UP = (0.0, -0.5 * math.pi, 0.0)
"""Turns x to the world's z."""


def moving() -> list[Any]:
    scene = bpy.context.scene
    return [obj for obj in scene.objects if obj.rigid_body and obj.rigid_body.type == "ACTIVE"]


def bullet(frames: int, substeps: int) -> dict[str, Any]:
    """By name, world matrices (frames, 4, 4) of active bodies as Blender simulates them."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.rigidbody_world.point_cache.frame_end = frames
    scene.rigidbody_world.substeps_per_frame = substeps
    objects = moving()
    rows: dict[str, list[Any]] = {obj.name: [] for obj in objects}
    scene.frame_set(0)
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for obj in objects:
            rows[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64))
    scene.frame_set(1)
    return {name: np.array(found) for name, found in rows.items()}


# --- ten scenes ------------------------------------------------------------------------------


def chain() -> None:
    """Five links that hang from a beam by points, thrown sideways."""
    beam = rigid("Beam", (0.2, 0.2, 0.2), type="PASSIVE")
    above = beam
    for k in range(5):
        x = 0.1 + 0.4 * k
        link = rigid(f"Link {k}", (0.4, 0.1, 0.1), (x + 0.2, 0.0, 0.0))
        tie("POINT", above, link, (x, 0.0, 0.0))
        above = link


def door() -> None:
    """A flap that falls on a hinge onto its limit, damped."""
    frame = rigid("Frame", (0.2, 1.0, 0.2), type="PASSIVE")
    flap = rigid("Flap", (1.0, 0.8, 0.1), (0.6, 0.0, 0.0), mass=2.0, angular_damping=0.3, linear_damping=0.2)
    tie("HINGE", frame, flap, (0.1, 0.0, 0.0), ABOUT_Y, **limits(ang_z=(-1.0, 0.3)))


def ragdoll() -> None:
    """Trunk, head and limbs that hang by a hand and swing: points, hinges with limits, a fixed joint.

    Each part has a layer of its own, so that none touches another.
    """
    hook = rigid("Hook", (0.1, 0.1, 0.1), (0.0, 0.0, 1.0), type="PASSIVE")
    upper = rigid("Upper Arm", (0.3, 0.1, 0.1), (0.5, 0.0, 1.0), mass=2.0)
    lower = rigid("Lower Arm", (0.3, 0.1, 0.1), (0.2, 0.0, 1.0), mass=1.5)
    trunk = rigid("Trunk", (0.25, 0.35, 0.6), (0.8, 0.0, 0.8), mass=20.0)
    head = rigid("Head", (0.2, 0.2, 0.25), (0.8, 0.0, 1.25), mass=4.0)
    thigh = rigid("Thigh", (0.12, 0.12, 0.4), (0.8, 0.1, 0.28), mass=6.0)
    shin = rigid("Shin", (0.1, 0.1, 0.4), (0.8, 0.1, -0.14), mass=4.0)
    tie("POINT", hook, lower, (0.05, 0.0, 1.0))
    tie("HINGE", upper, lower, (0.35, 0.0, 1.0), ABOUT_Y, **limits(ang_z=(-3.0, 3.0)))
    tie("POINT", trunk, upper, (0.66, 0.0, 1.0))
    tie("FIXED", trunk, head, (0.8, 0.0, 1.1))
    tie("POINT", trunk, thigh, (0.8, 0.1, 0.49))
    tie("HINGE", shin, thigh, (0.8, 0.1, 0.07), ABOUT_Y, **limits(ang_z=(-2.5, 2.5)))
    for k, limb in enumerate((hook, upper, lower, trunk, head, thigh, shin)):
        limb.rigid_body.collision_collections = [layer == k for layer in range(20)]


def car() -> None:
    """A car whose hind wheels are driven, on the ground."""
    rigid("Ground", (40.0, 40.0, 1.0), (0.0, 0.0, -0.5), type="PASSIVE", friction=1.0)
    chassis = rigid("Chassis", (2.0, 0.8, 0.3), (0.0, 0.0, 0.4), mass=10.0)
    for x, y in ((-0.7, -0.6), (-0.7, 0.6), (0.7, -0.6), (0.7, 0.6)):
        place = (x, y, 0.3)
        wheel = round_body(f"Wheel {x} {y}", 0.3, 0.2, at=place, turned=ABOUT_Y, mass=1.0, friction=1.0)
        tie("HINGE", chassis, wheel, place, ABOUT_Y)
        if x < 0.0:
            drive = {"use_motor_ang": True, "motor_ang_target_velocity": -6.0, "motor_ang_max_impulse": 4.0}
            tie("MOTOR", chassis, wheel, place, (0.0, 0.0, 0.5 * math.pi), **drive)


def motor() -> None:
    """A wheel off its balance that a motor turns up to speed."""
    stand = rigid("Stand", (0.2, 0.2, 0.2), type="PASSIVE")
    wheel = rigid("Wheel", (0.8, 0.1, 0.2), (0.1, 0.5, 0.0), mass=2.0)
    tie("HINGE", wheel, stand, (0.0, 0.0, 0.0), ABOUT_Y)
    drive = {"use_motor_ang": True, "motor_ang_target_velocity": 5.0, "motor_ang_max_impulse": 3.0}
    tie("MOTOR", stand, wheel, (0.0, 0.0, 0.0), (0.0, 0.0, 0.5 * math.pi), **drive)


def slider() -> None:
    """A block that slides down a rail onto its end."""
    rail = rigid("Rail", (0.2, 0.2, 0.2), type="PASSIVE")
    block = rigid("Block", (0.3, 0.3, 0.3), (0.5, 0.0, 0.0), linear_damping=0.3)
    tie("SLIDER", rail, block, (0.5, 0.0, 0.0), (0.0, 0.6, 0.0), **limits(lin_x=(-0.2, 0.8)))


def spring() -> None:
    """A block on a spring along one axis and another about it, started by its weight."""
    beam = rigid("Beam", (0.2, 0.2, 0.2), (0.0, 0.0, 2.0), type="PASSIVE")
    block = rigid("Block", (0.8, 0.4, 0.3), (0.3, 0.0, 0.0), mass=2.0)
    springs = {"use_spring_z": True, "spring_stiffness_z": 120.0, "spring_damping_z": 2.0}
    springs |= {"use_spring_ang_y": True, "spring_stiffness_ang_y": 15.0, "spring_damping_ang_y": 0.3}
    tie("GENERIC_SPRING", beam, block, (0.0, 0.0, 0.0), **springs, **limits(lin_x=0.0, lin_y=0.0, ang_x=0.0, ang_z=0.0))


def generic() -> None:
    """A block off its balance that falls a little way and swings about two axes, within limits."""
    post = rigid("Post", (0.2, 0.2, 0.2), (0.0, 0.0, 1.0), type="PASSIVE")
    block = rigid("Block", (0.6, 0.4, 0.3), (0.2, 0.15, -0.4), mass=2.0)
    bounds = limits(lin_x=(-0.5, 0.5), lin_y=0.0, lin_z=(-0.3, 0.0), ang_x=(-1.2, 1.2), ang_y=(-1.4, 1.4), ang_z=0.0)
    tie("GENERIC", post, block, (0.0, 0.0, 0.0), **bounds)


def piston() -> None:
    """A rod off its balance that falls in a bush and turns in it, both within limits."""
    bush = rigid("Bush", (0.2, 0.2, 0.2), (0.0, 0.0, 1.0), type="PASSIVE")
    rod = rigid("Rod", (0.2, 1.0, 0.2), (0.0, 0.4, 0.0))
    leaning = (0.0, -1.0, 0.0)
    tie("PISTON", bush, rod, (0.0, 0.0, 0.0), leaning, **limits(lin_x=(-0.6, 0.1), ang_x=(-1.2, 1.2)))


def bricks() -> None:
    """Three bricks that fall onto each other and onto the ground, of different bounce and friction."""
    rigid("Ground", (10.0, 10.0, 1.0), (0.0, 0.0, -0.5), type="PASSIVE", friction=0.7)
    for k in range(3):
        rigid(f"Brick {k}", (0.6, 0.3, 0.2), (0.05 * k, 0.0, 0.2 + 0.3 * k), mass=1.0 + k, friction=0.6)


SCENES = {
    "chain": chain,
    "door": door,
    "ragdoll": ragdoll,
    "car": car,
    "motor": motor,
    "slider": slider,
    "spring": spring,
    "generic": generic,
    "piston": piston,
    "bricks": bricks,
}
