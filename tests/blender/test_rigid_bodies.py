# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert Rigid Body World and Back to Rigid Bodies: what becomes what, what is said, and that all comes back."""

from __future__ import annotations

import math

import bpy
import by_hand
import numpy as np
import pytest
import rigid_worlds as rw
from railed import select

from redmax_blender import handlers
from redmax_blender.properties import sorts


def convert(**options):
    assert bpy.ops.redmax.convert_rigid_bodies(**options) == {"FINISHED"}


def back(**options):
    assert bpy.ops.redmax.back_to_rigid_bodies(**options) == {"FINISHED"}


def said():
    return bpy.context.scene.redmax.rigid_bodies.report


def extracted():
    found = by_hand.extract()
    assert not found.errors, [str(each) for each in found.errors]
    return found.scene


def joint(name):
    (found,) = (each for each in extracted().joints if each.name == name)
    return found


def values(thing):
    """All settings of a Blender struct."""
    found = {}
    for prop in thing.bl_rna.properties:
        value = getattr(thing, prop.identifier)
        if prop.identifier == "rna_type":
            continue
        if prop.type == "POINTER":
            found[prop.identifier] = None if value is None else getattr(value, "name", repr(type(value)))
        elif prop.type != "COLLECTION":
            found[prop.identifier] = tuple(value) if getattr(prop, "is_array", False) else value
    return found


def everything():
    """All that a conversion could have touched."""
    scene = bpy.context.scene
    world = scene.rigidbody_world
    channels = ("location", "rotation_euler", "rotation_quaternion", "scale", "matrix_parent_inverse", "hide_viewport")
    objects = {}
    for obj in bpy.data.objects:
        objects[obj.name] = {
            "rigid_body": obj.rigid_body and values(obj.rigid_body),
            "constraint": obj.rigid_body_constraint and values(obj.rigid_body_constraint),
            "parent": obj.parent and obj.parent.name,
            "collections": sorted(home.name for home in obj.users_collection),
            "redmax": repr(sorts.content(obj.redmax)),
            **{name: repr(getattr(obj, name)) for name in channels},
        }
    collections = {each.name: sorted(obj.name for obj in each.objects) for each in bpy.data.collections}
    caching = values(world.point_cache)
    caching.pop("info")
    return objects, collections, values(world), caching, repr(sorts.content(scene.redmax.rigid_bodies))


@pytest.fixture
def chain():
    rw.world()
    rw.chain()
    bpy.context.scene.rigidbody_world.substeps_per_frame = 17
    for k, obj in enumerate(rw.moving()):
        obj.rigid_body.friction, obj.rigid_body.angular_damping = 0.1 * k, 0.3


@pytest.mark.parametrize("name", rw.SCENES)
def test_everything_comes_back_as_it_was(name):
    rw.world()
    rw.SCENES[name]()
    before = everything()
    convert()
    assert all(obj.redmax.is_body for obj in rw.moving())
    back()
    assert everything() == before


def test_it_comes_back_after_saving_and_opening_too(chain, tmp_path):
    before = everything()
    convert()
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "converted.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "converted.blend"))
    moved = rw.bullet(4, 20)
    assert all(np.ptp(M[:, 2, 3]) == 0.0 for M in moved.values()), "Blender leaves them alone"
    bpy.context.scene.rigidbody_world.substeps_per_frame = 17
    bpy.context.scene.rigidbody_world.point_cache.frame_end = 250
    bpy.context.scene.frame_end = 250
    back()
    assert everything() == before
    assert rw.bullet(4, 20)["Link 4"][-1][2, 3] < -0.01, "and moves them again"


def test_each_way_is_one_step_to_undo(chain):
    before = everything()
    bpy.ops.ed.undo_push(message="before")
    convert()
    bpy.ops.ed.undo_push(message="converted")
    bpy.ops.ed.undo()
    assert everything() == before
    bpy.ops.ed.redo()
    assert len(extracted().joints) >= 5
    back()
    bpy.ops.ed.undo_push(message="back")
    assert everything() == before
    bpy.ops.ed.undo()
    assert len(extracted().joints) >= 5


def test_converted_rigid_bodies_are_moved_by_redmax_alone(chain):
    convert()
    bpy.context.scene.frame_end = 5
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    bpy.context.scene.frame_set(5)
    shown = bpy.data.objects["Link 4"].matrix_world.translation.z
    assert shown < -0.01
    back()
    bpy.context.scene.frame_set(1)
    assert bpy.data.objects["Link 4"].matrix_world.translation.z == 0.0
    assert not bpy.context.scene.redmax.result.identifier


def test_a_bake_is_removed_first(chain):
    convert()
    bpy.context.scene.frame_end = 3
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    with pytest.raises(RuntimeError, match="use Remove Bake first"):
        bpy.ops.redmax.back_to_rigid_bodies()
    bpy.ops.redmax.remove_bake()
    back()


def test_a_baked_world_is_refused(chain):
    bpy.context.scene.frame_end = bpy.context.scene.rigidbody_world.point_cache.frame_end = 3
    cache = bpy.context.scene.rigidbody_world.point_cache
    with bpy.context.temp_override(point_cache=cache):
        bpy.ops.ptcache.bake(bake=True)
    with pytest.raises(RuntimeError, match="Delete Bake"):
        bpy.ops.redmax.convert_rigid_bodies()


def test_without_rigid_bodies_the_buttons_say_why():
    assert not bpy.ops.redmax.convert_rigid_bodies.poll()
    assert not bpy.ops.redmax.back_to_rigid_bodies.poll()


# --- selected ones ----------------------------------------------------------------------------


def two_pendulums():
    rw.world()
    for y in (0.0, 3.0):
        post = rw.rigid(f"Post {y}", (0.2, 0.2, 0.2), (0.0, y, 0.0), type="PASSIVE")
        arm = rw.rigid(f"Arm {y}", (1.0, 0.1, 0.1), (0.5, y, 0.0))
        end = rw.rigid(f"End {y}", (1.0, 0.1, 0.1), (1.5, y, 0.0))
        rw.tie("HINGE", post, arm, (0.0, y, 0.0), rw.ABOUT_Y)
        rw.tie("HINGE", end, arm, (1.0, y, 0.0), rw.ABOUT_Y)


def test_selected_ones_bring_what_is_tied_to_them_and_blender_simulates_the_rest():
    two_pendulums()
    before = everything()
    select(bpy.data.objects["End 0.0"])
    convert(selected_only=True)
    assert {obj.name for obj in bpy.data.objects if obj.redmax.is_body} == {"Post 0.0", "Arm 0.0", "End 0.0"}
    moved = rw.bullet(6, 20)
    assert np.ptp(moved["End 0.0"][:, 2, 3]) == 0.0
    assert np.ptp(moved["End 3.0"][:, 2, 3]) > 0.01
    select(bpy.data.objects["End 3.0"])
    convert(selected_only=True)
    select(bpy.data.objects["Arm 0.0"])
    back(selected_only=True)
    assert {obj.name for obj in bpy.data.objects if obj.redmax.is_body} == {"Post 3.0", "Arm 3.0", "End 3.0"}
    back()
    scene = bpy.context.scene
    scene.frame_end = scene.rigidbody_world.point_cache.frame_end = 250
    scene.rigidbody_world.substeps_per_frame = rw.FINE
    assert everything() == before


def test_what_was_added_meanwhile_stays():
    two_pendulums()
    select(bpy.data.objects["End 0.0"])
    convert(selected_only=True)
    rw.rigid("Stone", at=(0.0, 9.0, 0.0))
    bpy.context.view_layer.objects.active = bpy.data.objects["End 0.0"]
    select(bpy.data.objects["End 0.0"])
    bpy.ops.object.duplicate()
    back()
    homes = {obj.name for obj in bpy.context.scene.rigidbody_world.collection.objects}
    assert {"Stone", "End 0.0", "End 0.001"} <= homes
    assert not any(obj.redmax.is_body for obj in bpy.data.objects)


def test_what_was_attached_meanwhile_goes_with_the_bodies(chain):
    convert()
    select(bpy.data.objects["Link 1"])
    bpy.ops.redmax.add_force()
    count = len(bpy.data.objects)
    back()
    assert len(bpy.data.objects) < count
    assert not any(obj.redmax.is_force for obj in bpy.data.objects)


# --- what becomes what ------------------------------------------------------------------------


def test_bodies_have_mass_damping_and_surface():
    rw.world()
    rw.rigid("Ground", (9.0, 9.0, 1.0), (0.0, 0.0, -0.5), type="PASSIVE", friction=0.5)
    box = {"friction": 0.8, "restitution": 0.5, "linear_damping": 0.04, "angular_damping": 0.1}
    rw.rigid("Crate", (1.0, 2.0, 0.5), (0.0, 0.0, 3.0), mass=4.0, **box)
    convert()
    scene = extracted()
    (body,) = scene.bodies
    assert body.inertia.mass == pytest.approx(4.0)
    np.testing.assert_allclose(body.inertia.tensor, by_hand.box_tensor(4.0, (1.0, 2.0, 0.5)), atol=1e-6)
    surfaces = {each.name: each for each in scene.surfaces}
    assert surfaces["Crate"].kind == "box"
    assert surfaces["Ground"].body is None
    assert math.sqrt(surfaces["Crate"].friction * surfaces["Ground"].friction) == pytest.approx(0.4, rel=1e-6)
    assert max(each.bounce for each in surfaces.values()) == 0.0, "0.5 times 0"
    (drag,) = scene.forces
    assert drag.linear == pytest.approx(-4.0 * math.log(0.96), rel=1e-5)
    assert drag.angular == pytest.approx(-np.trace(body.inertia.tensor) / 3.0 * math.log(0.9), rel=1e-5)


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        *(("BOX", "box"), ("SPHERE", "sphere"), ("CAPSULE", "capsule"), ("CYLINDER", "cylinder"), ("CONE", "cone")),
        *(("CONVEX_HULL", "hull"), ("MESH", "hull")),
    ],
)
def test_shapes(shape, kind):
    rw.world()
    height = 0.0 if shape == "SPHERE" else 2.0
    rw.round_body("Thing", 0.5, height, collision_shape=shape, mass=3.0)
    convert()
    scene = extracted()
    assert [each.kind for each in scene.surfaces] == [kind]
    assert scene.bodies[0].inertia.mass == pytest.approx(3.0)
    assert "convex hull" not in said()  # it has no dents
    if shape == "CYLINDER":
        np.testing.assert_allclose(np.diag(scene.bodies[0].inertia.tensor)[2], 0.5 * 3.0 * 0.25, rtol=1e-5)


def test_a_mesh_that_stands_keeps_its_dents_and_a_flat_one_is_touched_from_both_sides():
    rw.world()
    plate = by_hand.add(
        "Floor", by_hand.mesh("Floor", [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], [(0, 1, 2, 3)])
    )
    rw.make_rigid(plate, type="PASSIVE", collision_shape="BOX")
    rw.rigid("Wall", type="PASSIVE", collision_shape="MESH", at=(0.0, 3.0, 0.5))
    rw.rigid("Crate", at=(0.0, 0.0, 2.0))
    convert()
    surfaces = {each.name: each for each in extracted().surfaces}
    assert surfaces["Floor"].kind == surfaces["Wall"].kind == "mesh"
    assert surfaces["Floor"].two_sided
    assert not surfaces["Wall"].two_sided
    assert "margin" in said()


def test_a_compound_touches_with_its_parts():
    rw.world()
    table = rw.rigid("Table", (1.0, 1.0, 0.1), (0.0, 0.0, 1.0), collision_shape="COMPOUND", mass=7.0)
    for k, x in enumerate((-0.4, 0.4)):
        leg = rw.rigid(f"Leg {k}", (0.1, 0.1, 1.0), (x, 0.0, -0.5))
        leg.parent = table
    bpy.context.view_layer.update()
    before = everything()
    convert()
    scene = extracted()
    assert {each.name: each.body for each in scene.surfaces} == {"Leg 0": "Table", "Leg 1": "Table"}
    assert [body.name for body in scene.bodies] == ["Table"]
    assert scene.bodies[0].inertia.mass == pytest.approx(7.0)
    back()
    assert everything() == before


def test_layers_become_groups():
    rw.world()
    for name, layers in (("A", {0}), ("B", {4}), ("C", {0, 4})):
        obj = rw.rigid(name, at=(ord(name), 0.0, 0.0))
        obj.rigid_body.collision_collections = [k in layers for k in range(20)]
    convert()
    found = {each.name: each for each in extracted().surfaces}

    def meet(a, b):
        return bool(found[a].touches >> found[b].group & 1 and found[b].touches >> found[a].group & 1)

    assert (meet("A", "B"), meet("A", "C"), meet("B", "C")) == (False, True, True)


def test_keyed_passive_objects_move_as_their_keys_say():
    rw.world()
    table = rw.rigid("Table", (3.0, 3.0, 0.2), (0.0, 0.0, -0.1), type="PASSIVE", kinematic=True)
    rw.rigid("Crate", at=(0.0, 0.0, 0.5))
    for frame, height in ((1, -0.1), (25, 0.4)):
        table.location.z = height
        table.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    convert()
    (moved,) = (each for each in extracted().joints if each.name == "Table")
    assert moved.motion_type == "animated"
    assert "Crate" not in said()


def test_a_keyed_object_carries_what_hangs_on_it():
    rw.world()
    hand = rw.rigid("Hand", (0.2, 0.2, 0.2), type="PASSIVE", kinematic=True)
    bob = rw.rigid("Bob", (0.2, 0.2, 1.0), (0.0, 0.0, -0.6))
    rw.tie("POINT", hand, bob, (0.0, 0.0, -0.1))
    for frame, x in ((1, 0.0), (9, 1.0)):
        hand.location.x = x
        hand.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    before = everything()
    convert()
    carrier = joint("Hand Joint")
    assert carrier.motion_type == "animated"
    assert carrier.animation.value(8.0 / 24.0)[0] == pytest.approx(1.0, abs=1e-4)
    back()
    assert everything() == before


def test_what_constraints_tie_touches_only_if_they_let_it():
    rw.world()
    links = [rw.rigid(f"Link {k}", (1.0, 0.2, 0.2), (1.1 * k, 0.0, 0.0)) for k in range(3)]
    rw.tie("HINGE", links[0], links[1], (0.55, 0.0, 0.0), disable_collisions=True)
    rw.tie("HINGE", links[1], links[2], (1.65, 0.0, 0.0), disable_collisions=False)
    convert()
    flags = {each.name: each.touches_neighbours for each in extracted().surfaces}
    assert flags == {"Link 0": False, "Link 1": False, "Link 2": True}


def test_two_hinges_of_a_door_are_a_joint_and_a_loop():
    rw.world()
    frame = rw.rigid("Frame", (0.2, 0.2, 2.0), type="PASSIVE")
    door = rw.rigid("Door", (1.0, 0.1, 2.0), (0.6, 0.0, 0.0))
    for z in (-0.8, 0.8):
        rw.tie("HINGE", frame, door, (0.1, 0.0, z))
    convert()
    bpy.context.scene.frame_end = 3
    assert bpy.ops.redmax.simulate() == {"FINISHED"}


def test_a_motor_joins_the_hinge_about_its_axis():
    rw.world()
    rw.motor()
    convert()
    found = joint("Wheel Hinge Stand Joint")
    # Bullet turns the second, the wheel, backwards about the motor's x, which is y; the hinge has z along y.
    assert found.child == "Wheel"
    assert found.motor.target_speed[0] == pytest.approx(-5.0)
    assert found.motor.maximum[0] == pytest.approx(3.0)


def test_a_motor_alone_pushes_and_one_across_the_axis_is_said():
    rw.world()
    post, block = rw.rigid("Post", type="PASSIVE"), rw.rigid("Block", at=(2.0, 0.0, 0.0))
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    push = {"use_motor_lin": True, "motor_lin_target_velocity": 3.0, "motor_lin_max_impulse": 2.0}
    tied = rw.tie("MOTOR", post, block, (2.0, 0.0, 0.0), **push)
    convert()
    found = joint(f"{tied.name} Joint")
    assert found.motor.target_speed[0] == pytest.approx(-3.0)
    assert not any(found.motor.speed_gain[1:])
    back()
    rw.tie("SLIDER", post, block, (2.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    convert()
    assert "that no joint of its bodies has" in said()


def test_what_has_no_like_is_said():
    rw.world()
    world = bpy.context.scene.rigidbody_world
    world.time_scale, world.effector_weights.gravity = 0.5, 0.7
    post, block = rw.rigid("Post", type="PASSIVE"), rw.rigid("Block", at=(2.0, 0.0, 0.0))
    block.rigid_body.use_deactivation = block.rigid_body.use_start_deactivated = True
    rw.tie("FIXED", post, block, (1.0, 0.0, 0.0), use_breaking=True)
    rw.tie("HINGE", post, block, (1.0, 0.0, 0.0), enabled=False)
    lonely = rw.tie("POINT", block, post, (1.0, 0.0, 0.0))
    lonely.rigid_body_constraint.object2 = None
    convert()
    for text in ("Speed 0.5", "Gravity weight 0.7", "breaks under load", "asleep", "switched off", "two different"):
        assert text in said(), text
    assert "'Block': falls asleep" in said()


def test_in_other_units_it_moves_alike():
    """A centimetre per Blender unit: the same motion in Blender units."""
    ends = []
    for scale in (1.0, 0.01):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        rw.world()
        bpy.context.scene.unit_settings.scale_length = scale
        rw.spring()
        bpy.context.scene.frame_end = 13
        convert()
        assert bpy.ops.redmax.simulate() == {"FINISHED"}
        bpy.context.scene.frame_set(13)
        ends.append(np.array(bpy.data.objects["Block"].matrix_world))
    assert abs(ends[0][2, 3]) > 0.1
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-4)


def test_a_failed_conversion_leaves_the_scene_as_it_was(chain):
    bpy.data.objects["Link 3"].scale = (0.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    before = everything()
    with pytest.raises(RuntimeError, match=r"'Link 3'.*scale"):
        bpy.ops.redmax.convert_rigid_bodies()
    assert everything() == before


def test_renamed_while_converted_it_still_comes_back(chain):
    convert()
    bpy.data.objects["Link 2"].name = "Glied"
    handlers.renamed()
    back()
    assert bpy.data.objects["Glied"].rigid_body.type == "ACTIVE"
    assert not any(obj.redmax.is_body or obj.redmax.is_joint for obj in bpy.data.objects)
