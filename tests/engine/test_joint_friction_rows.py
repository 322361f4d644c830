# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction in the bearings of joints together with loops, hard limits, couplings, drives and what is moved."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.mechanisms import Builder, circles, four_bar, slider_crank
from engine.test_joint_friction import MU, PIN, RADIUS, G, pendulum, run
from redmax.compile import compile as compile_scene
from redmax.constraints import BallLimit, Coupling, JointMotion
from redmax.drives import Drive, DriveInput, Follower
from redmax.integrators.dormand_prince import Dop853
from redmax.joints.friction import Friction
from redmax.kernels import route
from redmax.shared_loads import has_redundant_rows
from redmax.tables import Table

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="friction in joints needs the compiled solver")

Y = (0.0, 1.0, 0.0)


def rubbing(scene, friction):
    """The scene with friction in all its joints."""
    return dataclasses.replace(scene, joints=[dataclasses.replace(joint, friction=friction) for joint in scene.joints])


# --- loops ---------------------------------------------------------------------------------------


def planar_four_bar(friction, speed, *, crank=0.3, coupler=0.9, rocker=0.7, ground=1.0, angle=0.5):
    """Accelerations of crank, coupler and rocker [rad/s^2, about y] of `four_bar`, and friction in the joints A, B, D
    and C [N m], by Newton and Euler in the plane: eight forces and three accelerations at once."""
    A, D = np.zeros(2), np.array([ground, 0.0])
    B = crank * np.array([math.cos(angle), math.sin(angle)])
    C = np.delete(circles(np.insert(B, 1, 0.0), coupler, np.insert(D, 1, 0.0), rocker), 1)

    def turned(r):  # omega x r for a turn of 1 about y, in x and z
        return np.array([r[1], -r[0]])

    w1 = speed
    w2, w3 = np.linalg.solve(np.stack([turned(C - B), -turned(C - D)], axis=1), -w1 * turned(B - A))
    lengths = np.array([crank, coupler, rocker])
    inertia = (lengths**2 + 2.0 * (0.05 * lengths) ** 2) / 12.0
    centers = 0.5 * np.stack([A + B, B + C, D + C])
    rates = np.array([w1, w2, w3])
    slips = np.array([w1, w2 - w1, w3, w3 - w2])  # of A, B, D, C: child less parent
    side = np.sign(slips)
    ends = ((0, A, None), (1, B, 0), (2, D, None), (2, C, 1))  # child, place, parent
    friction_now = np.zeros(4)
    for _ in range(200):
        M, right = np.zeros((11, 11)), np.zeros(11)  # unknown: alpha (3), forces of A, B, D, C on their children
        starts, origins = (A, B, D), ((None, 0.0), (0, B), (None, 0.0))
        for body in range(3):
            r = centers[body] - starts[body]
            rows = slice(3 * body, 3 * body + 2)
            M[rows, body] += turned(r)
            right[rows] += rates[body] ** 2 * r
            if origins[body][0] is not None:  # the coupler begins where the crank ends
                M[rows, 0] += turned(B - A)
                right[rows] += w1**2 * (B - A)
            right[rows] += np.array([0.0, -G])
            M[3 * body + 2, body] = inertia[body]
        for k, (child, place, parent) in enumerate(ends):
            force = slice(3 + 2 * k, 5 + 2 * k)
            for body, sign in ((child, 1.0), (parent, -1.0)):
                if body is None:
                    continue
                M[3 * body : 3 * body + 2, force] -= sign * np.eye(2)
                r = place - centers[body]
                M[3 * body + 2, force] -= sign * np.array([r[1], -r[0]])  # torque about y: z f_x - x f_z
                right[3 * body + 2] += sign * friction_now[k]
        M[9:, 0], M[9:, 1], M[9:, 2] = turned(B - A), turned(C - B), -turned(C - D)
        right[9:] = w1**2 * (B - A) + w2**2 * (C - B) - w3**2 * (C - D)
        x = np.linalg.solve(M, right)
        loads = np.linalg.norm(x[3:].reshape(4, 2), axis=1)
        friction_now = -side * friction.coefficient * friction.radius * loads
    return x[:3], friction_now


@pytest.mark.parametrize("speed", [4.0, -3.0])
@pytest.mark.parametrize("angle", [0.5, 1.7])
def test_a_four_bar_is_slowed_as_newton_and_euler_say(speed, angle):
    friction = Friction(coefficient=0.3, radius=0.05, height=0.2)
    scene = rubbing(four_bar(angle=angle), friction)
    scene.joints[0] = dataclasses.replace(scene.joints[0], qdot=speed)
    found = run(scene, Dop853(rtol=1e-11, atol=1e-11), duration=0.05)
    alpha, torque = planar_four_bar(friction, found.qdot[0, 0], angle=angle)
    np.testing.assert_allclose(
        found.channels["qddot"][0], (alpha[0], alpha[1] - alpha[0], alpha[2]), rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(found.channels["friction"][0], torque[:3], rtol=1e-7)


ORDERS = ((2, 3, 0, 1), (3, 0, 2, 1))


def moved_bodies(scene, names, **options):
    found = run(scene, duration=2.0, **options)
    return found.position[:, [found.body(name) for name in names]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limits", [None, (-0.3, 0.4)], ids=["free", "limited"])
@pytest.mark.parametrize("mu", [0.05, 0.4])
@pytest.mark.parametrize("make", [four_bar, slider_crank])
def test_it_does_not_matter_which_joint_closes_the_loop(make, mu, limits, order):
    scene = rubbing(make(), Friction(coefficient=mu, radius=0.04, height=0.1))
    if limits is not None:
        scene.joints[0] = dataclasses.replace(scene.joints[0], lower=limits[0], upper=limits[1])
    names = [body.name for body in scene.bodies]
    other = dataclasses.replace(scene, joints=[scene.joints[k] for k in order])
    np.testing.assert_allclose(moved_bodies(other, names), moved_bodies(scene, names), atol=1e-7)


def parallelogram(tilt, friction, **crank):
    """A heavy table on two upright light bars of 1 m, in gravity that is tilted; fields are those of the first pin."""
    b = Builder("table", gravity=(G * math.sin(tilt), 0.0, -G * math.cos(tilt)))
    for name, x in (("left", 0.0), ("right", 2.0)):
        b.bar(name, (x, 0.0, 0.0), (x, 0.0, 1.0), mass=1e-4)
    b.body("table", (1.0, 0.0, 1.0), 10.0, np.eye(3))
    b.hinge("A", None, "left", (0.0, 0.0, 0.0), friction=friction, **crank)
    b.hinge("B", "left", "table", (0.0, 0.0, 1.0), friction=friction)
    b.hinge("D", None, "right", (2.0, 0.0, 0.0), friction=friction)
    b.hinge("C", "right", "table", (2.0, 0.0, 1.0), friction=friction)
    return b.scene


@pytest.mark.parametrize(("part", "falls"), [(0.995, False), (1.005, True), (-0.995, False), (-1.005, True)])
def test_a_table_on_two_bars_stands_as_long_as_all_four_pins_hold_it(part, falls):
    """Each pin turns as much as the bars: 4 mu r (W / 2) against W tan(tilt) times their length. No pin alone holds it,
    and how they share is not determined."""
    friction = Friction(coefficient=0.3, radius=0.02, height=0.1)
    tilt = part * math.atan(2.0 * 0.3 * 0.02)
    found = run(parallelogram(tilt, friction), duration=5.0)
    assert (np.abs(found.q).max() > 1e-4) == falls
    if not falls:
        assert np.abs(found.q).max() <= 1e-13


def test_a_loop_that_stands_lets_go_between_two_frames_when_it_is_pushed_hard_enough():
    friction = Friction(coefficient=0.3, radius=0.02, height=0.1)
    ramp = Table(x=(0.0, 4.0), y=((0.0,), (4.0,)), interpolation="linear")
    found = run(parallelogram(0.0, friction, torque_table=ramp), duration=1.6, fps=240.0)
    limit = 2.0 * 0.3 * 0.02 * 10.0 * G
    moving = np.abs(found.qdot[:, 0]) > 1e-9
    assert found.t[moving][0] == pytest.approx(limit, rel=5e-3)
    assert np.abs(found.q[~moving]).max() <= 1e-13


@pytest.mark.parametrize("mu", [0.1, 0.3, 3.0])
def test_a_linkage_comes_to_rest_and_stays_there(mu):
    found = run(rubbing(four_bar(), Friction(coefficient=mu, radius=0.05, height=0.1)), duration=10.0)
    np.testing.assert_allclose(found.qdot[-24:], 0.0, atol=1e-15)
    np.testing.assert_allclose(found.q[-24:], np.broadcast_to(found.q[-1], (24, 3)), atol=1e-13)
    assert found.channels["gap"].max() < 1e-12


def remarks(found):
    return [each["code"] for each in found.meta.get("remarks", ())]


def test_it_is_said_where_loads_are_not_determined():
    """A four-bar that lies flat carries its weight across its plane, in shares that nobody knows; upright its loads are
    determined."""
    upright = rubbing(four_bar(), PIN)
    flat = dataclasses.replace(upright, gravity=(0.0, -G, 0.0))
    flat.joints[0] = dataclasses.replace(flat.joints[0], qdot=4.0)
    assert "shared_load" not in remarks(run(upright, duration=0.2))
    assert "shared_load" in remarks(run(flat, duration=0.2))
    assert has_redundant_rows(compile_scene(flat))
    assert not has_redundant_rows(compile_scene(rubbing(flat, None)))


# --- hard limits ---------------------------------------------------------------------------------


def test_what_leans_on_a_limit_leaves_it_when_it_is_pulled_harder_than_it_rubs():
    b = Builder("stopped", gravity=(0.0, 0.0, -G))
    b.body("wheel", (0.0, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
    ramp = Table(x=(0.0, 1.0, 3.0), y=((-1.0,), (-1.0,), (1.0,)), interpolation="linear")
    b.hinge("axle", None, "wheel", (0.0, 0.0, 0.0), axis=Y, torque_table=ramp, friction=PIN, lower=0.0, upper=2.0)
    found = run(b.scene, duration=2.9)
    limit, torque = MU * RADIUS * 3.0 * G, np.interp(found.t, (0.0, 1.0, 3.0), (-1.0, -1.0, 1.0))
    later = np.maximum(found.t - (2.0 + limit), 0.0)
    np.testing.assert_allclose(found.qdot[:, 0], 0.5 * later**2 / 0.2, atol=1e-8)
    np.testing.assert_allclose(found.channels["constraint"][:, 0], np.maximum(-torque, 0.0), atol=1e-8)
    np.testing.assert_allclose(found.channels["friction"][:, 0], -np.clip(torque, 0.0, limit), atol=1e-8)


def test_a_pendulum_that_falls_on_its_limit_loses_the_rest_of_its_energy_there():
    found = run(pendulum(1.0, lower=-1.0, upper=0.8), duration=3.0)
    assert found.q[-1, 0] == 0.8
    assert (found.channels["friction"][-1] == 0.0).all()
    fallen = G * 0.5 * (math.cos(0.2) - math.cos(1.0))
    np.testing.assert_allclose(found.channels["loss"][-1], fallen, rtol=1e-6)


def test_a_limit_presses_the_more_the_less_friction_holds():
    """A weight on an arm above a joint that is at its limit: what the arm's friction passes on decides."""
    b = Builder("two")
    b.bar("lower", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    b.bar("upper", (0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
    b.hinge("foot", None, "lower", (0.0, 0.0, 0.0), lower=0.0, upper=1.0)
    b.hinge("elbow", "lower", "upper", (0.0, 0.0, 1.0), friction=Friction(coefficient=0.4, radius=0.2, height=0.2))
    found = run(b.scene, duration=0.02, fps=200.0)
    # the elbow slides; its friction turns the foot on with it, so that it leaves the limit at once
    assert found.channels["friction"][0, 1] < 0.0
    assert found.channels["qddot"][0, 0] > 0.0


@pytest.mark.parametrize("seed", range(12))
def test_chains_with_limits_and_friction_go_on_and_their_books_balance(seed):
    rng = np.random.default_rng(seed)
    b = Builder("chain")
    for k in range(int(rng.integers(3, 7))):
        b.bar(f"b{k}", (0.3 * k, 0.0, 0.0), (0.3 * (k + 1), 0.0, 0.0))
        axis = Y if rng.uniform() < 0.7 else (0.0, 0.6, 0.8)
        limits = {"lower": -rng.uniform(0.2, 1.5), "upper": rng.uniform(0.2, 1.5)} if rng.uniform() < 0.6 else {}
        friction = Friction(coefficient=rng.uniform(0.1, 0.4), radius=rng.uniform(0.005, 0.05), height=0.1)
        at = (0.3 * k, 0.0, 0.0)
        b.hinge(f"j{k}", f"b{k - 1}" if k else None, f"b{k}", at, axis=axis, friction=friction, **limits)
    run(b.scene, duration=3.0)


def test_a_ball_sticks_at_its_limit():
    b = Builder("shoulder")
    b.body("ball", (0.3, 0.0, 0.0), 3.0, 0.2 * np.eye(3))
    b.joint("spherical", "socket", None, "ball", (0.0, 0.0, 0.0), friction=PIN)
    b.scene.constraints.append(BallLimit(name="cone", joint="socket", twist_axis="x", swing_1=0.5, swing_2=0.5))
    found = run(b.scene, duration=4.0)
    assert np.linalg.norm(found.q[-1]) == pytest.approx(0.5, abs=1e-9)
    assert (found.qdot[-12:] == 0.0).all()


# --- couplings, drives and what is moved ---------------------------------------------------------


def geared(way, torque, ratio=-2.0):
    """Two wheels on level axles, the second turned by the first; the first has a torque that grows to `torque`."""
    b = Builder("gears")
    ramp = Table(x=(0.0, 2.0), y=((0.0,), (torque,)), interpolation="linear")
    for name, x, mass in (("a", 0.0, 3.0), ("b", 1.0, 2.0)):
        b.body(name, (x, 0.0, 0.0), mass, 0.2 * np.eye(3))
    b.hinge("first", None, "a", (0.0, 0.0, 0.0), friction=PIN, torque_table=ramp)
    b.hinge("second", None, "b", (1.0, 0.0, 0.0), friction=PIN)
    followers = (Follower(joint="second", ratio=(ratio,)),)
    if way == "coupling":
        b.scene.constraints.append(Coupling(name="gear", leader="first", follower="second", ratio=ratio))
    elif way == "drive":
        b.scene.drives.append(Drive(name="gear", inputs=(DriveInput(joint="first"),), followers=followers))
    else:  # an input of its own, without inertia
        followers = (Follower(joint="first", ratio=(1.0,)), *followers)
        b.scene.drives.append(Drive(name="gear", inputs=(DriveInput(),), followers=followers))
    return b.scene


@pytest.mark.parametrize("way", ["coupling", "drive", "input"])
def test_gears_start_when_both_axles_give_way(way):
    """mu r (W1 + |ratio| W2) in all; neither axle alone stands."""
    found = run(geared(way, 1.5), duration=1.9)
    limit = MU * RADIUS * G * (3.0 + 2.0 * 2.0)
    later = np.maximum(found.t - limit / 0.75, 0.0)
    np.testing.assert_allclose(found.qdot[:, 0], 0.375 * later**2 / (0.2 + 4.0 * 0.2), atol=1e-8)
    np.testing.assert_allclose(found.channels["friction"][-1], MU * RADIUS * G * np.array([-3.0, 2.0]), rtol=1e-9)


def test_gears_that_are_thrown_come_to_rest_where_they_must():
    for way in ("coupling", "drive"):
        scene = geared(way, 0.0)
        first, second = scene.joints
        scene.joints[:] = [dataclasses.replace(first, qdot=3.0), dataclasses.replace(second, qdot=-6.0)]
        found = run(scene, duration=3.0)
        slowing = MU * RADIUS * G * (3.0 + 2.0 * 2.0) / (0.2 + 4.0 * 0.2)
        np.testing.assert_allclose(found.qdot[:, 0], np.maximum(3.0 - slowing * found.t, 0.0), atol=1e-8)


TURNS = Table(x=(0.0, 1.0, 2.0, 4.0), y=((0.0,), (1.0,), (1.0,), (4.0,)), interpolation="linear")


def test_a_crank_that_is_moved_works_against_friction():
    """Prescribed by a row or animated, it needs the same."""
    by_row = rubbing(four_bar(), PIN)
    by_row.joints[0] = dataclasses.replace(by_row.joints[0], friction=None)
    by_key = dataclasses.replace(by_row, joints=list(by_row.joints), constraints=[])
    by_row.constraints.append(JointMotion(name="moved", joint="A", table=TURNS))
    by_key.joints[0] = dataclasses.replace(by_key.joints[0], motion_type="animated", animation=TURNS)
    one, other = run(by_row, duration=4.0), run(by_key, duration=4.0)
    np.testing.assert_allclose(one.q, other.q, atol=1e-7)
    np.testing.assert_allclose(one.channels["loss"], other.channels["loss"], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(one.channels["work"], other.channels["work"], rtol=1e-6, atol=1e-6)
    still = (one.t > 1.1) & (one.t < 1.9)
    np.testing.assert_allclose(one.qdot[still], 0.0, atol=1e-12)
    assert one.channels["loss"][-1] > 0.1


def test_friction_that_others_hold_sets_in_when_they_move():
    """A wheel geared to one that a smooth table starts from rest rubs from the first moment on."""
    scene = geared("coupling", 0.0)
    smooth = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (0.5,), (2.0,)), interpolation="cubic")
    scene.constraints.append(JointMotion(name="moved", joint="first", table=smooth))
    found = run(scene, duration=1.5)
    turning = np.abs(found.qdot[:, 0]) > 1e-3
    expected = -np.sign(found.qdot[:, 1]) * MU * RADIUS * 2.0 * G
    np.testing.assert_allclose(found.channels["friction"][turning, 1], expected[turning], rtol=1e-8)


@pytest.mark.parametrize("way", ["coupling", "drive"])
def test_a_gear_on_an_animated_joint_needs_the_torque_of_what_rubs_behind_it(way):
    """At an even speed, |ratio| mu r W2; its work is what the other axle loses."""
    scene = geared(way, 0.0)
    even = Table(x=(0.0, 2.0), y=((0.0,), (3.0,)), interpolation="linear")
    first, second = scene.joints
    moved = dataclasses.replace(first, motion_type="animated", animation=even, torque_table=None, friction=None)
    scene.joints[:] = [moved, dataclasses.replace(second, q=0.0, qdot=-3.0)]
    found = run(scene, duration=1.5)
    needed = 2.0 * MU * RADIUS * 2.0 * G
    motor = found.channels["motor"][1:, 0]
    np.testing.assert_allclose(found.qdot[1:, 1], -3.0, rtol=1e-9)
    np.testing.assert_allclose(motor, needed, rtol=1e-8)
    np.testing.assert_allclose(found.channels["work"], needed * 1.5 * found.t, atol=1e-6)
    np.testing.assert_allclose(found.channels["loss"], found.channels["work"], atol=1e-6)
