# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightfields and convex pieces of Blender's objects: how they are fitted, remembered, drawn, and what is said."""

from __future__ import annotations

import math

import bpy
import by_hand
import numpy as np
import pytest
import rigid_worlds as rw
import touching
from touching import add_surface, surface

from redmax_blender._engine import convex_pieces
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.extract import surface_shapes
from redmax_blender.overlay import seen_surfaces

needs_coacd = pytest.mark.skipif(not convex_pieces.is_here(), reason="needs the wheel coacd")
BOX = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def height(x, y):
    return 0.2 * math.sin(2.0 * x) + 0.1 * x * y


def terrain(columns=7, rows=5, spacing=0.5, at=(0.0, 0.0, 0.0), cut="", shuffled=True):
    """A grid mesh. cut: "rising" or "falling" for triangles whose common side does so, empty for quadrilaterals."""
    place = [(spacing * (i - 1.0), spacing * (k - 2.0)) for k in range(rows) for i in range(columns)]
    vertices = np.array([(x, y, height(x, y)) for x, y in place])
    faces = []
    for k in range(rows - 1):
        for i in range(columns - 1):
            a, b, c, d = columns * k + i, columns * k + i + 1, columns * (k + 1) + i + 1, columns * (k + 1) + i
            faces += {"": [(a, b, c, d)], "rising": [(a, b, c), (a, c, d)], "falling": [(a, b, d), (b, c, d)]}[cut]
    order = np.random.default_rng(2).permutation(len(vertices)) if shuffled else np.arange(len(vertices))
    again = np.argsort(order)
    data = by_hand.mesh("Terrain", vertices[order].tolist(), [tuple(int(again[k]) for k in face) for face in faces])
    obj = by_hand.add("Terrain", data)
    obj.location = at
    bpy.context.view_layer.update()
    return obj


def corners_of(found):
    """(n, 3) where the heights of an engine's heightfield are, in the world."""
    heights = np.array(found.heights)
    x, y = (np.linspace(-0.5 * size, 0.5 * size, n) for size, n in zip(found.size, heights.shape[::-1], strict=True))
    local = np.stack([*np.meshgrid(x, y), heights], axis=-1).reshape(-1, 3)
    w, *v = found.frame.rotation
    turned = local + 2.0 * np.cross(v, np.cross(v, local) + w * local)
    return turned + found.frame.position


def in_order(points):
    """Points of a grid, column by column."""
    points = np.asarray(points, np.float64)
    x, y = np.round(points[:, :2], 3).T
    return points[np.lexsort((y, x))]


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("cut", ["", "rising", "falling"])
def test_a_grid_is_a_heightfield_through_its_vertices(cut, unit):
    bpy.context.scene.unit_settings.scale_length = unit
    obj = terrain(at=(1.0, 2.0, 3.0), cut=cut)
    obj.scale = (2.0, 1.0, 0.5)
    bpy.context.view_layer.update()
    add_surface(obj, kind="heightfield")
    touching.crate(at=(0.0, 0.0, 9.0))
    obj.redmax.surface.depth = 0.25
    found = surface("Terrain")
    assert (found.kind, found.body) == ("heightfield", None)
    assert found.depth == pytest.approx(0.25 * unit)
    expected = [unit * np.array(obj.matrix_world @ vertex.co) for vertex in obj.data.vertices]
    np.testing.assert_allclose(in_order(corners_of(found) / unit), in_order(np.array(expected) / unit), atol=1e-5)
    assert not by_hand.extract().findings


def test_cells_are_cut_as_those_of_the_mesh():
    """A ball over the middle of a twisted cell rests on the side that its triangles share."""
    for cut in ("rising", "falling"):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        vertices = [(0, 0, 0), (1, 0, 0.5), (1, 1, 0), (0, 1, 0.5)]
        faces = [(0, 1, 2), (0, 2, 3)] if cut == "rising" else [(0, 1, 3), (1, 2, 3)]
        add_surface(by_hand.add("Cell", by_hand.mesh("Cell", vertices, faces)), kind="heightfield")
        found = surface("Cell")
        heights = np.array(found.heights)
        assert 0.5 * (heights[0, 0] + heights[1, 1]) == pytest.approx(0.0 if cut == "rising" else 0.5)


def uneven():
    obj = terrain(shuffled=False)
    for vertex in obj.data.vertices:
        vertex.co.x = 2.0**vertex.co.x
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def remade(keep):
    obj = terrain(shuffled=False)
    vertices, faces = [v.co[:] for v in obj.data.vertices], [tuple(f.vertices) for f in obj.data.polygons]
    obj.data = by_hand.mesh("Other", vertices, keep(faces))
    bpy.context.view_layer.objects.active = obj


def holed():
    remade(lambda faces: faces[1:])


def joined():
    remade(lambda faces: [(0, 1, 2, 9, 8, 7), *faces[2:]])


NO_GRIDS = {
    "no grid": bpy.ops.mesh.primitive_cone_add,
    "not evenly spaced": uneven,
    "holes": holed,
    "no cells of a grid": joined,
}


@pytest.mark.parametrize("why", NO_GRIDS)
def test_what_is_no_grid_is_told_and_may_use_its_mesh(why):
    NO_GRIDS[why]()
    obj = bpy.context.object
    touching.crate(at=(0.0, 0.0, 9.0))
    add_surface(obj, kind="heightfield")
    (finding,) = by_hand.extract().errors
    assert why in finding.text
    assert "so it makes no heightfield" in finding.text
    assert finding.fixes == ("USE_MESH_SURFACE", "REMOVE_SURFACE")
    assert fixes.apply(bpy.context, "USE_MESH_SURFACE", obj.name) == f"'{obj.name}' touches as a mesh"
    assert not by_hand.extract().errors


def test_faces_that_are_cut_several_ways_are_told():
    vertices = [(i, k, 0.5 * ((i + k) % 2)) for k in range(3) for i in range(3)]
    faces = []
    for k in range(2):
        for i in range(2):
            a, b, c, d = 3 * k + i, 3 * k + i + 1, 3 * k + i + 4, 3 * k + i + 3
            faces += [(a, b, c), (a, c, d)] if i == 0 else [(a, b, d), (b, c, d)]
    add_surface(by_hand.add("Cut", by_hand.mesh("Cut", vertices, faces)), kind="heightfield")
    touching.crate(at=(0.0, 0.0, 9.0))
    (finding,) = [each for each in by_hand.extract().findings if each.code == "loose_surface"]
    assert "500 mm off its mesh" in finding.text
    assert finding.fixes == ("USE_MESH_SURFACE",)


def test_a_heightfield_on_a_body_that_moves_is_refused():
    obj = terrain()
    obj.redmax.is_body = True
    obj.redmax.body.mass_source, obj.redmax.body.mass = "MASS", 1.0
    add_surface(obj, kind="heightfield")
    (finding,) = by_hand.extract().errors
    assert "heightfields can only be scenery" in finding.text or "moves" in finding.text
    assert finding.fixes == ("USE_HULL_SURFACE", "USE_PIECES_SURFACE")
    obj.redmax.body.root = "LOCKED"
    assert not by_hand.extract().errors


# --- convex pieces -----------------------------------------------------------------------------


def dumbbell():
    """A body whose mesh is two cubes that nothing connects."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    vertices = [(x + side, y, z) for side in (-2.0, 2.0) for x, y, z in corners]
    faces = [tuple(8 * part + k for k in face) for part in range(2) for face in BOX]
    obj = by_hand.add("Dumbbell", by_hand.mesh("Dumbbell", vertices, faces))
    obj.redmax.is_body = obj.redmax.body.keep_free = True
    bpy.context.view_layer.update()
    return obj


def test_loose_parts_are_pieces_with_and_without_the_wheel(monkeypatch):
    add_surface(dumbbell(), kind="pieces")
    for installed in (convex_pieces.is_here(), False):
        monkeypatch.setattr(convex_pieces, "is_here", lambda installed=installed: installed)
        found = surface("Dumbbell")
        assert (found.kind, found.body, len(found.pieces)) == ("pieces", "Dumbbell", 2)
        middles = sorted(float(np.mean(piece.vertices, axis=0)[0]) for piece in found.pieces)
        assert middles == pytest.approx([-2.0, 2.0], abs=1e-3)
        told = [each.text for each in by_hand.extract().findings]
        assert bool(told) == (not installed)
    (text,) = told
    assert text == "'Dumbbell' touches as the hulls of its 2 loose parts, as the wheel 'coacd' is not here"


def test_without_the_wheel_and_without_parts_the_hull_is_told(monkeypatch):
    monkeypatch.setattr(convex_pieces, "is_here", lambda: False)
    bpy.ops.mesh.primitive_torus_add()
    bpy.ops.redmax.add_body()
    add_surface(bpy.context.object, kind="pieces")
    told = {each.code: each.text for each in by_hand.extract().findings}
    assert "touches as its hull, as the wheel 'coacd' is not here" in told["no_pieces_wheel"]
    assert "up to 250 mm off its mesh" in told["loose_surface"] or "mm off its mesh" in told["loose_surface"]
    obj = dumbbell()
    obj.redmax.surface.most_pieces = 1
    add_surface(obj, kind="pieces")
    (finding,) = by_hand.extract().errors
    assert "2 loose parts; raise Most Pieces" in finding.text
    assert finding.fixes == ("USE_HULL_SURFACE", "REMOVE_SURFACE")


def test_a_mesh_that_moves_may_use_pieces_beside_its_hull():
    bpy.ops.mesh.primitive_torus_add()
    bpy.ops.redmax.add_body()
    torus = bpy.context.object
    add_surface(torus, kind="mesh")
    (finding,) = by_hand.extract().errors
    assert finding.fixes == ("USE_HULL_SURFACE", "USE_PIECES_SURFACE")
    assert fixes.apply(bpy.context, "USE_PIECES_SURFACE", "Torus") == "'Torus' touches as convex pieces"
    assert not by_hand.extract().errors
    assert surface("Torus").kind == "pieces"


@needs_coacd
def test_a_torus_keeps_its_hole_and_settings_count():
    bpy.ops.mesh.primitive_torus_add()
    bpy.ops.redmax.add_body()
    torus = bpy.context.object
    add_surface(torus, kind="pieces")
    found = surface("Torus")
    assert 4 < len(found.pieces) <= torus.redmax.surface.most_pieces
    for piece in found.pieces:
        corners = np.array(piece.vertices)
        assert np.linalg.norm(corners[:, :2].mean(axis=0)) > 0.5, "none covers the hole"
        assert len(corners) <= torus.redmax.surface.corners
    assert [each for each in by_hand.extract().findings if each.severity != "INFO"] == []
    torus.redmax.surface.most_pieces = 2
    assert len(surface("Torus").pieces) == 2
    (finding,) = [each for each in by_hand.extract().findings if each.code == "loose_surface"]
    assert finding.text.startswith("The pieces of 'Torus' are up to")


def test_pieces_are_made_once_for_a_content(monkeypatch):
    made, real = [], surface_shapes._pieces
    monkeypatch.setattr(surface_shapes, "_pieces", lambda *arguments: made.append(1) or real(*arguments))
    surface_shapes._remembered.clear()
    obj = dumbbell()
    add_surface(obj, kind="pieces")
    first = surface("Dumbbell")
    obj.location.x = 3.0
    obj.redmax.surface.friction = 0.9
    bpy.context.view_layer.update()
    assert surface("Dumbbell").pieces is first.pieces
    assert len(made) == 1
    obj.data.vertices[0].co.z -= 0.25
    obj.data.update()
    bpy.context.view_layer.update()
    assert surface("Dumbbell").pieces != first.pieces
    assert len(made) == 2


def test_the_overlay_shows_both():
    add_surface(terrain(), kind="heightfield")
    add_surface(dumbbell(), kind="pieces")
    scene, layer = bpy.context.scene, bpy.context.view_layer
    skins = {layer.objects[skin.place].name: skin.lines.points for skin in seen_surfaces.look(scene, layer)}
    assert np.ptp(skins["Dumbbell"], axis=0) == pytest.approx((5.0, 1.0, 1.0), abs=1e-3)
    assert len(skins["Dumbbell"]) >= 2 * 2 * 12
    shown = skins["Terrain"]
    assert np.ptp(shown[:, :2], axis=0) == pytest.approx((3.0, 2.0), abs=1e-5)
    for vertex in bpy.data.objects["Terrain"].data.vertices:
        assert np.linalg.norm(shown - np.array(vertex.co), axis=1).min() < 1e-5


def test_an_empty_is_neither():
    empty = by_hand.add("Empty")
    for kind in ("heightfield", "pieces"):
        add_surface(empty, kind=kind)
        assert any("is an empty" in each.text for each in by_hand.extract().errors)


# --- Blender's rigid bodies ----------------------------------------------------------------------


@pytest.mark.parametrize("installed", [True, False])
def test_a_moving_mesh_with_dents_is_converted_to_pieces(monkeypatch, installed):
    if installed and not convex_pieces.is_here():
        pytest.skip("needs the wheel coacd")
    monkeypatch.setattr(convex_pieces, "is_here", lambda: installed)
    rw.world()
    bpy.ops.mesh.primitive_torus_add()
    rw.make_rigid(bpy.context.object, collision_shape="MESH", mass=2.0)
    ball = rw.round_body("Ball", 0.5, 0.0, collision_shape="MESH", mass=1.0)
    assert bpy.ops.redmax.convert_rigid_bodies() == {"FINISHED"}
    found = {each.name: each.kind for each in by_hand.extract().scene.surfaces}
    assert found == {"Torus": "pieces" if installed else "hull", ball.name: "hull"}
    said = bpy.context.scene.redmax.rigid_bodies.report
    assert ("as convex pieces" in said) == installed
    assert ("as its convex hull" in said) == (not installed)
