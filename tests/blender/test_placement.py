# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels bring an object to its body's pose, whatever stands between them: parents, scales, deltas, modes, units."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import (
    MODES,
    box,
    double_pendulum,
    engine_matrix,
    extracted,
    hinge,
    parent_to,
    simulated,
    thrown,
    world_matrix,
)

from redmax_blender.bridge.core import object_motion
from redmax_blender.bridge.core.findings import BridgeError
from redmax_blender.bridge.results import placement

SINGLE = 4e-6
"""A dozen roundings of Blender's single precision, in scenes of the size of 1."""


def moved(extraction):
    """Some motion: what is compared is where objects stand in it."""
    return simulated(extraction, precise=False)


def motions(extraction, result, **options):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    objects = [bpy.data.objects[name] for name in result.body_names]
    return placement.channel_motions(objects, extraction, result, depsgraph, **options)


def put(motion_of, sample):
    """Write the channels into the objects."""
    for name, motion in motion_of.items():
        obj = bpy.data.objects[name]
        obj.location = motion.location[sample]
        place = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
        setattr(obj, place.get(obj.rotation_mode, "rotation_euler"), motion.rotation[sample])
    bpy.context.view_layer.update()


def worst(extraction, result, motion_of):
    errors = []
    for sample in (0, 1, len(result) // 2, len(result) - 1):
        put(motion_of, sample)
        errors += [
            np.abs(world_matrix(name) - engine_matrix(extraction, result, name, sample)).max() for name in motion_of
        ]
    return max(errors)


def pose_differences(extraction, result):
    motion_of = motions(extraction, result)
    return worst(extraction, result, motion_of)


@pytest.fixture(autouse=True)
def _frames(scene):
    scene.frame_start, scene.frame_end = 1, 20


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("parented", [False, True])
def test_objects_stand_where_the_engine_says(mode, parented):
    double_pendulum(mode, parented=parented)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


@pytest.mark.parametrize("mode", MODES)
def test_rotated_and_displaced_starts(mode):
    obj = thrown(mode=mode, location=(3.0, -2.0, 1.0))
    if mode == "QUATERNION":
        obj.rotation_quaternion = (-0.5, 0.5, 0.1, 0.7)
    elif mode == "AXIS_ANGLE":
        obj.rotation_axis_angle = (9.0, 1.0, 2.0, -0.5)
    else:
        obj.rotation_euler = (0.4, 1.2, -7.0)
    extraction = extracted()
    result = moved(extraction)
    motion = motions(extraction, result)["Body"]
    first = {"QUATERNION": np.array([-0.5, 0.5, 0.1, 0.7]), "AXIS_ANGLE": np.array([9.0, 1.0, 2.0, -0.5])}
    expected = first.get(mode, np.array([0.4, 1.2, -7.0]))
    if mode == "QUATERNION":
        expected = expected / np.linalg.norm(expected)
    if mode == "AXIS_ANGLE":
        expected[1:] /= np.linalg.norm(expected[1:])
    np.testing.assert_allclose(motion.rotation[0], expected, atol=2e-6)
    assert worst(extraction, result, {"Body": motion}) < 2.0 * SINGLE


@pytest.mark.parametrize("scale", [(2.0, 2.0, 2.0), (1.0, 2.0, 0.5), (-1.0, 1.0, 1.0), (-1.5, -0.5, -2.0)])
def test_any_scale_of_the_body_itself(scale):
    obj = thrown()
    obj.scale = scale
    obj.rotation_euler = (0.3, -0.4, 0.5)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


@pytest.mark.parametrize("scale", [(3.0, 3.0, 3.0), (-2.0, -2.0, -2.0), (-0.5, 0.5, 0.5)])
@pytest.mark.parametrize("own_scale", [(1.0, 1.0, 1.0), (1.0, -2.0, 0.5)])
def test_a_uniformly_scaled_or_mirrored_parent(scale, own_scale):
    parent = bpy.data.objects.new("Group", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1.0, 2.0, 3.0), (0.5, 0.6, 0.7), scale
    obj = thrown()
    obj.scale = own_scale
    obj.rotation_euler = (0.3, -0.4, 0.5)
    obj.parent = parent
    extraction = extracted()
    result = moved(extraction)
    assert pose_differences(extraction, result) < 10.0 * SINGLE


def test_bodies_with_scale_carried_by_bodies_with_scale():
    upper, lower = double_pendulum()
    upper.scale, upper.rotation_euler = (2.0, 2.0, 2.0), (0.1, 0.2, 0.3)
    lower.scale, lower.rotation_euler = (1.0, -2.0, 0.5), (1.0, 0.2, -0.3)
    third = box("Third", (0.7, 0.5, -2.5), mode="QUATERNION")
    hinge("Wrist", lower, third, (0.7, 0.3, -2.3), axis=(1.0, 0.0, 0.0))
    lower.parent = upper
    parent_to(third, upper)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < 10.0 * SINGLE


@pytest.mark.parametrize("mode", MODES)
def test_delta_transforms(mode):
    obj = thrown(mode=mode)
    obj.delta_location = (0.5, -1.0, 2.0)
    obj.delta_rotation_euler = (0.3, 0.2, -1.0)
    obj.delta_rotation_quaternion = (0.8, 0.2, -0.4, 0.1)
    obj.delta_scale = (1.0, 2.0, 0.5)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


@pytest.mark.parametrize("length", [0.01, 1.0, 1000.0])
def test_any_unit_scale(scene, length):
    scene.unit_settings.system = "METRIC"
    scene.unit_settings.scale_length = length
    thrown(location=(3.0, 0.0, 0.0))
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


def test_a_parent_inverse_is_undone():
    upper, lower = double_pendulum()
    upper.rotation_euler = (0.3, 0.4, 0.5)
    parent_to(lower, upper)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


def test_a_body_under_an_object_that_hangs_on_a_body():
    """Between body and carrier there may be other objects, such as the joint's own empty."""
    upper, lower = double_pendulum("QUATERNION")
    elbow = bpy.data.objects["Elbow"]
    parent_to(elbow, upper)
    parent_to(lower, elbow)
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


def test_a_parent_that_would_shear_is_refused_by_name():
    parent = bpy.data.objects.new("Squash", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.0, 1.0, 3.0)
    thrown().parent = parent
    extraction = extracted()
    with pytest.raises(BridgeError, match=r"'Body' would be sheared by its parent 'Squash'.*Keep Transformation"):
        motions(extraction, moved(extraction))


def test_every_sheared_object_is_named():
    parent = bpy.data.objects.new("Squash", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.0, 1.0, 3.0)
    for name in ("A", "B"):
        thrown(name).parent = parent
    extraction = extracted()
    with pytest.raises(BridgeError) as caught:
        motions(extraction, moved(extraction))
    assert [finding.element for finding in caught.value.findings] == ["A", "B"]


def test_a_turn_about_the_axis_of_the_scale_needs_no_shear():
    """A non-uniform parent is no hindrance where no shear arises."""
    parent = bpy.data.objects.new("Tall", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.0, 1.0, 3.0)
    obj = box("Wheel")
    obj.parent = parent
    hinge("Axle", None, obj, (0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)).redmax.joint.velocity_angle[0] = 6.0
    extraction = extracted()
    assert pose_differences(extraction, moved(extraction)) < SINGLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("parented", [False, True])
def test_rates_are_the_derivatives_of_the_channels(scene, mode, parented):
    """Against central differences of a trajectory with very fine steps, away from the singularities of the mode."""
    scene.render.fps = 1000
    upper, lower = double_pendulum(mode, parented=parented, frames=25)
    upper.scale, lower.delta_location = (2.0, 2.0, 2.0), (0.1, 0.2, 0.3)
    for obj in (upper, lower):
        obj.rotation_euler = (0.5, 0.3, -0.2)
        obj.rotation_quaternion, obj.rotation_axis_angle = (0.9, 0.3, 0.2, 0.1), (0.8, 0.3, 0.2, 0.9)
    extraction = extracted()
    result = simulated(extraction)
    for motion in motions(extraction, result).values():
        for values, rates in ((motion.location, motion.location_rate), (motion.rotation, motion.rotation_rate)):
            slopes = (values[2:] - values[:-2]) * (0.5 * extraction.fps)
            # The third derivative of a swing of a few rad/s, times (1 ms)^2 / 6.
            np.testing.assert_allclose(rates[1:-1], slopes, atol=1e-3)
            assert np.abs(slopes).max() > 0.1


def test_a_body_that_does_not_move_counts_as_part_of_what_it_hangs_on():
    """Only the lower link moves: its parent stands where it was modelled."""
    double_pendulum(parented=True)
    extraction = extracted()
    result = moved(extraction)
    lower = {"Lower": motions(extraction, result, moving={"Lower"})["Lower"]}
    assert worst(extraction, result, lower) < SINGLE
    carried = {"Lower": motions(extraction, result)["Lower"]}
    assert worst(extraction, result, carried) > 0.1


@pytest.mark.parametrize("mode", MODES)
def test_objects_with_nothing_between_them_and_their_bodies_take_the_short_way_to_the_same_channels(
    monkeypatch, scene, mode
):
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.5
    double_pendulum()
    for obj in scene.objects:
        if obj.redmax.is_body:
            obj.rotation_mode, obj.scale, obj.delta_location = mode, (1.0, 2.0, 3.0), (0.0, 0.3, 0.1)
    extraction = extracted()
    result = moved(extraction)
    plain, taken = object_motion.of_plain_objects, []

    def counted(places, *more):
        taken.extend(places.names)
        return plain(places, *more)

    monkeypatch.setattr(object_motion, "of_plain_objects", counted)
    short = motions(extraction, result)
    assert sorted(taken) == sorted(result.body_names)
    monkeypatch.setattr(object_motion.Places, "plain", lambda places: [False] * len(places.names))
    long = motions(extraction, result)
    assert list(short) == list(long)
    for name, motion in short.items():
        for ours, theirs in zip(motion[:4], long[name][:4], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * (1.0 + np.abs(theirs).max()))
        assert motion.resolved == long[name].resolved


def test_long_results_are_worked_on_in_chunks(monkeypatch):
    double_pendulum(parented=True)
    extraction = extracted()
    result = moved(extraction)
    whole = motions(extraction, result)
    monkeypatch.setattr(placement, "CHUNK", 1)
    chunked = motions(extraction, result)
    for name, motion in whole.items():
        for one, other in zip(motion, chunked[name], strict=True):
            np.testing.assert_array_equal(one, other)
