# SPDX-License-Identifier: GPL-3.0-or-later
"""Torques, reactions and energies as animated custom properties: right values, usable, and taken away with the bake."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import baking, box, double_pendulum, extracted, hinge, run_and_bake, simulated, thrown
from linkages import four_bar

from redmax.integrators import INTEGRATORS
from redmax_blender import compat
from redmax_blender.bridge.core.findings import BridgeError
from redmax_blender.bridge.results import result_channels
from redmax_blender.bridge.run import simulation


def numbers(owner, name):
    value = owner[name]
    return np.array(value) if hasattr(value, "__len__") else np.array([value])


def test_torque_and_reaction_equal_the_trajectory(scene):
    upper, _ = double_pendulum()
    tail = box("Tail", (0.7, 0.0, -3.0))
    hinge("Ball", bpy.data.objects["Lower"], tail, (0.7, 0.0, -2.4), kind="spherical").redmax.joint.damping = [0.3] * 6
    bpy.data.objects["Elbow"].redmax.joint.damping[0] = 0.5
    _, result, report = run_and_bake(torque=True, reaction=True)
    columns = {"Shoulder": [0], "Elbow": [1], "Ball": [2, 3, 4]}
    assert report.objects == 6
    for sample in (0, 7, 29):
        scene.frame_set(1 + sample)
        for name, which in columns.items():
            joint = bpy.data.objects[name]
            index = result.joint_names.index(name)
            torque, reaction = result.channels["torque"][sample, which], result.channels["reaction"][sample, index]
            size = np.abs(reaction).max()
            np.testing.assert_allclose(numbers(joint, "redmax_torque"), torque, atol=1e-6 * size)
            np.testing.assert_allclose(numbers(joint, "redmax_reaction"), reaction, atol=1e-6 * size)
    assert np.abs(result.channels["torque"]).max() > 0.1
    assert "redmax_torque" not in upper


def test_motor_is_written_for_joints_that_follow_a_motion(scene):
    double_pendulum()
    shoulder = bpy.data.objects["Shoulder"]
    shoulder.redmax.joint.motion_type = "animated"
    curve = compat.ensure_fcurves(shoulder).new("redmax.joint.coordinate_angle_1")
    curve.keyframe_points.insert(1, 0.0)
    curve.keyframe_points.insert(30, 1.0)
    _, result, _ = run_and_bake(torque=True)
    assert "redmax_motor" not in bpy.data.objects["Elbow"]
    scene.frame_set(12)
    column = 0 if result.joint_names[0] == "Shoulder" else 1
    motor = result.channels["motor"][11, column]
    assert abs(motor) > 1.0
    assert numbers(shoulder, "redmax_motor")[0] == pytest.approx(motor, rel=1e-6)


def results_strip(owner):
    """The one strip of the results' track."""
    (track,) = (track for track in owner.animation_data.nla_tracks if track.name == "RedMax Results")
    (strip,) = track.strips
    assert not any((track.select, strip.select, track.mute, track.is_solo))
    return strip


def result_curves(owner):
    record = owner.redmax.baked
    return list(compat.curves_in(record.results, record.results_slot))


@pytest.mark.parametrize("target", ["NEW", "NLA", "CURRENT"])
@pytest.mark.parametrize("keys", ["EVERY", "FEWER"])
def test_results_are_on_a_track_of_their_own_and_taken_away_again(scene, target, keys):
    """Coordinate keys live in the joint's action: they stay the only ones there."""
    upper, _ = double_pendulum()
    elbow = bpy.data.objects["Elbow"]
    curve = compat.ensure_fcurves(elbow).new("redmax.joint.torque_1")
    curve.keyframe_points.insert(1, 0.5)
    curve.keyframe_points.insert(9, 0.5)
    action = elbow.animation_data.action
    artists = elbow.animation_data.nla_tracks.new()
    elbow.animation_data.nla_tracks.active = artists
    names = {action.name for action in bpy.data.actions}
    first = extracted()
    for _ in range(2):  # the second bake takes the place of the first
        _, result, _ = run_and_bake(target=target, keys=keys, torque=True, energy=True)
        assert elbow.animation_data.action == action
        assert [(c.data_path, len(c.keyframe_points)) for c in compat.fcurves_of(elbow)] == [
            ("redmax.joint.torque_1", 2)
        ]
        assert elbow.animation_data.nla_tracks.active == artists
        assert len(elbow.animation_data.nla_tracks) == 2
        assert scene.animation_data.action is None
        for owner in (elbow, scene):
            strip = results_strip(owner)
            assert (strip.frame_start, strip.frame_end, strip.blend_type) == (1.0, 30.0, "REPLACE")
        assert first.scene.joints == extracted().scene.joints
        index = result.joint_names.index("Elbow")
        for frame, sample in ((-5, 0), (1, 0), (12, 11), (30, 29), (44, 29)):  # held before and after, as by F-curves
            scene.frame_set(frame)
            expected = result.channels["torque"][sample, index]
            bound = 2e-3 * np.abs(result.channels["torque"]).max() if keys == "FEWER" else 1e-6
            assert numbers(elbow, "redmax_torque")[0] == pytest.approx(expected, abs=bound)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            assert elbow.evaluated_get(depsgraph)["redmax_torque"][0] == elbow["redmax_torque"][0]
        assert upper.redmax.baked.target == target
    baking.remove_bake(scene)
    assert elbow.animation_data.action == action
    assert [track.name for track in elbow.animation_data.nla_tracks] == [artists.name]
    assert [c.data_path for c in compat.fcurves_of(elbow)] == ["redmax.joint.torque_1"]
    assert "redmax_torque" not in elbow
    assert scene.animation_data is None
    assert {action.name for action in bpy.data.actions} == names


def test_results_say_what_they_are_with_units_and_are_not_selected(scene):
    double_pendulum()
    box("Sled", (5.0, 0.0, 0.0))
    hinge("Rail", None, bpy.data.objects["Sled"], (5.0, 0.0, 0.0), kind="prismatic").redmax.joint.damping[0] = 0.5
    run_and_bake(torque=True, reaction=True, energy=True)
    elbow, rail = bpy.data.objects["Elbow"], bpy.data.objects["Rail"]
    groups = {(c.data_path[2:-2], c.array_index): c.group.name for c in result_curves(elbow)}
    assert groups["redmax_torque", 0] == "Torque (N m)"
    assert [groups["redmax_reaction", index] for index in (0, 2, 3, 5)] == [
        *("Reaction Torque (N m)", "Reaction Torque (N m)"),
        *("Reaction Force (N)", "Reaction Force (N)"),
    ]
    assert "Force (N)" in {c.group.name for c in result_curves(rail)}
    assert {c.group.name for c in result_curves(scene)} == {
        *("Kinetic Energy (J)", "Potential Energy (J)", "Energy (J)", "Work (J)", "Loss (J)")
    }
    for owner in (elbow, scene):
        for curve in result_curves(owner):
            assert not curve.select
            keys = curve.keyframe_points
            assert not any(
                key.select_control_point or key.select_left_handle or key.select_right_handle for key in keys
            )
    assert elbow.id_properties_ui("redmax_torque").as_dict()["description"].endswith("[N m]")
    assert rail.id_properties_ui("redmax_torque").as_dict()["description"].endswith("[N]")
    assert scene.id_properties_ui("redmax_work").as_dict()["description"].endswith("[J]")


def test_an_nla_that_is_off_is_said_and_nothing_is_written(scene):
    double_pendulum()
    elbow = bpy.data.objects["Elbow"]
    elbow.animation_data_create().use_nla = False
    with pytest.raises(BridgeError, match=r"The NLA of 'Elbow' is switched off.*or bake without results"):
        run_and_bake(torque=True)
    assert not bpy.data.actions
    run_and_bake()  # without results it is nobody's business


def test_an_artists_action_given_meanwhile_stays(scene):
    double_pendulum()
    elbow = bpy.data.objects["Elbow"]
    run_and_bake(torque=True)
    compat.ensure_fcurves(elbow).new("redmax.joint.torque_1").keyframe_points.insert(1, 0.5)
    elbow.animation_data.action_influence = 0.5
    action = elbow.animation_data.action
    baking.remove_bake(scene)
    assert elbow.animation_data.action == action
    assert elbow.animation_data.action_influence == 0.5
    assert not elbow.animation_data.nla_tracks


def test_energies_are_properties_of_the_scene(scene):
    double_pendulum()
    _, result, _ = run_and_bake(energy=True)
    for sample in (0, 13, 29):
        scene.frame_set(1 + sample)
        for name, channel in result_channels.ENERGIES.items():
            assert scene[name] == pytest.approx(float(result.channels[channel][sample]), rel=1e-5, abs=1e-3)
    assert scene["redmax_kinetic"] > 0.0
    baking.remove_bake(scene)
    assert not [key for key in scene.keys() if key.startswith("redmax_")]  # noqa: SIM118
    assert scene.animation_data is None


def test_a_driver_reads_a_result(scene):
    upper, _ = double_pendulum()
    _, result, _ = run_and_bake(torque=True, reaction=True, energy=True)
    lamp = bpy.data.objects.new("Lamp", None)
    scene.collection.objects.link(lamp)
    sources = (
        (bpy.data.objects["Elbow"], "OBJECT", '["redmax_reaction"][3]'),
        (scene, "SCENE", '["redmax_kinetic"]'),
    )
    for index, (source, id_type, path) in enumerate(sources):
        driver = lamp.driver_add("location", index).driver
        driver.type = "SUM"
        variable = driver.variables.new()
        variable.targets[0].id_type = id_type
        variable.targets[0].id = source
        variable.targets[0].data_path = path
    scene.frame_set(9)
    index = result.joint_names.index("Elbow")
    assert lamp.location[0] == pytest.approx(result.channels["reaction"][8, index, 3], rel=1e-5)
    assert lamp.location[1] == pytest.approx(float(result.channels["kinetic"][8]), rel=1e-5)
    assert upper.animation_data.action is not None


def test_an_object_that_is_body_and_joint_gets_both(scene):
    scene.frame_end = 10
    arm = box("Arm")
    arm.location = (0.5, 0.0, 0.0)
    arm.redmax.is_joint = True
    joint = arm.redmax.joint
    joint.kind, joint.child, joint.damping = "prismatic", arm, [2.0] * 6
    _, result, report = run_and_bake(torque=True)
    assert report.objects == 1
    assert {c.data_path for c in compat.fcurves_of(arm)} == {"location", "rotation_euler"}
    assert {c.data_path for c in result_curves(arm)} == {'["redmax_torque"]'}
    scene.frame_set(10)
    assert numbers(arm, "redmax_torque")[0] == pytest.approx(result.channels["torque"][9, 0], rel=1e-5)
    baking.remove_bake(scene)
    assert arm.animation_data is None
    assert tuple(arm.location) == (0.5, 0.0, 0.0)


def test_results_only_change_what_was_asked_for(scene):
    double_pendulum()
    run_and_bake(reaction=True)
    elbow = bpy.data.objects["Elbow"]
    assert "redmax_reaction" in elbow
    assert "redmax_torque" not in elbow
    assert scene.animation_data is None


def test_forces_that_nothing_determines_are_left_out_and_said(scene):
    double_pendulum()
    extraction = extracted()
    result = simulated(extraction)
    import dataclasses

    torque = result.channels["torque"].copy()
    torque[3, result.joint_names.index("Elbow")] = np.nan
    result = dataclasses.replace(result, channels={**result.channels, "torque": torque})
    report = baking.bake(scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(torque=True))
    assert "redmax_torque" in bpy.data.objects["Shoulder"]
    assert "redmax_torque" not in bpy.data.objects["Elbow"]
    assert "joint 'Elbow'" in str(report)


def test_joints_of_another_scene_are_refused(scene):
    double_pendulum()
    result = simulated(extracted())
    thrown("More", location=(9.0, 0.0, 0.0))
    with pytest.raises(BridgeError, match="not those that were simulated; simulate again"):
        baking.bake(scene, bpy.context.view_layer, extracted(), result, baking.BakeOptions(torque=True))


@pytest.mark.parametrize("asked", [{"gap": True}, {"reaction": True}, {"torque": True}])
def test_a_loop_that_was_added_since_is_refused(scene, asked):
    """Its column is in no channel of the result; one more of another joint would be taken for it."""
    four_bar()
    scene.frame_end = 8
    extraction = extracted()
    result = simulation.run(extraction, INTEGRATORS["rk4"](h=1.0 / 24.0))
    (closing,) = result.meta["loops"]
    crank, rocker = (bpy.data.objects[name] for name in ("Crank", "Rocker"))
    added = hinge("Zip", crank, rocker, (0.0, 0.0, 0.0))
    options = baking.BakeOptions(**asked)
    for _ in range(2):
        with pytest.raises(BridgeError, match="The joints are not those that were simulated; simulate again"):
            baking.bake(scene, bpy.context.view_layer, extracted(), result, options)
        result = result.with_facts(meta={"fps": 24.0})  # as versions did that do not name loops
    bpy.data.objects.remove(added)
    renamed = simulation.run(extracted(), INTEGRATORS["rk4"](h=1.0 / 24.0))
    bpy.data.objects[closing].name = "Zip"
    with pytest.raises(BridgeError, match="not those that were simulated"):
        baking.bake(scene, bpy.context.view_layer, extracted(), renamed, options)


def test_the_gap_of_a_loop_is_a_property_of_its_joint(scene):
    four_bar()
    scene.frame_end = 8
    extraction = extracted()
    result = simulation.run(extraction, INTEGRATORS["rk4"](h=1.0 / 24.0))
    baking.bake(scene, bpy.context.view_layer, extraction, result, baking.BakeOptions(gap=True, reaction=True))
    owners = [obj for obj in scene.objects if "redmax_gap" in obj]
    assert [obj.redmax.is_joint for obj in owners] == [True]
    scene.frame_set(5)
    np.testing.assert_allclose(list(owners[0]["redmax_gap"]), result.channels["gap"][4, 0], atol=1e-12)
    assert len(owners[0]["redmax_reaction"]) == 6
