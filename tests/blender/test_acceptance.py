# SPDX-License-Identifier: GPL-3.0-or-later
"""What nobody else has: books that balance, joints that cannot come apart, one motion at every size and by every way.

Everything is authored and run through operators, and judged by what the engine stored and what Blender evaluates.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

import redmax_blender
from redmax import io
from redmax.spatial import pose, quaternion
from redmax_blender.bridge.results import cache

ROOT = Path(__file__).parents[2]
FLOAT32 = float(np.finfo(np.float32).eps)


def press(operator, **settings):
    assert operator("EXEC_DEFAULT", True, **settings) == {"FINISHED"}, bpy.context.window_manager.redmax.message


def select(*names):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def simulated(scene, last, accuracy):
    """Simulate frames 1 to last; what the engine stored."""
    scene.frame_start, scene.frame_end, scene.render.fps = 1, last, 24
    scene.redmax.accuracy = accuracy
    press(bpy.ops.redmax.simulate)
    result = cache.load(scene)
    assert (result.status, len(result)) == ("complete", last)
    return result


def body_names():
    return sorted(obj.name for obj in bpy.data.objects if obj.redmax.is_body)


def evaluated(scene, frames):
    """World matrices (frames, bodies, 4, 4)."""
    names, poses = body_names(), []
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        poses.append([np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world) for name in names])
    return np.array(poses, np.float64)


def box(name, size, centre, origin):
    """A mesh box whose object has its origin at another place: where it shall be connected."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((corners * size + np.array(centre) - origin).tolist(), [], faces)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = origin
    bpy.context.scene.collection.objects.link(obj)
    return name


def connect(parent, child, kind, axis):
    """Connect with Joint at the child's origin; the joint's object."""
    select(child, parent)
    press(bpy.ops.redmax.connect, kind=kind, at="CHILD", axis=axis)
    (joint,) = [obj for obj in bpy.data.objects if obj.redmax.is_joint and obj.redmax.joint.child.name == child]
    return joint


def key(joint, field, values):
    """Let a joint follow keys on its first coordinate, by frame."""
    joint.redmax.joint.motion_type = "animated"
    select(joint.name)
    for frame, value in values.items():
        bpy.context.scene.frame_set(frame)
        setattr(joint.redmax.joint, field, value)
        press(bpy.ops.redmax.key_coordinate)
    bpy.context.scene.frame_set(1)


def crane(size=1.0, *, keyed=True):
    """A mast, a jib that slews and a trolley that travels by keys, a rod and a load that swing; `size` [m] is 1 m."""
    s = size
    parts = [
        box("Mast", (0.4 * s, 0.4 * s, 3 * s), (0.0, 0.0, 1.5 * s), (0.0, 0.0, 0.0)),
        box("Jib", (3 * s, 0.2 * s, 0.2 * s), (1.2 * s, 0.0, 3.2 * s), (0.0, 0.0, 3.2 * s)),
        box("Trolley", (0.3 * s, 0.3 * s, 0.1 * s), (1.0 * s, 0.0, 3 * s), (1.0 * s, 0.0, 3 * s)),
        box("Rod", (0.1 * s, 0.1 * s, 0.8 * s), (1.0 * s, 0.0, 2.6 * s), (1.0 * s, 0.0, 3 * s)),
        box("Load", (0.5 * s, 0.4 * s, 0.3 * s), (1.0 * s, 0.0, 2.0 * s), (1.0 * s, 0.0, 2.2 * s)),
    ]
    select(parts[0])
    press(bpy.ops.redmax.add_body)
    press(bpy.ops.redmax.set_root, root="LOCKED")
    slew = connect("Mast", "Jib", "revolute", "Z")
    travel = connect("Jib", "Trolley", "prismatic", "X")
    swing = connect("Trolley", "Rod", "universal", "Z")
    connect("Rod", "Load", "spherical", "Z")
    if keyed:
        key(slew, "coordinate_angle_1", {1: 0.0, 20: 1.0, 40: 0.4})
        key(travel, "coordinate_distance_1", {1: 0.0, 30: 0.8 * s})
    return slew, travel, swing


# --- energy ----------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_work_of_animated_joints_is_the_change_of_energy_and_the_losses(scene, damping):
    swing = crane()[2]
    for index in range(2):
        swing.redmax.joint.damping[index] = damping
    channels = simulated(scene, 33, "HIGH").channels
    energy, work, loss = (channels[name] for name in ("energy", "work", "loss"))
    scale = max(np.ptp(channels[name]) for name in ("kinetic", "potential", "work"))
    assert np.ptp(work) > 0.5 * scale  # the motors are what moves it all
    assert loss[-1] > 0.01 * scale if damping else not loss.any()
    assert np.abs(energy - energy[0] - work + loss).max() < 1e-6 * scale


# --- joints ----------------------------------------------------------------------------------


def matrices(rotation, position):
    """Poses (..., 4, 4) of quaternions and positions."""
    E = np.zeros((*np.shape(position)[:-1], 4, 4))
    E[..., :3, :3], E[..., :3, 3], E[..., 3, 3] = quaternion.to_matrix(np.asarray(rotation)), position, 1.0
    return E


def joint_gaps(extracted, result):
    """Largest distance [m] of the two halves of a joint, and largest angle between hinge axes, over all samples."""
    E_wb = matrices(result.rotation, result.position)
    gap = tilt = 0.0
    for joint in extracted.joints:
        parent = np.eye(4) if joint.parent is None else E_wb[:, result.body(joint.parent)]
        above = parent @ matrices(joint.frame_in_parent.rotation, joint.frame_in_parent.position)
        below = E_wb[:, result.body(joint.child)] @ matrices(
            joint.frame_in_child.rotation, joint.frame_in_child.position
        )
        between = pose.inverse(above) @ below
        gap = max(gap, float(np.linalg.norm(between[:, :3, 3], axis=1).max()))
        tilt = max(tilt, float(np.linalg.norm(between[:, :2, 2], axis=1).max()))
    return gap, tilt


def modelled_hinges():
    """By joint: its two bodies, and where both have their end of it, in their own coordinates."""
    bpy.context.view_layer.update()
    hinges = {}
    for obj in (obj for obj in bpy.data.objects if obj.redmax.is_joint):
        place = np.array([*obj.matrix_world.translation, 1.0])
        bodies = obj.redmax.joint.parent, obj.redmax.joint.child
        hinges[obj.name] = [(body.name, np.linalg.solve(np.array(body.matrix_world), place)) for body in bodies]
    return hinges


def hinge_gap(scene, hinges, frames):
    """Largest distance [Blender units] of the two halves of a hinge in the evaluated scene."""
    names, M = body_names(), evaluated(scene, frames)
    worst = 0.0
    for ends in hinges.values():
        one, other = ((M[:, names.index(body)] @ place)[:, :3] for body, place in ends)
        worst = max(worst, float(np.linalg.norm(one - other, axis=1).max()))
    return worst


def largest_angle(scene, frames):
    """Largest Euler angle [rad] that a body has; at least 1. A link that tumbles on and on winds it up."""
    largest = 1.0
    for frame in frames:
        scene.frame_set(frame)
        for name in body_names():
            largest = max(largest, *map(abs, bpy.data.objects[name].rotation_euler))
    return largest


@pytest.mark.parametrize("last", [250, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])])
def test_tree_joints_stay_closed(scene, tmp_path, last):
    """To round-off in the engine, to single precision in the evaluated scene, however coarse the steps are."""
    press(bpy.ops.redmax.add_double_pendulum)
    press(bpy.ops.redmax.export_scene, filepath=str(tmp_path / "scene.json"))
    hinges = modelled_hinges()
    assert len(hinges) == 2
    result = simulated(scene, last, "DRAFT")
    size = float(np.abs(result.position).max())
    gap, tilt = joint_gaps(io.load(tmp_path / "scene.json"), result)
    assert gap < 1e-14 * size
    assert tilt < 1e-14
    frames = range(1, last + 1)
    press(bpy.ops.redmax.bake)
    # Single precision of an angle is relative to it, and continuous Euler angles count the turns.
    assert hinge_gap(scene, hinges, frames) < 16 * FLOAT32 * size * largest_angle(scene, frames)
    press(bpy.ops.redmax.remove_bake)
    for name in body_names():
        bpy.data.objects[name].rotation_mode = "QUATERNION"
    # Another rotation mode rounds the modelled pose differently, so the result counts as an old one.
    press(bpy.ops.redmax.bake, allow_stale=True)
    assert hinge_gap(scene, hinges, frames) < 16 * FLOAT32 * size


# --- size ------------------------------------------------------------------------------------


def test_the_same_rig_moves_alike_at_a_centimetre_and_at_a_hundred_metres(scene):
    """With gravity scaled alike. Slid distances count too, so that the integrator's tolerance for metres is tried."""
    motions = {}
    for size in (0.01, 1.0, 100.0):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.gravity = (0.0, 0.0, -9.81 * size)
        _, travel, swing = crane(size, keyed=False)
        # Nothing is keyed: the load swings, and drags the trolley along.
        travel.redmax.joint.velocity_distance[0] = 1.5 * size
        swing.redmax.joint.velocity_angle[0] = 1.5
        swing.redmax.joint.velocity_angle[1] = 0.8
        result = simulated(scene, 25, "HIGH")
        motions[size] = result.position / size, result.rotation
    assert np.ptp(motions[1.0][0][:, :, 0], axis=0).max() > 0.2  # it moves, and slides
    for size in (0.01, 100.0):
        for found, right in zip(motions[size], motions[1.0], strict=True):
            assert np.abs(found - right).max() < 1e-6


# --- one motion by every way -----------------------------------------------------------------


def run_python(*arguments, folder):
    """A Blender of its own, in another process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("engine", "addon"))}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_preview_bake_and_headless_give_identical_numbers(scene, tmp_path):
    crane()
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24
    source, out = tmp_path / "source.blend", tmp_path / "headless" / "out.blend"
    out.parent.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    result = simulated(scene, 25, "STANDARD")
    preview = evaluated(scene, range(1, 26))
    press(bpy.ops.redmax.bake)
    baked = evaluated(scene, range(1, 26))
    run_python("-m", "redmax_blender", "bake", "--file", source, "--out", out, "--quiet", folder=tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    headless = cache.load(bpy.context.scene)
    elsewhere = evaluated(bpy.context.scene, range(1, 26))

    assert np.ptp(preview, axis=0).max() > 0.1
    for name in ("t", "q", "qdot", "position", "rotation"):
        assert np.array_equal(getattr(result, name), getattr(headless, name)), name
    assert np.array_equal(baked, elsewhere)
    assert np.array_equal(preview[1:], baked[1:])
    # The first frame is the modelled pose itself; its key has been through the engine and back.
    assert np.abs(preview[0] - baked[0]).max() < 1e-15


def test_the_file_opens_without_the_add_on_and_keeps_its_keys_and_its_setup(scene, tmp_path):
    crane()
    first = simulated(scene, 13, "STANDARD")
    press(bpy.ops.redmax.bake)
    right = evaluated(scene, range(1, 14))
    blend = tmp_path / "baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    program = (
        "import json, sys, bpy\n"
        "bpy.ops.wm.open_mainfile(filepath=sys.argv[1])\n"
        "assert not hasattr(bpy.types.Object, 'redmax')\n"
        "scene, poses = bpy.context.scene, []\n"
        "for frame in range(1, 14):\n"
        "    scene.frame_set(frame)\n"
        "    poses.append([[list(row) for row in bpy.data.objects[name].matrix_world] for name in sys.argv[2:]])\n"
        "bpy.ops.wm.save_mainfile()\n"
        "print(json.dumps(poses))\n"
    )
    names = body_names()
    printed = run_python("-c", program, blend, *names, folder=tmp_path)
    found = np.array(json.loads([line for line in printed.splitlines() if line.startswith("[[")][-1]))
    assert np.array_equal(found, right)

    # Saved by a Blender that knows nothing of RedMax, the mechanism is still all there.
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = bpy.context.scene
    assert body_names() == names
    press(bpy.ops.redmax.remove_bake)
    again = simulated(scene, 13, "STANDARD")
    assert np.array_equal(again.position, first.position)


def test_a_disabled_and_enabled_add_on_goes_on_where_it_was(scene, tmp_path):
    crane()
    first = simulated(scene, 13, "STANDARD")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    redmax_blender.unregister()
    try:
        assert not hasattr(bpy.types.Object, "redmax")
        assert not hasattr(bpy.ops.redmax, "simulate") or "simulate" not in dir(bpy.ops.redmax)
    finally:
        redmax_blender.register()
    result = cache.load(bpy.context.scene)
    assert np.array_equal(result.position, first.position)
    press(bpy.ops.redmax.bake)
    assert bpy.data.objects["Load"].redmax.baked.active
