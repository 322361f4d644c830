# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of a mesh as a surface: dents and holes are kept, so it is for what does not move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Array, IntArray
from ..errors import Fault
from ..fields import Vector, array, flag, polygons
from ..geometry.mesh import Mesh, MeshError
from ..geometry.triangulate import triangulate
from . import layout
from .polyhedra import triangle_planes
from .shape import Shape
from .surface import Surface, ball_around

FLAT = 1e-9
"""How far the next triangle's far corner may be below the plane, as a part of its distance, without a ridge."""

SLIVER = 1e-12
"""Area of a triangle, as a part of the square of its longest edge, up to which it is left out."""

LEAF = 4
"""Triangles in a leaf of the tree of boxes."""


@dataclass(frozen=True, kw_only=True)
class MeshSurface(Surface):
    """The triangles of a mesh, dents and holes included. Its body must not be moved by forces.

    Kernels have the corners of each triangle by themselves, three after three.
    """

    kind: ClassVar[str] = "mesh"
    label: ClassVar[str] = "Mesh"
    summary: ClassVar[str] = "The faces of a mesh with its dents and holes, for scenery"
    icon: ClassVar[str] = "MESH_GRID"
    menu_order: ClassVar[int] = 90
    shape_code: ClassVar[int] = layout.MESH

    vertices: Vector = array(doc="Vertex positions", shape=(None, 3), unit="m")
    faces: Vector = polygons(
        doc="Faces as lists of vertex indices, counter-clockwise seen from the side that is touched"
    )
    two_sided: bool = flag(False, doc="Faces are touched from both sides, as those of a sheet without thickness")

    def lengths(self) -> Array:
        points = np.asarray(self.vertices, np.float64)
        return np.array([float((points.max(axis=0) - points.min(axis=0)).max())])

    @cached_property
    def triangles(self) -> tuple[Array, IntArray]:
        """Vertices (v, 3) and triangles (f, 3) without slivers. Raises MeshError."""
        mesh = Mesh.from_faces(np.asarray(self.vertices, np.float64), self.faces)
        corners = mesh.corners
        if len(corners) and (corners.min() < 0 or corners.max() >= len(mesh.vertices)):
            raise MeshError(f"a face names a vertex beyond the {len(mesh.vertices)} that there are")
        found = triangulate(mesh).triangles
        a, b, c = (mesh.vertices[found[:, k]] for k in range(3))
        longest = np.max([((b - a) ** 2).sum(1), ((c - b) ** 2).sum(1), ((a - c) ** 2).sum(1)], axis=0)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        return mesh.vertices, found[area > SLIVER * np.maximum(longest, 1e-300)]

    def problems(self) -> Iterator[tuple[str, ...]]:
        yield from super().problems()
        try:
            _, found = self.triangles
        except MeshError as error:
            yield Fault(f"make no mesh: {error}", "mend the mesh", "no_mesh", "faces")
            return
        if not len(found):
            yield Fault("have no area", "give faces that are not lines or points", "no_mesh", "faces")

    def shape(self) -> Shape:
        vertices, triangles = self.triangles
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        center = 0.5 * (low + high)
        at = vertices - center
        order, nodes, boxes = box_tree(at, triangles)
        triangles = triangles[order]
        planes = triangle_planes(at, triangles)
        return Shape(
            size=np.zeros(3),
            extent=0.5 * (high - low),
            reach=ball_around(at),
            center=center,
            vertices=at[triangles].reshape(-1, 3),
            planes=planes,
            faces=tuple(np.arange(3 * len(triangles)).reshape(-1, 3)),
            beside=beside(at, triangles, planes),
            nodes=nodes,
            boxes=boxes,
            two_sided=bool(self.two_sided),
        )


def beside(vertices: Array, triangles: IntArray, planes: Array) -> Array:
    """(f, 3, 4) of the edge from each corner to the next: the normal of the triangle beyond it, and what the edge is
    (`layout.BORDER`, `DENT`, `RIDGE`). Where more than two triangles meet it is a border."""
    result = np.zeros((len(triangles), 3, 4))
    result[..., 3] = layout.BORDER
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for face, corners in enumerate(triangles.tolist()):
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            edges.setdefault((min(a, b), max(a, b)), []).append((face, k))
    for sides in edges.values():
        if len(sides) != 2:
            continue
        for (face, k), (other, edge) in (sides, sides[::-1]):
            far = vertices[triangles[other][(edge + 2) % 3]]
            apart = far - vertices[triangles[face][k]]
            height = planes[face, :3] @ apart
            same_sense = triangles[face][k] != triangles[other][edge]
            is_ridge = height < -FLAT * np.linalg.norm(apart)
            if same_sense:
                result[face, k, :3], result[face, k, 3] = planes[other, :3], layout.RIDGE if is_ridge else layout.DENT
    return result


def box_tree(vertices: Array, triangles: IntArray) -> tuple[IntArray, IntArray, Array]:
    """A tree of boxes around triangles: their order (f,) in which leaves have consecutive ones, nodes (n, 3) as
    `layout.NODE_INTS` says, and boxes (n, 6). Halves are cut at the median along the longest side."""
    low, high = vertices[triangles].min(axis=1), vertices[triangles].max(axis=1)
    middle = 0.5 * (low + high)
    order: list[int] = []
    nodes: list[list[int]] = []
    boxes: list[Array] = []
    waiting: list[tuple[IntArray, int]] = [(np.arange(len(triangles)), -1)]
    while waiting:
        members, above = waiting.pop()
        number = len(nodes)
        if above >= 0:
            nodes[above][0 if nodes[above][0] < 0 else 1] = number
        boxes.append(np.concatenate([low[members].min(axis=0), high[members].max(axis=0)]))
        if len(members) <= LEAF:
            nodes.append([-1, len(order), len(members)])
            order.extend(members.tolist())
            continue
        axis = int(np.ptp(middle[members], axis=0).argmax())
        ranked = members[np.argsort(middle[members, axis], kind="stable")]
        half = len(ranked) // 2
        nodes.append([-1, -1, 0])
        waiting += [(ranked[half:], number), (ranked[:half], number)]
    return np.array(order, np.int64), np.array(nodes, np.int64), np.array(boxes)
