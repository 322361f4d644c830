# SPDX-License-Identifier: GPL-3.0-or-later
"""How large objects are, as modelled: an oriented box around the geometry of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from .._engine import arrays
from . import frames

Array = arrays.Array

GEOMETRY = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
"""Types of objects that have a volume."""

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)


@dataclass(frozen=True, eq=False)
class Extent:
    """A box from `low` to `high` (3,) in an object's own coordinates, and the object's matrix M (4, 4) in the world."""

    low: Array
    high: Array
    M: Array

    @property
    def centre(self) -> Array:
        """Middle of the box in the world (3,)."""
        middle: Array = self.M[:3, :3] @ (0.5 * (self.low + self.high)) + self.M[:3, 3]
        return middle

    @property
    def lengths(self) -> Array:
        """Length in the world of the box along each of the object's own axes (3,)."""
        lengths: Array = np.linalg.norm(self.M[:3, :3], axis=0) * (self.high - self.low)
        return lengths

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.lengths))

    def corners(self) -> Array:
        """Corners of the box in the world (8, 3)."""
        points: Array = (self.low + _CORNERS * (self.high - self.low)) @ self.M[:3, :3].T + self.M[:3, 3]
        return points

    def distance(self, point: Array) -> float:
        """Distance in the world from a point to the box, 0 inside; exact unless the object is sheared."""
        own = np.linalg.solve(self.M[:3, :3], point - self.M[:3, 3])
        nearest = np.clip(own, self.low, self.high)
        return float(np.linalg.norm(self.M[:3, :3] @ (own - nearest)))


class Boxes:
    """Many boxes, for asking many times how far points are from all of them."""

    def __init__(self, extents: Iterable[Extent]) -> None:
        boxes = list(extents)
        self.low, self.high = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])
        self.linear = np.array([box.M[:3, :3] for box in boxes])
        self.inverse = np.linalg.inv(self.linear)
        self.origin = np.array([box.M[:3, 3] for box in boxes])
        self.diagonals = np.array([box.diagonal for box in boxes])

    def distances(self, point: Array) -> Array:
        """Distance of a point to each box (n,), as Extent.distance."""
        own = np.einsum("nij,nj->ni", self.inverse, point - self.origin)
        outside = own - np.clip(own, self.low, self.high)
        away: Array = np.linalg.norm(np.einsum("nij,nj->ni", self.linear, outside), axis=1)
        return away


def is_instancer(obj: bpy.types.Object) -> bool:
    """Whether an empty shows a collection."""
    return obj.type == "EMPTY" and obj.instance_type == "COLLECTION" and obj.instance_collection is not None


def has_geometry(obj: bpy.types.Object) -> bool:
    return obj.type in GEOMETRY or is_instancer(obj)


def extent(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Extent:
    """The box around an object's own geometry; a point at its origin if it has none.

    Raises frames.FrameError if the object is flattened.
    """
    M = frames.modelled_matrix(obj, depsgraph)
    frames.rigid_part(M)
    points = np.array([point for point in _points(obj, depsgraph) if np.isfinite(point).all()])
    if len(points) == 0:
        points = np.zeros((1, 3))
    return Extent(points.min(axis=0), points.max(axis=0), M)


def _points(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Array]:
    """Corners of boxes around an object's geometry, in its own coordinates."""
    if is_instancer(obj):
        collection = obj.instance_collection
        offset = np.array(collection.instance_offset, np.float64)
        for member in collection.all_objects:
            if has_geometry(member):
                M = frames.modelled_matrix(member, depsgraph)
                for point in _points(member, depsgraph):
                    yield M[:3, :3] @ point + M[:3, 3] - offset
    elif obj.type in GEOMETRY:
        yield from np.array(obj.evaluated_get(depsgraph).bound_box, np.float64)
