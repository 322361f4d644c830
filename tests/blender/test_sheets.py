# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets from a grid of empties, a NURBS surface and a grid of a mesh; and how tracks and sheets are drawn."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import railed
from by_hand import add, cube, extract, said
from railed import select
from test_tracks import engines_own

from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.core import curve_points, sheet_samples
from redmax_blender.overlay import seen_tracks


def height(x, y):
    return 0.1 * (x * x + y * y)


def of_empties():
    for row in range(5):
        for column in range(6):
            empty = add(f"Frame {6 * row + column}")
            x, y = row - 2.0, column - 2.5
            empty.location = (x, y, height(x, y))
    bpy.context.view_layer.update()
    return [obj for obj in bpy.context.scene.objects if obj.type == "EMPTY"], {"columns": 6}, None


def of_mesh():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=5, size=5.0)
    grid = bpy.context.object
    for vertex in grid.data.vertices:
        vertex.co.z = height(*vertex.co[:2])
    return [grid], {}, grid


def of_surface():
    bpy.ops.surface.primitive_nurbs_surface_surface_add(radius=2.0)
    surface = bpy.context.object
    surface.data.splines[0].use_endpoint_u = surface.data.splines[0].use_endpoint_v = True
    return [surface], {}, surface


MAKERS = {"empties": of_empties, "mesh": of_mesh, "surface": of_surface}
every = pytest.mark.parametrize("what", MAKERS)


def made(what):
    objects, options, active = MAKERS[what]()
    puck = cube("Puck", (0.3, 0.3, 0.1), (0.5, 0.4, 0.3))
    select(*objects, puck, active=active or puck)
    assert bpy.ops.redmax.add_sheet(**options) == {"FINISHED"}
    return puck


@every
def test_by_operators_alone_a_puck_slides_and_is_baked_as_the_engine_moves_it(what, scene):
    puck = made(what)
    scene.frame_end = 12
    extraction = extract()
    assert extraction.errors == (), said(extraction)
    (on,) = extraction.scene.joints
    assert on.kind == "spline_surface"
    expected = engines_own(extraction)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert np.ptp(expected.position[:, 0], axis=0).max() > 0.02, "it slides"
    for frame in (1, 6, 12):
        scene.frame_set(frame)
        np.testing.assert_allclose(puck.matrix_world.translation, expected.position[frame - 1, 0], atol=2e-6)


@every
def test_saved_undone_and_copied_it_is_the_same(what, tmp_path):
    bpy.ops.ed.undo_push(message="empty")
    made(what)
    bpy.ops.ed.undo_push(message="made")
    before = extract().digest
    bpy.ops.ed.undo()
    assert not [obj for obj in bpy.context.scene.objects if obj.redmax.is_sheet]
    bpy.ops.ed.redo()
    assert extract().digest == before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "sheet.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "sheet.blend"))
    assert extract().digest == before
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    found = extract()
    assert found.errors == (), said(found)
    assert len({joint.sheet for joint in found.scene.joints}) == 2


def test_the_sheet_of_a_mesh_passes_through_its_vertices():
    made("mesh")
    (sheet,) = extract().scene.sheets
    for vertex in bpy.data.objects["Grid"].data.vertices:
        assert sheet.nearest(tuple(vertex.co))[1] < 1e-6


def test_the_sheet_of_a_nurbs_surface_is_that_which_blender_draws():
    made("surface")
    (sheet,) = extract().scene.sheets
    obj = next(each for each in bpy.context.scene.objects if each.type == "SURFACE")
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    drawn = np.array([vertex.co for vertex in evaluated.to_mesh().vertices])
    evaluated.to_mesh_clear()
    off = [sheet.nearest(point)[1] for point in drawn[:: max(1, len(drawn) // 12)]]
    assert max(off) < 2e-3 * np.linalg.norm(np.ptp(drawn, axis=0))


def test_the_grid_of_a_mesh_is_found_whatever_the_order_of_its_vertices():
    rng = np.random.default_rng(3)
    rows, columns = 4, 6
    order = rng.permutation(rows * columns)
    number = order.reshape(rows, columns)
    faces = [
        tuple(int(n) for n in np.roll(rolled, int(rng.integers(4))))
        for i in range(rows - 1)
        for j in range(columns - 1)
        for rolled in [[number[i, j], number[i, j + 1], number[i + 1, j + 1], number[i + 1, j]]]
    ]
    found = sheet_samples.grid_of([faces[k] for k in rng.permutation(len(faces))], rows * columns)
    assert found is not None
    same = [number, number[::-1], number[:, ::-1], number[::-1, ::-1]]
    assert any(np.array_equal(found, one) or np.array_equal(found.T, one) for one in same)
    assert sheet_samples.grid_of(faces[:-1], rows * columns) is None
    assert sheet_samples.grid_of([(0, 1, 2)], 3) is None


def test_what_is_no_grid_is_named():
    bpy.ops.mesh.primitive_ico_sphere_add()
    ball = bpy.context.object
    select(ball)
    bpy.ops.redmax.add_sheet()
    (finding,) = [each for each in extract().findings if "is no grid of quads" in each.text]
    fixes.apply(bpy.context, finding.fixes[0], finding.element)
    assert not ball.redmax.is_sheet


def test_weights_of_a_circle_make_it_round():
    """A NURBS circle of Blender's: 8 points, weights 1 and cos 45."""
    angle = np.arange(8) * 0.25 * math.pi
    far = np.where(np.arange(8) % 2, math.sqrt(2.0), 1.0)
    points = np.stack([far * np.cos(angle), far * np.sin(angle), 0.0 * angle], 1)
    weights = np.where(np.arange(8) % 2, math.sqrt(0.5), 1.0)
    knots = curve_points.Knots(3, cyclic=True, endpoint=True, bezier=True)
    spline = curve_points.Spline("NURBS", points, points, points, weights, 0.0 * angle, knots)
    found, _ = curve_points.positions(spline, np.linspace(0.0, 8.0, 50))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-12)


# --- drawn -----------------------------------------------------------------------------------


def lines():
    context = bpy.context
    ways = seen_tracks.known(context.scene, context.view_layer)
    objects = [context.view_layer.objects[way.place] for way in ways]
    M = np.array([obj.matrix_world for obj in objects], float).reshape(-1, 4, 4)
    selected = [obj.select_get() for obj in objects]
    return seen_tracks.placed(ways, M, [True] * len(ways), selected)


def test_a_track_is_drawn_where_it_is_and_follows_its_frames():
    railed.from_empties()
    points = lines().points
    for k in range(1, 9):
        place = np.array(bpy.data.objects[f"Frame {k}"].matrix_world.translation)
        assert np.linalg.norm(points - place, axis=1).min() < 0.06
    bpy.data.objects["Frame 3"].location.z += 1.0
    bpy.context.view_layer.update()
    place = np.array(bpy.data.objects["Frame 3"].matrix_world.translation)
    assert np.linalg.norm(lines().points - place, axis=1).min() < 0.06
    bpy.data.objects["Track"].location.x += 2.0
    bpy.context.view_layer.update()
    place = np.array(bpy.data.objects["Frame 5"].matrix_world.translation)
    assert np.linalg.norm(lines().points - place, axis=1).min() < 0.06


def test_a_sheet_is_drawn_as_a_net_over_it():
    made("mesh")
    points = lines().points.astype(float)
    np.testing.assert_allclose(points[:, 2], height(points[:, 0], points[:, 1]), atol=0.02)


def test_what_is_not_sound_is_not_drawn():
    railed.from_empties()
    bpy.data.objects.remove(bpy.data.objects["Frame 3"])
    bpy.context.view_layer.update()
    assert len(lines().points) == 0
