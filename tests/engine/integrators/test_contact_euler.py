# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler with contact: the classic laws by name, what each gets wrong, and the exact one beside `automatic`."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, bouncing_ball, slope
from redmax.compile import compile as compile_scene
from redmax.constraints import JointLimit
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.integrators import Automatic, ContactEuler, LinearlyImplicitEuler
from redmax.integrators.contact_euler import LAWS
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.simulate import record, simulate
from redmax.solvers import quadratic
from redmax.surfaces import BoxSurface
from redmax.trajectory import Trajectory

needs_daqp = pytest.mark.skipif(not quadratic.is_here(), reason="needs the wheel daqp")
MU, SPEED, H = 0.5, 2.0, 1.0 / 60.0
STAGGERED = ("staggered_box", "staggered_cone")


def run(scene: Scene, duration: float, h: float = H, law: str = "exact", **settings) -> Trajectory:
    model = compile_scene(scene)
    integrator = ContactEuler(h=h, law=law, **settings)
    assert not integrator.cannot(model)
    return record(model, simulate(model, duration=duration, integrator=integrator, fps=60.0))


def lift(found: Trajectory) -> float:
    return float(found.position[:, 0, 2].max() - found.position[0, 0, 2])


# --- four laws on one sliding block ------------------------------------------------------------------------------


@needs_daqp
def test_a_sliding_block_lifts_in_the_single_qp_alone():
    """The relaxed cone throws it off at mu times its speed: it flies up to (mu v)^2 / 2g, less a step's fall."""
    block = slope(0.0, MU, velocity=SPEED)
    thrown = (MU * SPEED) ** 2 / (2.0 * G)
    assert lift(run(block, 0.5, law="single_qp")) == pytest.approx(thrown, rel=0.3)
    assert lift(run(block, 0.5, law="single_qp")) > 0.03
    for law in ("contact_qp", *STAGGERED):
        assert lift(run(block, 0.5, law=law)) < 1e-12
    assert lift(run(block, 0.5)) < 1e-9  # law B


@needs_daqp
@pytest.mark.parametrize("law", ["exact", *STAGGERED])
def test_a_block_stops_after_its_stopping_distance(law):
    """Of first order: q1 = q0 + h v1 misses half a step of its speed."""
    distance = SPEED**2 / (2.0 * MU * G)
    found = run(slope(0.0, MU, velocity=SPEED), 1.0, law=law)
    assert found.position[-1, 0, 0] == pytest.approx(distance - 0.5 * H * SPEED, rel=2e-3)
    assert found.channels["friction_loss"][-1] == pytest.approx(0.5 * 4.0 * SPEED**2, rel=1e-6)
    assert found.channels["loss"][-1] == pytest.approx(found.channels["friction_loss"][-1], rel=1e-6)


@needs_daqp
def test_without_friction_it_slides_on():
    found = run(slope(0.0, MU, velocity=SPEED), 0.5, law="contact_qp")
    np.testing.assert_allclose(found.position[:, 0, 0], SPEED * found.t, atol=1e-12)
    assert found.channels["friction_loss"][-1] == 0.0


def deceleration(law: str, heading: float, **settings) -> float:
    """Of a block that slides along a direction [rad] of the ground, in parts of what Coulomb's law gives."""
    b = Builder("block").plane(friction=MU)
    scene = b.box("box", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1), friction=MU).scene
    v = (SPEED * math.cos(heading), SPEED * math.sin(heading), 0.0)
    scene.joints[0] = dataclasses.replace(scene.joints[0], qdot=(*v, 0.0, 0.0, 0.0))
    found = run(scene, 0.1, law=law, **settings)
    return float(SPEED - np.linalg.norm(found.qdot[-1, :2])) / (MU * G * float(found.t[-1]))


@needs_daqp
def test_a_box_holds_more_along_its_corners_and_the_cone_does_not():
    """Tangents of the ground lie along x and y, so that a block that slides along their diagonal meets both bounds."""
    diagonal = 0.25 * math.pi
    assert deceleration("staggered_box", 0.0) == pytest.approx(1.0, rel=1e-3)
    assert deceleration("staggered_box", diagonal) == pytest.approx(math.sqrt(2.0), rel=1e-3)
    for law in ("staggered_cone", "exact"):
        assert deceleration(law, 0.0) == pytest.approx(1.0, rel=1e-3)
        assert deceleration(law, diagonal) == pytest.approx(1.0, rel=1e-3)


@needs_daqp
def test_a_block_sticks_below_the_angle_of_friction_in_every_law_but_the_one_without():
    for law in LAWS:
        found = run(slope(math.atan(0.9 * MU), MU), 0.2, law=law, rounds=200, convergence=1e-12)
        moved = float(np.linalg.norm(found.position[-1, 0] - found.position[0, 0]))
        if law == "contact_qp":
            assert moved > 0.05
        else:
            assert moved < 1e-7


# --- the exact law beside automatic ------------------------------------------------------------------------------


def tipping() -> Scene:
    """A door on a hinge with a hard limit, and a ball that comes sliding and shoves it: in one point, as the impact of
    two flat sides has more than one solution."""
    b = Builder("tipping").plane(friction=0.3)
    scene = b.ball("ball", (0.0, 0.0, 0.1), 0.1, friction=0.3, velocity=(2.0, 0.0, 0.0)).scene
    scene.bodies.append(Body(name="door", shapes=(Box(size=(0.05, 0.4, 0.4), density=300.0),)))
    scene.joints.append(
        JOINTS["revolute"](
            name="hinge", parent=None, child="door", axis=(0.0, 0.0, 1.0), frame_in_parent=Pose((0.4, -0.2, 0.25)),
            frame_in_child=Pose((0.0, -0.2, 0.0)), damping=0.2,
        )
    )  # fmt: skip
    scene.surfaces.append(BoxSurface(name="door surface", body="door", size=(0.05, 0.4, 0.4), friction=0.3))
    scene.constraints.append(JointLimit(name="stop", joint="hinge", lower=-0.3))
    return scene


def test_it_converges_to_automatic_with_joints_limits_and_impacts():
    model = compile_scene(tipping())
    exact = record(model, simulate(model, duration=0.5, integrator=Automatic(accuracy="high"), fps=20.0))
    errors = []
    for h in (1.0 / 200.0, 1.0 / 400.0, 1.0 / 800.0):
        found = record(model, simulate(model, duration=0.5, integrator=ContactEuler(h=h), fps=20.0))
        errors.append(float(np.abs(found.position[-1] - exact.position[-1]).max()))
        assert float(found.q[:, -1].min()) > -0.3 - 1e-3
    assert errors[0] < 0.02
    assert errors[2] < 0.6 * errors[0]


def test_a_ball_bounces_to_the_height_of_its_restitution():
    found = run(bouncing_ball(), 1.0, 1.0 / 480.0)
    assert found.position[found.t > 0.5, 0, 2].max() - 0.1 == pytest.approx(0.64, rel=0.02)


def test_it_knows_conveyors_and_rolling_friction_in_the_exact_law():
    b = Builder("belt").plane(friction=MU, conveyor=(1.0, 0.0, 0.0))
    found = run(b.box("box", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1), friction=MU).scene, 0.5)
    assert found.qdot[-1, 0] == pytest.approx(1.0, rel=1e-6)
    b = Builder("roll").plane(friction=1.0, rolling_friction=0.01)
    rolls = b.ball("ball", (0.0, 0.0, 0.1), 0.1, friction=1.0, velocity=(1.0, 0.0, 0.0), spin=(0.0, 10.0, 0.0)).scene
    found = run(rolls, 0.5)
    slowed = 1.0 - found.qdot[-1, 0]
    assert slowed == pytest.approx(0.01 * G * 0.1 / (0.1**2 * 1.4) * 0.5, rel=1e-2)  # mu_r m g = 7/5 m r a


def test_without_surfaces_it_is_linearly_implicit_euler():
    scene = tipping()
    scene.surfaces = []
    model = compile_scene(scene)
    ends = [
        each.begin(model, model.initial_state()).advance(0.05) for each in (ContactEuler(), LinearlyImplicitEuler())
    ]
    np.testing.assert_array_equal(ends[0].q, ends[1].q)


# --- what it says ------------------------------------------------------------------------------------------------


def test_laws_that_need_the_wheel_say_so_without_it(monkeypatch):
    model = compile_scene(slope(0.0, MU))
    monkeypatch.setattr(quadratic, "is_here", lambda: False)
    assert not ContactEuler().cannot(model)
    for law in LAWS[1:]:
        (said,) = ContactEuler(law=law).cannot(model)
        assert law in said
        assert "daqp" in said


@needs_daqp
def test_laws_without_rolling_friction_name_the_surface():
    scene = Builder("roll").plane(rolling_friction=0.01).ball("ball", (0.0, 0.0, 0.1), 0.1).scene
    model = compile_scene(scene)
    assert not ContactEuler().cannot(model)
    (said,) = ContactEuler(law="single_qp").cannot(model)
    assert "rolling" in said
    assert "'ball surface'" in said
