# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons are cut into triangles that cover them exactly once."""

from __future__ import annotations

import numpy as np
import pytest
from closed_meshes import COMB_OUTLINE, L_OUTLINE, STAR_OUTLINE, box, prism, random_rotation
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.geometry.mesh import Mesh, MeshError
from redmax.geometry.triangulate import area_vectors, triangulate

OUTLINES = {
    "square": [(0, 0), (1, 0), (1, 1), (0, 1)],
    "hexagon": [(np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3],
    "dart": [(0, 0), (1, 1), (0, 3), (-1, 1)],
    "arrowhead": [(0, 1), (-2, -1), (0, 0), (2, -1)],
    "arrowhead_from_notch": [(0, 0), (2, -1), (0, 1), (-2, -1)],
    "L": L_OUTLINE,
    "star": STAR_OUTLINE,
    "comb": COMB_OUTLINE,
    "collinear": [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (0, 1)],
    "spiral": [(0, 0), (5, 0), (5, 5), (1, 5), (1, 2), (3, 2), (3, 3), (2, 3), (2, 4), (4, 4), (4, 1), (0, 1)],
}


def in_space(outline, rng):
    flat = np.c_[np.asarray(outline, dtype=float), np.zeros(len(outline))]
    return flat @ random_rotation(rng).T + rng.normal(size=3)


def shoelace(outline):
    x, y = np.asarray(outline, dtype=float).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def triangle_vectors(vertices, triangles):
    p = vertices[triangles]
    return 0.5 * np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])


@pytest.mark.parametrize("shift", [0, 1, 2, 3])
@pytest.mark.parametrize("name", OUTLINES)
def test_triangles_cover_the_polygon_once(name, shift):
    rng = np.random.default_rng(3)
    outline = np.roll(OUTLINES[name], shift, axis=0)
    vertices = in_space(outline, rng)
    cut = triangulate(Mesh.from_faces(vertices, [list(range(len(outline)))]))
    assert len(cut.triangles) == len(outline) - 2
    assert len(cut.uncut) == 0
    areas = triangle_vectors(vertices, cut.triangles)
    # The sum of unsigned areas equals the polygon's area only when no triangle overlaps another or sticks out.
    # Round-off of coordinates of order 5: 1e-12.
    assert np.linalg.norm(areas, axis=1).sum() == pytest.approx(abs(shoelace(outline)), abs=1e-12)
    np.testing.assert_allclose(areas.sum(axis=0), area_vectors(vertices, np.arange(len(outline))[None])[0], atol=1e-12)


@pytest.mark.parametrize("name", OUTLINES)
def test_every_side_of_the_polygon_is_a_side_of_one_triangle(name):
    n = len(OUTLINES[name])
    vertices = in_space(OUTLINES[name], np.random.default_rng(5))
    triangles = triangulate(Mesh.from_faces(vertices, [list(range(n))])).triangles
    sides = [(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)]
    boundary = sorted((a, b) for a, b in sides if (b, a) not in sides)
    assert boundary == sorted((k, (k + 1) % n) for k in range(n))


def test_warped_polygon_keeps_its_area_vector():
    # The area vector depends on the rim only, so any cut must give it; warped by a tenth of its size.
    rng = np.random.default_rng(0)
    for outline in OUTLINES.values():
        vertices = in_space(outline, rng)
        vertices += 0.1 * rng.normal(size=vertices.shape)
        cut = triangulate(Mesh.from_faces(vertices, [list(range(len(outline)))]))
        expected = area_vectors(vertices, np.arange(len(outline))[None])[0]
        np.testing.assert_allclose(triangle_vectors(vertices, cut.triangles).sum(axis=0), expected, atol=1e-12)


def test_concave_quadrilateral_is_cut_at_its_notch():
    vertices = np.array([[0.0, 1, 0], [-2, -1, 0], [0, 0, 0], [2, -1, 0]])
    triangles = triangulate(Mesh.from_faces(vertices, [[1, 2, 3, 0]])).triangles
    assert all({0, 2} <= set(t) for t in triangles.tolist())


def test_triangles_follow_the_order_of_their_polygons():
    vertices, faces = prism(L_OUTLINE, 1.0)
    cut = triangulate(Mesh.from_faces(vertices, faces))
    assert cut.polygons.tolist() == sorted(cut.polygons.tolist())
    for triangle, polygon in zip(cut.triangles.tolist(), cut.polygons.tolist(), strict=True):
        assert set(triangle) <= set(faces[polygon])


def test_self_crossing_polygon_is_named_and_keeps_its_signed_area():
    vertices = np.array([[0.0, 0, 0], [3, 0, 0], [0, 2, 0], [3, 2, 0], [5, 1, 0]])
    cut = triangulate(Mesh.from_faces(vertices, [[0, 1, 2, 3, 4]]))
    assert cut.uncut.tolist() == [0]
    expected = area_vectors(vertices, np.arange(5)[None])[0]
    np.testing.assert_allclose(triangle_vectors(vertices, cut.triangles).sum(axis=0), expected, atol=1e-15)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 14))
@settings(max_examples=40, deadline=None)
def test_star_shaped_polygons_are_covered_once(seed, n):
    rng = np.random.default_rng(seed)
    # Gaps of at most a third turn keep the origin inside, so that the polygon is simple.
    gaps = rng.uniform(1.0, 1.3, size=n)
    angle, radius = 2 * np.pi * np.cumsum(gaps) / gaps.sum(), rng.uniform(0.2, 1.0, size=n)
    outline = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    vertices = in_space(outline, rng)
    cut = triangulate(Mesh.from_faces(vertices, [list(range(n))]))
    areas = np.linalg.norm(triangle_vectors(vertices, cut.triangles), axis=1)
    # Round-off of order-one coordinates.
    assert areas.sum() == pytest.approx(shoelace(outline), abs=1e-12)


def test_blender_arrays_and_face_lists_give_the_same_mesh():
    vertices, faces = prism(L_OUTLINE, 1.0)
    totals = [len(f) for f in faces]
    starts = np.cumsum(totals) - totals
    flat = np.concatenate(faces).astype(np.int32)
    from_lists = Mesh.from_faces(vertices, faces)
    for mesh in (
        Mesh.from_loops(vertices.astype(np.float32).ravel(), flat, starts.astype(np.int32), totals),
        Mesh.from_loops(vertices, flat, starts),
    ):
        np.testing.assert_array_equal(mesh.corners, from_lists.corners)
        np.testing.assert_array_equal(mesh.starts, from_lists.starts)


def test_polygons_may_come_in_any_order_of_corners():
    vertices, faces = box()
    flat = [9, 9, *np.concatenate(faces[3:]).tolist(), *np.concatenate(faces[:3]).tolist()]
    starts = [14, 18, 22, 2, 6, 10]
    mesh = Mesh.from_loops(vertices, flat, starts, [4] * 6)
    assert [mesh.polygon(k).tolist() for k in range(6)] == faces


def test_flipping_twice_gives_the_mesh_back_and_once_reverses_each_polygon():
    vertices, faces = prism(L_OUTLINE, 1.0)
    mesh = Mesh.from_faces(vertices, faces)
    assert [mesh.flipped().polygon(k).tolist() for k in range(len(faces))] == [f[::-1] for f in faces]
    np.testing.assert_array_equal(mesh.flipped().flipped().corners, mesh.corners)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh.from_faces(np.zeros((4, 2)), [[0, 1, 2]]), "three coordinates"),
        (lambda: Mesh.from_faces([["a", "b", "c"]], [[0, 0, 0]]), "not numbers"),
        (lambda: Mesh.from_faces(np.zeros((4, 3)), np.zeros((4, 3))), "integers"),
        (lambda: Mesh.from_faces(np.zeros((4, 3)), np.zeros(4, dtype=int)), "shape"),
        (lambda: Mesh.from_faces(np.zeros((4, 3)), [1, 2, 3]), "list of vertex indices"),
        (lambda: Mesh.from_faces(np.zeros((4, 3)), [[0, 1, 10**30]]), "integers"),
        (lambda: Mesh.from_loops(np.zeros((4, 3)), [0, 1, 2], [0], [4]), "polygon 0 spans"),
        (lambda: Mesh.from_loops(np.zeros((4, 3)), [0, 1, 2], [0, 3], [3]), "one of each"),
        (lambda: Mesh.from_loops(np.zeros((4, 3)), [0, 1, 2], [-1], [3]), "polygon 0"),
    ],
)
def test_arrays_that_are_no_mesh_are_named(make, message):
    with pytest.raises(MeshError, match=message):
        make()
