# SPDX-License-Identifier: GPL-3.0-or-later
"""Things happen to the file while it is simulated: the run ends well, and what happened is said by name."""

from __future__ import annotations

import bpy
import pytest
import swinging
from gated_runs import begin, until
from modal_simulate import TICK, Window

import redmax_blender
from redmax_blender import handlers
from redmax_blender.bridge.results import cache, preview
from redmax_blender.bridge.run import live
from redmax_blender.ops import simulate


@pytest.fixture(autouse=True)
def _nothing_left_running():
    yield
    live.abandon()
    simulate.clean_up()


def meanwhile(what, *, frames=(1, 8)):
    """Let something happen after the fourth frame was shown; how the run ended."""
    scene, slow, run = begin(frames=frames)
    slow.gate.release(3)
    until(lambda: run.poll() == 4)
    live.show_newest()
    assert scene.objects["Upper"].redmax.kept.active
    what(scene)
    bpy.context.view_layer.update()
    slow.gate.release(2)
    until(lambda: run.poll() == 6)
    live.show_newest()
    slow.gate.release(100)
    until(live.finished)
    return scene, live.finish()


def delete(scene):
    bpy.data.objects.remove(scene.objects["Lower"])


def unlink(scene):
    scene.collection.objects.unlink(scene.objects["Lower"])


def rename(scene):
    scene.objects["Lower"].name = "Forearm"


def rename_joint(scene):
    scene.objects["Elbow"].name = "Hinge"


def swap_names(scene):
    upper, lower = scene.objects["Upper"], scene.objects["Lower"]
    upper.name, lower.name = "X", "Upper"
    upper.name = "Lower"


def replace(scene):
    """Another body takes the name of one that is deleted."""
    delete(scene)
    swinging.box("Lower", (9.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (delete, "'Lower' was deleted"),
        (unlink, "'Lower' was taken out of the scene"),
        (rename, "'Lower' was renamed to 'Forearm'"),
        (rename_joint, "'Elbow' was renamed to 'Hinge'"),
        (swap_names, "'Lower' was renamed to 'Upper', 'Upper' was renamed to 'Lower'"),
        (replace, "'Lower' was deleted"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_happened_to_a_body_or_joint_is_said_by_name(what, said):
    scene, outcome = meanwhile(what)
    assert (outcome.level, outcome.kept) == ("WARNING", True)
    assert f". Meanwhile {said}: simulate again before you bake" in outcome.text
    assert len(cache.load(scene)) == 8, "nothing that was computed is lost"
    assert scene.redmax.result.changed
    assert scene.frame_current == 1
    with pytest.raises(RuntimeError, match=r"no child body|Settings changed|Elbow"):
        bpy.ops.redmax.bake()
    assert not bpy.data.actions


@pytest.mark.parametrize("what", [unlink, rename, swap_names])
def test_every_object_stands_as_modelled_when_it_is_over(what):
    """Wherever it is now and whatever it is called: nobody else would bring back what the preview had put aside."""
    modelled = sorted(tuple(obj.location) for obj in swinging.build().objects)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    _scene, _outcome = meanwhile(what)
    bpy.ops.redmax.clear_result()
    assert not any(obj.redmax.kept.active for obj in bpy.data.objects)
    assert sorted(tuple(obj.location) for obj in bpy.data.objects) == modelled


def test_a_body_that_was_taken_out_and_comes_back_is_shown_again():
    scene, _outcome = meanwhile(unlink)
    lower = bpy.data.objects["Lower"]
    scene.frame_set(6)
    assert not lower.redmax.kept.active, "not in the scene: left alone"
    scene.collection.objects.link(lower)
    bpy.context.view_layer.update()
    scene.frame_set(7)
    assert lower.redmax.kept.active
    assert bpy.ops.redmax.bake.poll()


def test_many_deleted_objects_are_counted():
    def delete_all(scene):
        for name in ("Upper", "Lower", "Elbow", "Shoulder"):
            bpy.data.objects.remove(scene.objects[name])

    _scene, outcome = meanwhile(delete_all)
    assert outcome.text.count("was deleted") == 3
    assert " and 1 more: simulate again" in outcome.text


def test_another_scene_in_the_window_does_not_disturb_a_run():
    def switch(_scene):
        bpy.context.window.scene = bpy.data.scenes.new("Other")

    scene, outcome = meanwhile(switch)
    assert (outcome.level, outcome.kept) == ("INFO", True)
    assert not scene.redmax.result.changed
    assert not bpy.data.scenes["Other"].redmax.result.identifier
    bpy.context.window.scene = scene
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_an_undo_that_takes_a_body_away_is_said():
    swinging.build()
    lower = bpy.data.objects["Lower"]
    bpy.context.scene.collection.objects.unlink(lower)
    bpy.ops.ed.undo_push(message="without")
    bpy.context.scene.collection.objects.link(lower)
    bpy.ops.ed.undo_push(message="with")
    extraction, integrator = live.prepare(bpy.context.scene, bpy.context.view_layer)
    run = live.begin(bpy.context.scene, extraction, integrator)
    until(lambda: run.finished)
    bpy.ops.ed.undo()
    outcome = live.finish()
    assert outcome.kept
    assert "'Lower' was taken out of the scene" in outcome.text or "'Lower' was deleted" in outcome.text
    assert bpy.context.scene.redmax.result.changed


# --- the file, the window and the add-on go --------------------------------------------------


def pressed():
    scene = swinging.build()
    window = Window()
    assert window.press() == {"RUNNING_MODAL"}
    until(live.finished)
    return scene, window


def test_opening_a_file_says_that_the_simulation_was_given_up(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "other.blend"))
    _scene, window = pressed()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "other.blend"))
    state = bpy.context.window_manager.redmax
    assert state.message == "The simulation of scene 'Scene' was given up after 13 frames, as another file was opened"
    assert not state.running
    assert window.send(TICK) == {"CANCELLED"}
    assert window.is_clean()
    assert window.reports == []


def test_disabling_the_add_on_keeps_what_is_done_and_leaves_nothing_behind():
    scene, _window = pressed()
    scene.frame_set(5)
    assert simulate._timers
    redmax_blender.unregister()
    try:
        assert not simulate._timers
        assert not live.running()
        assert tuple(scene.objects["Upper"].location) == pytest.approx((0.5, 0.0, 2.0))
    finally:
        redmax_blender.register()
    assert scene.redmax.result.status in ("complete", "stopped")
    assert len(cache.load(scene)) == 13
    assert not bpy.context.window_manager.redmax.running


def test_closing_the_window_keeps_what_is_done():
    scene, window = pressed()
    window.cancel(window.context)
    assert window.is_clean()
    assert len(cache.load(scene)) == 13
    assert "Simulated frames 1-13" in bpy.context.window_manager.redmax.message


# --- renaming, told by Blender's message bus -------------------------------------------------


@pytest.fixture
def with_a_window(monkeypatch):
    monkeypatch.setattr(handlers, "_has_window", lambda: True)
    yield
    handlers._stop_waiting()


@pytest.mark.parametrize("name", ["Lower", "Elbow"])
def test_renaming_a_body_or_joint_is_an_edit(with_a_window, name):
    """In the background the bus is silent: what it calls is called here. `tools` has seen it in a window."""
    scene = swinging.build()
    swinging.simulate()
    state = bpy.context.window_manager.redmax
    handlers.renamed()
    assert not scene.redmax.result.changed
    assert not state.outdated
    scene.objects[name].name = "Other"
    handlers.renamed()
    assert scene.redmax.result.changed
    assert state.outdated
    assert bpy.app.timers.is_registered(handlers.look_again)
    handlers.look_again()
    assert not state.outdated
    assert cache.is_stale(scene, bpy.context.view_layer)


def test_renaming_something_else_is_none(with_a_window):
    scene = swinging.build()
    lamp = bpy.data.objects.new("Lamp", None)
    scene.collection.objects.link(lamp)
    swinging.simulate()
    bpy.context.view_layer.update()
    lamp.name = "Sun"
    scene.objects["Upper"].data.name = "Mesh"
    handlers.renamed()
    assert not scene.redmax.result.changed
    assert not bpy.context.window_manager.redmax.outdated


def test_names_are_listened_to_after_another_file_was_opened(monkeypatch):
    """Opening a file ends all listening."""
    heard = []
    monkeypatch.setattr(bpy.msgbus, "subscribe_rna", lambda **options: heard.append(options["key"]))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert {(bpy.types.Object, "name"), (bpy.types.ID, "name")} <= set(heard)
    assert preview.scenes_shown() == []
