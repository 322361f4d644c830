# SPDX-License-Identifier: GPL-3.0-or-later
"""The solid that a Blender mesh bounds: its volume and how it is spread, measured in the mesh's own coordinates.

Measuring there and then transforming the result is exact for every scale, shear and mirror, keeps the digits of
single-precision coordinates, and lets all objects that show the same mesh share one measurement.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, errors, fields, hull, inertia, mass_properties, mesh, mesh_check

Array = arrays.Array
IntArray = arrays.IntArray

PRECISION = 2.0**-23
"""Relative rounding of Blender's coordinates."""

REMEMBERED = 2048
"""Measurements kept for the next extraction; each is a few hundred bytes."""

FLAT = 1e-6
"""An extent below this fraction of the largest one is none: single precision has no more digits."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """A mesh as read: vertices (v, 3) float32 in its own coordinates, and polygons, which follow each other."""

    vertices: Any
    corners: Any
    starts: Any

    def __post_init__(self) -> None:
        for array in self.arrays:
            array.setflags(write=False)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        return self.vertices, self.corners, self.starts

    @cached_property
    def key(self) -> bytes:
        """The same for the same content, and for no other."""
        digest = hashlib.blake2b(digest_size=32)
        for array in self.arrays:
            digest.update(np.int64(array.size).tobytes())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.digest()


@dataclass(frozen=True, eq=False)
class Bulk:
    """A region of space: volume [unit^3], centre (3,) [unit] and the mean of (x - c)(x - c)^T over it (3, 3)."""

    volume: float
    centre: Array
    spread: Array

    def transformed(self, B: Array) -> Bulk:
        """The region after the affine map B (4, 4). A mirror turns faces inside out, which leaves a volume one."""
        linear = B[:3, :3]
        volume = abs(float(np.linalg.det(linear))) * self.volume
        return Bulk(volume, linear @ self.centre + B[:3, 3], linear @ self.spread @ linear.T)

    def with_mass(self, mass: float) -> inertia.MassProperties:
        """A uniform body of this shape: the inertia is m (tr(S) 1 - S) with S the spread."""
        tensor = mass * (np.trace(self.spread) * np.eye(3) - self.spread)
        return inertia.MassProperties(mass, self.centre, 0.5 * (tensor + tensor.T))


@dataclass(frozen=True, eq=False)
class Measured:
    """What is known of a mesh. bulk: None where nothing sound can be said; problems: why, of the engine's kinds.

    box: the solid box around its vertices, perhaps flat; None without vertices or where they are not finite.
    extents: how many of its three sides are longer than nothing.
    """

    bulk: Bulk | None
    box: Bulk | None
    extents: int
    faces: int
    problems: tuple[Any, ...] = ()
    is_inverted: bool = False


def read(data: bpy.types.Mesh) -> Geometry:
    """Arrays of a mesh; nothing of Blender's is kept."""
    vertices = np.empty(3 * len(data.vertices), np.float32)
    corners = np.empty(len(data.loops), np.int32)
    starts = np.empty(len(data.polygons), np.int32)
    data.vertices.foreach_get("co", vertices)
    data.loops.foreach_get("vertex_index", corners)
    data.polygons.foreach_get("loop_start", starts)
    return Geometry(vertices.reshape(-1, 3), corners, starts)


_measured: OrderedDict[bytes, Measured] = OrderedDict()


def measure(geometry: Geometry) -> Measured:
    """Everything about the solid inside a mesh, in its own coordinates and units; remembered by content."""
    found = _measured.get(geometry.key)
    if found is None:
        found = _measured[geometry.key] = _measure(geometry)
        if len(_measured) > REMEMBERED:
            _measured.popitem(last=False)
    _measured.move_to_end(geometry.key)
    return found


def hull_bulk(geometry: Geometry) -> Bulk:
    """The convex hull as a solid. Raises RedMaxError: without scipy, and for points that span no volume."""
    return _bulk_of(hull.hull_mass(geometry.vertices, density=1.0))


def _measure(geometry: Geometry) -> Measured:
    box, extents = _box(geometry.vertices)
    faces = len(geometry.starts)
    solid = mesh.Mesh.from_loops(*geometry.arrays, precision=PRECISION)
    report = mesh_check.diagnose(solid)
    if [problem.kind for problem in report.problems] == ["unmerged"]:
        # Blender leaves seams of coinciding vertices in every bevelled curve, text and surface.
        solid = _welded(solid, report.merge_pairs)
        report = mesh_check.diagnose(solid)
    try:
        properties = mass_properties.mass_properties(
            solid, density=1.0, fix_inverted=True, allow_overlaps=True, report=report
        )
    except errors.RedMaxError:
        return Measured(None, box, extents, faces, report.problems)
    return Measured(_bulk_of(properties), box, extents, faces, report.problems, report.is_inverted)


def _bulk_of(unit: inertia.MassProperties) -> Bulk:
    """The region of a solid of density 1, whose mass is its volume."""
    moments = unit.inertia / unit.mass
    return Bulk(unit.mass, unit.center, 0.5 * float(np.trace(moments)) * np.eye(3) - moments)


def _box(vertices: Any) -> tuple[Bulk | None, int]:
    points = np.asarray(vertices, np.float64)
    if len(points) == 0 or not np.isfinite(points).all() or np.abs(points).max() > fields.LARGEST:
        return None, 0
    lower, upper = points.min(axis=0), points.max(axis=0)
    sides = upper - lower
    resolution = max(FLAT * float(sides.max()), 2.0 * PRECISION * float(np.abs(points).max()))
    sides = np.where(sides > resolution, sides, 0.0)
    return Bulk(float(np.prod(sides)), 0.5 * (lower + upper), np.diag(sides**2 / 12.0)), int(np.count_nonzero(sides))


def _welded(solid: mesh.Mesh, pairs: IntArray) -> mesh.Mesh:
    """The mesh with pairs of vertices made one; sides and faces that shrink to nothing are dropped."""
    first = np.arange(len(solid.vertices))
    while True:  # labels travel along chains of pairs until each cluster has its lowest vertex
        lowest = np.minimum(first[pairs[:, 0]], first[pairs[:, 1]])
        before = first.copy()
        np.minimum.at(first, pairs[:, 0], lowest)
        np.minimum.at(first, pairs[:, 1], lowest)
        first = first[first]
        if np.array_equal(first, before):
            break
    corners = first[solid.corners]
    filled = np.flatnonzero(solid.sizes > 0)
    begin, end = solid.starts[filled], solid.starts[filled + 1]
    following = np.append(corners[1:], 0)
    following[end - 1] = corners[begin]
    stays = corners != following
    sides = np.add.reduceat(stays.astype(np.int64), begin)
    stays &= np.repeat(sides >= 3, end - begin)
    sides = sides[sides >= 3]
    starts = np.append(0, np.cumsum(sides))
    return mesh.Mesh(solid.vertices, corners[stays], starts, solid.precision)
