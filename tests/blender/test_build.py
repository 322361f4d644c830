# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Mechanism, Connect and the operators that edit bodies and joints, through the operators alone."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest


def box(name, location=(0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0), *, collection=None):
    """A closed box of the given side lengths with its origin at one end of x, like a link at its pin."""
    x, y, z = size
    corners = [(i * x, (j - 0.5) * y, (k - 0.5) * z) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    (collection or bpy.context.scene.collection).objects.link(obj)
    obj.location = location
    return obj


def empty(name, location=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0)):
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = location
    obj.rotation_euler = rotation
    return obj


def select(*objects):
    """Select objects; the last is the active one."""
    bpy.context.view_layer.update()
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def parent_to(child, parent):
    """Blender parenting that keeps the child where it is."""
    bpy.context.view_layer.update()
    child.parent = parent
    child.matrix_parent_inverse = parent.matrix_world.inverted()


def joint_objects():
    return sorted((obj for obj in bpy.context.scene.objects if obj.redmax.is_joint), key=lambda obj: obj.name)


def joints():
    """{name: (parent name, child name)} of all joints."""
    found = {}
    for obj in joint_objects():
        joint = obj.redmax.joint
        found[obj.name] = (joint.parent and joint.parent.name, joint.child.name)
    return found


def world(obj):
    bpy.context.view_layer.update()
    return np.array(obj.matrix_world)


def snapshot():
    """Everything the operators could change, to show that a refusal changes nothing."""
    bpy.context.view_layer.update()
    return {
        obj.name: (
            obj.redmax.is_body,
            obj.redmax.is_joint,
            obj.redmax.body.root,
            obj.parent and obj.parent.name,
            obj.redmax.joint.parent and obj.redmax.joint.parent.name,
            obj.redmax.joint.child and obj.redmax.joint.child.name,
            tuple(np.array(obj.matrix_world).ravel()),
        )
        for obj in bpy.context.scene.objects
    }


def refused(operator, match, **options):
    before = snapshot()
    with pytest.raises(RuntimeError, match=match):
        operator(**options)
    assert snapshot() == before


# --- Make Mechanism --------------------------------------------------------------------------


def test_blender_parents_become_hinges_at_the_childs_origin():
    base, arm, hand = box("Base"), box("Arm", (1, 0, 0)), box("Hand", (2, 0, 0))
    parent_to(arm, base)
    parent_to(hand, arm)
    select(hand, arm, base)
    assert bpy.ops.redmax.make_mechanism() == {"FINISHED"}
    assert joints() == {"Arm Hinge": ("Base", "Arm"), "Hand Hinge": ("Arm", "Hand")}
    assert all(obj.redmax.is_body for obj in (base, arm, hand))
    assert base.redmax.body.root == "LOCKED"
    assert np.allclose(world(bpy.data.objects["Hand Hinge"])[:3, 3], (2, 0, 0))
    assert bpy.data.objects["Hand Hinge"].parent == arm
    assert bpy.data.objects["Hand Hinge"].redmax.joint.kind == "revolute"


def test_unselected_parents_in_between_are_passed_over():
    base, group, arm = box("Base"), empty("Group"), box("Arm", (1, 0, 0))
    parent_to(group, base)
    parent_to(arm, group)
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Arm Hinge": ("Base", "Arm")}


def test_an_empty_between_parent_and_child_is_the_joint():
    base, pin, arm = box("Base"), empty("Pin", (1, 0, 0.2), (0.3, 0, 0)), box("Arm", (1, 0, 0))
    parent_to(pin, base)
    parent_to(arm, pin)
    before = world(pin)
    select(arm, pin, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin": ("Base", "Arm")}
    assert np.allclose(world(pin), before)


def test_an_empty_that_carries_a_body_is_turned_and_the_body_stays():
    base, pin, arm = box("Base"), empty("Pin", (1, 0, 0)), box("Arm", (1, 0, 0), (2, 0.1, 0.5))
    parent_to(arm, pin)
    before = world(arm)
    select(arm, pin, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin": ("Base", "Arm")}
    assert np.allclose(world(arm), before, atol=1e-6)
    assert np.allclose(world(pin)[:3, 2], (0, 1, 0), atol=1e-6)


def test_an_empty_whose_rotation_is_keyed_keeps_its_axes():
    base, pin, arm = box("Base"), empty("Pin", (1, 0, 0)), box("Arm", (1, 0, 0), (2, 0.1, 0.5))
    pin.keyframe_insert("rotation_euler", frame=1)
    select(arm, pin, base)
    bpy.ops.redmax.make_mechanism(axis="X")
    assert np.allclose(world(pin)[:3, 2], (0, 0, 1), atol=1e-6)


def test_pins_connect_the_bodies_they_stand_in_and_the_one_nearer_to_the_base_carries():
    ground = box("Ground", (0, 0, 0), (4, 0.2, 0.2))
    crank = box("Crank", (0, 0, 0), (1, 0.1, 0.1))
    rod = box("Rod", (1, 0, 0), (2, 0.1, 0.1))
    crank.rotation_euler = rod.rotation_euler = (0, -math.pi / 2, 0)
    rod.location = (0, 0, 1)
    a, b = empty("Pin A", (0, 0, 0)), empty("Pin B", (0, 0, 1))
    select(rod, a, crank, b, ground)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin A": ("Ground", "Crank"), "Pin B": ("Crank", "Rod")}
    assert np.allclose(world(b)[:3, 3], (0, 0, 1))
    assert b.parent == crank


def test_a_pin_outside_all_boxes_connects_the_two_nearest():
    base, near, far = box("Base"), box("Near", (3, 0, 0)), box("Far", (9, 0, 0))
    pin = empty("Pin", (2, 0, 0))
    select(far, pin, near, base)
    bpy.ops.redmax.make_mechanism()
    assert joints()["Pin"] == ("Base", "Near")
    assert joints()["Far Hinge"] == ("Base", "Far")


def test_a_frame_around_the_machine_is_not_at_every_pin_in_it():
    frame = box("Frame", (-5, 0, 0), (10, 10, 10))
    frame.data.flip_normals()
    upper = box("Upper", (-1, 0, 0), (1.1, 0.1, 0.1))
    lower = box("Lower", (0, 0, 0), (1.1, 0.1, 0.1))
    pin, top = empty("Pin"), empty("Top", (-1, 0, 0))
    parent_to(top, frame)
    parent_to(upper, top)
    select(upper, lower, pin, top, frame)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin": ("Upper", "Lower"), "Top": ("Frame", "Upper")}


def test_a_closed_chain_gets_all_its_joints_and_says_that_one_closes_a_loop(capfd):
    bars = [
        box("Ground", (0, 0, 0), (2, 0.1, 0.1)),
        box("Left", (0, 0, 0), (1, 0.1, 0.1)),
        box("Right", (2, 0, 0), (1, 0.1, 0.1)),
        box("Top", (0, 0, 1), (2, 0.1, 0.1)),
    ]
    bars[1].rotation_euler = bars[2].rotation_euler = (0, -math.pi / 2, 0)
    corners = [
        empty(f"Pin {name}", at) for name, at in zip("abcd", ((0, 0, 0), (2, 0, 0), (0, 0, 1), (2, 0, 1)), strict=True)
    ]
    select(*bars[1:], *corners, bars[0])
    bpy.ops.redmax.make_mechanism()
    assert len(joints()) == 4
    assert {frozenset(pair) for pair in joints().values()} == {
        frozenset(pair) for pair in (("Ground", "Left"), ("Ground", "Right"), ("Left", "Top"), ("Right", "Top"))
    }
    assert all(child != "Ground" for _parent, child in joints().values())
    assert "closes a loop" in capfd.readouterr().out


def test_three_bodies_on_one_pin_are_two_joints_at_the_same_place():
    base = box("Base", (-1, 0, 0), (1, 0.1, 0.1))
    a, b = box("A", (0, 0, 0), (1, 0.1, 0.1)), box("B", (0, 0, 0), (1, 0.1, 0.1))
    pin = empty("Pin")
    select(a, b, pin, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Pin": ("Base", "A"), "B Hinge": ("Base", "B")}
    assert np.allclose(world(bpy.data.objects["B Hinge"]), world(pin), atol=1e-6)


def test_objects_without_parent_and_pin_hang_from_the_base_at_their_origin():
    base, arm = box("Base"), box("Arm", (3, 1, 2))
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Arm Hinge": ("Base", "Arm")}
    assert np.allclose(world(bpy.data.objects["Arm Hinge"])[:3, 3], (3, 1, 2))


def test_a_group_that_nothing_connects_hangs_from_the_base_by_its_topmost_parent():
    base, top, low = box("Base"), box("Zed", (5, 0, 0)), box("Ant", (6, 0, 0))
    parent_to(low, top)
    select(top, low, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Ant Hinge": ("Zed", "Ant"), "Zed Hinge": ("Base", "Zed")}


def test_bodies_that_the_world_holds_already_are_not_tied_to_the_base():
    base, wall = box("Base"), box("Wall", (5, 0, 0))
    wall.redmax.is_body = True
    wall.redmax.body.root = "LOCKED"
    arm = box("Arm", (1, 0, 0))
    select(wall, arm, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Arm Hinge": ("Base", "Arm")}


def test_a_base_below_its_blender_parent_still_carries_it():
    top, base = box("Top"), box("Base", (1, 0, 0))
    parent_to(base, top)
    select(top, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Top Hinge": ("Base", "Top")}
    assert np.allclose(world(bpy.data.objects["Top Hinge"])[:3, 3], (1, 0, 0))


def test_running_it_twice_changes_nothing():
    base, arm, hand = box("Base"), box("Arm", (1, 0, 0)), box("Hand", (2, 0, 0))
    parent_to(arm, base)
    pin = empty("Pin", (2, 0, 0))
    select(pin, hand, arm, base)
    bpy.ops.redmax.make_mechanism()
    before = snapshot()
    bpy.ops.redmax.make_mechanism()
    assert snapshot() == before
    select(*joint_objects(), hand, arm, base)
    bpy.ops.redmax.make_mechanism()
    assert snapshot() == before


def test_an_existing_joint_between_a_pair_is_kept():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    parent_to(arm, base)
    select(arm, base)
    bpy.ops.redmax.connect(kind="spherical")
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert [obj.redmax.joint.kind for obj in joint_objects()] == ["spherical"]


@pytest.mark.parametrize(
    ("size", "kind", "expected"),
    [
        ((2, 0.1, 0.5), "revolute", (0, 1, 0)),
        ((2, 0.5, 0.1), "revolute", (0, 0, 1)),
        ((0.1, 2, 0.5), "revolute", (1, 0, 0)),
        ((2, 0.1, 0.1), "revolute", (0, 1, 0)),
        ((1, 1, 1), "revolute", (0, 1, 0)),
        ((0.1, 0.1, 2), "prismatic", (0, 0, 1)),
        ((0.1, 3, 2), "universal", (0, 1, 0)),
    ],
)
def test_the_automatic_axis_is_the_thin_direction_of_links_and_the_long_one_of_sliders(size, kind, expected):
    base, arm = box("Base"), box("Arm", (2, 0, 0), size)
    select(arm, base)
    bpy.ops.redmax.make_mechanism(kind=kind)
    (joint,) = joint_objects()
    E = world(joint)
    assert np.allclose(E[:3, 2], expected, atol=1e-6)
    assert np.allclose(E[:3, :3].T @ E[:3, :3], np.eye(3), atol=1e-6)
    assert np.linalg.det(E[:3, :3]) == pytest.approx(1.0)


def test_the_axis_follows_a_turned_scaled_child_and_x_points_to_its_middle():
    base, arm = box("Base"), box("Arm", (2, 0, 0), (1, 1, 1))
    arm.scale = (3, 0.2, 1)
    arm.rotation_euler = (0, 0, 0.4)
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    (joint,) = joint_objects()
    assert np.allclose(world(joint)[:3, 2], (-math.sin(0.4), math.cos(0.4), 0), atol=1e-6)
    assert np.allclose(world(joint)[:3, 0], (math.cos(0.4), math.sin(0.4), 0), atol=1e-6)


def test_a_pin_that_was_turned_keeps_its_axis_and_one_that_was_not_takes_the_childs():
    base, a, b = box("Base"), box("A", (2, 0, 0), (1, 0.1, 0.4)), box("B", (4, 0, 0), (1, 0.1, 0.4))
    turned, plain = empty("Turned", (2, 0, 0), (0.2, 0, 0)), empty("Plain", (4, 0, 0))
    plain.scale = (2, 2, 2)
    before = world(turned)
    select(a, b, turned, plain, base)
    bpy.ops.redmax.make_mechanism()
    assert np.allclose(world(turned), before, atol=1e-6)
    M = world(plain)
    assert np.allclose(M[:3, 2], (0, 2, 0), atol=1e-5)
    assert np.allclose(M[:3, 3], (4, 0, 0))


@pytest.mark.parametrize(("axis", "expected"), [("X", (1, 0, 0)), ("Y", (0, 1, 0)), ("Z", (0, 0, 1))])
def test_a_world_axis_can_be_chosen(axis, expected):
    base, arm, pin = box("Base"), box("Arm", (2, 0, 0)), empty("Pin", (2, 0, 0), (0.5, 0.6, 0.7))
    select(arm, pin, base)
    bpy.ops.redmax.make_mechanism(axis=axis, kind="prismatic")
    assert np.allclose(world(pin)[:3, 2], expected, atol=1e-6)
    assert pin.redmax.joint.kind == "prismatic"
    assert pin.empty_display_type == "SINGLE_ARROW"


def test_new_empties_are_named_sized_and_filed_like_the_child():
    home = bpy.data.collections.new("Home")
    bpy.context.scene.collection.children.link(home)
    base, arm = box("Base"), box("Arm", (2, 0, 0), (3, 4, 12), collection=home)
    select(arm, base)
    bpy.ops.redmax.make_mechanism(kind="spherical")
    (joint,) = joint_objects()
    assert joint.name == "Arm Ball"
    assert list(joint.users_collection) == [home]
    assert joint.empty_display_size == pytest.approx(0.15 * 13)


def test_joints_follow_a_parent_of_any_scale_without_moving():
    base, arm = box("Base"), box("Arm", (2, 1, 0))
    base.scale, base.rotation_euler = (2, -0.5, 3), (0.1, 0.2, 0.3)
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    (joint,) = joint_objects()
    assert joint.parent == base
    assert np.allclose(world(joint)[:3, 3], (2, 1, 0), atol=1e-6)
    base.location.x += 5
    assert np.allclose(world(joint)[:3, 3], (7, 1, 0), atol=1e-5)


def test_joints_are_made_where_bodies_stand_at_the_first_frame():
    base, arm = box("Base"), box("Arm", (2, 0, 0))
    arm.keyframe_insert("location", frame=1)
    arm.location = (9, 0, 0)
    arm.keyframe_insert("location", frame=50)
    bpy.context.scene.frame_set(50)
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert bpy.context.scene.frame_current == 50
    assert np.allclose(world(arm)[:3, 3], (9, 0, 0))
    assert np.allclose(world(bpy.data.objects["Arm Hinge"])[:3, 3], (2, 0, 0))


def test_curves_texts_and_instances_are_bodies_cameras_are_left_out(capfd):
    part = bpy.data.collections.new("Part")
    box("Member", (1, 0, 0), collection=part)
    instance = empty("Instance", (2, 0, 0))
    instance.instance_type, instance.instance_collection = "COLLECTION", part
    text = bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT"))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    for obj in (text, camera):
        bpy.context.scene.collection.objects.link(obj)
    base = box("Base")
    select(instance, text, camera, base)
    bpy.ops.redmax.make_mechanism()
    assert joints() == {"Instance Hinge": ("Base", "Instance"), "Text Hinge": ("Base", "Text")}
    assert not camera.redmax.is_body
    assert "'Camera'" in capfd.readouterr().out
    # The box of the instance is that of its member, one unit away from the instance's origin.
    assert np.allclose(world(bpy.data.objects["Instance Hinge"])[:3, 0], (1, 0, 0), atol=1e-6)


def test_multi_user_meshes_share_nothing_but_the_mesh():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    twin = bpy.data.objects.new("Twin", arm.data)
    bpy.context.scene.collection.objects.link(twin)
    twin.location = (5, 0, 0)
    select(arm, base)
    bpy.ops.redmax.make_mechanism()
    assert not twin.redmax.is_body


def test_a_flattened_object_is_refused_by_name():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    arm.scale = (1, 0, 1)
    select(arm, base)
    refused(bpy.ops.redmax.make_mechanism, "'Arm' is flattened")


def test_make_mechanism_is_one_undo_step():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.make_mechanism("EXEC_DEFAULT", True)
    assert len(joints()) == 1
    bpy.ops.ed.undo()
    assert joints() == {}
    assert not bpy.data.objects["Base"].redmax.is_body
    assert bpy.data.objects["Base"].redmax.body.root == "FREE"
    bpy.ops.ed.redo()
    assert joints() == {"Arm Hinge": ("Base", "Arm")}


# --- Connect ---------------------------------------------------------------------------------


def every_kind():
    from redmax.joints import JOINTS

    return JOINTS.kinds


@pytest.mark.parametrize("kind", every_kind())
def test_connect_makes_every_kind_of_joint(kind):
    from redmax.joints import JOINTS

    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    assert bpy.ops.redmax.connect(kind=kind) == {"FINISHED"}
    (joint,) = joint_objects()
    assert (joint.name, joint.redmax.joint.kind) == (f"Arm {JOINTS[kind].label}", kind)
    assert base.redmax.body.root == "LOCKED"
    assert arm.redmax.body.root == "FREE"
    if kind == "composite":
        assert [part.kind for part in joint.redmax.joint.parts] == ["prismatic", "revolute"]


def test_connect_at_each_place():
    base = box("Base", (0, 0, 0))
    expected = {"EMPTY": (7, 0, 0), "CURSOR": (1, 2, 3), "CHILD": (4, 4, 0), "PARENT": (0, 0, 0)}
    bpy.context.scene.cursor.location = (1, 2, 3)
    for number, (at, place) in enumerate(expected.items()):
        arm, pin = box(f"Arm {number}", (4, 4, 0)), empty(f"Pin {number}", (7, 0, 0))
        select(arm, pin, base)
        bpy.ops.redmax.connect(at=at)
        (joint,) = (obj for obj in joint_objects() if obj.redmax.joint.child == arm)
        assert np.allclose(world(joint)[:3, 3], place, atol=1e-6)
        assert (joint == pin) == (at == "EMPTY")


@pytest.mark.parametrize("at", ["EMPTY", "CURSOR", "CHILD", "PARENT"])
def test_connect_without_a_child_says_so_wherever_the_joint_goes(at):
    base = box("Base")
    select(base)
    with pytest.raises(RuntimeError, match="Nothing is selected that could be connected; select the child and then"):
        bpy.ops.redmax.connect(at=at, to_world=False)
    with pytest.raises(RuntimeError, match="No empty is selected that could become the joint"):
        bpy.ops.redmax.connect(at="EMPTY")
    assert joints() == {}
    assert not base.redmax.is_body


def test_a_selected_empty_is_used_unless_told_otherwise():
    base, arm, pin = box("Base"), box("Arm", (1, 0, 0)), empty("Pin", (2, 0, 0))
    select(arm, pin, base)
    bpy.ops.redmax.connect()
    assert joints() == {"Pin": ("Base", "Arm")}


def test_several_children_take_the_empty_nearest_to_them():
    base, a, b, c = box("Base"), box("A", (4, 0, 0)), box("B", (8, 0, 0)), box("C", (9, 0, 0))
    near, far = empty("Near", (4, 1, 0)), empty("Far", (8, 1, 0))
    select(a, b, c, near, far, base)
    bpy.ops.redmax.connect(at="EMPTY")
    assert joints() == {"Near": ("Base", "A"), "Far": ("Base", "B"), "C Hinge": ("Base", "C")}
    assert np.allclose(world(bpy.data.objects["C Hinge"])[:3, 3], (8, 1, 0), atol=1e-6)


def test_the_cursors_own_axes_can_be_used():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    bpy.context.scene.cursor.rotation_euler = (math.pi / 2, 0, 0)
    select(arm, base)
    bpy.ops.redmax.connect(at="CURSOR", axis="LOCAL")
    assert np.allclose(world(joint_objects()[0])[:3, 2], (0, -1, 0), atol=1e-6)


def test_a_single_object_is_connected_to_the_world():
    arm = box("Arm", (1, 0, 0))
    select(arm)
    bpy.ops.redmax.connect(kind="spherical")
    assert joints() == {"Arm Ball": (None, "Arm")}
    assert joint_objects()[0].parent is None


def test_a_connection_that_closes_a_cycle_is_made_and_said(capfd):
    base, a, b = box("Base"), box("A", (1, 0, 0)), box("B", (2, 0, 0))
    select(a, base)
    bpy.ops.redmax.connect()
    select(b, base)
    bpy.ops.redmax.connect()
    assert "closes a loop" not in capfd.readouterr().out
    select(b, a)
    bpy.ops.redmax.connect()
    assert "closes a loop" in capfd.readouterr().out
    assert joints()["B Hinge.001"] == ("A", "B")


def test_a_second_carrier_closes_a_loop_through_the_world(capfd):
    left, right, arm = box("Left"), box("Right", (4, 0, 0)), box("Arm", (1, 0, 0))
    select(arm, left)
    bpy.ops.redmax.connect()
    assert "closes a loop" not in capfd.readouterr().out
    select(arm, right)
    bpy.ops.redmax.connect()
    assert "closes a loop" in capfd.readouterr().out
    assert joints() == {"Arm Hinge": ("Left", "Arm"), "Arm Hinge.001": ("Right", "Arm")}


def test_a_loop_joint_never_makes_the_base_a_child(capfd):
    base, a, b = box("Base"), box("A", (1, 0, 0)), box("B", (2, 0, 0))
    select(a, base)
    bpy.ops.redmax.connect()
    select(b, a)
    bpy.ops.redmax.connect()
    select(base, b)
    bpy.ops.redmax.connect()
    assert ("Base", "B") in joints().values()
    assert "closes a loop" in capfd.readouterr().out


def test_a_second_joint_of_a_pair_has_the_same_parent_whichever_way_it_is_selected(capfd):
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    bpy.ops.redmax.connect()
    select(base, arm)
    bpy.ops.redmax.connect()
    assert set(joints().values()) == {("Base", "Arm")}
    assert ", beside joint 'Arm Hinge'; it closes a loop" in capfd.readouterr().out


def test_connect_refuses_a_body_to_itself_by_name():
    from redmax_blender.bridge.authoring import build
    from redmax_blender.bridge.core.findings import RedMaxError

    arm = box("Arm")
    select(arm)
    before = snapshot()
    with pytest.raises(RedMaxError, match="'Arm' cannot be connected to itself"):
        build.connect(bpy.context, arm, arm)
    assert snapshot() == before


def test_connect_at_an_empty_without_one_is_refused():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    refused(bpy.ops.redmax.connect, "No empty is selected", at="EMPTY")


def test_hidden_parents_can_be_connected_to():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    base.hide_viewport = True
    bpy.context.view_layer.update()
    bpy.ops.redmax.connect()
    assert joints() == {"Arm Hinge": ("Base", "Arm")}


def test_linked_objects_are_refused_by_name(tmp_path):
    library = tmp_path / "library.blend"
    part = box("Linked Part")
    bpy.data.libraries.write(str(library), {part}, fake_user=True)
    bpy.data.objects.remove(part)
    with bpy.data.libraries.load(str(library), link=True) as (_source, target):
        target.objects = ["Linked Part"]
    linked, base = target.objects[0], box("Base", (3, 0, 0))
    bpy.context.scene.collection.objects.link(linked)
    select(linked, base)
    for operator in (bpy.ops.redmax.make_mechanism, bpy.ops.redmax.connect, bpy.ops.redmax.add_body):
        refused(operator, "'Linked Part' is linked from another file")


# --- bodies and joints -----------------------------------------------------------------------


def hinge():
    base, arm = box("Base"), box("Arm", (1, 0, 0))
    select(arm, base)
    bpy.ops.redmax.connect()
    (joint,) = joint_objects()
    return base, arm, joint


def test_add_body_gives_an_empty_a_shape_of_its_own():
    ghost, solid = empty("Ghost"), box("Solid")
    select(ghost, solid)
    bpy.ops.redmax.add_body()
    assert (ghost.redmax.is_body, ghost.redmax.body.shape) == (True, "sphere")
    assert (solid.redmax.is_body, solid.redmax.body.shape) == (True, "mesh")
    assert not bpy.ops.redmax.add_body.poll()


def test_remove_body_removes_its_joints_and_nothing_else():
    base, arm, _joint = hinge()
    hand = box("Hand", (2, 0, 0))
    select(hand, arm)
    bpy.ops.redmax.connect()
    other = box("Other", (5, 0, 0))
    select(other, base)
    bpy.ops.redmax.connect()
    select(arm)
    bpy.ops.redmax.remove_body()
    assert joints() == {"Other Hinge": ("Base", "Other")}
    assert not arm.redmax.is_body
    assert hand.redmax.is_body
    assert "Arm Hinge" not in bpy.data.objects


def test_remove_joint_keeps_the_empty_if_asked_and_children_stay_where_they_are():
    base, arm, joint = hinge()
    base.location, base.rotation_euler = (0, 0, 3), (0.1, 0.2, 0.3)
    select(joint)
    bpy.ops.redmax.remove_joint(keep_empty=True)
    assert joints() == {}
    assert joint.name in bpy.data.objects
    assert joint.redmax.joint.child is None
    hat = box("Hat", (1, 1, 1))
    parent_to(hat, joint)
    before = world(hat)
    joint.redmax.is_joint, joint.redmax.joint.child = True, arm
    select(joint)
    bpy.ops.redmax.remove_joint()
    assert "Arm Hinge" not in bpy.data.objects
    assert np.allclose(world(hat), before, atol=1e-6)
    assert hat.parent.name == "Base"


def test_swap_exchanges_the_bodies_and_leaves_the_joint_in_place():
    base, arm, joint = hinge()
    before = world(joint)
    select(joint)
    bpy.ops.redmax.swap_joint()
    assert joints() == {"Arm Hinge": ("Arm", "Base")}
    assert joint.parent == arm
    assert np.allclose(world(joint), before, atol=1e-6)
    bpy.ops.redmax.swap_joint()
    assert (joint.parent, joints()) == (base, {"Arm Hinge": ("Base", "Arm")})


def test_swap_leaves_a_joint_in_place_whose_new_parent_is_flattened():
    _base, arm, joint = hinge()
    arm.scale.z = 0.0
    before = world(joint)
    select(joint)
    bpy.ops.redmax.swap_joint()
    assert (joint.parent, joints()) == (None, {"Arm Hinge": ("Arm", "Base")})
    assert np.allclose(world(joint), before, atol=1e-6)


@pytest.mark.parametrize("flattened", [True, False], ids=["flattened parent", "no parent"])
def test_children_of_a_joint_that_goes_stay_where_they_are(flattened):
    base, _arm, joint = hinge()
    joint.location = (1.0, 2.0, 3.0)
    hat = box("Hat", (1, 1, 1))
    if flattened:
        hat.parent = joint
        base.scale.z = 0.0
    else:
        joint.parent = None
        hat.parent = joint
    bpy.context.view_layer.update()
    before = world(hat)
    select(joint)
    bpy.ops.redmax.remove_joint()
    assert hat.parent is None
    shown = np.s_[:, 3] if flattened else np.s_[:]  # a flattened frame has no rotation
    assert np.allclose(world(hat)[shown], before[shown], atol=1e-6)


def test_swap_refuses_the_world_by_name():
    arm = box("Arm")
    select(arm)
    bpy.ops.redmax.connect()
    select(joint_objects()[0])
    refused(bpy.ops.redmax.swap_joint, "'Arm Hinge' has no parent body")


def test_set_root_locks_and_frees_and_warns_where_a_joint_carries(capfd):
    base, arm, _joint = hinge()
    select(arm, base)
    bpy.ops.redmax.set_root(root="FREE")
    assert (base.redmax.body.root, arm.redmax.body.root) == ("FREE", "FREE")
    assert "'Arm' is carried by joint 'Arm Hinge'" in capfd.readouterr().out
    bpy.ops.redmax.set_root(root="LOCKED")
    assert base.redmax.body.root == "LOCKED"


def test_buttons_are_grey_outside_object_mode_and_while_a_simulation_runs():
    base, arm, _joint = hinge()
    select(arm, base)
    assert bpy.ops.redmax.make_mechanism.poll()
    bpy.context.window_manager.redmax.running = True
    assert not bpy.ops.redmax.make_mechanism.poll()
    with pytest.raises(RuntimeError, match="A simulation is running"):
        bpy.ops.redmax.make_mechanism()
    bpy.context.window_manager.redmax.running = False
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("make_mechanism", "connect", "add_body", "remove_body", "set_root", "remove_joint", "key_coordinate"):
        with pytest.raises(RuntimeError, match="Object Mode"):
            getattr(bpy.ops.redmax, name)()
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("make_mechanism", "Select the parts"),
        ("connect", "Select the child"),
        ("add_body", "Select a mesh"),
        ("remove_body", "Select a body"),
        ("set_root", "Select a body"),
        ("remove_joint", "Select a joint"),
        ("swap_joint", "Select a joint"),
        ("add_part", "Select a joint"),
        ("key_coordinate", "Select a joint"),
        ("coordinate_from_motion", "Select a joint"),
    ],
)
def test_a_grey_button_says_why(name, message):
    with pytest.raises(RuntimeError, match=message):
        getattr(bpy.ops.redmax, name)()
