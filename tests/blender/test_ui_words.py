# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface says: coordinates, joint types, sentences."""

from __future__ import annotations

import re
from types import SimpleNamespace

import bpy
import pytest
from recording_layout import RecordingLayout

from redmax_blender._engine import joints
from redmax_blender.properties import coordinate_names, from_specs
from redmax_blender.properties.joint import Dof
from redmax_blender.ui import body, dof_rows, joint, kinds, lists, menus, scene, sidebar, text_lines


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("angle", "Angle"),
        ("distance", "Distance"),
        ("rx", "Rotation X"),
        ("rz", "Rotation Z"),
        ("x", "X"),
        ("angle1", "Angle 1"),
        ("2.angle", "2: Angle"),
        ("3.angle2", "3: Angle 2"),
        ("1.ry", "1: Rotation Y"),
        ("arc_length", "Arc Length"),
        ("q1", "q1"),
        ("1.q12", "1: q12"),
    ],
)
def test_coordinates_have_names_people_read(name, label):
    assert coordinate_names.label(name) == label


def test_what_acts_on_angles_is_a_torque_and_on_distances_a_force():
    angle, distance = Dof(0, "angle", "rad"), Dof(1, "distance", "m")
    assert dof_rows.load_label((angle,)) == "Torque"
    assert dof_rows.load_label((distance,)) == "Force"
    assert dof_rows.load_label((angle, distance)) == "Torque or Force"


def test_class_names_follow_blender():
    for module, prefix in (
        (body, "PT"),
        (joint, "PT"),
        (scene, "PT"),
        (sidebar, "PT"),
        (lists, "UL"),
        (menus, "MT"),
        (kinds, "MT"),
    ):
        for cls in module.CLASSES:
            assert cls.__name__.startswith(f"REDMAX_{prefix}_")
            assert hasattr(bpy.types, cls.__name__)


def test_sub_panels_come_after_the_panels_they_belong_to():
    seen = set()
    for cls in (*body.CLASSES, *joint.CLASSES, *scene.CLASSES, *sidebar.CLASSES):
        assert getattr(cls, "bl_parent_id", None) in {None, *seen}
        seen.add(cls.__name__)


def test_joint_types_are_named_as_artists_say_them():
    kinds = from_specs.kind_items(joints.JOINTS)
    labels = {label for _, label, _, _ in kinds}
    assert {
        "Hinge",
        "Slider",
        "Planar",
        "Translate",
        "Universal",
        "Ball",
        "Free",
        "Free 2D",
        "Fixed",
        "Screw",
        "Composite",
    } <= labels
    for kind, _, tooltip, _ in kinds:
        assert kind.replace("_", " ") in tooltip, "the technical name is in the tooltip"
        assert not tooltip.endswith(".")


def entries(menu):
    """What a menu offers: (text, icon) of its entries."""
    layout = RecordingLayout()
    menu.draw(SimpleNamespace(layout=layout), bpy.context)
    return {call.text: call.arguments["icon"] for call in layout.calls if call.what == "operator"}


def active_joint():
    obj = bpy.data.objects.new("Pin", None)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.redmax.is_joint = True
    return obj.redmax.joint


def test_every_kind_has_an_icon_and_stands_in_one_of_two_menus():
    active_joint().parts.add()
    all_kinds = {cls.kind: cls.label for cls in joints.JOINTS}
    icons = {kind: kinds.icon_of(kind) for kind in all_kinds}
    assert icons == {cls.kind: cls.icon for cls in joints.JOINTS}, "Blender has them all"
    assert len(set(icons.values())) == len(icons), "no two look alike"
    for main, advanced, left_out in (
        (kinds.REDMAX_MT_kind, kinds.REDMAX_MT_kind_advanced, set()),
        (kinds.REDMAX_MT_connect, kinds.REDMAX_MT_connect_advanced, set()),
        (kinds.REDMAX_MT_part_kind, kinds.REDMAX_MT_part_kind_advanced, {"Composite"}),
    ):
        assert set(entries(advanced)) == {cls.label for cls in joints.JOINTS if cls.is_advanced}
        assert set(entries(main)) == set(all_kinds.values()) - set(entries(advanced)) - left_out
        assert list(entries(main))[:4] == ["Hinge", "Slider", "Ball", "Fixed"]
        assert "NONE" not in {**entries(main), **entries(advanced)}.values()


def test_an_entry_sets_the_type_of_the_joint_or_of_its_active_part():
    made = active_joint()
    assert bpy.ops.redmax.set_kind(kind="spherical") == {"FINISHED"}
    assert (made.kind, made.id_data.empty_display_type) == ("spherical", "SPHERE")
    with pytest.raises(RuntimeError, match="'Pin' has no such part"):
        bpy.ops.redmax.set_kind(kind="revolute", part=True)
    bpy.ops.redmax.set_kind(kind="composite")
    made.parts.add()
    bpy.ops.redmax.set_kind(kind="screw", part=True)
    assert (made.kind, made.parts[0].kind) == ("composite", "screw")


def test_templates_are_offered_by_the_alphabet():
    layout = RecordingLayout()
    menus.REDMAX_MT_add_mechanism.draw(SimpleNamespace(layout=layout), bpy.context)
    labels = [call.arguments["text"] for call in layout.calls if call.what == "operator"]
    assert labels == sorted(labels)
    assert len(labels) == len(menus.template_operators())


def test_a_row_of_a_list_shows_the_numbers_that_count():
    obj = bpy.data.objects.new("Rope", None)
    entry = obj.redmax.strand.rest_lengths.add()
    entry.values[0] = 0.325
    assert lists.entry_text(entry, 1) == "0.325"
    assert lists.entry_text(entry, 3) == "0.325, 0, 0"


def test_specialists_types_are_named_in_words():
    labels = {cls.label for cls in joints.JOINTS}
    assert {"Ball, Euler Angles", "Free, Position First", "Free, Euler Angles"} <= labels
    assert not [label for label in labels if "(" in label]


TECHNICAL = re.compile(r"[a-z]+_[a-z]+|\bnull\b|\bNone\b|\brad/s\b")
FOR_SPECIALISTS = ("residual_tolerance", "atol")
"""Settings of Custom accuracy that speak of equations."""


def said_of_properties(rna, seen):
    """Words and tooltips of everything in a group of properties that an artist can see."""
    if rna.identifier in seen:
        return
    seen.add(rna.identifier)
    for prop in rna.properties:
        if prop.identifier == "rna_type" or prop.is_hidden or prop.identifier in FOR_SPECIALISTS:
            continue
        if prop.name != prop.identifier:
            yield prop.name
        yield prop.description
        if prop.type == "ENUM":
            yield from (item.description for item in prop.enum_items if item.identifier != "none")
        if prop.type in ("POINTER", "COLLECTION") and prop.fixed_type.identifier.startswith("REDMAX"):
            yield from said_of_properties(prop.fixed_type, seen)


def test_nobody_reads_field_names_or_null():
    seen = set()
    said = [
        text
        for owner in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager)
        for text in said_of_properties(owner.bl_rna.properties["redmax"].fixed_type, seen)
    ]
    for name in dir(bpy.ops.redmax):
        said += said_of_properties(getattr(bpy.ops.redmax, name).get_rna_type(), seen)
    assert len(said) > 200
    assert [text for text in said if TECHNICAL.search(text)] == []


def test_velocities_say_their_unit():
    angle, distance = Dof(0, "angle", "rad"), Dof(1, "distance", "m")
    assert joint.velocity_label((angle,)) == "Velocity (\u00b0/s)"
    assert joint.velocity_label((distance,)) == "Velocity"
    assert joint.velocity_label((angle, distance)) == "Velocity (angles in \u00b0/s)"
    assert bpy.data.objects.new("Rod", None).redmax.body.bl_rna.properties["spin"].name == "Spin (\u00b0/s)"


def test_names_that_are_cut_still_differ():
    names = [f"Four-Bar Rocker Hinge.{number:03}" for number in range(1, 4)]
    short = [text_lines.short_name(name) for name in names]
    assert len(set(short)) == 3
    assert max(map(len, short)) <= text_lines.LONGEST_NAME
    narrow = SimpleNamespace(region=SimpleNamespace(width=292), preferences=bpy.context.preferences)
    rows = [text_lines.shortened(narrow, f"'{name}' starts 12 deg outside its upper limit", icons=2) for name in names]
    assert len(set(rows)) == 3
    assert max(map(len, rows)) <= text_lines.characters(narrow)
