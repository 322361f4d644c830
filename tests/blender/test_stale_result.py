# SPDX-License-Identifier: GPL-3.0-or-later
"""That settings changed since the simulation is said while it is true, in the panel and in Check's list alike."""

from __future__ import annotations

import bpy
import pytest
import swinging
from modal_simulate import TICK, Window

from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.run import live, simulation


def listed():
    """Whether Check's list, as it stands, calls the result old."""
    return result_findings.STALE in [row.text for row in bpy.context.window_manager.redmax.problems]


def is_old():
    """What the panel and the list say, which must agree."""
    bpy.context.view_layer.update()
    assert listed() == bpy.context.scene.redmax.result.changed
    return listed()


@pytest.fixture
def edited():
    """Simulated, edited, and looked at: the result is old, and said to be."""
    scene = swinging.build(frames=(1, 4))
    swinging.simulate()
    scene.objects["Upper"].redmax.body.density = 500.0
    bpy.context.view_layer.update()
    bpy.ops.redmax.check()
    assert is_old()
    return scene


def test_it_goes_away_once_simulated_and_baked(edited):
    swinging.simulate()
    assert not is_old()
    bpy.ops.redmax.bake()
    assert not is_old()
    bpy.ops.redmax.check()
    assert not is_old()


def test_it_goes_away_after_a_run_beside_the_artists_work(edited):
    window = Window()
    assert window.press() == {"RUNNING_MODAL"}
    assert live._current.run.wait(60.0)
    assert window.send(TICK) == {"FINISHED"}
    assert not is_old()


@pytest.mark.parametrize("times", [1, 2], ids=["after the run", "kept, as nothing has changed"])
def test_what_is_to_be_said_of_a_new_result_is_listed_at_once(monkeypatch, times):
    swinging.build()
    note = "the energy does not balance"
    monkeypatch.setattr(simulation, "remarks", lambda *_: [note])
    for _ in range(times):
        swinging.simulate()
    assert note in [row.text.lower() for row in bpy.context.window_manager.redmax.problems]


def test_it_stays_where_the_old_result_was_baked(edited):
    bpy.ops.redmax.bake(allow_stale=True)
    assert is_old()


@pytest.mark.parametrize("look", [bpy.ops.redmax.check, bpy.ops.redmax.bake])
def test_it_goes_away_once_the_edit_is_taken_back_by_hand(edited, look):
    edited.objects["Upper"].redmax.body.density = 1000.0
    bpy.context.view_layer.update()
    assert edited.redmax.result.changed, "an edit is only a hint"
    assert look() == {"FINISHED"}
    assert not is_old()


@pytest.mark.parametrize("clear", [bpy.ops.redmax.clear_result, bpy.ops.redmax.clear_results])
def test_it_goes_away_with_the_result(edited, clear):
    clear()
    assert not is_old()


def test_what_was_said_of_a_former_run_goes_too(edited):
    state = bpy.context.window_manager.redmax
    edited.redmax.result.status, edited.redmax.result.message = "failed", "Stopped at frame 3: 'Upper' exceeds 1 m/s"
    bpy.ops.redmax.check()
    assert any("Stopped at frame 3" in row.text for row in state.problems)
    edited.objects["Shoulder"].redmax.joint.motion_type = "animated"
    swinging.simulate()
    assert [row.element for row in state.problems] == ["Shoulder"], "what was found in the scene stays"


def test_nothing_but_an_edit_brings_it_back(tmp_path):
    scene = swinging.build()
    swinging.simulate()
    steps = {
        "check": bpy.ops.redmax.check,
        "scrub": lambda: [bpy.context.scene.frame_set(frame) for frame in (5, 9, 1)],
        "hide": bpy.ops.redmax.show_result,
        "show": bpy.ops.redmax.show_result,
        "select": lambda: bpy.context.scene.objects["Upper"].select_set(True),
        "bake": bpy.ops.redmax.bake,
        "scrub the bake": lambda: [bpy.context.scene.frame_set(frame) for frame in (7, 1)],
        "remove the bake": bpy.ops.redmax.remove_bake,
        "bake again": bpy.ops.redmax.bake,
        "save": lambda: bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "swinging.blend")),
        "reload": lambda: bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "swinging.blend")),
        "check the file": bpy.ops.redmax.check,
        "scrub the file": lambda: [bpy.context.scene.frame_set(frame) for frame in (7, 1)],
    }
    assert scene.redmax.result.identifier
    for name, step in steps.items():
        step()
        assert not is_old(), name


def test_undoing_a_bake_is_no_edit():
    swinging.build()
    bpy.ops.ed.undo_push(message="Built")
    swinging.simulate()
    bpy.ops.ed.undo_push(message="Simulated")
    bpy.ops.redmax.bake()
    bpy.ops.ed.undo_push(message="Baked")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        assert step() == {"FINISHED"}
        bpy.context.view_layer.update()
        assert bpy.context.scene.redmax.result.identifier
        assert not bpy.context.scene.redmax.result.changed


OPERATORS = {
    "enter_mass": ("Upper", {"element": "Upper", "mass": 7.0}),
    "enter_mass, to no avail": ("Upper", {"element": "Upper", "mass": 0.0}),
    "set_root": ("Post", {"root": "FREE"}),
    "set_feel": ("Elbow", {}),
    "set_kind": ("Elbow", {"kind": "spherical"}),
    "swap_joint": ("Elbow", {}),
    "remove_joint": ("Elbow", {"keep_empty": True}),
    "remove_body": ("Lower", {}),
    "set_joint_axis": ("Elbow", {"axis": "X"}),
    "key_coordinate": ("Elbow", {}),
    "fix": ("Elbow", {"fix": "LOCK_JOINT", "element": "Elbow"}),
    "solo_mechanism": ("Post", {"root": "Post"}),
}
"""Operators that edit a mechanism: the active object, and their settings."""


@pytest.mark.parametrize("name", OPERATORS)
def test_what_operators_edit_makes_it_old(name):
    scene = swinging.build(frames=(1, 3))
    swinging.box("Loose", (5.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    bpy.ops.redmax.check()
    swinging.simulate()
    active, settings = OPERATORS[name]
    for obj in scene.objects:
        obj.select_set(obj.name == active)
    bpy.context.view_layer.objects.active = scene.objects[active]
    assert not scene.redmax.result.changed
    assert getattr(bpy.ops.redmax, name.partition(",")[0])("EXEC_DEFAULT", True, **settings) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert scene.redmax.result.changed
