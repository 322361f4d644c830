# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is simulated twice, and nothing whole is lost: unchanged scenes, stopped runs, and what is brought back."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
import swinging
from cached_results import drop_memory, results_in, save_as
from gated_runs import until
from modal_simulate import ESC, RUNNING, TICK, Window
from recording_layout import RecordingLayout

from redmax_blender import cli, headless
from redmax_blender.bridge.results import cache, preview
from redmax_blender.bridge.run import live
from redmax_blender.ops import simulate
from redmax_blender.properties.scene import integrator_of
from redmax_blender.ui import sidebar

UNCHANGED = "Nothing has changed since the simulation: frames 1-13 kept"


@pytest.fixture(autouse=True)
def _afterwards():
    yield
    live.abandon()
    simulate.clean_up()


def stopped(slow, frames=4, **wishes):
    """Press Simulate and, after so many frames, ESC; the window."""
    window = Window()
    vars(window).update(wishes)
    assert window.press() == {"RUNNING_MODAL"}
    slow(frames - 1)
    until(lambda: live.progress()[0] == frames)
    window.send(ESC)
    slow(1)
    until(lambda: window.send(TICK) not in RUNNING)
    return window


def facts(group):
    return {name: getattr(group, name) for name in type(group).__annotations__}


def whole():
    """A scene with a whole result; the facts of it. Not held by `slow`."""
    scene = swinging.build()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "integrator_of", integrator_of)
        swinging.simulate()
    return scene, facts(scene.redmax.result)


# --- unchanged -------------------------------------------------------------------------------


def test_an_unchanged_scene_is_not_simulated_again(monkeypatch):
    scene, before = whole()
    monkeypatch.setattr(simulate.simulation, "Run", None)  # nothing may run
    scene.redmax.result.changed = True  # a hint that was wrong
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.context.window_manager.redmax.message == UNCHANGED
    assert facts(scene.redmax.result) == before
    window = Window()
    assert window.press() == {"FINISHED"}
    assert window.reports == [("INFO", UNCHANGED)]
    assert window.is_clean()


def test_again_simulates_all_the_same():
    scene, before = whole()
    scene.redmax.result.seconds = -1.0
    assert bpy.ops.redmax.simulate(again=True) == {"FINISHED"}
    assert scene.redmax.result.seconds > 0.0
    assert scene.redmax.result.identifier == before["identifier"]


def test_again_is_offered_beside_simulate_while_nothing_has_changed():
    def offered():
        layout = RecordingLayout()
        sidebar.REDMAX_PT_simulate.draw(SimpleNamespace(layout=layout), bpy.context)
        calls = [call for call in layout.calls if call.arguments.get("operator") == "redmax.simulate"]
        return [call.arguments["settings"] for call in calls]

    scene = swinging.build()
    assert offered() == [{}]
    swinging.simulate()
    assert offered() == [{}, {"again": True}]
    scene.redmax.result.changed = True
    assert offered() == [{}], "Simulate does it anyway"


@pytest.mark.parametrize("change", ["accuracy", "frames", "density", "missing", "stopped"])
def test_whatever_has_changed_is_simulated(change):
    scene, before = whole()
    scene.redmax.result.seconds = -1.0
    if change == "accuracy":
        scene.redmax.accuracy = "DRAFT"
    elif change == "frames":
        scene.frame_end = 12
    elif change == "density":
        scene.objects["Upper"].redmax.body.density = 3000.0
    elif change == "missing":
        (cache.temporary_folder() / f"{before['identifier']}.npz").unlink()
        drop_memory()
    else:
        scene.redmax.result.status = "stopped"
    swinging.simulate()
    assert scene.redmax.result.seconds > 0.0


def test_a_batch_reuses_the_result_of_the_file_unless_told_not_to(tmp_path):
    whole()
    save_as(tmp_path / "shot.blend")
    report = headless.bake_file(tmp_path / "shot.blend", out=tmp_path / "baked.blend")
    assert (report.exit_code, report.frames, report.seconds["simulate"]) == (0, [1, 13], 0.0)
    assert UNCHANGED in report.notes
    assert report.keys > 0
    assert results_in(tmp_path)
    assert headless.bake_file(tmp_path / "shot.blend", again=True).seconds["simulate"] > 0.0
    assert cli.main(["bake", "--file", str(tmp_path / "shot.blend"), "--report", str(tmp_path / "r.json")]) == 0


# --- a stopped run ---------------------------------------------------------------------------


def test_a_stopped_run_of_the_same_scene_leaves_the_whole_result(slow):
    scene, before = whole()
    window = stopped(slow, again=True)
    assert window.reports == [("INFO", "Stopped after frame 4. The whole result, frames 1-13, stays")]
    assert facts(scene.redmax.result) == before
    assert len(cache.load(scene)) == 13
    assert not scene.redmax.former.identifier


def test_a_stopped_run_of_a_changed_scene_is_kept_beside_the_whole_result(slow):
    """The artist sees what was computed; one click brings back what was whole."""
    scene, before = whole()
    scene.objects["Upper"].redmax.body.density = 3000.0
    stopped(slow)
    result = scene.redmax.result
    assert (result.status, result.frame_end, len(cache.load(scene))) == ("stopped", 4, 4)
    assert facts(scene.redmax.former) == before
    layout = RecordingLayout()
    sidebar.REDMAX_PT_simulate.draw(SimpleNamespace(layout=layout), bpy.context)
    assert "Bring Back Frames 1 to 13" in layout.texts()
    stopped(slow, frames=3)
    assert facts(scene.redmax.former) == before, "the last whole one, however many were stopped since"
    assert bpy.ops.redmax.bring_back() == {"FINISHED"}
    assert result.changed, "the scene is not what it was"
    assert facts(result) | {"changed": False} == before
    assert len(cache.load(scene)) == 13
    assert not scene.redmax.former.identifier
    with pytest.raises(RuntimeError, match="No whole result was put aside"):
        bpy.ops.redmax.bring_back()


def test_the_whole_result_comes_back_by_itself_when_the_scene_is_what_it_was(slow):
    scene, before = whole()
    body = scene.objects["Upper"].redmax.body
    density, body.density = body.density, 3000.0
    stopped(slow)
    body.density = density
    window = Window()
    assert window.press() == {"FINISHED"}
    assert window.reports == [("INFO", UNCHANGED)]
    assert facts(scene.redmax.result) == before


def test_a_whole_result_takes_the_place_of_the_former(slow):
    scene, before = whole()
    scene.objects["Upper"].redmax.body.density = 3000.0
    stopped(slow)
    scene.redmax.accuracy = "DRAFT"
    window = Window()
    window.press()
    slow(100)
    until(lambda: window.send(TICK) not in RUNNING)
    assert scene.redmax.result.status == "complete"
    assert scene.redmax.result.identifier != before["identifier"]
    assert not scene.redmax.former.identifier


def test_what_was_put_aside_is_saved_opened_and_cleared_with_the_file(slow, tmp_path):
    scene, before = whole()
    save_as(tmp_path / "shot.blend")
    scene.objects["Upper"].redmax.body.density = 3000.0
    stopped(slow)
    save_as(tmp_path / "shot.blend")
    kept = {name for name in results_in(tmp_path) if name.endswith(".npz")}
    assert kept == {f"{before['identifier']}.npz", f"{scene.redmax.result.identifier}.npz"}
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    drop_memory()
    assert bpy.ops.redmax.bring_back() == {"FINISHED"}
    assert len(cache.load(bpy.context.scene)) == 13
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.ops.redmax.clear_result() == {"FINISHED"}
    assert not bpy.context.scene.redmax.former.identifier
    assert not {name for name in results_in(tmp_path) if name.endswith(".npz")}


def test_bodies_show_what_was_brought_back(slow):
    scene, _before = whole()
    scene.frame_set(13)
    shown = swinging.world("Lower")
    scene.objects["Upper"].redmax.body.density = 3000.0
    stopped(slow)
    held = swinging.world("Lower")
    assert abs(held - shown).max() > 0.01
    bpy.ops.redmax.bring_back()
    assert abs(swinging.world("Lower") - shown).max() < 1e-6
    preview.hide(scene)
