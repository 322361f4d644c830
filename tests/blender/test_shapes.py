# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that show springs, cables, muscles and strands: they stand where their elements are, in a preview, in a bake
and after Remove Bake; and lines of the overlay do, too."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from intents import MAKERS, anchored, press

from redmax_blender.bridge.authoring import shapes
from redmax_blender.bridge.bake.bake_options import BakeOptions
from redmax_blender.bridge.core import coil
from redmax_blender.bridge.core.shortest_path import shortest_order
from redmax_blender.bridge.results import cache
from redmax_blender.overlay import seen_lines

SHOWN = {"add_spring": {"shape": True}, "add_cable": {}, "add_muscle": {}, "add_strand": {}}


def place(name):
    return np.array(bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 3]


def ends_of(shape):
    """Where the two ends of a shape are in the world, from its evaluated geometry."""
    shape = shape.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if shape.type == "MESH":
        points = np.array([shape.matrix_world @ vertex.co for vertex in shape.data.vertices])
        return points[: coil.SIDES].mean(axis=0), points[-coil.SIDES :].mean(axis=0)
    mesh = shape.to_mesh()
    points = np.array([shape.matrix_world @ vertex.co for vertex in mesh.vertices])
    shape.to_mesh_clear()
    z = points[:, 2]
    return points[z < z.min() + 1e-4].mean(axis=0), points[z > z.max() - 1e-4].mean(axis=0)


def nodes_shown(shape):
    """Points of a rope in the world, by the matrix of its object."""
    return np.array([shape.matrix_world @ point.co.to_3d() for point in shape.data.splines[0].points])


def stands_between(shape, atol=3e-3):
    """Whether a shape reaches from the bob to the anchor. A coil's ends are rings that begin on the axis, half a wire
    away from the point at most."""
    ends = np.array(ends_of(shape))
    for name in ("Anchor", "Bob"):
        assert np.linalg.norm(ends - place(name), axis=1).min() < atol, (name, ends, place(name))


@pytest.mark.parametrize("what", SHOWN)
def test_a_shape_follows_in_a_preview_in_a_bake_and_after_it(what):
    element = MAKERS[what].make(**SHOWN[what])
    (shape,) = shapes.shapes_of(element)
    scene = bpy.context.scene
    stands_between(shape)
    start = place("Bob")
    bpy.ops.redmax.simulate()
    scene.frame_set(7)
    assert np.linalg.norm(place("Bob") - start) > 1e-3
    stands_between(shape)
    bpy.ops.redmax.bake()
    bpy.ops.redmax.clear_result()
    for frame in (1, 4, 7):
        scene.frame_set(frame)
        stands_between(shape)
    bpy.ops.redmax.remove_bake()
    scene.frame_set(1)
    stands_between(shape)
    np.testing.assert_allclose(place("Bob"), start, atol=1e-6)


def test_a_coil_between_points_off_the_origins_gets_empties_there_that_are_the_ends():
    a, b = anchored()
    bpy.context.scene.cursor.location = (0.1, 0.05, 1.1)
    spring = press("add_spring", a, b, ends="CURSOR", shape=True)
    settings = spring.redmax.force.spring_damper
    assert settings.point_a_at is None
    end = settings.point_b_at
    assert (end.parent, end.name) == (b, "Spring End B")
    np.testing.assert_allclose(np.array(end.matrix_world)[:3, 3], (0.1, 0.05, 1.1), atol=1e-6)
    (shape,) = shapes.shapes_of(spring)
    target = np.array([[0.0, 0.0, 2.0], [0.1, 0.05, 1.1]])
    np.testing.assert_allclose(ends_of(shape), target, atol=3e-3)


def test_a_coil_is_closed_and_as_long_as_asked_for():
    points, faces = coil.coil(2.0, 0.2, 0.03, 6.0)
    edges = {}
    for face in faces:
        for pair in zip(face, (*face[1:], face[0]), strict=True):
            edges[tuple(sorted(pair))] = edges.get(tuple(sorted(pair)), 0) + 1
    assert set(edges.values()) == {2}, "a solid has two faces at each edge"
    assert points[:, 1].min() > -0.03 - 1e-9
    assert points[:, 1].max() < 2.03 + 1e-9
    radius = np.hypot(points[:, 0], points[:, 2])
    np.testing.assert_allclose(radius.max(), 0.23, rtol=0.02)


def test_a_rope_of_another_number_of_nodes_is_shown_with_those():
    strand = MAKERS["add_strand"].make()
    (shape,) = shapes.shapes_of(strand)
    settings = strand.redmax.strand
    settings.nodes.remove(1)
    settings.attachments[1].node = 2
    bpy.ops.redmax.simulate()
    bpy.context.scene.frame_set(4)
    found = cache.load(bpy.context.scene)
    points = np.array([point.co[:3] for point in shape.data.splines[0].points])
    np.testing.assert_allclose(points, found.channels["nodes"][3], atol=1e-6)


@pytest.mark.parametrize(("target", "keys"), [("NEW", "EVERY"), ("CURRENT", "FEWER"), ("NLA", "EVERY_N")])
def test_a_baked_rope_has_the_nodes_of_the_result(target, keys):
    strand = MAKERS["add_strand"].make()
    (shape,) = shapes.shapes_of(strand)
    shape.location = (0.5, 0.0, 0.0)  # moved by its object, it still shows the strand
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    options = scene.redmax.bake
    options.target, options.keys, options.every = target, keys, 2
    bpy.ops.redmax.simulate()
    found = cache.load(scene)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.redmax.clear_result()
    for frame in (1, 3, 7):
        scene.frame_set(frame)
        points = nodes_shown(shape)
        bound = 1e-6 if keys != "FEWER" else 1e-3 * BakeOptions.from_scene(scene).distance + 1e-6
        np.testing.assert_allclose(points, found.channels["nodes"][frame - 1], atol=bound)
    bpy.ops.redmax.remove_bake()
    assert shape.data.animation_data is None
    points = nodes_shown(shape)
    np.testing.assert_allclose(points, found.channels["nodes"][0], atol=1e-6)


def test_a_rope_that_alone_moves_can_be_baked():
    anchor, bob = anchored()
    bpy.data.objects.remove(bob)
    bpy.context.scene.cursor.location = (1.0, 0.0, 2.0)
    strand = press("add_strand", anchor, segments=3, free_end=True, stretch=0.1)
    bpy.ops.redmax.simulate()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    (shape,) = shapes.shapes_of(strand)
    assert shape.data.redmax.baked.active


def test_a_bake_that_fails_leaves_the_rope_as_it_was(monkeypatch):
    strand = MAKERS["add_strand"].make()
    bpy.ops.redmax.simulate()
    (shape,) = shapes.shapes_of(strand)
    bpy.context.scene.frame_set(5)
    before = [tuple(point.co) for point in shape.data.splines[0].points]

    def failing(*_arguments):
        raise OSError("planted")

    monkeypatch.setattr("redmax_blender.bridge.bake.bake._write_results", failing)
    bpy.context.scene.redmax.bake.forces = True
    with pytest.raises(RuntimeError, match="planted"):
        bpy.ops.redmax.bake()
    assert shape.data.animation_data is None
    assert not shape.data.redmax.baked.active
    assert [tuple(point.co) for point in shape.data.splines[0].points] == before
    assert not bpy.data.actions


def test_ropes_that_share_a_curve_are_named_and_nothing_is_baked():
    strand = MAKERS["add_strand"].make()
    (shape,) = shapes.shapes_of(strand)
    twin = shape.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.ops.redmax.simulate()
    with pytest.raises(RuntimeError, match="is used by 2 objects; make it a single-user copy"):
        bpy.ops.redmax.bake()
    assert not bpy.data.actions


def test_a_shape_is_no_body():
    MAKERS["add_cable"].make()
    shape = bpy.data.objects["Cable Shape"]
    bpy.ops.object.select_all(action="DESELECT")
    shape.select_set(True)
    bpy.context.view_layer.objects.active = shape
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.make_mechanism()
    assert not shape.redmax.is_body


def test_add_shape_replaces_the_one_there_is_and_can_be_thicker():
    cable = MAKERS["add_cable"].make()
    (thin,) = (shape.data.bevel_depth for shape in shapes.shapes_of(cable))
    press("add_shape", cable, thickness=3.0)
    (thick,) = (shape.data.bevel_depth for shape in shapes.shapes_of(cable))
    assert thick == pytest.approx(3.0 * thin)
    assert len(bpy.data.curves) == 1


# --- overlay -------------------------------------------------------------------------------------


def drawn():
    """Lines of all elements, with every object shown."""
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    view_layer.update()
    seen_lines.forget()
    space = next(area for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D").spaces[0]
    return seen_lines.placed(seen_lines.known(scene, view_layer), scene, view_layer, space)


@pytest.mark.parametrize("what", ["add_spring", "add_damper", "add_cable", "add_muscle", "add_strand"])
def test_a_line_goes_from_end_to_end_also_where_a_result_has_moved_them(what):
    MAKERS[what].make()
    bpy.ops.redmax.simulate()
    for frame in (1, 7):
        bpy.context.scene.frame_set(frame)
        points = drawn().points
        for name in ("Anchor", "Bob"):
            assert np.linalg.norm(points - place(name), axis=1).min() < 1e-5


def test_lines_are_coloured_by_tension():
    spring = MAKERS["add_spring"].make()
    bpy.ops.object.select_all(action="DESELECT")
    np.testing.assert_allclose(drawn().colours[0, :3], seen_lines.PLAIN, atol=1e-6)
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    tension = found.channels["line_tension"][:, 0]
    assert found.meta["lines"] == [spring.name]
    peak = int(np.argmax(np.abs(tension)))
    bpy.context.scene.frame_set(1 + peak)
    np.testing.assert_allclose(drawn().colours[0, :3], seen_lines.PULLS, atol=1e-6)
    bpy.context.scene.frame_set(1)
    np.testing.assert_allclose(drawn().colours[0, :3], seen_lines.tension_colour(tension[0] / tension[peak]), atol=1e-6)


@pytest.mark.parametrize(("ratio", "way"), [(2.0, 1.0), (-0.5, -1.0)])
def test_arrows_of_a_coupling_turn_the_way_of_its_ratio(ratio, way):
    """The arrow of the follower goes on from its first point the way it moves while the leader moves forward."""
    for twist, moved in (((0, 0, 2.0, 0, 0, 0), None), ((0, 0, 0, 0, 3.0, 0), (0.0, 1.0, 0.0))):
        arrow = seen_lines.coupling_arrow(np.array(twist, float), math.copysign(1.0, ratio))
        step = arrow[1] - arrow[0]
        wanted = np.cross((0.0, 0.0, 1.0), arrow[0]) if moved is None else np.array(moved)
        assert math.copysign(1.0, float(step @ wanted)) == way


def test_a_gear_is_drawn_with_both_arrows():
    MAKERS["add_gear"].make()
    lines = drawn()
    for name in ("Small Hinge", "Large Hinge"):
        away = np.linalg.norm(lines.points - place(name), axis=1)
        assert (np.abs(away - seen_lines.REACH * 0.6) < 1e-4).sum() > 20, "an arc around it"


def test_a_force_is_an_arrow_along_its_direction():
    MAKERS["add_force"].make(direction=(1.0, 0.0, 0.0))
    points = drawn().points
    shaft = points[1] - points[0]
    np.testing.assert_allclose(shaft / np.linalg.norm(shaft), (1.0, 0.0, 0.0), atol=1e-6)


# --- the order of points -------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 6, 14])
def test_the_shortest_line_through_points_on_a_line_is_in_their_order(count):
    rng = np.random.default_rng(count)
    along = rng.permutation(count)
    points = np.zeros((count, 3))
    points[:, 0] = along
    order = shortest_order(points)
    assert sorted(order) == list(range(count))
    assert np.ptp(np.abs(np.diff(points[order, 0]))) == 0.0
    first = int(np.argmax(along))
    assert shortest_order(points, first=first)[0] == first


def test_the_exact_order_is_not_longer_than_any_other():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(6, 3))

    def length(order):
        return np.linalg.norm(np.diff(points[list(order)], axis=0), axis=1).sum()

    best = length(shortest_order(points))
    assert all(length(rng.permutation(6)) >= best - 1e-12 for _ in range(300))
