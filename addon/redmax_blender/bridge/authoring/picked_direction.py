# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction of what is picked on a mesh: along an edge, square to a face, about the rim or the wall of a hole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np

from ..._engine import arrays
from ..core.findings import refuse
from ..core.part_shapes import positive
from ..objects import frames

Array = arrays.Array
Object = bpy.types.Object

STRAIGHT = 1e-3
"""How far directions may differ that count as one, and leave a plane that they are in [rad]."""

PICK = "select an edge, a face, two vertices or the rim of a hole in Edit Mode"


class Picked(NamedTuple):
    """Elements of a mesh that are selected: normals of faces (n, 3), directions of edges, places of vertices."""

    faces: Array
    edges: Array
    vertices: Array


def of_first(objects: Iterable[Object], depsgraph: bpy.types.Depsgraph) -> tuple[Array, str]:
    """Unit vector (3,) in the world as modelled, and the object on which it was picked. Refuses if there is none."""
    meshes = [obj for obj in dict.fromkeys(objects) if obj.type == "MESH"]
    for obj in meshes:
        axis = _direction(_picked(obj), obj, depsgraph)
        if axis is not None:
            return axis, obj.name
    if any(len(_picked(obj).vertices) for obj in meshes):
        raise refuse(meshes[0].name, "What is selected on the mesh has no single direction", PICK)
    raise refuse("", "Nothing is selected on a mesh", PICK)


def _picked(obj: Object) -> Picked:
    """What is selected on a mesh, in its own coordinates, whether it is being edited or not."""
    mesh: Any = obj.data
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        faces = [face.normal[:] for face in edited.faces if face.select]
        edges = [(edge.verts[1].co - edge.verts[0].co)[:] for edge in edited.edges if edge.select]
        vertices = [vertex.co[:] for vertex in edited.verts if vertex.select]
    else:
        faces = [face.normal[:] for face in mesh.polygons if face.select]
        ends = [(mesh.vertices[a].co, mesh.vertices[b].co) for a, b in (e.vertices for e in mesh.edges if e.select)]
        edges = [(end - start)[:] for start, end in ends]
        vertices = [vertex.co[:] for vertex in mesh.vertices if vertex.select]
    return Picked(*(np.array(rows, np.float64).reshape(-1, 3) for rows in (faces, edges, vertices)))


def _direction(picked: Picked, obj: Object, depsgraph: bpy.types.Depsgraph) -> Array | None:
    M = frames.modelled_matrix(obj, depsgraph)[:3, :3]
    if len(picked.faces):
        return _one_or_across(picked.faces @ np.linalg.inv(M))
    if len(picked.edges):
        return _one_or_across(picked.edges @ M.T)
    if len(picked.vertices) == 2:
        return _one_or_across((picked.vertices[1:] - picked.vertices[:1]) @ M.T)
    return None


def _one_or_across(vectors: Array) -> Array | None:
    """The direction that vectors (n, 3) have in common, else the one that is square to all of them."""
    lengths = np.linalg.norm(vectors, axis=1)
    units = vectors[lengths > 0.0] / lengths[lengths > 0.0, None]
    if not len(units):
        return None
    _, sizes, axes = np.linalg.svd(units)
    sizes = np.append(sizes, np.zeros(3))[:3] / np.sqrt(len(units))
    if sizes[1] < STRAIGHT:
        return positive(axes[0])
    return positive(axes[2]) if sizes[2] < STRAIGHT else None
