# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in which all rests are left out: what that saves, that nothing else changes, and when it does not happen."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from engine.contact_scenes import Builder, G, bouncing_ball, run, slope, stack
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.forces import PointForce
from redmax.integrators import Automatic
from redmax.integrators.contact import resting
from redmax.joints import JOINTS
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.scene import Scene
from redmax.tables import Table
from redmax.trajectory import Trajectory

pytestmark = pytest.mark.skipif(route.name() == "numpy", reason="steps in Python leave nothing out")


def landing() -> Scene:
    """A box falls on another one, and both come to rest."""
    b = Builder("landing").plane()
    b.box("lower", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1))
    return b.box("upper", (0.01, 0.0, 0.18), (0.2, 0.2, 0.1)).scene


def problems(found: Trajectory) -> int:
    return int(found.meta["contact"]["problems"])


def without_rest(monkeypatch: pytest.MonkeyPatch, scene: Scene, duration: float) -> Trajectory:
    with monkeypatch.context() as patch:
        patch.setattr(resting, "never_changes", lambda _: False)
        return run(scene, duration)


@pytest.mark.parametrize("scene", [stack(5), landing()], ids=["stack", "landing"])
def test_what_rests_costs_nothing_and_is_the_same(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    found, stepped = run(scene, 2.0), without_rest(monkeypatch, scene, 2.0)
    assert found.status == stepped.status == "complete"
    assert problems(found) < 0.5 * problems(stepped)
    np.testing.assert_allclose(found.q, stepped.q, atol=1e-8)
    np.testing.assert_allclose(found.qdot, stepped.qdot, atol=1e-8)
    for name in ("surface_force", "energy", "friction_loss", "impact_loss", "loss", "work"):
        if name in found.channels:
            mine, theirs = found.channels[name], stepped.channels[name]
            np.testing.assert_allclose(mine, theirs, atol=1e-7 * max(1.0, np.abs(theirs).max()), err_msg=name)
    assert found.channels["impact"][-1].max() == 0.0
    assert found.contacts is not None
    assert stepped.contacts is not None
    last = len(found) - 1
    ours, others = found.contacts.at(last), stepped.contacts.at(last)
    np.testing.assert_array_equal(found.contacts.surfaces[ours], stepped.contacts.surfaces[others])
    way = found.contacts.point[ours] - stepped.contacts.point[others]
    assert np.abs(way[:, :2]).max() < 1e-8
    assert np.abs(way[:, 2]).max() < 1e-3, "points are those in the middle of a step, whose free motion falls"
    np.testing.assert_allclose(found.contacts.normal_force[ours].sum(), stepped.contacts.normal_force[others].sum())


def test_a_state_that_is_put_wakes_it() -> None:
    """And from then on it moves as a run that begins there."""
    model = compile_scene(stack(2))
    stepper = Automatic().begin(model, model.initial_state())
    for frame in range(1, 11):
        stepper.advance(frame / 24.0)
    at_rest, steps = stepper.state, stepper.steps
    stepper.advance(11.0 / 24.0)
    assert stepper.steps == steps, "it rests"
    qdot = at_rest.qdot.copy()
    qdot[6] = 1.0  # the upper box, along x
    stepper.state = dataclasses.replace(stepper.state, qdot=qdot)
    stepper.advance(12.0 / 24.0)
    assert stepper.steps > steps
    other = Automatic().begin(model, dataclasses.replace(at_rest, t=0.0, qdot=qdot))
    other.advance(1.0 / 24.0)
    np.testing.assert_allclose(stepper.state.q, other.state.q, atol=1e-5)
    assert np.abs(stepper.state.q - at_rest.q).max() > 0.02


def test_a_ball_that_is_at_its_height_at_every_frame_does_not_rest() -> None:
    period = 1.0 / 24.0
    found = run(bouncing_ball(height=G * period**2 / 8.0, radius=0.01, bounce=1.0), 0.5)
    assert found.meta["contact"]["impacts"] == 12
    assert problems(found) >= 12


def test_what_is_at_the_top_of_its_flight_falls_on() -> None:
    """Its speed is 0 at the first frame, and again at the sixth."""
    b = Builder("throw").plane()
    found = run(b.ball("ball", (0.0, 0.0, 1.0), 0.1, velocity=(0.0, 0.0, G * 5.0 / 24.0)).scene, 0.4)
    t = found.t[-1]
    assert found.position[-1, 0, 2] == pytest.approx(1.0 + G * 5.0 / 24.0 * t - 0.5 * G * t * t, abs=1e-6)


def test_a_box_that_a_wall_holds_on_a_belt_goes_on_rubbing() -> None:
    b = Builder("belt").plane(conveyor=(1.0, 0.0, 0.0), friction=0.5)
    b.box("box", (0.0, 0.0, 0.1), (0.2, 0.2, 0.2), friction=0.5)
    b.plane("wall", Pose((0.1, 0.0, 0.0), (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)), friction=0.0)
    found = run(b.scene, 1.0)
    lost = found.channels["friction_loss"]
    np.testing.assert_allclose(np.diff(lost)[3:], 0.5 * 8.0 * G / 24.0, rtol=1e-3)


def test_what_begins_to_slide_slowly_does_not_rest() -> None:
    """A thousandth above the angle of friction, where friction leaves 4e-3 m/s^2."""
    friction = 0.5
    angle = math.atan(friction) * (1.0 + 1e-3)
    found = run(slope(angle, friction), 1.0)
    left = G * (math.sin(angle) - friction * math.cos(angle))
    way = np.linalg.norm(found.position[-1, 0] - found.position[0, 0])
    assert way == pytest.approx(0.5 * left, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "rests"),
    [
        (lambda scene: None, True),
        (lambda scene: scene.forces.append(PointForce(name="push", body="box 0", force=1.0)), False),
        (lambda scene: scene.joints.__setitem__(0, slider()), True),
        (lambda scene: scene.joints.__setitem__(0, slider(lower=-1.0, upper=1.0)), False),
        (
            lambda scene: scene.joints.__setitem__(
                0, slider(motor=Motor(control="speed", target_speed=0.0, speed_gain=1.0, maximum=1.0))
            ),
            False,
        ),
        (
            lambda scene: scene.joints.__setitem__(0, slider(torque_table=Table(x=(0.0, 1.0), y=((0.0,), (1.0,))))),
            False,
        ),
    ],
    ids=["nothing", "force", "slider", "limits", "motor", "torque over time"],
)
def test_models_that_may_change_by_themselves_are_always_stepped(change, rests) -> None:
    scene = stack(1)
    change(scene)
    assert resting.never_changes(compile_scene(scene)) == rests


def slider(**given: Any) -> object:
    frame = Pose((0.0, 0.0, 0.05))
    return JOINTS["prismatic"](
        name="box 0 joint", parent=None, child="box 0", axis=(0.0, 0.0, 1.0), frame_in_parent=frame, **given
    )
