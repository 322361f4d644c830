# SPDX-License-Identifier: GPL-3.0-or-later
"""Every run ends, or says where and why it does not get on: the element, the frame and what to do."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, parallelogram, sarrus
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS
from redmax.integrators import INTEGRATORS
from redmax.integrators.automatic import ACCURACIES, Automatic
from redmax.integrators.base import NoProgressError
from redmax.integrators.watch import LEAST_WORK, LONGEST_LOOK, STALLED_STEPS, Watch
from redmax.kernels import route
from redmax.simulate import Recorder, simulate

ROUTES = ["fast", "recursive"]


def run(scene, integrator, *, duration=2.0, fps=24.0, **options):
    model = compile_scene(scene)
    recorder = Recorder(model, integrator=integrator, fps=fps)
    for sample in simulate(model, integrator=integrator, fps=fps, duration=duration, **options):
        recorder.add(sample)
    return recorder.trajectory()


def remarks(found):
    return [(remark["code"], remark["element"]) for remark in found.meta.get("remarks", ())]


def two_hinges(**fields):
    b = Builder("two hinges")
    b.bar("upper", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("lower", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("shoulder", None, "upper", (0.0, 0.0, 0.0))
    b.hinge("elbow", "upper", "lower", (1.0, 0.0, 0.0), **fields)
    return b.scene


def test_a_linkage_that_stands_still_at_a_singular_pose_names_its_loop():
    """A parallelogram at High, folded flat: steps shrink, unless they pass. Data and sentence say the same."""
    found = run(parallelogram(), Automatic(accuracy="high"))
    assert ("singular_pose", "loop joint 'C'") in remarks(found)
    if found.status == "complete":
        return
    outcome = found.meta["outcome"]
    assert outcome["code"] == "no_progress"
    assert outcome["element"] == "loop joint 'C'"
    assert outcome["frame"] == len(found)
    assert outcome["advice"].startswith("start it elsewhere, keep it away from that pose")
    assert found.message.startswith(f"Stopped at frame {len(found)} (t = ")
    assert found.message.endswith(f"{outcome['what']}; {outcome['advice']}")
    assert json.loads(json.dumps(outcome)) == outcome


def test_no_run_waits_much_longer_than_its_patience():
    """Sarrus' mechanism at High stood still for minutes, in steps of 8 ms each."""
    begun = time.perf_counter()
    found = run(sarrus(), Automatic(accuracy="high"), patience=1.0)
    assert time.perf_counter() - begun < 20.0
    assert len(found) > 5  # what was computed is kept
    if found.status == "complete":
        assert "singular_pose" in dict(remarks(found))
        return
    assert found.meta["outcome"]["code"] == "no_progress"
    assert "joint '" in found.meta["outcome"]["element"]


@pytest.mark.parametrize("dynamics", ROUTES)
def test_too_many_steps_name_the_joint_and_what_to_do(monkeypatch, dynamics):
    """The elbow vibrates on its spring; the shoulder hardly moves."""
    monkeypatch.setattr("redmax.integrators.adaptive.AdaptiveStepper.max_steps", 50)
    found = run(two_hinges(stiffness=1e8, q=0.01), INTEGRATORS["rk45"](dynamics=dynamics))
    outcome = found.meta["outcome"]
    assert found.status == "failed"
    assert (outcome["code"], outcome["frame"], outcome["element"]) == ("too_many_steps", 1, "joint 'elbow'")
    assert "joint 'elbow': needs more than 50 steps between two samples; see what moves fast" in found.message


def test_longer_frames_may_take_more_steps(monkeypatch):
    """A frame of a second may take as many steps as 24 of a 24th: what an accuracy can do does not depend on fps."""
    monkeypatch.setattr("redmax.integrators.adaptive.AdaptiveStepper.max_steps", 60)
    scene = two_hinges(stiffness=3000.0, q=0.3)
    assert run(scene, INTEGRATORS["dop853"](), fps=24.0).status == "complete"
    assert run(scene, INTEGRATORS["dop853"](), fps=1.0).status == "complete"


@pytest.mark.parametrize("dynamics", ROUTES)
def test_a_run_is_stopped_in_the_middle_of_a_frame(dynamics):
    """One frame of 1000 s: whoever stops it does not wait for its end."""
    asked = 0

    def stopped():
        nonlocal asked
        asked += 1
        return asked > 3

    begun = time.perf_counter()
    found = run(four_bar(), INTEGRATORS["dop853"](dynamics=dynamics), duration=1e3, fps=1e-3, stopped=stopped)
    assert asked == 4
    assert time.perf_counter() - begun < 60.0
    assert (found.status, len(found)) == ("stopped", 1)


def test_fixed_steps_are_stopped_in_the_middle_of_a_frame_too():
    found = run(four_bar(), INTEGRATORS["rk4"](h=1e-3), duration=1e3, fps=1e-3, stopped=lambda: True)
    assert (found.status, len(found)) == ("stopped", 1)


@pytest.mark.parametrize("kind", ["rk4", "semi_implicit_euler", "linearly_implicit_euler"])
def test_compiled_fixed_steps_are_stopped_in_the_middle_of_a_frame(monkeypatch, kind):
    monkeypatch.setattr("redmax.integrators.compiled.STEPS_AT_ONCE", 4)
    asked = []

    def stopped():
        asked.append(1)
        return len(asked) > 5

    found = run(two_hinges(), INTEGRATORS[kind](h=1e-3), duration=1e3, fps=1e-3, stopped=stopped)
    assert (found.status, len(found), len(asked)) == ("stopped", 1, 6)


@pytest.mark.parametrize("kind", ["rk4", "semi_implicit_euler", "linearly_implicit_euler"])
def test_fixed_steps_taken_a_few_at_a_time_are_the_same(monkeypatch, kind):
    whole = run(two_hinges(qdot=1.0), INTEGRATORS[kind](h=1e-3), duration=0.5)
    monkeypatch.setattr("redmax.integrators.compiled.STEPS_AT_ONCE", 6)
    parts = run(two_hinges(qdot=1.0), INTEGRATORS[kind](h=1e-3), duration=0.5)
    assert np.abs(whole.q - parts.q).max() < 1e-12  # times of steps differ by rounding


def test_looking_after_a_run_changes_nothing(monkeypatch):
    """Compiled code that returns after every step takes the same steps as code that returns once a frame."""
    whole = run(four_bar(), Automatic())
    monkeypatch.setattr("redmax.integrators.dormand_prince.STEPS_AT_ONCE", 1)
    by_step = run(four_bar(), Automatic())
    assert (whole.q == by_step.q).all()
    assert (whole.channels["energy"] == by_step.channels["energy"]).all()


def test_patience_is_a_matter_of_progress_not_of_time(monkeypatch):
    """Little done for long is too long only if it was tried often; what gets on may take as long as it likes."""
    clock = [0.0]
    monkeypatch.setattr("redmax.integrators.watch.SELDOM", 0.0)
    monkeypatch.setattr("redmax.integrators.watch.time.thread_time", lambda: clock[0])
    watch = Watch(10.0)
    frame = 1.0 / 24.0

    def look(seconds, t, work):
        clock[0] += seconds
        return watch.waits_too_long(t, frame, work)

    assert not look(0.0, 0.0, 1)
    assert not look(100.0, 1e-9, LEAST_WORK)  # at once: something was compiled
    assert not any(look(LONGEST_LOOK, 1e-9, 1) for _ in range(8))
    assert not look(0.5, 1e-9, 1)
    assert look(0.6, 1e-9, 1)
    assert not any(look(LONGEST_LOOK, 1e-9, LEAST_WORK // 100) for _ in range(99))  # few evaluations: a large mechanism
    assert look(LONGEST_LOOK, 1e-9, LEAST_WORK // 100)
    assert not any(look(LONGEST_LOOK, k * 0.11 * frame, LEAST_WORK) for k in range(1, 100))
    assert not any(Watch(math.inf).waits_too_long(0.0, 1.0, 10**6) for _ in range(100))


def test_time_in_which_others_compute_is_no_lack_of_progress():
    watch = Watch(0.05)
    watch.waits_too_long(0.0, 1.0, 1)
    time.sleep(0.2)
    assert not watch.waits_too_long(1e-9, 1.0, LEAST_WORK)


def test_the_clock_is_read_seldom_and_no_work_is_lost(monkeypatch):
    processor, wall, reads = [0.0], [0.0], []
    monkeypatch.setattr("redmax.integrators.watch.time.perf_counter", lambda: wall[0])
    monkeypatch.setattr("redmax.integrators.watch.time.thread_time", lambda: reads.append(1) or processor[0])
    watch = Watch(0.5)
    found = []
    for _ in range(2 * LEAST_WORK):
        wall[0] += 1e-3
        processor[0] += 1e-3
        found.append(watch.waits_too_long(0.0, 1.0))
    assert len(reads) == pytest.approx(2 * LEAST_WORK / 10, rel=0.15)
    assert found.index(True) == pytest.approx(LEAST_WORK, abs=12)


def test_where_any_progress_is_enough_the_least_is(monkeypatch):
    monkeypatch.setattr("redmax.integrators.watch.SELDOM", 0.0)
    watch = Watch(-1.0)
    assert not any(watch.waits_too_long(k * 1e-12, 0.0, LEAST_WORK) for k in range(100))
    assert watch.waits_too_long(99e-12, 0.0, LEAST_WORK)


@pytest.mark.parametrize("kind", ["dop853", "extrapolated_euler", "radau", "bdf2"])
def test_a_run_ends_inside_a_step_that_takes_for_ever(monkeypatch, kind):
    """Every evaluation takes a tenth of a second by the clock, and there is no patience: it ends before its first
    step does, by the joint that moves."""
    if kind == "radau":
        pytest.importorskip("scipy")
    clock = [0.0]

    def tick():
        clock[0] += 0.1
        return clock[0]

    monkeypatch.setattr("redmax.integrators.watch.SELDOM", 0.0)
    monkeypatch.setattr("redmax.integrators.watch.time.thread_time", tick)
    monkeypatch.setattr("redmax.integrators.watch.LEAST_WORK", 3)
    monkeypatch.setattr(route, "name", lambda: route.NUMPY)
    model = compile_scene(four_bar(qdot=1.0))
    stepper = INTEGRATORS[kind]().begin(model, model.initial_state())
    stepper.watch = Watch(0.35)
    with pytest.raises(NoProgressError, match=r"joint '.*': steps have become so short") as error:
        stepper.advance(0.5)
    assert stepper.steps == 0
    assert error.value.element
    assert error.value.advice


def test_steps_that_look_for_the_moment_of_an_impact_are_counted():
    """A ball on a slider that meets its stop: Newton's method on the time takes the step again and again."""
    b = Builder("stop")
    b.body("ball", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint("prismatic", "rail", None, "ball", (0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    b.scene.constraints.append(CONSTRAINTS["joint_limit"](name="floor", joint="rail", lower=-0.01))
    model = compile_scene(b.scene)
    stepper = INTEGRATORS["dop853"](dynamics="recursive").begin(model, model.initial_state())
    taken = []
    step = stepper._step
    stepper._step = lambda *settings: (taken.append(1), step(*settings))
    stepper.advance(0.1)
    assert stepper.constraints.impacts > 0
    assert stepper.steps == len(taken)


def test_a_thousand_steps_to_nowhere_are_counted():
    watch = Watch()
    assert not watch.stalls(0.0, STALLED_STEPS, 1.0 / 24.0)
    assert not watch.stalls(1e-3, 2 * STALLED_STEPS, 1.0 / 24.0)
    assert not watch.stalls(1e-3, 2 * STALLED_STEPS + 500, 1.0 / 24.0)
    assert watch.stalls(1e-3 + 1e-9, 3 * STALLED_STEPS, 1.0 / 24.0)


def test_the_slowest_vibration_that_is_followed_does_not_count_as_standing_still():
    """As many steps a frame as High may take."""
    watch, per_frame = Watch(), ACCURACIES["high"].most_steps
    assert not any(watch.stalls(step / per_frame / 24.0, step, 1.0 / 24.0) for step in range(0, 50_000, 10))
