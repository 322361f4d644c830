# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist does around a motor and around keyed elements: save, undo, duplicate, append, rename, delete.

Elements with an object of their own are in test_element_life.py; a motor is part of its joint.
"""

from __future__ import annotations

import bpy
import pytest
from geared import extracted, select
from intents import MAKERS, post_and_arm, press
from test_element_life import save_and_open

from redmax_blender.bridge.authoring import element_keys
from redmax_blender.properties import sorts

TARGET = -1.25


def motorised():
    """The joint of an arm, with a motor of given numbers."""
    pin = post_and_arm()
    press("add_motor", pin, control="position", angle=TARGET)
    bpy.data.objects["Pin"].redmax.joint.motor_maximum[0] = 12.5
    return bpy.data.objects["Pin"]


def motors():
    return {joint.name: joint.motor for joint in extracted().scene.joints if joint.motor is not None}


def test_a_motor_is_saved_with_its_joint(tmp_path):
    motorised()
    before, digest = motors(), extracted().digest
    save_and_open(tmp_path / "motor.blend")
    assert motors() == before
    assert extracted().digest == digest
    assert before["Pin"].maximum == (12.5,)


def test_undo_takes_a_motor_away_and_redo_brings_it_back():
    pin = post_and_arm()
    bpy.ops.ed.undo_push(message="before")
    select(pin)
    assert bpy.ops.redmax.add_motor("EXEC_DEFAULT", True, control="position", angle=TARGET) == {"FINISHED"}
    made = motors()
    assert list(made) == ["Pin"]
    bpy.ops.ed.undo()
    assert motors() == {}
    bpy.ops.ed.redo()
    assert motors() == made


def test_a_duplicate_of_joint_and_bodies_has_a_motor_of_its_own():
    motorised()
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    bpy.data.objects["Pin.001"].redmax.joint.motor_maximum[0] = 3.0
    found = motors()
    assert (found["Pin"].maximum, found["Pin.001"].maximum) == ((12.5,), (3.0,))
    assert found["Pin"].target_position == found["Pin.001"].target_position == pytest.approx((TARGET,))


def test_an_appended_joint_brings_its_motor(tmp_path):
    motorised()
    before = motors()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=False) as (_, here):
        here.objects = ["Pin"]  # its bodies come along
    for obj in bpy.data.objects:
        bpy.context.scene.collection.objects.link(obj)
    assert motors() == before


def test_renaming_a_body_leaves_the_motor_and_deleting_it_is_named():
    pin = motorised()
    child = pin.redmax.joint.child
    child.name = "Limb"
    assert list(motors()) == ["Pin"]
    bpy.data.objects.remove(child)
    assert [finding for finding in extracted().findings if "Pin" in f"{finding.element} {finding.text}"]


KEYED = {"add_muscle": ("activation_table", 0.8), "add_force": ("force_table", 50.0)}


@pytest.mark.parametrize("what", KEYED)
def test_keys_of_an_element_are_saved_copied_and_taken_back(tmp_path, what):
    """Its table is what it was after saving and opening, in a duplicate, and after an undo of later keys."""
    table, value = KEYED[what]
    name = MAKERS[what].make().name

    def tables():
        return [getattr(force, table) for force in extracted().scene.forces]

    def settings():
        obj = bpy.data.objects[name]
        (sort,) = sorts.generated_sorts(obj.redmax)
        return sort.own_group(getattr(obj.redmax, sort.name))

    element_keys.key_rise(bpy.context, settings(), table, value, seconds=0.2)
    (keyed,) = tables()
    assert keyed is not None
    bpy.ops.ed.undo_push(message="keyed")
    select(bpy.data.objects[name])
    bpy.ops.object.duplicate("EXEC_DEFAULT", True)
    assert tables() == [keyed, keyed]
    bpy.ops.ed.undo()
    assert tables() == [keyed]
    save_and_open(tmp_path / "keyed.blend")
    assert tables() == [keyed]
