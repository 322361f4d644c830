# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves by data-block, slot and action, alike in Blender 4.5 and 5.2."""

from __future__ import annotations

import bpy
import pytest

from redmax_blender import compat


@pytest.fixture
def cube(scene):
    obj = bpy.data.objects.new("Cube", None)
    scene.collection.objects.link(obj)
    return obj


def key(curve, *values):
    for count, value in enumerate(values):
        curve.keyframe_points.insert(1 + 10 * count, value)
    return curve


def test_a_data_block_without_animation_has_no_curves(cube, scene):
    for owner in (cube, scene):
        assert compat.fcurves_of(owner) == []
        assert compat.curves_of(owner) is None
        assert compat.action_of(owner) is None
        assert compat.slot_handle(owner) == 0
        assert compat.slot_identifier(owner) == ""


def test_ensured_curves_animate_the_data_block(cube, scene):
    key(compat.ensure_fcurves(cube).new("location", 1, "Moves"), 0.0, 5.0)
    scene["power"] = 0.0
    key(compat.ensure_fcurves(scene).new('["power"]'), 1.0, 2.0)
    scene.frame_set(11)
    assert cube.location[1] == 5.0
    assert scene["power"] == 2.0
    assert cube.animation_data.action.name == "Cube"
    assert compat.curves_of(cube).find("location", 1).group.name == "Moves"
    assert compat.slot_identifier(cube) == "OBCube"


def test_find_ensure_and_remove(cube):
    curves = compat.ensure_fcurves(cube)
    made = curves.ensure("location", 2)
    assert curves.ensure("location", 2) == made
    assert curves.find("location", 0) is None
    with pytest.raises(RuntimeError):
        curves.new("location", 2)
    curves.new("location", 0)
    curves.new("scale", 0)
    curves.remove_path("location")
    assert [curve.data_path for curve in compat.fcurves_of(cube)] == ["scale"]
    compat.curves_of(cube).remove(compat.fcurves_of(cube)[0])
    assert compat.fcurves_of(cube) == []


def test_a_group_goes_with_its_last_curve(cube):
    curves = compat.ensure_fcurves(cube)
    for index in range(2):
        curves.new("location", index, "Moves")
    groups = cube.animation_data.action.layers[0].strips[0].channelbags[0].groups
    curves.remove(curves.find("location", 0))
    assert [group.name for group in groups] == ["Moves"]
    curves.remove(curves.find("location", 1))
    assert len(groups) == 0


def test_ensured_curves_keep_the_present_action(cube):
    action = compat.new_action("Walk")
    compat.ensure_fcurves(cube, action).new("location", 0)
    compat.ensure_fcurves(cube).new("location", 1)
    assert cube.animation_data.action == action
    assert len(compat.fcurves_of(cube)) == 2


def test_an_action_is_assigned_and_taken_away(cube):
    action = compat.new_action("Walk")
    compat.assign_action(cube, action)
    assert compat.action_of(cube) == action
    assert compat.slot_handle(cube)
    compat.assign_action(cube, None)
    assert compat.action_of(cube) is None
    other = bpy.data.objects.new("Other", None)
    compat.assign_action(other, None)
    assert other.animation_data is None


def test_slots_are_found_by_handle_and_identifier_and_made_once(cube, scene):
    action = compat.new_action("Shared")
    other = bpy.data.objects.new("Other", None)
    for owner in (cube, other, scene, cube):
        compat.assign_action(owner, action)
    assert [slot.identifier for slot in action.slots] == ["OBCube", "OBOther", "SCScene"]
    handle = compat.slot_handle(other)
    action.slots["OBOther"].name_display = "Renamed"
    compat.assign_action(cube, action, handle)
    assert compat.slot_identifier(cube) == "OBRenamed"
    compat.assign_action(cube, action, "OBCube")
    assert compat.slot_identifier(cube) == "OBCube"
    compat.assign_action(cube, action, 0)
    assert cube.animation_data.action == action
    assert compat.slot_handle(cube) == 0
    with pytest.raises(LookupError, match="'Shared' has no slot 'OBGone'"):
        compat.assign_action(cube, action, "OBGone")


def test_slots_of_one_action_have_curves_of_their_own(cube):
    action = compat.new_action("Shared")
    other = bpy.data.objects.new("Other", None)
    compat.ensure_fcurves(cube, action).new("location", 0)
    compat.ensure_fcurves(other, action).new("scale", 0)
    assert [curve.data_path for curve in compat.fcurves_of(cube)] == ["location"]
    assert [curve.data_path for curve in compat.curves_in(action, compat.slot_handle(other))] == ["scale"]


def test_who_is_animated_by_an_action(cube):
    other = bpy.data.objects.new("Other", None)
    compat.assign_action(cube, compat.new_action("Walk"))
    action, slot = cube.animation_data.action, compat.slot_handle(cube)
    assert compat.animated_by(action, slot) == [cube]
    compat.assign_action(other, action, slot)
    assert set(compat.animated_by(action, slot)) == {cube, other}


def test_contents_are_brought_back_from_a_copy(cube):
    curves = compat.ensure_fcurves(cube)
    key(curves.new("location", 0, "Mine"), 1.0, 2.0, 4.0)
    key(curves.new("scale", 1), 3.0)
    action = cube.animation_data.action
    before = action.copy()
    curves.remove_path("location")
    key(curves.new("color", 2), 5.0)
    compat.ensure_fcurves(bpy.data.objects.new("Other", None), action).new("location", 0)
    compat.replace_contents(action, before)
    found = compat.fcurves_of(cube)
    assert sorted(curve.data_path for curve in found) == ["location", "scale"]
    location = compat.curves_of(cube).find("location", 0)
    assert [tuple(point.co) for point in location.keyframe_points] == [(1.0, 1.0), (11.0, 2.0), (21.0, 4.0)]
    assert location.group.name == "Mine"
    assert [slot.identifier for slot in action.slots] == ["OBCube"]


def test_contents_come_back_after_everything_was_removed(cube):
    key(compat.ensure_fcurves(cube).new("location", 0), 1.0, 2.0)
    action = cube.animation_data.action
    before = action.copy()
    compat.curves_of(cube).remove_path("location")
    compat.replace_contents(action, before)
    assert [len(curve.keyframe_points) for curve in compat.fcurves_of(cube)] == [2]


def test_a_copied_curve_is_the_same_curve(cube):
    """Keys, handles, modifiers and looks; sampled curves too."""
    curve = key(compat.ensure_fcurves(cube).new("location", 2, "Mine"), 1.0, 3.0, -2.0, 4.0)
    for point, kind in zip(curve.keyframe_points, ("BEZIER", "LINEAR", "BOUNCE", "CONSTANT"), strict=True):
        point.interpolation, point.easing, point.type = kind, "EASE_IN_OUT", "EXTREME"
        point.handle_left_type, point.handle_right_type = "ALIGNED", "FREE"
    curve.keyframe_points[0].handle_right = (4.0, 2.5)
    curve.extrapolation, curve.mute, curve.color_mode, curve.color = "LINEAR", True, "CUSTOM", (0.5, 0.25, 1.0)
    cycles = curve.modifiers.new("CYCLES")
    cycles.mode_after, cycles.cycles_after, cycles.name = "REPEAT_OFFSET", 3, "round"
    steps = curve.modifiers.new("STEPPED")
    steps.frame_step, steps.use_influence, steps.influence = 4.0, True, 0.5
    envelope = curve.modifiers.new("ENVELOPE")
    envelope.reference_value, envelope.mute = 0.5, True
    envelope.control_points.add(3.0)
    envelope.control_points.foreach_set("max", [7.0])
    other = bpy.data.objects.new("Other", None)
    copy = compat.ensure_fcurves(other, compat.new_action("Other")).copy(curve)
    assert (copy.data_path, copy.array_index, copy.group.name) == ("location", 2, "Mine")
    assert (copy.extrapolation, copy.mute, copy.color_mode, tuple(copy.color)) == (
        "LINEAR",
        True,
        "CUSTOM",
        (0.5, 0.25, 1.0),
    )
    for mine, theirs in zip(copy.keyframe_points, curve.keyframe_points, strict=True):
        for name in ("co", "handle_left", "handle_right"):
            assert tuple(getattr(mine, name)) == tuple(getattr(theirs, name))
        for name in ("interpolation", "easing", "type", "handle_left_type", "handle_right_type"):
            assert getattr(mine, name) == getattr(theirs, name)
    assert [modifier.type for modifier in copy.modifiers] == ["CYCLES", "STEPPED", "ENVELOPE"]
    assert copy.modifiers[0].name == "round"
    assert (copy.modifiers[0].mode_after, copy.modifiers[0].cycles_after) == ("REPEAT_OFFSET", 3)
    assert (copy.modifiers[1].frame_step, copy.modifiers[1].influence) == (4.0, 0.5)
    assert [(p.frame, p.max) for p in copy.modifiers[2].control_points] == [(3.0, 7.0)]
    assert [copy.evaluate(0.7 * step) for step in range(100)] == [curve.evaluate(0.7 * step) for step in range(100)]


def test_a_copied_sampled_curve_is_the_same_curve(cube):
    curve = key(compat.ensure_fcurves(cube).new("location", 0), 1.0, 3.0, -2.0)
    curve.convert_to_samples(1, 21)
    assert len(curve.sampled_points) > 10
    other = bpy.data.objects.new("Other", None)
    copy = compat.ensure_fcurves(other, compat.new_action("Other")).copy(curve)
    assert [tuple(point.co) for point in copy.sampled_points] == [tuple(point.co) for point in curve.sampled_points]
