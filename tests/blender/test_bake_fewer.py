# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: far fewer than frames, and never further off than asked, between frames too, in Blender's own scene."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from bake_cases import MODES, baking, double_pendulum, extracted, parent_to, simulated, thrown
from linkages import LINKAGES, chain, closed_form, largest_errors, worst

from redmax.integrators import INTEGRATORS
from redmax_blender import compat
from redmax_blender.bridge.bake import bake_options, key_curves
from redmax_blender.bridge.core import bezier_segments, fewer_keys
from redmax_blender.bridge.core.findings import Finding
from redmax_blender.bridge.run import simulation

SUBFRAMES = 10
SINGULAR = ("AXIS_ANGLE", "XYZ", "ZYX")
BOUND = {"distance": 0.1, "angle": math.radians(0.05)}


def bake(extraction, result, **options):
    return baking.bake(bpy.context.scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(**options))


def keys_of(names):
    curves = [curve for name in names for curve in compat.fcurves_of(bpy.data.objects[name])]
    return sum(len(curve.keyframe_points) for curve in curves)


# --- the bound -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["XYZ", pytest.param("QUATERNION", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "kind", ["four-bar", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("chain", "slider-crank"))]
)
def test_a_tenth_of_the_keys_stays_within_a_tenth_of_a_millimetre(kind, mode):
    """In the evaluated scene, ten times in each frame: a chain against the solver's own samples, linkages that a crank
    drives against plane geometry."""
    names = LINKAGES[kind](mode=mode)
    extraction = extracted()
    result = simulated(extraction) if kind == "chain" else simulation.run(extraction, INTEGRATORS["rk4"](h=1.0 / 24.0))
    report = bake(extraction, result, keys="FEWER", **BOUND)
    assert report.keys == keys_of(names)
    assert report.keys_every == 240 * len(names) * (7 if mode == "QUATERNION" else 6)
    assert report.keys_every >= 10 * report.keys, str(report)
    if kind == "chain":
        distance, angle = worst(extraction, simulated(extraction, per_frame=SUBFRAMES), names, SUBFRAMES)
    else:
        count = SUBFRAMES * 239 + 1
        distance, angle = largest_errors(lambda i: closed_form(kind, i / (count - 1)), count, SUBFRAMES)
    print(f"{kind} {mode}: {report}; in the scene {distance:.4f} mm, {angle:.4f} degrees")
    assert distance <= 0.1
    assert angle <= 0.05
    assert 1e3 * report.distance == pytest.approx(distance, abs=2e-3), "what is reported is what there is"
    assert math.degrees(report.angle) == pytest.approx(angle, abs=2e-4)


def test_a_short_chain_stays_within_the_bound():
    """The chain above with three links and for two seconds, in a fraction of the time."""
    names = chain(mode="QUATERNION", links=3, count=48)
    extraction = extracted()
    report = bake(extraction, simulated(extraction), keys="FEWER", **BOUND)
    assert report.keys_every >= 7 * report.keys, str(report)
    distance, angle = worst(extraction, simulated(extraction, per_frame=SUBFRAMES), names, SUBFRAMES)
    assert distance <= 0.1
    assert angle <= 0.05
    assert 1e3 * report.distance == pytest.approx(distance, abs=2e-3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("parented", [False, True])
def test_the_bound_is_kept_in_every_rotation_mode_and_under_parents(mode, parented):
    double_pendulum(mode, parented=parented, frames=40)
    extraction = extracted()
    result, truth = simulated(extraction), simulated(extraction, per_frame=SUBFRAMES)
    report = bake(extraction, result, keys="FEWER", distance=1.0, angle=math.radians(0.2))
    distance, angle = worst(extraction, truth, ["Upper", "Lower"], SUBFRAMES)
    assert 1e3 * report.distance == pytest.approx(distance, rel=0.02, abs=5e-3)
    if mode in SINGULAR:  # this motion meets the singularity of these modes, and there no curve can follow
        assert distance <= 1.0 or any("more than you allow" in note.text for note in report.notes)
        return
    assert distance <= 1.0
    assert angle <= 0.2
    assert not report.notes
    assert report.keys < report.keys_every / 2


def test_scales_deltas_and_parents_are_within_the_bound():
    upper, lower = double_pendulum("ZXY", frames=40)
    upper.scale, upper.delta_location = (2.0, 2.0, 2.0), (0.1, 0.2, 0.3)
    upper.rotation_euler, upper.delta_rotation_euler = (0.4, 0.5, 0.6), (0.2, -0.1, 0.7)
    lower.scale = (1.0, -2.0, 0.5)
    parent_to(lower, upper)
    extraction = extracted()
    bake(extraction, simulated(extraction), keys="FEWER", distance=1.0, angle=math.radians(0.2))
    distance, angle = worst(extraction, simulated(extraction, per_frame=SUBFRAMES), ["Upper", "Lower"], SUBFRAMES)
    assert distance <= 1.0
    assert angle <= 0.2


def test_a_wider_bound_needs_fewer_keys(scene):
    double_pendulum("QUATERNION")
    extraction = extracted()
    result = simulated(extraction)
    keys = [bake(extraction, result, keys="FEWER", distance=mm, angle=1.0).keys for mm in (0.1, 1.0, 10.0)]
    assert keys[0] > keys[1] > keys[2]


def test_straight_lines_keep_to_the_bound_too():
    double_pendulum("QUATERNION")
    extraction = extracted()
    result, truth = simulated(extraction), simulated(extraction, per_frame=SUBFRAMES)
    report = bake(extraction, result, keys="FEWER", tangents="LINEAR", distance=30.0, angle=math.radians(3.0))
    distance, angle = worst(extraction, truth, ["Upper", "Lower"], SUBFRAMES)
    assert distance <= 30.0
    assert angle <= 3.0
    assert report.keys < report.keys_every
    points = compat.fcurves_of(bpy.data.objects["Upper"])[0].keyframe_points
    assert {point.interpolation for point in points} == {"LINEAR"}


def test_what_cannot_be_kept_is_said_by_name(scene):
    """Straight lines cannot follow a swing to a micrometre."""
    double_pendulum()
    extraction = extracted()
    report = bake(extraction, simulated(extraction), keys="FEWER", tangents="LINEAR", distance=1e-3)
    assert {note.element for note in report.notes} == {"Upper", "Lower"}
    assert "more than you allow" in str(report)
    assert report.distance > 1e-6


def test_what_stands_still_in_a_channel_is_one_key(scene):
    scene.frame_end = 24
    thrown(spin=(0.0, 0.0, 0.0))
    extraction = extracted()
    report = bake(extraction, simulated(extraction), keys="FEWER")
    counts = {(c.data_path, c.array_index): len(c.keyframe_points) for c in compat.fcurves_of(bpy.data.objects["Body"])}
    assert all(counts["rotation_euler", axis] == 1 for axis in range(3))
    assert all(counts["location", axis] == 2 for axis in range(3)), "a parabola is one Bezier segment"
    assert report.keys == 9
    assert "9 keys (144 every-frame)" in str(report)


def test_keys_have_the_exact_values_and_velocities(scene):
    double_pendulum("QUATERNION")
    extraction = extracted()
    result = simulated(extraction)
    bake(extraction, result, keys="FEWER")
    few = {
        (c.data_path, c.array_index): key_curves.read(c, (1, 30)) for c in compat.fcurves_of(bpy.data.objects["Lower"])
    }
    bake(extraction, result)
    for curve in compat.fcurves_of(bpy.data.objects["Lower"]):
        every, own = key_curves.read(curve, (1, 30)), few[curve.data_path, curve.array_index]
        at = np.rint(own.co[:, 0]).astype(int) - 1
        np.testing.assert_allclose(own.co, every.co[at], atol=1e-6)
        if len(own.co) > 1:
            slope = [(each.right - each.co)[:, 1] / (each.right - each.co)[:, 0] for each in (own, every)]
            np.testing.assert_allclose(slope[0], slope[1][at], atol=2e-5)


# --- every N ---------------------------------------------------------------------------------


def test_every_n_writes_these_frames_and_the_last(scene):
    double_pendulum()
    extraction = extracted()
    report = bake(extraction, simulated(extraction), keys="EVERY_N", every=4)
    x = key_curves.read(compat.fcurves_of(bpy.data.objects["Upper"])[0], (1, 30)).co[:, 0]
    assert x.tolist() == [1, 5, 9, 13, 17, 21, 25, 29, 30]
    assert report.keys == 9 * 12
    distance, _ = worst(extraction, simulated(extraction, per_frame=SUBFRAMES), ["Upper", "Lower"], SUBFRAMES)
    assert 1e3 * report.distance == pytest.approx(distance, rel=0.02)


# --- what is said ----------------------------------------------------------------------------


def test_what_is_said_of_many_objects_is_said_once():
    def note(name, text="turns too fast", code="fast"):
        return Finding(name, f"'{name}' {text}", "use more frames", "WARNING", code=code)

    alone = note("Arm", "is off by 3e-05 mm", "off"), note("Leg", "is off by 0.01 mm", "off"), note("Head", "x", "")
    notes = (*(note(f"Link {k}") for k in range(100)), *alone)
    report = bake_options.BakeReport(1, 10, 100, 5, 5, None, None, notes=notes)
    assert str(report) == (
        "Baked 10 frames, 100 objects, 5 keys; 'Link 0' turns too fast; use more frames (and 99 others); "
        "'Arm' is off by 3e-05 mm; use more frames (and 1 other); 'Head' x; use more frames"
    )


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "0"), (0.0911, "0.092"), (0.05, "0.05"), (1.0, "1"), (12.1, "13"), (3.2e-7, "3.2e-07")]
)
def test_errors_are_rounded_up(number, text):
    assert bake_options.shown(number) == text


# --- Blender's rule --------------------------------------------------------------------------


def test_curves_are_evaluated_as_blender_does(scene):
    rng = np.random.default_rng(7)
    owner = bpy.data.objects.new("Owner", None)
    scene.collection.objects.link(owner)
    curve = compat.ensure_fcurves(owner).new("location", 0)
    x = np.cumsum(rng.integers(1, 12, 20)).astype(float)
    co = np.stack([x, rng.normal(size=20)], axis=1).astype(np.float32)
    left, right = co.copy(), co.copy()
    left[:, 0] -= rng.uniform(0.1, 14.0, 20)  # some longer than their segments, which Blender shortens
    right[:, 0] += rng.uniform(0.1, 14.0, 20)
    left[:, 1] += rng.normal(size=20)
    right[:, 1] += rng.normal(size=20)
    for linear in (False, True):
        keys = key_curves.Curve("location", 0, co, left, right, linear)
        curve.keyframe_points.clear()
        keys.fill(curve)
        for point in curve.keyframe_points:
            point.handle_left_type = point.handle_right_type = "FREE"
        for name, numbers in (("handle_left", left), ("handle_right", right)):
            curve.keyframe_points.foreach_set(name, numbers.ravel())
        times = np.linspace(x[0] - 3.0, x[-1] + 3.0, 700)
        found = np.array([curve.evaluate(float(t)) for t in times])
        np.testing.assert_allclose(keys.evaluate(times), found, atol=2e-4)


def test_handles_of_the_best_length_follow_far_closer_than_even_ones():
    tau = np.linspace(0.0, 1.0, 42)[None, 1:-1]
    off = []
    for angle in (0.8, 0.4):
        wanted = np.sin(0.9 + angle * tau)
        ends = bezier_segments.Ends(
            *(
                np.array([f])
                for f in (np.sin(0.9), np.sin(0.9 + angle), angle * np.cos(0.9), angle * np.cos(0.9 + angle))
            )
        )
        off.append(np.abs(bezier_segments.fit(tau, wanted, ends, np.array([1e-9]))[2]).max())
        assert off[-1] < angle**4 / 384 / 50, "a cubic of values and slopes alone would be off by fifty times more"
    assert off[0] > 10.0 * off[1]


def test_curves_of_different_need_get_keys_of_their_own():
    t = np.arange(10 * 239 + 1) / 10.0
    speeds = 2.0 * np.pi / np.array([[24.0], [96.0]])
    values, slopes = np.sin(speeds * t), speeds * np.cos(speeds * t[::10])
    quick, slow = fewer_keys.fit(values, np.stack([slopes, slopes]), np.full(2, 1e-4), 10, linear=False)
    assert len(quick.frames) > 3 * len(slow.frames)
    assert len(slow.frames) <= 12, "about four keys a period"
    for fitted in (quick, slow):
        assert fitted.frames[0] == 0
        assert fitted.frames[-1] == 239
        assert (np.diff(fitted.frames) > 0).all()
