# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of mechanisms and of their joints: filled by whatever builds one, and a click selects a joint."""

from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace

import bpy
import pytest
import swinging
from by_hand import body, cube, joint
from recording_layout import RecordingLayout

from redmax_blender import handlers
from redmax_blender.bridge.check import check_report, joint_rows, live_check
from redmax_blender.bridge.check.findings import loops
from redmax_blender.ui import lists, sidebar


@pytest.fixture
def state():
    return bpy.context.window_manager.redmax


def select(*objects):
    for obj in bpy.context.view_layer.objects.selected[:]:
        obj.select_set(False)
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]
    bpy.context.view_layer.update()


def listed():
    """Joints by mechanism."""
    found = bpy.context.window_manager.redmax.mechanisms
    return {row.root: [joint.name for joint in row.joints] for row in found}


def two_parts():
    return cube("Arm", at=(1.0, 0.0, 0.0)), cube("Base")


def drawn():
    layout = RecordingLayout()
    assert sidebar.REDMAX_PT_joints.poll(bpy.context)
    sidebar.REDMAX_PT_joints.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


# --- filled by what builds --------------------------------------------------------------------


def test_adding_a_template_lists_it(state):
    bpy.ops.redmax.add_four_bar()
    assert {root: len(joints) for root, joints in listed().items()} == {"Four-Bar Base": 4}
    assert state.checked
    bpy.context.view_layer.update()
    assert not state.outdated, "nothing is left to look at"
    bpy.ops.redmax.add_pendulum()
    assert len(listed()) == 2


def test_making_connecting_and_removing_are_listed(state, monkeypatch):
    monkeypatch.setattr(check_report, "CHEAP", 60.0)  # a busy machine takes longer than lists may
    arm, base = two_parts()
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert listed() == {"Base": ["Arm Hinge"]}
    hand = cube("Hand", at=(2.0, 0.0, 0.0))
    select(hand, arm)
    bpy.ops.redmax.connect()
    assert listed() == {"Base": ["Arm Hinge", "Hand Hinge"]}
    assert state.mechanisms[0].bodies == 3
    select(cube("Loose", at=(0.0, 5.0, 0.0)))
    bpy.ops.redmax.add_body()
    assert set(listed()) == {"Base", "Loose"}
    bpy.ops.redmax.set_root(root="LOCKED")
    assert all("Loose" not in row.text for row in state.problems), "it no longer falls"
    bpy.ops.redmax.remove_body()
    assert set(listed()) == {"Base"}
    select(bpy.data.objects["Hand Hinge"])
    bpy.ops.redmax.remove_joint()
    assert listed()["Base"] == ["Arm Hinge"]


def test_without_a_mechanism_there_is_nothing_to_say(state):
    select(cube("Only"))
    bpy.ops.redmax.add_body()
    assert state.checked
    assert len(state.problems) == 1
    bpy.ops.redmax.remove_body()
    assert not state.checked
    assert (len(state.problems), len(state.mechanisms)) == (0, 0)


def test_deleting_the_last_of_a_mechanism_empties_the_lists(state, monkeypatch):
    monkeypatch.setattr(handlers, "_has_window", lambda: True)
    monkeypatch.setattr(check_report, "CHEAP", 60.0)
    bpy.ops.redmax.add_pendulum()
    bpy.context.view_layer.update()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.view_layer.update()
    assert bpy.app.timers.is_registered(handlers.look_again)
    handlers._stop_waiting()
    handlers.look_again()
    assert not state.checked
    assert (len(state.problems), len(state.mechanisms)) == (0, 0)


@pytest.mark.parametrize("reason", ["expensive", "switched off"])
def test_building_does_not_wait_for_an_expensive_look(state, monkeypatch, reason):
    if reason == "expensive":
        monkeypatch.setattr(check_report, "_seconds", [5.0, 5.0])
    else:
        bpy.context.scene.redmax.live_check = False
    assert bpy.ops.redmax.add_pendulum() == {"FINISHED"}
    assert not state.checked
    assert listed() == {}


def test_a_look_that_fails_keeps_what_was_built(state, monkeypatch):
    def fail(_context):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(check_report, "refresh", fail)
    assert bpy.ops.redmax.add_pendulum() == {"FINISHED"}
    assert any(obj.redmax.is_joint for obj in bpy.data.objects)
    assert state.message.startswith("Check after Add Pendulum met an error")


def test_building_in_a_refused_case_looks_at_nothing(state, monkeypatch):
    monkeypatch.setattr(check_report, "refresh", lambda _context: pytest.fail("nothing was built"))
    select(cube("Alone"))
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.make_mechanism()
    assert live_check.may_look(bpy.context.scene)


# --- what a row says --------------------------------------------------------------------------


def test_short_names_leave_out_what_all_share_and_the_type_beside_them():
    four_bar = [("Four-Bar Coupler Hinge", "Hinge"), ("Four-Bar Rocker Hinge", "Hinge")]
    assert joint_rows.labels([*four_bar, ("Four-Bar Rocker Hinge.001", "Hinge")]) == ["Coupler", "Rocker", "Rocker.001"]
    assert joint_rows.labels([("Arm Pin A", "Hinge"), ("Arm Pin A.001", "Hinge")]) == ["A", "A.001"]
    assert joint_rows.labels([("Hinge", "Hinge"), ("Hinge.001", "Hinge")]) == ["Hinge", "Hinge.001"]
    same = [("Arm Hinge", "Hinge"), ("Arm Slider", "Slider")]
    assert joint_rows.labels(same) == ["Arm Hinge", "Arm Slider"], "short names that are one name are none"
    assert joint_rows.labels([("Crank Hinge", "Hinge")]) == ["Crank"]
    assert joint_rows.labels([]) == []


def test_names_are_cut_where_they_are_alike():
    narrow = SimpleNamespace(region=SimpleNamespace(width=280), preferences=bpy.context.preferences)
    names = [f"A Very Long Name of a Pin.{number:03}" for number in range(3)]
    cut = [lists.ending(narrow, name, lists.NAME_SHARE) for name in names]
    assert len(set(cut)) == 3
    assert all(name.endswith(short[1:]) for name, short in zip(names, cut, strict=True))
    assert lists.ending(narrow, "Pin", lists.NAME_SHARE) == "Pin"


def test_a_row_shows_name_type_motion_and_whether_a_loop_closes(state):
    bpy.ops.redmax.add_four_bar()
    layout = drawn()
    labels = [(call.text, call.arguments.get("icon")) for call in layout.calls if call.what == "label"]
    rows = [labels[k] for k in range(len(labels)) if labels[k][1] in lists.MOTION_ICON.values()]
    assert rows == [("Coupler", "PHYSICS"), ("Crank", "ANIM"), ("Rocker", "PHYSICS"), ("Rocker.001", "PHYSICS")]
    assert sum(text == "Hinge" for text, _ in labels) == 4
    assert [icon for _, icon in labels].count("LINKED") == 1
    closing = next(row for row in state.mechanisms[0].joints if row.loop)
    assert closing.gap == ""
    closing.gap = "3.1 mm, 0.4 deg"
    assert "3.1 mm" in drawn().texts()
    bpy.data.objects[closing.name].redmax.joint.motion_type = "locked"
    assert "LOCKED" in [call.arguments.get("icon") for call in drawn().calls]
    bpy.data.objects.remove(bpy.data.objects[closing.name])
    assert "QUESTION" in [call.arguments.get("icon") for call in drawn().calls]


@pytest.mark.parametrize(("gap", "said"), [({}, ""), ({"D": (0.0, 0.2)}, "0.2 m")])
def test_a_loop_joint_is_listed_with_its_gap(state, monkeypatch, gap, said):
    """A parallelogram, closed or open by what the engine says."""
    monkeypatch.setattr(loops, "wide_gaps", lambda _model: gap)
    monkeypatch.setattr(loops, "_known", OrderedDict())
    base, crank = body("Base", root="LOCKED"), body("Crank", at=(0.0, 0.0, 1.0))
    rod, rocker = body("Rod", at=(1.0, 0.0, 2.0)), body("Rocker", at=(2.0, 0.0, 1.0))
    for name, parent, child, at in (
        ("A", base, crank, (0.0, 0.0, 0.0)),
        ("B", crank, rod, (0.0, 0.0, 2.0)),
        ("C", base, rocker, (2.0, 0.0, 0.0)),
        ("D", rod, rocker, (2.0, 0.0, 2.0)),
    ):
        joint(name, parent, child, at=at).redmax.joint.revolute.axis = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.redmax.check()
    (row,) = state.mechanisms
    found = [(one.name, one.loop, one.gap) for one in row.joints]
    assert found == [("A", False, ""), ("B", False, ""), ("C", False, ""), ("D", True, said)]


# --- a click ----------------------------------------------------------------------------------


def test_a_click_selects_the_joint_and_nothing_else(state):
    bpy.ops.redmax.add_four_bar()
    (row,) = state.mechanisms
    row.active_joint = 2
    name = row.joints[2].name
    assert [obj.name for obj in bpy.context.view_layer.objects.selected] == [name]
    assert bpy.context.view_layer.objects.active.name == name
    assert row.active_joint == 2


def test_the_list_follows_the_active_object(state):
    swinging.build()
    bpy.ops.redmax.check()
    (row,) = state.mechanisms
    assert row.active_joint == -1
    select(bpy.data.objects["Shoulder"])
    assert row.joints[row.active_joint].name == "Shoulder"
    select(bpy.data.objects["Post"])
    assert row.active_joint == -1
    bpy.context.view_layer.objects.active = None
    assert row.active_joint == -1


def test_what_cannot_be_selected_says_so_until_something_can(state):
    swinging.build()
    bpy.ops.redmax.check()
    (row,) = state.mechanisms
    elbow, shoulder = (row.joints.find(name) for name in ("Elbow", "Shoulder"))
    bpy.data.objects["Elbow"].hide_set(True)
    bpy.context.view_layer.update()
    row.active_joint = elbow
    assert "'Elbow' is hidden" in state.message
    row.active_joint = shoulder
    assert state.message == ""
    state.message = "Baked 12 frames"
    row.active_joint = shoulder
    assert state.message == "Baked 12 frames", "what else was said stays"
    row.active_joint = 99
    bpy.data.objects["Elbow"].hide_set(False)
    bpy.data.objects.remove(bpy.data.objects["Elbow"])
    row.active_joint = elbow
    assert "There is no object 'Elbow'" in state.message


def test_the_list_is_hidden_until_there_are_joints(state):
    assert not sidebar.REDMAX_PT_joints.poll(bpy.context)
    select(cube("Only"))
    bpy.ops.redmax.add_body()
    assert len(state.mechanisms) == 1
    assert not sidebar.REDMAX_PT_joints.poll(bpy.context)
    bpy.ops.redmax.add_pendulum()
    state.active_mechanism = state.mechanisms.find("Only")
    assert not sidebar.REDMAX_PT_joints.poll(bpy.context), "the active mechanism has none"
    state.active_mechanism = 1 - state.active_mechanism
    assert sidebar.REDMAX_PT_joints.poll(bpy.context)
    layout = RecordingLayout()
    sidebar.REDMAX_PT_joints.draw_header_preset(SimpleNamespace(layout=layout), bpy.context)
    assert layout.texts() == [str(len(lists.active_mechanism(bpy.context).joints))]
