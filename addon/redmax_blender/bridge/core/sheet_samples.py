# SPDX-License-Identifier: GPL-3.0-or-later
"""Control points of a smooth sheet through a grid of points, and grids found in meshes. No Blender here."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..._engine import arrays

Array = arrays.Array

CORNERS = 4
"""Of a face of a grid, and of a grid itself."""


def control_points(points: Any, *, cyclic: tuple[bool, bool]) -> Array:
    """(m, n, 3) control points of the b_spline sheet that passes through points (m, n, 3); open directions reach their
    ends (`endpoints`)."""
    found = np.array(points, np.float64)
    for axis, closed in enumerate(cyclic):
        n = found.shape[axis]
        M = (4.0 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)) / 6.0
        if closed:
            M[0, -1] = M[-1, 0] = 1.0 / 6.0
        else:
            M[0], M[-1] = np.eye(n)[0], np.eye(n)[-1]
        found = np.moveaxis(np.tensordot(np.linalg.inv(M), found, axes=(1, axis)), 0, axis)
    return found


def grid_of(faces: list[tuple[int, ...]], count: int) -> Any | None:
    """Numbers (m, n) of the vertices of a mesh in rows and columns; None if its faces make no grid of quads.

    faces: vertices of each. count: of vertices. The first row begins at the corner of the lowest number and goes to the
    neighbour of the lowest.
    """
    if not faces or any(len(face) != CORNERS for face in faces):
        return None
    touching: dict[int, list[int]] = {}
    at_edge: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            touching.setdefault(a, []).append(number)
            at_edge.setdefault((min(a, b), max(a, b)), []).append(number)
    corners = sorted(vertex for vertex, around in touching.items() if len(around) == 1)
    if len(corners) != CORNERS or len(touching) != count or any(len(both) > 2 for both in at_edge.values()):
        return None
    start = corners[0]
    (first,) = touching[start]
    row = _edge_row(start, faces, touching, at_edge, first)
    if row is None:
        return None
    rows = [row]
    used: set[int] = set()
    while len(rows) * len(row) < count:
        following = _next_row(rows[-1], faces, at_edge, used)
        if following is None:
            return None
        rows.append(following)
    grid = np.array(rows)
    return grid if grid.size == count and len(set(grid.ravel().tolist())) == count else None


def _edge_row(start: int, faces: Any, touching: Any, at_edge: Any, first: int) -> list[int] | None:
    """Vertices along the edge of the grid from a corner, to the next corner."""
    face = faces[first]
    place = face.index(start)
    row = [start, min(face[(place + 1) % CORNERS], face[place - 1])]
    while len(touching[row[-1]]) > 1:
        ahead = [
            other
            for edge, both in at_edge.items()
            if row[-1] in edge and len(both) == 1
            for other in edge
            if other not in (row[-1], row[-2])
        ]
        if len(ahead) != 1 or ahead[0] == start:
            return None
        row.append(ahead[0])
    return row


def _next_row(row: list[int], faces: Any, at_edge: Any, used: set[int]) -> list[int] | None:
    """The vertices opposite to a row, across faces that no row was made of yet."""
    made: list[int] = []
    for a, b in pairwise(row):
        between = [number for number in at_edge.get((min(a, b), max(a, b)), ()) if number not in used]
        if len(between) != 1:
            return None
        face = faces[between[0]]
        used.add(between[0])
        place = face.index(a)
        near, far = face[(place + 1) % CORNERS], face[place - 1]
        across = (far, face[place - 2]) if near == b else (near, face[(place + 2) % CORNERS])
        if made and made[-1] != across[0]:
            return None
        made += across if not made else across[1:]
    return made
