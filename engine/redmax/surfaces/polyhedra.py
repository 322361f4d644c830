# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex polyhedra as vertices, planes and polygonal faces."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..arrays import Array, IntArray
from ..geometry.hull import hull_mesh_of_few

Polyhedron: TypeAlias = tuple[Array, Array, tuple[IntArray, ...]]
"""Vertices (v, 3), planes (f, 4) with n . x = d, faces as counter-clockwise vertex numbers."""

COPLANAR = 1e-7
"""Triangles of a hull whose vertices are off each other's planes by this part of its size make one face."""


def box_polyhedron(half: Array) -> Polyhedron:
    """A box with half lengths (3,). Vertex k has the sign of x in bit 0, of y in bit 1, of z in bit 2."""
    signs = np.array([[2 * (k & 1) - 1, (k & 2) - 1, (k & 4) // 2 - 1] for k in range(8)], np.float64)
    faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
    planes = np.zeros((6, 4))
    for axis in range(3):
        planes[2 * axis, axis], planes[2 * axis + 1, axis] = -1.0, 1.0
        planes[2 * axis : 2 * axis + 2, 3] = half[axis]
    return signs * half, planes, tuple(np.array(face, np.int64) for face in faces)


def hull_polyhedron(points: Array) -> Polyhedron:
    """The convex hull of points (n, 3), with triangles of one plane joined. Raises `MeshError`."""
    mesh = hull_mesh_of_few(points)
    vertices, triangles = mesh.vertices, mesh.corners.reshape(-1, 3)
    size = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    planes = triangle_planes(vertices, triangles)
    next_to = _neighbours(triangles)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    group = np.full(len(triangles), -1)
    found: list[tuple[Array, IntArray]] = []
    for seed in np.argsort(-area, kind="stable").tolist():  # the largest triangle says where the plane lies
        if group[seed] >= 0:
            continue
        plane, members, waiting = planes[seed], [seed], [seed]
        group[seed] = len(found)
        while waiting:
            for other in next_to[waiting.pop()]:
                off = np.abs(vertices[triangles[other]] @ plane[:3] - plane[3]).max()
                if group[other] < 0 and off <= COPLANAR * size and planes[other, :3] @ plane[:3] > 0.0:
                    group[other] = len(found)
                    members.append(other)
                    waiting.append(other)
        found.append((plane, _outline(triangles[members])))
    result = np.array([plane for plane, _ in found])
    faces = tuple(face for _, face in found)
    # Nothing of the hull lies outside a plane of it.
    result[:, 3] = (vertices @ result[:, :3].T).max(axis=0)
    return vertices, result, faces


def triangle_planes(vertices: Array, triangles: IntArray) -> Array:
    """(f, 4) unit normal and offset of triangles (f, 3)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    return np.column_stack([n, np.einsum("ij,ij->i", n, (a + b + c) / 3.0)])


def _neighbours(triangles: IntArray) -> list[list[int]]:
    """Triangles that share an edge with each triangle of a closed mesh."""
    owner = {(int(t[k]), int(t[(k + 1) % 3])): i for i, t in enumerate(triangles) for k in range(3)}
    return [[owner[int(t[(k + 1) % 3]), int(t[k])] for k in range(3)] for t in triangles]


def _outline(triangles: IntArray) -> IntArray:
    """The border of triangles that make a disc, as vertex numbers in their sense of rotation."""
    edges = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    after = {a: b for a, b in edges if (b, a) not in edges}
    start = min(after)
    border, at = [start], after[start]
    while at != start:
        border.append(at)
        at = after[at]
    return np.array(border, np.int64)
