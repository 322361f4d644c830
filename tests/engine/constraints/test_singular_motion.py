# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms in, through and out of singular poses: on the branch that inertia asks for, at every accuracy.

IFToMM's windows are in `engine.test_singular_poses` and `engine.singular_sweep`.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest

from attack import closed_forms
from attack.generators.singular import windows
from engine.mechanisms import Builder, bennett, four_bar, parallelogram, sarrus, scissor_lift, slider_crank
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.dynamics.assembly import size
from redmax.integrators import routes
from redmax.integrators.automatic import Automatic
from redmax.integrators.constrained import ConstrainedRun
from redmax.integrators.dormand_prince import Dop853
from redmax.joints import JOINTS
from redmax.simulate import record, simulate
from redmax.state import State
from redmax.tables import Table

ACCURACIES = ("draft", "standard", "high")
ENERGY = {"draft": 1e-3, "standard": 1e-4, "high": 1e-5}
"""What `energy_balance.explicit_part` promises."""


@pytest.fixture(params=["numba", "numpy"])
def route(request, monkeypatch):
    if request.param == "numpy":
        for name in ("constrained_tree", "looped_tree", "new_tree"):
            monkeypatch.setattr(f"redmax.fast.{name}", lambda _model: None, raising=False)
    elif fast.constrained_tree(compile_scene(four_bar())) is None:
        pytest.skip("numba is not installed")
    return request.param


def run(scene, accuracy, duration, fps=24.0):
    model, integrator = compile_scene(scene), Automatic(accuracy=accuracy)
    return model, list(simulate(model, integrator=integrator, fps=fps, duration=duration))


def recorded(scene, accuracy="standard", duration=0.25):
    model, integrator = compile_scene(scene), Automatic(accuracy=accuracy)
    samples = simulate(model, integrator=integrator, fps=24.0, duration=duration)
    return record(model, samples, integrator=integrator, fps=24.0)


def codes(found):
    return [remark["code"] for remark in found.meta.get("remarks", ())]


def pushed(scene, speed):
    return dataclasses.replace(scene, joints=[dataclasses.replace(scene.joints[0], qdot=speed), *scene.joints[1:]])


def without_gravity(scene):
    return dataclasses.replace(scene, gravity=(0.0, 0.0, 0.0))


def energy_part(samples):
    """How much the energy changes without a cause, as part of what moves."""
    balance = channel(samples, "energy") - channel(samples, "work") + channel(samples, "loss")
    return float(np.ptp(balance) / channel(samples, "kinetic").max())


def channel(samples, name):
    return np.array([sample.channels[name] for sample in samples])


def worst_gap(model, samples):
    gap = channel(samples, "gap")
    return max(float(gap[:, :, 0].max()), float(gap[:, :, 1].max()) / size(model))


def apart(model, samples, first, last):
    """How far two bars that begin parallel are from parallel [m]."""
    a, b = model.body_names.index(first), model.body_names.index(last)
    between = np.array([sample.E_wb[b, :3, 3] - sample.E_wb[a, :3, 3] for sample in samples])
    return float(np.abs(between - between[0]).max())


# --- passing ---------------------------------------------------------------------------------------------------------


def check_windows(count, accuracy, duration, speed=-1.0):
    model, samples = run(windows(count, angle=0.5 * np.pi, speed=speed), accuracy, duration)
    assert samples[-1].status == "complete", samples[-1].message
    times = np.array([sample.t for sample in samples])
    exact = closed_forms.windows(times, count=count, angle=0.5 * np.pi, speed=speed)
    for name, places in exact.items():
        body = model.body_names.index(name)
        found = np.array([sample.E_wb[body, :3, 3] for sample in samples])
        assert np.abs(found - places).max() < {"draft": 1e-3, "standard": 1e-5, "high": 1e-6}[accuracy], name
    assert energy_part(samples) < ENERGY[accuracy]


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_forty_windows_stay_parallelograms(accuracy):
    check_windows(40, accuracy, 1.5)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_forty_windows_stay_parallelograms_for_ten_seconds(accuracy):
    check_windows(40, accuracy, 10.0)


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_twenty_of_twenty_pass_without_gravity(accuracy):
    """Two equal cranks at random speeds: they stay parallel and keep their energy, whatever the roundings."""
    rng = np.random.default_rng(0)
    for speed in rng.uniform(2.0, 8.0, 20) * rng.choice([-1.0, 1.0], 20):
        model, samples = run(without_gravity(parallelogram(angle=0.3, qdot=float(speed))), accuracy, 2.0)
        assert samples[-1].status == "complete", (speed, samples[-1].message)
        assert apart(model, samples, "left", "right") < 1e-9, speed
        assert energy_part(samples) < 1e-2 * ENERGY[accuracy], speed
        assert worst_gap(model, samples) < 1e-9, speed


@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("speed", [1.0, 3.0, -2.0, -6.0])
def test_a_driven_crank_passes(accuracy, speed):
    turn = Table(x=(0.0, 2.0), y=((0.0,), (2.0 * speed,)), interpolation="linear")
    scene = parallelogram(angle=0.3 if speed > 0.0 else -0.3)
    scene.joints[0] = dataclasses.replace(scene.joints[0], motion_type="animated", animation=turn)
    model, samples = run(scene, accuracy, 2.0)
    assert samples[-1].status == "complete", samples[-1].message
    assert apart(model, samples, "left", "right") < 1e-9
    assert energy_part(samples[1:]) < ENERGY[accuracy]


FALLING = {
    "scissor lift of 2": (scissor_lift(2), 3.0),
    "scissor lift of 10": (scissor_lift(10), 3.0),
    "Sarrus": (sarrus(), 2.0),
    "equal slider-crank": (slider_crank(rod=0.3, angle=1.3), 2.0),
    "kite": (four_bar(crank=0.5, coupler=1.0, rocker=1.0, ground=0.5, angle=1.0, qdot=-6.0), 2.0),
    "change points": (four_bar(crank=0.4, coupler=0.9, rocker=0.5, ground=1.0, angle=1.0, qdot=-8.0), 2.0),
    "Bennett": (bennett(), 2.0),
}


@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("name", FALLING)
def test_mechanisms_fall_through_their_singular_poses(name, accuracy):
    scene, duration = FALLING[name]
    model, samples = run(scene, accuracy, duration)
    assert samples[-1].status == "complete", samples[-1].message
    assert energy_part(samples) < ENERGY[accuracy]
    assert worst_gap(model, samples) < 1e-9


# --- starting and resting there --------------------------------------------------------------------------------------


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_windows_that_lie_flat_fall_as_one_pendulum(accuracy):
    """At rest, with two more freedoms than elsewhere: rods fall alike, which is nearest to what pushes them."""
    model, samples = run(windows(2, angle=0.0, speed=0.0), accuracy, 2.0)
    exact = closed_forms.windows(np.array([sample.t for sample in samples]), count=2, angle=0.0, speed=0.0)
    for k in range(3):
        found = np.array([sample.E_wb[model.body_names.index(f"rod {k}"), :3, 3] for sample in samples])
        np.testing.assert_allclose(found, exact[f"rod {k}"], atol=1e-5)


def test_the_choice_at_rest_is_said(route):
    found = recorded(parallelogram(angle=0.0))
    assert "rests_in_singular_pose" in codes(found)
    assert not {"rests_in_singular_pose", "locked"} & set(codes(recorded(without_gravity(parallelogram(angle=0.0)))))
    assert not codes(recorded(bennett())), route  # its rows depend on each other everywhere


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, np.pi])
@pytest.mark.parametrize("speed", [-4.0, 2.9])
def test_both_routes_leave_a_flat_pose_alike(angle, speed, monkeypatch):
    scene = without_gravity(parallelogram(angle=angle, qdot=speed))
    _, compiled = run(scene, "standard", 0.25)
    for name in ("constrained_tree", "looped_tree", "new_tree"):
        monkeypatch.setattr(f"redmax.fast.{name}", lambda _model: None, raising=False)
    _, readable = run(scene, "standard", 0.25)
    for a, b in zip(compiled, readable, strict=True):
        np.testing.assert_allclose(a.E_wb, b.E_wb, atol=1e-6)


def test_both_routes_have_the_same_accelerations_in_a_flat_pose():
    """Moving along the branch on which the cranks stay parallel, with gravity."""
    model = compile_scene(parallelogram(angle=0.0))
    kernels = fast.constrained_tree(model)
    if kernels is None:
        pytest.skip("numba is not installed")
    state = model.initial_state()
    speed = np.array([2.0, -2.0, 2.0])  # left, coupler, right
    state = State(0.0, state.q, speed, state.chart)
    _, speed, closed = kernels.project(state.q, speed, state.chart, 0.0)
    assert closed
    np.testing.assert_allclose(speed, state.qdot, atol=1e-12)
    found = kernels.forward_dynamics(state.q, speed, state.chart, 0.0, np.zeros(3))[0]
    constraints = ConstrainedRun(model)
    constraints.tree = None
    constraints.started(state)
    assert constraints.near
    route = routes.begin(model, "recursive", constraints)
    expected = route.accelerations(route.at(0.0, state.q, speed, state.chart))
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    assert np.abs(expected[0] - expected[2]) < 1e-6 * np.abs(expected).max()


def toggle():
    """Two links stretched between two pins."""
    b = Builder("toggle")
    b.bar("left", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("right", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("start", None, "left", (0.0, 0.0, 0.0))
    b.hinge("middle", "left", "right", (1.0, 0.0, 0.0))
    b.hinge("end", None, "right", (2.0, 0.0, 0.0))
    return b.scene


def tangent():
    """A bar whose tip has to stay in the plane that touches its circle."""
    b = Builder("tangent")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("pivot", None, "bar", (0.0, 0.0, 0.0))
    parts = [JOINTS[kind](name="", parent=None, child="") for kind in ("planar", "spherical")]
    across = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # the plane's normal is the world's x
    b.joint("composite", "tip", None, "bar", (1.0, 0.0, 0.0), R=across, parts=parts)
    return b.scene


@pytest.mark.parametrize("make", [toggle, tangent])
@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_what_cannot_leave_its_pose_rests_in_it(make, accuracy):
    begun = time.process_time()
    found = recorded(make(), accuracy, 2.0)
    assert time.process_time() - begun < 2.0
    assert found.status == "complete", found.message
    assert np.abs(found.q).max() < 1e-12
    assert codes(found) == ["locked"]


def test_a_velocity_that_leads_nowhere_is_taken_and_said(route):
    found = recorded(pushed(toggle(), 1.0))
    assert np.abs(found.q).max() < 1e-12
    assert codes(found) == ["velocity_taken"], route


@pytest.mark.parametrize("scene", [parallelogram(angle=0.0), toggle(), bennett(), sarrus()], ids=lambda s: s.name)
def test_no_mechanism_steps_in_python_for_want_of_a_kernel(scene):
    model = compile_scene(scene)
    if fast.constrained_tree(model) is None:
        pytest.skip("numba is not installed")
    assert Dop853().begin(model, model.initial_state()).tree is not None
