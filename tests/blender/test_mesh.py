# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring meshes: what a solid's volume and spread are, in its own coordinates."""

from __future__ import annotations

import dataclasses

import bpy
import by_hand
import numpy as np
import pytest


@pytest.fixture
def measuring():
    from redmax_blender.bridge.extract import mesh

    return mesh


def icosphere(seed: int = 3) -> bpy.types.Mesh:
    """A bumpy closed surface without symmetry."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3)
    data = bpy.context.object.data
    co = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", co)
    co = co.reshape(-1, 3)
    rng = np.random.default_rng(seed)
    co *= (1.0 + 0.3 * np.sin(co @ rng.normal(size=(3, 1)) * 3.0)).astype(np.float32)
    co += np.array([0.4, -0.2, 0.7], np.float32)
    data.vertices.foreach_set("co", co.reshape(-1))
    return data


def test_transforming_the_measurement_equals_measuring_the_transformed_mesh(measuring):
    from redmax.geometry.mass_properties import mass_properties
    from redmax.geometry.mesh import Mesh

    geometry = measuring.read(icosphere())
    rng = np.random.default_rng(0)
    for mirrored in (False, True):
        B = np.eye(4)
        B[:3, :3] = rng.normal(size=(3, 3))
        B[:3, :3] *= np.sign(np.linalg.det(B[:3, :3])) * (-1.0 if mirrored else 1.0)
        B[:3, 3] = rng.normal(size=3)
        measured = measuring.measure(geometry).bulk.transformed(B)
        vertices = geometry.vertices.astype(np.float64) @ B[:3, :3].T + B[:3, 3]
        moved = Mesh.from_loops(vertices, geometry.corners, geometry.starts, precision=2.0**-23)
        oracle = mass_properties(moved.flipped() if mirrored else moved, density=2.0)
        ours = measured.with_mass(2.0 * measured.volume)
        assert ours.mass == pytest.approx(oracle.mass, rel=1e-12)
        np.testing.assert_allclose(ours.center, oracle.center, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.inertia, oracle.inertia, rtol=0, atol=1e-12 * np.abs(oracle.inertia).max())


def test_same_content_is_measured_once(measuring, monkeypatch):
    geometry = measuring.read(icosphere(5))
    first = measuring.measure(geometry)
    monkeypatch.setattr(measuring, "_measure", None)
    copy = measuring.Geometry(*(array.copy() for array in geometry.arrays))
    assert measuring.measure(copy) is first
    monkeypatch.undo()
    vertices = geometry.vertices.copy()
    vertices[7] += 1e-3
    assert measuring.measure(dataclasses.replace(copy, vertices=vertices)).bulk.volume != first.bulk.volume


def test_what_was_read_cannot_change(measuring):
    """Measurements are remembered by content, so the content must stay."""
    geometry = measuring.read(icosphere())
    for array in geometry.arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_memory_of_measurements_is_bounded(measuring, monkeypatch):
    monkeypatch.setattr(measuring, "REMEMBERED", 4)
    measuring._measured.clear()
    geometry = measuring.read(by_hand.mesh("Cube"))
    for k in range(8):
        measuring.measure(dataclasses.replace(geometry, vertices=geometry.vertices * np.float32(k + 1)))
    assert len(measuring._measured) == 4


def evaluated_mesh(measuring, obj):
    """(geometry, volume by the divergence theorem over Blender's own triangles)."""
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.view_layer.depsgraph)
    data = evaluated.to_mesh()
    geometry = measuring.read(data)
    data.calc_loop_triangles()
    corners = np.array([triangle.vertices[:] for triangle in data.loop_triangles])
    a, b, c = (geometry.vertices[corners[:, k]].astype(np.float64) for k in range(3))
    evaluated.to_mesh_clear()
    return geometry, float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0)


def test_seams_that_blender_leaves_in_curves_are_no_holes(measuring):
    curve = bpy.data.curves.new("Rod", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = "3D", 0.1, 16, True
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, 0.0, 2.0, 1.0)
    geometry, _ = evaluated_mesh(measuring, by_hand.add("Rod", curve))
    n = len(np.unique(geometry.vertices[geometry.vertices[:, 2] == 0.0].round(5), axis=0))
    n_gon = 0.5 * n * 0.1**2 * np.sin(2.0 * np.pi / n)
    assert measuring.measure(geometry).bulk.volume == pytest.approx(2.0 * n_gon, rel=1e-5)


@pytest.mark.parametrize("add", ["text", "surface"])
def test_texts_and_surfaces_are_solids(measuring, add):
    if add == "text":
        bpy.ops.object.text_add()
        bpy.context.object.data.extrude = 0.1
    else:
        bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    geometry, volume = evaluated_mesh(measuring, bpy.context.object)
    assert measuring.measure(geometry).bulk.volume == pytest.approx(abs(volume), rel=1e-6)


def test_inward_faces_measure_as_outward_ones(measuring):
    data = by_hand.mesh("Cube", faces=[face[::-1] for face in by_hand.FACES])
    found = measuring.measure(measuring.read(data))
    assert found.is_inverted
    assert found.bulk.volume == pytest.approx(1.0)


def test_an_open_mesh_has_no_bulk_but_a_box(measuring):
    found = measuring.measure(measuring.read(by_hand.mesh("Open", faces=by_hand.FACES[:-1])))
    assert found.bulk is None
    assert found.extents == 3
    assert found.box.volume == pytest.approx(1.0)
    assert [problem.kind for problem in found.problems] == ["open"]


def test_empty_and_flat_meshes(measuring):
    empty = measuring.measure(measuring.read(bpy.data.meshes.new("Empty")))
    assert empty.bulk is None
    assert empty.box is None
    assert empty.faces == 0
    plane = by_hand.mesh("Plane", [(0, 0, 0), (2, 0, 0), (2, 3, 0), (0, 3, 0)], [(0, 1, 2, 3)])
    flat = measuring.measure(measuring.read(plane))
    assert flat.bulk is None
    assert flat.extents == 2
    np.testing.assert_allclose(np.diag(flat.box.spread), [4.0 / 12.0, 9.0 / 12.0, 0.0])
