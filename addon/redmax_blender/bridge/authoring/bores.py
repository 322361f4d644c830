# SPDX-License-Identifier: GPL-3.0-or-later
"""The bore that a slider slides in: which way a mesh around a point is open, found by looking in all directions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ..._engine import arrays
from ..core.axis_choice import Bore
from ..objects import frames

Array = arrays.Array
Object = bpy.types.Object
Trees = dict[Object, BVHTree]
"""Meshes as they were evaluated, to look at again after edits for which Blender has let go of them."""

RAYS = 256
"""Directions in which one looks from inside."""

LEAST_OPEN = 0.01
"""Fraction of the directions that leave through an end at least."""

NARROW = 0.8
"""How much the directions that leave are along one line (1: all of them, 1/3: evenly spread)."""

AROUND = 0.95
"""Fraction of the directions across the bore that must meet a wall."""

DISTINCT = 0.08
"""Difference of eigenvalues by which one axis of a closed hollow is told from the other two."""


def _directions() -> Array:
    """Unit vectors (n, 3), evenly spread over the sphere by the golden angle."""
    number = np.arange(RAYS) + 0.5
    z = 1.0 - 2.0 * number / RAYS
    turn = np.pi * (3.0 - np.sqrt(5.0)) * number
    radius = np.sqrt(1.0 - z * z)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)


def around(
    outers: Iterable[Object], point: Array, depsgraph: bpy.types.Depsgraph, trees: Trees, *, through: bool = False
) -> Bore | None:
    """The bore around a point (3,) in the world, of the first object that has an open one there; else a closed hollow.

    trees: filled with what is looked at. through: only a hole that is open at both ends, as that of a sleeve.
    """
    closed: Bore | None = None
    for outer in outers:
        found = _bore(outer, point, depsgraph, trees, through=through)
        if found is not None and found.is_open:
            return found
        closed = closed or found
    return None if through else closed


def _tree(outer: Object, depsgraph: bpy.types.Depsgraph) -> BVHTree:
    """The mesh to look at from inside.

    Not `ray_cast` of the object: where it was edited since it was evaluated Blender may have let go of the evaluated
    mesh, and crashes then.
    """
    mesh: Any = outer
    try:
        return BVHTree.FromObject(mesh, depsgraph)
    except ValueError:  # gone: as it is without modifiers
        mesh = outer.data
        return BVHTree.FromPolygons([v.co[:] for v in mesh.vertices], [p.vertices[:] for p in mesh.polygons])


def _bore(outer: Object, point: Array, depsgraph: bpy.types.Depsgraph, trees: Trees, *, through: bool) -> Bore | None:
    if outer.type != "MESH":
        return None
    if outer not in trees:
        evaluated: Any = outer.evaluated_get(depsgraph)
        if not evaluated.is_evaluated or not len(evaluated.data.polygons):
            return None
        trees[outer] = _tree(outer, depsgraph)
    M = frames.modelled_matrix(outer, depsgraph)
    try:
        inverse = np.linalg.inv(M[:3, :3])
    except np.linalg.LinAlgError:
        return None
    start = inverse @ (point - M[:3, 3])
    rays = _directions()
    tree: Any = trees[outer]
    hits = [tree.ray_cast(start, inverse @ ray) for ray in rays]
    is_hit = np.array([hit[0] is not None for hit in hits])
    if not is_hit.any():
        return None
    normals = np.array([hit[1] for hit in hits if hit[1] is not None], np.float64) @ inverse
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    if (~is_hit).mean() < LEAST_OPEN:
        return _closed(normals)
    return _open(rays, is_hit, normals, through=through)


def _open(rays: Array, is_hit: arrays.BoolArray, normals: Array, *, through: bool) -> Bore | None:
    """Along the directions that leave, made exact by the walls, which are square to none of it."""
    leaving = rays[~is_hit]
    sizes, axes = np.linalg.eigh(leaving.T @ leaving / len(leaving))
    axis = axes[:, 2]
    if sizes[2] < NARROW:
        return None
    walls = normals[np.abs(normals @ axis) < 0.5]
    if len(walls) < 3:
        return None
    sizes, axes = np.linalg.eigh(walls.T @ walls / len(walls))
    if sizes[1] < DISTINCT:
        return None
    axis = axes[:, 0]
    across = np.abs(rays @ axis) < 0.5
    ends = {bool(side > 0.0) for side in leaving @ axis}
    if is_hit[across].mean() < AROUND or (through and len(ends) < 2):
        return None
    return Bore(axis, is_open=True)


def _closed(normals: Array) -> Bore | None:
    """The axis of a hollow whose other two are alike, as a cylinder's."""
    sizes, axes = np.linalg.eigh(normals.T @ normals / len(normals))
    gaps = np.diff(sizes)
    if max(gaps) < DISTINCT or min(gaps) > 0.5 * max(gaps):
        return None
    return Bore(axes[:, 0 if gaps[0] > gaps[1] else 2], is_open=False)
