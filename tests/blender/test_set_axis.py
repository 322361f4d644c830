# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Axis: joints are turned by one click, along the world's axes or what is picked on a mesh; nothing else moves."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import swinging
from mathutils import Matrix
from test_axes import along, cylinder_mesh, engine, is_parallel, message
from test_build import box, empty, joint_objects, parent_to, select, world
from test_ui_sidebar import drawn

from redmax_blender import compat
from redmax_blender.ui import axis_buttons, sidebar
from redmax_blender.ui import joint as joint_panels

X, Y, Z = np.eye(3)


def hinged():
    """A base and an arm on a hinge, which a marker follows."""
    base, arm = box("Base"), box("Arm", (1, 0, 0), (2, 0.1, 0.5))
    select(arm, base)
    bpy.ops.redmax.connect()
    (joint,) = joint_objects()
    select(joint)
    return base, arm, joint


def places():
    """World matrices of everything but joints."""
    return {obj.name: world(obj) for obj in bpy.context.scene.objects if not obj.redmax.is_joint}


def pick(obj, *, edges=(), faces=(), vertices=()):
    """Select elements of a mesh, as one does in Edit Mode, and nothing else."""
    for elements, chosen in ((obj.data.vertices, vertices), (obj.data.edges, edges), (obj.data.polygons, faces)):
        for element in elements:
            element.select = element.index in chosen


@pytest.mark.parametrize(("axis", "expected"), [("X", X), ("Y", Y), ("Z", Z)])
def test_the_worlds_axes(axis, expected):
    _, _, joint = hinged()
    before, at = places(), world(joint)[:3, 3]
    assert bpy.ops.redmax.set_joint_axis(axis=axis) == {"FINISHED"}
    assert np.allclose(along(joint), expected, atol=1e-6)
    assert np.allclose(world(joint)[:3, 3], at, atol=1e-6)
    assert np.linalg.det(world(joint)[:3, :3]) == pytest.approx(1.0, abs=1e-5)
    now = places()
    assert all(np.allclose(now[name], before[name], atol=1e-6) for name in before)
    assert message() == f"'Arm Hinge' along {axis}"


def test_all_selected_joints_are_turned_and_what_hangs_on_them_stays():
    base, arm, joint = hinged()
    hand = box("Hand", (3, 0, 0))
    select(hand, arm)
    bpy.ops.redmax.connect()
    flag = empty("Flag", (1, 2, 3), (0.1, 0.2, 0.3))
    parent_to(flag, joint)
    before = world(flag)
    base.scale = (2.0, 2.0, 2.0)
    base.scale = (1.0, 1.0, 1.0)
    select(*joint_objects())
    bpy.ops.redmax.set_joint_axis(axis="X")
    assert all(np.allclose(along(obj), X, atol=1e-6) for obj in joint_objects())
    assert np.allclose(world(flag), before, atol=1e-6)


def test_keys_on_the_coordinate_and_every_value_of_the_empty_stay():
    _, _, joint = hinged()
    joint.scale = (1.5, 1.5, 1.5)
    location = tuple(joint.location)
    curve = compat.ensure_fcurves(joint).new("redmax.joint.coordinate_angle_1")
    for frame, angle in ((1, 0.0), (20, 2.0)):
        curve.keyframe_points.insert(frame, angle)
    bpy.context.view_layer.update()
    joint.redmax.joint.coordinate_angle_1 = 0.7
    bpy.ops.redmax.set_joint_axis(axis="X")
    assert np.allclose(along(joint), X, atol=1e-6)
    assert tuple(joint.location) == location
    assert tuple(joint.scale) == (1.5, 1.5, 1.5)
    assert joint.redmax.joint.coordinate_angle_1 == pytest.approx(0.7)


def test_it_is_the_pose_of_the_first_frame_that_counts():
    """A body that its keys have turned since is not the one that was modelled."""
    base, _, joint = hinged()
    for frame, angle in ((1, 0.0), (20, math.pi / 2)):
        base.rotation_euler = (angle, 0.0, 0.0)
        base.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(20)
    select(joint)
    bpy.ops.redmax.set_joint_axis(axis="Z")
    assert np.allclose(along(joint), -Y, atol=1e-5)
    bpy.context.scene.frame_set(1)
    assert np.allclose(along(joint), Z, atol=1e-5)


def test_what_cannot_be_turned_is_refused_by_name_and_nothing_is_changed():
    _, arm, joint = hinged()
    hand = box("Hand", (3, 0, 0))
    select(hand, arm)
    bpy.ops.redmax.connect()
    other = next(obj for obj in joint_objects() if obj != joint)
    other.keyframe_insert("rotation_euler", frame=1)
    select(other, joint)
    before = [world(obj) for obj in (joint, other)]
    with pytest.raises(RuntimeError, match=f"'{other.name}' cannot be turned: keys, drivers"):
        bpy.ops.redmax.set_joint_axis(axis="X")
    assert all(np.allclose(world(obj), M) for obj, M in zip((joint, other), before, strict=True))


def test_it_is_one_undo_step():
    _, _, joint = hinged()
    name, before = joint.name, along(joint)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.set_joint_axis(axis="X")
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert np.allclose(along(bpy.data.objects[name]), before, atol=1e-6)


# --- what is picked --------------------------------------------------------------------------


def test_along_an_edge_square_to_a_face_and_between_two_vertices():
    _, arm, joint = hinged()
    arm.scale = (1.0, 3.0, 1.0)
    edge = next(e for e in arm.data.edges if abs(np.subtract(*(arm.data.vertices[k].co for k in e.vertices))[0]) > 1)
    face = next(p for p in arm.data.polygons if abs(p.normal[2]) > 0.9)
    diagonal = {0, 7}
    span = np.array(arm.data.vertices[7].co) - np.array(arm.data.vertices[0].co)
    span = span * (1.0, 3.0, 1.0)
    for picked, expected in (
        ({"edges": {edge.index}, "vertices": set(edge.vertices)}, X),
        ({"faces": {face.index}, "vertices": set(face.vertices)}, Z),
        ({"vertices": diagonal}, span / np.linalg.norm(span)),
    ):
        pick(arm, **picked)
        select(joint)
        assert bpy.ops.redmax.set_joint_axis(axis="PICKED") == {"FINISHED"}
        assert is_parallel(along(joint), expected)
        assert "picked on 'Arm'" in message()


def test_about_the_rim_and_the_wall_of_a_hole():
    _, _, joint = hinged()
    post = cylinder_mesh("Post", 0.5, 2.0, (5, 0, 0))
    turn = Matrix.Rotation(0.6, 4, "X")
    post.matrix_world = turn
    bpy.context.view_layer.update()
    axis = np.array(turn)[:3, 2]
    rim = [edge.index for edge in post.data.edges if all(post.data.vertices[k].co.z > 0 for k in edge.vertices)]
    wall = [face.index for face in post.data.polygons if abs(face.normal.z) < 0.1][:5]
    for picked in ({"edges": rim}, {"faces": wall}):
        pick(post, **picked)
        select(post, joint)
        bpy.ops.redmax.set_joint_axis(axis="PICKED")
        assert is_parallel(along(joint), axis)


def test_nothing_picked_says_what_to_pick():
    _, arm, joint = hinged()
    for obj in (arm, bpy.data.objects["Base"]):
        pick(obj)
    select(joint)
    with pytest.raises(RuntimeError, match="Nothing is selected on a mesh; select an edge, a face"):
        bpy.ops.redmax.set_joint_axis(axis="PICKED")
    pick(arm, faces=range(6), vertices=range(8))
    with pytest.raises(RuntimeError, match="has no single direction"):
        bpy.ops.redmax.set_joint_axis(axis="PICKED")


def test_in_edit_mode_it_acts_on_the_joints_made_last_and_leaves_edit_mode():
    """Edit Mode would undo the mesh alone, so that the joint is turned in Object Mode."""
    _, arm, joint = hinged()
    edge = next(e for e in arm.data.edges if abs(np.subtract(*(arm.data.vertices[k].co for k in e.vertices))[0]) > 1)
    pick(arm, edges={edge.index}, vertices=set(edge.vertices))
    select(arm)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.redmax.set_joint_axis.poll()
    assert bpy.ops.redmax.set_joint_axis(axis="PICKED") == {"FINISHED"}
    assert bpy.context.mode == "OBJECT"
    assert bpy.context.object == joint
    assert is_parallel(along(joint), X)
    pick(arm)
    select(arm)
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Nothing is selected on a mesh"):
        bpy.ops.redmax.set_joint_axis(axis="PICKED")
    assert bpy.context.mode == "EDIT_MESH"


# --- guessed anew ----------------------------------------------------------------------------


def test_a_hinge_that_becomes_a_slider_is_guessed_anew():
    base, crank, rod, piston, pins = engine(cylinder=False)
    select(crank, rod, piston, *pins, base)
    bpy.ops.redmax.make_mechanism()
    select(piston, base)
    bpy.ops.redmax.connect()
    slider = bpy.data.objects["Piston Hinge"]
    assert is_parallel(along(slider), Y)
    slider.redmax.joint.kind = "prismatic"
    select(slider)
    bpy.ops.redmax.set_joint_axis(axis="AUTO")
    assert is_parallel(along(slider), Z)
    assert message() == "Axis guessed: 'Piston Hinge' along Z (toward the crank)"


# --- an axis other than z --------------------------------------------------------------------


def test_an_axis_other_than_z_is_never_shown_by_an_arrow():
    _, _, joint = hinged()
    assert joint.empty_display_type == "SINGLE_ARROW"
    joint.redmax.joint.revolute.axis = (1.0, 0.0, 0.0)
    assert joint.empty_display_type == "PLAIN_AXES"
    joint.redmax.joint.revolute.axis = (0.0, 0.0, 2.0)
    assert joint.empty_display_type == "SINGLE_ARROW"
    joint.redmax.joint.revolute.axis = (0.0, 0.0, -1.0)
    assert joint.empty_display_type == "PLAIN_AXES", "the arrow would point the other way"
    joint.redmax.joint.kind = "prismatic"
    assert joint.empty_display_type == "SINGLE_ARROW", "the axis of the slider is z"


def test_files_whose_arrow_shows_another_axis_are_put_right_when_they_are_opened(tmp_path):
    _, _, joint = hinged()
    joint.redmax.joint.revolute.axis = (0.0, 1.0, 0.0)
    joint.empty_display_type = "SINGLE_ARROW"
    name = joint.name
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects[name].empty_display_type == "PLAIN_AXES"
    assert tuple(bpy.data.objects[name].redmax.joint.revolute.axis) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("axis", [(0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (0.3, -0.5, 0.2)])
def test_an_axis_becomes_the_empties_rotation_and_the_motion_stays(axis):
    scene = swinging.build(frames=(1, 6))
    elbow = bpy.data.objects["Elbow"]
    elbow.redmax.joint.revolute.axis = axis
    elbow.redmax.joint.velocity_angle[0] = 1.0
    bpy.context.view_layer.update()
    moved = []
    for turned in (False, True):
        if turned:
            select(elbow)
            assert bpy.ops.redmax.set_joint_axis(axis="ROTATION") == {"FINISHED"}
            assert tuple(elbow.redmax.joint.revolute.axis) == (0.0, 0.0, 1.0)
            assert np.allclose(along(elbow), np.array(axis) / np.linalg.norm(axis), atol=1e-6)
            assert elbow.empty_display_type == "SINGLE_ARROW"
        swinging.simulate()
        scene.frame_set(6)
        moved.append(swinging.world("Lower"))
        bpy.ops.redmax.clear_result()
        scene.frame_set(1)
    assert np.abs(moved[0] - np.eye(4)).max() > 0.1
    np.testing.assert_allclose(moved[1], moved[0], atol=1e-5)


def test_make_mechanism_uses_the_z_of_an_empty_that_had_another_axis():
    base, arm, pin = box("Base"), box("Arm", (1, 0, 0), (2, 0.1, 0.5)), empty("Pin", (1, 0, 0))
    pin.redmax.joint.revolute.axis = (1.0, 0.0, 0.0)
    select(arm, pin, base)
    bpy.ops.redmax.make_mechanism()
    assert tuple(pin.redmax.joint.revolute.axis) == (0.0, 0.0, 1.0)
    assert np.allclose(along(pin), Y, atol=1e-6)


# --- buttons ---------------------------------------------------------------------------------


@pytest.mark.parametrize("panel", [sidebar.REDMAX_PT_active_joint, joint_panels.REDMAX_PT_joint])
def test_buttons_stand_beside_the_joint_where_its_direction_matters(panel):
    _, _, joint = hinged()
    assert drawn(panel).operators().count("redmax.set_joint_axis") == 5
    joint.redmax.joint.revolute.axis = (1.0, 0.0, 0.0)
    assert drawn(panel).operators().count("redmax.set_joint_axis") == 6
    joint.redmax.joint.kind = "spherical"
    assert "redmax.set_joint_axis" not in drawn(panel).operators()


def test_while_a_mesh_is_edited_the_button_says_whom_it_turns():
    _, arm, joint = hinged()
    select(arm)
    assert not axis_buttons.REDMAX_PT_picked_axis.poll(bpy.context)
    bpy.ops.object.mode_set(mode="EDIT")
    assert axis_buttons.REDMAX_PT_picked_axis.poll(bpy.context)
    shown = drawn(axis_buttons.REDMAX_PT_picked_axis)
    assert shown.operators() == ["redmax.set_joint_axis"]
    assert joint.name in shown.texts()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_ball_has_no_axis_to_guess():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    bpy.ops.redmax.connect(kind="spherical")
    assert message() == "Ball 'Arm Ball' connects 'Arm' to 'Base'"
