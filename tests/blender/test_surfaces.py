# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of Blender's objects: which shape they get, where it stands, whose it is, and what is said of it."""

from __future__ import annotations

import math

import bpy
import by_hand
import numpy as np
import pytest
import touching
from mathutils import Vector
from railed import select
from touching import add_surface, surface

from redmax_blender._engine import compile, pose, quaternion
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.ops import surfaces as surface_operators
from redmax_blender.properties import surface as surface_properties


def primitive(name, **options):
    """A mesh of Blender's own Add menu; its object."""
    getattr(bpy.ops.mesh, f"primitive_{name}_add")(**options)
    return bpy.context.object


def pose_of(given):
    """(4, 4) of an engine's pose."""
    E = np.eye(4)
    E[:3, :3] = quaternion.to_matrix(np.array(given.rotation))
    E[:3, 3] = given.position
    return E


def frame(element):
    return pose_of(element.frame)


BODIES = {
    "box": lambda: primitive("cube", size=1.0),
    "sphere": lambda: primitive("uv_sphere", radius=0.5),
    "cylinder": lambda: primitive("cylinder", radius=0.3, depth=2.0),
    "cone": lambda: primitive("cone", radius1=0.5, depth=1.5),
    "hull": lambda: primitive("ico_sphere", subdivisions=1, radius=0.5),
}


@pytest.mark.parametrize("kind", BODIES)
def test_the_shape_is_that_of_the_mesh(kind):
    obj = BODIES[kind]()
    bpy.ops.redmax.add_body()
    assert add_surface(obj) == {"FINISHED"}
    assert obj.redmax.surface.kind == kind
    found = surface(obj.name)
    assert found.kind == kind
    assert found.body == obj.name
    corners = np.array([vertex.co[:] for vertex in obj.data.vertices])
    shape = found.shape()
    np.testing.assert_allclose(2.0 * shape.extent, np.ptp(corners, axis=0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 0.5, 3.0), (-1.0, 1.0, 1.0)])
def test_scale_units_and_modifiers_are_part_of_the_shape(unit, scale):
    bpy.context.scene.unit_settings.scale_length = unit
    obj = by_hand.body("Crate", (1.0, 2.0, 3.0), at=(1.0, 2.0, 3.0))
    obj.scale, obj.rotation_euler = scale, (0.3, -0.2, 1.0)
    modifier = obj.modifiers.new("Wider", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 2, (1.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    add_surface(obj, kind="box")
    found = surface("Crate")
    np.testing.assert_allclose(found.size, unit * np.abs(scale) * (2.0, 2.0, 3.0), rtol=1e-6)
    E_wb = by_hand.extract().body("Crate").E_wb
    middle = (E_wb @ frame(found))[:3, 3]
    seen = unit * np.array(obj.matrix_world @ Vector((0.5, 0.0, 0.0)))
    np.testing.assert_allclose(middle, seen, atol=1e-6 * unit)


def test_the_nearest_body_above_owns_it_and_none_is_scenery():
    body = by_hand.body("Body", at=(0.0, 0.0, 1.0))
    arm = by_hand.add("Arm")
    arm.parent, arm.location = body, (1.0, 0.0, 0.0)
    part = by_hand.cube("Part", (0.2, 0.2, 0.2))
    part.parent, part.location = arm, (0.0, 0.5, 0.0)
    rock = by_hand.cube("Rock", at=(5.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    add_surface(part, rock)
    found = surface("Part")
    assert found.body == "Body"
    np.testing.assert_allclose(found.frame.position, (1.0, 0.5, 0.0), atol=1e-6)
    found = surface("Rock")
    assert found.body is None
    np.testing.assert_allclose(found.frame.position, (5.0, 0.0, 0.0), atol=1e-6)


def test_a_body_gets_surfaces_for_all_its_parts():
    body = by_hand.add("Cart")
    body.redmax.is_body = True
    for number in range(2):
        part = by_hand.cube(f"Part {number}", at=(2.0 * number, 0.0, 0.0))
        part.parent = body
    bpy.context.view_layer.update()
    add_surface(body)
    assert [obj.name for obj in bpy.data.objects if obj.redmax.is_surface] == ["Part 0", "Part 1"]
    assert [each.body for each in by_hand.extract().scene.surfaces] == ["Cart", "Cart"]


def test_a_part_that_only_touches_adds_no_mass():
    body = by_hand.body("Body")
    part = by_hand.cube("Bumper", at=(1.0, 0.0, 0.0))
    part.parent = body
    bpy.context.view_layer.update()
    add_surface(part)
    assert by_hand.inertia_of(by_hand.extract(), "Body")[0] == pytest.approx(2000.0)
    part.redmax.surface.only_touches = True
    assert by_hand.inertia_of(by_hand.extract(), "Body")[0] == pytest.approx(1000.0)
    assert surface("Bumper").body == "Body"


@pytest.mark.parametrize(("looks", "kind"), [("CUBE", "box"), ("SPHERE", "sphere"), ("PLAIN_AXES", "box")])
def test_an_empty_is_as_large_as_it_looks(looks, kind):
    empty = by_hand.add("Stop")
    empty.empty_display_type, empty.empty_display_size, empty.scale = looks, 0.5, (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    add_surface(empty)
    found = surface("Stop")
    assert found.kind == kind
    assert (found.size if kind == "box" else (found.radius,)) == pytest.approx(
        (1.0, 2.0, 1.0) if kind == "box" else (1.0,)
    )


def test_a_flat_mesh_is_a_plane_that_its_faces_look_out_of():
    obj = primitive("plane", size=2.0)
    obj.location, obj.rotation_euler = (0.0, 0.0, 1.0), (math.pi, 0.0, 0.0)
    bpy.context.view_layer.update()
    add_surface(obj, kind="plane")
    E = frame(surface("Plane"))
    np.testing.assert_allclose(E[:3, 2], (0.0, 0.0, -1.0), atol=1e-6)
    for vertex in obj.data.vertices:
        vertex.co.z = 0.25
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.flip_normals()
    bpy.ops.object.mode_set(mode="OBJECT")
    E = frame(surface("Plane"))
    np.testing.assert_allclose(E[:3, 2], (0.0, 0.0, 1.0), atol=1e-6)
    np.testing.assert_allclose(E[2, 3], 0.75, atol=1e-6)


def test_scenery_keeps_its_dents_and_what_moves_gets_its_hull():
    torus = primitive("torus")
    add_surface(torus)
    assert torus.redmax.surface.kind == "mesh"
    assert not by_hand.said(by_hand.extract(), "WARNING")
    torus.redmax.is_surface = False
    bpy.ops.redmax.add_body()
    add_surface(torus)
    assert torus.redmax.surface.kind == "hull"


def test_a_mesh_that_moves_is_refused_with_a_way_out():
    torus = primitive("torus")
    bpy.ops.redmax.add_body()
    add_surface(torus, kind="mesh")
    (finding,) = [each for each in by_hand.extract().findings if each.severity == "ERROR"]
    assert finding.element == "Torus"
    assert finding.fixes == ("USE_HULL_SURFACE", "USE_PIECES_SURFACE")
    assert "moves" in finding.text
    fixes.apply(bpy.context, "USE_HULL_SURFACE", "Torus")
    assert not by_hand.extract().errors
    assert len(surface("Torus").vertices) <= surface_properties.MOST_CORNERS


def test_what_is_flat_or_empty_is_refused_by_name():
    card = primitive("plane")
    bpy.ops.redmax.add_body()
    with pytest.raises(RuntimeError, match="'Plane' is flat; give it thickness"):
        add_surface(card)
    assert not card.redmax.is_surface
    add_surface(card, kind="box")
    (finding,) = [each for each in by_hand.extract().findings if "makes no box" in each.text]
    assert finding.severity == "ERROR"
    nothing = by_hand.add("Nothing", bpy.data.meshes.new("Nothing"))
    with pytest.raises(RuntimeError, match="'Nothing' has no geometry"):
        add_surface(nothing)


def test_a_round_shape_around_something_long_is_told_and_fitted():
    obj = by_hand.body("Plank", (4.0, 0.3, 0.3))
    bpy.context.view_layer.update()
    add_surface(obj, kind="sphere")
    (finding,) = [each for each in by_hand.extract().findings if each.code == "loose_surface"]
    assert finding.fixes == ("FIT_SURFACE",)
    fixes.apply(bpy.context, "FIT_SURFACE", "Plank")
    assert obj.redmax.surface.kind == "box"
    assert not [each for each in by_hand.extract().findings if each.code == "loose_surface"]


# --- material, groups ------------------------------------------------------------------------


def test_a_material_brings_its_numbers_and_typed_ones_are_custom():
    crate = touching.crate()
    settings = crate.redmax.surface
    settings.material = "rubber"
    preset = surface_properties.PRESETS["rubber"]
    found = surface("Crate")
    assert (found.friction, found.kinetic_friction, found.bounce) == pytest.approx(
        (preset.friction, preset.kinetic_friction, preset.bounce)
    )
    assert settings.material == "rubber"
    settings.friction = 0.1
    assert settings.material == "by_hand"
    assert surface("Crate").friction == pytest.approx(0.1)


def test_every_preset_of_the_engine_can_be_chosen():
    assert set(surface_properties.PRESETS) == {each.name for each in surface_properties.materials.PRESETS}


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_lengths_and_velocities_of_a_material_are_in_metres(unit):
    bpy.context.scene.unit_settings.scale_length = unit
    crate = touching.crate(size=(0.3, 0.3, 2.0))
    settings = crate.redmax.surface
    settings.kind = "capsule"
    crate.rotation_euler = (0.0, 0.0, 0.7)
    settings.rolling_friction, settings.torsional_friction, settings.conveyor = 0.2, 0.3, (1.0, 2.0, 0.0)
    bpy.context.view_layer.update()
    found = surface("Crate")
    assert (found.rolling_friction, found.torsional_friction) == pytest.approx((0.2 * unit, 0.3 * unit))
    E = frame(found)
    np.testing.assert_allclose(E[:3, :3] @ found.conveyor, np.array([1.0, 2.0, 0.0]) * unit, atol=1e-6 * unit)


def test_groups_are_those_of_the_engine():
    a, b = touching.crate("A", at=(0.0, 0.0, 0.0)), touching.crate("B", at=(0.0, 0.0, 5.0))
    touching.ground()

    def pairs():
        found = compile.compile(by_hand.extract().scene).surfaces
        return {(found.names[i], found.names[j]) for i, j in found.pairs()}

    assert pairs() == {("A", "B"), ("A", "Ground"), ("B", "Ground")}
    b.redmax.surface.group = 3
    a.redmax.surface.touches[3] = False
    assert pairs() == {("A", "Ground"), ("B", "Ground")}


# --- ground and moving scenery ---------------------------------------------------------------


def test_the_ground_lies_below_what_is_selected():
    crate = touching.crate(at=(3.0, 0.0, 5.0))
    select(crate)
    bpy.ops.redmax.add_ground(material="ice")
    ground = bpy.context.object
    np.testing.assert_allclose(ground.location, (3.0, 0.0, 4.5), atol=1e-6)
    found = surface("Ground")
    assert (found.kind, found.body) == ("plane", None)
    assert found.friction == pytest.approx(surface_properties.PRESETS["ice"].friction)
    np.testing.assert_allclose(frame(found)[:3, 3], (3.0, 0.0, 4.5), atol=1e-6)


def turntable(turns=0.0, lift=0.0):
    """A disc that is keyed from frame 1 to 25."""
    disc = primitive("cylinder", radius=1.0, depth=0.2, location=(0.5, 0.0, 0.0))
    disc.name = "Disc"
    bpy.context.scene.frame_end, bpy.context.scene.render.fps = 25, 24
    for number, curve in ((1, 0.0), (25, 1.0)):
        disc.rotation_euler = (0.0, 0.0, 2.0 * math.pi * turns * curve)
        disc.location.z = lift * curve
        for path in ("rotation_euler", "location"):
            disc.keyframe_insert(path, frame=number)
    bpy.context.scene.frame_set(1)
    add_surface(disc)
    return disc


@pytest.mark.parametrize("turns", [0.0, 0.3, 3.0])
def test_scenery_that_is_keyed_moves_as_in_blender(turns):
    turntable(turns=turns, lift=2.0)
    touching.crate(at=(0.0, 0.0, 5.0))
    extraction = by_hand.extract()
    assert not extraction.errors
    assert [body.name for body in extraction.bodies] == ["Crate"], "it is no body of the artist's"
    assert [mechanism.root for mechanism in extraction.mechanisms] == ["Crate"]
    assert next(each.body for each in extraction.scene.surfaces if each.name == "Disc") == "Disc"
    joint = next(joint for joint in extraction.scene.joints if joint.name == "Disc")
    for number in (1, 7, 18, 25):
        bpy.context.scene.frame_set(number)
        seen = np.array(bpy.data.objects["Disc"].matrix_world)
        Q, _, _ = joint.motion(joint.animation.value((number - 1) / 24.0), np.zeros(6))
        E_wj, E_jc = pose_of(joint.frame_in_parent), pose.inverse(pose_of(joint.frame_in_child))
        np.testing.assert_allclose(E_wj @ Q @ E_jc, seen, atol=2e-6)


def test_keys_of_scenery_make_the_result_stale_and_nothing_else_moves():
    disc = turntable(lift=1.0)
    touching.crate(at=(0.0, 0.0, 5.0))
    before = by_hand.extract().digest
    bpy.context.scene.frame_set(13)
    assert by_hand.extract().digest == before, "whatever frame is shown"
    disc.location.z = 3.0
    disc.keyframe_insert("location", frame=25)
    bpy.context.scene.frame_set(1)
    assert by_hand.extract().digest != before


# --- what is said ----------------------------------------------------------------------------


def test_bodies_without_a_surface_are_told_once_and_can_get_one():
    touching.crate_on_ground()
    for number in range(3):
        by_hand.body(f"Other {number}", at=(3.0 * number, 3.0, 3.0)).redmax.body.keep_free = True
    bpy.context.view_layer.update()
    (finding,) = by_hand.extract().findings
    assert finding.text == "'Other 0' and 2 more bodies have no surface; they pass through others"
    assert (finding.severity, finding.fixes) == ("INFO", ("ADD_SURFACES", "IGNORE"))
    assert bpy.ops.redmax.fix(fix="ADD_SURFACES", element=finding.element) == {"FINISHED"}
    assert not by_hand.extract().findings
    assert len(by_hand.extract().scene.surfaces) == 5


@pytest.mark.parametrize(("touching_links", "told"), [(0, True), (1, False), (2, True)])
def test_a_linkage_of_which_few_parts_touch_is_meant_so(touching_links, told):
    """Feet of a walker touch, its rods need not; where most touch, one without a surface is forgotten."""
    touching.ground()
    links = [by_hand.body(f"Link {k}", at=(1.0 * k, 0.0, 3.0)) for k in range(3)]
    by_hand.joint("Hinge 0", links[0], links[1])
    by_hand.joint("Hinge 1", links[1], links[2])
    links[0].redmax.body.keep_free = True
    touching.crate(at=(9.0, 0.0, 3.0))
    if touching_links:
        add_surface(*links[:touching_links])
    without = [finding for finding in by_hand.extract().findings if "no surface" in finding.text]
    assert bool(without) == told
    if told:
        assert bpy.ops.redmax.fix(fix="ADD_SURFACES", element=without[0].element) == {"FINISHED"}
    else:
        with pytest.raises(RuntimeError, match="Every body has a surface"):
            bpy.ops.redmax.fix(fix="ADD_SURFACES", element="Link 1")
    assert len(by_hand.extract().scene.surfaces) == 2 + (3 if told else touching_links)


def test_scenery_is_called_scenery_and_the_way_to_bodies_is_named():
    crate, table = by_hand.body("Crate"), by_hand.cube("Table", at=(3.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    add_surface(crate, table)
    assert surface_operators.told([crate]) == "'Crate' touches as a box"
    assert surface_operators.told([table]) == "'Table' touches as a box; it is scenery, as no body is above it"
    assert surface_operators.told([crate, table]).startswith("2 surfaces: 2 box; 1 of them scenery")
    crate.redmax.is_body = False
    assert "all of them scenery (Add Body" in surface_operators.told([crate, table])
    (finding,) = by_hand.extract().findings
    assert (finding.text, finding.hint) == (
        "The scene has no RedMax bodies",
        "select what should move and use Add Body",
    )


def test_what_may_land_is_not_said_to_fall():
    touching.crate_on_ground()
    assert not by_hand.extract().findings
    bpy.data.objects.remove(bpy.data.objects["Ground"])
    (finding,) = by_hand.extract().findings
    assert "not attached to anything and will fall" in finding.text


def test_a_scene_without_surfaces_is_extracted_as_before():
    by_hand.body("Crate")
    assert by_hand.extract().scene.surfaces == []


def starting_inside():
    return [finding for finding in by_hand.extract().findings if finding.code == "starts_inside"]


def test_what_starts_inside_something_is_told_and_moved_out_or_let_be():
    crate, _ = touching.crate_on_ground(0.4)
    (finding,) = starting_inside()
    assert finding.text == "'Crate' starts 100 mm inside 'Ground'; they will be pushed apart"
    assert (finding.severity, finding.fixes) == ("WARNING", ("SEPARATE", "IGNORE_PAIR"))
    assert bpy.ops.redmax.fix(fix="SEPARATE", element="Crate") == {"FINISHED"}
    assert crate.location.z == pytest.approx(0.5, abs=1e-5)
    assert starting_inside() == []
    crate.location.z = 0.3
    bpy.context.view_layer.update()
    assert bpy.ops.redmax.fix(fix="IGNORE_PAIR", element="Crate") == {"FINISHED"}
    assert starting_inside() == []
    other = touching.crate("Other", at=(3.0, 0.0, 0.2))
    assert [finding.element for finding in starting_inside()] == [other.name], "others still touch the ground"


def test_two_boxes_in_each_other_and_a_box_that_just_stands_on_another():
    touching.crate("Below", at=(0.0, 0.0, 0.0))
    above = touching.crate("Above", at=(0.2, 0.1, 1.0))
    assert starting_inside() == []
    above.location.z = 0.9
    bpy.context.view_layer.update()
    (finding,) = starting_inside()
    assert "100 mm" in finding.text
    bpy.ops.redmax.fix(fix="SEPARATE", element=finding.element)
    assert starting_inside() == []
