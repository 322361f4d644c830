# SPDX-License-Identifier: GPL-3.0-or-later
"""Check, Select and Export as the artist uses them, through the operators."""

from __future__ import annotations

import json
import logging

import bpy
import by_hand
import pytest
from by_hand import body, joint

from redmax_blender.bridge.check import check_report
from redmax_blender.bridge.results import cache
from redmax_blender.ops import check as check_operators
from redmax_blender.properties.scene import integrator_of


@pytest.fixture
def running():
    return bpy.context.window_manager.redmax


def pendulum():
    base, arm = body("Base", root="LOCKED"), body("Arm", (1.0, 1.0, 2.0))
    return base, arm, joint("Pin", base, arm)


def test_a_sound_mechanism_has_no_problems_and_known_masses(running):
    base, arm, _ = pendulum()
    assert arm.redmax.body.measured_mass == -1.0
    assert bpy.ops.redmax.check() == {"FINISHED"}
    assert running.checked
    assert len(running.problems) == 0
    (mechanism,) = running.mechanisms
    assert (mechanism.root, mechanism.bodies, mechanism.dofs, mechanism.loops, mechanism.problems) == (
        "Base",
        2,
        1,
        0,
        0,
    )
    assert base.redmax.body.measured_mass == pytest.approx(1000.0)
    assert arm.redmax.body.measured_mass == pytest.approx(2000.0)


def test_the_measured_mass_is_shown_in_kilograms_whatever_the_unit_scale():
    bpy.context.scene.unit_settings.scale_length = 0.01
    _, arm, _ = pendulum()
    bpy.ops.redmax.check()
    shown = arm.redmax.body.measured_mass * 0.01**3  # as Blender displays masses
    assert shown == pytest.approx(2000.0 * 0.01**3, rel=1e-5)
    arm.redmax.body.mass_source, arm.redmax.body.mass = "MASS", 5.0
    bpy.ops.redmax.check()
    assert arm.redmax.body.measured_mass == pytest.approx(5.0, rel=1e-6)


def test_problems_are_listed_with_element_text_hint_and_severity(running):
    _, arm, pin = pendulum()
    arm.scale = (0, 1, 1)
    loose = joint("Loose", None, None)
    body("Ball")
    bpy.ops.redmax.check()
    rows = {row.element: row for row in running.problems}
    assert set(rows) == {"Arm", "Loose"}
    assert all(row.text and row.hint and row.severity == "ERROR" for row in rows.values())
    assert f"'{loose.name}'" in rows["Loose"].text
    assert [row.severity for row in running.problems] == sorted(row.severity for row in running.problems)
    arm.scale = (1, 1, 1)
    bpy.data.objects.remove(loose)
    bpy.ops.redmax.check()
    assert {row.severity for row in running.problems} == {"INFO"}, "the list is made anew each time"
    assert pin.name == "Pin"


def test_problems_are_counted_at_their_mechanism(running):
    base, arm, _ = pendulum()
    plate = by_hand.add("Plate", by_hand.mesh("Plate", faces=by_hand.FACES[:-1]))
    plate.parent = arm  # an open part of the arm
    joint("Second", base, None)
    body("Other", root="LOCKED")
    bpy.ops.redmax.check()
    counts = {row.root: row.problems for row in running.mechanisms}
    assert counts == {"Base": 2, "Other": 0}


def test_an_unmeasured_body_shows_no_mass():
    _, arm, _ = pendulum()
    bpy.ops.redmax.check()
    assert arm.redmax.body.measured_mass > 0.0
    arm.data = by_hand.mesh("Open", faces=by_hand.FACES[:-1])
    bpy.ops.redmax.check()
    assert arm.redmax.body.measured_mass == -1.0


def test_checking_does_not_call_a_result_outdated():
    pendulum()
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    scene.redmax.result.identifier = cache.fingerprint(by_hand.extract(), integrator_of(scene))
    bpy.ops.redmax.check()
    bpy.context.view_layer.update()
    assert not bpy.context.scene.redmax.result.changed
    bpy.data.objects["Arm"].location.x += 1.0
    bpy.context.view_layer.update()
    assert bpy.context.scene.redmax.result.changed, "an edit of the artist's does"


def test_check_waits_while_a_simulation_runs(running):
    pendulum()
    running.running = True
    try:
        assert not bpy.ops.redmax.check.poll()
        assert not bpy.ops.redmax.export_scene.poll()
    finally:
        running.running = False
    assert bpy.ops.redmax.check.poll()


def test_select_makes_the_object_active_and_the_only_one_selected():
    base, arm, pin = pendulum()
    bpy.context.view_layer.update()
    base.select_set(True)
    assert bpy.ops.redmax.select_element(name="Pin") == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == pin
    assert [obj.name for obj in bpy.context.view_layer.objects.selected] == ["Pin"]
    arm.hide_set(True)
    with pytest.raises(RuntimeError, match="'Arm' is hidden or not in this view layer"):
        bpy.ops.redmax.select_element(name="Arm")
    with pytest.raises(RuntimeError, match="There is no object 'Gone'"):
        bpy.ops.redmax.select_element(name="Gone")


def test_exported_scenes_are_the_engines(tmp_path):
    from redmax.compile import compile as compile_scene
    from redmax.io import dumps, load

    _, arm, pin = pendulum()
    pin.redmax.joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (30, 1.0)):
        pin.redmax.joint.coordinate_angle_1 = angle
        pin.keyframe_insert("redmax.joint.coordinate_angle_1", frame=frame)
    path = tmp_path / "scene.json"
    assert bpy.ops.redmax.export_scene(filepath=str(path)) == {"FINISHED"}
    assert json.loads(path.read_text())["format"] == "redmax-scene"
    scene = load(path)
    assert dumps(scene) == dumps(by_hand.extract().scene)
    assert compile_scene(scene).body_names == ("Base", "Arm")
    arm.scale = (0, 0, 0)
    before = path.read_text()
    with pytest.raises(RuntimeError, match="'Arm' is flattened"):
        bpy.ops.redmax.export_scene(filepath=str(path))
    assert path.read_text() == before
    arm.scale = (1, 1, 1)
    with pytest.raises(RuntimeError, match="Cannot write"):
        bpy.ops.redmax.export_scene(filepath=str(tmp_path / "missing" / "scene.json"))
    with pytest.raises(RuntimeError, match="No file to write to"):
        bpy.ops.redmax.export_scene()


def test_an_error_nobody_foresaw_is_told_by_export(tmp_path, monkeypatch, caplog):
    pendulum()
    monkeypatch.setattr(check_operators, "extract", lambda *_: 1 / 0)
    caplog.set_level(logging.CRITICAL)
    with pytest.raises(RuntimeError) as raised:
        bpy.ops.redmax.export_scene(filepath=str(tmp_path / "scene.json"))
    said = "Export RedMax Scene met an error it does not know (ZeroDivisionError: division by zero)"
    assert said in str(raised.value)
    assert "Traceback" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_mechanism_that_keys_alone_move_is_ready_and_not_without_freedom():
    bpy.ops.redmax.add_four_bar()
    assert check_report.summary(by_hand.extract()) == "Ready to simulate: 4 bodies, moved by keys alone"
    bpy.data.objects["Four-Bar Crank Hinge"].redmax.joint.motion_type = "simulated"
    assert check_report.summary(by_hand.extract()) == "Ready to simulate: 4 bodies, 1 degree of freedom"
