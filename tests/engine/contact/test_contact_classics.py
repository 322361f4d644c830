# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic problems of contact: a ball that slides off a sphere, a crate on a slope, Painleve's rod."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, run, slope
from engine.mechanisms import Builder as Linkage
from redmax.fields import Pose
from redmax.surfaces import PlaneSurface, SphereSurface
from redmax.trajectory import Trajectory


def test_without_friction_a_ball_leaves_a_sphere_at_two_thirds_of_its_height() -> None:
    """It slides without turning, and loses touch where the cosine of the angle from the top is two thirds of that at
    the start."""
    large, small, start = 1.0, 0.1, 0.3
    r = large + small
    b = Builder("hill").add(SphereSurface(name="hill", radius=large, friction=0.0))
    at = (r * math.sin(start), 0.0, r * math.cos(start))
    found = run(b.ball("ball", at, small, friction=0.0).scene, 1.2, "high", fps=480)
    away = np.linalg.norm(found.position[:, 0], axis=1)
    left = int(np.argmax(away > r + 1e-6))
    leaves = found.position[left, 0, 2] / r
    step = np.ptp(found.position[left - 1 : left + 2, 0, 2])
    assert leaves == pytest.approx(2.0 / 3.0 * math.cos(start), abs=2.0 * step)
    np.testing.assert_allclose(away[:left], r, atol=1e-6)
    # it touches all the time until then, so that the ground's force goes evenly to zero
    weight = 1000.0 * 4.0 / 3.0 * math.pi * small**3 * G
    pushed = np.array([found.contacts.normal_force[found.contacts.at(k)].sum() for k in range(1, left)])
    cosine = found.position[1:left, 0, 2] / r
    np.testing.assert_allclose(pushed, weight * (3.0 * cosine - 2.0 * math.cos(start)), atol=0.01 * weight)
    np.testing.assert_allclose(found.channels["energy"], found.channels["energy"][0], rtol=1e-6)
    assert np.abs(found.channels["twist"][:, 0, :3]).max() < 1e-9
    assert found.channels["friction_loss"][-1] == 0.0


def crate_on_slope(angle: float, velocity: float) -> Trajectory:
    """A box whose friction is 0.6 while it sticks and 0.3 while it slides, as that of the slope."""
    scene = slope(angle, 0.6, velocity=velocity)
    scene.surfaces[:] = [dataclasses.replace(each, kinetic_friction=0.3) for each in scene.surfaces]
    return run(scene, 1.0)


def test_what_slides_feels_kinetic_friction_and_what_sticks_static() -> None:
    angle = math.atan(0.45)  # between both
    resting, sliding, level = crate_on_slope(angle, 0.0), crate_on_slope(angle, 0.5), crate_on_slope(0.0, 2.0)
    assert np.abs(resting.position - resting.position[0]).max() < 1e-9
    a, t = G * (math.sin(angle) - 0.3 * math.cos(angle)), sliding.t[-1]
    moved = np.linalg.norm(sliding.position[-1, 0] - sliding.position[0, 0])
    assert moved == pytest.approx(0.5 * t + 0.5 * a * t**2, rel=1e-4)
    assert level.position[-1, 0, 0] == pytest.approx(2.0**2 / (2.0 * 0.3 * G), rel=1e-3)


def test_painleves_rod_ends_in_a_named_and_finite_outcome() -> None:
    """A rod that is pushed ahead at 63 degrees with a friction above 4/3 has no solution with finite forces: friction
    presses its tip into the ground faster than the ground can push it out."""
    half, angle, friction = 0.5, math.atan(2.0), 2.0
    b = Linkage("rod")
    reach = half * np.array([math.cos(angle), 0.0, math.sin(angle)])
    b.bar("rod", (0.0, 0.0, 0.0), 2.0 * reach)
    b.joint("free_translation_rotation", "free", None, "rod", reach, qdot=(-2.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for name, end in (("tip", -reach), ("end", reach)):
        at = Pose(tuple(end.tolist()))
        b.scene.surfaces.append(SphereSurface(name=name, body="rod", radius=0.01, frame=at, friction=friction))
    b.scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, -0.01)), friction=friction))
    found = run(b.scene, 1.0)
    assert found.status == "complete" or "tip" in found.message, found.message
    for values in (found.q, found.qdot, found.position, found.channels["energy"]):
        assert np.isfinite(values).all()
    energy = found.channels["energy"]
    assert np.diff(energy).max() < 1e-4 * energy[0], "nothing is gained beyond what Standard may be wrong by"
    assert found.position[:, 0, 2].min() > -1e-4, "it does not sink"
