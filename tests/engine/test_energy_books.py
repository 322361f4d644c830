# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose energy does not balance as well as its accuracy promises says so, and no other one does."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, jansen_leg
from redmax import io
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS
from redmax.energy_books import energy_books, unit_energy
from redmax.examples import EXAMPLES
from redmax.integrators import INTEGRATORS
from redmax.integrators.automatic import Automatic
from redmax.integrators.dormand_prince import ExplicitStepper
from redmax.integrators.energy_balance import EnergyPromise
from redmax.simulate import record, simulate
from redmax.state import State
from redmax.tables import Table
from redmax.trajectory import load


def run(scene, integrator, duration=2.0, fps=24.0):
    model = compile_scene(scene)
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    return record(model, samples, integrator=integrator, fps=fps)


def pendulum(**fields):
    b = Builder("pendulum")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("pin", None, "bar", (0.0, 0.0, 0.0), **fields)
    return b.scene


def slowed_at(monkeypatch, when, factor):
    """Plant a fault: every run goes on with `factor` of its velocities after the time `when`."""
    advance = ExplicitStepper.advance

    def slowing(self, t_end):
        state = advance(self, t_end)
        if not hasattr(self, "_slowed") and state.t > when:
            self._slowed = True
            slower = State(state.t, state.q, factor * state.qdot, state.chart)
            self.put(slower)
            self._front = slower
        return self.state

    monkeypatch.setattr(ExplicitStepper, "advance", slowing)


@pytest.mark.parametrize("integrator", [Automatic(accuracy=a) for a in ("draft", "standard", "high")], ids=str)
def test_energy_that_vanishes_is_said(monkeypatch, tmp_path, integrator):
    """Half the speed is taken away at frame 13, of which nobody keeps books."""
    slowed_at(monkeypatch, 12.5 / 24.0, 0.5)
    found = run(pendulum(), integrator, fps=24.0)
    assert found.status == "complete"
    (remark,) = found.meta["remarks"]
    assert (remark["code"], remark["frame"]) == ("energy_books", 13)
    assert remark["numbers"]["remainder"] > 0.1 * found.channels["kinetic"].max()
    assert found.meta["note"].startswith("from frame 13 on the energy does not balance: ")
    assert found.meta["energy_books"]["balanced"] is False
    found.save(tmp_path / "run.npz")
    assert json.loads(json.dumps(dict(load(tmp_path / "run.npz").meta))) == dict(found.meta)


def test_a_small_fault_is_beyond_what_standard_promises_and_within_what_draft_does(monkeypatch):
    slowed_at(monkeypatch, 0.5, 1.0 - 3e-4)
    assert "remarks" in run(pendulum(), Automatic()).meta
    assert "remarks" not in run(pendulum(), Automatic(accuracy="draft")).meta


@pytest.mark.parametrize(("width", "accuracy"), [(0.05, "standard"), (0.01, "high"), (0.4, "draft")])
def test_a_bump_throws_back_or_the_run_says_that_it_was_missed(width, accuracy):
    """A hinge at 10 rad/s meets a bump of three times its energy."""
    b = Builder("bump", gravity=(0.0, 0.0, 0.0))
    b.body("wheel", (0.0, 0.0, 0.0), 1.0, np.eye(3) / 3.0)
    height = 3.0 * (0.5 / 3.0 * 10.0**2) * 2.0 / width
    table = Table(x=(0.0, 1.0, 1.0 + 0.5 * width, 1.0 + width, 2.0), y=((0.0,), (0.0,), (height,), (0.0,), (0.0,)))
    b.hinge("hinge", None, "wheel", (0.0, 0.0, 0.0), qdot=10.0, stiffness_table=table)
    found = run(b.scene, Automatic(accuracy=accuracy), 1.0)
    assert found.q[-1, 0] < 1.0 or found.meta["remarks"][0]["code"] == "energy_books"


@pytest.mark.parametrize(
    ("accuracy", "fps"),
    [
        ("standard", 24.0),
        *(pytest.param(accuracy, 1.0, marks=pytest.mark.slow) for accuracy in ("draft", "standard", "high")),
        *(pytest.param(accuracy, 24.0, marks=pytest.mark.slow) for accuracy in ("draft", "high")),
    ],
)
def test_no_example_gives_a_false_alarm(accuracy, fps):
    for example in EXAMPLES:
        found = run(io.load(example.path), Automatic(accuracy=accuracy), 2.0, fps)
        assert "remarks" not in found.meta, (example.name, found.meta["note"])
        assert len(found) < 2 or found.meta["energy_books"]["balanced"], example.name


@pytest.mark.parametrize("scene", [four_bar(), jansen_leg(), pendulum(q=1e-4)], ids=lambda scene: scene.name)
def test_a_long_run_and_a_slow_one_give_none_either(scene):
    """Errors of steps add up; those of a motion of 1e-4 rad are large beside it, and what the tolerance allows."""
    scene.gravity = (0.0, 0.0, -9.81) if scene.name != "pendulum" else (9.81, 0.0, 0.0)
    found = run(scene, Automatic(accuracy="draft"), 100.0)
    assert found.status == "complete"
    assert "remarks" not in found.meta, found.meta["note"]


def test_work_loss_and_impacts_are_in_the_books():
    """A motor that is switched on, a damper, a hard stop that takes and one that gives back some of the speed."""
    motor = Table(x=(0.0, 0.5, 0.5 + 1e-9, 2.0), y=((0.0,), (0.0,), (3.0,), (3.0,)))
    for restitution in (0.0, 0.5):
        scene = pendulum(torque_table=motor, damping=0.2)
        stop = CONSTRAINTS["joint_limit"](name="stop", joint="pin", coordinate=0, upper=0.6, restitution=restitution)
        scene.constraints.append(stop)
        found = run(scene, Automatic(), 3.0)
        assert found.status == "complete"
        assert found.channels["loss"][-1] > 1.0
        assert found.meta["energy_books"]["balanced"], found.meta["energy_books"]


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_what_a_moving_base_does_in_impacts_is_in_the_books(restitution):
    """An elastic impact loses nothing, but the motor of what is moved on works in it."""
    b, ahead = Builder("jolted"), Table(x=(0.0, 0.5, 1.0, 2.0), y=((0.0,), (0.4,), (-0.3,), (0.2,)))
    b.body("base", (0.0, 0.0, 0.0), 1.0, np.eye(3))
    b.body("slider", (0.0, 0.0, 0.0), 1.0, np.eye(3))
    b.joint("prismatic", "rail", None, "base", np.zeros(3), axis=(1.0, 0, 0), motion_type="animated", animation=ahead)
    b.joint("prismatic", "slide", "base", "slider", np.zeros(3), axis=(1.0, 0, 0), qdot=0.5)
    stop = {"name": "stop", "joint": "slide", "coordinate": 0, "lower": -0.1, "upper": 0.1}
    b.scene.constraints.append(CONSTRAINTS["joint_limit"](**stop, restitution=restitution))
    found = run(b.scene, Automatic())
    assert found.status == "complete"
    assert found.meta["energy_books"]["balanced"], found.meta["energy_books"]


def test_a_start_that_moves_into_its_stop_is_no_alarm():
    """The impact takes its part before the first sample, which is not among the energies of samples."""
    scene = pendulum(qdot=-2.0)
    scene.constraints.append(CONSTRAINTS["joint_limit"](name="stop", joint="pin", coordinate=0, lower=0.0))
    found = run(scene, Automatic(), 0.5)
    assert found.channels["loss"][0] > 0.1
    assert found.meta["energy_books"]["balanced"], found.meta["energy_books"]


def test_vibrations_that_die_away_on_purpose_are_named_once():
    """What they lose is not booked; energy that comes from nowhere would be said all the same."""
    model = compile_scene(pendulum())
    t, lost = np.linspace(0.0, 1.0, 5), np.array([10.0, 9.0, 8.0, 7.0, 6.0])
    zero = np.zeros(5)

    def judged(energy, promise):
        channels = {"kinetic": energy, "potential": zero, "energy": energy, "work": zero, "loss": zero}
        channels["acceleration"] = np.zeros((5, model.body_count, 6))
        return energy_books(model, t, channels, promise, steps=np.arange(5))

    calm = EnergyPromise(0.01, dies_away=True)
    assert judged(lost, EnergyPromise(0.01))[1] is not None
    books, said = judged(lost, calm)
    assert said is None
    assert books["dies_away"]
    assert judged(lost[::-1], calm)[1] is not None


@pytest.mark.parametrize("accuracy", ["draft", "standard", "high"])
@pytest.mark.parametrize("frequency", [12.0, 24.0, 24.05])
def test_samples_in_step_with_a_vibration_are_no_alarm(frequency, accuracy):
    """Every frame shows a 24 Hz spring at the same turning point, where nothing of its energy is seen to move."""
    b = Builder("spring", gravity=(0.0, 0.0, 0.0))
    b.body("disc", (0.0, 0.0, 0.0), 1.0, np.eye(3))
    b.hinge("pin", None, "disc", (0.0, 0.0, 0.0), q=0.1, stiffness=(2.0 * np.pi * frequency) ** 2)
    scene = b.scene
    found = run(scene, Automatic(accuracy=accuracy), 5.0)
    assert found.meta["energy_books"]["balanced"], found.meta["energy_books"]


def test_estimates_are_not_judged():
    found = run(pendulum(), INTEGRATORS["semi_implicit_euler"](h=1e-2))
    assert found.meta["energy_books"]["balanced"] is None
    assert "remarks" not in found.meta


def test_unit_energy_is_that_of_each_coordinate_moving_its_own_body():
    model = compile_scene(pendulum())
    assert unit_energy(model) == pytest.approx(0.5 * (1.0 / 3.0 + 0.05**2 / 6.0))
