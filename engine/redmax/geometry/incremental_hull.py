# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex hull of a few hundred points without scipy: a tetrahedron that grows by the point furthest outside.

Source: the beneath-beyond method (Preparata and Shamos, "Computational Geometry", section 3.4), with the furthest
point of Quickhull (Barber, Dobkin and Huhdanpaa 1996).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray

OUTSIDE = 1e-10
"""A point further outside a face than this part of the size of all points is outside."""


def hull_triangles(points: Array) -> IntArray:
    """Outward triangles (f, 3) of the convex hull of points (n, 3) that span a volume. n x f steps."""
    centre, size = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    x = (points - centre) / size
    faces = _tetrahedron(x)
    planes = _planes(x, faces)
    for _ in range(len(x)):
        outside = x @ planes[:, :3].T - planes[:, 3]
        furthest = int(np.argmax(outside.max(axis=1)))
        seen = outside[furthest] > OUTSIDE
        if not seen.any():
            break
        edges = {(int(f[k]), int(f[(k + 1) % 3])) for f in faces[seen] for k in range(3)}
        border = sorted(edge for edge in edges if edge[::-1] not in edges)
        added = np.array([(a, b, furthest) for a, b in border], np.int64)
        faces = np.concatenate([faces[~seen], added])
        planes = np.concatenate([planes[~seen], _planes(x, added)])
    return faces


def _tetrahedron(x: Array) -> IntArray:
    """Four points far apart, as outward triangles."""
    a = int(np.argmin(x[:, 0]))
    b = int(np.argmax(np.linalg.norm(x - x[a], axis=1)))
    along = (x[b] - x[a]) / np.linalg.norm(x[b] - x[a])
    aside = x - x[a] - np.outer((x - x[a]) @ along, along)
    c = int(np.argmax(np.linalg.norm(aside, axis=1)))
    normal = np.cross(x[b] - x[a], x[c] - x[a])
    height = (x - x[a]) @ normal
    d = int(np.argmax(np.abs(height)))
    if height[d] > 0.0:
        b, c = c, b
    return np.array([(a, b, c), (a, d, b), (b, d, c), (c, d, a)], np.int64)


def _planes(x: Array, faces: IntArray) -> Array:
    """(f, 4) outward unit normals and offsets of triangles; nothing is outside one without area."""
    a, b, c = (x[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.where(length > OUTSIDE**2, normal / np.where(length > 0.0, length, 1.0), 0.0)
    return np.column_stack([normal, np.einsum("ij,ij->i", normal, a)])
