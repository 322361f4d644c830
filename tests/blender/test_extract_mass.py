# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre and inertia of bodies as the engine gets them: every scale, modifiers, parts, units, instances."""

from __future__ import annotations

import math

import bpy
import by_hand
import numpy as np
import pytest
from by_hand import WATER, add, body, box_tensor, cube, extract, inertia_of, mesh, said, solid_tensor

FLOAT = 3e-7  # channels are single precision: 6e-8 each, a few of them multiplied


def assert_inertia(found, mass, centre, tensor, rel=FLOAT):
    assert found[0] == pytest.approx(mass, rel=rel)
    size = np.sqrt(np.abs(tensor).max() / mass)
    np.testing.assert_allclose(found[1], centre, rtol=0, atol=rel * (size + np.abs(centre).max()))
    np.testing.assert_allclose(found[2], tensor, rtol=0, atol=3 * rel * np.abs(tensor).max())


@pytest.mark.parametrize(
    "scale", [(1, 1, 1), (3, 3, 3), (1, 2, 3), (-1, 2, 3), (-1, -2, -3), (1e-3, 1, 1), (100, 50, 200)]
)
def test_a_box_has_the_mass_of_its_scaled_sides(scale):
    obj = body("Box", at=(4.0, -2.0, 1.0))
    obj.scale, obj.rotation_euler = scale, (0.3, -1.2, 2.5)
    extraction = extract()
    sides = np.abs(scale)
    mass = WATER * np.prod(sides)
    assert not extraction.errors
    assert_inertia(inertia_of(extraction, "Box"), mass, np.zeros(3), box_tensor(mass, sides))
    assert extraction.body("Box").mass == pytest.approx(mass, rel=FLOAT)


def test_delta_scale_and_every_rotation_mode_count():
    obj = body("Box")
    obj.scale, obj.delta_scale = (2, 1, 1), (1, 3, 1)
    for mode in ("QUATERNION", "AXIS_ANGLE", "ZXY"):
        obj.rotation_mode = mode
        obj.rotation_quaternion, obj.rotation_axis_angle = (0.5, 0.5, -0.5, 0.5), (0.7, 1.0, 2.0, 3.0)
        assert_inertia(inertia_of(extract(), "Box"), 6 * WATER, np.zeros(3), box_tensor(6 * WATER, (2, 3, 1)))


def test_a_scaled_parent_scales_its_child():
    parent = add("Parent")
    parent.scale, parent.rotation_euler = (2, 2, 2), (0.1, 0.2, 0.3)
    obj = body("Box")
    obj.parent = parent
    assert_inertia(inertia_of(extract(), "Box"), 8 * WATER, np.zeros(3), box_tensor(8 * WATER, (2, 2, 2)))


@pytest.mark.parametrize("mirror", [1, -1])
def test_a_sheared_box_is_exact(mirror):
    parent = add("Parent")
    parent.scale = (3, 1, mirror)
    obj = body("Box", at=(1.0, 2.0, 3.0))
    obj.parent, obj.rotation_euler = parent, (0.4, 0.5, 0.6)
    extraction = extract()
    bpy.context.view_layer.update()
    frame = extraction.body("Box")
    M = np.array(obj.matrix_world, np.float64)
    np.testing.assert_allclose(frame.E_wb @ frame.A, M, atol=2e-6)
    R = frame.E_wb[:3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert np.linalg.det(frame.A) * mirror > 0.0
    np.testing.assert_array_equal(frame.A[:3, 3], 0.0)
    mass = 3 * WATER
    assert_inertia(inertia_of(extraction, "Box"), mass, np.zeros(3), solid_tensor(mass, frame.A[:3, :3]))
    tensor_w = R @ inertia_of(extraction, "Box")[2] @ R.T
    np.testing.assert_allclose(tensor_w, solid_tensor(mass, M[:3, :3]), atol=3e-6 * np.abs(tensor_w).max())


def test_an_origin_outside_the_mesh_moves_the_centre():
    obj = add("Box", mesh("Box", by_hand.CORNERS + np.array([3.0, 0.0, 0.0])))
    obj.redmax.is_body, obj.scale = True, (2, 1, 1)
    assert_inertia(inertia_of(extract(), "Box"), 2 * WATER, [6.0, 0.0, 0.0], box_tensor(2 * WATER, (2, 1, 1)))


def test_zero_scale_is_refused_by_name():
    obj = body("Plate")
    obj.scale = (1, 0, 1)
    extraction = extract()
    assert [finding.element for finding in extraction.errors] == ["Plate"]
    assert said(extraction, "ERROR") == [
        "'Plate' is flattened: a scale is zero; its scale is (1, 0, 1); give it a size"
    ]


@pytest.mark.parametrize("kind", ["SUBSURF", "ARRAY", "MIRROR", "SOLIDIFY", "BEVEL"])
def test_modifiers_count_as_if_applied(kind):
    obj = body("Thing", (1.0, 2.0, 3.0))
    obj.location = (0.5, 0.0, 0.0)
    modifier = obj.modifiers.new("M", kind)
    if kind == "ARRAY":
        modifier.count, modifier.relative_offset_displace = 3, (1.5, 0.0, 0.0)
    elif kind == "MIRROR":
        obj.data.transform(obj.matrix_basis.Translation((2.0, 0.0, 0.0)))
    elif kind == "SUBSURF":
        modifier.levels = 3
    bpy.context.view_layer.update()
    applied = bpy.data.meshes.new_from_object(obj.evaluated_get(bpy.context.view_layer.depsgraph))
    copy = add("Applied", applied)
    copy.redmax.is_body = True
    extraction = extract()
    assert not extraction.errors
    a, b = inertia_of(extraction, "Thing"), inertia_of(extraction, "Applied")
    assert_inertia(a, *b, rel=1e-14)
    if kind == "ARRAY":
        assert a[0] == pytest.approx(18 * WATER)
    elif kind == "SUBSURF":
        assert a[0] < 0.6 * 6 * WATER
    modifier.show_viewport = False
    assert inertia_of(extract(), "Thing")[0] == pytest.approx(6 * WATER)


def test_shape_keys_count():
    obj = body("Box")
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Long")
    key.data.foreach_set("co", (by_hand.CORNERS * [3.0, 1.0, 1.0]).reshape(-1))
    key.value = 1.0
    assert_inertia(inertia_of(extract(), "Box"), 3 * WATER, np.zeros(3), box_tensor(3 * WATER, (3, 1, 1)))


def test_children_that_are_neither_bodies_nor_joints_add_their_mass():
    obj = body("Crane", at=(1.0, 2.0, 3.0))
    obj.rotation_euler = (0.0, 0.0, 0.7)
    group = add("Group")
    group.parent, group.location = obj, (0.0, 5.0, 0.0)
    weight = cube("Weight", (2.0, 1.0, 1.0), (0.0, 1.0, 0.0))
    weight.parent, weight.scale = group, (1, -1, 1)
    own = body("Own")
    own.parent = obj
    below = cube("Below", at=(9.0, 9.0, 9.0))
    below.parent = own
    pin = by_hand.joint("Pin", obj, own)
    pin.parent = obj
    add("Lamp", bpy.data.lights.new("Lamp", "POINT")).parent = obj
    extraction = extract()
    mass, centre, tensor = inertia_of(extraction, "Crane")
    y = 2.0 * 6.0 / 3.0
    expected = box_tensor(WATER, (1, 1, 1)) + box_tensor(2 * WATER, (2, 1, 1))
    for part_mass, part_y in ((WATER, 0.0), (2 * WATER, 6.0)):
        expected += part_mass * (part_y - y) ** 2 * np.diag([1.0, 0.0, 1.0])
    assert_inertia((mass, centre, tensor), 3 * WATER, [0.0, y, 0.0], expected)
    assert inertia_of(extraction, "Own")[0] == pytest.approx(2 * WATER)
    assert "'Crane' has the mass of its parts too: 'Weight'" in said(extraction, "INFO")


def test_an_empty_is_the_body_of_its_children():
    empty = add("Frame")
    empty.redmax.is_body, empty.location = True, (0, 0, 7)
    for x in (-2.0, 2.0):
        cube(f"Foot{x}", at=(x, 0, 0)).parent = empty
    mass, centre, tensor = inertia_of(extract(), "Frame")
    expected = box_tensor(2 * WATER, (1, 1, 1)) + 2 * WATER * 4.0 * np.diag([0.0, 1.0, 1.0])
    assert_inertia((mass, centre, tensor), 2 * WATER, np.zeros(3), expected)


def test_boolean_cutters_are_no_parts():
    obj = body("Block", (2.0, 2.0, 2.0))
    cutter = cube("Cutter", (1.0, 1.0, 4.0))
    cutter.parent = obj
    modifier = obj.modifiers.new("Cut", "BOOLEAN")
    modifier.object, modifier.operation = cutter, "DIFFERENCE"
    extraction = extract()
    assert not extraction.errors
    assert inertia_of(extraction, "Block")[0] == pytest.approx(6 * WATER, rel=1e-5)


@pytest.mark.parametrize("scale_length", [0.01, 1.0, 1000.0])
def test_the_unit_scale_makes_metres(scale_length):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = scale_length
    length = float(np.float32(scale_length))
    obj = body("Box", (2.0, 1.0, 1.0), (3.0, 0.0, 0.0))
    obj.redmax.body.velocity = (1.0, 2.0, 3.0)
    joint = by_hand.joint("Slide", None, obj, "prismatic", (3.0, 1.0, 0.0))
    joint.redmax.joint.coordinate_distance_1 = 0.5
    extraction = extract()
    mass = WATER * 2 * length**3
    sides = np.array([2.0, 1.0, 1.0]) * length
    assert_inertia(inertia_of(extraction, "Box"), mass, np.zeros(3), box_tensor(mass, sides))
    np.testing.assert_allclose(extraction.body("Box").E_wb[:3, 3], np.array([3, 0, 0]) * length)
    slide = extraction.scene.joints[0]
    np.testing.assert_allclose(slide.frame_in_parent.position, np.array([3, 1, 0]) * length)
    np.testing.assert_allclose(slide.frame_in_child.position, np.array([0, 1, 0]) * length)
    assert slide.q[0] == pytest.approx(0.5 * length)
    np.testing.assert_allclose(extraction.scene.gravity, [0, 0, -9.81 * length], rtol=1e-6)
    scene.unit_settings.system = "NONE"
    assert inertia_of(extract(), "Box")[0] == pytest.approx(2 * WATER)


def test_gravity_can_be_switched_off():
    body("Box")
    bpy.context.scene.use_gravity = False
    assert extract().scene.gravity == (0.0, 0.0, 0.0)


def test_an_entered_mass_is_distributed_by_the_shape():
    obj = body("Box", (1.0, 2.0, 3.0))
    cube("Knob", at=(0.0, 0.0, 5.0)).parent = obj
    obj.redmax.body.mass_source, obj.redmax.body.mass = "MASS", 14.0
    mass, centre, tensor = inertia_of(extract(), "Box")
    assert mass == 14.0
    np.testing.assert_allclose(centre, [0.0, 0.0, 5.0 / 7.0], atol=1e-6)
    obj.redmax.body.mass_source = "DENSITY"
    np.testing.assert_allclose(tensor, inertia_of(extract(), "Box")[2] / 500.0, rtol=1e-6, atol=1e-6)


def test_materials_and_density():
    obj = body("Box")
    obj.redmax.body.material = "STEEL"
    assert inertia_of(extract(), "Box")[0] == pytest.approx(7850.0)
    obj.redmax.body.density = 0.0
    assert "'Box' has density 0 kg/m^3; enter a number above 0" in said(extract(), "ERROR")


PRIMITIVES = {
    "box": ({"size": (1.0, 2.0, 3.0)}, 6.0),
    "sphere": ({"radius": 2.0}, 4 / 3 * math.pi * 8),
    "cylinder": ({"radius": 2.0, "height": 3.0}, math.pi * 4 * 3),
    "capsule": ({"radius": 1.0, "height": 2.0}, math.pi * 2 + 4 / 3 * math.pi),
    "cone": ({"radius": 3.0, "height": 2.0}, math.pi * 9 * 2 / 3),
    "ellipsoid": ({"radii": (1.0, 2.0, 3.0)}, 4 / 3 * math.pi * 6),
}


def test_every_primitive_gives_the_engines_mass_whatever_the_scale():
    from redmax.geometry.solids import SHAPES

    assert {shape.kind for shape in SHAPES} == {*PRIMITIVES, "mesh"}
    for kind, (parameters, _) in PRIMITIVES.items():
        obj = add(kind)
        obj.redmax.is_body, obj.redmax.body.shape = True, kind
        obj.scale = (5, 6, 7)
        for name, value in parameters.items():
            setattr(getattr(obj.redmax.body, kind), name, value)
    extraction = extract()
    assert not extraction.errors
    for kind, (parameters, volume) in PRIMITIVES.items():
        oracle = SHAPES[kind](**parameters, density=WATER).own_mass_properties()
        assert oracle.mass == pytest.approx(WATER * volume)
        assert_inertia(inertia_of(extraction, kind), oracle.mass, oracle.center, oracle.inertia, rel=1e-12)


def test_a_primitive_replaces_the_objects_own_mesh_only():
    obj = body("Ball", (9.0, 9.0, 9.0))
    obj.redmax.body.shape = "sphere"
    obj.redmax.body.sphere.radius = 1.0
    cube("Knob").parent = obj
    assert inertia_of(extract(), "Ball")[0] == pytest.approx(WATER * (4 / 3 * math.pi + 1.0))


def test_a_primitive_without_size_is_refused_by_name():
    obj = add("Ball")
    obj.redmax.is_body, obj.redmax.body.shape = True, "sphere"
    obj.redmax.body.sphere.radius = 0.0
    (text,) = said(extract(), "ERROR")
    assert text.startswith("'Ball' has a Sphere shape whose Radius is 0")


def open_box(name="Plate"):
    obj = add(name, mesh(name, by_hand.CORNERS * [1.0, 2.0, 3.0], by_hand.FACES[:-1]))
    obj.redmax.is_body = True
    return obj


def test_open_meshes_are_refused_or_replaced():
    obj = open_box()
    (text,) = said(extract(), "ERROR")
    assert text.startswith("'Plate' is not closed; its mass would be wrong; ")
    obj.redmax.body.mesh.approximation = "box"
    assert_inertia(inertia_of(extract(), "Plate"), 6 * WATER, np.zeros(3), box_tensor(6 * WATER, (1, 2, 3)))
    obj.redmax.body.mesh.approximation = "none"
    obj.redmax.body.mass_source, obj.redmax.body.mass = "MASS", 5.0
    extraction = extract()
    assert not extraction.errors
    assert_inertia(inertia_of(extraction, "Plate"), 5.0, np.zeros(3), box_tensor(5.0, (1, 2, 3)))
    assert any("spread over its bounding box" in text for text in said(extraction, "INFO"))


def test_the_hull_needs_scipy_and_says_so(monkeypatch):
    import sys

    obj = open_box()
    obj.redmax.body.mesh.approximation = "hull"
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    (text,) = said(extract(), "ERROR")
    assert "'Plate' cannot be replaced by its hull" in text
    assert "scipy" in text
    assert "Approximation to Box" in text


def test_the_hull_of_an_open_box_is_the_box(monkeypatch):
    from redmax.geometry import hull

    # Here without scipy; of a box the hull is its box, as the engine's own tests say.
    monkeypatch.setattr(hull, "hull_mesh", hull.bounding_box_mesh)
    obj = open_box()
    obj.redmax.body.mesh.approximation = "hull"
    assert_inertia(inertia_of(extract(), "Plate"), 6 * WATER, np.zeros(3), box_tensor(6 * WATER, (1, 2, 3)))


def test_a_flat_mesh_has_no_mass_of_its_own_but_may_be_given_one():
    obj = add("Sheet", mesh("Sheet", [(0, 0, 0), (2, 0, 0), (2, 3, 0), (0, 3, 0)], [(0, 1, 2, 3)]))
    obj.redmax.is_body = True
    assert any(text.startswith("'Sheet' is not closed") for text in said(extract(), "ERROR"))
    obj.redmax.body.mesh.approximation = "box"
    assert any(text.startswith("'Sheet' encloses no volume") for text in said(extract(), "ERROR"))
    obj.redmax.body.mass_source, obj.redmax.body.mass = "MASS", 2.0
    extraction = extract()
    assert not extraction.errors
    assert_inertia(inertia_of(extraction, "Sheet"), 2.0, [1.0, 1.5, 0.0], box_tensor(2.0, (2, 3, 0)))


def test_a_flat_decal_on_an_approximated_body_adds_nothing():
    obj = open_box("Case")
    obj.redmax.body.mesh.approximation = "box"
    decal = add("Decal", mesh("Decal", [(0, 0, 9), (2, 0, 9), (2, 3, 9)], [(0, 1, 2)]))
    decal.parent = obj
    extraction = extract()
    assert not extraction.errors
    assert_inertia(inertia_of(extraction, "Case"), 6 * WATER, np.zeros(3), box_tensor(6 * WATER, (1, 2, 3)))
    assert "'Decal' (part of 'Case') is flat and adds no mass" in said(extraction, "INFO")


def test_defects_are_told_in_the_artists_words():
    crossing = np.concatenate([by_hand.CORNERS, by_hand.CORNERS + 0.5])
    twice = by_hand.FACES + [tuple(k + 8 for k in face) for face in by_hand.FACES]
    turned = [by_hand.FACES[0][::-1], *by_hand.FACES[1:]]
    for name, corners, faces in (
        ("Overlap", crossing, twice),
        ("Turned", by_hand.CORNERS, turned),
        ("Inside", by_hand.CORNERS, [face[::-1] for face in by_hand.FACES]),
        ("Nothing", [], []),
        ("Wall", np.concatenate([by_hand.CORNERS]), [*by_hand.FACES, (0, 1, 7, 6)]),
    ):
        add(name, mesh(name, corners, faces)).redmax.is_body = True
    extraction = extract()
    by_name = {finding.element: finding for finding in extraction.findings if finding.severity != "INFO"}
    assert by_name["Overlap"].severity == "WARNING"
    assert "counts twice" in by_name["Overlap"].text
    assert inertia_of(extraction, "Overlap")[0] == pytest.approx(2 * WATER)
    assert "point in opposite directions" in by_name["Turned"].text
    assert "has no faces" in by_name["Nothing"].text
    assert "more than two faces" in by_name["Wall"].text or "not closed" in by_name["Wall"].text
    assert inertia_of(extraction, "Inside")[0] == pytest.approx(WATER)
    assert any("'Inside' has faces that all point inwards" in text for text in said(extraction, "INFO"))
    for finding in extraction.findings:
        assert f"'{finding.element}'" in finding.text
    assert len({finding.text for finding in extraction.findings}) == len(extraction.findings)
    assert sum(finding.element == "Turned" for finding in extraction.findings if finding.severity == "ERROR") == 1


def test_a_body_without_matter_says_so_once():
    add("Ghost").redmax.is_body = True
    extraction = extract()
    assert said(extraction, "ERROR") == [
        "'Ghost' has nothing that gives it mass; choose a shape such as Box or Sphere, or parent meshes to it"
    ]


def test_metaballs_are_refused_by_name():
    bpy.ops.object.metaball_add()
    bpy.context.object.redmax.is_body = True
    assert "is a metaball" in said(extract(), "ERROR")[0]


def test_curves_and_texts_are_weighed():
    bpy.ops.object.text_add()
    text = bpy.context.object
    text.data.extrude = 0.05
    text.redmax.is_body = True
    text.scale = (2, 1, 1)
    single = inertia_of(extract(), text.name)[0]
    assert single > 10.0
    text.scale = (2, 3, 1)
    assert inertia_of(extract(), text.name)[0] == pytest.approx(3 * single, rel=1e-5)


def test_editing_a_mesh_is_refused_by_name():
    obj = body("Box")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert said(extract(), "ERROR") == ["'Box' is being edited; leave Edit Mode"]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert not extract().errors
