# SPDX-License-Identifier: GPL-3.0-or-later
"""Small mechanisms in Blender, their simulation, and where the engine says their objects are."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.integrators import INTEGRATORS
from redmax.simulate import record, simulate
from redmax_blender.bridge.bake import bake as baking
from redmax_blender.bridge.extract import extraction as extract

FPS = 24.0
EULER = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", "AXIS_ANGLE", *EULER)


def box(name: str, location: Any = (0.0, 0.0, 0.0), *, mode: str = "XYZ", size: Any = (0.2, 0.3, 0.8)) -> Any:
    """A box of these half-extents as a body."""
    x, y, z = size
    corners = [(a * x, b * y, c * z) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = location
    obj.rotation_mode = mode
    obj.redmax.is_body = True
    return obj


def hinge(
    name: str, parent: Any, child: Any, location: Any, *, axis: Any = (0.0, 1.0, 0.0), kind: str = "revolute"
) -> Any:
    """A joint at a place in the world, its z axis along `axis`."""
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    from mathutils import Vector

    empty.rotation_mode = "QUATERNION"
    empty.rotation_quaternion = Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(axis))
    empty.location = location
    empty.redmax.is_joint = True
    empty.redmax.joint.kind = kind
    empty.redmax.joint.parent = parent
    empty.redmax.joint.child = child
    return empty


def parent_to(child: Any, parent: Any) -> None:
    """Blender parenting that keeps the child where it is."""
    bpy.context.view_layer.update()
    child.parent = parent
    child.matrix_parent_inverse = parent.matrix_world.inverted()


def double_pendulum(mode: str = "XYZ", *, parented: bool = False, frames: int = 30) -> tuple[Any, Any]:
    """Two links that swing about different axes."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    upper, lower = box("Upper", (0.0, 0.0, -0.8), mode=mode), box("Lower", (0.7, 0.0, -1.6), mode=mode)
    lower.rotation_euler = (0.0, 0.0, 0.0)
    hinge("Shoulder", None, upper, (0.0, 0.0, 0.0)).redmax.joint.velocity_angle[0] = 3.0
    hinge("Elbow", upper, lower, (0.0, 0.0, -1.6), axis=(0.3, 1.0, 0.2)).redmax.joint.velocity_angle[0] = -4.0
    if parented:
        parent_to(lower, upper)
    return upper, lower


def thrown(
    name: str = "Body", *, mode: str = "XYZ", spin: Any = (2.0, 5.0, -3.0), location: Any = (0.0, 0.0, 0.0)
) -> Any:
    """A free body with a spin."""
    obj = box(name, location, mode=mode)
    obj.redmax.body.root = "FREE"
    obj.redmax.body.velocity = (1.0, -0.5, 4.0)
    obj.redmax.body.spin = spin
    return obj


def extracted() -> Any:
    scene = bpy.context.scene
    extraction = extract.extract(scene, bpy.context.view_layer)
    extract.require_sound(extraction)
    return extraction


def simulated(extraction: Any, *, per_frame: int = 1, precise: bool = True) -> Any:
    """A trajectory with `per_frame` samples in each frame.

    precise: its velocities are the derivatives of its places. Where only the places are compared with what Blender
    shows, any motion will do, and one step in each frame is several times as quick.
    """
    intervals = extraction.frame_end - extraction.frame_start
    return _trajectory(io.dumps(extraction.scene), intervals, extraction.fps, per_frame, precise)


@functools.cache
def _trajectory(scene: str, intervals: int, fps: float, per_frame: int, precise: bool) -> Any:
    """Many tests bake the same motion, and nothing changes a trajectory: each is computed once."""
    model = compile_scene(io.loads(scene))
    if precise:
        integrator = INTEGRATORS["dop853"](rtol=1e-10, atol=1e-10)
    else:
        integrator = INTEGRATORS["rk4"](h=1.0 / (fps * per_frame))
    samples = simulate(model, integrator=integrator, fps=fps * per_frame, duration=intervals / fps)
    return record(model, samples, integrator=integrator, fps=fps * per_frame)


def run_and_bake(**options: Any) -> tuple[Any, Any, Any]:
    """Extraction, trajectory and report of a bake of the present scene."""
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    extraction = extracted()
    result = simulated(extraction)
    report = baking.bake(scene, view_layer, extraction, result, baking.BakeOptions(**options))
    return extraction, result, report


def engine_matrix(extraction: Any, result: Any, name: str, sample: int) -> np.ndarray:
    """World matrix of an object at a sample, in Blender units, from the engine alone."""
    from redmax.spatial import quaternion

    index = result.body_names.index(name)
    E = np.eye(4)
    E[:3, :3] = quaternion.to_matrix(result.rotation[sample, index])
    E[:3, 3] = result.position[sample, index] / extraction.length
    return E @ extraction.body(name).A


def world_matrix(name: str) -> np.ndarray:
    """World matrix as Blender evaluates it now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world)


def largest_error(extraction: Any, result: Any, names: Iterable[str], *, per_frame: int = 1, step: int = 1) -> float:
    """Largest difference of matrix entries between Blender and the engine, at every `step`-th sample."""
    scene, worst = bpy.context.scene, 0.0
    for sample in range(0, len(result), step):
        frame, part = divmod(sample, per_frame)
        scene.frame_set(extraction.frame_start + frame, subframe=part / per_frame)
        for name in names:
            expected = engine_matrix(extraction, result, name, sample)
            worst = max(worst, float(np.abs(world_matrix(name) - expected).max()))
    return worst
