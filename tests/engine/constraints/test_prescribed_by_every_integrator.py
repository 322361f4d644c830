# SPDX-License-Identifier: GPL-3.0-or-later
"""Prescribed motion of a joint in every integrator of the registry, by closed forms and by an accurate run."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointLimit, JointMotion, reference
from redmax.drives import Drive, DriveInput, Follower
from redmax.integrators import (
    INTEGRATORS,
    Dop853,
    FixedStep,
    LinearlyImplicitEuler,
    LinearlyImplicitEulerPcg,
    MaximalEuler,
)
from redmax.integrators.maximal_euler import BAUMGARTE, NONE, POST
from redmax.simulate import simulate
from redmax.tables import Table

H = 2.5e-3
FPS = 40.0
PRECISE = Dop853(rtol=1e-10, atol=1e-10)
TWO = Table(x=(0.0,), y=((2.0,),))
RAMP = Table(x=(0.0, 0.1, 0.2, 1.0), y=((0.0,), (0.3,), (0.1,), (0.5,)))
JUMP = Table(x=(0.0, 0.1), y=((2.0,), (-1.0,)), interpolation="step")
PUSH = Table(x=(0.0, 0.1, 0.2), y=((6.0,), (10.0,), (2.0,)))
WAVE = Table(x=(0.0, 0.1, 0.2, 0.3), y=((0.0,), (0.02,), (0.01,), (0.04,)), interpolation="cubic")
REFERENCE = reference(alpha=50.0, beta=50.0, gamma=50.0)

every = pytest.mark.parametrize("kind", INTEGRATORS.kinds)


def of_kind(kind):
    """The integrator with steps of H, or as it comes where it chooses its own."""
    cls = INTEGRATORS[kind]
    return cls(h=H) if issubclass(cls, FixedStep) else cls()


def run(scene, integrator, *, treatment=None, duration=0.15):
    """(frames, 2, nr) coordinates and velocities."""
    model = compile_scene(scene)
    if treatment is not None:
        model = dataclasses.replace(model, treatment=treatment)
    samples = list(simulate(model, integrator=integrator, fps=FPS, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    return np.array([(sample.state.q, sample.state.qdot) for sample in samples])


def slider(quantity="acceleration", table=TWO, *, qdot=0.0):
    """A vertical slider, moved by a constraint, that carries a pendulum."""
    b = Builder("slider")
    b.body("box", (0.0, 0.0, 0.0), 2.0, 0.1 * np.eye(3))
    b.bar("arm", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    b.joint("prismatic", "slide", None, "box", (0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), qdot=qdot)
    b.hinge("elbow", "box", "arm", (0.0, 0.0, 0.0))
    b.scene.constraints.append(JointMotion(name="motor", joint="slide", quantity=quantity, table=table))
    return b


def coupled(quantity, table):
    b = slider(quantity, table)
    b.body("rack", (1.0, 0.0, 0.0), 1.0, 0.1 * np.eye(3))
    b.joint("prismatic", "rail", None, "rack", (1.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    b.scene.constraints.append(Coupling(name="gear", leader="slide", follower="rail", ratio=0.5))
    return b


def beside_an_animated_joint(quantity, table):
    b = slider(quantity, table)
    b.bar("fan", (0.5, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("axle", "arm", "fan", (0.5, 0.0, 0.0), motion_type="animated", animation=WAVE)
    return b


def on_a_turning_arm(quantity, table):
    """A slider along an arm that turns: what the bodies' velocities are in the arm changes all the time."""
    b = Builder("turntable", gravity=(0.0, 0.0, 0.0))
    b.bar("arm", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.body("bead", (0.5, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.hinge("pivot", None, "arm", (0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), qdot=3.0)
    b.joint("prismatic", "slot", "arm", "bead", (0.5, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    b.scene.constraints.append(JointMotion(name="motor", joint="slot", quantity=quantity, table=table))
    return b


def behind_a_cam(quantity, table):
    """The slider is moved by a drive whose curve bends; what it drives is prescribed, not the drive's input."""
    b = slider(quantity, table)
    cam = Table(x=(-1.0, 0.0, 1.0, 2.0), y=((-0.6,), (0.0,), (1.2,), (3.0,)), interpolation="cubic")
    handle = DriveInput(armature=0.2)
    b.scene.drives.append(Drive(name="cam", inputs=(handle,), followers=(Follower(joint="slide", table=cam),)))
    return b


GIVEN = {"acceleration": PUSH, "velocity": RAMP, "position": WAVE}
SITUATIONS = (coupled, beside_an_animated_joint, on_a_turning_arm, behind_a_cam)
TABLES = {
    "acceleration": {"ramp": RAMP, "jump": JUMP},
    "velocity": {"ramp": RAMP, "jump": JUMP},
    "position": {"ramp": RAMP, "wave": WAVE},
}
"""A ramp of positions is a velocity that jumps."""


@every
@pytest.mark.parametrize("treatment", [None, REFERENCE], ids=["projected", "reference"])
def test_a_slider_told_to_accelerate_by_2_does_so(kind, treatment):
    """qdot = v + 2 t exactly: Euler's methods integrate a constant exactly. q = v t + t^2 but for 2 h t of Euler's."""
    motion = run(slider(qdot=0.3).scene, of_kind(kind), treatment=treatment)
    t = np.arange(len(motion)) / FPS
    np.testing.assert_allclose(motion[:, 1, 0], 0.3 + 2.0 * t, atol=1e-9)
    np.testing.assert_allclose(motion[:, 0, 0], 0.3 * t + t**2, atol=2.0 * H * t[-1])


@every
@pytest.mark.parametrize("name", ["ramp", "jump"])
@pytest.mark.parametrize("quantity", TABLES)
def test_a_slider_follows_its_table(kind, quantity, name):
    """Steps of order 1 may feel an input a step early: velocities are off by H times what accelerations are."""
    table = TABLES[quantity].get(name, WAVE)
    motion = run(slider(quantity, table).scene, of_kind(kind))
    expected = run(slider(quantity, table).scene, PRECISE)
    held = {"position": 0, "velocity": 1}.get(quantity)
    if held is not None:  # and to round-off where it is told
        np.testing.assert_allclose(motion[1:, held, 0], expected[1:, held, 0], atol=1e-12)
    np.testing.assert_allclose(motion[:, :, 0], expected[:, :, 0], atol=4.0 * H)


@every
@pytest.mark.parametrize("quantity", TABLES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_stands_beside_a_prescribed_joint_changes_nothing(kind, situation, quantity):
    """The whole mechanism follows the accurate run, at the order of the method."""
    scene = situation(quantity, GIVEN[quantity]).scene
    integrator = of_kind(kind)
    if integrator.cannot(compile_scene(scene)):
        pytest.skip("not simulated by this method")
    motion, expected = run(scene, integrator), run(scene, PRECISE)
    # Euler's errors of the arm, which the motor moves at up to 5 rad/s and 20 rad/s^2: 40 h.
    np.testing.assert_allclose(motion, expected, atol=40.0 * H)
    if situation is coupled:
        np.testing.assert_allclose(motion[:, :, 2], 0.5 * motion[:, :, 0], atol=1e-12)


@pytest.mark.parametrize("stabilisation", [POST, BAUMGARTE, NONE])
def test_an_acceleration_in_a_turning_frame_does_not_wear_off(stabilisation):
    """Read off the bodies' velocities in every step, the bead's speed would be 6e-4 or 2e-3 off where joints drift."""
    scene = on_a_turning_arm("acceleration", TWO).scene
    motion = run(scene, MaximalEuler(h=H, stabilisation=stabilisation), duration=0.5)
    t = np.arange(len(motion)) / FPS
    np.testing.assert_allclose(motion[:, 1, 1], 2.0 * t, atol=1e-9 if stabilisation == POST else 1e-4)


def stopped(quantity, table):
    """Besides, the pendulum falls onto a stop."""
    b = slider(quantity, table)
    b.scene.constraints.append(JointLimit(name="stop", joint="elbow", upper=0.1, restitution=0.5))
    return b


def linkage(quantity, table):
    b = Builder("four-bar")
    b.scene = four_bar()
    b.scene.constraints.append(JointMotion(name="motor", joint="A", quantity=quantity, table=table))
    return b


@pytest.mark.parametrize("treatment", [None, REFERENCE], ids=["projected", "reference"])
@pytest.mark.parametrize("quantity", TABLES)
@pytest.mark.parametrize("situation", [*SITUATIONS, stopped, linkage])
def test_conjugate_gradients_take_the_same_steps_with_rows(situation, quantity, treatment):
    """The same system, rows included, to the residual of 1e-12."""
    scene = situation(quantity, GIVEN[quantity]).scene
    one, other = (
        run(scene, cls(h=H), treatment=treatment) for cls in (LinearlyImplicitEuler, LinearlyImplicitEulerPcg)
    )
    np.testing.assert_allclose(other, one, atol=1e-8)


def test_conjugate_gradients_take_the_same_steps_with_loops_and_a_spring():
    """A loop without anything prescribed, which kernels hold."""
    scene = four_bar(stiffness=20.0, damping=0.5)
    one, other = (run(scene, cls(h=H)) for cls in (LinearlyImplicitEuler, LinearlyImplicitEulerPcg))
    np.testing.assert_allclose(other, one, atol=1e-8)
