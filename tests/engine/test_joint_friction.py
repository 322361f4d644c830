# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction in the bearings of joints by the default integrator, beside closed forms."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints.base import Treatment
from redmax.integrators import INTEGRATORS
from redmax.integrators.automatic import Automatic
from redmax.integrators.dormand_prince import Dop853, Rk45
from redmax.joints.friction import Friction
from redmax.kernels import route
from redmax.simulate import SimulationError, record, simulate
from redmax.surfaces.primitives import BoxSurface, PlaneSurface
from redmax.tables import Table

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="friction in joints needs the compiled solver")

G = 9.81
MU, RADIUS = 0.3, 0.05
PIN = Friction(coefficient=MU, radius=RADIUS, height=0.1)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def run(scene, integrator=None, duration=2.0, fps=24.0):
    """The trajectory of a scene; the energy it had is the energy it has and what was lost."""
    integrator = Automatic() if integrator is None else integrator
    model = compile_scene(scene)
    found = record(model, simulate(model, integrator=integrator, fps=fps, duration=duration), fps=fps)
    assert found.status == "complete", found.message
    channels = found.channels
    balance = channels["energy"] - channels["energy"][0] + channels["loss"] - channels["work"]
    scale = np.ptp(channels["kinetic"]) + np.ptp(channels["potential"]) + 1e-9
    assert np.abs(balance).max() <= 1e-5 * scale
    assert (np.diff(channels["loss"]) >= -1e-9 * scale).all()
    return found


def pendulum(angle, *, length=1.0, friction=PIN, **fields):
    """A bar that hangs `angle` [rad] aside of the vertical."""
    b = Builder("pendulum")
    b.bar("bar", (0.0, 0.0, 0.0), (length * math.sin(angle), 0.0, -length * math.cos(angle)))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), friction=friction, **fields)
    return b.scene


def test_a_pendulum_swings_as_the_reaction_at_its_pin_says():
    """Beside the equation of one coordinate, whose reaction is written down, by many small steps."""
    found = run(pendulum(1.0), Automatic(accuracy="high"), duration=0.75, fps=24.0)
    inertia = (1.0 + 2.0 * 0.05**2) / 12.0 + 0.25
    theta, omega, side, h = 1.0, 0.0, -1.0, 1.0 / 24.0 / 200.0

    def slope(theta, omega):
        friction = 0.0
        for _ in range(40):
            alpha = (-0.5 * G * math.sin(theta) - side * friction) / inertia
            across, along = 0.5 * alpha + G * math.sin(theta), 0.5 * omega**2 + G * math.cos(theta)
            friction = MU * RADIUS * math.hypot(across, along)
        return np.array([omega, alpha])

    expected = [theta]
    y = np.array([theta, omega])
    for step in range(1, 18 * 200 + 1):
        k1 = slope(*y)
        k2 = slope(*(y + 0.5 * h * k1))
        k3 = slope(*(y + 0.5 * h * k2))
        k4 = slope(*(y + h * k3))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if step % 200 == 0:
            expected.append(y[0])
    assert y[1] < 0.0  # it has not turned back yet
    np.testing.assert_allclose(1.0 - found.q[:, 0], expected, atol=1e-8)


def test_small_swings_lose_the_same_angle_each_time_and_end_within_the_band():
    """mu r m g against m g l / 2: 2 mu r / (l / 2) per half a swing, and rest where sin(angle) < mu r / (l / 2)."""
    friction = Friction(coefficient=0.1, radius=0.01, height=0.1)
    found = run(pendulum(0.05, friction=friction), duration=24.0, fps=240.0)
    angle = 0.05 - found.q[:, 0]
    turning = np.flatnonzero(found.qdot[1:-1, 0] * found.qdot[2:, 0] < 0.0) + 1
    peaks = np.abs([angle[k - 2 : k + 3][np.abs(angle[k - 2 : k + 3]).argmax()] for k in turning])
    band = 0.1 * 0.01 / 0.5
    assert len(peaks) > 8
    np.testing.assert_allclose(np.diff(peaks), -2.0 * band, rtol=5e-3)
    assert abs(angle[-1]) < band
    assert (found.q[-240:, 0] == found.q[-1, 0]).all()
    assert (found.qdot[-240:] == 0.0).all()


@pytest.mark.parametrize(("part", "moves"), [(0.999, False), (1.001, True), (-0.999, False), (-1.001, True)])
def test_a_pendulum_stays_within_its_rest_band_and_only_there(part, moves):
    angle = math.copysign(math.asin(abs(part) * MU * RADIUS / 0.5), part)
    found = run(pendulum(angle), duration=10.0)
    assert bool((found.q != 0.0).any()) == moves
    held = found.channels["friction"][0, 0]
    assert held == pytest.approx(-0.5 * G * math.sin(angle) * min(1.0, 1.0 / abs(part)), rel=2e-6)


def slope_of(angle, friction, **fields):
    """A block on a guide that falls `angle` [rad] from the horizontal."""
    b = Builder("incline")
    b.body("block", (0.0, 0.0, 0.0), 2.0, 0.01 * np.eye(3))
    axis = (math.cos(angle), 0.0, -math.sin(angle))
    b.joint("prismatic", "guide", None, "block", (0.0, 0.0, 0.0), axis=axis, friction=friction, **fields)
    return b.scene


@pytest.mark.parametrize(
    "integrator", [Automatic(accuracy="high"), Automatic(), Dop853(), Rk45()], ids=lambda i: i.kind
)
def test_a_slider_slides_beyond_the_angle_of_friction_and_sticks_below(integrator):
    angle = math.atan(MU)
    block = Friction(coefficient=MU)
    assert (run(slope_of(0.999 * angle, block), integrator, duration=5.0).q == 0.0).all()
    found = run(slope_of(1.001 * angle, block), integrator)
    a = G * (math.sin(1.001 * angle) - MU * math.cos(1.001 * angle))
    np.testing.assert_allclose(found.q[:, 0], 0.5 * a * found.t**2, atol=1e-9)


def test_a_slider_that_is_thrown_uphill_stops_and_slides_back_only_where_it_is_steep():
    for slope, returns in ((0.2, False), (0.5, True)):
        found = run(slope_of(slope, Friction(coefficient=MU), qdot=(-2.0,)), fps=48.0)
        up, down = G * (math.sin(slope) + MU * math.cos(slope)), G * (math.sin(slope) - MU * math.cos(slope))
        stop = 2.0 / up
        before = found.t <= stop
        top = -2.0 * stop + 0.5 * up * stop**2
        after = top + (0.5 * down * (found.t - stop) ** 2 if returns else 0.0)
        expected = np.where(before, -2.0 * found.t + 0.5 * up * found.t**2, after)
        np.testing.assert_allclose(found.q[:, 0], expected, atol=1e-8)


@pytest.mark.parametrize(("arm", "jams"), [(0.03, False), (0.11, False), (0.12, True)])
def test_a_drawer_jams_where_it_is_pulled_too_far_aside(arm, jams):
    """Its weight pulls at an arm d beside a block of length l: the couple presses at both ends, 2 mu d / l of the
    weight is friction, and beyond the whole of it nothing moves. What falls freely presses on nothing."""
    b = Builder("drawer", gravity=(-G, 0.0, 0.0))
    b.body("drawer", (0.0, arm, 0.0), 2.0, 0.01 * np.eye(3))
    friction = Friction(coefficient=0.3, sides=(0.07, 0.5, 0.5))
    b.joint("prismatic", "guide", None, "drawer", (0.0, 0.0, 0.0), axis=X, friction=friction)
    found = run(b.scene)
    np.testing.assert_allclose(found.q[:, 0], 0.0 if jams else -0.5 * G * found.t**2, atol=1e-6)


def screw(pitch, torque, *, mu=MU, radius=0.02, load=50.0):
    """A nut that lifts a weight along z as it turns."""
    b = Builder("jack")
    b.body("nut", (0.0, 0.0, 0.0), load / G, 1e-3 * np.eye(3))
    friction = Friction(coefficient=mu, radius=radius, height=0.05)
    b.joint("screw", "thread", None, "nut", (0.0, 0.0, 0.0), axis=Z, pitch=pitch, friction=friction, torque=torque)
    return b.scene


@pytest.mark.parametrize(("part", "holds"), [(0.99, True), (1.01, False)])
def test_a_screw_locks_itself_up_to_the_angle_of_friction(part, holds):
    lead = part * math.atan(MU)
    found = run(screw(2.0 * math.pi * 0.02 * math.tan(lead), 0.0), duration=3.0)
    assert (found.q == 0.0).all() == holds


@pytest.mark.parametrize(("part", "lifts"), [(0.999, False), (1.001, True)])
def test_a_screw_lifts_by_the_torque_of_a_wedge_around_its_axis(part, lifts):
    """W r tan(lead + angle of friction)."""
    lead = 0.1
    torque = 50.0 * 0.02 * math.tan(lead + math.atan(MU))
    found = run(screw(2.0 * math.pi * 0.02 * math.tan(lead), part * torque), duration=1.0)
    assert (found.q == 0.0).all() != lifts
    assert found.q[-1, 0] >= 0.0


def test_a_wheel_on_its_axle_slows_down_evenly_and_stands():
    """Across the axle its weight presses, mu r m g; upright on its shoulder it is the same."""
    for axis in (Y, Z):
        b = Builder("wheel")
        b.body("wheel", (0.0, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
        b.hinge("axle", None, "wheel", (0.0, 0.0, 0.0), axis=axis, qdot=4.0, friction=PIN)
        found = run(b.scene, duration=3.0)
        slowing = MU * RADIUS * 3.0 * G / 0.2
        expected = np.where(found.t < 4.0 / slowing, 4.0 - slowing * found.t, 0.0)
        np.testing.assert_allclose(found.qdot[:, 0], expected, atol=1e-8)
        np.testing.assert_allclose(found.channels["friction"][0, 0], -MU * RADIUS * 3.0 * G, rtol=1e-9)
        assert (found.qdot[-3:] == 0.0).all()


def test_an_overhung_wheel_presses_harder_in_a_short_bearing():
    """At an arm d from the middle of a bearing of height H the loads are W (1/2 +- d / H)."""
    for arm, load in ((0.02, 1.0), (0.1, 2.0)):
        b = Builder("overhung")
        b.body("wheel", (0.0, arm, 0.0), 3.0, 0.2 * np.eye(3))
        b.hinge("axle", None, "wheel", (0.0, 0.0, 0.0), axis=Y, qdot=4.0, friction=PIN)
        found = run(b.scene, duration=0.5)
        np.testing.assert_allclose(found.channels["friction"][:, 0], -MU * RADIUS * 3.0 * G * load, rtol=1e-9)


def test_a_ball_in_its_socket_turns_ever_slower_about_the_same_axis():
    b = Builder("socket")
    b.body("ball", (0.0, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
    b.joint("spherical", "socket", None, "ball", (0.0, 0.0, 0.0), qdot=(1.0, 2.0, -2.0), friction=PIN)
    found = run(b.scene, duration=2.0)
    slowing = MU * RADIUS * 3.0 * G / 0.2
    speed = np.linalg.norm(found.channels["twist"][:, 0, :3], axis=1)
    np.testing.assert_allclose(speed, np.maximum(3.0 - slowing * found.t, 0.0), atol=2e-6)
    assert (found.qdot[-3:] == 0.0).all()


@pytest.mark.parametrize(("part", "moves"), [(0.999, False), (1.001, True)])
def test_a_ball_sticks_in_its_socket_until_its_weight_tips_it(part, moves):
    """The centre of mass beside the socket's: m g d against mu r m g."""
    b = Builder("socket")
    d = part * MU * RADIUS
    b.body("ball", (0.6 * d, 0.8 * d, 0.0), 3.0, 0.2 * np.eye(3))
    b.joint("spherical", "socket", None, "ball", (0.0, 0.0, 0.0), friction=PIN)
    assert bool((run(b.scene, duration=4.0).q != 0.0).any()) == moves


def test_a_plate_slides_straight_to_its_rest():
    b = Builder("plate")
    b.body("puck", (0.0, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
    b.joint("planar", "table", None, "puck", (0.0, 0.0, 0.0), qdot=(1.2, -1.6), friction=Friction(coefficient=MU))
    found = run(b.scene, duration=1.5)
    t = np.minimum(found.t, 2.0 / (MU * G))
    way = 2.0 * t - 0.5 * MU * G * t**2
    np.testing.assert_allclose(found.q, way[:, None] * np.array([0.6, -0.8]), atol=1e-6)
    assert (found.qdot[-3:] == 0.0).all()


def chain(n, friction, **fields):
    b = Builder("chain")
    for k in range(n):
        b.bar(f"b{k}", (0.3 * k, 0.0, 0.0), (0.3 * (k + 1), 0.0, 0.0))
        axis = Y if k % 2 == 0 else (0.0, 0.6, 0.8)
        b.hinge(
            f"j{k}", f"b{k - 1}" if k else None, f"b{k}", (0.3 * k, 0.0, 0.0), axis=axis, friction=friction, **fields
        )
    return b.scene


def test_a_chain_loses_its_energy_and_comes_to_rest():
    found = run(chain(4, Friction(coefficient=0.5, radius=0.1)), duration=12.0)
    assert (found.qdot[-12:] == 0.0).all()
    assert found.channels["kinetic"].max() > 1.0


def test_accuracies_agree():
    scene = chain(3, Friction(coefficient=0.2, radius=0.03))
    exact = run(scene, Dop853(rtol=1e-12, atol=1e-12), duration=2.0)
    for accuracy, error in (("draft", 1e-3), ("standard", 1e-4), ("high", 1e-8)):
        found = run(scene, Automatic(accuracy=accuracy), duration=2.0)
        np.testing.assert_allclose(found.q, exact.q, atol=error)


def test_friction_passes_between_bodies_and_changes_no_momentum():
    """A hinge of two bodies that fly: what one loses the other gets."""
    b = Builder("flying", gravity=(0.0, 0.0, 0.0))
    b.bar("a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("b", (1.0, 0.0, 0.0), (1.5, 0.0, 0.4), mass=2.0)
    b.joint("free", "flies", None, "a", (0.0, 0.0, 0.0), qdot=(0.0, 0.0, 0.0, 0.1, 0.2, 0.0))
    b.hinge("j", "a", "b", (1.0, 0.0, 0.0), qdot=8.0, friction=Friction(coefficient=0.5, radius=0.1))
    found = run(b.scene, duration=3.0)
    assert abs(found.qdot[-1, -1]) < 0.5 * abs(found.qdot[0, -1])
    momentum = found.channels["momentum"]
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-6)


def test_a_motor_starts_what_sticks_when_it_is_strong_enough():
    """A torque that grows with time lets go at mu r m g, between two frames."""
    b = Builder("started", gravity=(0.0, 0.0, -G))
    b.body("wheel", (0.0, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
    ramp = Table(x=(0.0, 2.0), y=((0.0,), (1.0,)), interpolation="linear")
    b.hinge("axle", None, "wheel", (0.0, 0.0, 0.0), axis=Y, torque_table=ramp, friction=PIN)
    found = run(b.scene, duration=1.9, fps=24.0)
    limit = MU * RADIUS * 3.0 * G
    start = 2.0 * limit
    later = np.maximum(found.t - start, 0.0)
    np.testing.assert_allclose(found.qdot[:, 0], 0.25 * later**2 / 0.2, atol=1e-8)
    np.testing.assert_allclose(found.channels["friction"][:, 0], -np.minimum(0.5 * found.t, limit), atol=1e-8)


TURNED = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, -0.8], [0.0, 0.8, 0.6]])
KINDS = {
    "universal": {"qdot": (1.0, -2.0)},
    "spherical_euler": {"qdot": (1.0, -2.0, 0.5)},
    "screw": {"axis": Z, "pitch": 0.1, "qdot": (3.0,)},
    "prismatic": {"axis": X, "qdot": (0.5,)},
}


def arm_with(kind, friction, **fields):
    """A bar on a hinge with a body at its end on a joint of another kind, both of which rub; springs hold it."""
    b = Builder("kinds")
    b.bar("arm", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    b.body("end", (0.6, 0.05, 0.0), 1.0, np.diag([0.02, 0.03, 0.04]))
    b.hinge("pin", None, "arm", (0.0, 0.0, 0.0), friction=friction, stiffness=20.0, damping=1.0)
    b.joint(kind, "tip", "arm", "end", (0.5, 0.0, 0.0), TURNED, stiffness=30.0, friction=friction, **fields)
    return b.scene


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_comes_to_rest_and_its_books_balance(kind):
    friction = Friction(coefficient=0.3, radius=0.04, height=0.3, sides=(0.3, 0.3, 0.3))
    found = run(arm_with(kind, friction, **KINDS[kind]), duration=10.0)
    assert found.channels["loss"][-1] > 0.1
    assert (found.qdot[-12:] == 0.0).all()


def test_a_joint_that_friction_locks_while_it_moves_ends_the_run_by_name():
    """Two pins of a cross, so short and thick that the friction of each presses the other by more than it is."""
    model = compile_scene(
        arm_with("universal", Friction(coefficient=0.8, radius=0.2, height=0.2), **KINDS["universal"])
    )
    *_, last = simulate(model, integrator=Automatic(), fps=24.0, duration=0.1)
    assert last.status == "failed"
    assert last.outcome.code == "jams"
    assert last.outcome.what.startswith(("joint 'pin': jams", "joint 'tip': jams"))


def test_what_does_not_simulate_friction_says_so():
    model = compile_scene(pendulum(0.3))
    for cls in INTEGRATORS:
        refuses = cls.kind not in ("automatic", "dop853", "rk45")
        told = " ".join(cls().cannot(model))
        assert ("does not simulate friction inside joints, as of joint 'pin'" in told) == refuses
    told = Dop853(dynamics="recursive").cannot(model)
    assert "dynamics 'fast' alone" in told[0]


def on_ground(scene):
    """The scene with a floor, on which its first body may lie."""
    return dataclasses.replace(scene, surfaces=[PlaneSurface(name="floor"), BoxSurface(name="skin", body="bar")])


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (on_ground(pendulum(0.3)), "together with surfaces"),
        (arm_with("free_2d", PIN), "slide and turn both"),
    ],
)
def test_mechanisms_in_which_it_is_not_simulated_are_refused(scene, words):
    with pytest.raises(SimulationError, match=words):
        list(simulate(compile_scene(scene), integrator=Automatic(), fps=24.0, duration=0.1))


def test_where_loops_are_left_to_drift_it_is_refused():
    linkage = compile_scene(four_bar(friction=PIN))
    assert Automatic().cannot(linkage) == []
    told = Automatic().cannot(dataclasses.replace(linkage, treatment=Treatment(projects=False)))
    assert "left to drift" in told[0]
