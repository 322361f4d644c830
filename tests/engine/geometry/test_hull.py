# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for meshes that bound no solid."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest
import trimesh
from closed_meshes import box, icosphere, random_rotation
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.errors import MissingWheelError, RedMaxError
from redmax.geometry.hull import (
    FlatPointsError,
    bounding_box_mass,
    bounding_box_mesh,
    hull_mass,
    hull_mesh,
    hull_mesh_of_few,
    oriented_box_mass,
    oriented_box_mesh,
)
from redmax.geometry.mass_properties import mass_properties
from redmax.geometry.mesh import Mesh, MeshError
from redmax.geometry.mesh_check import diagnose

STAND_INS = [hull_mesh, bounding_box_mesh, oriented_box_mesh]


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(4, 80))
@settings(max_examples=25, deadline=None)
def test_hull_is_a_solid_with_the_volume_of_trimesh(seed, count):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    mesh = hull_mesh(points)
    assert diagnose(mesh).is_solid, diagnose(mesh).text()
    # Two triangulations of one polytope: round-off, more for slivers of four points.
    assert mass_properties(mesh, density=1.0).mass == pytest.approx(trimesh.convex.convex_hull(points).volume, rel=1e-9)


def test_hull_of_an_open_convex_mesh_is_the_closed_one():
    vertices, faces = icosphere(2)
    closed = mass_properties(Mesh.from_faces(vertices, faces), density=2.0)
    found = hull_mass(vertices, density=2.0)
    assert found.mass == pytest.approx(closed.mass, rel=1e-12)
    np.testing.assert_allclose(found.inertia, closed.inertia, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("make", STAND_INS)
def test_stand_ins_contain_every_point(make):
    points = np.random.default_rng(1).normal(size=(50, 3)) + np.array([10, 0, 0])
    mesh = make(points)
    assert diagnose(mesh).is_solid
    for k in range(mesh.polygon_count):
        a, b, c = mesh.vertices[mesh.polygon(k)[:3]]
        normal = np.cross(b - a, c - a)
        # Round-off of coordinates of order ten.
        assert ((points - a) @ normal).max() <= 1e-12 * np.linalg.norm(normal) * 10


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("make", STAND_INS)
def test_stand_ins_of_a_thin_plate_keep_its_thickness(make, scale):
    vertices, _ = box((1.0, 2.0, 1e-5))
    mesh = make(vertices * scale)
    assert mass_properties(mesh, density=1.0).mass == pytest.approx(2e-5 * scale**3, rel=1e-10)


def test_bounding_box_has_the_mass_of_its_sides():
    points = np.random.default_rng(4).uniform([-1, 0, 2], [3, 1, 5], size=(200, 3))
    found = bounding_box_mass(points, mass=6.0)
    lower, upper = points.min(axis=0), points.max(axis=0)
    x, y, z = (upper - lower) ** 2
    np.testing.assert_allclose(found.center, (lower + upper) / 2, rtol=1e-13)
    np.testing.assert_allclose(found.inertia, np.diag([y + z, x + z, x + y]) / 2, rtol=1e-13, atol=1e-13)


def test_oriented_box_follows_a_turned_box():
    R = random_rotation(np.random.default_rng(9))
    vertices, faces = box((1, 2, 4))
    turned = vertices @ R.T + [5, 6, 7]
    expected = mass_properties(Mesh.from_faces(turned, faces), density=1.0)
    found = oriented_box_mass(turned, density=1.0)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-12 * np.abs(expected.inertia).max())
    np.testing.assert_allclose(found.center, expected.center, rtol=1e-13)


@pytest.mark.parametrize("make", STAND_INS)
@pytest.mark.parametrize(
    ("points", "rank", "word"),
    [
        (np.ones((5, 3)), 0, "one place"),
        (np.outer(np.arange(5.0), [1, 2, 3]), 1, "one line"),
        (np.random.default_rng(0).normal(size=(9, 2)) @ np.array([[1.0, 2, 3], [0, 1, -1]]), 2, "one plane"),
    ],
)
def test_points_without_volume_are_named(make, points, rank, word):
    if make is bounding_box_mesh and rank:
        # A slanted line or plane spans a box.
        assert diagnose(make(points)).is_solid
        points = points * [1, 0, 0] if rank == 1 else points * [1, 1, 0]
    with pytest.raises(FlatPointsError, match=word) as caught:
        make(points)
    assert caught.value.rank == rank


@pytest.mark.parametrize("make", STAND_INS)
@pytest.mark.parametrize(
    "points", [np.zeros((0, 3)), [[0, 0, np.nan], [1, 0, 0]], [[1e200, 0, 0], [1, 0, 0]], [[0, 0]]]
)
def test_unusable_points_are_named(make, points):
    with pytest.raises(MeshError):
        make(points)


def test_convex_hull_without_scipy_names_the_wheel(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(MissingWheelError, match=r"convex hull needs the 'scipy' wheel"):
        hull_mesh(icosphere(1)[0])
    # The other stand-ins do not need it.
    assert bounding_box_mass(icosphere(1)[0], density=1.0).mass > 0


def test_a_hull_of_few_points_is_the_same_without_scipy(monkeypatch):
    rng = np.random.default_rng(11)
    lattice = np.array([(x, y, z) for x in range(4) for y in range(3) for z in range(3)], float)
    clouds = [
        rng.normal(size=(200, 3)),
        rng.normal(size=(60, 3)) * [1.0, 1.0, 1e-5] + 100.0,
        lattice,
        icosphere(2)[0],
        1e-3 * rng.uniform(size=(5, 3)),
    ]
    expected = [mass_properties(hull_mesh(points), density=1.0) for points in clouds]
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    for points, wanted in zip(clouds, expected, strict=True):
        found = hull_mesh_of_few(points)
        assert not diagnose(found).problems
        got = mass_properties(found, density=1.0)
        assert got.mass == pytest.approx(wanted.mass, rel=1e-9)
        np.testing.assert_allclose(got.center, wanted.center, rtol=1e-9, atol=1e-9 * np.ptp(points))


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_lattice_points_give_a_solid_or_a_named_error(seed, count):
    points = np.random.default_rng(seed).integers(0, 3, size=(count, 3)).astype(float)
    for make in STAND_INS:
        # Anything else than a named error fails the test by itself.
        with contextlib.suppress(RedMaxError):
            mesh = make(points)
            assert diagnose(mesh).is_solid, diagnose(mesh).text()
