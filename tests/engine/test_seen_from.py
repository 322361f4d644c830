# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one body seen from another: derivatives along a run, closed forms, and the algebra of moving frames."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.random_trees import random_model, random_state
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.integrators import Dop853
from redmax.joints import Free, Prismatic, Revolute
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.spatial import pose, so3
from redmax.spatial.moving_frame import MovingFrame
from redmax.state import State
from redmax.trajectory import Trajectory, TrajectoryError

FPS = 1000.0
TENSOR = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def body(name: str) -> Body:
    return Body(name=name, inertia=Inertia(mass=1.0, tensor=TENSOR))


@cache
def tree(route: str) -> Trajectory:
    """A smooth motion of mixed joints, frames far from centres of mass."""
    rng = np.random.default_rng(7)
    model = random_model(rng, 6, springs=False, damping=False, tables=False)
    q, qdot = random_state(rng, model, speed=2.0)
    integrator = Dop853(rtol=1e-11, atol=1e-11, dynamics=route)
    start = State(0.0, q, qdot, np.zeros(model.body_count, np.int64))
    run = record(model, simulate(model, start, duration=0.02, fps=FPS, integrator=integrator))
    assert run.status == "complete"
    return run


def rate(values: np.ndarray) -> np.ndarray:
    """Derivatives by time of all samples but two at each end, by central differences of order 4."""
    return FPS / 12.0 * (values[:-4] - 8.0 * values[1:-3] + 8.0 * values[3:-1] - values[4:])


PAIRS = [(0, 5), (5, 0), (2, 4), (3, None), (None, 1), (4, 4)]


@pytest.mark.parametrize("route", ["fast", "projected"])
@pytest.mark.parametrize(("watched", "observer"), PAIRS)
def test_twist_and_acceleration_are_derivatives_of_the_pose(route, watched, observer):
    """Of the numbers that an observer writes down who turns with its body; along its axes."""
    run = tree(route)
    names = [None if index is None else run.body_names[index] for index in (watched, observer)]
    seen = run.seen_from(*names)
    inner = slice(2, -2)
    R = pose.rotation(seen.pose)
    omega = so3.vee(rate(R) @ np.swapaxes(R[inner], 1, 2))
    # The differences are off by h^4 / 30 times the fifth derivative, some 1e5, and by the integrator's 1e-11 divided by
    # h. Measured: 4e-9.
    bound = 1e-7
    np.testing.assert_allclose(omega, seen.twist[inner, :3], atol=bound)
    np.testing.assert_allclose(rate(pose.position(seen.pose)), seen.twist[inner, 3:], atol=bound)
    np.testing.assert_allclose(rate(seen.twist), seen.acceleration[inner], atol=bound)
    if watched != observer:
        assert np.abs(seen.acceleration).max() > 1.0  # there is something to see


def turntable(speed: float) -> Trajectory:
    """No gravity: a table that turns about z at a constant speed, and a ball that flies straight past it."""
    ball = Free(name="Flight", parent=None, child="Ball", frame_in_parent=Pose(position=(1.0, 0.0, 0.0)),
                qdot=(0.0, 0.0, 0.0, 0.3, 0.5, 0.0))  # fmt: skip
    axle = Revolute(name="Axle", parent=None, child="Table", axis=(0.0, 0.0, 1.0), qdot=(speed,))
    scene = Scene(bodies=[body("Table"), body("Ball")], joints=[axle, ball], gravity=(0.0, 0.0, 0.0))
    model = compile_scene(scene)
    return record(model, simulate(model, duration=1.0, integrator=Dop853(rtol=1e-12, atol=1e-12)))


def test_what_flies_straight_is_bent_by_coriolis_and_centrifugal_acceleration():
    """Seen from the table: a' = omega^2 r' - 2 omega x v', and no force acts."""
    run = turntable(2.0)
    seen = run.seen_from("Ball", "Table")
    r, v, omega = pose.position(seen.pose), seen.twist[:, 3:], np.array([0.0, 0.0, 2.0])
    np.testing.assert_allclose(seen.acceleration[:, 3:], 4.0 * r - 2.0 * np.cross(omega, v), atol=1e-10)
    np.testing.assert_allclose(seen.twist[:, :3], np.tile(-omega, (len(run), 1)), atol=1e-12)
    turn = so3.rot_z(-2.0 * run.t)
    straight = np.array([1.0, 0.0, 0.0]) + run.t[:, None] * np.array([0.3, 0.5, 0.0])
    np.testing.assert_allclose(r, np.einsum("fij,fj->fi", turn, straight), atol=1e-10)
    np.testing.assert_allclose(run.seen_from("Ball").acceleration, 0.0, atol=1e-12)


def test_a_slider_on_a_turning_arm_moves_along_its_axis_only():
    """The observer takes its arm to stand still: velocity and acceleration are those of the coordinate."""
    arm = Revolute(name="Axle", parent=None, child="Arm", axis=(0.3, 0.2, 1.0), qdot=(3.0,))
    rail = Prismatic(name="Rail", parent="Arm", child="Sled", axis=(1.0, 0.0, 0.0), q=(0.5,), qdot=(0.2,))
    model = compile_scene(Scene(bodies=[body("Arm"), body("Sled")], joints=[arm, rail]))
    run = record(model, simulate(model, duration=0.5))
    seen = run.seen_from("Sled", "Arm")
    column = model.columns(run.joint_names.index("Rail")).start
    expected = np.zeros((len(run), 6))
    expected[:, 3] = run.channels["qddot"][:, column]
    np.testing.assert_allclose(seen.acceleration, expected, atol=1e-9)
    expected[:, 3] = run.qdot[:, column]
    np.testing.assert_allclose(seen.twist, expected, atol=1e-9)
    assert np.ptp(run.channels["qddot"][:, column]) > 1.0


@pytest.mark.parametrize("sample", [0, 11])
def test_it_is_the_algebra_of_moving_frames(sample):
    """body << observer by CHRONO16, and back: (body seen from observer) >> (observer in the world) is the body."""
    run = tree("fast")
    names = run.body_names[4], run.body_names[1]
    watched, observer = (
        MovingFrame.from_twist(
            pose.from_quaternion(run.position[sample, index], run.rotation[sample, index]),
            run.channels["twist"][sample, index],
            run.channels["acceleration"][sample, index],
            origin=name,
            base="world",
        )
        for index, name in zip((4, 1), names, strict=True)
    )
    seen = run.seen_from(*names).moving_frame(sample)
    assert (str(seen.origin), str(seen.base)) == names
    for found, wanted in (
        (seen, watched << observer),
        (seen >> run.seen_from(names[1]).moving_frame(sample), watched),
    ):
        assert found.names == wanted.names
        for field in ("r", "rdot", "rddot", "omega_local", "alpha_local", "A"):
            np.testing.assert_allclose(getattr(found, field), getattr(wanted, field), atol=1e-10, err_msg=field)


def test_none_and_world_are_the_world():
    run = turntable(1.0)
    for observer in (None, "world"):
        seen = run.seen_from("Ball", observer)
        assert (seen.body, seen.observer) == ("Ball", "world")
        np.testing.assert_array_equal(pose.position(seen.pose), run.position[:, run.body("Ball")])
    world = run.seen_from("world", "Table")
    np.testing.assert_allclose(world.pose, pose.inverse(run.seen_from("Table", "world").pose), atol=1e-15)
    np.testing.assert_allclose(world.twist[:, 2], -1.0, atol=1e-12)


def test_a_body_may_be_called_world():
    fall = Free(name="Fall", parent=None, child="world")
    model = compile_scene(Scene(bodies=[body("world")], joints=[fall]))
    run = record(model, simulate(model, duration=0.1))
    np.testing.assert_allclose(run.seen_from("world", None).acceleration[:, 5], -9.81, rtol=1e-12)
    np.testing.assert_allclose(run.seen_from("world", "world").acceleration, 0.0, atol=1e-12)


def test_what_is_not_there_is_named():
    run = turntable(1.0)
    with pytest.raises(TrajectoryError, match="no body 'Hook'; its bodies are: Table, Ball"):
        run.seen_from("Ball", "Hook")
    facts = {name: getattr(run, name) for name in ("body_names", "joint_names", "t", "q", "qdot", "position")}
    old = Trajectory(**facts, rotation=run.rotation, channels={"twist": run.channels["twist"]})
    with pytest.raises(TrajectoryError, match="no channel 'acceleration'; simulate again"):
        old.seen_from("Ball", "Table")
