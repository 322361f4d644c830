# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as the engine gets them: frames, parameters, what holds roots, loops, and what Check says about them."""

from __future__ import annotations

import math

import bpy
import by_hand
import numpy as np
import pytest
from by_hand import add, body, extract, joint, said

from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.joints import JOINTS
from redmax_blender.properties import joint as joint_properties

KINDS = [cls.kind for cls in JOINTS if not joint_properties.guides(cls.kind)]
"""Of joints whose frame is that of their own object; what runs on tracks is in test_tracks.py."""


def pose_matrix(pose):
    from redmax.spatial.pose import from_quaternion

    return from_quaternion(pose.position, pose.rotation)


def poses_at_rest(extraction):
    """World poses of all bodies where every coordinate is 0, as the engine computes them."""
    model = compile_scene(extraction.scene)
    zero = np.zeros(model.dof_count)
    E_wb = body_poses(model, kinematics(model, zero, zero, np.zeros(model.body_count, np.int64)))
    return dict(zip(model.body_names, E_wb, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_compiles_and_holds_bodies_where_they_were_modelled(kind):
    base = body("Base", at=(1.0, 2.0, 3.0), root="LOCKED")
    base.rotation_euler, base.scale = (0.3, 0.2, 0.1), (1, 2, -1)
    arm = body("Arm", at=(-4.0, 1.0, 0.5))
    arm.rotation_euler = (1.0, -0.5, 2.0)
    pin = joint("Pin", base, arm, kind, at=(0.5, 0.5, 0.5))
    pin.rotation_euler, pin.scale = (0.7, 0.8, 0.9), (3, 3, 0.1)
    if kind == "composite":
        for part in ("revolute", "prismatic"):
            pin.redmax.joint.parts.add().kind = part
    extraction = extract()
    assert not extraction.errors, said(extraction)
    (made,) = [j for j in extraction.scene.joints if j.name == "Pin"]
    assert (made.kind, made.parent, made.child) == (kind, "Base", "Arm")
    at_rest = poses_at_rest(extraction)
    bpy.context.view_layer.update()
    for obj in (base, arm):
        np.testing.assert_allclose(at_rest[obj.name], extraction.body(obj.name).E_wb, atol=1e-14)
        np.testing.assert_allclose(at_rest[obj.name][:3, 3], obj.location, atol=1e-6)
    Q = made.motion(np.zeros(made.ndof), np.zeros(made.ndof)).Q
    E_wj = extraction.body("Arm").E_wb @ pose_matrix(made.frame_in_child) @ np.linalg.inv(Q)
    np.testing.assert_allclose(E_wj[:3, :3], np.array(pin.rotation_euler.to_matrix()), atol=1e-6)
    np.testing.assert_allclose(E_wj[:3, 3], pin.location, atol=1e-6)
    np.testing.assert_allclose(extraction.body("Base").E_wb @ pose_matrix(made.frame_in_parent), E_wj, atol=1e-13)


def test_a_parented_joint_stands_where_blender_shows_it():
    base, arm = body("Base", at=(1.0, 0.0, 0.0), root="LOCKED"), body("Arm")
    base.rotation_euler = (0.0, 0.0, 0.5)
    pin = joint("Pin", base, arm, at=(2.0, 3.0, 4.0))
    bpy.context.view_layer.update()
    pin.parent, pin.matrix_parent_inverse = base, base.matrix_world.inverted()
    base.location = (5.0, 5.0, 5.0)
    bpy.context.view_layer.update()
    extraction = extract()
    made = extraction.scene.joints[-1]
    E_wj = extraction.body("Base").E_wb @ pose_matrix(made.frame_in_parent)
    np.testing.assert_allclose(E_wj, np.array(pin.matrix_world), atol=2e-6)


def test_fields_of_a_joint_arrive_in_si_units():
    bpy.context.scene.unit_settings.scale_length = 0.1
    base, arm = body("Base", root="LOCKED"), body("Arm")
    settings = joint("Pin", base, arm, "screw").redmax.joint
    settings.coordinate_angle_1, settings.velocity_angle = 0.5, (2.0, 0, 0, 0, 0, 0)
    settings.torque_1, settings.stiffness, settings.damping = 7.0, (11.0,) * 6, (13.0,) * 6
    settings.rest_angle, settings.limit_stiffness = (0.25,) * 6, (17.0,) * 6
    settings.use_upper, settings.upper_angle, settings.limit_type = (True,) + (False,) * 5, (1.5,) * 6, "SOFT"
    settings.screw.pitch = 2.0
    made = extract().scene.joints[-1]
    assert made.q == (0.5,)
    assert made.qdot == (2.0,)
    assert made.torque == (7.0,)
    assert made.stiffness == (11.0,)
    assert made.damping == (13.0,)
    assert made.rest == (0.25,)
    assert made.limit_stiffness == (17.0,)
    assert made.lower == (None,)
    assert made.upper == (1.5,)
    assert made.pitch == pytest.approx(2.0 * float(np.float32(0.1)) ** ("m" in _unit_of_pitch()))


def _unit_of_pitch():
    from redmax.fields import specs

    return specs(JOINTS["screw"])["pitch"].unit


def test_motion_types_arrive_and_only_simulated_joints_have_a_start_velocity():
    base = body("Base", root="LOCKED")
    for motion in ("simulated", "animated", "locked"):
        settings = joint(f"Pin {motion}", base, body(motion)).redmax.joint
        settings.motion_type, settings.velocity_angle = motion, (3.0,) * 6
    extraction = extract()
    made = {j.motion_type: j for j in extraction.scene.joints if j.name.startswith("Pin")}
    assert set(made) == {"simulated", "animated", "locked"}
    assert made["simulated"].qdot == (3.0,)
    assert made["locked"].qdot == (0.0,)
    assert made["animated"].qdot == (0.0,)
    assert {b.name: b.static for b in extraction.bodies} == {
        "Base": True, "simulated": False, "animated": False, "locked": True,
    }  # fmt: skip


def test_a_locked_joint_on_a_moving_body_is_not_static():
    base, arm, lamp = body("Base", root="LOCKED"), body("Arm"), body("Lamp")
    joint("Pin", base, arm)
    joint("Weld", arm, lamp, "fixed")
    assert {b.name for b in extract().bodies if b.static} == {"Base"}


def test_a_free_body_starts_with_its_velocity_and_spin_in_the_world():
    obj = body("Ball", (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    obj.rotation_euler = (0.4, 1.1, -0.3)
    obj.redmax.body.velocity, obj.redmax.body.spin = (1.0, 2.0, 3.0), (-1.0, 0.5, 4.0)
    extraction = extract()
    model = compile_scene(extraction.scene)
    state = model.initial_state()
    from redmax.dynamics.kinematics import body_twists

    kin = kinematics(model, state.q, state.qdot, state.chart)
    R = body_poses(model, kin)[0][:3, :3]
    twist = body_twists(model, kin)[0]
    np.testing.assert_allclose(R @ twist[:3], (-1.0, 0.5, 4.0), atol=1e-6)
    np.testing.assert_allclose(R @ twist[3:], (1.0, 2.0, 3.0), atol=1e-6)
    assert extraction.joint_objects == {}
    obj.redmax.body.root = "LOCKED"
    assert extract().scene.joints[0].kind == "fixed"


def test_joints_are_listed_by_name_and_the_first_makes_the_tree():
    base = body("Base", root="LOCKED")
    arm = body("Arm")
    joint("B", base, arm)
    joint("A", base, arm)
    extraction = extract()
    assert [j.name for j in extraction.scene.joints] == ["Base", "A", "B"]
    assert compile_scene(extraction.scene).loops[0].joint.name == "B"
    assert said(extraction) == []
    (mechanism,) = extraction.mechanisms
    assert (mechanism.root, mechanism.loops, mechanism.dofs, mechanism.joints) == ("Base", 1, 1, ("A", "B"))


def four_bar(base_root):
    links = [
        body(name, root=base_root if name == "Ground" else "FREE") for name in ("Ground", "Crank", "Rod", "Rocker")
    ]
    for k, name in enumerate("ABCD"):
        joint(name, links[k], links[(k + 1) % 4])
    return extract()


def test_a_locked_base_holds_a_closed_chain_and_the_last_joint_closes_the_loop():
    extraction = four_bar("LOCKED")
    assert not extraction.errors
    model = compile_scene(extraction.scene)
    assert model.body_names == ("Ground", "Crank", "Rod", "Rocker")
    assert [loop.joint.name for loop in model.loops] == ["D"]
    assert [m.loops for m in extraction.mechanisms] == [1]


def test_a_closed_chain_that_nothing_holds_is_refused_by_name():
    extraction = four_bar("FREE")
    (finding,) = extraction.errors
    assert "is part of a cycle that nothing holds" in finding.text
    assert finding.element in finding.text
    assert finding.hint.startswith("Lock one of these bodies")


def test_a_lock_on_a_carried_body_is_said_to_have_no_effect():
    base, arm = body("Base", root="LOCKED"), body("Arm")
    joint("Pin", arm, base)
    warnings = said(extract(), "WARNING")
    text = "Joint 'Pin' carries 'Base', so that body's lock has no effect; swap parent and child of 'Pin'"
    assert text in warnings
    bpy.data.objects["Pin"].redmax.joint.parent, bpy.data.objects["Pin"].redmax.joint.child = base, arm
    assert not said(extract())


def test_what_is_not_attached_will_fall():
    a, b = body("Crane"), body("Load")
    joint("Pin", a, b)
    assert said(extract(), "WARNING") == [
        "Mechanism 'Crane' is not attached to anything and will fall; Lock 'Crane', or leave it if it should be free"
    ]
    a.redmax.body.velocity = (1.0, 0.0, 0.0)
    assert not said(extract(), "WARNING"), "a thrown mechanism is meant to fly"
    a.redmax.body.velocity = (0.0, 0.0, 0.0)
    bpy.context.scene.use_gravity = False
    assert "will drift" in said(extract(), "WARNING")[0]
    a.redmax.body.root = "LOCKED"
    assert not said(extract())


def test_a_lone_free_body_is_only_good_to_know():
    body("Ball")
    (finding,) = extract().findings
    assert finding.severity == "INFO"
    assert finding.text == "'Ball' is not attached to anything and will fall"


def test_what_cannot_move_is_said_by_mechanism():
    base, arm = body("Base", root="LOCKED"), body("Arm")
    pin = joint("Pin", base, arm)
    pin.redmax.joint.motion_type = "locked"
    (finding,) = extract().findings
    assert finding.severity == "WARNING"
    assert finding.text == "Mechanism 'Base' cannot move: it has 0 degrees of freedom"
    pin.redmax.joint.motion_type = "animated"
    assert not any("cannot move" in text for text in said(extract()))


def test_a_scene_of_locked_bodies_and_one_of_none_say_so():
    assert said(extract(), "ERROR") == ["The scene has no RedMax bodies; select objects and use Make Mechanism"]
    body("Floor", root="LOCKED")
    assert said(extract(), "WARNING") == ["Nothing can move: every body is Locked; connect bodies with joints"]


def test_connections_are_checked_by_name():
    base, arm, other = body("Base", root="LOCKED"), body("Arm"), by_hand.cube("Chair")
    joint("Childless", base, None)
    joint("Itself", arm, arm)
    joint("Furniture", base, other)
    joint("Good", base, arm)
    extraction = extract()
    assert {finding.element: finding.text for finding in extraction.errors} == {
        "Childless": "Joint 'Childless' has no child body",
        "Itself": "Joint 'Itself' connects 'Arm' to itself",
        "Furniture": "Joint 'Furniture' has 'Chair' as its child, which is not a RedMax body",
    }
    assert all(finding.hint for finding in extraction.errors)
    assert len(extraction.errors) == 3
    assert "Good" in extraction.joint_objects


def test_a_refused_body_is_reported_once_and_not_again_by_its_joints():
    base, arm = body("Base", root="LOCKED"), body("Arm")
    arm.scale = (0, 1, 1)
    joint("Pin", base, arm)
    assert [finding.element for finding in extract().errors] == ["Arm"]


def test_an_unmeasured_body_is_reported_once():
    base = body("Base", root="LOCKED")
    plate = add("Plate", by_hand.mesh("Plate", faces=by_hand.FACES[:-1]))
    plate.redmax.is_body = True
    joint("Pin", base, plate)
    assert [finding.element for finding in extract().errors] == ["Plate"]


def test_a_flattened_joint_is_refused_by_name():
    pin = joint("Pin", None, body("Arm"))
    pin.scale = (0, 0, 0)
    assert said(extract(), "ERROR") == ["Joint 'Pin' is flattened: a scale is zero; give it a size"]


def limited(kind, unit, value, **limits):
    base, arm = body("Base", root="LOCKED"), body("Arm")
    settings = joint("Elbow", base, arm, kind).redmax.joint
    setattr(settings, f"coordinate_{unit}_1", value)
    settings.limit_stiffness = (1.0,) * 6
    for side, limit in limits.items():
        setattr(settings, f"use_{side}", (True,) + (False,) * 5)
        setattr(settings, f"{side}_{unit}", (limit,) + (0.0,) * 5)
    return extract()


def test_a_start_outside_the_limits_is_told_in_the_artists_units():
    extraction = limited("revolute", "angle", math.radians(42.0), upper=math.radians(30.0))
    (finding,) = extraction.findings
    assert finding.severity == "WARNING"
    assert finding.text == "'Elbow' starts 12 deg outside its upper limit"


def test_a_slider_below_its_limit():
    bpy.context.scene.unit_settings.scale_length = 0.5
    (finding,) = limited("prismatic", "distance", -1.0, lower=0.0).findings
    assert finding.text == "'Elbow' starts 0.5 m outside its lower limit"


def test_a_start_on_the_limit_is_fine():
    assert not limited("revolute", "angle", 0.7, lower=0.7, upper=0.7).findings


def test_what_the_engine_finds_names_the_object_once():
    extraction = limited("revolute", "angle", 0.0, lower=1.0, upper=-1.0)
    assert [(f.element, f.severity) for f in extraction.findings] == [("Elbow", "ERROR")]
    assert extraction.findings[0].text == "Joint 'Elbow' has a lower limit above its upper limit"
    bpy.data.objects["Elbow"].redmax.joint.upper_angle = (2.0,) * 6
    assert not extract().errors


def test_a_hard_limit_of_a_ball_is_refused_with_a_way_out():
    (finding,) = limited("spherical", "angle", 0.0, upper=1.0).errors
    assert finding.text.startswith("Joint 'Elbow' has a hard limit")
    assert (finding.hint, finding.fixes) == ("make its limits soft, or switch them off", ("MAKE_SOFT",))
    bpy.ops.redmax.fix(fix="MAKE_SOFT", element="Elbow")
    assert not extract().errors
    made = next(joint for joint in extract().scene.joints if joint.name == "Elbow")
    assert made.limit_stiffness[0] == 1.0


@pytest.mark.parametrize("parts", [[], ["revolute", "revolute"], ["free", "revolute"]])
def test_unsound_composites_are_refused_by_name(parts):
    base, arm = body("Base", root="LOCKED"), body("Arm")
    pin = joint("Pin", base, arm, "composite")
    for kind in parts:
        pin.redmax.joint.parts.add().kind = kind
    (finding,) = extract().errors
    assert finding.element == "Pin"
    assert finding.text.startswith("Joint 'Pin' has ")


def test_an_axis_of_nothing_in_a_part_names_joint_and_part():
    base, arm = body("Base", root="LOCKED"), body("Arm")
    pin = joint("Pin", base, arm, "composite")
    part = pin.redmax.joint.parts.add()
    part.kind, part.revolute.axis = "revolute", (0.0, 0.0, 0.0)
    (finding,) = extract().errors
    assert finding.element == "Pin"
    assert finding.text == "Joint 'Pin', parts 0: Axis is zero"


def test_an_object_may_be_body_and_joint():
    arm, load = body("Arm"), body("Load", at=(1.0, 0.0, 0.0))
    arm.redmax.is_joint = True
    arm.redmax.joint.parent, arm.redmax.joint.child = arm, load
    extraction = extract()
    assert not extraction.errors, said(extraction)
    assert [j.name for j in extraction.scene.joints] == ["Arm.root", "Arm"]
    compile_scene(extraction.scene)


def test_mechanisms_are_connected_bodies_and_the_world_connects_nothing():
    for side in ("L", "R"):
        base = body(f"Base.{side}", root="LOCKED")
        arm = body(f"Arm.{side}")
        joint(f"Pin.{side}", base, arm, "universal")
        joint(f"Rail.{side}", None, body(f"Car.{side}"), "prismatic")
    found = {m.root: m for m in extract().mechanisms}
    assert set(found) == {"Base.L", "Base.R", "Car.L", "Car.R"}
    assert found["Base.L"].bodies == ("Arm.L", "Base.L")
    assert found["Base.L"].joints == ("Pin.L",)
    assert [found[name].dofs for name in ("Base.L", "Car.R")] == [2, 1]


def test_marked_bones_are_said_not_to_be_simulated():
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    rig.pose.bones[0].redmax.is_body = True
    body("Box", root="LOCKED")
    (finding,) = extract().errors
    assert finding.element == rig.name
    assert finding.text == f"Bone 'Bone' of '{rig.name}' is marked for RedMax; bones are not simulated yet"
