# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom joints in Blender: shipped formulas, what panels say while somebody types, charts."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from test_ui_panels import drawn, new_joint

import redmax_blender
from redmax.joints import Custom
from redmax_blender.bridge.authoring import joint_formulas, presets
from redmax_blender.bridge.extract.extraction import extract
from redmax_blender.properties import joint as joint_properties

SHIPPED = sorted((Path(redmax_blender.__file__).parent / "presets" / "redmax" / "formula").glob("*.py"))


@pytest.fixture
def custom():
    return new_joint("custom")


def said(layouts):
    return " ".join(layouts["REDMAX_PT_joint"].texts())


def test_there_are_presets_for_what_people_ask_for():
    names = {path.stem for path in SHIPPED}
    assert {"Cam", "Hypocycloid", "Knee", "Pin_in_Slot", "Ball_on_Torus"} <= names


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_formula_makes_a_sound_joint_of_any_other(path):
    obj = new_joint("revolute")
    assert bpy.ops.redmax.apply_preset(filepath=str(path)) == {"FINISHED"}
    joint = obj.redmax.joint
    assert joint.kind == "custom"
    assert joint.custom.note == ""
    assert list(joint_properties.engine_joint(joint).problems()) == []
    assert "Moves by" in said(drawn())


def test_a_preset_without_a_joint_says_what_to_select():
    for active in (None, "a cube"):
        if active:
            bpy.ops.mesh.primitive_cube_add()
        with pytest.raises(RuntimeError, match="No joint is selected; select the joint first"):
            bpy.ops.redmax.apply_preset(filepath=str(SHIPPED[0]))


def test_hypocycloid_of_four_is_an_astroid():
    """A point on the rim of a wheel a quarter as large as its ring draws x^(2/3) + y^(2/3) = R^(2/3)."""
    obj = new_joint("custom")
    presets.apply(bpy.context, next(p for p in SHIPPED if p.stem == "Hypocycloid"), presets.KINDS["formula"])
    joint = joint_properties.engine_joint(obj.redmax.joint)
    for angle in np.linspace(0.1, 6.0, 12):
        Q = joint.motion(np.array([angle]), np.zeros(1)).Q
        x, y, _, _ = Q @ (0.1, 0.0, 0.0, 1.0)
        assert (x * x) ** (1 / 3) + (y * y) ** (1 / 3) == pytest.approx(0.4 ** (2 / 3), abs=1e-12)


def test_epicycloid_rolls_without_slipping():
    """The point of the wheel that touches the ring stands still."""
    obj = new_joint("custom")
    presets.apply(bpy.context, next(p for p in SHIPPED if p.stem == "Epicycloid"), presets.KINDS["formula"])
    joint = joint_properties.engine_joint(obj.redmax.joint)
    q = np.array([0.7])
    motion = joint.motion(q, np.zeros(1))
    touching = np.array([0.4 * np.cos(0.7), 0.4 * np.sin(0.7), 0.0])
    in_wheel = motion.Q[:3, :3].T @ (touching - motion.Q[:3, 3])
    w, v = motion.S[:3, 0], motion.S[3:, 0]
    np.testing.assert_allclose(v + np.cross(w, in_wheel), 0.0, atol=1e-15)


def test_every_letter_is_judged_and_the_panel_says_what_is_wrong(custom):
    group = custom.redmax.joint.custom
    assert "TEXTEDIT_UPDATE" in options_of("transform")
    group.constants = "length = 0.2"
    group.transform = "Rz(q1) * Tx(lenght)"
    assert group.note == (
        "Transform has the unknown name 'lenght' at character 13 of 'Rz(q1) * Tx(lenght)'; known are q1, length, pi"
    )
    assert "unknown name 'lenght'" in said(drawn())
    group.transform = "Rz(q1) * Tx(length)"
    assert group.note == ""
    assert "Moves by" in said(drawn())
    group.coordinates = "q1: deg"
    assert group.note.startswith("Coordinates has a coordinate 'q1' with the unit 'deg'")


def options_of(name):
    """Options of a text as they were declared; Blender does not tell those of a registered property."""
    return joint_properties.KIND_GROUPS["custom"].__annotations__[name].keywords["options"]


def test_drawing_computes_nothing(custom, monkeypatch):
    """What is wrong was found when it was edited."""
    custom.redmax.joint.custom.transform = "Rz(q2)"
    note = custom.redmax.joint.custom.note
    monkeypatch.setattr(Custom, "written_problems", None)
    monkeypatch.setattr(Custom, "numbers", None)
    assert note
    assert note.split("'")[1] in said(drawn())


def test_a_wrong_text_is_a_finding_too(custom):
    bpy.ops.mesh.primitive_cube_add()
    custom.redmax.joint.child = bpy.context.object
    bpy.context.object.redmax.is_body = True
    custom.redmax.joint.custom.transform = "Rz(q1) + 1"
    bpy.context.view_layer.update()
    found = extract(bpy.context.scene, bpy.context.view_layer).findings
    assert any(finding.element == custom.name and "Transform has a factor" in finding.text for finding in found), found


def test_charts_are_listed_edited_and_simulated(custom):
    presets.apply(bpy.context, next(p for p in SHIPPED if "Charts" in p.stem), presets.KINDS["formula"])
    group = custom.redmax.joint.custom
    made = joint_properties.engine_joint(custom.redmax.joint)
    assert made.chart_count == 2
    assert made.charts[0].transform == "euler_zxz(a, b, c)"
    assert bpy.ops.redmax.edit_charts(action="ADD") == {"FINISHED"}
    assert [entry.transform for entry in group.charts] == ["euler_zxz(a, b, c)", "euler_xyz(a, b, c)"]
    assert group.note.startswith("From_pose of chart 2") or "chart 2" in group.note
    group.charts[1].from_pose = group.from_pose
    assert group.note == ""
    bpy.ops.redmax.edit_charts(action="UP")
    assert group.charts[0].transform == "euler_xyz(a, b, c)"
    assert group.active_charts == 0
    layouts = drawn()
    assert "redmax.edit_charts" in layouts["REDMAX_PT_joint_charts"].operators()
    bpy.ops.redmax.edit_charts(action="REMOVE")
    bpy.ops.redmax.edit_charts(action="REMOVE")
    assert len(group.charts) == 0
    with pytest.raises(RuntimeError, match="No chart of joint"):
        bpy.ops.redmax.edit_charts(action="REMOVE")


def test_formulas_are_saved_as_they_were_loaded(custom, tmp_path):
    kind = presets.KINDS["formula"]
    presets.apply(bpy.context, next(p for p in SHIPPED if "Charts" in p.stem), kind)
    before = joint_formulas.texts_of(custom)
    presets.save(tmp_path / "Mine.py", kind.read(bpy.context))
    custom.redmax.joint.custom.charts.clear()
    custom.redmax.joint.custom.transform = "Rz(q1)"
    presets.apply(bpy.context, tmp_path / "Mine.py", kind)
    assert joint_formulas.texts_of(custom) == before


@pytest.mark.parametrize("line", ["transform = 3.0", "charts = [('a', 'b')]", "charts = [(1, 2, 3)]", "charts = 5"])
def test_presets_with_other_values_change_nothing(custom, tmp_path, line):
    before = joint_formulas.texts_of(custom)
    (tmp_path / "Wrong.py").write_text(f"{line}\n")
    with pytest.raises(Exception, match="has a value that does not fit"):
        presets.apply(bpy.context, tmp_path / "Wrong.py", presets.KINDS["formula"])
    assert joint_formulas.texts_of(custom) == before


def test_only_custom_joints_have_formulas():
    new_joint("revolute")
    with pytest.raises(RuntimeError, match="is not a Custom one"):
        bpy.ops.redmax.edit_charts(action="ADD")
    assert "REDMAX_PT_joint_charts" not in drawn()


def test_a_part_of_a_composite_has_formulas_and_charts():
    settings = new_joint("composite").redmax.joint
    settings.parts.add().kind = "custom"
    settings.parts[0].custom.transform = "Rz(q"
    assert settings.parts[0].custom.note
    assert settings.parts[0].custom.note.split(";")[0][:20] in " ".join(drawn()["REDMAX_PT_joint_parts"].texts())
    assert bpy.ops.redmax.edit_charts(action="ADD", part=True) == {"FINISHED"}
    assert len(settings.parts[0].custom.charts) == 1


@pytest.mark.parametrize("kind", ["surface_contact", "point_contact"])
def test_a_contact_shows_the_sizes_that_its_surfaces_have(kind):
    group = joint_properties.own_group(new_joint(kind).redmax.joint)
    group.first = "torus"
    assert "Ring Radius" in said(drawn())
    group.first_size = (0.1, 0.2, 0.1)
    assert "make the ring larger than the tube" in group.note
    assert "make the ring larger" in said(drawn())
