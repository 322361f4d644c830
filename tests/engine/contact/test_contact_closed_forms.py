# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of bodies that touch against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, bouncing_ball, cradle, run, slope, stack
from redmax.fields import Pose
from redmax.surfaces import BoxSurface

MU = 0.5


def bounced(t: float, height: float, e: float) -> float:
    """Height of a point that falls from rest and gives back e of its speed at every bounce [m]."""
    meets, speed = math.sqrt(2.0 * height / G), e * math.sqrt(2.0 * G * height)
    if t < meets:
        return height - 0.5 * G * t * t
    while t > meets + 2.0 * speed / G:
        meets += 2.0 * speed / G
        speed *= e
    return speed * (t - meets) - 0.5 * G * (t - meets) ** 2


@pytest.mark.parametrize(("accuracy", "off"), [("draft", 1e-6), ("high", 1e-9)])
def test_a_ball_bounces_to_the_height_of_its_restitution(accuracy: str, off: float) -> None:
    found = run(bouncing_ball(), 2.0, accuracy, fps=60)
    expected = [bounced(t, 1.0, 0.8) for t in found.t]
    np.testing.assert_allclose(found.position[:, 0, 2] - 0.1, expected, atol=off)


def test_bounces_come_to_an_end() -> None:
    found = run(bouncing_ball(height=0.05, bounce=0.5), 1.0)
    assert found.status == "complete"
    np.testing.assert_allclose(found.position[-1, 0], (0.0, 0.0, 0.1), atol=1e-8)
    assert np.abs(found.qdot[-1]).max() < 1e-8


@pytest.mark.parametrize("joint", ["free", "free_translation_rotation"])
def test_a_box_sticks_to_a_slope_just_below_the_angle_of_friction(joint: str) -> None:
    found = run(slope(math.atan(MU / 1.001), MU, joint=joint), 1.0)
    moved = np.linalg.norm(found.position[:, 0] - found.position[0, 0], axis=1)
    assert moved[-1] - moved[-2] < 1e-9 / 24.0  # creep below 1e-9 m/s
    assert moved.max() < 1e-9


@pytest.mark.parametrize("joint", ["free", "free_translation_rotation"])
def test_it_slides_just_above_it_with_the_acceleration_that_is_left(joint: str) -> None:
    angle = math.atan(MU * 1.001)
    found = run(slope(angle, MU, joint=joint), 1.0)
    moved = np.linalg.norm(found.position[:, 0] - found.position[0, 0], axis=1)
    a = G * (math.sin(angle) - MU * math.cos(angle))
    assert moved[-1] == pytest.approx(0.5 * a, rel=1e-5)


def test_without_friction_it_slides_as_a_point_does() -> None:
    found = run(slope(0.3, 0.0), 0.5)
    moved = np.linalg.norm(found.position[-1, 0] - found.position[0, 0])
    assert moved == pytest.approx(0.5 * G * math.sin(0.3) * found.t[-1] ** 2, rel=1e-8)
    assert found.channels["friction_loss"][-1] == 0.0


@pytest.mark.parametrize(("accuracy", "off"), [("standard", 1e-3), ("high", 1e-5)])
def test_a_sliding_box_stops_after_its_stopping_distance_and_never_lifts(accuracy: str, off: float) -> None:
    found = run(slope(0.0, MU, velocity=2.0), 1.0, accuracy)
    distance = 2.0**2 / (2.0 * MU * G)
    assert found.position[-1, 0, 0] == pytest.approx(distance, rel=off)
    assert np.abs(found.position[:, 0, 2] - 0.05).max() < 1e-9
    lost = found.channels["friction_loss"][-1]
    assert lost == pytest.approx(0.5 * 4.0 * 2.0**2, rel=1e-9)  # all of its kinetic energy; it weighs 4 kg


def test_a_sliding_ball_rolls_at_five_sevenths_of_its_speed() -> None:
    found = run(Builder("ball").plane().ball("ball", (0.0, 0.0, 0.1), 0.1, velocity=(2.0, 0.0, 0.0)).scene, 1.0)
    rolls = 2.0 * 2.0 / (7.0 * MU * G)
    x = 2.0 * rolls - 0.5 * MU * G * rolls**2 + 10.0 / 7.0 * (found.t[-1] - rolls)
    assert found.position[-1, 0, 0] == pytest.approx(x, abs=1e-4)
    assert found.channels["twist"][-1, 0, 1] == pytest.approx(10.0 / 7.0 / 0.1, rel=1e-9)


def test_forces_of_a_stack_at_rest_sum_to_the_weight_above() -> None:
    found = run(stack(5), 0.25)
    weight = 4.0 * G
    on_ground = found.channels["surface_force"][-1, 0, 2]
    assert on_ground == pytest.approx(-5.0 * weight, rel=1e-8)
    for k in range(1, 6):  # each box is pushed up by what it carries and itself, and down by what it carries
        assert found.channels["surface_force"][-1, k, 2] == pytest.approx(weight, rel=1e-7)
    assert np.abs(found.channels["acceleration"][-1]).max() < 1e-5


@pytest.mark.parametrize("ratio", [1.0, 1000.0**0.5, 1000.0**-0.5])
def test_a_stack_stands_still(ratio: float) -> None:
    found = run(stack(3, ratio=ratio), 1.0)
    assert found.status == "complete"
    assert np.abs(found.position - found.position[0]).max() < 1e-8


def test_a_cradle_passes_the_blow_on_to_its_last_ball() -> None:
    found = run(cradle(5), 1.0, fps=60)
    energy = found.channels["energy"]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-6)
    outer = np.abs(found.q[:, [0, 4]]).max(axis=1)
    assert found.q[:, 4].min() == pytest.approx(-0.5, abs=2e-3)  # it turns between two samples
    assert np.abs(found.q[:, 1:4]).max() < 1e-4
    assert outer.max() < 0.5 + 1e-6


def test_a_fast_ball_stops_at_a_thin_plate() -> None:
    b = Builder("plate", gravity=(0.0, 0.0, 0.0))
    b.add(BoxSurface(name="plate", size=(1.0, 1.0, 1e-3), frame=Pose((0.0, 0.0, 0.0))))
    found = run(b.ball("ball", (0.05, 0.02, 3.0), 0.05, velocity=(0.0, 0.0, -100.0)).scene, 0.25)
    assert found.position[:, 0, 2].min() > 0.05
    assert found.position[-1, 0, 2] == pytest.approx(0.0505, abs=1e-6)


def test_balls_that_meet_keep_their_momentum_and_the_part_of_energy_that_restitution_leaves() -> None:
    b = Builder("balls", gravity=(0.0, 0.0, 0.0))
    b.ball("a", (0.0, 0.0, 0.0), 0.1, velocity=(3.0, 0.0, 0.0), bounce=0.5, friction=0.3)
    found = run(b.ball("b", (1.0, 0.05, 0.0), 0.1, density=3000.0, bounce=0.5, friction=0.3, spin=(0, 0, 5)).scene, 1.0)
    momentum = found.channels["momentum"]
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)
    books = found.channels["energy"] + found.channels["loss"] - found.channels["work"]
    np.testing.assert_allclose(books, books[0], rtol=1e-10)
    normal = np.array([math.sqrt(1.0 - 0.25**2), 0.25, 0.0])
    v = found.channels["momentum"]  # of both together: velocities from coordinates instead
    assert v.shape[1] == 6
    before = found.qdot[0, 0:3] - found.qdot[0, 6:9]
    after = found.qdot[-1, 0:3] - found.qdot[-1, 6:9]
    assert after @ normal == pytest.approx(-0.5 * (before @ normal), rel=1e-6)


def test_torsional_friction_stops_a_spinning_ball() -> None:
    lever, radius, spin = 0.01, 0.1, 8.0
    b = Builder("top").plane(torsional_friction=lever)
    found = run(b.ball("ball", (0.0, 0.0, radius), radius, spin=(0.0, 0.0, spin)).scene, 1.0, fps=48)
    slowing = lever * G / (0.4 * radius**2)
    expected = np.maximum(0.0, spin - slowing * found.t)
    np.testing.assert_allclose(found.channels["twist"][:, 0, 2], expected, atol=2e-3 * spin)


def test_rolling_friction_stops_a_rolling_ball() -> None:
    lever, radius, v = 0.01, 0.1, 1.0
    b = Builder("rolling").plane(rolling_friction=lever)
    found = run(b.ball("ball", (0, 0, radius), radius, velocity=(v, 0, 0), spin=(0, v / radius, 0)).scene, 1.0)
    slowing = lever / radius * G / 1.4
    expected = v * found.t - 0.5 * slowing * found.t**2
    np.testing.assert_allclose(found.position[:, 0, 0], expected, atol=1e-3)


def test_a_conveyor_takes_a_box_along_and_does_the_work() -> None:
    b = Builder("belt").plane(conveyor=(1.0, 0.0, 0.0))
    found = run(b.box("box", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1)).scene, 1.0)
    reached = 1.0 / (MU * G)
    assert found.position[-1, 0, 0] == pytest.approx(1.0 * found.t[-1] - 0.5 * reached, rel=1e-4)
    assert found.channels["friction_loss"][-1] == pytest.approx(0.5 * 4.0, rel=1e-3)  # as much as the box gains
    assert found.channels["work"][-1] == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_small_and_large_scenes_move_alike(scale: float) -> None:
    def thrown(s: float) -> np.ndarray:
        b = Builder("thrown").plane(bounce=0.3)
        root = math.sqrt(s)
        b.box(
            "box", (0, 0, 0.4 * s), (0.2 * s, 0.3 * s, 0.1 * s), velocity=(root, 0, 0), spin=(3 / root, 1 / root, 0),
            bounce=0.3, bounce_above=0.01 * root,
        )  # fmt: skip
        ground = b.scene.surfaces[0]
        object.__setattr__(ground, "bounce_above", 0.01 * root)
        return np.asarray(run(b.scene, 0.5 * root, fps=24 / root).position[:, 0] / s)

    np.testing.assert_allclose(thrown(scale), thrown(1.0), atol=1e-6)


def test_what_begins_inside_comes_out_smoothly() -> None:
    found = run(Builder("inside").plane().box("box", (0.0, 0.0, 0.03), (0.2, 0.2, 0.1)).scene, 1.0)
    assert found.position[-1, 0, 2] == pytest.approx(0.05, abs=1e-6)
    assert found.position[:, 0, 2].max() < 0.05 + 1e-6
    assert found.channels["kinetic"].max() < 1e-6
