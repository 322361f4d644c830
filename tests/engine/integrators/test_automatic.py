# SPDX-License-Identifier: GPL-3.0-or-later
"""The automatic method: right whatever the mechanism is made of, never endless, the same steps every time."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.integrators.pendulums import chain, double_pendulum, hinge
from engine.mechanisms import Builder, four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.forces.spring_damper import SpringDamper
from redmax.integrators import Automatic, Dop853, ExtrapolatedEuler, automatic
from redmax.integrators.automatic import ACCURACIES, CALM, EXPLICIT, STIFF
from redmax.integrators.base import TooManyStepsError
from redmax.simulate import record, simulate
from redmax.tables import Table


def run(model, integrator, duration=1.0, fps=24.0):
    """With endless patience: without kernels thousands of steps take many seconds on a slow computer."""
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration, patience=math.inf)
    return record(model, samples, integrator=integrator, fps=fps)


def complete(model, integrator, duration=1.0, fps=24.0):
    found = run(model, integrator, duration, fps)
    assert found.status == "complete", found.message
    return found


def sprung(count: int, stiffness: float, damping: float):
    """A chain of bars with a spring across each joint."""
    b = Builder("sprung")
    for k in range(count):
        b.bar(f"bar {k}", (0.5 * k, 0.0, 0.0), (0.5 * (k + 1), 0.0, 0.0))
        b.hinge(f"hinge {k}", f"bar {k - 1}" if k else None, f"bar {k}", (0.5 * k, 0.0, 0.0), damping=0.1)
    point = (0.0, 0.0, 0.1)
    b.scene.forces.extend(
        SpringDamper(
            name=f"spring {k}",
            body_a=f"bar {k}",
            point_a=point,
            body_b=f"bar {k + 1}",
            point_b=point,
            stiffness=stiffness,
            damping=damping,
        )
        for k in range(count - 1)
    )
    return compile_scene(b.scene)


def weighted(ratio: float):
    """Five links of 1 kg that carry one of `ratio` kg."""
    b = Builder("weighted")
    for k in range(6):
        mass = ratio if k == 5 else 1.0
        b.bar(f"bar {k}", (0.5 * k, 0.0, 0.0), (0.5 * (k + 1), 0.0, 0.0), mass)
        b.hinge(f"hinge {k}", f"bar {k - 1}" if k else None, f"bar {k}", (0.5 * k, 0.0, 0.0))
    return compile_scene(b.scene)


MECHANISMS = {
    "pendulum": double_pendulum,
    "stiff joints": lambda: chain(hinge(0, q=0.3, stiffness=1e6, damping=1e5), hinge(1, q=0.5, damping=0.1)),
    "stiff springs": lambda: sprung(6, 1e7, 1e5),
    "light among heavy": lambda: weighted(1e-4),
    "heavy among light": lambda: weighted(1e4),
    "loop": lambda: compile_scene(four_bar(qdot=2.0)),
    "stiff loop": lambda: compile_scene(four_bar(qdot=2.0, stiffness=1e5, damping=1e4, rest=0.3)),
    "hard limit": lambda: chain(hinge(0, q=0.4, upper=0.6), hinge(1, q=0.9)),
    "soft limit": lambda: chain(hinge(0, q=0.4, upper=0.6, limit_stiffness=1e5, limit_damping=100.0), hinge(1, q=0.9)),
}
ERROR = {"draft": 5e-3, "standard": 2e-6, "high": 2e-9}
"""Of positions [m] after half a second, in mechanisms some metres long."""


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_accuracy_keeps_its_promise(name):
    """Against a run of the method that suits the mechanism, with a tolerance far below."""
    model = MECHANISMS[name]()
    tight = {"rtol": 1e-12, "atol": 1e-12} if "stiff" not in name else {"rtol": 1e-10, "atol": 1e-10}
    exact = complete(model, (ExtrapolatedEuler if "stiff" in name else Dop853)(**tight), 0.5)
    for accuracy, error in ERROR.items():
        found = complete(model, Automatic(accuracy=accuracy), 0.5)
        assert np.abs(found.position - exact.position).max() < error, accuracy


@pytest.mark.parametrize(
    ("name", "stiff"),
    [("pendulum", False), ("heavy among light", False), ("loop", False), ("stiff joints", True), ("stiff loop", True)],
)
def test_only_what_is_stiff_is_noted(name, stiff):
    found = complete(MECHANISMS[name](), Automatic(), 0.25)
    assert found.meta.get("note", "").startswith("stiff: implicit steps") == stiff
    assert found.meta["integrator"] == "automatic"
    assert found.meta["accuracy"] == "standard"


def test_strong_dampers_are_seen_before_the_first_step():
    stepper = Automatic().begin(model := MECHANISMS["stiff joints"](), model.initial_state())
    assert stepper.mode == STIFF
    assert str(stepper.note) == "stiff: implicit steps (extrapolated Euler) from t = 0 s on"


def test_a_limit_makes_a_run_stiff_while_it_is_met_and_no_longer():
    """A bar falls on a very stiff, damped stop, and a motor carries it off again: implicit steps in between only."""
    lift = Table(x=(0.0, 0.9, 1.0, 4.0), y=((0.0,), (0.0,), (-12.0,), (-12.0,)), interpolation="linear")
    stop = {"upper": 0.6, "limit_stiffness": 1e8, "limit_damping": 1e6}
    model = chain(hinge(0, q=0.4, torque_table=lift, damping=2.0, **stop))
    stepper = Automatic().begin(model, model.initial_state())
    modes = []
    for frame in range(1, 73):
        stepper.advance(frame / 24.0)
        modes.append(stepper.mode)
    assert modes[0] == EXPLICIT
    assert STIFF in modes
    assert modes[-1] == EXPLICIT
    exact = ExtrapolatedEuler(rtol=1e-9, atol=1e-9).begin(model, model.initial_state())
    for frame in range(1, 73):
        exact.advance(frame / 24.0)
    np.testing.assert_allclose(stepper.state.q, exact.state.q, atol=2e-5)
    np.testing.assert_allclose([stepper.work, stepper.loss], [exact.work, exact.loss], rtol=1e-3)


def fewer_steps(accuracy, monkeypatch):
    """As many steps in a frame as Draft may take: without kernels those of the others would last for minutes."""
    fewer = dataclasses.replace(ACCURACIES[accuracy], most_steps=ACCURACIES["draft"].most_steps)
    monkeypatch.setitem(ACCURACIES, accuracy, fewer)


@pytest.mark.parametrize("accuracy", ["draft", "standard"])
def test_vibrations_that_take_too_many_steps_die_away(accuracy, monkeypatch):
    """60 kHz, excited by the weight: Draft and Standard go on without them and say so."""
    fewer_steps(accuracy, monkeypatch)
    slow = complete(sprung(4, 1e7, 1e5), Automatic(accuracy="high"), 0.125)
    found = complete(sprung(4, 1e11, 0.0), Automatic(accuracy=accuracy), 0.125)
    assert "vibrations faster than the steps die away" in found.meta["note"]
    assert "Hz" in found.meta["note"]
    assert np.abs(found.position - slow.position).max() < 5e-3  # the springs are all but rigid in both


def test_at_high_accuracy_vibrations_that_take_too_many_steps_are_named(monkeypatch):
    fewer_steps("high", monkeypatch)
    found = run(sprung(4, 1e11, 0.0), Automatic(accuracy="high"), 0.25)
    assert found.status == "failed"
    assert "needs more than 1000 steps between two samples" in found.message
    assert "springs vibrate at up to" in found.message
    assert found.message.endswith("soften or damp springs, give light bodies more mass, or choose a lower accuracy")


def test_a_vibration_that_can_be_followed_is():
    """Undamped at 2 kHz: its energy stays, at Standard too."""
    found = complete(sprung(4, 1e8, 0.0), Automatic(), 0.25)
    energy, loss = found.channels["energy"], found.channels["loss"]
    assert np.abs(energy + loss - energy[0]).max() < 1e-6 * np.ptp(found.channels["kinetic"])
    assert "die away" not in found.meta.get("note", "")


def test_the_same_run_twice_is_the_same_to_the_last_bit():
    for name in ("stiff springs", "stiff loop", "soft limit"):
        first, second = (complete(MECHANISMS[name](), Automatic(), 0.25) for _ in range(2))
        np.testing.assert_array_equal(first.q, second.q)
        np.testing.assert_array_equal(first.channels["loss"], second.channels["loss"])


def test_a_jump_of_an_input_is_not_lost_where_the_method_changes():
    """The torque jumps while the damper makes the run stiff; energies still balance."""
    jump = Table(x=(0.0, 0.11, 0.3), y=((5.0,), (-5.0,), (0.0,)), interpolation="step")
    model = chain(hinge(0, q=0.4, torque_table=jump, damping=1e5), hinge(1, q=0.9, damping=0.1))
    found = complete(model, Automatic(accuracy="high"), 0.5)
    channels = found.channels
    left = channels["energy"] - channels["energy"][0] - channels["work"] + channels["loss"]
    assert np.abs(left).max() < 1e-6 * np.ptp(channels["energy"])


def test_without_kernels_the_same_choice_is_made(monkeypatch):
    monkeypatch.setattr(fast, "new_tree", lambda model: None)
    model = MECHANISMS["stiff joints"]()
    found = complete(model, Automatic(), 0.25)
    assert found.meta["note"].startswith("stiff: implicit steps")
    exact = complete(model, ExtrapolatedEuler(rtol=1e-10, atol=1e-10), 0.25)
    assert np.abs(found.position - exact.position).max() < ERROR["standard"]


def test_a_run_that_only_turns_fast_is_not_taken_for_stiff():
    """Many steps a frame, because the mechanism is fast, not its spring: implicit steps would not help."""
    model = dataclasses.replace(double_pendulum(stiffness=1.0), qdot0=np.array([6000.0, -5000.0]))
    stepper = Automatic(accuracy="high").begin(model, model.initial_state())
    patience = stepper._patience
    stepper.advance(1.0 / 24.0)
    assert stepper.steps * stepper._stages > patience
    assert stepper.mode == EXPLICIT
    assert stepper.note is None


def test_an_impulse_is_not_lost_where_the_method_changes_at_the_same_moment():
    """A run goes on in implicit steps exactly where the animation of its first joint has a corner."""
    corner = Table(x=(0.0, 0.11, 0.3), y=((0.0,), (0.05,), (0.6,)), interpolation="linear")
    model = chain(hinge(0, motion_type="animated", animation=corner), hinge(1, q=0.9, stiffness=5.0))
    stepper = Automatic(accuracy="high").begin(model, model.initial_state())
    stepper._go_past(0.2, 0.2, 0.11, 10_000)
    assert stepper.state.t == 0.11
    stepper.max_steps = 100
    stepper._change_course(TooManyStepsError("too many"), 1e9, 1.0)
    assert stepper.mode == STIFF
    found = stepper.advance(0.2)
    exact = Dop853(rtol=1e-12, atol=1e-12).begin(model, model.initial_state())
    wanted = exact.advance(0.2)
    np.testing.assert_allclose(found.q, wanted.q, atol=1e-7)
    np.testing.assert_allclose(found.qdot, wanted.qdot, atol=1e-6)
    assert stepper.work == pytest.approx(exact.work, rel=1e-6)


def test_accuracies_are_ordered():
    tolerances = [promise.explicit.rtol for promise in ACCURACIES.values()]
    assert tolerances == sorted(tolerances, reverse=True)
    assert list(ACCURACIES) == ["draft", "standard", "high"]
    assert all(promise.stiff >= promise.explicit.rtol for promise in ACCURACIES.values())
    assert CALM > STIFF > EXPLICIT
    assert math.isfinite(sum(promise.most_steps for promise in ACCURACIES.values()))


def test_without_springs_and_dampers_nobody_looks_for_stiffness(monkeypatch):
    """To linearise a mechanism with many loops would take longer than its whole run."""
    monkeypatch.setattr(automatic, "extrapolation_of", None)
    model = compile_scene(four_bar())
    assert complete(model, Automatic(), duration=0.2).status == "complete"
    sprung_bar = compile_scene(four_bar(damping=0.1))
    with pytest.raises(TypeError):
        Automatic().begin(sprung_bar, sprung_bar.initial_state())
