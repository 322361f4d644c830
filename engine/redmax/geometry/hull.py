# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for meshes that bound no solid: convex hull, box along the axes, box along the principal directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Array, IntArray
from ..errors import MissingWheelError
from ..fields import LARGEST
from ..spatial.inertia import MassProperties
from .incremental_hull import hull_triangles
from .mass_properties import mass_properties
from .mesh import Mesh, MeshError
from .mesh_check import FLATNESS


class ConvexHullNeedsScipyError(MissingWheelError):
    """The convex hull was asked for without scipy."""

    def __init__(self) -> None:
        super().__init__("convex hull", "scipy")


class FlatPointsError(MeshError):
    """Points that span no volume. rank: 0 for a single place, 1 for a line, 2 for a plane."""

    def __init__(self, rank: int, count: int) -> None:
        self.rank = rank
        place = ("in one place", "on one line", "in one plane")[rank]
        super().__init__(
            f"all {count} points lie {place} and enclose no volume; give the mesh thickness or enter the mass by hand"
        )


def hull_mesh(vertices: Any) -> Mesh:
    """Convex hull of points (v, 3) [m] as a closed mesh of outward triangles over the points that span it.

    Needs scipy (Qhull). Points in one plane, line or place raise `FlatPointsError`.
    """
    return _hull(vertices, _qhull)


def hull_mesh_of_few(vertices: Any) -> Mesh:
    """`hull_mesh` of up to a few hundred points, which can do without scipy."""
    try:
        return hull_mesh(vertices)
    except ConvexHullNeedsScipyError:
        return _hull(vertices, hull_triangles)


def _hull(vertices: Any, triangles_of: Callable[[Array], IntArray]) -> Mesh:
    """The hull by a function that finds outward triangles (f, 3) of scaled points."""
    points, precision, directions, extents = _spread(vertices)
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    # Qhull joins what is closer than its tolerance; with all extents equal a thin plate keeps its thickness.
    # The directions are a rotation (positive determinant), so outward stays outward.
    corners = triangles_of((points - centre) @ directions.T / extents)
    used, renumbered = np.unique(corners, return_inverse=True)
    return Mesh.from_faces(points[used], renumbered.reshape(-1, 3), precision=precision)


def _qhull(scaled: Array) -> IntArray:
    try:
        from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 - optional wheel
    except ImportError as error:
        raise ConvexHullNeedsScipyError from error
    try:
        hull = ConvexHull(scaled)
    except QhullError as error:
        reason = str(error).strip().splitlines()[0]
        raise MeshError(f"convex hull failed on {len(scaled)} points ({reason}); use the bounding box") from error
    corners: IntArray = hull.simplices.astype(np.int64)
    normal = np.cross(scaled[corners[:, 1]] - scaled[corners[:, 0]], scaled[corners[:, 2]] - scaled[corners[:, 0]])
    inwards = np.einsum("ni,ni->n", normal, hull.equations[:, :3]) < 0.0
    corners[inwards] = corners[inwards][:, ::-1]
    return corners


def hull_mass(vertices: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Mass properties of the solid convex hull of points (v, 3) [m], in their frame."""
    return mass_properties(hull_mesh(vertices), density=density, mass=mass)


def bounding_box_mesh(vertices: Any) -> Mesh:
    """The smallest box along the coordinate axes around points (v, 3) [m]: 8 vertices, 6 outward quadrilaterals."""
    points, precision, _, _ = _spread(vertices, directions=np.eye(3))
    return _box(points.min(axis=0), points.max(axis=0), np.eye(3), precision)


def bounding_box_mass(vertices: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Mass properties of the solid box along the axes around points (v, 3) [m], in their frame."""
    return mass_properties(bounding_box_mesh(vertices), density=density, mass=mass)


def oriented_box_mesh(vertices: Any) -> Mesh:
    """The box along the principal directions of the points (v, 3) [m]; tight for slender bodies, not minimal."""
    points, precision, directions, _ = _spread(vertices)
    local = points @ directions.T
    return _box(local.min(axis=0), local.max(axis=0), directions, precision)


def oriented_box_mass(vertices: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Mass properties of the solid box along the principal directions of points (v, 3) [m], in their frame."""
    return mass_properties(oriented_box_mesh(vertices), density=density, mass=mass)


def _box(lower: Array, upper: Array, directions: Array, precision: float) -> Mesh:
    """Box between two corners in the axes `directions` (rows of a rotation)."""
    bits = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Mesh.from_faces(np.where(bits, upper, lower) @ directions, faces, precision=precision)


def _spread(vertices: Any, directions: Array | None = None) -> tuple[Array, float, Array, Array]:
    """Points, their relative rounding, directions (rows of a rotation) and the positive extents along them.

    Raises when there are no points, when any is not finite, or when an extent is below round-off.
    """
    cloud = Mesh.from_faces(vertices, [])
    points, precision = cloud.vertices, cloud.precision
    if len(points) == 0:
        raise MeshError("the mesh has no vertices; there is nothing to enclose")
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero(~(np.abs(points) <= LARGEST).all(axis=1))
    if len(bad):
        raise MeshError(
            f"{len(bad)} vertices are not finite or beyond {LARGEST:g} m, e.g. vertex {bad[0]}; give finite coordinates"
        )
    box_size = points.max(axis=0) - points.min(axis=0)
    size = float(box_size.max())
    if directions is None:
        directions = np.eye(3)
        if size > 0.0:
            unit = (points - points.mean(axis=0)) / size
            _, vectors = np.linalg.eigh(unit.T @ unit)
            directions = vectors.T[::-1].copy()
            directions[2] *= np.sign(np.linalg.det(directions))
    local = (points - points.mean(axis=0)) @ directions.T
    extents = local.max(axis=0) - local.min(axis=0)
    resolution = precision * float(np.abs(points).max())
    rank = int(np.count_nonzero(extents > np.maximum(2.0 * resolution, FLATNESS * size)))
    if rank < 3:
        raise FlatPointsError(rank, len(points))
    return points, precision, directions, extents
