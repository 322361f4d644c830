# SPDX-License-Identifier: GPL-3.0-or-later
"""Where baked keys go: an NLA track of their own, or the present action with its keys outside the range kept."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import baking, double_pendulum, extracted, largest_error, run_and_bake, simulated

from redmax_blender import compat
from redmax_blender.bridge.bake import actions, keys
from redmax_blender.bridge.core.findings import BridgeError

SINGLE = 4e-6
"""A dozen roundings of Blender's single precision, in scenes of the size of 1."""


def bake(extraction, result, **options):
    return baking.bake(bpy.context.scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(**options))


def tracks(obj):
    return [(track.name, [strip.name for strip in track.strips]) for track in obj.animation_data.nla_tracks]


def keyed(obj, path, *values, index=0):
    curve = compat.ensure_fcurves(obj).ensure(path, index)
    for frame, value in values:
        curve.keyframe_points.insert(frame, value)
    return curve


def with_strip(obj, name="Mine"):
    """An object with a track of the artist's: a colour that changes, and a place that the bake is to hide."""
    keyed(obj, "color", (1, 0.0), (30, 1.0))
    keyed(obj, "location", (1, 5.0), (30, 6.0))
    data = obj.animation_data
    track = data.nla_tracks.new()
    track.name = name
    action, slot = data.action, compat.slot_handle(obj)
    data.action = None
    compat.set_strip_slot(track.strips.new(name, 1, action), action, slot)
    return track


# --- NLA -------------------------------------------------------------------------------------


def test_an_nla_bake_is_a_strip_on_a_track_named_after_the_mechanism():
    upper, lower = double_pendulum()
    extraction, result, _ = run_and_bake(target="NLA")
    for obj in (upper, lower):
        assert obj.animation_data.action is None
        assert tracks(obj) == [("Upper", ["Upper"])]
        strip = obj.animation_data.nla_tracks[0].strips[0]
        assert (strip.frame_start, strip.frame_end) == (1.0, 30.0)
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE


def test_other_tracks_are_untouched_and_come_back(scene):
    upper, _ = double_pendulum()
    with_strip(upper)
    extraction, result, _ = run_and_bake(target="NLA")
    assert tracks(upper) == [("Mine", ["Mine"]), ("Upper", ["Upper"])]
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    scene.frame_set(30)
    assert upper.color[0] == pytest.approx(1.0), "channels of others go on"
    baking.remove_bake(scene)
    assert tracks(upper) == [("Mine", ["Mine"])]
    scene.frame_set(30)
    assert upper.location[0] == pytest.approx(6.0)


def test_an_action_that_would_hide_the_strip_makes_room_and_comes_back(scene):
    upper, _ = double_pendulum()
    keyed(upper, "location", (1, 0.0), (30, 0.5))
    keyed(upper, "color", (1, 0.0), (30, 1.0))
    action = upper.animation_data.action
    upper.animation_data.action.name = "Swing"
    extraction, result, _ = run_and_bake(target="NLA")
    assert [curve.data_path for curve in compat.fcurves_of(upper)] == ["color"]
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    scene.frame_set(30)
    assert upper.color[0] == pytest.approx(1.0)
    baking.remove_bake(scene)
    assert upper.animation_data.action == action
    assert not upper.animation_data.nla_tracks
    assert [a.name for a in bpy.data.actions] == ["Swing"]


def test_an_action_with_other_channels_only_stays_as_it_is(scene):
    upper, _ = double_pendulum()
    keyed(upper, "color", (1, 0.0), (30, 1.0))
    action = upper.animation_data.action
    run_and_bake(target="NLA")
    assert upper.animation_data.action == action
    baking.remove_bake(scene)
    assert upper.animation_data.action == action
    assert list(bpy.data.actions) == [action]


def test_removing_an_nla_bake_leaves_nothing_behind(scene):
    upper, lower = double_pendulum()
    run_and_bake(target="NLA", keys="FEWER")
    run_and_bake(target="NLA")
    assert tracks(upper) == [("Upper", ["Upper"])], "a second bake replaces the first"
    baking.remove_bake(scene)
    assert upper.animation_data is None
    assert lower.animation_data is None
    assert not bpy.data.actions


@pytest.mark.parametrize("first", ["NLA", "NEW", "CURRENT"])
@pytest.mark.parametrize("second", ["NLA", "NEW", "CURRENT"])
def test_a_bake_that_fails_half_way_leaves_the_former_one(scene, monkeypatch, first, second):
    upper, lower = double_pendulum()
    extraction, result, _ = run_and_bake(target=first)
    before = [tracks(obj) for obj in (upper, lower)], [obj.animation_data.action for obj in (upper, lower)]
    write, calls = keys.write, []

    def fails(*arguments):
        calls.append(1)
        if len(calls) > 1:
            raise MemoryError
        return write(*arguments)

    monkeypatch.setattr(keys, "write", fails)
    with pytest.raises(MemoryError):
        bake(extraction, result, target=second)
    monkeypatch.undo()
    assert before == ([tracks(obj) for obj in (upper, lower)], [obj.animation_data.action for obj in (upper, lower)])
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    baking.remove_bake(scene)
    assert not bpy.data.actions
    assert not any(actions.is_baked(obj) for obj in (upper, lower))


def test_an_nla_that_is_switched_off_is_refused_by_name():
    upper, _ = double_pendulum()
    with_strip(upper)
    upper.animation_data.use_nla = False
    with pytest.raises(BridgeError, match="The NLA of 'Upper' is switched off"):
        run_and_bake(target="NLA")
    assert tracks(upper) == [("Mine", ["Mine"])]


# --- current action --------------------------------------------------------------------------


def test_keys_outside_the_range_stay(scene):
    upper, _ = double_pendulum()
    curve = keyed(upper, "location", (-20, 7.0), (1, 0.0), (15, 1.0), (30, 2.0), (60, 9.0))
    curve.keyframe_points[0].interpolation = "CONSTANT"
    curve.keyframe_points[4].handle_left_type = "FREE"
    curve.keyframe_points[4].handle_left = (50.0, 4.0)
    curve.extrapolation = "LINEAR"
    extraction = extracted()
    result = simulated(extraction)
    bake(extraction, result, target="CURRENT", frame_start=5, frame_end=25)
    curve = next(c for c in compat.fcurves_of(upper) if c.data_path == "location" and c.array_index == 0)
    x = [point.co[0] for point in curve.keyframe_points]
    assert x == [-20, 1, *range(5, 26), 30, 60]
    assert [curve.keyframe_points[i].co[1] for i in (0, 1, -2, -1)] == [7.0, 0.0, 2.0, 9.0]
    assert curve.keyframe_points[0].interpolation == "CONSTANT"
    assert tuple(curve.keyframe_points[len(x) - 1].handle_left) == (50.0, 4.0)
    assert curve.extrapolation == "LINEAR"
    index = result.body("Upper")
    for frame in (5, 14, 25):
        assert curve.evaluate(frame) == pytest.approx(result.position[frame - 1, index, 0], abs=1e-6)
    baking.remove_bake(scene)
    curve = next(c for c in compat.fcurves_of(upper) if c.data_path == "location" and c.array_index == 0)
    assert [point.co[0] for point in curve.keyframe_points] == [-20, 1, 15, 30, 60]


def test_fewer_keys_beside_outer_ones_are_measured_alone(scene):
    upper, _ = double_pendulum("QUATERNION")
    keyed(upper, "location", (-20, 70.0), (60, 90.0))
    extraction = extracted()
    report = bake(extraction, simulated(extraction), target="CURRENT", keys="FEWER", frame_start=5, frame_end=25)
    assert 1e3 * report.distance <= 0.1
    curve = next(c for c in compat.fcurves_of(upper) if c.data_path == "location" and c.array_index == 0)
    x = np.array([point.co[0] for point in curve.keyframe_points])
    assert (x[0], x[1], x[-2], x[-1]) == (-20, 5, 25, 60)
