# SPDX-License-Identifier: GPL-3.0-or-later
"""What an accuracy promises holds at any fps: Draft stays within a thousandth of the size, however fast it spins."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, slider_crank
from redmax.compile import compile as compile_scene
from redmax.integrators.automatic import ACCURACIES, Automatic
from redmax.integrators.dormand_prince import Dop853, ExplicitStepper
from redmax.kernels import route
from redmax.simulate import record, simulate

SECONDS = 5


def top(spin):
    """A heavy top on a ball joint, spinning about its own axis."""
    b = Builder("top")
    axis = np.array([0.4, 0.0, 0.9]) / np.hypot(0.4, 0.9)
    b.body("top", 0.5 * axis, 1.0, 0.03 * np.eye(3) + 0.02 * np.outer(axis, axis))
    b.joint("spherical", "ball", None, "top", (0.0, 0.0, 0.0), qdot=tuple(spin * axis))
    return b.scene


def pendulum(speed):
    b = Builder("pendulum")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), qdot=speed)
    return b.scene


def turning(scene, speed):
    scene.joints[0] = dataclasses.replace(scene.joints[0], qdot=speed)
    return scene


SCENES = {
    "top": top,
    "pendulum": pendulum,
    "four-bar": lambda speed: turning(four_bar(), speed),
    "slider-crank": lambda speed: turning(slider_crank(), speed),
}


def positions(model, integrator, fps):
    """(seconds + 1, n, 3) where the bodies are at whole seconds."""
    found = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=SECONDS), integrator=integrator, fps=fps
    )
    assert found.status == "complete"
    return found.position[:: round(fps)]


@pytest.mark.skipif(route.name() != route.NUMBA, reason="takes minutes; both routes take the same steps, see below")
@pytest.mark.parametrize("speed", [10.0, 150.0])
@pytest.mark.parametrize("name", SCENES)
def test_draft_is_right_to_a_thousandth_at_any_fps(name, speed):
    """After up to 200 turns; bars are about 1 m long. Against DOP853 at 1e-12."""
    model = compile_scene(SCENES[name](speed))
    right = positions(model, Dop853(rtol=1e-12, atol=1e-12), 1.0)
    for fps in (1.0, 24.0, 100.0):
        assert np.abs(positions(model, Automatic(accuracy="draft"), fps) - right).max() < 1e-3


def test_both_routes_take_the_same_paced_steps():
    """Short steps of a four-bar at 50 rad/s, compiled and step by step."""
    model = compile_scene(turning(four_bar(), 50.0))
    settings = ACCURACIES["draft"].explicit
    compiled, readable = (
        settings.begin(model, model.initial_state()),
        ExplicitStepper(model, model.initial_state(), settings),
    )
    for frame in range(1, 7):
        compiled.advance(frame / 24.0)
        readable.advance(frame / 24.0)
        assert compiled.state.q == pytest.approx(readable.state.q, abs=1e-9)
    loose = Dop853(rtol=1e-6, atol=1e-6).begin(model, model.initial_state())
    loose.advance(0.25)
    assert compiled.steps > 1.2 * loose.steps  # they are stricter than steps with errors per step
    assert compiled.steps == pytest.approx(readable.steps, abs=20)
