# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations on tracks and sheets: against closed forms, other joints, and what is conserved."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from engine.spline_examples import ring_track
from engine.spline_scenes import GRAVITY, bowl, cart_on, coaster_track, cycloid_track, puck_in, track_of
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.constraints.coupling import Coupling
from redmax.drives import Drive, DriveInput, Follower
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.integrators import Automatic, Dop853
from redmax.integrators.events import Levels, state_switches
from redmax.integrators.rk4 import RungeKutta4
from redmax.joints import Composite, Prismatic, Revolute, SplineCurve
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.reference import projected
from redmax.scene import Body, Scene
from redmax.simulate import record, simulate
from redmax.spatial import pose, so3
from redmax.tables import Table
from redmax.tracks import Track, frames_along

HIGH = Automatic(accuracy="high")


def run(scene: Scene, integrator: Any = HIGH, *, duration: float = 1.0, fps: float = 24.0) -> Any:
    model = compile_scene(scene)
    result = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=duration), integrator=integrator, fps=fps
    )
    assert result.status == "complete", result.message
    return result


def straight(*, count: int = 8, **fields: Any) -> Track:
    """Along x, from 1 m to count - 2 m."""
    x = np.stack([np.arange(float(count)), np.zeros(count), np.zeros(count)], 1)
    return track_of(pose.make(np.eye(3), x), **fields)


def circle(radius: float, *, count: int = 12) -> Track:
    """About y. Frames that follow each other by one and the same twist give that screw motion exactly."""
    R = so3.exp(2.0 * np.pi * np.arange(count)[:, None] / count * np.array([0.0, 1.0, 0.0]))
    return track_of(pose.make(R, R @ [0.0, 0.0, -radius]), cyclic=True)


def with_joint(scene: Scene, **fields: Any) -> Scene:
    return dataclasses.replace(scene, joints=[dataclasses.replace(scene.joints[0], **fields)])


# --- the same as other joints --------------------------------------------------------------------


def test_a_cart_on_a_straight_track_is_a_slider():
    slope = Pose(rotation=(np.cos(0.2), 0.0, np.sin(0.2), 0.0))
    scene = with_joint(cart_on(straight(), q=0.5, qdot=-1.0), frame_in_parent=slope, damping=20.0, stiffness=50.0)
    other = {name: getattr(scene.joints[0], name) for name in ("name", "parent", "child", "frame_in_child", "qdot")}
    start = pose.make(so3.exp([0.0, 0.4, 0.0]), np.zeros(3)) @ pose.make(np.eye(3), (1.0, 0.0, 0.0))
    slider = Prismatic(
        **other, axis=(1.0, 0.0, 0.0), q=0.5, damping=20.0, stiffness=50.0,
        frame_in_parent=Pose(position=tuple(start[:3, 3]), rotation=slope.rotation), lower=0.0, upper=5.0,
    )  # fmt: skip
    integrator = RungeKutta4(h=1e-3)
    ours, theirs = run(scene, integrator), run(dataclasses.replace(scene, joints=[slider], tracks=[]), integrator)
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-10)
    np.testing.assert_allclose(ours.position, theirs.position, atol=1e-10)
    np.testing.assert_allclose(ours.channels["reaction"], theirs.channels["reaction"], atol=1e-8)


def test_a_cart_on_a_circular_track_is_a_hinge():
    radius = 3.0
    track = circle(radius)
    assert track.length == pytest.approx(2.0 * np.pi * radius, rel=1e-13)
    scene = cart_on(track, q=2.0, qdot=14.0)
    first = track.poses([0.0])[0]
    hinge = Revolute(
        name="wheels", parent=None, child="cart", axis=(0.0, 1.0, 0.0), q=2.0 / radius, qdot=14.0 / radius,
        frame_in_parent=Pose(rotation=(np.cos(np.pi / 12), 0.0, np.sin(np.pi / 12), 0.0)),
        frame_in_child=Pose(position=(0.0, 0.0, radius - 0.3)),
    )  # fmt: skip
    np.testing.assert_allclose(first[:3, 3], so3.exp([0.0, np.pi / 6, 0.0]) @ [0.0, 0.0, -radius], atol=1e-12)
    integrator = RungeKutta4(h=5e-4)
    ours = run(scene, integrator, duration=3.0)
    theirs = run(dataclasses.replace(scene, joints=[hinge], tracks=[]), integrator, duration=3.0)
    np.testing.assert_allclose(ours.q, radius * theirs.q, atol=1e-10)
    np.testing.assert_allclose(ours.position, theirs.position, atol=1e-10)
    np.testing.assert_allclose(ours.channels["torque"], theirs.channels["torque"] / radius, atol=1e-7)
    assert abs(ours.q).max() > track.length, "several laps"


# --- closed forms and what is conserved ----------------------------------------------------------


def test_a_cycloid_is_isochronous():
    track, bottom = cycloid_track(count=801)
    omega = np.sqrt(GRAVITY / 4.0)
    for amplitude in (0.1, 1.0, 3.0):
        result = run(cart_on(track, q=bottom + amplitude), duration=8.0)
        expected = bottom + amplitude * np.cos(omega * result.t)
        assert np.abs(result.q[:, 0] - expected).max() <= 1e-6 * amplitude


BY_FRAMES: dict[str, Any] = {"orientation": "frames", "bank": None}


@pytest.mark.parametrize("fields", [{}, BY_FRAMES, BY_FRAMES | {"basis": "catmull_rom"}])
def test_a_coaster_keeps_its_energy_for_a_minute(fields):
    """A loop, a hill and banked turns, several laps; asked for is a thousandth."""
    track = coaster_track(**fields)
    result = run(cart_on(track, qdot=17.0), duration=60.0)
    assert result.q[-1, 0] > 3.0 * track.length
    energy, kinetic = result.channels["energy"], result.channels["kinetic"]
    assert np.ptp(energy) <= 1e-6 * np.ptp(kinetic)
    assert result.meta["route"].startswith("numba") or route.name() != route.NUMBA


def test_a_puck_in_a_bowl_keeps_energy_and_angular_momentum():
    result = run(puck_in(bowl(), q=(0.0, 8.0), qdot=(30.0, 0.0)), duration=8.0)
    energy, kinetic = result.channels["energy"], result.channels["kinetic"]
    about_z = result.channels["momentum"][:, 2]
    assert np.ptp(energy) <= 1e-6 * np.ptp(kinetic)
    assert np.ptp(about_z) <= 1e-6 * abs(about_z[0])
    assert np.ptp(result.q[:, 1]) > 3.0, "it goes up and down"
    assert result.q[-1, 0] > 240.0, "it goes round more than twice"


# --- ends, limits, motors and the rest that joints have ------------------------------------------


def test_ends_of_an_open_track_are_hard_limits():
    flat = dataclasses.replace(cart_on(straight(), q=1.0, qdot=10.0), gravity=(0.0, 0.0, 0.0))
    stopped = run(flat)
    assert stopped.q[-1, 0] == pytest.approx(5.0, abs=1e-9)
    assert stopped.q.max() <= 5.0 + 1e-9
    thrown = run(with_joint(flat, restitution=1.0))
    expected = 5.0 - np.abs(5.0 - (1.0 + 10.0 * thrown.t) % 10.0)
    np.testing.assert_allclose(thrown.q[:, 0], expected, atol=1e-7)
    closer = run(with_joint(flat, upper=3.0))
    assert closer.q[-1, 0] == pytest.approx(3.0, abs=1e-9)
    soft = run(with_joint(flat, limit_stiffness=1e4))
    assert 5.0 < soft.q.max() < 6.2
    assert soft.q[-1, 0] < 5.0


def test_edges_of_an_open_sheet_are_hard_limits():
    sheet = bowl()
    outwards = dataclasses.replace(puck_in(sheet, q=(3.0, 8.0), qdot=(0.0, 60.0)), gravity=(0.0, 0.0, 0.0))
    assert run(outwards).q[:, 1].max() == pytest.approx(sheet.extent[1], abs=1e-9)
    free = dataclasses.replace(outwards, sheets=[dataclasses.replace(sheet, stops=False)])
    assert run(free, duration=0.3).q[:, 1].max() > sheet.extent[1] + 1.0


def test_a_motor_a_force_and_damping_are_in_newtons_along_the_track():
    track = circle(3.0)
    level = dataclasses.replace(cart_on(track), gravity=(0.0, 0.0, 0.0))
    pushed = run(with_joint(level, torque=40.0, damping=80.0), duration=40.0)
    assert pushed.qdot[-1, 0] == pytest.approx(0.5, rel=1e-6)
    motor = Motor(control="speed", target_speed=2.0, speed_gain=1e4, maximum=60.0)
    driven = run(with_joint(level, motor=motor), duration=20.0)
    assert driven.qdot[-1, 0] == pytest.approx(2.0, rel=1e-6)


def test_an_animated_cart_follows_its_keys_and_a_locked_one_stands():
    track = coaster_track()
    table = Table(x=(0.0, 1.0, 2.0), y=((3.0,), (9.0,), (14.0,)), interpolation="cubic")
    scene = cart_on(track, q=3.0)
    result = run(with_joint(scene, motion_type="animated", animation=table), duration=2.0)
    expected = track.poses(result.q[:, 0]) @ pose.make(np.eye(3), (0.0, 0.0, 0.3))
    np.testing.assert_allclose(result.position[:, 0], expected[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(result.q[24, 0], 9.0, atol=1e-12)
    energy = result.channels["energy"] - result.channels["work"]
    assert np.ptp(energy) <= 1e-6 * np.ptp(result.channels["energy"]), "the force it needs does the work"
    assert np.ptp(run(with_joint(scene, motion_type="locked")).position, axis=0).max() == 0.0


def two_carts(track: Track, **fields: Any) -> Scene:
    bodies = [Body(name=name, shapes=(Box(size=(1.0, 0.6, 0.4), density=500.0),)) for name in ("a", "b")]
    joints = [
        SplineCurve(name=f"wheels {name}", parent=None, child=name, track="track", q=q, qdot=12.0)
        for name, q in (("a", 0.0), ("b", 3.0))
    ]
    return Scene(bodies=bodies, joints=joints, tracks=[track], **fields)


def test_a_coupling_and_a_drive_make_the_same_train():
    track = coaster_track(orientation="frames", bank=None)
    coupled = Coupling(name="bar", leader="wheels a", follower="wheels b", ratio=1.0, offset=3.0)
    follower = Follower(joint="wheels b", ratio=1.0, offset=3.0)
    drive = Drive(name="train", inputs=(DriveInput(joint="wheels a"),), followers=(follower,))
    by_rows, by_drive = run(two_carts(track, constraints=[coupled])), run(two_carts(track, drives=[drive]))
    np.testing.assert_allclose(by_rows.q, by_drive.q, atol=1e-6)
    np.testing.assert_allclose(by_drive.q[:, 1] - by_drive.q[:, 0], 3.0, atol=1e-12)
    assert np.ptp(by_drive.channels["energy"]) <= 1e-6 * np.ptp(by_drive.channels["kinetic"])


def test_a_cabin_swings_from_a_cart_on_a_cable():
    """One composite joint, and two joints with a cart of hardly any mass between them, move alike."""
    phi = np.linspace(0.0, np.pi, 9)
    x = np.stack([20.0 * phi / np.pi, 0.0 * phi, -2.0 * np.sin(phi)], 1)
    track = track_of(pose.make(np.eye(3), x), endpoints=True)
    cabin = Body(name="cabin", shapes=(Box(size=(1.0, 1.0, 2.0), density=100.0),))
    hanger = Pose(position=(0.0, 0.0, 2.5))
    parts = (SplineCurve.part(track="track"), Revolute.part(axis=(0.0, 1.0, 0.0)))
    whole = Composite(
        name="hanger", parent=None, child="cabin", parts=parts, q=(4.0, 0.3), frame_in_child=hanger,
        lower=(None, -2.0), upper=(None, 2.0),
    )  # fmt: skip
    scene = Scene(bodies=[cabin], joints=[whole], tracks=[track])
    model = compile_scene(scene)
    assert model.lower.tolist() == [0.0, -2.0]
    assert model.upper.tolist() == [track.length, 2.0]
    assert model.joints[0].dof_units == ("m", "rad")
    one = run(scene, duration=3.0)
    cart = Body(name="cart", shapes=(Box(size=(0.01, 0.01, 0.01), density=1.0),))
    wheels = SplineCurve(name="wheels", parent=None, child="cart", track="track", q=4.0)
    pin = Revolute(name="pin", parent="cart", child="cabin", axis=(0.0, 1.0, 0.0), q=0.3, frame_in_child=hanger)
    two = run(Scene(bodies=[cart, cabin], joints=[wheels, pin], tracks=[track]), duration=3.0)
    np.testing.assert_allclose(one.q, two.q, atol=1e-6)  # the cart has 1e-8 of the cabin's mass
    assert np.ptp(one.channels["energy"]) <= 1e-7 * np.ptp(one.channels["kinetic"])


def test_a_spline_joint_closes_a_loop():
    """A crank moves a rod whose end runs in a bent groove."""
    x = np.stack([np.linspace(-1.0, 4.5, 9), np.zeros(9), 0.1 * np.cos(np.linspace(0.0, 6.0, 9))], 1)
    track = track_of(pose.make(np.eye(3), x), endpoints=True)
    q0, _ = track.nearest((2.5, 0.0, 0.0))
    end = track.poses([q0])[0][:3, 3]
    crank, rod = (Body(name=name, shapes=(Box(size=(0.5, 0.1, 0.1), density=500.0),)) for name in ("crank", "rod"))
    y, left = (0.0, 1.0, 0.0), Pose(position=(-0.5, 0.0, 0.0))
    joints = [
        Revolute(name="bearing", parent=None, child="crank", axis=y, qdot=3.0, frame_in_child=left),
        Revolute(name="pin", parent="crank", child="rod", axis=y, frame_in_parent=Pose(position=(0.5, 0.0, 0.0))),
        Composite(
            name="groove",
            parent=None,
            child="rod",
            q=(q0, 0.0),
            parts=(SplineCurve.part(track="track"), Revolute.part(axis=y)),
            frame_in_child=Pose(position=tuple(np.array(end) - (1.0, 0.0, 0.0))),
        ),
    ]
    scene = Scene(bodies=[crank, rod], joints=joints, tracks=[track])
    assert len(compile_scene(scene).loops) == 1
    integrator = Dop853(rtol=1e-9, atol=1e-9)
    ours = run(scene, integrator, duration=1.0)
    for k in range(len(ours.t)):
        E = pose.from_quaternion(ours.position[k, 1], ours.rotation[k, 1])
        tip = E[:3, :3] @ (np.array(end) - (1.0, 0.0, 0.0)) + E[:3, 3]
        assert track.nearest(tip)[1] < 1e-6
    assert np.ptp(ours.channels["energy"]) <= 1e-5 * np.ptp(ours.channels["kinetic"])
    assert np.ptp(ours.position[:, 1, 0]) > 0.1


# --- kernels -------------------------------------------------------------------------------------


def test_carts_on_one_track_share_its_numbers():
    pytest.importorskip("numba")
    from redmax.kernels.layout.packing import pack
    from redmax.kernels.layout.packing_joints import pack_joints, special_forms

    if route.name() != route.NUMBA:
        pytest.skip("computed by numpy")
    track = ring_track(1)
    model = compile_scene(two_carts(track))
    assert model.joints[0].packed_data is model.joints[1].packed_data
    packed = model.once(pack)
    assert packed.whole
    links = np.zeros((2, 64), np.int64)
    bodies = np.zeros((2, 256))
    parts = pack_joints(model, special_forms(model), links, bodies)
    assert len(parts.data) == 1 + len(track.data)


@pytest.mark.parametrize(
    "fields", [{}, {"orientation": "tangent"}, {"coordinate": "parameter", "basis": "catmull_rom"}]
)
def test_both_routes_give_one_acceleration(fields):
    model = compile_scene(two_carts(ring_track(5, **fields)))
    tree = fast.new_tree(model)
    if tree is None:
        pytest.skip("computed by numpy")
    rng, chart = np.random.default_rng(6), model.initial_state().chart
    for _ in range(20):
        q, qdot = rng.uniform(-30.0, 30.0, 2), rng.uniform(-5.0, 5.0, 2)
        kin = kinematics(model, q, qdot, chart)
        expected = projected.forward_dynamics(model, kin, loads(model, kin, 0.0))
        ours = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros(2))[0]
        np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-10)


# --- steps end at corners ------------------------------------------------------------------------


def test_levels_with_a_period_come_again_after_each():
    levels = Levels((0.5, 2.0), 3.0)
    assert [levels(k) for k in range(-2, 4)] == [-2.5, -1.0, 0.5, 2.0, 3.5, 5.0]
    for x in np.linspace(-7.0, 7.0, 57):
        below = levels.below(float(x))
        assert levels(below - 1) < x <= levels(below)
    assert levels.below(3.5) == 2
    assert levels.below(3.5, with_equal=True) == 3
    assert levels.gap() == 1.5
    plain = Levels((0.5, 2.0))
    assert [plain(k) for k in (-1, 0, 1, 2)] == [-np.inf, 0.5, 2.0, np.inf]
    assert plain.gap() == 1.5


def test_corners_of_a_track_are_declared():
    rough = compile_scene(cart_on(ring_track(5, basis="catmull_rom")))
    (levels,) = state_switches(rough).levels
    assert levels.period == rough.joints[0].path.extent
    np.testing.assert_allclose(levels.values, rough.joints[0].path.borders[:-1])
    smooth = compile_scene(cart_on(ring_track(5)))
    assert not state_switches(smooth).levels
    assert len(coaster_track().corners) > 20, "along the tangent, where frames are far apart"
    angle = 2.0 * np.pi * np.arange(200) / 200
    points = np.stack([np.cos(angle), 0.7 * np.sin(angle), 0.2 * np.sin(2.0 * angle)], 1)
    assert not len(track_of(frames_along(points, cyclic=True), cyclic=True, orientation="tangent").corners)
    opened = compile_scene(cart_on(ring_track(6, basis="catmull_rom", cyclic=False), q=1.0))
    (levels,) = state_switches(opened).levels
    assert levels.period == np.inf
    np.testing.assert_allclose(levels.values, opened.joints[0].path.borders[1:-1])
