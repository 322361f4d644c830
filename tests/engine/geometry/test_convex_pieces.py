# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces of meshes: by coacd where it is installed, else loose parts."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from redmax.errors import MissingWheelError
from redmax.geometry import convex_pieces
from redmax.geometry.hull import hull_mesh_of_few
from redmax.geometry.mass_properties import mass_properties
from redmax.geometry.mesh import Mesh, MeshError

needs_coacd = pytest.mark.skipif(not convex_pieces.is_here(), reason="needs the wheel coacd")
BOX = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def box(low, high):
    return [[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def corner():
    """An L of two boxes, as one closed mesh: a prism over six corners."""
    outline = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]
    vertices = [(x, y, z) for z in (0.0, 1.0) for x, y in outline]
    sides = [[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    return Mesh.from_faces(vertices, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides])


def volume(points):
    return mass_properties(hull_mesh_of_few(points), density=1.0).mass


def test_loose_parts_are_told_apart_whatever_their_order():
    rng = np.random.default_rng(1)
    vertices = np.array(
        [*box((0, 0, 0), (1, 1, 1)), *box((2, 0, 0), (3, 1, 2)), *box((0, 5, 0), (1, 6, 1)), [9, 9, 9]], float
    )
    faces = [[8 * part + k for k in face] for part in range(3) for face in BOX]
    order = rng.permutation(len(vertices))
    place = np.argsort(order)
    parts = convex_pieces.loose_parts(Mesh.from_faces(vertices[order], [[int(place[k]) for k in f] for f in faces]))
    assert sorted(round(volume(part), 9) for part in parts) == [1.0, 1.0, 2.0], "the lonely vertex is no part"


def test_flat_parts_are_left_out_and_nothing_but_flat_is_refused():
    vertices = [*box((0, 0, 0), (1, 1, 1)), [5, 5, 0], [6, 5, 0], [6, 6, 0]]
    assert len(convex_pieces.loose_parts(Mesh.from_faces(vertices, [*BOX, [8, 9, 10]]))) == 1
    with pytest.raises(MeshError, match="encloses a volume"):
        convex_pieces.loose_parts(Mesh.from_faces(vertices, [[8, 9, 10]]))


def test_off_is_how_far_the_skin_is_from_the_pieces():
    skin = np.array(box((0, 0, 0), (1, 1, 1)), float)
    assert convex_pieces.off(skin, [skin]) == pytest.approx(0.0, abs=1e-12)
    assert convex_pieces.off(skin, [np.array(box((0, 0, 0), (1, 1, 0.9)))]) == pytest.approx(0.1)
    assert convex_pieces.off(np.array([[0.5, 0.5, 0.8]]), [skin]) == pytest.approx(0.2), "a dent that is filled"


def test_without_the_wheel_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    assert not convex_pieces.is_here()
    with pytest.raises(MissingWheelError, match="'coacd' wheel"):
        convex_pieces.decomposed(corner())


@needs_coacd
def test_an_angle_is_two_boxes_wherever_it_is_and_the_same_each_time():
    mesh, before = corner(), os.environ.get(convex_pieces.THREADS)
    made = convex_pieces.decomposed(mesh)
    assert len(made) == 2
    assert sum(map(volume, made)) == pytest.approx(5.0, rel=0.02)
    assert convex_pieces.off(mesh.vertices, made) < 0.05
    for again in (convex_pieces.decomposed(mesh) for _ in range(3)):
        assert len(again) == len(made)
        assert all(np.array_equal(a, b) for a, b in zip(made, again, strict=True))
    moved = Mesh.from_faces(
        100.0 * mesh.vertices + [10.0, 20.0, 30.0], [mesh.polygon(k) for k in range(mesh.polygon_count)]
    )
    assert sum(map(volume, convex_pieces.decomposed(moved))) == pytest.approx(5e6, rel=0.02)
    assert os.environ.get(convex_pieces.THREADS) == before


@needs_coacd
def test_no_more_pieces_than_are_asked_for():
    (only,) = convex_pieces.decomposed(corner(), most=1)
    assert volume(only) > 5.5
    with pytest.raises(MeshError, match="no faces"):
        convex_pieces.decomposed(Mesh.from_faces([[0, 0, 0]], []))
