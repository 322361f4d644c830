# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on a joint's coordinate, coordinates found from a motion, and parts of composite joints."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from test_build import box, joint_objects, refused, select

from redmax import joints
from redmax.spatial import pose, so3
from redmax_blender import compat, handlers
from redmax_blender.bridge.authoring import motion_keys
from redmax_blender.bridge.core import coordinate_fit
from redmax_blender.properties import joint as joint_properties


def connected(kind="revolute", *, location=(1.0, 0.0, 0.0), **options):
    """Base, arm and a joint of a kind between them."""
    base, arm = box("Base"), box("Arm", location)
    select(arm, base)
    bpy.ops.redmax.connect(kind=kind, **options)
    (joint,) = joint_objects()
    select(joint)
    return base, arm, joint


def curves(obj):
    """{path without the group: [(frame, value), ...]} of an object's keys."""
    return {
        curve.data_path.removeprefix("redmax.joint."): [tuple(point.co) for point in curve.keyframe_points]
        for curve in compat.fcurves_of(obj)
    }


def expected_keys(joint):
    return {joint_properties.place("q", dof).name for dof in joint_properties.dofs(joint.redmax.joint)}


# --- keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in joints.JOINTS.kinds if kind != "fixed"])
def test_exactly_the_joints_own_coordinates_are_keyed(kind):
    _base, _arm, joint = connected(kind)
    bpy.context.scene.frame_set(7)
    bpy.ops.redmax.key_coordinate()
    assert set(curves(joint)) == expected_keys(joint)
    assert all(len(points) == 1 and points[0][0] == 7.0 for points in curves(joint).values())
    assert joint.redmax.joint.motion_type == "animated"


def test_keying_can_leave_the_motion_as_it_is():
    _base, _arm, joint = connected()
    joint.redmax.joint.coordinate_angle_1 = 0.5
    bpy.ops.redmax.key_coordinate(animate=False)
    assert joint.redmax.joint.motion_type == "simulated"
    assert curves(joint) == {"coordinate_angle_1": [(1.0, 0.5)]}


def test_a_fixed_joint_has_nothing_to_key():
    _base, _arm, _joint = connected("fixed")
    refused(bpy.ops.redmax.key_coordinate, "'Arm Fixed' is Fixed and has no coordinate")


def test_keys_move_the_coordinate_as_ordinary_keys_do():
    _base, _arm, joint = connected()
    dof = joint_properties.dofs(joint.redmax.joint)[0]
    motion_keys.write_keys(joint, dof, [1, 21], [0.0, 2.0], "LINEAR")
    bpy.context.scene.frame_set(11)
    assert joint.redmax.joint.coordinate_angle_1 == pytest.approx(1.0, abs=1e-6)
    (curve,) = compat.fcurves_of(joint)
    assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
    motion_keys.write_keys(joint, dof, [1, 11, 21], [0.0, 0.5, 2.0], "BEZIER")
    (curve,) = compat.fcurves_of(joint)
    kinds = {(p.interpolation, p.handle_left_type, p.handle_right_type) for p in curve.keyframe_points}
    assert kinds == {("BEZIER", "AUTO_CLAMPED", "AUTO_CLAMPED")}
    assert curve.evaluate(11) == pytest.approx(0.5)


# --- coordinates from poses, no Blender needed -----------------------------------------------

OWN = {
    "revolute": {"axis": (0.3, -0.4, 1.0)},
    "prismatic": {"axis": (0.3, -0.4, 1.0)},
    "screw": {"axis": (0.3, -0.4, 1.0), "pitch": 0.2},
    "composite": {"parts": (joints.Prismatic.part(axis=(0, 1, 0)), joints.Universal.part())},
}
MOVING = [kind for kind in joints.JOINTS.kinds if kind != "fixed" and not joint_properties.guides(kind)]
"""What runs on tracks knows no coordinates without them."""


def make(kind):
    return joints.JOINTS[kind].part(**OWN.get(kind, {}))


@pytest.mark.parametrize("kind", MOVING)
def test_a_joints_own_motion_gives_back_its_coordinates(kind):
    joint = make(kind)
    t = np.linspace(0.0, 1.0, 40)
    amplitude = 0.9 - 0.1 * np.arange(joint.ndof)
    phase = 0.3 * np.arange(joint.ndof)
    q = (np.sin(2.0 * t[:, None] + phase) - np.sin(phase)) * amplitude
    Q = np.array([joint.motion(row, np.zeros(joint.ndof)).Q for row in q])
    found = coordinate_fit.fit(joint, Q, 1.0)
    assert np.allclose(found.q, q, atol=1e-9)  # Gauss-Newton ends at a step of 1e-13
    assert found.angle.max() < 1e-9
    assert found.distance.max() < 1e-9


@pytest.mark.parametrize("kind", MOVING)
def test_poses_far_apart_are_met_too(kind):
    joint, rng = make(kind), np.random.default_rng(8)
    q = rng.uniform(-1.4, 1.4, (40, joint.ndof))
    Q = np.array([joint.motion(row, np.zeros(joint.ndof)).Q for row in q])
    found = coordinate_fit.fit(joint, Q, 1.0)
    assert found.angle.max() < 1e-9
    assert found.distance.max() < 1e-9


@pytest.mark.parametrize("kind", ["revolute", "screw", "spherical", "spherical_euler", "universal", "free_2d"])
def test_angles_go_on_beyond_whole_turns(kind):
    joint = make(kind)
    turning = joint.dof_units.index("rad")
    q = np.zeros((60, joint.ndof))
    q[:, turning] = np.linspace(0.0, 5.0 * math.pi, 60)
    Q = np.array([joint.motion(row, np.zeros(joint.ndof)).Q for row in q])
    found = coordinate_fit.fit(joint, Q, 1.0)
    assert np.allclose(found.q, q, atol=1e-7)


def test_a_screw_knows_its_turns_by_its_advance():
    joint = make("screw")
    q = np.array([[0.0], [9.0 * math.pi], [-30.0]])  # more than half a turn from frame to frame
    Q = np.array([joint.motion(row, np.zeros(1)).Q for row in q])
    assert np.allclose(coordinate_fit.fit(joint, Q, 1.0).q, q)


def test_what_a_joint_cannot_follow_is_measured():
    joint = make("revolute")
    Q = np.eye(4)[None].repeat(3, axis=0)
    Q[1, :3, 3] = (0.0, 0.03, 0.04)
    found = coordinate_fit.fit(joint, Q, 1.0)
    assert found.distance.tolist() == pytest.approx([0.0, 0.05, 0.0])
    assert np.allclose(found.angle, 0.0)


@pytest.mark.parametrize("kind", ["universal", "spherical_euler", "free_2d", "planar", "translational"])
def test_no_neighbouring_coordinates_come_nearer_to_any_pose(kind):
    joint, rng = make(kind), np.random.default_rng(4)

    def missed(q, E):
        left = pose.inverse(joint.motion(q, np.zeros(joint.ndof)).Q) @ E
        return np.hypot(np.linalg.norm(so3.log(left[:3, :3])), np.linalg.norm(left[:3, 3]))

    for _ in range(10):
        E = pose.exp(np.concatenate([0.5 * rng.normal(size=3), rng.normal(size=3)]))
        q = coordinate_fit.fit(joint, E[None], 1.0).q[0]
        nearby = [missed(q + step, E) for step in (*np.eye(joint.ndof) * 1e-2, *np.eye(joint.ndof) * -1e-2)]
        assert missed(q, E) <= min(nearby) + 1e-9


def test_the_nearest_rotation_about_the_axis_is_taken():
    """The closed form against Gauss-Newton on the rotation alone: same minimiser of the angle that is left."""
    joint, rng = make("revolute"), np.random.default_rng(3)
    a = np.array(OWN["revolute"]["axis"]) / np.linalg.norm(OWN["revolute"]["axis"])
    for _ in range(10):
        E = pose.exp(np.concatenate([rng.normal(size=3) * 0.5, np.zeros(3)]))
        q = coordinate_fit.fit(joint, E[None], 1.0).q[0, 0]
        left = [
            np.linalg.norm(pose.log(pose.inverse(pose.exp(np.append(a * angle, np.zeros(3)))) @ E)[:3])
            for angle in (q, q - 1e-3, q + 1e-3)
        ]
        assert left[0] < left[1]
        assert left[0] < left[2]


# --- coordinates from moving objects ---------------------------------------------------------


def animate_arm(arm, joint, pose_of, frames):
    """Keys that move the arm by pose_of(frame), given in the joint's frame as it stands now."""
    bpy.context.view_layer.update()
    E, start = joint.matrix_world.copy(), arm.matrix_world.copy()
    arm.rotation_mode = "QUATERNION"
    for frame in frames:
        arm.matrix_world = E @ pose_of(frame) @ E.inverted() @ start
        arm.keyframe_insert("location", frame=frame)
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(frames[0])


def turn(angle):
    return Matrix.Rotation(angle, 4, "Z")


def test_a_hinge_follows_the_motion_its_child_already_has(scene):
    scene.frame_start, scene.frame_end = 3, 43
    _base, arm, joint = connected()
    animate_arm(arm, joint, lambda frame: turn(0.2 * (frame - 3)), range(3, 44))
    scene.frame_set(20)
    assert bpy.ops.redmax.coordinate_from_motion() == {"FINISHED"}
    assert scene.frame_current == 20
    points = np.array(curves(joint)["coordinate_angle_1"])
    assert points[:, 0].tolist() == list(range(3, 44))
    assert np.allclose(points[:, 1], 0.2 * np.arange(41), atol=1e-5)  # beyond a turn; single precision
    assert joint.redmax.joint.motion_type == "animated"


def test_a_body_that_blenders_physics_moves_is_refused_by_name(scene):
    """Its motion is nowhere but in the scene that simulates it."""
    _base, arm, joint = connected()
    bpy.ops.rigidbody.world_add()
    scene.rigidbody_world.collection = bpy.data.collections.new("Rigid")
    scene.rigidbody_world.collection.objects.link(arm)
    select(joint)
    with pytest.raises(RuntimeError, match=f"'{arm.name}' is moved by Blender's rigid-body physics.*Bake to Keyframes"):
        bpy.ops.redmax.coordinate_from_motion()
    assert not curves(joint)
    arm.rigid_body.kinematic = True
    assert bpy.ops.redmax.coordinate_from_motion() == {"FINISHED"}


def test_the_parents_own_motion_is_taken_off_and_units_are_respected(scene):
    scene.frame_start, scene.frame_end = 1, 20
    scene.unit_settings.scale_length = 0.01
    base, arm, joint = connected("prismatic", axis="X")
    base.keyframe_insert("location", frame=1)
    base.location = (3, 4, 5)
    base.keyframe_insert("location", frame=20)
    scene.frame_set(1)
    bpy.context.view_layer.update()
    arm.parent, arm.matrix_parent_inverse = base, base.matrix_world.inverted()
    arm.keyframe_insert("location", frame=1)
    arm.location.x += 2.5
    arm.keyframe_insert("location", frame=20)
    scene.frame_set(1)
    bpy.ops.redmax.coordinate_from_motion(step=4)
    points = curves(joint)["coordinate_distance_1"]
    assert [frame for frame, _value in points] == [1, 5, 9, 13, 17, 20]
    assert points[-1][1] == pytest.approx(2.5, abs=1e-5)  # Blender units, as the field shows them


def test_a_ball_follows_any_rotation(scene):
    scene.frame_start, scene.frame_end = 1, 30
    _base, arm, joint = connected("spherical")
    rng = np.random.default_rng(5)
    w = rng.normal(size=(2, 3))

    def rotation(frame):
        r = w[0] * math.sin(0.1 * (frame - 1)) + w[1] * (1 - math.cos(0.1 * (frame - 1)))
        angle = float(np.linalg.norm(r))
        return Quaternion(r / angle if angle else (0, 0, 1), angle).to_matrix().to_4x4()

    animate_arm(arm, joint, rotation, range(1, 31))
    bpy.ops.redmax.coordinate_from_motion()
    keys = curves(joint)
    for frame in (1, 11, 30):
        q = np.array([keys[f"coordinate_angle_{k + 1}"][frame - 1][1] for k in range(3)])
        angle = float(np.linalg.norm(q))
        Q = Quaternion(q / angle if angle else (0, 0, 1), angle).to_matrix()
        assert np.allclose(Q, rotation(frame).to_3x3(), atol=1e-5)


def test_a_motion_that_the_joint_cannot_follow_is_refused_with_the_frame(scene):
    scene.frame_start, scene.frame_end = 1, 10
    _base, arm, joint = connected()
    animate_arm(arm, joint, lambda frame: Matrix.Translation((0.1 if frame == 7 else 0.0, 0, 0)), range(1, 11))
    refused(bpy.ops.redmax.coordinate_from_motion, "cannot follow 'Arm'.* 0.1 units at frame 7")
    assert curves(joint) == {}
    assert joint.redmax.joint.motion_type == "simulated"
    assert bpy.ops.redmax.coordinate_from_motion(tolerance_distance=0.2) == {"FINISHED"}


def test_a_tilt_that_the_hinge_cannot_follow_is_refused_with_the_frame(scene):
    scene.frame_start, scene.frame_end = 1, 10
    _base, arm, joint = connected()
    tilt = Matrix.Rotation(math.radians(3.0), 4, "X")
    animate_arm(arm, joint, lambda frame: tilt if frame == 4 else Matrix(), range(1, 11))
    refused(bpy.ops.redmax.coordinate_from_motion, "3 deg at frame 4")


def test_from_motion_replaces_old_keys_and_is_one_undo_step(scene):
    scene.frame_start, scene.frame_end = 1, 5
    _base, arm, joint = connected()
    joint.redmax.joint.coordinate_angle_1 = 9.0
    bpy.ops.redmax.key_coordinate(animate=False)
    animate_arm(arm, joint, lambda frame: turn(0.1 * frame - 0.1), range(1, 6))
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.coordinate_from_motion("EXEC_DEFAULT", True)
    assert len(curves(joint)["coordinate_angle_1"]) == 5
    bpy.ops.ed.undo()
    joint = bpy.data.objects["Arm Hinge"]
    assert curves(joint)["coordinate_angle_1"] == [(1.0, 9.0)]
    assert joint.redmax.joint.motion_type == "simulated"


# --- parts of a composite --------------------------------------------------------------------


def composite(*kinds):
    _base, _arm, joint = connected("composite")
    joint.redmax.joint.parts.clear()
    for kind in kinds:
        bpy.ops.redmax.add_part(kind=kind)
    return joint


def test_parts_move_with_their_settings_and_keys():
    joint = composite("prismatic", "universal", "revolute")
    settings = joint.redmax.joint
    settings.coordinate_distance_1 = 0.5
    settings.coordinate_angle_2, settings.coordinate_angle_3, settings.coordinate_angle_4 = 0.1, 0.2, 0.3
    settings.damping = (1.0, 2.0, 3.0, 4.0, 0.0, 0.0)
    settings.use_lower = (False, True, False, False, False, False)
    bpy.ops.redmax.key_coordinate()
    settings.active_part = 0
    bpy.ops.redmax.move_part(direction="DOWN")
    assert [part.kind for part in settings.parts] == ["universal", "prismatic", "revolute"]
    assert settings.active_part == 1
    assert list(settings.damping)[:4] == [2.0, 3.0, 1.0, 4.0]
    assert list(settings.use_lower) == [True, False, False, False, False, False]
    assert [getattr(settings, f"coordinate_angle_{k}") for k in range(1, 5)] == pytest.approx([0.1, 0.2, 0.0, 0.3])
    assert settings.coordinate_distance_3 == pytest.approx(0.5)
    values = {place: points[0][1] for place, points in curves(joint).items()}
    assert values == pytest.approx(
        {"coordinate_angle_1": 0.1, "coordinate_angle_2": 0.2, "coordinate_distance_3": 0.5,
         "coordinate_angle_4": 0.3}
    )  # fmt: skip


def test_removing_a_part_leaves_the_others_theirs():
    joint = composite("revolute", "prismatic", "revolute")
    settings = joint.redmax.joint
    settings.coordinate_angle_1, settings.coordinate_angle_3 = 0.1, 0.3
    settings.stiffness = (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    bpy.ops.redmax.key_coordinate()
    settings.active_part = 1
    bpy.ops.redmax.remove_part()
    assert [part.kind for part in settings.parts] == ["revolute", "revolute"]
    assert list(settings.stiffness) == [1.0, 3.0, 0.0, 0.0, 0.0, 0.0]
    assert {place: points[0][1] for place, points in curves(joint).items()} == pytest.approx(
        {"coordinate_angle_1": 0.1, "coordinate_angle_2": 0.3}
    )


def test_parts_are_refused_where_they_make_no_sense():
    joint = composite("free")
    refused(bpy.ops.redmax.add_part, "has 6 degrees of freedom, and a Hinge would add 1")
    refused(bpy.ops.redmax.move_part, "is the first one", direction="UP")
    refused(bpy.ops.redmax.move_part, "is the last one", direction="DOWN")
    bpy.ops.redmax.remove_part()
    refused(bpy.ops.redmax.remove_part, "has no active part")
    joint.redmax.joint.kind = "revolute"
    with pytest.raises(RuntimeError, match="Only a Composite joint has parts"):
        bpy.ops.redmax.add_part()


# --- what animation editors show -------------------------------------------------------------


def test_each_coordinate_is_keyed_by_itself():
    """As the key I does over a field: Blender keys the whole of the property under the mouse."""
    _base, _arm, joint = connected("universal")
    assert joint.keyframe_insert(joint_properties.place("q", joint_properties.dofs(joint.redmax.joint)[1]).path)
    assert set(curves(joint)) == {"coordinate_angle_2"}


def test_animation_editors_name_the_joint_and_the_coordinate():
    """Blender shows 'Angle (Arm Hinge)': the name of the property, and that of the group it is in."""
    _base, _arm, joint = connected()
    properties = joint.redmax.joint.bl_rna.properties
    names = [properties[f"coordinate_{unit}_{number}"].name for unit in ("angle", "distance") for number in (1, 2)]
    assert names == ["Angle", "Angle 2", "Distance", "Distance 2"]
    assert joint.redmax.joint.name == joint.name == "Arm Hinge"
    joint.name = "Crank"
    handlers.renamed()
    assert joint.redmax.joint.name == "Crank"
    twin = joint.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.context.view_layer.update()
    assert twin.redmax.joint.name == twin.name == "Crank.001"
