# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface says: coordinates, joint types, sentences."""

from __future__ import annotations

import bpy
import pytest

from redmax_blender._engine import joints
from redmax_blender.properties import from_specs
from redmax_blender.properties.joint import Dof
from redmax_blender.ui import body, dof_rows, joint, lists, menus, scene, sidebar


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
    ],
)
def test_coordinates_have_names_people_read(name, label):
    assert dof_rows.coordinate_label(name) == label


def test_what_acts_on_angles_is_a_torque_and_on_distances_a_force():
    angle, distance = Dof(0, "angle", "rad"), Dof(1, "distance", "m")
    assert dof_rows.load_label((angle,)) == "Torque"
    assert dof_rows.load_label((distance,)) == "Force"
    assert dof_rows.load_label((angle, distance)) == "Torque or Force"


def test_class_names_follow_blender():
    for module, prefix in ((body, "PT"), (joint, "PT"), (scene, "PT"), (sidebar, "PT"), (lists, "UL"), (menus, "MT")):
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
