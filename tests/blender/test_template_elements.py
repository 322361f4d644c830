# SPDX-License-Identifier: GPL-3.0-or-later
"""What templates with springs, cables, muscles and drives are known for, as they move in Blender."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from test_templates import BY_NAME, extraction, pose_of, simulated

from redmax_blender.bridge.run import simulation
from redmax_blender.properties.scene import integrator_of
from redmax_blender.templates import drawbridge, excavator


def path_of(result, name):
    """Places (f, 3) of a body's frame."""
    return result.position[:, result.body_names.index(name)]


def books_balance(result, part=1e-4):
    """Energy is what it was, with the work put in and without what was lost."""
    channels = result.channels
    change = channels["energy"] - channels["energy"][0]
    moved = np.abs(channels["work"]).max() + np.abs(channels["loss"]).max() + np.ptp(channels["potential"])
    error = np.abs(change - (channels["work"] - channels["work"][0]) + (channels["loss"] - channels["loss"][0]))
    assert error.max() <= part * moved


def at_standard(frames):
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + frames
    scene.redmax.accuracy = "STANDARD"
    result = simulation.run(extraction(), integrator_of(scene))
    assert result.status == "complete"
    return result


def test_a_wheel_stands_on_its_spring_rides_over_the_bump_and_settles():
    BY_NAME["suspension"].build(bpy.context, bump=0.07, bump_time=0.3)
    result = at_standard(72)
    wheel, body = path_of(result, "Suspension Wheel")[:, 2], path_of(result, "Suspension Chassis")[:, 2]
    # Half a second before the bump: the strut carries what stands on it. Masses of tubes are taken as in their middle.
    assert np.abs(wheel[:12] - wheel[0]).max() < 1e-3
    assert np.abs(body[:12] - body[0]).max() < 1e-3
    assert 0.05 < wheel.max() - wheel[0] < 0.12
    assert abs(body[-1] - body[0]) < 5e-3
    assert abs(wheel[-1] - wheel[0]) < 2e-3
    # It hardly steers: across the car the axle stays within half a degree.
    axes = [pose_of(result, "Suspension Upright", k)[:3, 1] for k in range(len(result.t))]
    assert np.degrees(np.arcsin(np.abs(np.array(axes)[:, 0]))).max() < 0.5
    books_balance(result)


def test_a_body_on_its_spring_bounces_at_the_frequency_that_was_asked_for():
    BY_NAME["suspension"].build(bpy.context, bump=0.01, bump_time=0.1, ride=2.0, damper=0.0)
    result = simulated(60)
    body = path_of(result, "Suspension Chassis")[24:, 2]
    crossings = np.flatnonzero(np.diff(np.sign(body - body.mean())) > 0)
    bounced = (len(crossings) - 1) * 24.0 / (crossings[-1] - crossings[0])
    # The tyre in series makes it softer: sqrt(9 / 10); the wheel's own mass and the arms move along.
    assert bounced == pytest.approx(2.0 * math.sqrt(0.9), rel=0.08)


def test_an_excavator_digs_swings_round_and_comes_back():
    BY_NAME["excavator"].build(bpy.context, slew=1.0, duration=3.0)
    result = simulated(72)
    assert result.status == "complete"
    bucket = path_of(result, "Excavator Bucket")
    assert np.hypot(bucket[:, 0], bucket[:, 1]).max() > np.hypot(bucket[0, 0], bucket[0, 1]) + 0.8  # it reaches out
    assert bucket[:, 2].min() < 0.6 * bucket[0, 2]  # and down
    turned = max(math.atan2(place[1], place[0]) for place in bucket)
    assert turned == pytest.approx(1.0, abs=0.02)
    assert np.abs(bucket[-1] - bucket[0]).max() < 1e-4
    assert np.abs(result.channels["gap"]).max() < 1e-3


def test_rods_of_an_excavator_stay_in_their_barrels():
    for reach in (0.0, 0.7, 1.0):
        for name in excavator.CYLINDERS:
            lengths = [pose.lengths()[name] for _part, pose, _turned in excavator._cycle(reach)]
            assert max(lengths) < 2.0 * min(lengths) - 0.1, (reach, name)


def test_a_winch_lifts_the_deck_by_its_cables_which_are_never_slack():
    BY_NAME["drawbridge"].build(bpy.context, opening=math.radians(60.0), duration=3.0)
    result = at_standard(100)
    raised = [
        math.degrees(math.atan2(E[2, 0], E[0, 0])) for E in (pose_of(result, "Drawbridge Deck", k) for k in range(101))
    ]
    assert abs(raised[0]) < 1e-3
    assert raised[78] == pytest.approx(60.0, abs=1.0)  # the cables are a little longer or shorter under their load
    # It hangs level at the start: nothing moves before the winch does.
    assert abs(raised[1]) < 0.05
    # The rack lets the drum haul as much as the cables must be shorter for that.
    hauled = 6.0 * (drawbridge._lead(0.0) - drawbridge._lead(math.radians(60.0)))
    assert np.ptp(path_of(result, "Drawbridge Weight")[:, 2]) == pytest.approx(hauled, rel=1e-5)
    books_balance(result)


@pytest.mark.slow  # minutes without compiled code
def test_a_finger_curls_when_its_muscle_is_activated_and_stretches_again():
    BY_NAME["muscle_finger"].build(bpy.context, duration=2.0)
    result = simulated(60)
    assert result.status == "complete"
    tip = [pose_of(result, "Finger Far Bone", k) for k in range(61)]
    angle = np.array([math.degrees(math.atan2(E[0, 2], E[2, 2])) for E in tip])
    whole = np.degrees(np.unwrap(np.radians(angle)))
    assert whole.max() > 120.0
    assert abs(whole[-1]) < 25.0
    assert abs(whole[:2]).max() < 2.0


def test_a_finger_without_activation_stands_still():
    BY_NAME["muscle_finger"].build(bpy.context, curl=0.0)
    result = simulated(24)
    tip = path_of(result, "Finger Far Bone")
    assert np.abs(tip - tip[0]).max() < 0.01


@pytest.mark.slow  # minutes without compiled code
def test_a_marionette_hangs_on_its_strings_and_lifts_its_hands_in_turn():
    BY_NAME["marionette"].build(bpy.context, steps=0)
    still = simulated(24)
    assert np.abs(path_of(still, "Marionette Torso") - path_of(still, "Marionette Torso")[0]).max() < 0.02
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    BY_NAME["marionette"].build(bpy.context, steps=2, duration=2.0)
    result = simulated(48)
    assert result.status == "complete"
    left, right = (path_of(result, f"Marionette {side} Forearm")[:, 2] for side in ("Left", "Right"))
    assert right[12] - left[12] > 0.03  # a negative angle of the cross lowers its left
    assert left[36] - right[36] > 0.03


def test_strings_only_pull():
    BY_NAME["marionette"].build(bpy.context, steps=0)
    forces = extraction().scene.forces
    assert len(forces) == 8
    assert {force.kind for force in forces} == {"cable"}


@pytest.mark.parametrize("stages", [1, 4])
def test_one_slider_moves_the_whole_lift_and_its_shoes_stay_on_their_rails(stages):
    BY_NAME["driven_lift"].build(bpy.context, stages=stages, arm=1.2, raised=0.9, duration=1.0)
    result = simulated(24)
    rise = path_of(result, "Lift Platform")[:, 2]
    start = math.radians(10.0)
    assert rise[-1] - rise[0] == pytest.approx(stages * 1.2 * (math.sin(0.9) - math.sin(start)), rel=1e-6)
    assert np.ptp(path_of(result, "Lift Foot")[:, 2]) < 1e-6
    for name in ("Lift Platform", "Lift Foot", "Lift Shoe"):
        assert np.abs(pose_of(result, name, -1)[:3, :3] - pose_of(result, name, 0)[:3, :3]).max() < 1e-6
    (mechanism,) = extraction().mechanisms
    assert mechanism.loops == 0
