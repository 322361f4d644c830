# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed coordinates and torques: the engine's table against Blender's own evaluation of the F-curve."""

from __future__ import annotations

import itertools

import bpy
import by_hand
import numpy as np
import pytest
from by_hand import body, extract, joint, said

PATH = "redmax.joint.coordinate_angle_1"
FPS = 24.0
CLOSE = 4e-6
"""Blender solves the Bezier's time in single precision: it is off by up to 3e-6 of the range where a curve is steep."""


def crank(kind="revolute"):
    base, arm = body("Base", root="LOCKED"), body("Arm")
    obj = joint("Crank", base, arm, kind)
    obj.redmax.joint.motion_type = "animated"
    return obj


def curve_of(obj, path=PATH, index=0):
    from redmax_blender import compat

    return compat.ensure_fcurves(obj).ensure(path, index)


def set_keys(curve, keys, *, handle="AUTO_CLAMPED", interpolation="BEZIER"):
    """keys: (frame, value) or (frame, value, left handle, right handle)."""
    while curve.keyframe_points:
        curve.keyframe_points.remove(curve.keyframe_points[0])
    curve.keyframe_points.add(len(keys))
    for point, key in zip(curve.keyframe_points, keys, strict=True):
        point.co, point.interpolation = key[:2], interpolation
        point.handle_left_type = point.handle_right_type = "FREE" if len(key) == 4 else handle
        if len(key) == 4:
            point.handle_left, point.handle_right = key[2], key[3]
    curve.update()


def table_of(name="Crank", field="animation"):
    extraction = extract()
    assert not extraction.errors, said(extraction)
    return getattr(next(j for j in extraction.scene.joints if j.name == name), field)


def worst(table, curve, *, column=0, first=None, last=None, factor=1.0):
    """Largest difference from Blender's evaluation, relative to the curve's largest value."""
    scene = bpy.context.scene
    frames = np.linspace(first or scene.frame_start, last or scene.frame_end, 1501)
    frames = np.float32(frames).astype(float)
    theirs = np.array([curve.evaluate(frame) for frame in frames]) * factor
    ours = np.array([table.value((frame - scene.frame_start) / FPS)[column] for frame in frames])
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def assert_consistent(table):
    """The derivative is that of the value, and of the derivative the second derivative, between the points."""
    x = np.array(table.x)
    wide = np.flatnonzero(np.diff(x) > 1e-3)
    h = 1e-6
    for k in wide[:: max(len(wide) // 40, 1)]:
        t = x[k] + 0.37 * (x[k + 1] - x[k])
        slope = (table.value(t + h) - table.value(t - h)) / (2 * h)
        bend = (table.derivative(t + h) - table.derivative(t - h)) / (2 * h)
        scale = 1.0 + np.abs(table.value(t)).max()
        np.testing.assert_allclose(table.derivative(t), slope, rtol=1e-6, atol=1e-9 * scale / h * 1e-2)
        np.testing.assert_allclose(table.second_derivative(t), bend, rtol=1e-5, atol=1e-5 * scale)


@pytest.fixture
def short_scene(scene):
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 1, 60, 24, 1.0
    return scene


SIMPLE = [(1, 0.0), (20, 1.5), (33, 1.2), (60, -2.0)]
FREE = [
    (1, 0.0, (-3, 0.0), (9, 0.2)),
    (20, 1.5, (18.0, 2.0), (24, 0.5)),
    (33, 1.2, (24, 1.4), (34.0, 1.1)),
    (60, -2.0, (40, 0.0), (70, 0.0)),
]
OVERLONG = [
    (1, 0.0, (-9, 0.0), (31, 0.4)),
    (20, 1.5, (15.0, 2.0), (23, 1.0)),
    (33, 1.2, (-10, 1.4), (38.0, 1.1)),
    (60, -2.0, (55, 0.0), (70, 0.0)),
]
EASE = [(1, 0.0, (0, 0.0), (26, 0.0)), (60, 1.0, (35, 1.0), (61, 1.0))]


@pytest.mark.parametrize("handle", ["AUTO", "AUTO_CLAMPED", "VECTOR", "ALIGNED"])
def test_bezier_keys_are_followed_to_single_precision(short_scene, handle):
    obj = crank()
    curve = curve_of(obj)
    set_keys(curve, SIMPLE, handle=handle)
    if handle == "ALIGNED":
        for point in curve.keyframe_points:
            point.handle_right = (point.co[0] + 4.0, point.co[1] + 0.7)
        curve.update()
    table = table_of()
    assert table.interpolation == "hermite"
    assert worst(table, curve) < CLOSE
    assert_consistent(table)


@pytest.mark.parametrize("keys", [FREE, OVERLONG], ids=["free", "overlong"])
def test_free_and_overlong_handles_are_followed(short_scene, keys):
    curve = curve_of(crank())
    set_keys(curve, keys)
    table = table_of()
    assert worst(table, curve) < CLOSE
    assert_consistent(table)


def test_random_handles_are_followed(short_scene):
    rng = np.random.default_rng(4)
    curve = curve_of(crank())
    for _ in range(12):
        frames = np.sort(rng.choice(np.arange(1, 61, 9), 5, replace=False)) + rng.choice([0.0, 0.25, 0.37])
        keys = []
        for frame in frames:
            value = rng.normal()
            reach = rng.uniform(0.5, 8.0, 2)
            slopes = rng.normal(size=2) * 0.05
            left = (frame - reach[0], value - reach[0] * slopes[0])
            keys.append((frame, value, left, (frame + reach[1], value + reach[1] * slopes[1])))
        set_keys(curve, keys)
        assert worst(table_of(), curve) < 3 * CLOSE  # some are steep
        assert_consistent(table_of())


def test_handles_at_thirds_are_one_cubic_per_segment(short_scene):
    rng = np.random.default_rng(1)
    curve = curve_of(crank())
    slopes, values, frames = rng.normal(size=4) * 0.1, rng.normal(size=4), [1.0, 14.0, 30.0, 60.0]
    keys = []
    for k in range(4):
        before, after = frames[max(k - 1, 0)] - frames[k], frames[min(k + 1, 3)] - frames[k]
        left = (frames[k] + before / 3 - (k == 0), values[k] + slopes[k] * (before / 3 - (k == 0)))
        right = (frames[k] + after / 3 + (k == 3), values[k] + slopes[k] * (after / 3 + (k == 3)))
        keys.append((frames[k], values[k], left, right))
    set_keys(curve, keys)
    table = table_of()
    np.testing.assert_allclose(table.x, (np.array(frames) - 1.0) / FPS)
    np.testing.assert_allclose(np.array(table.slopes)[0::2, 0], slopes[:3] * FPS, rtol=1e-4)
    np.testing.assert_allclose(np.array(table.slopes)[1::2, 0], slopes[1:] * FPS, rtol=1e-4)
    assert worst(table, curve) < CLOSE


def test_points_lie_on_frames_so_that_no_step_is_cut(short_scene):
    curve = curve_of(crank())
    set_keys(curve, EASE)
    table = table_of()
    frames = np.array(table.x) * FPS + 1.0
    assert len(frames) == 60
    assert table.x[10] == 10 / FPS
    np.testing.assert_allclose(frames, np.round(frames), atol=1e-12)


def test_the_motion_is_smooth_where_the_artists_curve_is(short_scene):
    """Acceleration jumps at points are far below the acceleration itself."""
    curve = curve_of(crank())
    set_keys(curve, EASE)
    table = table_of()
    inner = np.array(table.x)[1:-1]
    before = np.array([table.second_derivative(t - 1e-9)[0] for t in inner])
    after = np.array([table.second_derivative(t + 1e-9)[0] for t in inner])
    assert np.abs(after - before).max() < 2e-3 * np.abs(after).max()
    speeds = [table.derivative(t - 1e-12)[0] - table.derivative(t + 1e-12)[0] for t in inner]
    assert np.abs(speeds).max() < 1e-8


def test_linear_keys_are_exact(short_scene):
    curve = curve_of(crank())
    set_keys(curve, SIMPLE, interpolation="LINEAR")
    table = table_of()
    assert len(table.x) == 4
    for (xa, ya), (xb, yb) in itertools.pairwise(SIMPLE):
        t = (0.5 * (xa + xb) - 1) / FPS
        assert table.value(t)[0] == pytest.approx(0.5 * (np.float32(ya) + np.float32(yb)), rel=1e-15)
        assert table.derivative(t)[0] == pytest.approx((np.float32(yb) - np.float32(ya)) / (xb - xa) * FPS, rel=1e-6)


EASINGS = ["SINE", "QUAD", "CUBIC", "QUART", "QUINT", "EXPO", "BACK", "BOUNCE", "ELASTIC"]


@pytest.mark.parametrize("easing", ["AUTO", "EASE_IN", "EASE_OUT", "EASE_IN_OUT"])
@pytest.mark.parametrize("kind", EASINGS)
def test_easings_are_followed(short_scene, kind, easing):
    curve = curve_of(crank())
    set_keys(curve, [(3, -0.5), (17, 1.0), (52, 0.3)], interpolation=kind)
    for point in curve.keyframe_points:
        point.easing, point.amplitude, point.period = easing, 0.8, 4.1
    curve.update()
    table = table_of()
    assert worst(table, curve) < {"ELASTIC": 2e-3, "EXPO": 2e-5}.get(kind, 5e-6)
    assert_consistent(table)


def test_circular_easing_is_exact_at_frames(short_scene):
    """Its speed has no bound at one end, so there is no table for what happens in between."""
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0), (31, 1.0), (60, 0.0)], interpolation="CIRC")
    table = table_of()
    for frame in range(1, 61):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(curve.evaluate(frame), abs=1e-6)


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT", "SINE"])
@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
def test_extrapolation_goes_on_as_in_blender(short_scene, interpolation, extrapolation):
    curve = curve_of(crank())
    value = 0.5 if interpolation == "CONSTANT" else 1.0
    set_keys(curve, [(20, 0.5), (40, value)], handle="AUTO", interpolation=interpolation)
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left, point.handle_right = (point.co[0] - 3, 0.2), (point.co[0] + 3, 1.7)
    curve.update()
    curve.extrapolation = extrapolation
    assert worst(table_of(), curve) < CLOSE


@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
def test_a_single_key(short_scene, extrapolation):
    curve = curve_of(crank())
    set_keys(curve, [(20, 0.75, (17, 0.1), (23, 1.0))])
    curve.extrapolation = extrapolation
    assert worst(table_of(), curve) < CLOSE


def test_keys_outside_the_range_and_the_velocity_at_the_last_frame(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(-50, 3.0), (-10, -1.0), (90, 2.0), (140, 0.0)])
    table = table_of()
    assert worst(table, curve) < CLOSE
    t = 59 / FPS
    speed = (curve.evaluate(60.5) - curve.evaluate(59.5)) * FPS
    assert table.derivative(t)[0] == pytest.approx(speed, rel=1e-3)
    assert table.x[0] == 0.0


def test_fractional_frames_and_another_first_frame(short_scene):
    short_scene.frame_start, short_scene.frame_end = 7, 40
    curve = curve_of(crank())
    set_keys(curve, [(2.5, 0.1), (9.3, 1.0), (22.75, -0.6), (38.1, 0.4)])
    table = table_of()
    assert worst(table, curve) < CLOSE
    assert any(np.isclose(table.x, (9.3 - 7) / FPS, atol=1e-7))


def test_a_jump_is_refused_by_name_and_frame(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0), (20, 1.0), (40, 1.0), (50, 2.0)], interpolation="CONSTANT")
    texts = said(extract(), "ERROR")
    assert texts == ["Joint 'Crank' jumps at frame 20; nothing can follow it; use Linear or Bezier keys there"]
    for point in curve.keyframe_points:
        point.co[1] = 0.5
    curve.update()
    assert table_of().value(1.0)[0] == 0.5, "stepped keys that do not change jump nowhere"


def test_keys_that_are_too_close_are_named_with_their_frames(short_scene):
    """Not a jump, as they are not at the same frame; but no step is small enough for it."""
    curve = curve_of(crank())
    set_keys(curve, [(10, 0.0), (20, 1.0), (25, 3.0), (30, 3.5)], interpolation="LINEAR")
    curve.keyframe_points[2].co[0] = 20.00001  # without an update, by which Blender would make it one key
    (text,) = [str(finding) for finding in extract().errors]
    assert text.startswith("Joint 'Crank' moves at ")
    assert "rad/s between frames 20 and 20.0000095;" in text
    assert text.endswith("nothing can follow it; move the keys there apart")
    curve.keyframe_points[2].co[1] = 1.0
    assert not extract().errors


@pytest.mark.parametrize("place", [0, 1])
def test_a_key_that_is_no_number_is_named(short_scene, place):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0), (20, 1.0), (30, 3.0)])
    curve.keyframe_points[1].co[place] = float("nan")
    (text,) = [str(finding) for finding in extract().errors]
    assert text == "Joint 'Crank' has a key that is not a finite number; delete its keys"


@pytest.mark.parametrize("frame", [1e9, 1e30])
def test_a_key_far_out_takes_neither_time_nor_memory(short_scene, frame):
    """Segments are cut at the frames that are simulated, not at all that they have."""
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0), (20, 1.0), (30, 3.0)])
    curve.keyframe_points[2].co[0] = frame
    found = extract()
    (table,) = (joint.animation for joint in found.scene.joints if joint.name == "Crank")
    assert len(table.x) < 1000


def test_jumps_outside_the_range_do_not_matter(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(-20, 0.0), (1, 1.0), (60, 1.0), (80, 4.0)], interpolation="CONSTANT")
    assert table_of().value(0.0)[0] == pytest.approx(1.0)


def test_vertical_tangents_are_refused_by_name_and_frame(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0, (0, 0.0), (61, 0.0)), (31, 1.0, (-29, 1.0), (32, 1.0))])
    (text,) = said(extract(), "ERROR")
    assert text.startswith("Joint 'Crank' moves almost infinitely fast at frame 16;")


def test_handles_of_no_length_point_to_the_next_control_point(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0, (1, 0.0), (1, 0.0)), (60, 1.0, (60, 1.0), (60, 1.0))])
    table = table_of()
    assert worst(table, curve) < 1e-5, "Blender keeps handles a thousandth of a frame away from their keys"
    assert table.derivative(0.0)[0] == pytest.approx(FPS / 59.0), "x(s) and y(s) are alike, so it is a straight line"
    set_keys(curve, [(1, 0.0, (1, 0.0), (1, 0.0)), (60, 1.0, (40, 1.0), (60, 1.0))])
    assert worst(table_of(), curve) < 2e-5
    assert table_of().derivative(0.0)[0] == pytest.approx(FPS / 39.0)


def test_short_handles_that_are_not_level_count(short_scene):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0, (0, 0.0), (1.001, 0.01)), (60, 1.0, (40, 1.0), (61, 1.0))])
    assert worst(table_of(), curve) < CLOSE
    set_keys(curve, [(1, 0.0, (0, 0.0), (1.0, 0.5)), (60, 1.0, (40, 1.0), (61, 1.0))])
    (text,) = said(extract(), "ERROR")
    assert text.startswith("Joint 'Crank' moves almost infinitely fast at frame 1;")


def test_several_coordinates_share_one_table(short_scene):
    obj = crank("planar")
    units = by_hand.extract().scene.joints[-1].dof_units
    assert "m" in units
    short_scene.unit_settings.scale_length = 0.5
    curves = []
    for index, unit in enumerate(units):
        curve = curve_of(obj, f"redmax.joint.coordinate_{'angle' if unit == 'rad' else 'distance'}_{index + 1}")
        set_keys(curve, [(frame + 2.3 * index, value * (index + 1)) for frame, value in SIMPLE])
        curves.append(curve)
    table = table_of()
    for index, (curve, unit) in enumerate(zip(curves, units, strict=True)):
        assert worst(table, curve, column=index, factor=0.5 if unit == "m" else 1.0) < CLOSE
    assert_consistent(table)


def test_a_coordinate_without_keys_stands_beside_one_with(short_scene):
    obj = crank("universal")
    obj.redmax.joint.coordinate_angle_2 = 0.3
    set_keys(curve_of(obj, PATH, 0), SIMPLE)
    table = table_of()
    assert np.shape(table.y)[1] == 2
    assert table.value(1.0)[1] == pytest.approx(0.3, rel=1e-6)
    assert table.derivative(1.0)[1] == 0.0


def test_a_simulated_joint_starts_at_its_keyed_coordinate(short_scene):
    obj = crank()
    obj.redmax.joint.motion_type = "simulated"
    curve = curve_of(obj)
    set_keys(curve, [(-10, 0.0), (30, 2.0)])
    short_scene.frame_set(33)
    made = extract().scene.joints[-1]
    assert made.animation is None
    assert made.q[0] == pytest.approx(curve.evaluate(1), rel=1e-6)


def test_keys_count_and_not_a_value_that_was_never_keyed(short_scene):
    obj = crank()
    obj.redmax.joint.motion_type = "simulated"
    set_keys(curve_of(obj), [(1, 0.25), (30, 2.0)])
    short_scene.frame_set(1)
    obj.redmax.joint.coordinate_angle_1 = 5.0
    assert extract().scene.joints[-1].q[0] == 0.25


def test_animated_without_keys_stands_at_its_coordinate(short_scene):
    obj = crank()
    obj.redmax.joint.coordinate_angle_1 = 0.4
    extraction = extract()
    (finding,) = extraction.findings
    assert finding.severity == "WARNING"
    assert finding.text == "'Crank' is Animated but has no keyframes; it will stand still"
    table = extraction.scene.joints[-1].animation
    assert table.value(3.0)[0] == pytest.approx(0.4)
    assert table.derivative(1.0)[0] == 0.0
    from redmax.compile import compile as compile_scene

    compile_scene(extraction.scene)


def test_muted_keys_count_as_none(short_scene):
    obj = crank()
    curve = curve_of(obj)
    set_keys(curve, SIMPLE)
    curve.mute = True
    assert any("has no keyframes" in text for text in said(extract(), "WARNING"))


@pytest.mark.parametrize("kind", ["CYCLES", "NOISE", "GENERATOR"])
def test_curve_modifiers_are_followed_at_every_frame(short_scene, kind):
    curve = curve_of(crank())
    set_keys(curve, [(1, 0.0), (10, 1.0), (20, 0.0)])
    modifier = curve.modifiers.new(kind)
    if kind == "GENERATOR":
        modifier.use_additive = True
        modifier.coefficients = (0.0, 0.1)
    table = table_of()
    for frame in range(1, 61):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(curve.evaluate(frame), abs=1e-6)
    assert_consistent(table)
    modifier.mute = True
    assert worst(table_of(), curve) < CLOSE


def test_curves_baked_to_samples_are_followed(short_scene):
    curve = curve_of(crank())
    set_keys(curve, SIMPLE)
    values = [curve.evaluate(frame) for frame in range(1, 61)]
    curve.convert_to_samples(1, 61)
    table = table_of()
    for frame, value in zip(range(1, 61), values, strict=True):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(value, abs=1e-6)


def test_drivers_are_followed_at_every_frame(short_scene):
    obj = crank()
    obj.driver_add(PATH).driver.expression = "frame * frame * 0.001"
    short_scene.frame_set(17)
    table = table_of()
    assert short_scene.frame_current == 17
    for frame in (1, 2, 30, 60):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(frame**2 * 0.001, rel=1e-6)
    assert table.derivative(29 / FPS)[0] == pytest.approx(2 * 30 * 0.001 * FPS, rel=1e-4)


def test_the_nla_is_followed_at_every_frame(short_scene):
    obj = crank()
    curve = curve_of(obj)
    set_keys(curve, [(1, 0.0), (60, 2.0)])
    expected = [curve.evaluate(frame) for frame in range(1, 61)]
    data = obj.animation_data
    action, slot = data.action, data.action_slot
    data.action = None
    strip = data.nla_tracks.new().strips.new("Turn", 1, action)
    strip.action_slot = slot
    table = table_of()
    for frame, value in zip(range(1, 61), expected, strict=True):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(value, abs=1e-5)


def test_keyed_torque_is_a_table_added_to_nothing(short_scene):
    obj = crank("universal")
    obj.redmax.joint.motion_type = "simulated"
    obj.redmax.joint.torque_1, obj.redmax.joint.torque_2 = 9.0, 4.0
    curve = curve_of(obj, "redmax.joint.torque_1")
    set_keys(curve, SIMPLE)
    made = extract().scene.joints[-1]
    assert made.torque == (0.0, 0.0)
    assert worst(made.torque_table, curve) < CLOSE
    assert made.torque_table.value(1.0)[1] == pytest.approx(4.0)


def test_a_keyed_torque_may_jump(short_scene):
    obj = crank()
    obj.redmax.joint.motion_type = "simulated"
    curve = curve_of(obj, "redmax.joint.torque_1")
    set_keys(curve, [(1, 0.0), (20, 5.0), (40, -3.0)], interpolation="CONSTANT")
    extraction = extract()
    assert not extraction.errors
    table = extraction.scene.joints[-1].torque_table
    for frame, value in ((19.9, 0.0), (20.0, 5.0), (39.9, 5.0), (40.0, -3.0), (60.0, -3.0)):
        assert table.value((frame - 1) / FPS)[0] == pytest.approx(value)
    from redmax.compile import compile as compile_scene

    compile_scene(extraction.scene)


def test_the_engine_follows_the_keys(short_scene):
    """Through compile: the first sample of an animated joint has the keyed coordinate and speed."""
    from redmax.compile import compile as compile_scene
    from redmax.dynamics.animation import prescribed_motion

    curve = curve_of(crank())
    set_keys(curve, SIMPLE)
    model = compile_scene(extract().scene)
    for frame in (1, 13.5, 44):
        q, _, _ = prescribed_motion(model, (frame - 1) / FPS)
        assert q[-1] == pytest.approx(curve.evaluate(frame), abs=CLOSE * 2)


def test_a_thousand_keys_are_followed(short_scene):
    curve = curve_of(crank())
    rng = np.random.default_rng(0)
    short_scene.frame_end = 1000
    set_keys(curve, [(frame, value) for frame, value in enumerate(rng.normal(size=1000), start=1)])
    assert worst(table_of(), curve) < 2 * CLOSE
