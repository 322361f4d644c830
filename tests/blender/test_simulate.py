# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate: the same numbers in a thread and at once; what ends early is kept and said in frames of the timeline."""

from __future__ import annotations

import dataclasses

import bpy
import numpy as np
import pytest
import swinging
from gated_runs import begin, gated, until

from redmax.integrators.watch import StoppedError
from redmax_blender._engine import errors, outcome
from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.results import cache, preview
from redmax_blender.bridge.run import live, simulation
from redmax_blender.ops.simulate import REDMAX_OT_simulate


def prepared(frames=(1, 13)):
    return live.prepare(swinging.build(frames=frames), bpy.context.view_layer)


def in_thread(run, seconds=60.0):
    run.start()
    assert run.wait(seconds)
    return run.trajectory()


def same(a, b):
    arrays = ("t", "q", "qdot", "position", "rotation")
    assert all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)
    assert set(a.channels) == set(b.channels)
    assert all(np.array_equal(a.channels[name], b.channels[name], equal_nan=True) for name in a.channels)
    assert (a.status, a.message, a.body_names) == (b.status, b.message, b.body_names)


def test_a_thread_gives_the_same_numbers_as_a_blocking_run():
    extraction, integrator = prepared()
    seen = []
    blocking = simulation.run(extraction, integrator, lambda done, total: seen.append((done, total)))
    same(in_thread(simulation.Run(extraction, integrator)), blocking)
    assert seen == [(done, 13) for done in range(1, 14)]
    assert blocking.status == "complete"
    assert len(blocking) == 13
    assert np.ptp(blocking.position[:, blocking.body("Lower"), 2]) > 0.5


def test_one_sample_of_a_run_is_that_sample_of_its_trajectory():
    extraction, integrator = prepared()
    run = simulation.Run(extraction, integrator)
    assert run.single(0) is None
    run.work()
    whole, one = run.trajectory(), run.single(7)
    for name in ("t", "q", "qdot", "position"):
        assert np.array_equal(getattr(one, name)[0], getattr(whole, name)[7])
    assert run.single(13) is None


def test_a_cancelled_run_keeps_what_is_done():
    extraction, integrator = prepared(frames=(101, 140))
    whole = simulation.run(extraction, integrator)
    slow = gated(integrator)
    run = simulation.Run(extraction, slow)
    run.start()
    slow.gate.release(5)
    until(lambda: run.poll() == 6)
    run.cancel()
    slow.gate.release()
    assert run.wait(30)
    stopped = run.trajectory()
    assert stopped.status == "stopped"
    assert 6 <= len(stopped) <= 7
    last = 100 + len(stopped)
    assert stopped.message == f"Stopped after frame {last}. Frames 101-{last} kept"
    assert np.array_equal(stopped.position, whole.position[: len(stopped)])


def test_a_run_is_stopped_in_the_middle_of_a_frame(monkeypatch):
    """ESC does not wait for a frame that takes long: here each step asks, and the second one is told to stop."""
    extraction, integrator = prepared(frames=(101, 140))
    run = simulation.Run(extraction, integrator)
    steps = []

    def cancelling(watch, t, *_):
        steps.append(t)
        if len(steps) == 5:
            run.cancel()
        if run.cancelled:
            raise StoppedError("stopped")
        return False

    monkeypatch.setattr("redmax.integrators.watch.Watch.waits_too_long", cancelling)
    monkeypatch.setattr("redmax.integrators.dormand_prince.STEPS_AT_ONCE", 1)
    run.work()
    stopped = run.trajectory()
    assert stopped.status == "stopped"
    assert stopped.t[-1] <= steps[-1]


def test_a_failure_is_told_in_frames_of_the_timeline():
    extraction, integrator = prepared(frames=(101, 140))
    element = errors.ElementName("body", "Lower")
    lost = errors.RunError("in the engine's words", element, outcome.SMALLER_STEP, code="body_not_finite")
    slow = gated(integrator, at=4, what=lost)
    slow.gate.release(100)
    failed = in_thread(simulation.Run(extraction, slow))
    assert failed.status == "failed"
    assert failed.message == "Stopped at frame 105: the motion of 'Lower' is no longer finite. Frames 101-104 kept"
    assert len(failed) == 4


def test_an_unknown_error_in_the_thread_is_a_named_failure_and_not_lost(caplog):
    extraction, integrator = prepared()
    slow = gated(integrator, at=3, what=ZeroDivisionError("nobody expected this"))
    slow.gate.release(100)
    failed = in_thread(simulation.Run(extraction, slow))
    assert failed.status == "failed"
    assert "ZeroDivisionError: nobody expected this" in failed.message
    assert "Frames 1-3 kept" in failed.message
    assert "Traceback" in caplog.text
    assert len(failed) == 3


def test_what_cannot_begin_raises_with_the_engines_words():
    extraction, integrator = prepared()
    bad = type(integrator)(accuracy="perfect")
    run = simulation.Run(extraction, bad)
    run.work()
    with pytest.raises(RedMaxError, match="accuracy"):
        run.trajectory()


def test_a_range_of_one_frame_is_refused():
    extraction, integrator = prepared(frames=(7, 9))
    with pytest.raises(RedMaxError, match="Frames 7 to 7"):
        simulation.run(dataclasses.replace(extraction, frame_end=7), integrator)


def test_the_operator_stores_a_result_and_says_so():
    scene = swinging.build(frames=(5, 12))
    result = swinging.simulate()
    assert (result.status, result.frame_start, result.frame_end, result.changed) == ("complete", 5, 12, False)
    assert result.message == "Simulated frames 5-12"
    assert result.seconds > 0.0
    assert len(cache.load(scene)) == 8
    assert bpy.context.window_manager.redmax.message.startswith("Simulated frames 5-12 in ")
    assert not bpy.context.window_manager.redmax.running
    assert scene.frame_current == 5


def test_operators_say_why_they_are_grey():
    assert not bpy.ops.redmax.simulate.poll()
    with pytest.raises(RuntimeError, match="no body in this scene"):
        bpy.ops.redmax.simulate()
    swinging.build()
    assert bpy.ops.redmax.simulate.poll()
    for operator in (bpy.ops.redmax.clear_result, bpy.ops.redmax.show_result):
        with pytest.raises(RuntimeError, match="no result yet"):
            operator()


def test_findings_are_reported_and_all_listed():
    swinging.build()
    for name in ("Shoulder", "Elbow"):
        bpy.data.objects[name].redmax.joint.child = None
    with pytest.raises(RuntimeError, match="and 1 more, listed in Check"):
        bpy.ops.redmax.simulate()
    problems = bpy.context.window_manager.redmax.problems
    assert {problem.element for problem in problems if problem.severity == "ERROR"} == {"Shoulder", "Elbow"}
    assert not bpy.context.scene.redmax.result.identifier


def test_a_run_that_fails_at_once_leaves_the_former_result():
    scene = swinging.build()
    before = swinging.simulate().identifier
    scene.redmax.accuracy = "CUSTOM"
    scene.redmax.integrator = "rk4"
    scene.redmax.rk4.h = 0.0
    with pytest.raises(RuntimeError, match="h "):
        bpy.ops.redmax.simulate()
    assert scene.redmax.result.identifier == before
    assert cache.load(scene) is not None


# --- the modal side, driven by hand: background Blender has no events -------------------------


@pytest.fixture(autouse=True)
def _nothing_left_running():
    yield
    live.abandon()


def test_it_plays_as_it_computes_and_stays_on_the_artists_frame():
    scene, slow, run = begin()
    scene.frame_set(3)
    slow.gate.release(6)
    until(lambda: run.poll() == 7)
    live.show_newest()
    assert scene.frame_current == 3
    assert live.progress() == (7, 13, 7)
    shown = swinging.world("Lower")
    assert np.abs(shown[:3, 3] - run.single(6).position[0, run.single(6).body("Lower")]).max() < 1e-6
    slow.gate.release(100)
    until(live.finished)
    outcome = live.finish()
    assert (outcome.level, outcome.kept) == ("INFO", True)
    assert scene.frame_current == 3
    assert not live.running()
    scene.frame_set(1)
    assert np.allclose(swinging.world("Lower")[:3, 3], (1.5, 0.0, 2.0), atol=1e-6)


def test_escape_keeps_what_is_done():
    scene, slow, run = begin(frames=(11, 60))
    slow.gate.release(4)
    until(lambda: run.poll() == 5)
    live.stop()
    slow.gate.release()
    until(live.finished)
    outcome = live.finish()
    assert outcome.level == "INFO", "an own ESC is no warning"
    assert outcome.kept
    result = scene.redmax.result
    assert result.status == "stopped"
    assert result.frame_end - 11 + 1 == len(cache.load(scene))
    assert result.frame_end in (15, 16)


def test_only_one_run_at_a_time():
    _scene, slow, _run = begin()
    with pytest.raises(RuntimeError, match="A simulation is running"):
        bpy.ops.redmax.simulate()
    with pytest.raises(RuntimeError, match="A simulation is running"):
        bpy.ops.redmax.clear_result()
    slow.gate.release(100)


def test_deleting_the_scene_ends_a_run_safely():
    scene, slow, _run = begin()
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    bpy.data.scenes.remove(scene)
    assert live.scene_of_run() is None
    live.show_newest()
    live.stop()
    slow.gate.release(100)
    until(live.finished)
    outcome = live.finish()
    assert "is gone" in outcome.text
    assert not outcome.kept


def test_renaming_the_scene_does_not_disturb_a_run():
    scene, slow, _run = begin()
    scene.name = "Shot"
    slow.gate.release(100)
    until(live.finished)
    assert live.finish().kept
    assert bpy.data.scenes["Shot"].redmax.result.status == "complete"


def test_opening_a_file_ends_a_run(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "other.blend"))
    _scene, slow, run = begin()
    slow.gate.release(100)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "other.blend"))
    assert not live.running()
    assert run.finished
    assert not bpy.context.scene.redmax.result.identifier


def test_undo_ends_a_run_and_keeps_what_is_done():
    scene = swinging.build()
    bpy.ops.ed.undo_push(message="built")
    scene.objects["Upper"].redmax.body.density = 3000.0
    bpy.ops.ed.undo_push(message="heavier")
    extraction, integrator = live.prepare(bpy.context.scene, bpy.context.view_layer)
    slow = gated(integrator)
    run = live.begin(bpy.context.scene, extraction, slow)
    slow.gate.release(4)
    until(lambda: run.poll() == 5)
    bpy.ops.ed.undo()
    assert run.cancelled
    slow.gate.release()
    until(live.finished)
    assert live.finish().kept
    assert bpy.context.scene.redmax.result.changed, "it was computed for another density"


def test_an_edit_during_a_run_marks_its_result():
    scene, slow, _run = begin()
    scene.objects["Upper"].redmax.body.density = 3000.0
    bpy.context.view_layer.update()
    slow.gate.release(100)
    until(live.finished)
    live.finish()
    assert scene.redmax.result.changed


def test_closing_the_window_keeps_what_is_done():
    scene, slow, run = begin()
    slow.gate.release(4)
    until(lambda: run.poll() == 5)
    slow.gate.release(100)
    live.finish_now()
    assert not live.running()
    assert scene.redmax.result.identifier


def test_the_worker_never_touches_blender():
    """The run knows plain data only: nothing of bpy is reachable from what its thread uses."""
    extraction, integrator = prepared()
    run = simulation.Run(extraction, integrator)
    run.work()
    seen, pending = set(), [extraction.scene, run.integrator, run._recorder]
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, (str, bytes, int, float, np.ndarray, type(None), type)):
            continue
        seen.add(id(value))
        assert not type(value).__module__.startswith(("bpy", "mathutils")), value
        if isinstance(value, dict):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set)):
            pending += list(value)
        else:
            pending += list(getattr(value, "__dict__", {}).values())


def test_the_operator_has_the_words_of_the_interface():
    assert REDMAX_OT_simulate.bl_label == "Simulate"
    assert {"REGISTER", "UNDO"} <= REDMAX_OT_simulate.bl_options
    assert preview.wanted(swinging.build()) is False
