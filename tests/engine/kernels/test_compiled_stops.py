# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard limits inside compiled frames: met, bounced from, held and let go, against closed forms and against Python."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, scissor_lift
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointLimit, JointMotion
from redmax.integrators import INTEGRATORS, Dop853
from redmax.joints.base import ANIMATED
from redmax.simulate import simulate
from redmax.tables import Table

pytest.importorskip("numba")

KEPT = 1e-9
"""How far a limit may be passed [rad or m]."""


def chain(count, *, limit=0.5, **fields):
    """Hinges in a row that falls from the horizontal."""
    b = Builder("chain")
    for k in range(count):
        b.bar(f"b{k}", (0.3 * k, 0.0, 0.0), (0.3 * (k + 1), 0.0, 0.0))
        b.hinge(f"j{k}", f"b{k - 1}" if k else None, f"b{k}", (0.3 * k, 0.0, 0.0))
        stop = JointLimit(name=f"stop {k}", joint=f"j{k}", lower=-limit, upper=limit, **fields)
        b.scene.constraints.append(stop)
    return compile_scene(b.scene)


def slider(*constraints, speed=1.0, **fields):
    b = Builder("slider", gravity=(0.0, 0.0, 0.0))
    b.body("block", (0.0, 0.0, 0.0), 2.0, 0.01 * np.eye(3))
    b.joint("prismatic", "rail", None, "block", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), qdot=speed, **fields)
    b.scene.constraints.extend(constraints)
    return compile_scene(b.scene)


def run(model, *, accuracy="standard", duration=2.0, fps=24.0):
    samples = list(simulate(model, integrator=INTEGRATORS["automatic"](accuracy=accuracy), fps=fps, duration=duration))
    assert samples[-1].status == "complete", samples[-1].outcome
    return samples


def values(samples, channel):
    return np.array([sample.channels[channel] for sample in samples])


def coordinates(samples):
    return np.array([sample.state.q for sample in samples])


def books(samples):
    """How far energy and what was lost are off [J]."""
    total = values(samples, "energy") + values(samples, "loss") - values(samples, "work")
    return np.abs(total - total[0]).max()


def test_frames_with_stops_are_compiled():
    model = chain(3)
    stepper = Dop853().begin(model, model.initial_state())
    assert stepper.tree is not None


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
@pytest.mark.parametrize("count", [1, 5, 20])
def test_a_chain_falls_into_its_limits_and_keeps_them(count, accuracy):
    """The chain of 20 has stops that throw each other off again and again; all of its energy is accounted for."""
    samples = run(chain(count), accuracy=accuracy, duration=5.0)
    assert np.abs(coordinates(samples)).max() <= 0.5 + KEPT
    assert (np.diff(values(samples, "energy")) < 1e-4).all()
    assert books(samples) < {"draft": 1e-4, "standard": 1e-5, "high": 1e-6}[accuracy]


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_a_chain_whose_stops_bounce_keeps_its_books(restitution):
    samples = run(chain(4, restitution=restitution), accuracy="high", duration=3.0)
    assert np.abs(coordinates(samples)).max() <= 0.5 + KEPT
    assert books(samples) < 1e-7


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_slider_goes_back_and_forth_as_its_restitution_says(restitution):
    stops = JointLimit(name="stops", joint="rail", lower=-0.25, upper=0.5, restitution=restitution)
    samples = run(slider(stops), duration=3.0)
    t, x, v, way = 0.0, 0.0, 1.0, []
    for sample in samples:
        while v != 0.0:
            left = ((0.5 if v > 0.0 else -0.25) - x) / v
            if t + left > sample.t:
                break
            t, x, v = t + left, x + left * v, -restitution * v
        way.append(x + v * (sample.t - t) if v != 0.0 else x)
    np.testing.assert_allclose(coordinates(samples)[:, 0], way, atol=1e-9)
    assert values(samples, "loss")[-1] == pytest.approx(1.0 - v * v, abs=1e-9)


def test_what_a_stop_pushes_with_is_a_result():
    """A weight rests on a stop: the constraint pushes with its weight, and so does the joint."""
    b = Builder("resting")
    b.body("weight", (0.0, 0.0, 0.0), 3.0, 0.1 * np.eye(3))
    b.joint("prismatic", "lift", None, "weight", (0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    b.scene.constraints.append(JointLimit(name="floor", joint="lift", lower=-0.5, upper=2.0))
    samples = run(compile_scene(b.scene), duration=1.0)
    assert samples[0].channels["constraint"].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(samples[-1].channels["constraint"], [3.0 * 9.81, 0.0], rtol=1e-9)
    assert samples[-1].channels["torque"][0] == pytest.approx(3.0 * 9.81, rel=1e-9)
    assert samples[-1].state.q[0] == -0.5


def test_a_stop_lets_go_when_it_would_have_to_pull():
    """A spring presses a slider on its stop until a table of torque takes it off, at a known instant."""
    table = Table(x=(0.0, 2.0), y=((-2.0,), (2.0,)))
    stop = JointLimit(name="stop", joint="rail", lower=0.0)
    samples = run(slider(stop, speed=0.0, torque_table=table), accuracy="high", duration=2.0, fps=10.0)
    t = np.array([sample.t for sample in samples])
    # from t = 1 on the force 2 (t - 1) accelerates 2 kg: x = (t - 1)^3 / 6
    np.testing.assert_allclose(coordinates(samples)[:, 0], np.maximum(t - 1.0, 0.0) ** 3 / 6.0, atol=1e-9)


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
def test_loops_with_stops_stay_closed(accuracy):
    """A four-bar whose rocker meets stops, and a scissor lift that falls onto one."""
    lift, bar = scissor_lift(2), four_bar(qdot=4.0)
    lift.constraints.append(JointLimit(name="stop", joint=lift.joints[0].name, lower=-0.2, upper=0.3))
    bar.constraints.append(JointLimit(name="stop", joint="D", lower=-0.1, upper=0.15, restitution=0.5))
    for scene in (lift, bar):
        model = compile_scene(scene)
        stop = scene.constraints[0]
        k = int(model.dof[model.joint_names.index(stop.joint)])
        samples = run(model, accuracy=accuracy, duration=3.0)
        x = coordinates(samples)[:, k]
        assert stop.lower - KEPT <= x.min() <= x.max() <= stop.upper + KEPT
        assert max(x.max() - stop.upper, stop.lower - x.min()) > -1e-6, "it never gets there"
        assert values(samples, "gap").max() < 1e-10
        assert books(samples) < {"draft": 1e-4, "standard": 1e-5, "high": 1e-6}[accuracy]


def test_two_coupled_joints_may_both_stand_at_their_limits():
    """A gear of ratio 1 whose two joints meet equal stops at once: rows that depend on each other."""
    b = Builder("geared")
    for k, x in enumerate((0.0, 1.0)):
        b.bar(f"b{k}", (x, 0.0, 0.0), (x + 0.4, 0.0, 0.0))
        b.hinge(f"j{k}", None, f"b{k}", (x, 0.0, 0.0))
        b.scene.constraints.append(JointLimit(name=f"stop {k}", joint=f"j{k}", lower=-0.4, upper=0.4))
    b.scene.constraints.append(Coupling(name="gear", leader="j0", follower="j1"))
    samples = run(compile_scene(b.scene))
    np.testing.assert_allclose(coordinates(samples)[-1], [0.4, 0.4], atol=1e-9)
    assert books(samples) < 1e-6


def test_an_animated_parent_throws_what_it_carries_against_its_stop():
    """A drawer in a cupboard that is moved: the stop of the drawer pulls it along, and the motor feels it."""
    b = Builder("driven")
    for name in ("cupboard", "drawer"):
        b.body(name, (0.0, 0.0, 0.0), 1.0, 0.1 * np.eye(3))
    table = Table(x=(0.0, 0.5, 1.0), y=((0.0,), (-0.2,), (-1.0,)), interpolation="cubic")
    axis = (1.0, 0.0, 0.0)
    b.joint("prismatic", "pull", None, "cupboard", np.zeros(3), axis=axis, motion_type=ANIMATED, animation=table)
    b.joint("prismatic", "rail", "cupboard", "drawer", np.zeros(3), axis=axis)
    b.scene.constraints.append(JointLimit(name="stop", joint="rail", lower=-0.05, upper=0.1))
    samples = run(compile_scene(b.scene), accuracy="high", duration=1.0)
    assert samples[-1].state.q[1] == 0.1
    pulled = samples[-4].channels["constraint"]
    assert pulled[1] > 0.1
    assert books(samples) < 1e-8


def test_what_is_moved_on_against_its_stop_is_told_by_name():
    """A table drives a slider past its stop: nothing can give way."""
    table = Table(x=(0.0, 1.0), y=((0.0,), (1.0,)))
    drive, stop = (
        JointMotion(name="drive", joint="rail", table=table),
        JointLimit(name="stop", joint="rail", upper=0.5),
    )
    further = JointLimit(name="further", joint="rail", upper=2.0)
    samples = list(simulate(slider(drive, stop, further), integrator=Dop853(), fps=24.0, duration=1.0))
    assert samples[-1].status == "failed"
    assert samples[-1].t == pytest.approx(0.5, abs=0.05)
    assert "'stop'" in samples[-1].outcome.what


def test_steps_in_python_and_compiled_frames_agree():
    """Before chaos takes over: impacts at the same instants, energies lost alike."""
    model = chain(3, restitution=0.4)
    compiled, readable = (
        list(simulate(model, integrator=Dop853(rtol=1e-10, atol=1e-10, dynamics=dynamics), fps=24.0, duration=0.7))
        for dynamics in ("fast", "recursive")
    )
    np.testing.assert_allclose(coordinates(compiled), coordinates(readable), atol=1e-6)
    np.testing.assert_allclose(values(compiled, "loss"), values(readable, "loss"), atol=1e-6)


def test_a_room_that_is_said_to_stay_clear_does():
    """Rooms of random motions in a step: none that reaches zero inside it is passed over, and most others are."""
    pytest.importorskip("numba")
    from redmax.crossings import quintic
    from redmax.kernels.steps.meetings import stays_clear

    rng, s = np.random.default_rng(5), np.linspace(0.0, 1.0, 400)
    clear = passed_over = far = 0
    for _ in range(3000):
        x0, x1 = rng.uniform(0.0, 1.0, 2) ** 3
        v0, v1, a0, a1 = rng.normal(size=4) * np.array([1.0, 1.0, 5.0, 5.0])
        least = float(quintic(x0, v0, a0, x1, v1, a1, 0.3, s)[0].min())
        found = stays_clear.py_func(x0, v0, a0, x1, v1, a1, 0.3, 1.0)
        clear, far = clear + found, far + (least > 0.1)
        passed_over += found and least <= 0.0
    assert passed_over == 0
    assert far > 500
    assert clear > 0.5 * far
