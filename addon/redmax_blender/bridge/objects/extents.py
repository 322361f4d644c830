# SPDX-License-Identifier: GPL-3.0-or-later
"""How large objects are, as modelled: an oriented box around the geometry of each."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ..._engine import arrays
from ..core.boxes import Extent
from . import frames

Array = arrays.Array

GEOMETRY = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
"""Types of objects that have a volume."""


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
