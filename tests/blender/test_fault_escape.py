# SPDX-License-Identifier: GPL-3.0-or-later
"""ESC at any moment of a simulation, and errors at any moment: it ends, what is done is kept, and it is said."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

import bpy
import faults
import pytest
import swinging
from gated_runs import until
from modal_simulate import ESC, MOUSE, RUNNING, TICK, Window

from redmax_blender.bridge.core import unexpected
from redmax_blender.bridge.objects import kept
from redmax_blender.bridge.results import cache, preview
from redmax_blender.bridge.run import live, simulation
from redmax_blender.ops import simulate

SHOWING = (
    "ops/simulate",
    "bridge/run/live",
    "bridge/results/preview",
    "bridge/results/shown",
    "bridge/objects/kept",
    "bridge/run/simulation",
    "bridge/results/cache",
    "bridge/results/cache_places",
)
"""What runs in the window between two frames of a simulation, and when it ends."""

FINDING_OUT = (
    "bridge/extract/extraction",
    "bridge/check/check_report",
    "bridge/extract/mass",
    "bridge/extract/bodies",
    "bridge/extract/joints",
)


@pytest.fixture(autouse=True)
def _afterwards(caplog):
    caplog.set_level(logging.CRITICAL)
    yield
    live.abandon()
    simulate.clean_up()


def pressed(frames=(1, 13)):
    scene = swinging.build(frames=frames)
    window = Window()
    assert window.press() == {"RUNNING_MODAL"}
    assert window.handlers == [window]
    return scene, window


def last_message():
    return bpy.context.window_manager.redmax.message


def ended(window):
    """Send ticks until the operator has ended; what it returned."""
    result = None

    def over():
        nonlocal result
        result = window.send(TICK)
        return result not in RUNNING

    until(over)
    assert window.is_clean()
    return result


# --- ESC -------------------------------------------------------------------------------------


def test_escape_while_it_computes_keeps_what_is_done(slow):
    scene, window = pressed()
    slow(4)
    until(lambda: live.progress()[0] == 5)
    assert window.send(MOUSE) == {"PASS_THROUGH"}
    assert window.send(TICK) == {"PASS_THROUGH"}
    status = window.status.replace(", about", " about")  # how long it will take is not said at once
    assert status.startswith("RedMax: Simulating frame 5 of 13 ")
    assert status.endswith("    ESC: stop and keep what is done")
    assert window.send(ESC) == {"RUNNING_MODAL"}
    assert window.status == "RedMax: Stopping"
    slow()
    assert ended(window) == {"FINISHED"}
    assert window.reports == [("INFO", "Stopped after frame 5. Frames 1-5 kept")], "who presses ESC needs no warning"
    assert last_message() == "Stopped after frame 5. Frames 1-5 kept"
    assert (scene.redmax.result.status, scene.redmax.result.frame_end, len(cache.load(scene))) == ("stopped", 5, 5)
    assert scene.frame_current == 1


def test_escape_before_the_first_frame_leaves_the_former_result(monkeypatch):
    scene = swinging.build()
    gate = threading.Event()
    compiling = simulation.compiling.compile
    monkeypatch.setattr(
        simulation.compiling, "compile", lambda *given, **named: gate.wait(60) and compiling(*given, **named)
    )
    monkeypatch.setattr(simulation.warm_up, "is_warm", lambda: False)
    monkeypatch.setattr(simulation.warm_up, "warm_up", lambda _show, *, stopped: not stopped())
    before = faults.everything()
    window = Window()
    window.press()
    window.send(TICK)
    window.send(ESC)
    gate.set()
    assert ended(window) == {"CANCELLED"}
    assert window.reports == [("INFO", "Stopped before the first frame")]
    assert faults.differences(before, faults.everything()) == []
    assert not scene.redmax.result.identifier


def test_escape_after_the_last_frame_keeps_all_of_it(slow):
    scene, window = pressed()
    slow(100)
    until(live.finished)
    window.send(ESC)
    assert ended(window) == {"FINISHED"}
    assert (scene.redmax.result.status, scene.redmax.result.frame_end) == ("complete", 13)
    assert window.reports[0][0] == "INFO"


def test_escape_does_not_wait_for_a_frame_that_never_ends(slow, monkeypatch):
    """Within half a second the artist has control again; the thread is left to itself and disturbs nothing."""
    scene, window = pressed()
    slow(3)
    until(lambda: live.progress()[0] == 4)
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    assert window.send(ESC) == {"RUNNING_MODAL"}
    left = live._current.run
    now[0] += live.STOPPED_WITHIN - 0.01
    assert window.send(TICK) in RUNNING, "most frames are done in a moment"
    now[0] += 0.02
    assert window.send(TICK) == {"FINISHED"}
    assert window.is_clean()
    assert live.STOPPED_WITHIN + 2 * simulate.INTERVAL <= 0.5
    assert scene.redmax.result.frame_end == 4
    assert not left.finished
    assert bpy.ops.redmax.bake.poll()
    monkeypatch.undo()
    former = (scene.redmax.result.identifier, len(cache.load(scene)))
    assert driven(Window()) == {"FINISHED"}, "the next one may begin while the thread of this one still computes"
    assert (scene.redmax.result.status, scene.redmax.result.identifier) == ("complete", former[0])
    slow(100)


def test_escape_at_any_moment_ends_in_one_of_two_states(slow):
    """Pressed after each number of frames: nothing new, or a result of exactly the frames that were done."""
    for done in range(6):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene, window = pressed(frames=(1, 6))
        slow(done)
        until(lambda done=done: live.progress()[0] == done + 1)
        window.send(ESC)
        slow(1)
        result = ended(window)
        frames = 0 if cache.load(scene) is None else len(cache.load(scene))
        assert frames == scene.redmax.result.frame_end * bool(frames)
        assert (result == {"FINISHED"}) == (frames >= 2)
        assert done + 1 <= max(frames, 1) <= done + 2
        assert str(frames or 1) in window.reports[-1][1]


# --- errors ----------------------------------------------------------------------------------


def driven(window):
    """A whole simulation in a window: one tick while it runs, and one once its last frame is there; how it ended."""
    result = window.press()
    if result in RUNNING:
        live._current.run._thread.join(60.0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(live, "finished", lambda: False)
            result = window.send(TICK)
    while result in RUNNING:
        result = window.send(TICK)
    return result


def test_putting_channels_aside_can_be_interrupted_anywhere():
    obj = swinging.build().objects["Upper"]
    before, number, reached = faults.everything(), 1, True
    while reached:
        with suppress(faults.PlantedError), faults.planted(number, "bridge/objects/kept") as lines:
            kept.keep(obj)
        if lines.at:
            assert faults.differences(before, faults.everything()) == [], lines.at
        number, reached = number + 1, bool(lines.at)
    assert number > 8
    assert obj.redmax.kept.active


def test_bringing_channels_back_can_be_interrupted_anywhere():
    obj = swinging.build().objects["Upper"]
    obj.rotation_euler = (0.3, 0.0, -0.2)
    before, number, reached = faults.everything(), 1, True
    while reached:
        kept.keep(obj)
        obj.location, obj.rotation_euler = (9.0, 9.0, 9.0), (1.0, 1.0, 1.0)
        with suppress(faults.PlantedError), faults.planted(number, "bridge/objects/kept") as lines:
            kept.restore(obj)
        kept.restore(obj)
        assert faults.differences(before, faults.everything()) == [], lines.at
        number, reached = number + 1, bool(lines.at)
    assert number > 15


@pytest.mark.parametrize("most", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_an_error_at_any_moment_in_the_window_ends_the_run_and_says_so(monkeypatch, most):
    """As before, or with a result that is whole; nothing runs on, nothing is left in the window."""
    scene = swinging.build(frames=(1, 4))
    with faults.planted(0, *SHOWING) as lines:
        assert driven(Window()) == {"FINISHED"}
    done = faults.everything()
    bpy.ops.redmax.clear_result()
    before = faults.everything()
    seen, told, tell = set(), [], unexpected.told
    monkeypatch.setattr(unexpected, "told", lambda who, error: told.append(error) or tell(who, error))
    planned = faults.spread(lines.count, most)
    for place, number in enumerate((*planned, *range(lines.count, 0, -1))):
        if place >= len(planned) and "whole" in seen:
            break  # else the last lines of runs that were quicker, with fewer ticks, are looked for
        window = Window()
        with faults.planted(number, *SHOWING) as planted:
            driven(window)
        assert window.is_clean(), planted.at
        if not planted.at:  # a run that was quicker had fewer ticks
            continue
        assert [planted.at in str(error) for error in told] == [True], planted.at
        told.clear()
        after = faults.everything()
        state = "whole" if scene.redmax.result.identifier else "before"
        seen.add(state)
        if state == "whole":
            assert len(cache.load(scene)) == scene.redmax.result.frame_end >= 2, planted.at
            bpy.ops.redmax.clear_result()
            after = faults.everything()
        assert faults.differences(before, after) == [], planted.at
    assert seen == {"whole", "before"}
    assert driven(Window()) == {"FINISHED"}
    again = [line for line in faults.differences(done, faults.everything()) if "/seconds" not in line]
    assert again == []


@pytest.mark.parametrize("times", [1, 2])
def test_an_error_while_the_result_is_kept_leaves_no_body_displaced(monkeypatch, times):
    """Met once, the result is kept all the same; met again, nothing is."""
    scene = swinging.build(frames=(1, 4))
    before, errors, right = faults.everything(), [RuntimeError("planted")] * times, cache.with_frames

    def with_frames(*given):
        if errors:
            raise errors.pop()
        return right(*given)

    monkeypatch.setattr(cache, "with_frames", with_frames)
    window = Window()
    result = window.press()
    scene.frame_set(3)
    while result in RUNNING:
        result = window.send(TICK)
    assert window.is_clean()
    scene.frame_set(1)
    assert bool(scene.redmax.result.identifier) == (times == 1)
    if times == 1:
        assert len(cache.load(scene)) == 4
        bpy.ops.redmax.clear_result()
    left = faults.differences(before, faults.everything())
    assert [line for line in left if "/redmax/version" not in line] == []  # set with the first result


def test_an_error_while_the_scene_is_read_changes_nothing():
    scene = swinging.build()
    scene.frame_set(7)
    bpy.ops.redmax.check()  # later looks remember masses
    with faults.planted(0, *FINDING_OUT) as lines:
        bpy.ops.redmax.simulate()
    bpy.ops.redmax.clear_result()
    before = faults.everything()
    for number in faults.spread(lines.count, 30):
        with faults.planted(number, *FINDING_OUT) as planted, pytest.raises(RuntimeError) as raised:
            bpy.ops.redmax.simulate()
        assert f"met an error it does not know (PlantedError: planted at {planted.at})" in str(raised.value)
        assert faults.differences(before, faults.everything()) == [], planted.at
    with faults.planted(5, *FINDING_OUT), pytest.raises(RuntimeError, match="Check met an error it does not know"):
        bpy.ops.redmax.check()
    assert bpy.ops.redmax.simulate() == {"FINISHED"}


def test_no_thread_to_be_had_is_said_and_nothing_runs(monkeypatch):
    scene = swinging.build()

    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    window = Window()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert window.press() == {"CANCELLED"}
    assert "can't start new thread" in window.reports[0][1]
    assert window.is_clean()
    monkeypatch.undo()
    assert driven(window) == {"FINISHED"}
    assert scene.redmax.result.status == "complete"


def test_an_error_in_a_handler_is_told_in_the_panel_and_scrubbing_goes_on(monkeypatch):
    scene = swinging.build()
    swinging.simulate()
    monkeypatch.setattr(preview, "frame_changed", lambda *_: 1 / 0)
    scene.frame_set(5)
    assert "RedMax met an error it does not know (ZeroDivisionError: division by zero)" in last_message()
    monkeypatch.undo()
    scene.frame_set(6)
    assert scene.objects["Lower"].redmax.kept.active
