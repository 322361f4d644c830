# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions whose end meets their start, and motions that have settled before they begin."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import baking, double_pendulum, engine_matrix, extracted, run_and_bake, simulated, thrown, world_matrix
from linkages import four_bar

from redmax.integrators import INTEGRATORS
from redmax_blender import compat
from redmax_blender.bridge.bake import loop_ends
from redmax_blender.bridge.core.findings import BridgeError
from redmax_blender.bridge.run import simulation

NAMES = ("Upper", "Lower")


def bake(extraction, result, **options):
    return baking.bake(bpy.context.scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(**options))


def matrices(frame, names=NAMES):
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=float(frame - whole))
    return np.array([world_matrix(name) for name in names])


@pytest.mark.parametrize("keys", ["EVERY", "FEWER"])
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
def test_the_end_meets_the_start_in_place_and_speed(mode, keys):
    double_pendulum(mode)
    extraction, result, _ = run_and_bake(loop=True, loop_frames=10, keys=keys)
    far = abs(engine_matrix(extraction, result, "Lower", 29) - engine_matrix(extraction, result, "Lower", 0)).max()
    assert far > 0.3, "as simulated they do not meet"
    bound = 1e-6 if keys == "EVERY" else 2e-4
    assert np.abs(matrices(30) - matrices(1)).max() < bound
    step = 0.02
    start, end = (matrices(1 + step) - matrices(1)) / step, (matrices(30) - matrices(30 - step)) / step
    speed = np.abs(start).max()
    assert speed > 0.05
    assert np.abs(start - end).max() < 0.05 * speed


def test_frames_before_the_blend_are_as_simulated():
    double_pendulum()
    extraction, result, _ = run_and_bake(loop=True, loop_frames=10)
    for sample in (0, 7, 19):
        wanted = [engine_matrix(extraction, result, name, sample) for name in NAMES]
        np.testing.assert_allclose(matrices(1 + sample), wanted, atol=4e-6)


def test_joints_hold_while_the_motion_is_led_back():
    """The elbow is the same point of both links in all frames."""
    upper, lower = double_pendulum()
    bpy.context.view_layer.update()
    elbow = np.array([0.0, 0.0, -1.6, 1.0])
    own = [np.linalg.solve(np.array(obj.matrix_world), elbow) for obj in (upper, lower)]
    run_and_bake(loop=True, loop_frames=12)
    for frame in range(1, 31):
        points = [M @ point for M, point in zip(matrices(frame), own, strict=True)]
        np.testing.assert_allclose(points[0], points[1], atol=5e-6)


def test_a_loop_goes_on_outside_its_frames(scene):
    double_pendulum("QUATERNION")
    run_and_bake(loop=True, loop_frames=10)
    np.testing.assert_allclose(matrices(40), matrices(11), atol=1e-5)
    np.testing.assert_allclose(matrices(-10), matrices(19), atol=1e-5)
    baking.remove_bake(scene)
    assert bpy.data.objects["Upper"].animation_data is None


def test_closed_linkages_stay_closed():
    """A four-bar linkage whose crank does not come round; its free joints are led back, the crank keeps its keys."""
    four_bar(turns=1.0)
    bpy.context.scene.frame_end = 40
    bpy.data.objects["Pin A"].redmax.joint.motion_type = "simulated"
    bpy.data.objects["Pin A"].animation_data_clear()
    bpy.data.objects["Pin A"].redmax.joint.velocity_angle[0] = 1.0
    extraction = extracted()
    result = simulation.run(extraction, INTEGRATORS["rk4"](h=1.0 / 24.0))
    bpy.context.view_layer.update()
    coupler, rocker = bpy.data.objects["Coupler"], bpy.data.objects["Rocker"]
    pin = np.array([0.6, 0.0, 0.45, 1.0])
    own = [np.linalg.solve(np.array(obj.matrix_world), pin) for obj in (coupler, rocker)]
    bake(extraction, result, loop=True, loop_frames=10)
    names = ("Coupler", "Rocker", "Crank")
    assert np.abs(matrices(40, names) - matrices(1, names)).max() < 1e-5
    for frame in (32.0, 35.0, 38.0):
        points = [M @ point for M, point in zip(matrices(frame, names[:2]), own, strict=True)]
        np.testing.assert_allclose(points[0], points[1], atol=1e-5)


def test_a_loop_of_two_frames_is_refused():
    double_pendulum()
    with pytest.raises(BridgeError, match="at least three frames"):
        run_and_bake(loop=True, frame_start=1, frame_end=2)


def test_a_blend_is_at_most_as_long_as_the_range():
    double_pendulum()
    extraction = extracted()
    result = simulated(extraction)
    found = loop_ends.matched(extraction, result, slice(10, 20), 500)
    np.testing.assert_array_equal(found.position[:12], result.position[:12])
    np.testing.assert_allclose(found.position[19], result.position[10], atol=1e-9)


# --- pre-roll --------------------------------------------------------------------------------


def test_a_pre_roll_is_simulated_and_not_baked(scene):
    double_pendulum()
    scene.frame_start, scene.frame_end = 1, 12
    scene.redmax.pre_roll = 20
    extraction = extracted()
    assert (extraction.frame_start, extraction.frame_end) == (-19, 12)
    result = simulated(extraction)
    assert len(result) == 32
    options = baking.BakeOptions.from_scene(scene)
    report = baking.bake(scene, bpy.context.view_layer, extraction, result, options)
    assert (report.frame_start, report.frame_end) == (1, 12)
    assert [point.co[0] for point in compat.fcurves_of(bpy.data.objects["Upper"])[0].keyframe_points] == [*range(1, 13)]
    np.testing.assert_allclose(matrices(1), [engine_matrix(extraction, result, n, 20) for n in NAMES], atol=4e-6)


def test_the_operators_follow_the_pre_roll(scene):
    scene.frame_start, scene.frame_end = 1, 6
    scene.redmax.pre_roll = 6
    thrown()
    assert bpy.ops.redmax.simulate("EXEC_DEFAULT") == {"FINISHED"}
    assert scene.redmax.result.frame_start == -5
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert "Baked 6 frames" in bpy.context.window_manager.redmax.message
