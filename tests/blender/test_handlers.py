# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers: nothing stays behind, nothing of a run outlives its file, edits are noticed and our own writing is not."""

from __future__ import annotations

import bpy
import pytest
import swinging

import redmax_blender
from redmax_blender import handlers
from redmax_blender.bridge.extract import weighing
from redmax_blender.bridge.objects import changes
from redmax_blender.bridge.results import preview
from redmax_blender.bridge.run import live, simulation
from redmax_blender.properties import migration


def registered():
    """Our handlers, by the list they are in."""
    found = []
    for name in dir(bpy.app.handlers):
        events = getattr(bpy.app.handlers, name)
        if isinstance(events, list):
            found += [(name, handler.__name__) for handler in events if handler.__module__.endswith(".handlers")]
    return sorted(found)


def test_every_handler_is_taken_back_and_given_once():
    before = registered()
    assert len(before) == len(set(before)) == 13
    redmax_blender.unregister()
    try:
        assert registered() == []
        assert not bpy.app.timers.is_registered(handlers.look_again)
    finally:
        redmax_blender.register()
    assert registered() == before


def test_handlers_stay_when_a_file_is_opened():
    before = registered()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert registered() == before


def test_disabling_the_add_on_ends_a_run():
    scene = swinging.build(frames=(1, 100000))
    run = live.begin(scene, *live.prepare(scene, bpy.context.view_layer))
    assert live.running()
    redmax_blender.unregister()
    try:
        assert not live.running()
        assert run.finished
        assert run.cancelled
    finally:
        redmax_blender.register()
    assert bpy.ops.redmax.simulate.poll()


def test_a_running_flag_from_before_is_reset_by_opening_a_file(tmp_path):
    bpy.context.window_manager.redmax.running = True
    bpy.context.window_manager.redmax.message = "Simulating frame 3"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not bpy.context.window_manager.redmax.running
    assert bpy.context.window_manager.redmax.message == ""


def test_what_migration_says_is_told(tmp_path, caplog):
    swinging.build()
    bpy.data.objects["Upper"].redmax.version = migration.CURRENT + 1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "newer.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "newer.blend"))
    assert "'Upper' was saved by a newer RedMax" in caplog.text
    assert "'Upper' was saved by a newer RedMax" in bpy.context.window_manager.redmax.message


def with_a_button(obj, change):
    """Change a property as a button does: Blender then tags its owner, which a script's assignment does not."""
    change(obj)
    obj.update_tag()


EDITS = {
    "move": lambda scene: setattr(scene.objects["Upper"], "location", (0.6, 0.0, 2.0)),
    "density": lambda scene: setattr(scene.objects["Upper"].redmax.body, "density", 500.0),
    "joint": lambda scene: with_a_button(
        scene.objects["Elbow"], lambda joint: setattr(joint.redmax.joint, "damping", (0.5,) + (0.0,) * 5)
    ),
    "mesh": lambda scene: scene.objects["Upper"].data.update(),
    "modifier": lambda scene: scene.objects["Upper"].modifiers.new("Bevel", "BEVEL"),
    "part": lambda scene: setattr(scene.objects["Knob"], "scale", (2.0, 2.0, 2.0)),
    "no body any more": lambda scene: setattr(scene.objects["Lower"].redmax, "is_body", False),
    "no joint any more": lambda scene: setattr(scene.objects["Elbow"].redmax, "is_joint", False),
    "part let go": lambda scene: setattr(scene.objects["Knob"], "parent", None),
    "deleted body": lambda scene: bpy.data.objects.remove(scene.objects["Lower"]),
    "deleted joint": lambda scene: bpy.data.objects.remove(scene.objects["Elbow"]),
    "deleted part": lambda scene: bpy.data.objects.remove(scene.objects["Knob"]),
    "gravity": lambda scene: setattr(scene, "gravity", (0.0, 0.0, -1.0)),
    "frame rate": lambda scene: setattr(scene.render, "fps", 30),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_noticed_without_extracting(edit, monkeypatch):
    scene = swinging.build()
    knob = swinging.box("Knob", (0.5, 0.0, 2.1), (0.1, 0.1, 0.1))
    knob.redmax.is_body = False
    knob.parent = scene.objects["Upper"]
    knob.matrix_parent_inverse = scene.objects["Upper"].matrix_world.inverted()
    swinging.simulate()
    assert not scene.redmax.result.changed
    monkeypatch.setattr(live.extract, "extract", lambda *_: pytest.fail("a handler extracts"))
    EDITS[edit](scene)
    bpy.context.view_layer.update()
    assert scene.redmax.result.changed


@pytest.mark.parametrize("opened", [False, True], ids=["", "after opening the file"])
def test_deleting_what_is_no_part_of_a_mechanism_is_no_edit(opened, tmp_path):
    swinging.build()
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Lamp", None))
    swinging.simulate()
    if opened:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "deleting.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "deleting.blend"))
    for name, is_edit in (("Lamp", False), ("Lower", True)):
        bpy.data.objects.remove(bpy.data.objects[name])
        bpy.context.view_layer.update()
        assert bpy.context.scene.redmax.result.changed == is_edit, name
    bpy.context.scene.redmax.result.changed = False
    bpy.data.objects["Upper"].select_set(True)
    bpy.context.view_layer.update()
    assert not bpy.context.scene.redmax.result.changed  # a deletion is told once


def test_key_edits_are_noticed():
    scene = swinging.build()
    joint = scene.objects["Elbow"]
    joint.redmax.joint.motion_type = "animated"
    joint.keyframe_insert("redmax.joint.coordinate_angle_1", frame=1)
    swinging.simulate()
    assert not scene.redmax.result.changed
    joint.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    assert scene.redmax.result.changed


def test_check_and_bake_are_no_edits_wherever_the_timeline_stands():
    scene = swinging.build()
    swinging.simulate()
    for frame in (1, 9):
        scene.frame_set(frame)
        bpy.ops.redmax.check()
        bpy.ops.redmax.bake()
        bpy.context.view_layer.update()
        bpy.ops.redmax.remove_bake()
        bpy.context.view_layer.update()
        assert not scene.redmax.result.changed


def test_simulating_again_is_fresh_again():
    scene = swinging.build()
    swinging.simulate()
    scene.objects["Upper"].redmax.body.density = 2000.0
    bpy.context.view_layer.update()
    assert scene.redmax.result.changed
    swinging.simulate()
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed


def test_settings_count_from_the_simulation_on():
    """A script's assignments are not reported by Blender: those before Simulate must not be noticed after it."""
    scene = swinging.build()
    bpy.context.view_layer.update()
    scene.redmax.accuracy = "DRAFT"
    swinging.simulate()
    scene.frame_set(3)
    scene.objects["Upper"].select_set(True)
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed
    scene.redmax.accuracy = "HIGH"
    scene.frame_set(4)
    assert scene.redmax.result.changed


def test_what_is_ours_is_evaluated_at_once_and_forgotten():
    scene = swinging.build()
    swinging.simulate()
    with changes.ours():
        scene.objects["Upper"].location.x = 0.7
        assert changes.busy()
    assert not changes.busy()
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed


def test_an_error_inside_ours_does_not_silence_the_handlers():
    with pytest.raises(ZeroDivisionError), changes.ours():
        raise ZeroDivisionError
    assert not changes.busy()


# --- the mass that the panel shows -----------------------------------------------------------


def weighed(name):
    scene = bpy.context.scene
    weighing.weigh(scene.objects[name], scene, bpy.context.view_layer)
    return scene.objects[name].redmax.body.measured_mass


def test_the_active_body_is_weighed_like_check_weighs_it():
    scene = swinging.build()
    body = scene.objects["Upper"].redmax.body
    for density in (1000.0, 7850.0):
        body.density = density
        bpy.context.view_layer.update()
        assert weighed("Upper") == pytest.approx(density * 0.01, rel=1e-5)
        bpy.ops.redmax.check()
        assert weighed("Upper") == body.measured_mass


def test_weighing_includes_parts_and_modifiers():
    scene = swinging.build()
    knob = swinging.box("Knob", (0.5, 0.0, 2.1), (0.1, 0.1, 0.1))
    knob.redmax.is_body = False
    knob.parent = scene.objects["Upper"]
    scene.objects["Upper"].redmax.body.density = 1000.0
    bpy.context.view_layer.update()
    assert weighed("Upper") == pytest.approx(11.0, rel=1e-5)
    assert weighing.body_of(knob) == scene.objects["Upper"]
    assert weighing.body_of(scene.objects["Elbow"]) is None


def test_a_body_that_cannot_be_weighed_now_has_no_mass_to_show(monkeypatch):
    scene = swinging.build()
    assert weighed("Upper") > 0.0
    monkeypatch.setattr(weighing, "MOST_POLYGONS", 5)
    assert weighed("Upper") == -1.0
    monkeypatch.undo()
    scene.objects["Upper"].data.clear_geometry()
    bpy.context.view_layer.update()
    assert weighed("Upper") == -1.0


def test_an_edit_of_the_active_body_is_weighed_once_the_artist_pauses(monkeypatch):
    monkeypatch.setattr(handlers, "_has_window", lambda: True)
    scene = swinging.build()
    swinging.simulate()
    scene.redmax.live_check = False
    bpy.context.view_layer.objects.active = scene.objects["Upper"]
    scene.objects["Lower"].redmax.body.density = 500.0
    bpy.context.view_layer.update()
    assert not bpy.app.timers.is_registered(handlers.look_again), "it is not the one in the panel"
    scene.objects["Upper"].redmax.body.density = 500.0
    bpy.context.view_layer.update()
    assert bpy.app.timers.is_registered(handlers.look_again)
    handlers._stop_waiting()
    scene.redmax.result.changed = False
    assert handlers.look_again() is None, "a timer that returns a number would run again"
    assert scene.objects["Upper"].redmax.body.measured_mass == pytest.approx(5.0, rel=1e-5)
    bpy.context.view_layer.update()
    assert not bpy.app.timers.is_registered(handlers.look_again), "weighing must not cause weighing"
    assert not scene.redmax.result.changed


def test_without_a_window_no_timer_is_left_behind():
    scene = swinging.build()
    bpy.context.view_layer.objects.active = scene.objects["Upper"]
    scene.objects["Upper"].redmax.body.density = 500.0
    bpy.context.view_layer.update()
    assert not bpy.app.timers.is_registered(handlers.look_again)


def test_a_run_in_one_scene_leaves_the_other_scenes_alone():
    scene = swinging.build()
    swinging.simulate()
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    other.frame_set(9)
    assert not any(obj.redmax.kept.active for obj in scene.objects)
    assert preview.scenes_shown() == []
    bpy.context.window.scene = scene
    scene.frame_set(9)
    assert preview.scenes_shown() == ["Scene"]
    assert simulation.run(*live.prepare(scene, bpy.context.view_layer)).status == "complete"


def test_another_file_brings_none_of_the_former_files_findings():
    state = bpy.context.window_manager.redmax
    state.problems.add().text = "'Rod' is not closed"
    state.mechanisms.add().root = "Crane"
    state.checked = state.running = True
    state.message = "Simulated"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    state = bpy.context.window_manager.redmax
    assert (len(state.problems), len(state.mechanisms), state.checked, state.running) == (0, 0, False, False)
    assert state.message == ""


def test_what_was_told_is_not_said_any_more_once_it_is_undone():
    swinging.build()
    swinging.simulate()
    bpy.ops.ed.undo_push(message="simulated")
    bpy.ops.redmax.bake()
    bpy.ops.ed.undo_push(message="baked")
    state = bpy.context.window_manager.redmax
    assert state.message.startswith("Baked")
    bpy.ops.ed.undo()
    assert state.message == ""
