# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons cut into triangles along their own corners.

For a planar polygon the volume integrals do not depend on the cut. A warped polygon has no surface of its own, so
the cut decides: quadrilaterals are cut from corner 0 to 2 unless that diagonal runs outside, as Blender does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from .mesh import Mesh


@dataclass(frozen=True, eq=False)
class Triangulation:
    """triangles: (t, 3) vertex indices, turning as their polygon. polygons: (t,) polygon each was cut from.

    uncut: polygons that cross themselves, so that no cut exists; they are fanned from corner 0, which keeps their
    signed area.
    """

    triangles: IntArray
    polygons: IntArray
    uncut: IntArray


def triangulate(mesh: Mesh) -> Triangulation:
    """Triangles of all polygons with three corners or more, in polygon order.

    Triangles pass through, convex polygons are fanned from corner 0, the few others are cut ear by ear. Indices
    must be in range and coordinates finite.
    """
    sizes = mesh.sizes
    if len(sizes) and sizes.min() == 3 == sizes.max():
        return Triangulation(mesh.corners.reshape(-1, 3), np.arange(len(sizes)), np.zeros(0, dtype=np.int64))
    counts = np.maximum(sizes - 2, 0)
    first = np.cumsum(counts) - counts
    triangles = np.empty((int(counts.sum()), 3), dtype=np.int64)
    uncut: list[int] = []
    for n in np.unique(sizes[sizes >= 3]):
        polygons = np.flatnonzero(sizes == n)
        loops = mesh.corners[mesh.starts[polygons][:, None] + np.arange(n)]
        rows = first[polygons][:, None] + np.arange(n - 2)
        triangles[rows] = _fans(loops)
        if n == 3:
            continue
        bad = ~_fan_is_valid(mesh.vertices, loops)
        if n == 4 and bad.any():
            turned = np.roll(loops[bad], -1, axis=1)
            triangles[rows[bad]] = _fans(turned)
            still = ~_fan_is_valid(mesh.vertices, turned)
            bad[np.flatnonzero(bad)[~still]] = False
        for k in np.flatnonzero(bad):
            cut = _clip_ears(mesh.vertices[loops[k]])
            if cut is None:
                uncut.append(int(polygons[k]))
                triangles[rows[k]] = _fans(loops[k][None])[0]
            else:
                triangles[rows[k]] = loops[k][cut]
    return Triangulation(triangles, np.repeat(np.arange(len(sizes)), counts), np.array(sorted(uncut), dtype=np.int64))


def area_vectors(vertices: Array, loops: IntArray) -> Array:
    """Area vectors (m, 3) [m^2] of m polygons with n corners each, loops (m, n): half the sum of r_k x r_k+1."""
    points = vertices[loops]
    spokes = points[:, 1:] - points[:, :1]
    result: Array = 0.5 * np.cross(spokes[:, :-1], spokes[:, 1:]).sum(axis=1)
    return result


def _fans(loops: IntArray) -> IntArray:
    """Fans (m, n - 2, 3) from corner 0 of loops (m, n)."""
    m, n = loops.shape
    fans = np.empty((m, n - 2, 3), dtype=np.int64)
    fans[:, :, 0] = loops[:, :1]
    fans[:, :, 1] = loops[:, 1:-1]
    fans[:, :, 2] = loops[:, 2:]
    return fans


def _fan_is_valid(vertices: Array, loops: IntArray) -> BoolArray:
    """Whether the fan from corner 0 covers each loop (m, n) without folding over: (m,) booleans.

    Every fan triangle must turn as the polygon does, and the corners too: a spiral can pass the first test alone.
    Triangles without area do no harm. Polygons without any area pass: there is nothing to cut.
    """
    normal = area_vectors(vertices, loops)
    points = vertices[loops]
    spokes = points[:, 1:] - points[:, :1]
    turns = np.einsum("mki,mi->mk", np.cross(spokes[:, :-1], spokes[:, 1:]), normal)
    edges = np.roll(points, -1, axis=1) - points
    corners = np.einsum("mki,mi->mk", np.cross(np.roll(edges, 1, axis=1), edges), normal)
    # Round-off of a product of three lengths, relative to the square of the area.
    slack = 1e-12 * np.einsum("mi,mi->m", normal, normal)[:, None]
    result: BoolArray = (turns >= -slack).all(axis=1) & ((corners >= -slack).all(axis=1) | (loops.shape[1] == 4))
    return result


def _clip_ears(points: Array) -> IntArray | None:
    """Triangles (n - 2, 3) over corners 0..n-1 of one simple polygon (n, 3), or None when it crosses itself.

    Works in the plane of the area vector, so mildly warped polygons are fine. Of all ears the one with the largest
    smallest angle (as sine) is taken, which avoids slivers.
    """
    n = len(points)
    centred = points - points.mean(axis=0)
    normal = np.cross(centred, np.roll(centred, -1, axis=0)).sum(axis=0)
    length = float(np.linalg.norm(normal))
    if length == 0.0:
        return None
    normal /= length
    e1 = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    e1 /= np.linalg.norm(e1)
    p = np.stack((centred @ e1, centred @ np.cross(normal, e1)), axis=1)
    slack = 1e-12 * length

    left = list(range(n))
    cut: list[tuple[int, int, int]] = []
    while len(left) > 3:
        best, best_quality = -1, -np.inf
        for k, b in enumerate(left):
            a, c = left[k - 1], left[(k + 1) % len(left)]
            area = _cross(p[b] - p[a], p[c] - p[a])
            if area < -slack:
                continue
            others = [v for v in left if v not in (a, b, c)]
            if area > slack and _any_inside(p[others], p[a], p[b], p[c], slack):
                continue
            ab, bc, ca = np.sum((p[b] - p[a]) ** 2), np.sum((p[c] - p[b]) ** 2), np.sum((p[a] - p[c]) ** 2)
            quality = float(area / (ab + bc + ca)) if ab + bc + ca > 0.0 else 0.0
            # A corner on a straight line is cut only when nothing better is left: it would give an empty triangle.
            if quality > best_quality:
                best, best_quality = k, quality
        if best < 0:
            return None
        cut.append((left[best - 1], left[best], left[(best + 1) % len(left)]))
        del left[best]
    cut.append((left[0], left[1], left[2]))
    if _cross(p[left[1]] - p[left[0]], p[left[2]] - p[left[0]]) < -slack:
        return None
    return np.array(cut, dtype=np.int64)


def _cross(u: Array, v: Array) -> float:
    return float(u[0] * v[1] - u[1] * v[0])


def _any_inside(q: Array, a: Array, b: Array, c: Array, slack: float) -> bool:
    """Whether any of q (m, 2) lies in the counter-clockwise triangle abc or on the side ca that the cut creates."""

    def side(u: Array, v: Array) -> Array:
        result: Array = (v[0] - u[0]) * (q[:, 1] - u[1]) - (v[1] - u[1]) * (q[:, 0] - u[0])
        return result

    # Points at the triangle's own corners (a polygon touching itself) do not block the cut.
    corner = np.any([np.all(q == x, axis=1) for x in (a, b, c)], axis=0)
    return bool(np.any((side(a, b) > slack) & (side(b, c) > slack) & (side(c, a) >= -slack) & ~corner))
