# SPDX-License-Identifier: GPL-3.0-or-later
"""From scene to model: order, frames, inertia, loops, problems of scenes built in Python."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from redmax import io
from redmax.compile import compile as compile_scene
from redmax.errors import SceneError
from redmax.fields import Pose
from redmax.geometry.solids import Box, Sphere
from redmax.joints import Fixed, Planar, Prismatic, Revolute
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose, quaternion

EXAMPLE = Path(__file__).parent / "scenes" / "example.json"


def random_pose(rng) -> Pose:
    q = rng.normal(size=4)
    return Pose(tuple(rng.normal(size=3)), tuple(q / np.linalg.norm(q)))


def matrix(p: Pose):
    return pose.from_quaternion(np.array(p.position), np.array(p.rotation))


def ball(name: str) -> Body:
    return Body(name=name, shapes=(Sphere(radius=0.1, density=1000.0),))


def chain(n: int) -> Scene:
    step = Pose((1.0, 0.0, 0.0))
    return Scene(
        bodies=[ball(f"b{i}") for i in range(n)],
        joints=[
            Revolute(name=f"j{i}", parent=f"b{i - 1}" if i else None, child=f"b{i}", frame_in_parent=step)
            for i in range(n)
        ],
    )


def test_pose_at_zero_chains_the_described_frames():
    """E_wb = E_w,parent-frame * E_joint-in-parent * E_joint-in-child^-1, whatever the inertia does."""
    rng = np.random.default_rng(1)
    bodies = [
        Body(name="A", shapes=(Box(size=(1.0, 2.0, 3.0), mass=1.0, frame=random_pose(rng)),)),
        Body(name="B", inertia=Inertia(mass=2.0, center=tuple(rng.normal(size=3)), tensor=np.diag([1.0, 2.0, 2.5]))),
    ]
    joints = [
        Fixed(name="J", parent=None, child="A", frame_in_parent=random_pose(rng), frame_in_child=random_pose(rng)),
        Fixed(name="K", parent="A", child="B", frame_in_parent=random_pose(rng), frame_in_child=random_pose(rng)),
    ]
    model = compile_scene(Scene(bodies=bodies, joints=joints))
    E_wA = matrix(joints[0].frame_in_parent) @ pose.inverse(matrix(joints[0].frame_in_child))
    E_wB = E_wA @ matrix(joints[1].frame_in_parent) @ pose.inverse(matrix(joints[1].frame_in_child))
    E_wj = [model.E_pj0[0], model.E_pj0[0] @ model.E_pj0[1]]
    for index, E_wb in enumerate((E_wA, E_wB)):
        found = E_wj[index] @ model.E_ji[index] @ model.E_ib[index]
        np.testing.assert_allclose(found, E_wb, atol=1e-14)  # round-off of five products


def test_principal_frame_reproduces_the_described_inertia():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(3, 3))
    tensor = A @ A.T
    tensor = np.trace(tensor) * np.eye(3) - tensor  # the tensor of a real mass distribution
    center = rng.normal(size=3)
    scene = Scene(
        bodies=[Body(name="A", inertia=Inertia(mass=3.0, center=tuple(center), tensor=tensor))],
        joints=[Fixed(name="J", parent=None, child="A")],
    )
    model = compile_scene(scene)
    E_bi = pose.inverse(model.E_ib[0])
    R = E_bi[:3, :3]
    np.testing.assert_allclose(E_bi[:3, 3], center, atol=1e-14)
    np.testing.assert_allclose(R @ np.diag(model.inertia[0, :3]) @ R.T, tensor, atol=1e-13 * np.trace(tensor))
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_array_equal(model.inertia[0, 3:], 3.0)


def test_shapes_of_a_body_add_up():
    """Two half boxes make the whole one."""
    whole = Body(name="A", shapes=(Box(size=(2.0, 1.0, 0.5), density=10.0),))
    halves = Body(
        name="A",
        shapes=(
            Box(size=(1.0, 1.0, 0.5), density=10.0, frame=Pose((0.5, 0.0, 0.0))),
            Box(size=(1.0, 1.0, 0.5), mass=5.0, frame=Pose((-0.5, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))),
        ),
    )
    weld = Fixed(name="J", parent=None, child="A")
    models = [compile_scene(Scene(bodies=[body], joints=[weld])) for body in (whole, halves)]
    np.testing.assert_allclose(models[0].inertia, models[1].inertia, rtol=1e-14)
    np.testing.assert_allclose(models[0].E_ji, models[1].E_ji, atol=1e-15)


def test_order_of_lists_does_not_matter():
    scene = chain(6)
    rng = np.random.default_rng(3)
    shuffled = Scene(
        bodies=[scene.bodies[i] for i in rng.permutation(6)], joints=[scene.joints[i] for i in rng.permutation(6)]
    )
    model, other = compile_scene(scene), compile_scene(shuffled)
    for index, name in enumerate(other.body_names):
        twin = model.body_names.index(name)
        parent, twin_parent = other.parent[index], model.parent[twin]
        assert (parent < 0) == (twin_parent < 0)
        assert parent < 0 or other.body_names[parent] == model.body_names[twin_parent]
        np.testing.assert_array_equal(other.E_pj0[index], model.E_pj0[twin])


def test_coordinates_belong_to_their_joints():
    model = compile_scene(io.load(EXAMPLE))
    assert model.dof.tolist() == [0, 0, 1, 2]
    np.testing.assert_array_equal(model.q0, [0.25, 0.5])
    np.testing.assert_array_equal(model.qdot0, [1.0, 0.0])
    np.testing.assert_array_equal(model.lower, [-np.inf, -np.inf])
    assert model.level.tolist() == [0, 1, 2]


def test_a_forest_is_fine():
    scene = Scene(
        bodies=[ball("A"), ball("B"), ball("C")],
        joints=[
            Revolute(name="J", parent=None, child="A"),
            Prismatic(name="K", parent=None, child="B"),
            Revolute(name="L", parent="A", child="C"),
        ],
    )
    model = compile_scene(scene)
    assert model.parent.tolist() == [-1, -1, 0]


def test_a_joint_too_many_becomes_a_loop_with_both_frames():
    scene = chain(3)
    rng = np.random.default_rng(4)
    closing = Revolute(
        name="Close", parent=None, child="b2", frame_in_parent=random_pose(rng), frame_in_child=random_pose(rng)
    )
    scene.joints.append(closing)
    model = compile_scene(scene)
    (loop,) = model.loops
    assert (loop.joint.name, loop.parent, loop.child) == ("Close", -1, 2)
    np.testing.assert_allclose(loop.E_ij_parent, matrix(closing.frame_in_parent), atol=1e-15)
    np.testing.assert_allclose(loop.E_ij_child, model.E_ib[2] @ matrix(closing.frame_in_child), atol=1e-15)


def test_model_arrays_are_read_only():
    model = compile_scene(io.load(EXAMPLE))
    for name in ("parent", "E_pj0", "E_ji", "E_ib", "inertia", "dof", "gravity", "q0", "qdot0", "prescribed", "torque"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[...] = 0


def test_massless_bodies_may_carry_mass_or_be_welded():
    scene = Scene(
        bodies=[Body(name="Frame"), ball("B"), Body(name="Marker")],
        joints=[
            Revolute(name="J", parent=None, child="Frame"),
            Revolute(name="K", parent="Frame", child="B"),
            Fixed(name="L", parent="B", child="Marker"),
        ],
    )
    model = compile_scene(scene)
    assert model.inertia[0].tolist() == [0.0] * 6


def test_a_massless_moving_branch_is_blamed_once_at_its_end():
    scene = Scene(
        bodies=[ball("A"), Body(name="B"), Body(name="C")],
        joints=[
            Revolute(name="J", parent=None, child="A"),
            Revolute(name="K", parent="A", child="B"),
            Revolute(name="L", parent="B", child="C"),
        ],
    )
    with pytest.raises(SceneError) as caught:
        compile_scene(scene)
    (problem,) = caught.value.problems
    assert "body 'C'" in str(problem)
    assert "joint 'L'" in str(problem)


def test_long_cycles_are_named_once():
    scene = chain(2000)
    scene.joints[0] = Revolute(name="j0", parent="b1999", child="b0")
    with pytest.raises(SceneError) as caught:
        compile_scene(scene)
    (problem,) = caught.value.problems
    assert "cycle" in problem.what
    assert len(str(problem)) < 400


def test_python_scenes_are_checked_like_json():
    scene = Scene(
        gravity=np.array([0.0, 0.0, np.nan]),
        bodies=[Body(name="A", shapes=[Box(size=np.ones((2, 2)), density="heavy")]), "not a body"],
        joints=[Revolute(name="J", parent=None, child="A", axis=np.zeros(3), q=np.zeros(2))],
    )
    with pytest.raises(SceneError) as caught:
        compile_scene(scene)
    said = str(caught.value)
    for part in ("gravity", "size has shape 2 x 2", "density is 'heavy'", "is str", "axis is zero", "q has shape 2"):
        assert part in said


def test_lists_that_are_none_are_named():
    with pytest.raises(SceneError, match="is not a list"):
        compile_scene(Scene(bodies=None))


def test_limits_may_be_left_open_for_single_coordinates():
    joint = Planar(name="J", parent=None, child="A", lower=(None, -1.0), upper=(2.0, None), limit_stiffness=10.0)
    model = compile_scene(Scene(bodies=[ball("A")], joints=[joint]))
    np.testing.assert_array_equal(model.lower, [-np.inf, -1.0])
    np.testing.assert_array_equal(model.upper, [2.0, np.inf])


def test_rotations_within_round_off_are_normalised():
    q = np.array([0.6, 0.8, 0.0, 0.0]) * (1.0 + 5e-7)  # what six printed digits leave
    scene = Scene(
        bodies=[ball("A")], joints=[Fixed(name="J", parent=None, child="A", frame_in_parent=Pose((0, 0, 0), tuple(q)))]
    )
    E = compile_scene(scene).E_pj0[0]
    np.testing.assert_allclose(E[:3, :3], quaternion.to_matrix(np.array([0.6, 0.8, 0.0, 0.0])), atol=1e-15)


def test_a_deep_tree_compiles_without_recursion():
    """10 000 bodies; the two seconds asked for are process time, so that a busy machine cannot fail it."""
    scene = chain(10_000)
    start = time.process_time()
    model = compile_scene(scene)
    assert model.level.max() == 9_999
    assert time.process_time() - start < 2.0 * 3  # three times what is promised: a guard against O(n^2), not a claim
