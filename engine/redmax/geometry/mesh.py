# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygon meshes in the layout Blender hands over: one flat list of corners, and where each polygon starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, IntArray
from ..errors import RedMaxError

# Corner indices are packed in pairs into 64 bits when edges are matched.
MAX_VERTICES = 2**31


class MeshError(RedMaxError):
    """A mesh that cannot be used as asked: what is wrong, where, and what to do."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices and polygons.

    vertices: (v, 3) [m], any frame. corners: (l,) vertex index of every polygon corner, polygon after polygon.
    starts: (p + 1,) polygon k owns corners[starts[k]:starts[k + 1]], counter-clockwise seen from outside.
    precision: relative rounding of the coordinates as they were stored, 2^-52 or 2^-23 (Blender's single precision).
    Only shapes are checked here; `mesh_check.diagnose` looks at what they contain.
    """

    vertices: Array
    corners: IntArray
    starts: IntArray
    precision: float

    @classmethod
    def from_loops(
        cls,
        vertices: Any,
        loop_vertex_index: Any,
        polygon_loop_start: Any,
        polygon_loop_total: Any = None,
        *,
        precision: float | None = None,
    ) -> Mesh:
        """Mesh from Blender's arrays (`foreach_get` of vertices.co, loops.vertex_index, polygons.loop_start/_total).

        Without totals every polygon ends where the next one starts. Polygons may leave corners out or come in any
        order; they may not reach past the corners.
        """
        points, rounding = _points(vertices, precision)
        corners = _integers(loop_vertex_index, "corner indices")
        begin = _integers(polygon_loop_start, "polygon starts")
        if polygon_loop_total is None:
            end = np.append(begin[1:], len(corners)) if len(begin) else begin
            total = end - begin
        else:
            total = _integers(polygon_loop_total, "polygon totals")
        if len(total) != len(begin):
            raise MeshError(f"mesh: {len(begin)} polygon starts but {len(total)} totals; give one of each per polygon")
        bad = np.flatnonzero((begin < 0) | (total < 0) | (begin > len(corners)) | (total > len(corners) - begin))
        if len(bad):
            raise MeshError(
                f"mesh: polygon {bad[0]} spans corners {begin[bad[0]]} to {begin[bad[0]] + total[bad[0]]}, "
                f"but there are {len(corners)} corners; starts and totals must stay within them"
            )
        starts = np.zeros(len(total) + 1, dtype=np.int64)
        np.cumsum(total, out=starts[1:])
        if not np.array_equal(starts[:-1], begin):
            corners = corners[np.repeat(begin - starts[:-1], total) + np.arange(starts[-1])]
        elif starts[-1] < len(corners):
            corners = corners[: starts[-1]]
        return cls(points, corners, starts, rounding)

    @classmethod
    def from_faces(
        cls, vertices: Any, faces: NDArray[Any] | Sequence[Sequence[int]], *, precision: float | None = None
    ) -> Mesh:
        """Mesh from an (f, n) array of n-cornered faces, or from any sequence of faces of mixed size."""
        if isinstance(faces, np.ndarray):
            if faces.ndim != 2:
                raise MeshError(f"mesh: the face array has shape {faces.shape}; give (faces, corners), or lists")
            count, size = faces.shape
            points, rounding = _points(vertices, precision)
            starts = np.arange(count + 1, dtype=np.int64) * size
            return cls(points, _integers(faces.reshape(-1), "corner indices"), starts, rounding)
        try:
            lists = [list(face) for face in faces]
        except TypeError as error:
            raise MeshError("mesh: every face must be a list of vertex indices") from error
        total = np.array([len(face) for face in lists], dtype=np.int64)
        flat = list(chain.from_iterable(lists))
        return cls.from_loops(vertices, flat, np.cumsum(total) - total, total, precision=precision)

    @property
    def polygon_count(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> IntArray:
        """Number of corners of each polygon, (p,)."""
        return np.diff(self.starts)

    def polygon(self, index: int) -> IntArray:
        """Vertex indices of one polygon, in order."""
        return self.corners[self.starts[index] : self.starts[index + 1]]

    def flipped(self) -> Mesh:
        """The same mesh with every polygon turned over: outside becomes inside."""
        # Corner i of a polygon that owns [s, e) moves to s + e - 1 - i; the first corner ends last.
        mirrored = np.repeat(self.starts[:-1] + self.starts[1:] - 1, self.sizes) - np.arange(len(self.corners))
        return Mesh(self.vertices, self.corners[mirrored], self.starts, self.precision)


def _points(vertices: Any, precision: float | None) -> tuple[Array, float]:
    """Vertices as (v, 3) float64, and the relative rounding of the numbers they arrived in."""
    try:
        given = np.asarray(vertices)
        if given.dtype.kind not in "fiu":
            given = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise MeshError("mesh: vertices are not numbers; give an array of shape (vertices, 3)") from error
    if given.size == 0:
        given = given.reshape(0, 3)
    if given.ndim == 1 and given.size % 3 == 0:
        given = given.reshape(-1, 3)
    if given.ndim != 2 or given.shape[1] != 3:
        raise MeshError(f"mesh: vertices have shape {given.shape}; give three coordinates per vertex, (vertices, 3)")
    if len(given) >= MAX_VERTICES:
        raise MeshError(f"mesh: {len(given)} vertices; at most {MAX_VERTICES - 1} are supported")
    points = np.ascontiguousarray(given, dtype=np.float64)
    if precision is None:
        # Wider floats than float64 (long double) were rounded on the way in.
        precision = max(float(np.finfo(given.dtype).eps), 2.0**-52) if given.dtype.kind == "f" else 2.0**-52
    return points, precision


def _integers(values: Any, name: str) -> IntArray:
    """A flat int64 array, or a named error."""
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise MeshError(f"mesh: {name} are not a flat list of integers") from error
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise MeshError(f"mesh: {name} have type {given.dtype} and shape {given.shape}; give a flat list of integers")
    if given.dtype == np.uint64 and int(given.max()) > np.iinfo(np.int64).max:
        raise MeshError(f"mesh: {name} go up to {given.max()}; give indices below {MAX_VERTICES}")
    return np.ascontiguousarray(given, dtype=np.int64)
