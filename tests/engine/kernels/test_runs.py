# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in compiled code against the same methods in readable code, and against the numpy route."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.random_trees import random_model
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.integrators import (
    Bdf2,
    Dop853,
    IntegrationError,
    LinearlyImplicitEuler,
    LinearlyImplicitEulerPcg,
    Rk45,
    RungeKutta4,
    SemiImplicitEuler,
)
from redmax.joints import JointMotion, Revolute
from redmax.kernels import route
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import CHANNELS, record, simulate
from redmax.tables import Table

pytest.importorskip("numba")

FRAMES = np.arange(1, 7) / 24.0
each_seed = pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 5))]
)


def advanced(model, integrator, times=FRAMES):
    """Poses and twists at the frames, and how many steps it took."""
    stepper = integrator.begin(model, model.initial_state())
    seen = []
    for t in times:
        state = stepper.advance(t)
        kin = kinematics(model, state.q, state.qdot, state.chart)
        seen.append(np.concatenate([kin.E_wi.reshape(-1), kin.phi.reshape(-1)]))
    return np.array(seen), stepper


def on_numpy(monkeypatch):
    route.usual.cache_clear()
    monkeypatch.setenv(route.VARIABLE, route.NUMPY)
    assert route.name() == route.NUMPY


@pytest.fixture(autouse=True)
def _own_route():
    yield
    route.usual.cache_clear()


@each_seed
@pytest.mark.parametrize("cls", [Dop853, Rk45, RungeKutta4, SemiImplicitEuler], ids=lambda cls: cls.kind)
def test_compiled_runs_take_the_readable_steps(cls, seed):
    """Random trees of all joints with springs, limits, tables, animated and locked joints."""
    model = random_model(np.random.default_rng(seed), 5, prescribed=0.3 if seed % 2 else 0.0)
    options = {"rtol": 1e-6, "atol": 1e-6} if cls in (Dop853, Rk45) else {"h": 0.01}
    ours, fast_run = advanced(model, cls(**options))
    theirs, readable_run = advanced(model, cls(**options, dynamics="recursive"))
    assert type(fast_run) is not type(readable_run) or fast_run.tree is not None
    assert fast_run.steps == readable_run.steps
    np.testing.assert_allclose(ours, theirs, atol=1e-9 * (1.0 + np.abs(theirs).max()))
    if cls in (Dop853, Rk45):
        np.testing.assert_allclose([fast_run.work, fast_run.loss], [readable_run.work, readable_run.loss], atol=1e-8)


@each_seed
@pytest.mark.parametrize("cls", [Dop853, Rk45], ids=lambda cls: cls.kind)
def test_compiled_runs_look_inside_the_readable_steps(cls, seed):
    """Frames so short that steps pass several."""
    model = random_model(np.random.default_rng(seed), 3, prescribed=0.3 if seed % 2 else 0.0)
    frames = np.arange(1, 61) / 2400.0
    options = {"rtol": 1e-3, "atol": 1e-3}
    ours, fast_run = advanced(model, cls(**options), frames)
    theirs, readable_run = advanced(model, cls(**options, dynamics="recursive"), frames)
    assert fast_run.steps == readable_run.steps < len(frames)
    # a step's length follows from its error, a small difference that keeps six digits
    np.testing.assert_allclose(fast_run._front.t, readable_run._front.t, rtol=1e-6)
    np.testing.assert_allclose(ours, theirs, atol=1e-9 * (1.0 + np.abs(theirs).max()))
    np.testing.assert_allclose([fast_run.work, fast_run.loss], [readable_run.work, readable_run.loss], atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "cls",
    [LinearlyImplicitEuler, LinearlyImplicitEulerPcg, pytest.param(Bdf2, marks=pytest.mark.slow)],
    ids=lambda cls: cls.kind,
)
def test_implicit_methods_agree_on_both_routes(cls, seed, monkeypatch):
    model = random_model(np.random.default_rng(seed), 4, prescribed=0.3 if seed % 2 else 0.0)
    ours, run = advanced(model, cls(h=0.02))
    on_numpy(monkeypatch)
    theirs, plain = advanced(model, cls(h=0.02))
    assert run.steps == plain.steps
    np.testing.assert_allclose(ours, theirs, atol=1e-8 * (1.0 + np.abs(theirs).max()))


@pytest.mark.parametrize("cls", [Dop853, RungeKutta4], ids=lambda cls: cls.kind)
def test_samples_agree_on_both_routes(cls, monkeypatch):
    model = random_model(np.random.default_rng(11), 6, prescribed=0.3)
    options = {"integrator": cls(), "fps": 24.0, "duration": 0.25}
    ours = record(model, simulate(model, **options), integrator=cls(), fps=24.0)
    assert ours.meta["route"].startswith("numba ")
    on_numpy(monkeypatch)
    theirs = record(model, simulate(model, **options), integrator=cls(), fps=24.0)
    assert theirs.meta["route"].startswith("numpy ")
    assert set(ours.channels) == set(theirs.channels) <= set(CHANNELS)
    for name in theirs.channels:
        scale = 1.0 + np.abs(theirs.channels[name]).max(initial=0.0)
        np.testing.assert_allclose(ours.channels[name], theirs.channels[name], atol=1e-7 * scale, err_msg=name)


def test_a_joint_known_only_in_python_runs_and_says_so():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Backwards(Revolute):
        def motion(self, q, qdot, chart=0):
            there = super().motion(-q, -qdot, chart)
            return JointMotion(there.Q, -there.S, there.Sdot)

    def model(cls, sign):
        arm = Body(name="Arm", inertia=Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=0.1 * np.eye(3)))
        pin = cls(name="Pin", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), q=sign * 0.3)
        return compile_scene(Scene(bodies=[arm], joints=[pin]))

    backwards = model(Backwards, -1.0)
    assert "joint 'Pin' is known only in Python" in fast.describe(backwards)
    ours, _ = advanced(backwards, Dop853())
    theirs, _ = advanced(model(Revolute, 1.0), Dop853())
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def spring_that_pushes() -> Model:
    """A table whose slope has the wrong sign: over a long step M - h^2 K is negative."""
    arm = Body(name="Arm", inertia=Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=0.1 * np.eye(3)))
    push = Table(x=(-1.0, 1.0), y=((1e3,), (-1e3,)))
    pin = Revolute(name="Pin", parent=None, child="Arm", axis=(0.0, 1.0, 0.0), q=0.1, stiffness_table=push)
    return compile_scene(Scene(bodies=[arm], joints=[pin]))


def test_conjugate_gradients_fail_alike_on_both_routes(monkeypatch):
    integrator, messages = LinearlyImplicitEulerPcg(h=0.1), []
    for prepare in (lambda _: None, on_numpy):
        prepare(monkeypatch)
        with pytest.raises(IntegrationError) as caught:
            advanced(spring_that_pushes(), integrator)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "the preconditioner is not positive definite" in messages[0]


def test_conjugate_gradients_that_never_get_accurate_enough_say_what_is_left():
    integrator = LinearlyImplicitEulerPcg(h=0.02, tolerance=1e-40)
    with pytest.raises(IntegrationError, match=r"conjugate gradients: (residual .* wanted|the .* is not positive)"):
        advanced(random_model(np.random.default_rng(2), 4), integrator)


def test_a_spring_that_pushes_too_hard_for_a_step_is_named():
    with pytest.raises(IntegrationError, match="joint 'Pin': its springs or dampers push harder than its inertia"):
        advanced(spring_that_pushes(), LinearlyImplicitEuler(h=0.1))
    _, run = advanced(spring_that_pushes(), LinearlyImplicitEuler(h=0.001))
    assert run.steps > 200


def test_conjugate_gradients_take_all_steps_of_a_frame_in_one_call(monkeypatch):
    model = random_model(np.random.default_rng(5), 5)
    stepper = LinearlyImplicitEulerPcg(h=0.001).begin(model, model.initial_state())
    monkeypatch.setattr(type(stepper), "step", None)
    stepper.advance(0.04)
    assert stepper.steps == 40
