# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys are the engine's trajectory: at frames to single precision, between them by exact tangents."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import (
    FPS,
    MODES,
    baking,
    box,
    double_pendulum,
    engine_matrix,
    extracted,
    hinge,
    largest_error,
    parent_to,
    run_and_bake,
    simulated,
    thrown,
    world_matrix,
)

from redmax_blender import compat
from redmax_blender.bridge.bake import keys
from redmax_blender.bridge.core.findings import BridgeError

SINGLE = 4e-6
"""A dozen roundings of Blender's single precision, in scenes of the size of 1."""


def bake(extraction, result, **options):
    return baking.bake(bpy.context.scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(**options))


def curve_of(obj, path, index=0):
    return next(c for c in compat.fcurves_of(obj) if c.data_path == path and c.array_index == index)


def paths(owner):
    return sorted({curve.data_path for curve in compat.fcurves_of(owner)})


def coordinates(curve):
    co = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", co)
    return co.reshape(-1, 2)


# --- the motion ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("parented", [False, True])
@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
def test_matrices_equal_the_trajectory_at_frames(mode, parented, target):
    double_pendulum(mode, parented=parented)
    extraction, result, _ = run_and_bake(target=target)
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE


def test_matrices_equal_the_trajectory_with_scales_deltas_and_parents():
    upper, lower = double_pendulum("ZXY")
    upper.scale, upper.delta_location = (2.0, 2.0, 2.0), (0.1, 0.2, 0.3)
    upper.rotation_euler, upper.delta_rotation_euler = (0.4, 0.5, 0.6), (0.2, -0.1, 0.7)
    lower.scale = (1.0, -2.0, 0.5)
    parent_to(lower, upper)
    extraction, result, _ = run_and_bake()
    assert largest_error(extraction, result, ["Upper", "Lower"]) < 5.0 * SINGLE


@pytest.mark.parametrize("mode", ["QUATERNION", "YXZ", "YZX"])
@pytest.mark.parametrize("parented", [False, True])
def test_exact_tangents_leave_a_twentieth_of_the_error_of_linear_keys(mode, parented):
    """A swinging double pendulum, in modes that do not come near their singularity."""
    double_pendulum(mode, parented=parented)
    extraction = extracted()
    result, truth = simulated(extraction), simulated(extraction, per_frame=8)
    errors = {}
    for tangents in ("EXACT", "LINEAR"):
        bake(extraction, result, tangents=tangents)
        errors[tangents] = largest_error(extraction, truth, ["Upper", "Lower"], per_frame=8)
    assert errors["LINEAR"] > 1e-3
    assert errors["EXACT"] < errors["LINEAR"] / 20.0


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX"])
def test_exact_tangents_of_a_spinning_body(scene, mode):
    scene.frame_end = 24
    thrown(mode=mode, spin=(0.2, 0.3, 5.0))
    extraction = extracted()
    result, truth = simulated(extraction), simulated(extraction, per_frame=8)
    errors = {}
    for tangents in ("EXACT", "LINEAR"):
        bake(extraction, result, tangents=tangents)
        errors[tangents] = largest_error(extraction, truth, ["Body"], per_frame=8)
    assert errors["EXACT"] < errors["LINEAR"] / 20.0


def test_curves_are_the_hermite_cubics_of_values_and_rates():
    double_pendulum("QUATERNION")
    extraction, result, _ = run_and_bake()
    curve = curve_of(bpy.data.objects["Upper"], "location", 0)
    index = result.body("Upper")
    x = result.position[:, index, 0]
    twist = result.channels["twist"][:, index]
    E = np.array([engine_matrix(extraction, result, "Upper", sample) for sample in range(len(result))])
    rate = (E[:, :3, :3] @ twist[:, 3:, None])[:, 0, 0] / FPS
    for sample in range(len(result) - 1):
        for s in (0.25, 0.5, 0.9):
            hermite = (
                (1 + 2 * s) * (1 - s) ** 2 * x[sample]
                + s * (1 - s) ** 2 * rate[sample]
                + s**2 * (3 - 2 * s) * x[sample + 1]
                - s**2 * (1 - s) * rate[sample + 1]
            )
            assert abs(curve.evaluate(1 + sample + s) - hermite) < 1e-6


def slopes(curve):
    numbers = {}
    for name in ("co", "handle_left", "handle_right"):
        numbers[name] = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get(name, numbers[name])
        numbers[name] = numbers[name].reshape(-1, 2).astype(float)
    reach = numbers["handle_right"] - numbers["co"], numbers["co"] - numbers["handle_left"]
    return np.concatenate([part[:, 1] / part[:, 0] for part in reach])


def test_late_frames_keep_their_tangents(scene):
    """At frame 100 000 single precision moves handles by a hundredth of their reach; they stay on the tangent."""
    double_pendulum("QUATERNION")
    found = []
    for first in (1, 100_000):
        scene.frame_start, scene.frame_end = first, first + 20
        run_and_bake()
        found.append(slopes(curve_of(bpy.data.objects["Upper"], "location", 0)))
    assert np.abs(found[0]).max() > 0.05
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)


def test_handles_survive_an_update_of_the_curve():
    """Blender recomputes handles when an artist edits keys: aligned ones stay where they are."""
    double_pendulum("QUATERNION")
    run_and_bake()
    curve = curve_of(bpy.data.objects["Lower"], "rotation_quaternion", 2)
    times = np.linspace(1.0, 30.0, 100)
    before = [curve.evaluate(t) for t in times]
    curve.update()
    np.testing.assert_allclose([curve.evaluate(t) for t in times], before, atol=2e-6)


@pytest.mark.parametrize("tangents", ["EXACT", "LINEAR"])
def test_keys_are_what_they_are_called(tangents):
    double_pendulum()
    run_and_bake(tangents=tangents)
    for curve in compat.fcurves_of(bpy.data.objects["Upper"]):
        for point in curve.keyframe_points:
            assert point.interpolation == ("BEZIER" if tangents == "EXACT" else "LINEAR")
            kind = "ALIGNED" if tangents == "EXACT" else "VECTOR"
            assert (point.handle_left_type, point.handle_right_type) == (kind, kind)


def test_numbers_of_enum_items_are_blenders():
    properties = bpy.types.Keyframe.bl_rna.properties
    handles = {item.identifier: item.value for item in properties["handle_left_type"].enum_items}
    lines = {item.identifier: item.value for item in properties["interpolation"].enum_items}
    assert all(handles[name] == number for name, number in keys._HANDLE_TYPE.items())
    assert all(lines[name] == number for name, number in keys._INTERPOLATION.items())


# --- what is written -------------------------------------------------------------------------


def test_only_location_and_the_rotation_of_the_mode_get_keys():
    double_pendulum("AXIS_ANGLE")
    _, _, report = run_and_bake()
    assert paths(bpy.data.objects["Upper"]) == ["location", "rotation_axis_angle"]
    assert (report.frames, report.objects, report.keys) == (30, 2, 30 * 2 * 7)
    assert str(report).startswith("Baked 30 frames, 2 objects, 420 keys")


def test_a_new_action_is_named_after_the_mechanism():
    double_pendulum()
    thrown("Ball", location=(5.0, 0.0, 0.0))
    run_and_bake()
    upper, lower, ball = (bpy.data.objects[name] for name in ("Upper", "Lower", "Ball"))
    assert upper.animation_data.action == lower.animation_data.action
    assert upper.animation_data.action.name == "Upper"
    assert [compat.slot_identifier(obj) for obj in (upper, lower)] == ["OBUpper", "OBLower"]
    assert ball.animation_data.action.name == "Ball"
    assert len(bpy.data.actions) == 2


def test_an_action_of_the_artist_with_the_same_name_keeps_it():
    upper, _ = double_pendulum()
    own = bpy.data.actions.new("Upper")
    own.use_fake_user = True
    run_and_bake()
    run_and_bake()
    assert own.name == "Upper"
    assert upper.animation_data.action != own


def test_bodies_that_stand_still_get_no_keys(scene):
    base = box("Base", size=(1.0, 1.0, 0.1))
    base.redmax.body.root = "LOCKED"
    arm = box("Arm", (0.0, 0.0, 1.0))
    hinge("Pin", base, arm, (0.0, 0.0, 0.2)).redmax.joint.velocity_angle[0] = 1.0
    run_and_bake()
    assert base.animation_data is None
    assert not base.redmax.baked.active
    assert not base.redmax.kept.active
    assert paths(arm) == ["location", "rotation_euler"]


def test_a_locked_joint_away_from_its_modelled_pose_is_baked(scene):
    """The modelled pose is q = 0: a joint that is Locked at 0.5 rad turns its body all the same."""
    scene.frame_end = 3
    arm, ball = box("Arm"), thrown("Ball", location=(9.0, 0.0, 0.0))
    pin = hinge("Pin", None, arm, (0.0, 0.0, 1.0))
    pin.redmax.joint.motion_type, pin.redmax.joint.coordinate_angle_1 = "locked", 0.5
    extraction, result, _ = run_and_bake()
    assert extraction.body("Arm").static
    assert largest_error(extraction, result, ["Arm", "Ball"]) < SINGLE
    assert abs(world_matrix("Arm")[0, 3]) > 0.3
    assert ball.redmax.baked.active


def test_a_still_body_on_a_moving_parent_is_held_by_keys():
    base = box("Base", (0.0, 3.0, 0.0))
    base.redmax.body.root = "LOCKED"
    upper, _ = double_pendulum()
    parent_to(base, upper)
    extraction, result, _ = run_and_bake()
    assert largest_error(extraction, result, ["Base", "Upper", "Lower"]) < SINGLE


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"range": "SCENE"}, (1, 30)),
        ({"range": "CUSTOM", "frame_start": 5, "frame_end": 12}, (5, 12)),
        ({"range": "CUSTOM", "frame_start": -50, "frame_end": 7}, (1, 7)),
        ({"range": "PREVIEW"}, (8, 30)),
    ],
)
def test_the_range_is_the_part_of_it_that_was_simulated(scene, settings, expected):
    double_pendulum()
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 8, 90
    for name, value in settings.items():
        setattr(scene.redmax.bake, name, value)
    extraction = extracted()
    result = simulated(extraction)
    report = baking.bake(scene, bpy.context.view_layer, extraction, result, baking.BakeOptions.from_scene(scene))
    assert (report.frame_start, report.frame_end) == expected
    frames = coordinates(curve_of(bpy.data.objects["Upper"], "location"))[:, 0]
    np.testing.assert_array_equal(frames, np.arange(expected[0], expected[1] + 1))
    scene.frame_set(expected[0])
    expected_matrix = engine_matrix(extraction, result, "Lower", expected[0] - 1)
    np.testing.assert_allclose(world_matrix("Lower"), expected_matrix, atol=SINGLE)


def test_options_are_those_of_the_scene(scene):
    chosen = scene.redmax.bake
    chosen.selected_only, chosen.target, chosen.tangents = True, "CURRENT", "LINEAR"
    chosen.torque, chosen.reaction, chosen.energy = True, True, True
    options = baking.BakeOptions.from_scene(scene)
    bound = {"distance": pytest.approx(0.1), "angle": pytest.approx(np.radians(0.05))}  # in single precision
    assert options == baking.BakeOptions(
        selected_only=True, target="CURRENT", tangents="LINEAR", torque=True, reaction=True, energy=True, **bound
    )


def test_a_range_without_simulated_frames_is_refused():
    double_pendulum()
    with pytest.raises(BridgeError, match=r"range 100 to 200 has no frame to bake; frames 1 to 30 are simulated"):
        run_and_bake(frame_start=100, frame_end=200)


def test_another_frame_rate_is_refused(scene):
    double_pendulum()
    extraction = extracted()
    result = simulated(extraction)
    scene.render.fps = 30
    with pytest.raises(BridgeError, match="24 frames per second, the scene has 30"):
        bake(extracted(), result)


# --- selected only ---------------------------------------------------------------------------


def select(*names):
    for obj in bpy.context.scene.objects:
        obj.select_set(obj.name in names)


@pytest.mark.parametrize("parented", [False, True])
def test_selected_only(parented):
    """The selected body moves as simulated even though its parent stands still."""
    upper, _ = double_pendulum(parented=parented)
    select("Lower")
    extraction, result, report = run_and_bake(selected_only=True)
    assert report.objects == 1
    assert upper.animation_data is None
    assert largest_error(extraction, result, ["Lower"]) < SINGLE


def test_selected_only_keeps_earlier_bakes_right():
    """A body baked before is baked along, so that a parent and its child never show different results."""
    double_pendulum(parented=True)
    select("Upper")
    run_and_bake(selected_only=True)
    select("Lower")
    extraction, result, report = run_and_bake(selected_only=True)
    assert report.objects == 2
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE


def test_selected_only_without_a_selected_body_is_refused():
    double_pendulum()
    select("Elbow")
    with pytest.raises(BridgeError, match="No body is selected"):
        run_and_bake(selected_only=True)


# --- many bodies ------------------------------------------------------------------------------


def test_a_hundred_bodies_over_250_frames(scene):
    scene.frame_end = 250
    names = [f"Body{index:03d}" for index in range(100)]
    for index, name in enumerate(names):
        thrown(name, mode="QUATERNION", location=(3.0 * index, 0.0, 0.0))
    extraction = extracted()
    result = free_flight(extraction)
    for _ in range(2):  # over an earlier bake too
        report = bake(extraction, result)
        assert (report.frames, report.objects, report.keys) == (250, 100, 100 * 250 * 7)
    size = float(np.abs(result.position).max())
    assert largest_error(extraction, result, names, step=83) < SINGLE * size


def free_flight(extraction):
    """Free flight in closed form: no need to simulate."""
    from redmax.spatial import quaternion
    from redmax.trajectory import Trajectory

    n, f = len(extraction.bodies), extraction.frame_end - extraction.frame_start + 1
    t = np.arange(f) / extraction.fps
    start = np.array([body.E_wb[:3, 3] for body in extraction.bodies])
    v = np.array([1.0, -0.5, 4.0])
    omega = np.broadcast_to([0.0, 0.0, 3.0], (f, n, 3))
    q = np.broadcast_to(quaternion.exp(t[:, None] * [0.0, 0.0, 3.0])[:, None], (f, n, 4))
    position = start + (t[:, None] * v)[:, None]
    v_body = quaternion.rotate(quaternion.conjugate(q), np.broadcast_to(v, (f, n, 3)))
    names = tuple(body.name for body in extraction.bodies)
    return Trajectory(
        body_names=names,
        joint_names=names,
        t=t,
        q=np.zeros((f, 6 * n)),
        qdot=np.zeros((f, 6 * n)),
        position=position,
        rotation=q,
        channels={"twist": np.concatenate([omega, v_body], axis=-1)},
        meta={"fps": extraction.fps},
    )
