# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors in Blender: tick box and rows, keyed targets, results, and what is said of one that stalls."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from bake_cases import box, hinge, run_and_bake
from by_hand import body, extract, joint, said
from recording_layout import RecordingLayout

from redmax import io
from redmax.integrators.automatic import Automatic
from redmax_blender import compat
from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.run import simulation

FPS = 24.0


@pytest.fixture
def arm(scene):
    """A level bar on a hinge; positive turns lower it."""
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 1, 30, 24, 1.0
    bar = box("Bar", (0.5, 0.0, 0.0), size=(0.5, 0.05, 0.05))
    return hinge("Crank", None, bar, (0.0, 0.0, 0.0))


def motor_of(obj):
    extraction = extract()
    assert not extraction.errors, said(extraction)
    return next(each for each in extraction.scene.joints if each.name == obj.name).motor


def keyed(obj, path, keys, interpolation="BEZIER"):
    curve = compat.ensure_fcurves(obj).ensure(f"redmax.joint.{path}", 0)
    for frame, value in keys:
        curve.keyframe_points.insert(frame, value).interpolation = interpolation
    curve.update()
    return curve


def test_a_tick_box_makes_a_motor_that_turns_the_joint(arm):
    assert motor_of(arm) is None
    arm.redmax.joint.use_motor = True
    motor = motor_of(arm)
    assert motor.control == "speed"
    assert motor.target_speed == pytest.approx((math.pi,))
    assert (motor.speed_gain, motor.maximum, motor.target_table) == ((10.0,), (100.0,), None)
    arm.redmax.joint.use_motor_maximum = False
    assert motor_of(arm).maximum is None


def test_a_target_that_was_set_stays(arm):
    arm.redmax.joint.motor_target_speed_angle_1 = -1.5
    arm.redmax.joint.use_motor = True
    assert motor_of(arm).target_speed == (-1.5,)


def test_targets_and_gains_of_a_position_motor_are_in_metres(scene):
    scene.unit_settings.scale_length = 0.01
    slider = joint("Slide", body("Base", root="LOCKED"), body("Block"), "prismatic")
    settings = slider.redmax.joint
    settings.use_motor, settings.motor_control = True, "position"
    settings.motor_target_position_distance_1 = 50.0
    settings.motor_position_gain[0], settings.motor_speed_gain[0], settings.motor_maximum[0] = 7.0, 3.0, 2.0
    motor = motor_of(slider)
    assert motor.target_position == pytest.approx((0.5,))
    assert (motor.position_gain, motor.speed_gain, motor.maximum) == ((7.0,), (3.0,), (2.0,))


@pytest.mark.parametrize("control", ["speed", "position"])
def test_a_keyed_target_is_followed(arm, control):
    settings = arm.redmax.joint
    settings.use_motor, settings.motor_control = True, control
    curve = keyed(arm, f"motor_target_{control}_angle_1", [(1, 0.0), (12, 1.5), (30, -0.5)])
    motor = motor_of(arm)
    frames = np.linspace(1.0, 30.0, 60)
    ours = [motor.target_table.value((frame - 1.0) / FPS)[0] for frame in frames]
    np.testing.assert_allclose(ours, [curve.evaluate(frame) for frame in frames], atol=1e-5)
    assert getattr(motor, f"target_{control}") == (0.0,)
    other = "position" if control == "speed" else "speed"
    settings.motor_control = other
    assert motor_of(arm).target_table is None, "keys of the other target do nothing"


def test_a_driven_target_is_sampled(arm):
    arm.redmax.joint.use_motor = True
    arm.redmax.joint.driver_add("motor_target_speed_angle_1").driver.expression = "0.1 * frame"
    table = motor_of(arm).target_table
    assert table.value(11.0 / FPS)[0] == pytest.approx(1.2, rel=1e-5)


def test_constant_keys_are_steps_whose_rate_does_not_throw_a_position_motor(arm):
    settings = arm.redmax.joint
    settings.use_motor, settings.motor_control, settings.use_motor_maximum = True, "position", False
    keyed(arm, "motor_target_position_angle_1", [(1, 0.0), (10, 1.0), (20, -0.5)], "CONSTANT")
    table = motor_of(arm).target_table
    assert table.interpolation == "step"
    for frame, value in ((1, 0.0), (9.9, 0.0), (10.1, 1.0), (19.9, 1.0), (20.1, -0.5), (30, -0.5)):
        assert table.value((frame - 1.0) / FPS)[0] == pytest.approx(value)
        assert table.derivative((frame - 1.0) / FPS)[0] == 0.0


@pytest.mark.parametrize("motion", ["animated", "locked"])
def test_only_a_simulated_joint_has_its_motor(arm, motion):
    arm.redmax.joint.use_motor = True
    arm.redmax.joint.motion_type = motion
    assert motor_of(arm) is None


def test_a_ball_has_a_number_for_each_coordinate_and_json_has_them(scene):
    ball = joint("Ball", body("Base", root="LOCKED"), body("Head", at=(0.0, 0.0, -1.0)), "spherical")
    settings = ball.redmax.joint
    settings.use_motor, settings.motor_control = True, "position"
    settings.motor_target_position_angle_2 = 0.4
    settings.motor_position_gain[2] = 5.0
    motor = motor_of(ball)
    assert motor.target_position == pytest.approx((0.0, 0.4, 0.0))
    assert motor.position_gain == (100.0, 100.0, 5.0)
    again = io.loads(io.dumps(extract().scene))
    assert next(each for each in again.joints if each.name == "Ball").motor == motor


def test_a_motor_without_gain_is_named_in_words_of_the_panel(arm):
    arm.redmax.joint.use_motor = True
    arm.redmax.joint.motor_speed_gain[0] = 0.0
    (error,) = [finding for finding in extract().findings if finding.severity == "ERROR"]
    assert error.element == "Crank"
    assert str(error).startswith("Joint 'Crank', motor: Speed Gain is 0, so that the motor never pushes; give a number")


def test_the_panel_shows_what_the_control_uses(arm):
    settings = arm.redmax.joint
    settings.use_motor = True
    bpy.context.view_layer.objects.active = arm
    panel = bpy.types.REDMAX_PT_joint_motor

    def drawn():
        class Shown:
            layout = RecordingLayout()

        panel.draw(Shown, bpy.context)
        return [call.arguments["property"] for call in Shown.layout.calls if call.what == "prop"]

    assert panel.poll(bpy.context)
    speed = ["motor_control", "motor_target_speed_angle_1", "motor_speed_gain", "use_motor_maximum", "motor_maximum"]
    assert drawn() == speed
    settings.motor_control = "position"
    assert "motor_target_position_angle_1" in drawn()
    assert "motor_position_gain" in drawn()
    settings.motion_type = "animated"
    assert not panel.poll(bpy.context)


def test_what_the_motor_did_is_baked(arm, scene):
    arm.redmax.joint.use_motor = True
    _, result, _ = run_and_bake(torque=True)
    scene.frame_set(7)
    np.testing.assert_allclose(arm["redmax_motor"][0], result.channels["motor"][6, 0], rtol=1e-6)
    np.testing.assert_allclose(arm["redmax_motor_power"][0], result.channels["motor_power"][6, 0], rtol=1e-6)
    assert result.channels["motor"][6, 0] != 0.0


def test_a_stall_is_said_with_a_way_to_its_frame_and_a_stronger_motor(arm, scene):
    settings = arm.redmax.joint
    settings.use_motor, settings.motor_control = True, "position"
    settings.motor_target_position_angle_1, settings.motor_position_gain[0] = -0.5, 2000.0
    settings.motor_speed_gain[0], settings.motor_maximum[0] = 200.0, 20.0
    extraction = extract()
    integrator = Automatic()
    result = simulation.run(extraction, integrator)
    simulation.store_result(scene, extraction, integrator, result, 0.0)
    weight = 10.0 * 9.81 * 0.5
    facts = scene.redmax.result
    assert facts.remark.startswith("Motor of 'Crank' stalls at frame 1: ")
    assert facts.remark.endswith(" N m of 20")
    assert facts.stalled_torque == pytest.approx(weight, rel=0.05)
    (finding,) = (each for each in result_findings.result_findings(scene) if each.text == facts.remark)
    assert finding.fixes == ("GO_TO_STALL", "RAISE_MOTOR")
    scene.frame_set(9)
    assert fixes.apply(bpy.context, "GO_TO_STALL", "") == "The motor of 'Crank' stalls at frame 1"
    assert scene.frame_current == 1
    fixes.apply(bpy.context, "RAISE_MOTOR", "")
    assert settings.motor_maximum[0] == pytest.approx(1.5 * weight, rel=0.06)
    again = extract()
    strong = simulation.run(again, integrator)
    simulation.store_result(scene, again, integrator, strong, 0.0)
    assert facts.remark == ""
    assert facts.stalled == ""
