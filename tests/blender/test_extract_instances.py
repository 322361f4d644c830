# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that Blender shows in other ways than as a single visible mesh: instances, hidden, excluded and linked."""

from __future__ import annotations

import bpy
import by_hand
import numpy as np
import pytest
from by_hand import WATER, add, body, box_tensor, cube, extract, inertia_of, mesh, said


def hollow_collection(name="Kit"):
    """A collection with two boxes 4 apart, not itself in the scene."""
    kit = bpy.data.collections.new(name)
    for x in (-2.0, 2.0):
        cube(f"{name}{x:g}", at=(x, 0.0, 0.0), collection=kit)
    return kit


def instancing_empty(name, collection):
    empty = add(name)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    empty.redmax.is_body = True
    return empty


PAIR = box_tensor(2 * WATER, (1, 1, 1)) + 2 * WATER * 4.0 * np.diag([0.0, 1.0, 1.0])


def test_objects_that_share_a_mesh_have_their_own_scale():
    data = mesh("Shared")
    for k in (1, 2, 3):
        obj = add(f"Copy{k}", data)
        obj.redmax.is_body, obj.scale = True, (k, 1, 1)
    extraction = extract()
    for k in (1, 2, 3):
        assert inertia_of(extraction, f"Copy{k}")[0] == pytest.approx(k * WATER)


def test_an_instanced_collection_is_weighed_where_its_empty_stands():
    empty = instancing_empty("Machine", hollow_collection())
    empty.location, empty.rotation_euler = (5.0, 1.0, 2.0), (0.2, 0.4, 0.6)
    mass, centre, tensor = inertia_of(extract(), "Machine")
    assert mass == pytest.approx(2 * WATER, rel=1e-5)
    np.testing.assert_allclose(centre, 0.0, atol=1e-5)
    np.testing.assert_allclose(tensor, PAIR, atol=1e-5 * PAIR.max())
    empty.scale = (2, 1, -1)
    assert inertia_of(extract(), "Machine")[0] == pytest.approx(4 * WATER, rel=1e-5)


def test_nested_instances_and_curves_count_once():
    inner, outer = hollow_collection("Inner"), bpy.data.collections.new("Outer")
    nested = bpy.data.objects.new("Nested", None)
    nested.instance_type, nested.instance_collection, nested.location = "COLLECTION", inner, (0.0, 3.0, 0.0)
    outer.objects.link(nested)
    curve = bpy.data.curves.new("Rod", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.use_fill_caps = "3D", 0.5, True
    curve.splines.new("POLY").points.add(1)
    curve.splines[0].points[1].co = (0, 0, 2, 1)
    outer.objects.link(bpy.data.objects.new("Rod", curve))
    instancing_empty("Machine", outer)
    rod = add("Alone", curve)
    rod.redmax.is_body = True
    extraction = extract()
    expected = 2 * WATER + inertia_of(extraction, "Alone")[0]
    assert inertia_of(extraction, "Machine")[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("shown", [True, False])
def test_vertex_instances_count_and_their_source_does_not(shown):
    obj = body("Carrier", (4.0, 4.0, 4.0))
    obj.instance_type, obj.show_instancer_for_viewport = "VERTS", shown
    source = cube("Source", at=(9.0, 9.0, 9.0))
    source.parent, source.location = obj, (0.0, 0.0, 0.0)
    expected = 8 * WATER + (64 * WATER if shown else 0.0)
    mass, centre, _ = inertia_of(extract(), "Carrier")
    assert mass == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(centre, 0.0, atol=1e-4)


def scattering_nodes():
    """Geometry nodes: the mesh itself and a cube of size 1 on each of its vertices."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    entry, leave = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    scatter, source = tree.nodes.new("GeometryNodeInstanceOnPoints"), tree.nodes.new("GeometryNodeMeshCube")
    join = tree.nodes.new("GeometryNodeJoinGeometry")
    source.inputs["Size"].default_value = (1.0, 1.0, 1.0)
    tree.links.new(entry.outputs[0], scatter.inputs["Points"])
    tree.links.new(source.outputs["Mesh"], scatter.inputs["Instance"])
    tree.links.new(scatter.outputs[0], join.inputs[0])
    tree.links.new(entry.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], leave.inputs[0])
    return tree


@pytest.mark.parametrize("eye", ["open", "closed"])
def test_geometry_nodes_instances_count_even_with_a_closed_eye(eye):
    obj = body("Scattered", (4.0, 4.0, 4.0), (7.0, 0.0, 0.0))
    obj.modifiers.new("Scatter", "NODES").node_group = scattering_nodes()
    bpy.context.view_layer.update()
    obj.hide_set(eye == "closed")
    mass, centre, _ = inertia_of(extract(), "Scattered")
    assert mass == pytest.approx(72 * WATER, rel=1e-5)
    np.testing.assert_allclose(centre, 0.0, atol=1e-4)
    assert obj.hide_get() == (eye == "closed")


def test_instances_hidden_with_their_collection_are_refused_by_name():
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    empty = bpy.data.objects.new("Machine", None)
    hidden.objects.link(empty)
    empty.instance_type, empty.instance_collection = "COLLECTION", hollow_collection()
    empty.redmax.is_body = True
    bpy.context.view_layer.update()
    bpy.context.view_layer.layer_collection.children["Hidden"].hide_viewport = True
    (text,) = said(extract(), "ERROR")
    assert text.startswith("'Machine' is hidden, so its instances cannot be measured; show it")


def hide(how, obj):
    if how == "eye":
        bpy.context.view_layer.update()
        obj.hide_set(True)
    elif how == "screen":
        obj.hide_viewport = True
    elif how == "render":
        obj.hide_render = True
    else:
        collection = bpy.data.collections.new("Hidden")
        bpy.context.scene.collection.children.link(collection)
        collection.objects.link(obj)
        bpy.context.scene.collection.objects.unlink(obj)
        layer = bpy.context.view_layer.layer_collection.children["Hidden"]
        if how == "collection eye":
            layer.hide_viewport = True
        else:
            collection.hide_viewport = True


WAYS = ["eye", "screen", "render", "collection eye", "collection screen"]


@pytest.mark.parametrize("how", WAYS)
def test_hidden_meshes_are_weighed(how):
    obj = body("Box", (1.0, 2.0, 3.0))
    hide(how, obj)
    extraction = extract()
    assert not extraction.errors
    assert inertia_of(extraction, "Box")[0] == pytest.approx(6 * WATER)


@pytest.mark.parametrize("how", WAYS)
def test_hidden_modifiers_are_applied_or_refused_by_name(how):
    obj = body("Box", (1.0, 2.0, 3.0))
    modifier = obj.modifiers.new("Array", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 3, (2.0, 0.0, 0.0)
    hide(how, obj)
    extraction = extract()
    if "screen" in how:
        (text,) = said(extraction, "ERROR")
        assert text.startswith("'Box' is switched off in the viewport, so Blender does not compute its shape; show it")
        assert extraction.body("Box").mass == 0.0
    else:
        assert not extraction.errors
        assert inertia_of(extraction, "Box")[0] == pytest.approx(18 * WATER)


def test_motion_that_blender_does_not_compute_is_refused_by_name():
    obj = body("Box")
    for frame, x in ((1, 0.0), (20, 5.0)):
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)
    pin = by_hand.joint("Pin", None, obj)
    pin.redmax.joint.motion_type = "animated"
    pin.driver_add("redmax.joint.coordinate_angle_1").driver.expression = "frame"
    assert not extract().errors
    obj.hide_viewport = pin.hide_viewport = True
    found = {finding.element: finding.text for finding in extract().errors}
    assert found == {
        "Box": "'Box' is switched off in the viewport, so Blender does not compute where it stands",
        "Pin": "Joint 'Pin' is switched off in the viewport, so Blender does not compute its drivers or NLA",
    }


def test_a_linked_body_is_not_taken_for_a_local_one_of_the_same_name(library):
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.objects = ["Rod"]
    local = body("Rod", root="LOCKED")
    assert local.name == "Rod"
    by_hand.joint("Pin", None, into.objects[0])
    (text,) = said(extract(), "ERROR")
    assert text.startswith("Joint 'Pin' has 'Rod' as its child, which is not in this view layer")


def test_excluded_collections_are_left_out_and_said():
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    gone = cube("Gone", collection=away)
    gone.redmax.is_body = True
    here = body("Here")
    cube("Part", collection=away).parent = here
    by_hand.joint("Pin", here, gone)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    extraction = extract()
    assert [b.name for b in extraction.bodies] == ["Here"]
    assert any("'Gone' is in an excluded collection" in text for text in said(extraction, "INFO"))
    assert any("'Part' is a part of 'Here', but its collection is excluded" in t for t in said(extraction, "WARNING"))
    (text,) = said(extraction, "ERROR")
    assert text.startswith("Joint 'Pin' has 'Gone' as its child, which is not in this view layer")


def test_a_body_of_another_scene_is_refused_by_name():
    other = bpy.data.scenes.new("Other")
    far = bpy.data.objects.new("Far", mesh("Far"))
    other.collection.objects.link(far)
    far.redmax.is_body = True
    by_hand.joint("Pin", far, body("Near"))
    (text,) = said(extract(), "ERROR")
    assert text.startswith("Joint 'Pin' has 'Far' as its parent, which is not in this view layer")


@pytest.fixture
def library(tmp_path):
    """A file with a body 'Rod' on a joint 'Pin'."""
    rod = body("Rod", (1.0, 1.0, 2.0))
    rod.redmax.body.density = 500.0
    by_hand.joint("Pin", None, rod)
    kit = bpy.data.collections.new("Kit")
    for name in ("Rod", "Pin"):
        kit.objects.link(bpy.data.objects[name])
    bpy.context.scene.collection.children.link(kit)
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return str(path)


def test_linked_objects_are_refused_by_name(library):
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.collections = ["Kit"]
    bpy.context.scene.collection.children.link(into.collections[0])
    extraction = extract()
    texts = said(extraction, "ERROR")
    assert any(text.startswith("'Rod' is linked from another file, so it cannot be a body here") for text in texts)
    assert any(text.startswith("'Pin' is linked from another file, so it cannot be a joint here") for text in texts)
    assert len(texts) == 2
    assert all("library override" in text for text in texts)


def test_linked_mesh_data_is_fine(library):
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.meshes = ["Rod"]
    add("Local", into.meshes[0]).redmax.is_body = True
    assert inertia_of(extract(), "Local")[0] == pytest.approx(2 * WATER)


def test_library_overrides_and_appended_objects_work(library):
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.collections = ["Kit"]
    kit = into.collections[0]
    bpy.context.scene.collection.children.link(kit)
    kit.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.scene.collection.children.unlink(kit)
    extraction = extract()
    assert not extraction.errors
    assert inertia_of(extraction, "Rod")[0] == pytest.approx(1000.0)
    assert extraction.joint_objects == {"Pin": "Pin"}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=False) as (_, into):
        into.objects = ["Rod", "Pin"]
    for obj in into.objects:
        bpy.context.scene.collection.objects.link(obj)
    assert inertia_of(extract(), "Rod")[0] == pytest.approx(1000.0)
