# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Surface Contact: surfaces are read from meshes and empties, the child is moved to touch, rolling is an option."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
import pytest
from geared import select
from mathutils import Euler, Matrix

from redmax_blender.bridge.core import surface_found
from redmax_blender.bridge.extract.extraction import extract
from redmax_blender.properties import joint as joint_properties


def mesh_object(name, make, location=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0), scale=(1.0, 1.0, 1.0)):
    mesh = bpy.data.meshes.new(name)
    built = bmesh.new()
    make(built)
    built.to_mesh(mesh)
    built.free()
    obj = bpy.data.objects.new(name, mesh)
    obj.location, obj.rotation_euler, obj.scale = location, rotation, scale
    bpy.context.scene.collection.objects.link(obj)
    return obj


def ball(name="Ball", radius=0.2, **place):
    return mesh_object(
        name, lambda b: bmesh.ops.create_uvsphere(b, u_segments=24, v_segments=12, radius=radius), **place
    )


def slab(name="Slab", **place):
    place.setdefault("scale", (2.0, 2.0, 0.1))
    return mesh_object(name, lambda b: bmesh.ops.create_cube(b, size=1.0), **place)


def bar(name="Bar", radius=0.15, depth=1.0, **place):
    def make(b):
        bmesh.ops.create_cone(b, cap_ends=True, segments=32, radius1=radius, radius2=radius, depth=depth)

    return mesh_object(name, make, **place)


def ring(name="Ring", R=0.3, r=0.05, **place):
    def make(b):
        u, v = np.meshgrid(2 * np.pi * np.arange(32) / 32, 2 * np.pi * np.arange(12) / 12)
        rho = R + r * np.cos(v)
        verts = [b.verts.new(x) for x in np.stack([rho * np.cos(u), rho * np.sin(u), r * np.sin(v)], -1).reshape(-1, 3)]
        at = np.arange(32 * 12).reshape(12, 32)
        right, up = np.roll(at, -1, axis=1), np.roll(at, -1, axis=0)
        for face in zip(at.flat, right.flat, np.roll(up, -1, axis=1).flat, up.flat, strict=True):
            b.faces.new([verts[k] for k in face])

    return mesh_object(name, make, **place)


def add(child, parent, **options):
    bpy.context.view_layer.update()
    select(child, parent)
    bpy.context.view_layer.objects.active = parent
    assert bpy.ops.redmax.add_surface_contact(**options) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.object


def errors():
    bpy.context.view_layer.update()
    return [f for f in extract(bpy.context.scene, bpy.context.view_layer).findings if f.severity == "ERROR"]


def gap(joint, child, surface_center=(0.0, 0.0, 0.0)):
    """How far the centre of the child's surface is from where the joint has it."""
    made = joint_properties.engine_joint(joint.redmax.joint)
    Q = made.motion(np.zeros(made.ndof), np.zeros(made.ndof)).Q
    there = np.array(joint.matrix_world) @ Q
    here = np.array(child.matrix_world @ Matrix.Translation(surface_center))
    return float(np.linalg.norm(there[:3, 3] - here[:3, 3]))


def lock(obj):
    obj.redmax.body.root = "LOCKED"


@pytest.mark.parametrize(
    ("make", "kind", "sizes"),
    [
        (ball, "sphere", (0.2,)),
        (lambda: ball(scale=(2.0, 1.0, 1.5)), "ellipsoid", (0.4, 0.2, 0.3)),
        (ring, "torus", (0.3, 0.05)),
        (lambda: bar(rotation=(1.0, 0.2, 0.3)), "cylinder", (0.15,)),
        (slab, "plane", ()),
    ],
)
def test_surfaces_are_read_from_meshes(make, kind, sizes):
    parent, child = make(), ball("Other", 0.1, location=(0.3, 0.2, 1.0))
    joint = add(child, parent)
    group = joint.redmax.joint.surface_contact
    assert (group.first, group.second) == (kind, "sphere")
    # the meshes are polyhedra within the surfaces
    assert sorted(group.first_size[: len(sizes)]) == pytest.approx(sorted(sizes), rel=2e-2)
    assert gap(joint, child) < 1e-5
    lock(parent)
    assert not errors()


def test_a_ball_is_lowered_onto_a_slab_and_rolls():
    floor, sphere = slab(), ball(location=(0.4, -0.3, 0.5), rotation=(0.1, 0.2, 0.3))
    turned = sphere.matrix_world.to_quaternion() if sphere.matrix_world else None
    joint = add(sphere, floor, rolling=True)
    assert sphere.location[:] == pytest.approx((0.4, -0.3, 0.05 + 0.2), abs=1e-4)
    assert turned is not None
    assert np.array(sphere.rotation_euler) == pytest.approx(np.array(Euler((0.1, 0.2, 0.3))), abs=1e-3)
    assert joint.parent == floor
    rolling = next(obj for obj in bpy.data.objects if obj.redmax.is_constraint)
    assert rolling.redmax.constraint.kind == "rolling"
    assert rolling.redmax.constraint.rolling.joint == joint
    lock(floor)
    assert not errors()
    floor.rotation_euler = (0.0, 0.2, 0.0)
    joint.redmax.joint.surface_contact.spin = True
    assert not errors()


def test_entered_sizes_and_kinds_count():
    parent, child = slab(), ball(location=(0.0, 0.0, 0.5))
    joint = add(child, parent, second="ellipsoid", second_size=(0.3, 0.0, 0.0), spin=False)
    group = joint.redmax.joint.surface_contact
    assert group.second == "ellipsoid"
    assert sorted(group.second_size) == pytest.approx([0.2, 0.2, 0.3], rel=1e-3)
    assert len(joint_properties.dofs(joint.redmax.joint)) == 4


def test_a_ball_inside_a_bowl():
    bowl, child = ball("Bowl", 1.0), ball(location=(0.3, 0.1, -0.5))
    joint = add(child, bowl, inside=True)
    assert joint.redmax.joint.surface_contact.inside
    assert np.linalg.norm(child.location) == pytest.approx(0.8, rel=1e-2)
    lock(bowl)
    assert not errors()


def test_empties_are_spheres_and_planes():
    floor = bpy.data.objects.new("Floor", None)
    marble = bpy.data.objects.new("Marble", None)
    marble.empty_display_type, marble.empty_display_size = "SPHERE", 0.3
    marble.location = (0.0, 0.0, 1.0)
    for obj in (floor, marble):
        bpy.context.scene.collection.objects.link(obj)
    group = add(marble, floor).redmax.joint.surface_contact
    assert (group.first, group.second) == ("plane", "sphere")
    assert group.second_size[0] == pytest.approx(0.3)
    assert marble.location[2] == pytest.approx(0.3, abs=1e-5)


def test_links_are_hung_into_each_other():
    upper = ring(rotation=(np.pi / 2, 0.0, 0.0))
    lower = ring("Lower", rotation=(0.0, np.pi / 2, 0.0), location=(0.0, 0.0, -0.48))
    joint = add(lower, upper, spin=False)
    group = joint.redmax.joint.surface_contact
    assert (group.first, group.second) == ("torus", "torus")
    assert lower.location[2] == pytest.approx(-0.5, abs=2e-3)  # two inner radii
    assert np.cos([group.first_point[1], group.second_point[1]]) == pytest.approx([-1.0, -1.0], abs=1e-3)


def test_what_cannot_be_read_is_refused_and_nothing_changes():
    monkey = mesh_object("Blob", bmesh.ops.create_monkey)
    parent = slab()
    before = len(bpy.data.objects)
    bpy.context.view_layer.update()
    select(monkey, parent)
    bpy.context.view_layer.objects.active = parent
    with pytest.raises(RuntimeError, match="'Blob' is no sphere, ellipsoid, torus, cylinder, flat sheet or box"):
        bpy.ops.redmax.add_surface_contact()
    with pytest.raises(RuntimeError, match="Two planes touch everywhere"):
        bpy.ops.redmax.add_surface_contact(second="plane")
    with pytest.raises(RuntimeError, match="make the ring larger than the tube"):
        bpy.ops.redmax.add_surface_contact(second="torus", second_size=(0.1, 0.2, 0.0))
    assert len(bpy.data.objects) == before
    assert not parent.redmax.is_body
    assert not monkey.redmax.is_body


def test_a_child_that_something_holds_is_not_moved():
    parent, child = slab(), ball(location=(0.0, 0.0, 0.5))
    child.keyframe_insert("location", frame=1)
    joint = add(child, parent)
    assert child.location[2] == pytest.approx(0.5)
    assert gap(joint, child) == pytest.approx(0.25, abs=1e-3)


def test_one_object_is_too_few():
    child = ball()
    bpy.context.view_layer.update()
    select(child)
    assert not bpy.ops.redmax.add_surface_contact.poll()


def test_units_of_the_scene_do_not_matter():
    bpy.context.scene.unit_settings.scale_length = 0.01
    parent, child = slab(scale=(200.0, 200.0, 10.0)), ball(radius=20.0, location=(30.0, 20.0, 80.0))
    joint = add(child, parent)
    assert joint.redmax.joint.surface_contact.second_size[0] == pytest.approx(20.0, rel=1e-3)
    assert joint.redmax.joint.surface_contact.first_point[:] == pytest.approx((0.3, 0.2), abs=1e-3)
    assert child.location[2] == pytest.approx(25.0, rel=1e-3)
    lock(parent)
    assert not errors()


@pytest.mark.parametrize("seed", range(5))
def test_few_vertices_are_no_round_surface(seed):
    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (12, 3))
    assert surface_found.fitted(points, "AUTO", np.zeros(3)) is None
