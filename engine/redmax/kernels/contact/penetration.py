# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep two convex cores are in each other, or how they touch: the face of their Minkowski difference nearest to the
origin, by an expanding polytope.

The polytope begins as a tetrahedron of points of the difference, wherever the origin is: inside, on the border or a
little outside. So touching cores, at which the usual start from a simplex around the origin fails, are nothing special.
Each round takes the face whose plane is least in front of the origin and adds the farthest point behind it.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from .distance import CORNER, A, B, put_support
from .shapes import Convex
from .vectors import Pose, Vector, along, cross, dot, length, minus, times, vector_at

MOST_CORNERS = 160
MOST_FACES = 2 * MOST_CORNERS
PLANE = 4
NUMBERS = MOST_CORNERS * CORNER + MOST_FACES * PLANE
"""Numbers of `work` that are used: corners as in `distance`, then planes of faces, outward normal and offset."""
INTS = 3 * MOST_FACES + 2 * 3 * MOST_FACES
"""Integers of `marks` that are used: corners of faces, then border edges of what is cut away."""
EDGES = 3 * MOST_FACES
PLANES = MOST_CORNERS * CORNER

EXACT, ROUGH = 1e-13, 1e-6
"""Tolerances for flat shapes, and for a start of `smooth`."""

SAME_PLANE = 1e-9
"""Difference of normals, and of offsets as parts of both sizes, up to which faces are one."""

VISIBLE = 1e-15
"""Part of both sizes by which a point must be in front of a face to see it."""


def penetration(
    numbers: Array, a: Convex, b: Convex, E: Pose, tolerance: float, work: Array, marks: IntArray
) -> tuple[bool, Vector, float, Vector, Vector]:
    """Whether it was found; the unit direction from b to a, and the distance along it, negative inside; the points of
    both cores that it is between.

    E: pose of b in the frame of a. tolerance: how far, as a part of both sizes, the difference may go on behind the
    face that is taken. Not found: the difference has no volume.
    """
    scale = a[8] + b[8]
    if not put_tetrahedron(numbers, a, b, E, scale, work, marks):
        return False, (0.0, 0.0, 1.0), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    corners, faces = 4, 4
    best, most = (0.0, 0.0, 1.0), math.inf
    while True:
        face, least = 0, math.inf
        for f in range(faces):
            if work[PLANES + PLANE * f + 3] < least:
                face, least = f, work[PLANES + PLANE * f + 3]
        n = vector_at(work, PLANES + PLANE * face)
        put_support(numbers, a, b, E, n, work, CORNER * corners)
        h = dot(n, vector_at(work, CORNER * corners))
        if h < most:
            best, most = n, h
        if h - least <= tolerance * scale or corners + 1 == MOST_CORNERS:
            break
        more = expanded(faces, corners, face, scale, work, marks)
        corners += 1
        if more < 0:
            faces = -1 - more
            break  # rounding; the best direction so far is as good as it gets
        faces = more
    x, y = between(faces, best, most, scale, work, marks)
    return True, times(-1.0, best), -most, x, y


def between(faces: int, n: Vector, most: float, scale: float, work: Array, marks: IntArray) -> tuple[Vector, Vector]:
    """The points of both cores whose difference is where the origin is, seen along the normal n: on the face, of those
    that lie in its plane, that has it inside or nearly so."""
    best, inside = 0, -math.inf
    u, v, w = 1.0, 0.0, 0.0
    for f in range(faces):
        m, d = vector_at(work, PLANES + PLANE * f), work[PLANES + PLANE * f + 3]
        if dot(m, n) < 1.0 - SAME_PLANE or abs(d - most) > SAME_PLANE * scale:
            continue
        p, q = vector_at(work, CORNER * marks[3 * f]), vector_at(work, CORNER * marks[3 * f + 1])
        r = vector_at(work, CORNER * marks[3 * f + 2])
        f_u, f_v, f_w = dot(m, cross(q, r)), dot(m, cross(r, p)), dot(m, cross(p, q))
        total = f_u + f_v + f_w
        least = min(f_u, f_v, f_w) / total
        if least > inside:
            best, inside = f, least
            f_u, f_v, f_w = max(f_u, 0.0), max(f_v, 0.0), max(f_w, 0.0)
            total = f_u + f_v + f_w
            u, v, w = f_u / total, f_v / total, f_w / total
    i, j, k = CORNER * marks[3 * best], CORNER * marks[3 * best + 1], CORNER * marks[3 * best + 2]
    x, y = times(u, vector_at(work, i + A)), times(u, vector_at(work, i + B))
    x, y = along(x, v, vector_at(work, j + A)), along(y, v, vector_at(work, j + B))
    return along(x, w, vector_at(work, k + A)), along(y, w, vector_at(work, k + B))


def put_tetrahedron(numbers: Array, a: Convex, b: Convex, E: Pose, scale: float, work: Array, marks: IntArray) -> bool:
    """Four points of the difference that span a volume, and their faces; False where there is none."""
    d = (-E[9], -E[10], -E[11])
    size = length(d)
    d = times(-1.0 / size, d) if size > 0.0 else (1.0, 0.0, 0.0)
    tiny = 1e-9 * scale
    put_support(numbers, a, b, E, d, work, 0)
    put_support(numbers, a, b, E, times(-1.0, d), work, CORNER)
    e = minus(vector_at(work, CORNER), vector_at(work, 0))
    if length(e) <= tiny:
        return False
    e = times(1.0 / length(e), e)
    axis = (0.0, 0.0, 0.0)
    widest = -1.0
    for k in range(3):  # the axis that is most across the line, and the one across both
        unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        side = cross(e, unit)
        if length(side) > widest:
            widest, axis = length(side), times(1.0 / length(side), side)
    farthest, chosen = tiny, (0.0, 0.0, 0.0)
    other = cross(e, axis)
    for k in range(4):
        way = axis if k % 2 == 0 else other
        way = way if k < 2 else times(-1.0, way)
        put_support(numbers, a, b, E, way, work, 2 * CORNER)
        x = minus(vector_at(work, 2 * CORNER), vector_at(work, 0))
        off = length(cross(e, x))
        if off > farthest * (1.0 + 1e-9):
            farthest, chosen = off, way
    if farthest <= tiny:
        return False
    put_support(numbers, a, b, E, chosen, work, 2 * CORNER)
    n = cross(e, minus(vector_at(work, 2 * CORNER), vector_at(work, 0)))
    n = times(1.0 / length(n), n)
    put_support(numbers, a, b, E, n, work, 3 * CORNER)
    front = dot(n, minus(vector_at(work, 3 * CORNER), vector_at(work, 0)))
    put_support(numbers, a, b, E, times(-1.0, n), work, 4 * CORNER)
    back = -dot(n, minus(vector_at(work, 4 * CORNER), vector_at(work, 0)))
    if max(front, back) <= tiny:
        return False
    if back > front:
        for j in range(CORNER):
            work[3 * CORNER + j] = work[4 * CORNER + j]
    for f in range(4):
        i, j, k, inside = (f + 1) % 4, (f + 2) % 4, (f + 3) % 4, f
        put_face(f, i, j, k, work, marks)
        plane = PLANES + PLANE * f
        if dot(vector_at(work, plane), vector_at(work, CORNER * inside)) > work[plane + 3]:
            put_face(f, i, k, j, work, marks)
    return True


def put_face(f: int, i: int, j: int, k: int, work: Array, marks: IntArray) -> bool:
    """A face of three corners, seen counter-clockwise from outside; False where they lie on a line."""
    p, q, r = vector_at(work, CORNER * i), vector_at(work, CORNER * j), vector_at(work, CORNER * k)
    e, g, o = minus(q, p), minus(r, p), minus(r, q)
    n = cross(e, g)
    size = length(n)
    marks[3 * f], marks[3 * f + 1], marks[3 * f + 2] = i, j, k
    longest = max(dot(e, e), dot(g, g), dot(o, o))
    if size <= 1e-14 * longest:
        return False
    n = times(1.0 / size, n)
    plane = PLANES + PLANE * f
    work[plane], work[plane + 1], work[plane + 2] = n[0], n[1], n[2]
    work[plane + 3] = (dot(n, p) + dot(n, q) + dot(n, r)) / 3.0
    return True


def expanded(faces: int, corner: int, from_face: int, scale: float, work: Array, marks: IntArray) -> int:
    """Replace the faces that a new corner sees by faces to it; how many there are then. Where that fails, -1 less the
    number of faces that are still sound, the first ones."""
    w = vector_at(work, CORNER * corner)
    edges, kept = 0, 0
    for f in range(faces):
        plane = PLANES + PLANE * f
        height = dot(vector_at(work, plane), w) - work[plane + 3]
        if f == from_face or height > VISIBLE * scale:
            for j in range(3):
                i, k = marks[3 * f + j], marks[3 * f + (j + 1) % 3]
                inner = -1
                for m in range(edges):
                    if marks[EDGES + 2 * m] == k and marks[EDGES + 2 * m + 1] == i:
                        inner = m
                if inner >= 0:
                    edges -= 1
                    marks[EDGES + 2 * inner] = marks[EDGES + 2 * edges]
                    marks[EDGES + 2 * inner + 1] = marks[EDGES + 2 * edges + 1]
                else:
                    marks[EDGES + 2 * edges], marks[EDGES + 2 * edges + 1] = i, k
                    edges += 1
        else:
            for j in range(3):
                marks[3 * kept + j] = marks[3 * f + j]
            for j in range(PLANE):
                work[PLANES + PLANE * kept + j] = work[plane + j]
            kept += 1
    if edges < 3 or kept + edges > MOST_FACES:
        return -1 - kept
    for m in range(edges):
        if not put_face(kept + m, marks[EDGES + 2 * m], marks[EDGES + 2 * m + 1], corner, work, marks):
            return -1 - kept - m
    return kept + edges
