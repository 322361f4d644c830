# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with keys of their own: another frame is read off these where nothing else matters, and is the same."""

from __future__ import annotations

import bpy
import pytest
import swinging

from redmax_blender import compat
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.objects import other_frames


def keyed(obj, path, *values, index=-1):
    """Keys at frames 3 and 13: the first frame is before them."""
    for frame, value in zip((3, 13), values, strict=True):
        if index < 0:
            setattr(obj, path, value)
        else:
            getattr(obj, path)[index] = value
        assert obj.keyframe_insert(path, index=index, frame=frame)


def everything(scene, upper, lower):
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    keyed(upper, "scale", (1.0, 1.0, 1.0), (1.0, 2.0, 1.0))
    lower.rotation_mode = "QUATERNION"
    keyed(lower, "rotation_quaternion", (1.0, 0.1, 0.0, 0.0), (0.0, 1.0, 0.0, 1.0))
    keyed(lower, "delta_location", (0.0, 0.1, 0.0), (0.0, 0.5, 0.0))
    keyed(scene.objects["Elbow"], "rotation_euler", 0.1, 0.9, index=2)


def other_rotations(_scene, upper, lower):
    upper.rotation_mode, lower.rotation_mode = "AXIS_ANGLE", "ZXY"
    keyed(upper, "rotation_axis_angle", (0.3, 0.0, 1.0, 0.0), (2.0, 0.0, 1.0, 1.0))
    keyed(lower, "rotation_euler", (0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
    keyed(lower, "delta_rotation_euler", (0.0, 0.1, 0.0), (0.0, 0.5, 0.0))
    keyed(lower, "delta_scale", (1.0, 1.1, 1.0), (1.0, 0.5, 1.0))


def modified_and_muted_curves(_scene, upper, _lower):
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    x, y, z = compat.fcurves_of(upper)
    x.modifiers.new("NOISE").strength = 3.0
    y.extrapolation = "LINEAR"
    z.mute = True


def keyed_parent(scene, _upper, lower):
    rig = bpy.data.objects.new("Rig", None)
    scene.collection.objects.link(rig)
    lower.parent = rig
    keyed(rig, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))


def driven(_scene, upper, _lower):
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    upper.driver_add("location", 1).driver.expression = "0.1 * frame"


def nla(_scene, upper, _lower):
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    data = upper.animation_data
    data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action_influence = 0.5


def constrained(scene, _upper, lower):
    keyed(scene.objects["Post"], "location", (0.0, 0.0, 1.0), (0.0, 1.0, 1.0))
    lower.constraints.new("COPY_LOCATION").target = scene.objects["Post"]


def remapped(scene, upper, _lower):
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    compat.fcurves_of(upper)[1].extrapolation = "LINEAR"
    scene.render.frame_map_new = 300


def shown(scene):
    return extract.extract(scene, bpy.context.view_layer)


ALONE = [everything, other_rotations, modified_and_muted_curves, keyed_parent]


@pytest.mark.parametrize("animate", [*ALONE, driven, nla, constrained, remapped])
def test_it_is_the_same_from_any_frame_and_needs_no_copy_of_the_scene(animate, monkeypatch):
    scene = swinging.build()
    animate(scene, scene.objects["Upper"], scene.objects["Lower"])
    scene.frame_set(1)
    expected = shown(scene)
    copies, make = [], other_frames.OtherFrames._make_copy
    monkeypatch.setattr(other_frames.OtherFrames, "_make_copy", lambda self: copies.append(self) or make(self))
    for frame, subframe in ((7, 0.0), (13, 0.5), (-4, 0.0)):
        scene.frame_set(frame, subframe=subframe)
        found = shown(scene)
        assert [str(finding) for finding in found.findings] == [str(finding) for finding in expected.findings]
        assert found.digest == expected.digest
        assert not other_frames._stand_ins
    assert bool(copies) == (animate not in ALONE)


def test_values_beside_the_keys_count_as_they_are_now_and_stay():
    scene = swinging.build()
    upper = scene.objects["Upper"]
    keyed(upper, "location", 0.0, 1.0, index=1)
    scene.frame_set(7)
    before = shown(scene).digest
    upper.location.y = 9.0
    assert shown(scene).digest == before
    upper.location.x = 4.0
    found = shown(scene).digest
    assert found != before
    assert tuple(upper.location)[:2] == (4.0, 9.0)
    scene.frame_set(1)
    assert shown(scene).digest == found


def test_a_result_on_display_changes_nothing():
    scene = swinging.build()
    keyed(scene.objects["Upper"], "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    scene.frame_set(1)
    expected = shown(scene).digest
    swinging.simulate()
    scene.frame_set(7)
    assert scene.objects["Upper"].redmax.kept.active
    assert shown(scene).digest == expected
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert shown(scene).digest == expected
