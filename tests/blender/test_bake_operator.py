# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake to Keyframes and Remove Bake as an artist meets them: reports, refusals, one undo step."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
import swinging

from redmax_blender import compat
from redmax_blender.bridge.results import cache


@pytest.fixture
def simulated(scene):
    swinging.build()
    swinging.simulate()
    return scene


def matrices(frames=(1, 5, 13)):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        objects = (bpy.data.objects[name] for name in swinging.MOVING)
        found.append([np.array(obj.evaluated_get(depsgraph).matrix_world) for obj in objects])
    return np.array(found)


def channels():
    return {
        name: (tuple(obj.location), tuple(obj.rotation_euler))
        for name in swinging.MOVING
        for obj in [bpy.data.objects[name]]
    }


def baked():
    return sorted(obj.name for obj in bpy.data.objects if obj.redmax.baked.active)


def test_baking_is_reported(simulated):
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    message = bpy.context.window_manager.redmax.message
    assert message == "Baked 13 frames, 2 objects, 156 keys"
    assert baked() == ["Lower", "Upper"]


def test_baked_keys_show_what_the_preview_showed(simulated):
    shown = matrices()
    bpy.ops.redmax.bake()
    np.testing.assert_allclose(matrices(), shown, atol=1e-6)
    assert np.ptp(shown, axis=0).max() > 0.1


def test_the_preview_comes_back_when_the_bake_is_removed(simulated):
    shown = matrices()
    bpy.ops.redmax.bake()
    assert bpy.ops.redmax.remove_bake() == {"FINISHED"}
    assert baked() == []
    np.testing.assert_allclose(matrices(), shown, atol=1e-6)
    assert not bpy.data.actions


def test_a_bake_does_not_make_the_result_stale(simulated):
    """The mechanism is extracted from what the artist modelled, not from where keys have brought it."""
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(9)
    assert not cache.is_stale(bpy.context.scene, bpy.context.view_layer)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.redmax.remove_bake()
    assert not cache.is_stale(bpy.context.scene, bpy.context.view_layer)
    assert not bpy.context.scene.redmax.result.changed


def test_baking_and_removing_are_one_undo_step_each(simulated):
    bpy.context.scene.redmax.show_result = False
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="simulated")
    modelled, still = channels(), matrices()
    bpy.context.scene.frame_set(1)
    bpy.ops.redmax.bake("EXEC_DEFAULT", True)
    moving = matrices()
    assert np.abs(moving - still).max() > 0.1

    bpy.ops.ed.undo()
    assert baked() == []
    assert not bpy.data.actions
    bpy.context.scene.frame_set(1)
    assert channels() == modelled
    np.testing.assert_array_equal(matrices(), still)

    bpy.ops.ed.redo()
    assert baked() == ["Lower", "Upper"]
    np.testing.assert_array_equal(matrices(), moving)

    bpy.context.scene.frame_set(1)
    bpy.ops.redmax.remove_bake("EXEC_DEFAULT", True)
    np.testing.assert_array_equal(matrices(), still)
    bpy.ops.ed.undo()
    assert baked() == ["Lower", "Upper"]
    np.testing.assert_array_equal(matrices(), moving)


def test_removing_after_undo_and_redo_still_knows_the_original(simulated):
    bpy.context.scene.redmax.show_result = False
    upper = bpy.data.objects["Upper"]
    curve = compat.ensure_fcurves(upper).new("color", 0)
    curve.keyframe_points.insert(1, 0.5)
    bpy.ops.ed.undo_push(message="simulated")
    bpy.ops.redmax.bake("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    bpy.ops.redmax.remove_bake()
    upper = bpy.data.objects["Upper"]
    assert upper.animation_data.action.name == "Upper"
    assert [curve.data_path for curve in compat.fcurves_of(upper)] == ["color"]


def test_the_options_of_the_scene_are_used(simulated):
    options = bpy.context.scene.redmax.bake
    options.range, options.frame_start, options.frame_end = "CUSTOM", 4, 6
    options.tangents, options.torque, options.energy = "LINEAR", True, True
    bpy.ops.redmax.bake()
    curve = compat.curves_of(bpy.data.objects["Upper"]).find("location", 0)
    assert [point.co[0] for point in curve.keyframe_points] == [4.0, 5.0, 6.0]
    assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
    assert "redmax_torque" in bpy.data.objects["Elbow"]
    assert "redmax_energy" in bpy.context.scene


def test_without_a_result_there_is_nothing_to_bake(scene):
    swinging.build()
    assert not bpy.ops.redmax.bake.poll()
    with pytest.raises(RuntimeError, match="nothing to bake; press Simulate first"):
        bpy.ops.redmax.bake()


def test_while_a_simulation_runs_nothing_is_baked(simulated):
    bpy.context.window_manager.redmax.running = True
    try:
        with pytest.raises(RuntimeError, match="A simulation is running"):
            bpy.ops.redmax.bake()
    finally:
        bpy.context.window_manager.redmax.running = False


def test_without_a_bake_there_is_nothing_to_remove(simulated):
    with pytest.raises(RuntimeError, match="Nothing in this scene is baked"):
        bpy.ops.redmax.remove_bake()


def test_a_stale_result_is_refused_unless_asked_for(simulated):
    bpy.data.objects["Elbow"].redmax.joint.damping[0] = 3.0
    with pytest.raises(RuntimeError, match="Settings changed since the simulation; bake would differ"):
        bpy.ops.redmax.bake()
    assert baked() == []
    assert bpy.ops.redmax.bake(allow_stale=True) == {"FINISHED"}
    assert baked() == ["Lower", "Upper"]


def test_an_old_result_is_baked_at_its_own_frames(simulated):
    scene = bpy.context.scene
    shown = matrices((1, 5, 13))
    scene.frame_start = 3
    bpy.ops.redmax.bake(allow_stale=True)
    np.testing.assert_allclose(matrices((1, 5, 13)), shown, atol=1e-6)


def test_what_stands_in_the_way_is_reported_and_nothing_is_written(simulated):
    data = bpy.data.objects["Upper"].animation_data_create()
    data.nla_tracks.new().is_solo = True
    with pytest.raises(RuntimeError, match="An NLA track of 'Upper' is solo"):
        bpy.ops.redmax.bake()
    assert baked() == []
    assert not bpy.data.actions


def test_a_refused_bake_shows_the_preview_again(simulated):
    bpy.context.scene.frame_set(9)
    shown = channels()
    bpy.data.objects["Elbow"].redmax.joint.damping[0] = 3.0
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.bake()
    bpy.data.objects["Elbow"].redmax.joint.damping[0] = 0.0
    assert channels() == shown


def test_a_rig_close_to_gimbal_lock_is_baked_with_a_note(scene):
    swinging.build()
    for name in swinging.MOVING:
        bpy.data.objects[name].rotation_euler = (0.001, 1.5, 0.3)
    scene.redmax.result.identifier = ""
    swinging.simulate()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    message = bpy.context.window_manager.redmax.message
    assert "comes close to gimbal lock" in message
    assert "set its rotation mode to Quaternion" in message


def test_a_bake_survives_save_and_reload(simulated, tmp_path):
    bpy.ops.redmax.bake()
    moving = matrices()
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_array_equal(matrices(), moving)
    bpy.context.scene.frame_set(1)
    bpy.ops.redmax.remove_bake()
    assert not bpy.data.actions
    assert bpy.data.objects["Upper"].animation_data is None
