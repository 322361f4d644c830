# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms of the paper on general joints: where they stand, that they run compiled, that they keep energy."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.examples import EXAMPLES, general_joints
from redmax.integrators import Automatic
from redmax.kernels import route
from redmax.simulate import record, simulate

FREEDOMS = {
    "torus_chain": 38,
    "windmill": 73,
    "torus_chain_on_a_curve": 22,
    "board_on_a_surface": 5,
    "knee": 2,
    "shoulder_blade": 7,
}


def run(scene, duration, accuracy="high"):
    model = compile_scene(scene)
    integrator = Automatic(accuracy=accuracy)
    samples = simulate(model, integrator=integrator, fps=24.0, duration=duration)
    result = record(model, samples, integrator=integrator, fps=24.0)
    assert result.status == "complete", result.message
    return result


@pytest.mark.parametrize("name", general_joints.SCENES)
def test_the_files_are_what_is_made(name):
    (example,) = (each for each in EXAMPLES if each.name == name)
    scene = general_joints.SCENES[name]()
    assert io.dumps(io.load(example.path)) == io.dumps(scene)
    assert compile_scene(scene).dof_count == FREEDOMS[name]


@pytest.mark.parametrize("name", general_joints.SCENES)
def test_they_run_compiled_and_keep_energy(name):
    if route.name() != route.NUMBA:
        pytest.skip("readable routes take minutes")
    scene = general_joints.SCENES[name]()
    scene = dataclasses.replace(scene, joints=[dataclasses.replace(joint, damping=0.0) for joint in scene.joints])
    result = run(scene, 1.0)
    assert result.meta["route"].startswith("numba")
    energy = result.channels["energy"]
    assert np.abs(energy - energy[0]).max() < 1e-8 * result.channels["kinetic"].max()


def test_tori_hang_in_each_other():
    model = compile_scene(general_joints.torus_chain(4))
    E = body_poses(model, kinematics(model, model.q0, np.zeros(14)))
    drop = 2.0 * (general_joints.RING - general_joints.TUBE)
    expected = [(0.0, 0.0, -general_joints.RING - k * drop) for k in range(4)]
    np.testing.assert_allclose(E[:, :3, 3], expected, atol=1e-15)
    axes = E[:, :3, 2]
    np.testing.assert_allclose(np.abs(axes[1:] @ axes[0]), (0.0, 1.0, 0.0), atol=1e-15)  # each across the one before
    assert compile_scene(general_joints.torus_chain(20)).dof_count == 78


@pytest.mark.slow
def test_a_torus_chain_keeps_its_energy_over_a_minute():
    result = run(general_joints.torus_chain(10), 60.0)
    energy = result.channels["energy"]
    assert np.abs(energy - energy[0]).max() < 1e-6 * result.channels["kinetic"].max()


def test_the_windmill_has_all_five_pairs():
    joints = [joint for joint in general_joints.windmill().joints if joint.kind == "surface_contact"]
    pairs = {frozenset((joint.first, joint.second)) for joint in joints}
    assert pairs == {
        frozenset(pair)
        for pair in (
            ("sphere", "sphere"),
            ("sphere", "ellipsoid"),
            ("sphere", "torus"),
            ("torus", "torus"),
            ("torus", "ellipsoid"),
        )
    }


def test_the_first_torus_has_its_axis_along_the_curve():
    result = run(general_joints.torus_chain_on_a_curve(2), 0.5)
    w, x, y, z = result.rotation[:, 0].T
    axis = np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)
    middle = result.position[2:, 0] - result.position[:-2, 0]
    moved = np.linalg.norm(middle, axis=1) > 1e-2
    along = np.abs(np.einsum("ti,ti->t", axis[1:-1], middle / np.linalg.norm(middle, axis=1, keepdims=True)))
    assert along[moved].min() > 0.999  # differences over two frames
    assert moved.sum() > 3


def bezier(u, v):
    """Height of the surface by de Casteljau's algorithm."""

    def reduced(values, t):
        values = np.array(values, float)
        while len(values) > 1:
            values = (1.0 - t) * values[:-1] + t * values[1:]
        return values[0]

    return reduced([reduced(row, (v + 1.0) / 2.0) for row in general_joints.HEIGHTS], (u + 1.0) / 2.0)


def test_the_board_lies_in_the_tangent_plane():
    joint = general_joints.board_on_a_surface().joints[0]
    h = 1e-5
    for u, v, heading in ((0.0, 0.0, 0.3), (0.6, 0.3, 0.4), (-0.7, 0.8, 2.0)):
        Q = joint.motion(np.array([u, v, heading]), np.zeros(3)).Q
        np.testing.assert_allclose(Q[:3, 3], (u, v, bezier(u, v)), atol=1e-14)
        slope = [(bezier(u + h, v) - bezier(u - h, v)) / (2 * h), (bezier(u, v + h) - bezier(u, v - h)) / (2 * h)]
        normal = np.array([-slope[0], -slope[1], 1.0])
        np.testing.assert_allclose(Q[:3, 2], normal / np.linalg.norm(normal), atol=1e-9)


def test_the_ligaments_of_the_knee_keep_their_lengths():
    joint = general_joints.knee().joints[1]
    a, b, c, d, tilt = general_joints.KNEE.values()
    far = math.sqrt(a * a + d * d - 2.0 * a * d * math.cos(tilt))
    straight = math.acos((a * a + far * far - d * d) / (2 * a * far)) - math.acos(
        (b * b + far * far - c * c) / (2 * b * far)
    )
    fixed = np.array([d * math.sin(tilt), 0.0, -d * math.cos(tilt)])  # end of the other ligament on the thigh
    on_shin = b * np.array([math.sin(straight), 0.0, math.cos(straight)])  # and on the shin, in its joint frame
    turned = []
    for bend in np.linspace(-0.2, 0.5, 8):
        Q = joint.motion(np.array([bend]), np.zeros(1)).Q
        assert math.isclose(np.linalg.norm(Q[:3, 3]), a)
        assert math.isclose(np.linalg.norm(Q[:3, :3] @ on_shin + Q[:3, 3] - fixed), c)
        turned.append(math.atan2(Q[0, 2], Q[2, 2]))
    assert np.all(np.diff(turned) > 0.0) or np.all(np.diff(turned) < 0.0)
    np.testing.assert_allclose(joint.motion(np.zeros(1), np.zeros(1)).Q[:3, :3], np.eye(3), atol=1e-15)
