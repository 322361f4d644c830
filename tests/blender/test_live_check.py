# SPDX-License-Identifier: GPL-3.0-or-later
"""Check while editing: what is shown follows the scene when that is cheap, and says that it is old when it is not."""

from __future__ import annotations

import bpy
import pytest
import swinging

from redmax_blender import handlers
from redmax_blender.bridge.check import check_report, live_check


@pytest.fixture
def state(monkeypatch):
    monkeypatch.setattr(handlers, "_has_window", lambda: True)
    monkeypatch.setattr(check_report, "CHEAP", 60.0)
    yield bpy.context.window_manager.redmax
    handlers._stop_waiting()
    bpy.context.window_manager.redmax.running = False  # found anew: a test may have opened another file


def edit(change):
    """An edit of the artist's; True if a look is planned for when he pauses."""
    handlers._stop_waiting()
    change()
    bpy.context.view_layer.update()
    return bpy.app.timers.is_registered(handlers.look_again)


def waiting():
    """The pause."""
    handlers._stop_waiting()
    assert handlers.look_again() is None


def test_what_is_shown_follows_the_scene(state):
    scene = swinging.build()
    bpy.ops.redmax.check()
    assert (len(state.problems), state.outdated) == (0, False)
    shoulder = scene.objects["Shoulder"].redmax.joint

    def animate():
        shoulder.motion_type = "animated"
        scene.objects["Shoulder"].update_tag()

    assert edit(animate)
    assert state.outdated, "until the pause it is old, and the panel says so"
    assert len(state.problems) == 0
    waiting()
    assert not state.outdated
    assert [row.element for row in state.problems] == ["Shoulder"]
    assert not edit(lambda: None), "looking is no edit"


def test_deleting_and_adding_is_noticed_and_selecting_is_not(state):
    scene = swinging.build()
    bpy.context.view_layer.update()
    bpy.ops.redmax.check()
    bpy.context.view_layer.update()
    assert not edit(lambda: scene.objects["Upper"].select_set(True))
    assert not state.outdated
    assert edit(lambda: bpy.data.objects.remove(scene.objects["Lower"]))
    waiting()
    assert any("'Elbow'" in row.text for row in state.problems)


def test_nothing_is_checked_unasked(state):
    scene = swinging.build()
    bpy.context.view_layer.update()
    edit(lambda: setattr(scene.objects["Upper"], "location", (0.4, 0.0, 2.0)))
    waiting()
    assert not state.checked
    assert not state.outdated


@pytest.mark.parametrize("reason", ["expensive", "switched off", "running", "edit mode"])
def test_it_keeps_out_of_the_way(state, monkeypatch, reason):
    scene = swinging.build()
    bpy.ops.redmax.check()
    if reason == "expensive":
        monkeypatch.setattr(check_report, "CHEAP", 0.0)
        bpy.ops.redmax.check()
    elif reason == "switched off":
        scene.redmax.live_check = False
    elif reason == "running":
        state.running = True
    else:
        bpy.context.view_layer.objects.active = scene.objects["Upper"]
        bpy.ops.object.mode_set(mode="EDIT")
    planned = edit(lambda: setattr(scene.objects["Lower"], "location", (1.6, 0.0, 2.0)))
    assert planned == (reason in ("running", "edit mode"))
    assert not live_check.check(bpy.context)
    assert state.outdated, "but it is said"
    if reason == "edit mode":
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_first_look_that_had_to_measure_everything_does_not_count(state, monkeypatch):
    monkeypatch.setattr(check_report, "CHEAP", 0.05)
    check_report.start_anew()
    assert check_report.is_cheap(), "nothing is known yet"
    for seconds, cheap in ((0.4, True), (0.01, True), (0.2, True), (0.2, False), (0.03, True)):
        check_report._seconds.append(seconds)
        assert check_report.is_cheap() == cheap, seconds
    check_report.start_anew()
    check_report._seconds.append(3.0)
    assert not check_report.is_cheap(), "a scene that takes seconds is not tried again"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert check_report.is_cheap(), "another file, another scene"


def test_undo_is_an_edit_too(state):
    swinging.build()
    bpy.ops.redmax.check()
    assert not state.outdated
    handlers.undo_post()
    assert state.outdated
    assert bpy.app.timers.is_registered(handlers.look_again)
    waiting()
    assert not state.outdated


def test_the_active_problem_stays_the_active_problem(state):
    scene = swinging.build()
    for name in ("Shoulder", "Elbow"):
        scene.objects[name].redmax.joint.motion_type = "animated"
    bpy.ops.redmax.check()
    state.active_problem = [row.element for row in state.problems].index("Shoulder")
    scene.objects["Post"].redmax.body.root = "FREE"
    bpy.ops.redmax.check()
    assert state.problems[state.active_problem].element == "Shoulder"


def test_a_new_error_becomes_the_active_problem_and_is_then_left_alone(state):
    scene = swinging.build()
    scene.objects["Shoulder"].redmax.joint.motion_type = "animated"
    bpy.ops.redmax.check()
    assert state.problems[state.active_problem].severity == "WARNING"
    bpy.data.objects.remove(scene.objects["Lower"])
    bpy.ops.redmax.check()
    assert state.problems[state.active_problem].severity == "ERROR"
    state.active_problem = [row.element for row in state.problems].index("Shoulder")
    bpy.ops.redmax.check()
    assert state.problems[state.active_problem].element == "Shoulder", "the artist went back to it"


def test_a_click_on_a_problem_selects_its_object_and_checking_selects_nothing(state):
    scene = swinging.build()
    for name in ("Shoulder", "Elbow"):
        scene.objects[name].redmax.joint.motion_type = "animated"
    bpy.context.view_layer.update()
    scene.objects["Post"].select_set(True)
    bpy.ops.redmax.check()
    assert [obj.name for obj in bpy.context.selected_objects] == ["Post"]
    state.active_problem = [row.element for row in state.problems].index("Shoulder")
    assert [obj.name for obj in bpy.context.selected_objects] == ["Shoulder"]
    assert bpy.context.view_layer.objects.active == scene.objects["Shoulder"]
    scene.objects["Elbow"].hide_set(True)
    state.active_problem = [row.element for row in state.problems].index("Elbow")
    assert [obj.name for obj in bpy.context.selected_objects] == ["Shoulder"], "what is hidden cannot be selected"
