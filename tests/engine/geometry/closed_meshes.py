# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces with known answers, as vertices (v, 3) and faces."""

from __future__ import annotations

import numpy as np
import trimesh

TETRAHEDRON_VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TETRAHEDRON_FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
CUBE_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def box(size=(1.0, 1.0, 1.0), center=(0.0, 0.0, 0.0)):
    """8 vertices, 6 quadrilaterals."""
    bits = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    return (bits - 0.5) * np.asarray(size) + np.asarray(center), [list(f) for f in CUBE_QUADS]


def cube_triangles():
    """8 vertices, 12 triangles, as an array."""
    vertices, quads = box()
    return vertices, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])


def prism(outline, height):
    """A planar outline (n, 2), counter-clockwise, pulled up: two n-gons and n quadrilaterals."""
    n = len(outline)
    outline = np.asarray(outline, dtype=float)
    vertices = np.concatenate([np.c_[outline, np.zeros(n)], np.c_[outline, np.full(n, height)]])
    sides = [[k, (k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)]
    return vertices, [list(range(n))[::-1], list(range(n, 2 * n)), *sides]


L_OUTLINE = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
STAR_OUTLINE = [(r * np.cos(np.pi * k / 5), r * np.sin(np.pi * k / 5)) for k, r in enumerate([2.0, 0.7] * 5)]
COMB_OUTLINE = [(0, 0), (7, 0), (7, 3), (6, 3), (6, 1), (5, 1), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1),
                (1, 1), (1, 3), (0, 3)]  # fmt: skip


def triangles_of(faces):
    """Fans of convex faces."""
    return np.array([[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)])


def icosphere(subdivisions, radius=1.0):
    mesh = trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)
    return np.array(mesh.vertices), np.array(mesh.faces)


def torus(major, minor, n, m):
    """n x m quadrilaterals around the z axis."""
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m, indexing="ij")
    ring = major + minor * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    i1, j1 = (i + 1) % n, (j + 1) % m
    return vertices, np.stack([i * m + j, i1 * m + j, i1 * m + j1, i * m + j1], axis=1)


def cone(radius, height, n):
    """An n-gon in z = 0 and n triangles to the apex."""
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.c_[radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)]
    return np.r_[ring, [[0, 0, height]]], [list(range(n))[::-1], *([k, (k + 1) % n, n] for k in range(n))]


def cylinder(radius, height, n):
    angle = 2 * np.pi * np.arange(n) / n
    return prism(np.c_[radius * np.cos(angle), radius * np.sin(angle)], height)


def hull(seed, count=40):
    points = np.random.default_rng(seed).normal(size=(count, 3)) * [1.0, 2.0, 0.5] + [3.0, -1.0, 2.0]
    mesh = trimesh.convex.convex_hull(points)
    return np.array(mesh.vertices), np.array(mesh.faces)


def joined(*parts):
    """Several (vertices, faces) in one mesh; faces as lists."""
    vertices, faces, offset = [], [], 0
    for v, f in parts:
        vertices.append(v)
        faces += [[int(i) + offset for i in face] for face in f]
        offset += len(v)
    return np.concatenate(vertices), faces


def turned_over(part):
    vertices, faces = part
    return vertices, [list(face)[::-1] for face in faces]


def moved(part, shift):
    return part[0] + np.asarray(shift, dtype=float), part[1]


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))
