# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Spring and Add Gear: what they make, that it moves as promised, and what results tell of it."""

from __future__ import annotations

import math

import bpy
import geared
import numpy as np
import pytest
from geared import extracted, select
from swinging import box, hinge
from test_ui_panels import drawn

from redmax_blender.bridge.results import cache

MASS = geared.MASS


def result():
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    assert found is not None
    assert found.status == "complete"
    return found


def test_a_spring_goes_from_origin_to_origin_and_is_as_stiff_as_its_frequency_asks():
    spring = geared.sprung(frequency=2.0, damping=0.1)
    settings = spring.redmax.force.spring_damper
    assert (settings.body_a.name, settings.body_b.name) == ("Anchor", "Bob")
    omega = 2.0 * math.pi * 2.0
    np.testing.assert_allclose(settings.stiffness, omega**2 * MASS, rtol=1e-5)
    np.testing.assert_allclose(settings.damping, 2.0 * 0.1 * omega * MASS, rtol=1e-5)
    assert not settings.use_rest_length
    np.testing.assert_allclose(spring.matrix_world.translation, (0.0, 0.0, 1.5), atol=1e-6)
    assert spring.parent.name == "Anchor"
    assert not extracted().findings


def test_two_free_bodies_swing_on_their_reduced_mass():
    a, b = box("A", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2)), box("B", (1.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    select(a, b)
    bpy.ops.redmax.add_spring(frequency=1.0)
    stiffness = bpy.context.object.redmax.force.spring_damper.stiffness
    np.testing.assert_allclose(stiffness, (2.0 * math.pi) ** 2 * 0.5 * MASS, rtol=1e-5)


def test_an_arm_on_a_hinge_swings_on_the_inertia_about_its_hinge():
    """m = I / r^2 with the lever r of the spring's line."""
    post, arm = box("Post", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)), box("Arm", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1))
    post.redmax.body.root = "LOCKED"
    hinge("Pin", post, arm, (0.0, 0.0, 0.0))
    hook, eye = geared.empty("A Hook", (0.5, 0.0, 1.0)), geared.empty("Eye", (0.5, 0.0, 0.0))
    select(hook, eye, arm)
    bpy.ops.redmax.add_spring(ends="EMPTIES", frequency=1.0)
    spring = bpy.context.object.redmax.force.spring_damper
    assert (spring.body_a, spring.body_b) == (arm, None)
    assert (spring.point_a_at, spring.point_b_at) == (eye, hook), "the nearer one is on the body"
    mass = 1000.0 * 0.01
    inertia = mass * (1.0 + 0.01) / 12.0 + mass * 0.25
    np.testing.assert_allclose(spring.stiffness, (2.0 * math.pi) ** 2 * inertia / 0.5**2, rtol=1e-4)


@pytest.mark.parametrize("ends", ["ORIGINS", "CURSOR", "EMPTIES"])
def test_ends_are_where_the_artist_asked_for(ends):
    a, b = box("A", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2)), box("B", (1.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    a.rotation_euler = (0.3, -0.2, 1.0)
    bpy.context.scene.cursor.location = (1.0, 0.2, 0.1)
    eye, hook = geared.empty("Eye", (0.1, 0.0, 1.0)), geared.empty("Hook", (0.9, 0.0, 0.1))
    select(a, b, *((eye, hook) if ends == "EMPTIES" else ()))
    bpy.context.view_layer.objects.active = b
    bpy.ops.redmax.add_spring(ends=ends)
    found = extracted()
    (force,) = found.scene.forces
    world = [
        found.body(name).E_wb[:3, :3] @ np.array(point) + found.body(name).E_wb[:3, 3]
        for name, point in ((force.body_a, force.point_a), (force.body_b, force.point_b))
    ]
    wanted = {
        "ORIGINS": [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)],
        "CURSOR": [(0.0, 0.0, 1.0), (1.0, 0.2, 0.1)],
        "EMPTIES": [(0.1, 0.0, 1.0), (0.9, 0.0, 0.1)],
    }[ends]
    np.testing.assert_allclose(world, wanted, atol=1e-6)
    if ends == "EMPTIES":
        hook.location.z = 0.3
        bpy.context.view_layer.update()
        again = extracted()
        moved = again.body("B").E_wb[:3, :3] @ np.array(again.scene.forces[0].point_b) + again.body("B").E_wb[:3, 3]
        np.testing.assert_allclose(moved, (0.9, 0.0, 0.3), atol=1e-6)


def test_one_body_hangs_from_the_world_at_the_cursor():
    bob = box("Bob", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    bpy.context.scene.cursor.location = (0.0, 0.0, 1.0)
    select(bob)
    bpy.ops.redmax.add_spring(frequency=1.0)
    (force,) = extracted().scene.forces
    assert (force.body_a, force.body_b) == ("Bob", None)
    np.testing.assert_allclose(force.point_b, (0.0, 0.0, 1.0), atol=1e-6)
    assert not geared.texts(), "it is held: it will not fall"


def test_bodies_that_hang_on_each_other_alone_fall_together():
    a, b, c = (box(name, (x, 0.0, 0.0), (0.2, 0.2, 0.2)) for x, name in enumerate("ABC"))
    for pair in ((a, b), (b, c)):
        select(*pair)
        bpy.ops.redmax.add_spring()
    assert geared.texts() == [f"'{name}' is not attached to anything and will fall" for name in "ABC"]
    a.redmax.body.root = "LOCKED"
    assert not geared.texts(), "C hangs on B, and B on A"
    a.redmax.body.root, c.redmax.body.keep_free = "FREE", True
    assert not geared.texts(), "they are meant to fall together"


def test_a_rest_length_below_the_present_one_pulls_from_the_start():
    geared.sprung(rest=0.8)
    (force,) = extracted().scene.forces
    np.testing.assert_allclose(force.rest_length, 0.8, rtol=1e-6)


def test_lengths_follow_the_unit_scale():
    bpy.context.scene.unit_settings.scale_length = 0.01
    a, b = box("A", (0.0, 0.0, 2.0), (0.2, 0.2, 0.2)), box("B", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    a.redmax.body.root = "LOCKED"
    bpy.context.scene.cursor.location = (0.1, 0.0, 1.0)
    select(a, b)
    bpy.ops.redmax.add_spring(ends="CURSOR", rest=0.5)
    (force,) = extracted().scene.forces
    np.testing.assert_allclose(force.point_b, (0.001, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(force.rest_length, 0.5 * math.hypot(1.0, 0.1) * 0.01, rtol=1e-6)


def test_a_spring_that_can_move_nothing_is_refused_and_leaves_nothing():
    a, b = box("A", (0.0, 0.0, 2.0), (0.2, 0.2, 0.2)), box("B", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    a.redmax.body.root = b.redmax.body.root = "LOCKED"
    select(a, b)
    before = {obj.name for obj in bpy.data.objects}
    with pytest.raises(RuntimeError, match="can move along it"):
        bpy.ops.redmax.add_spring()
    assert {obj.name for obj in bpy.data.objects} == before
    assert a.redmax.is_body
    assert b.redmax.is_body


def test_a_spring_that_is_refused_leaves_no_bodies_either():
    """Two plain objects, of which one cannot be weighed: they stay plain objects."""
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 2.0))
    a = bpy.context.object
    bpy.ops.mesh.primitive_plane_add(location=(0.0, 0.0, 0.0))
    b = bpy.context.object
    select(a, b)
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.add_spring()
    assert not a.redmax.is_body
    assert not b.redmax.is_body
    assert {obj.name for obj in bpy.data.objects if obj.redmax.is_force} == set()


def test_the_bob_swings_at_the_frequency_that_was_asked_for():
    geared.sprung(frequency=2.0, damping=0.0)
    bpy.context.scene.frame_end, bpy.context.scene.render.fps = 97, 48
    found = result()
    z = found.position[:, found.body("Bob"), 2]
    swing = z - 0.5 * (z.max() + z.min())
    crossings = np.flatnonzero(np.diff(np.sign(swing)))
    times = [found.t[k] - swing[k] * (found.t[k + 1] - found.t[k]) / (swing[k + 1] - swing[k]) for k in crossings]
    np.testing.assert_allclose(np.diff(times).mean(), 0.25, rtol=5e-3)


def test_results_tell_the_tension_and_the_length_of_a_spring():
    spring = geared.sprung(frequency=2.0, damping=0.1)
    scene = bpy.context.scene
    scene.redmax.bake.forces = True
    found = result()
    bpy.ops.redmax.bake()
    settings = spring.redmax.force.spring_damper
    for frame in (1, 7, 25):
        scene.frame_set(frame)
        bob = found.body("Bob")
        length = 2.0 - found.position[frame - 1, bob, 2]
        speed = -found.channels["twist"][frame - 1, bob, 5]
        tension = settings.stiffness * (length - 1.0) + settings.damping * speed
        np.testing.assert_allclose(spring["redmax_length"][0], length, rtol=1e-6)
        np.testing.assert_allclose(spring["redmax_tension"][0], tension, rtol=1e-4, atol=1e-3)
    assert spring.redmax.baked.units == "redmax_tension=N;redmax_length=m;redmax_elastic_energy=J"
    bpy.ops.redmax.remove_bake()
    assert "redmax_tension" not in spring


@pytest.mark.parametrize(
    ("options", "ratio"),
    [({}, -0.5), ({"same_way": True}, 0.5), ({"source": "GIVEN", "ratio": 3.0}, 3.0)],
    ids=["radii", "belt", "given"],
)
def test_a_gear_has_the_ratio_of_the_radii_or_the_given_one(options, ratio):
    gear = geared.geared(**options)
    settings = gear.redmax.constraint.coupling
    assert (settings.leader.name, settings.follower.name) == ("Small Hinge", "Large Hinge")
    np.testing.assert_allclose(settings.ratio, ratio, rtol=1e-4)
    (mechanism,) = extracted().mechanisms
    assert (mechanism.dofs, set(mechanism.bodies)) == (1, {"Small", "Large"})


def test_wheels_may_be_picked_instead_of_their_joints():
    geared.geared()
    bpy.data.objects.remove(bpy.context.object)
    select(bpy.data.objects["Large"], bpy.data.objects["Small"])
    bpy.ops.redmax.add_gear()
    settings = bpy.context.object.redmax.constraint.coupling
    assert (settings.leader.name, settings.follower.name) == ("Large Hinge", "Small Hinge")
    np.testing.assert_allclose(settings.ratio, -2.0, rtol=1e-4)


def test_axes_that_point_against_each_other_turn_the_ratio_round():
    geared.geared()
    bpy.data.objects.remove(bpy.context.object)
    bpy.data.objects["Large Hinge"].rotation_euler.x = math.pi
    select(bpy.data.objects["Small Hinge"], bpy.data.objects["Large Hinge"])
    bpy.ops.redmax.add_gear()
    np.testing.assert_allclose(bpy.context.object.redmax.constraint.coupling.ratio, 0.5, rtol=1e-4)


def test_a_wheel_moves_a_rack_by_its_radius():
    geared.geared()
    bpy.data.objects.remove(bpy.context.object)
    rack = bpy.data.objects["Large Hinge"]
    rack.redmax.joint.kind = "prismatic"
    rack.rotation_euler = (math.pi / 2.0, 0.0, 0.0)  # along -y
    select(bpy.data.objects["Small Hinge"], rack)
    bpy.ops.redmax.add_gear()
    np.testing.assert_allclose(bpy.context.object.redmax.constraint.coupling.ratio, -0.2, rtol=1e-4)


def test_geared_joints_keep_their_ratio_and_tell_the_torque_between_them():
    gear = geared.geared()
    joint = bpy.data.objects["Small Hinge"].redmax.joint
    joint.torque_1 = 1.0
    bpy.context.scene.redmax.bake.forces = True
    found = result()
    small, large = (found.joint_names.index(name) for name in ("Small Hinge", "Large Hinge"))
    assert abs(found.q[-1, small]) > 1e-3
    np.testing.assert_allclose(found.q[:, large], -0.5 * found.q[:, small], atol=1e-9)
    bpy.ops.redmax.bake()
    assert gear.redmax.baked.units == "redmax_holding=N m"
    masses = {body.name: body.mass for body in extracted().bodies}
    # I1 a1 = torque - ratio * holding with a2 = ratio a1 and I2 a2 = holding, of discs of the given radii.
    inertia = {name: 0.5 * masses[name] * radius**2 for name, radius in (("Small", 0.2), ("Large", 0.4))}
    a1 = 1.0 / (inertia["Small"] + 0.25 * inertia["Large"])
    np.testing.assert_allclose(gear["redmax_holding"][0], -0.5 * a1 * inertia["Large"], rtol=2e-2)


def test_gears_mesh_as_their_joints_stand_at_the_start():
    geared.geared()
    bpy.data.objects.remove(bpy.context.object)
    bpy.data.objects["Large Hinge"].redmax.joint.coordinate_angle_1 = 0.3
    select(bpy.data.objects["Small Hinge"], bpy.data.objects["Large Hinge"])
    bpy.ops.redmax.add_gear()
    np.testing.assert_allclose(bpy.context.object.redmax.constraint.coupling.offset_angle, 0.3, rtol=1e-5)
    assert not geared.texts()


def test_add_gear_says_what_it_needs():
    spring = geared.sprung()
    select(spring, bpy.data.objects["Bob"])
    with pytest.raises(RuntimeError, match="0 joints are selected; select two joints"):
        bpy.ops.redmax.add_gear()


def test_a_geared_joint_rather_leaves_the_loop_to_others():
    """A coordinate that a gear turns must be one of the tree; of two joints that carry a body the other closes it."""
    geared.geared()
    large = bpy.data.objects["Large"]
    first = bpy.data.objects.new("A Pin", None)  # comes first by name
    bpy.context.scene.collection.objects.link(first)
    first.location = large.location
    first.redmax.is_joint, first.redmax.joint.child = True, large
    bpy.context.view_layer.update()
    (mechanism,) = extracted().mechanisms
    assert mechanism.closers == ("A Pin",)


def panel(name):
    return [shown for shown, _ in drawn()[name].properties()]


def test_a_coordinate_is_asked_for_only_where_a_joint_has_several():
    gear = geared.geared()
    settings = gear.redmax.constraint.coupling
    select(gear)
    assert panel("REDMAX_PT_constraint_connects") == ["leader", "follower"]
    assert panel("REDMAX_PT_constraint") == ["kind", "ratio", "offset_angle"]
    settings.follower.redmax.joint.kind = "universal"
    assert panel("REDMAX_PT_constraint_connects") == ["leader", "follower", "follower_coordinate"]
    settings.follower.redmax.joint.kind = "prismatic"
    assert panel("REDMAX_PT_constraint") == ["kind", "ratio", "offset_distance"]


def bake_everything():
    options = bpy.context.scene.redmax.bake
    options.torque = options.reaction = options.energy = options.gap = options.forces = True
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_a_strand_is_simulated_and_tells_its_length():
    spring = geared.sprung()
    bpy.data.objects.remove(spring)
    anchor, bob, knot = bpy.data.objects["Anchor"], bpy.data.objects["Bob"], geared.empty("Knot", (0.0, 0.0, 1.5))
    select(anchor, bob)
    bpy.ops.redmax.add_element(kind="strand.")
    strand = bpy.context.object
    settings = strand.redmax.strand
    settings.stiffness = 2000.0
    select(knot, strand)
    bpy.ops.redmax.edit_list(sort="strand", field="nodes", action="ADD")
    bpy.ops.redmax.edit_list(sort="strand", field="nodes", action="UP")
    for node, body in ((0, anchor), (2, bob)):
        entry = settings.attachments.add()
        entry.node, entry.body = node, body
    (made,) = extracted().scene.strands
    np.testing.assert_allclose(made.nodes, [(0.0, 0.0, 2.0), (0.0, 0.0, 1.5), (0.0, 0.0, 1.0)], atol=1e-6)
    assert [attachment.body for attachment in made.attachments] == ["Anchor", "Bob"]
    assert not geared.texts(), "the bob hangs"
    found = result()
    bake_everything()
    scene = bpy.context.scene
    scene.frame_set(scene.frame_end)
    drop = 1.0 - float(found.position[-1, found.body("Bob"), 2])
    assert drop > 0.01
    np.testing.assert_allclose(strand["redmax_length"][0], 1.0 + drop, rtol=1e-5)
    np.testing.assert_allclose(bob.matrix_world.translation.z, 1.0 - drop, rtol=1e-5)


def test_a_drive_moves_its_joints_and_tells_its_input():
    gear = geared.geared()
    bpy.data.objects.remove(gear)
    joints = [bpy.data.objects[name] for name in ("Small Hinge", "Large Hinge")]
    select(*joints)
    bpy.ops.redmax.add_element(kind="drive.")
    drive = bpy.context.object
    settings = drive.redmax.drive
    assert [settings.inputs[0].joint, settings.followers[0].joint] == joints
    settings.followers[0].ratio[0] = 2.0
    joints[0].redmax.joint.torque_1 = 0.1
    (mechanism,) = extracted().mechanisms
    assert (mechanism.dofs, set(mechanism.bodies)) == (1, {"Small", "Large"})
    found = result()
    small, large = (found.joint_names.index(joint.name) for joint in joints)
    assert abs(found.q[-1, small]) > 1e-4
    np.testing.assert_allclose(found.q[:, large], 2.0 * found.q[:, small], atol=1e-12)
    bake_everything()
    scene = bpy.context.scene
    scene.frame_set(scene.frame_end)
    np.testing.assert_allclose(drive["redmax_input"][0], found.q[-1, small], rtol=1e-5)


def test_an_input_of_its_own_drives_a_joint_by_keys():
    """A handle: its keyed coordinate moves the joint, which has no motor of its own."""
    gear = geared.geared()
    bpy.data.objects.remove(gear)
    joint = bpy.data.objects["Large Hinge"]
    select(joint)
    bpy.ops.redmax.add_element(kind="drive.")
    settings = bpy.context.object.redmax.drive
    given, follower = settings.inputs[0], settings.followers[0]
    given.joint, follower.joint = None, joint
    given.motion_type, given.animation_source = "animated", "KEYS"
    for frame, value in ((1, 0.0), (13, 1.0)):
        given.animation_1 = value
        given.keyframe_insert("animation_1", frame=frame)
    found = result()
    np.testing.assert_allclose(found.q[-1, found.joint_names.index("Large Hinge")], 1.0, atol=1e-6)
    bake_everything()


@pytest.mark.parametrize("kind", ["gear", "strand."])
def test_a_motion_with_a_gear_or_a_strand_can_be_baked_as_a_loop(kind):
    if kind == "gear":
        geared.geared()
        bpy.data.objects["Small Hinge"].redmax.joint.torque_1 = 0.1
    else:
        bpy.data.objects.remove(geared.sprung())
        select(bpy.data.objects["Anchor"], bpy.data.objects["Bob"])
        bpy.ops.redmax.add_element(kind=kind)
        bpy.context.object.redmax.strand.attachments.add().body = bpy.data.objects["Anchor"]
    result()
    options = bpy.context.scene.redmax.bake
    options.loop, options.loop_frames = True, 4
    bake_everything()
    scene = bpy.context.scene
    name = "Small" if kind == "gear" else "Bob"
    ends = []
    for frame in (scene.frame_start, scene.frame_end):
        scene.frame_set(frame)
        ends.append(np.array(bpy.data.objects[name].matrix_world))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-5)


def test_a_cable_runs_through_points_on_bodies():
    spring = geared.sprung()
    bpy.data.objects.remove(spring)
    select(bpy.data.objects["Anchor"], bpy.data.objects["Bob"])
    bpy.ops.redmax.add_element(kind="force.cable")
    cable = bpy.context.object
    settings = cable.redmax.force.cable
    assert [point.body.name for point in settings.points] == ["Anchor", "Bob"]
    settings.stiffness = 3000.0
    result()
    bake_everything()
    assert cable.redmax.baked.units == "redmax_tension=N;redmax_length=m;redmax_elastic_energy=J"
