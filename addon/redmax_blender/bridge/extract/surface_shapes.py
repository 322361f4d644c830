# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a surface from its object: fitted to the evaluated geometry, or as large as an empty is shown.

Shapes are in the rigid frame of the object [m]: scale, shear and mirror are part of what they are fitted to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, convex_pieces, errors, surfaces
from ..._engine import mesh as meshes
from ...properties import surface as surface_properties
from ...properties.surface import HEIGHTFIELD, HULL, MESH, PIECES, PLANE
from ..core import height_grid, hull_points, surface_fit
from ..core.findings import Finding
from ..core.surface_fit import Fit
from . import mesh
from .parts import Parts

Array = arrays.Array

SHORTEST = 1e-6
"""Length of a capsule between its ends, as a part of its radius, where its mesh is a ball."""

REMEMBERED = 512
"""Shapes that are remembered by what they were fitted to."""

SINGLE = 2.0**-23
"""Relative rounding of Blender's coordinates."""

MOST_LOOKED_AT = 20_000
"""Points of a mesh that are compared with its pieces."""

CHUNK = 1000
"""Points that are compared with all faces at once."""

DENT = 1e-4
"""A vertex that stands out of a face's plane by more than this part of the size makes a dent."""

LOOSE = 0.25
"""A round shape that is further from its mesh than this part of its size, in some direction, is told."""


class Polygons(NamedTuple):
    """Geometry in the rigid frame of its object [m]. points: (n, 3). faces: vertices of each polygon. key: the same
    for the same content, and for no other."""

    points: Array
    faces: list[tuple[int, ...]]
    key: bytes


class Shape(NamedTuple):
    """values: fields of the engine's surface of that kind. E: (4, 4) its frame in that of the object [m]. off: how far
    convex pieces and heightfields are from the mesh, at most [m]."""

    kind: str
    values: dict[str, Any]
    E: Array
    off: float = 0.0


class NoShapeError(Exception):
    """A kind of surface cannot be made of an object. args: what is wrong, what would be right, and fixes."""

    def __init__(self, text: str, hint: str, *fixes: str) -> None:
        super().__init__(text)
        self.text, self.hint, self.fixes = text, hint, fixes


def polygons(obj: bpy.types.Object, parts: Parts, A: Array, length: float, findings: list[Finding]) -> Polygons | None:
    """All geometry that an object shows; None if it has none, or what is wrong is added to findings.

    A: (4, 4) what the object's matrix has besides its rigid frame.
    """
    points: list[Array] = []
    faces: list[tuple[int, ...]] = []
    keys: list[bytes] = []
    before = len(findings)
    for geometry, M in parts.geometry(obj, findings):
        B = A if M is None else A @ M
        B = np.vstack([B[:3] * length, B[3:]])
        placed = geometry.vertices.astype(np.float64) @ B[:3, :3].T + B[:3, 3]
        first = sum(map(len, points))
        turned = np.linalg.det(B[:3, :3]) < 0.0  # a mirror turns faces inside out
        faces += [tuple(face[::-1] if turned else face) for face in _faces(geometry, first)]
        points.append(placed)
        keys.append(geometry.key + B.tobytes())
    if len(findings) > before or not points or not sum(map(len, points)):
        return None
    together = np.concatenate(points)
    if not np.isfinite(together).all():
        findings.append(Finding(obj.name, f"'{obj.name}' has vertices that are nowhere", "mend its mesh"))
        return None
    return Polygons(together, faces, b"".join(keys))


def _faces(geometry: mesh.Geometry, first: int) -> list[list[int]]:
    corners = (geometry.corners.astype(np.int64) + first).tolist()
    ends = [*geometry.starts.tolist()[1:], len(corners)] if len(geometry.starts) else []
    return [corners[a:b] for a, b in zip(geometry.starts.tolist(), ends, strict=True)]


# --- a kind of shape around geometry ---------------------------------------------------------


SETTINGS = {
    HULL: ("corners",),
    MESH: ("two_sided",),
    HEIGHTFIELD: ("depth",),
    PIECES: ("most_pieces", "concavity", "corners"),
}
"""What an artist sets of a kind of shape, beside its material."""


def shape_of(found: Polygons, settings: Any, length: float) -> Shape:
    """The shape that an artist chose, fitted to geometry. length: metres per Blender unit. Raises NoShapeError."""
    kind: str = settings.kind
    options = tuple(getattr(settings, name) for name in SETTINGS.get(kind, ()))
    key = (kind, options, kind == PIECES and convex_pieces.is_here(), found.key)
    if key not in _remembered:
        _remembered[key] = _fitted(kind, found, settings, length)
        if len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    _remembered.move_to_end(key)
    return _remembered[key]


_remembered: OrderedDict[Any, Shape] = OrderedDict()


def _fitted(kind: str, found: Polygons, settings: Any, length: float) -> Shape:
    if kind == PLANE:
        return _plane(found)
    if kind == MESH:
        if not found.faces:
            raise NoShapeError("has no faces", "add faces to its mesh, or use an empty")
        values = {"vertices": _rows(found.points), "faces": tuple(found.faces), "two_sided": bool(settings.two_sided)}
        return Shape(kind, values, np.eye(4))
    if kind == HEIGHTFIELD:
        return _heightfield(found, float(settings.depth) * length)
    if surface_fit.is_flat(found.points):
        raise NoShapeError("is flat", "give it thickness, for example by a Solidify modifier", "USE_MESH_SURFACE")
    if kind == PIECES:
        return _pieces(found, settings)
    if kind == HULL:
        chosen = hull_points.hull_points(found.points, settings.corners).chosen
        return Shape(kind, {"vertices": _rows(found.points[chosen])}, np.eye(4))
    fitted = surface_fit.fit(kind, found.points)
    return Shape(kind, VALUES[kind](fitted), fitted.E)


def _heightfield(found: Polygons, depth: float) -> Shape:
    """depth: how far it is solid below its lowest height [m]."""
    try:
        grid = height_grid.height_grid(found.points, found.faces)
    except height_grid.NoGridError as error:
        hint = "make it a grid, as Blender's Grid and Landscape are before modifiers that move vertices sideways"
        raise NoShapeError(str(error), f"{hint}; or use its mesh", "USE_MESH_SURFACE") from None
    values = {"size": tuple(grid.size.tolist()), "heights": _rows(grid.heights), "depth": depth}
    return Shape(HEIGHTFIELD, values, grid.E, grid.off)


def _pieces(found: Polygons, settings: Any) -> Shape:
    """By coacd where it is installed, else the loose parts of the mesh."""
    if not found.faces:
        raise NoShapeError("has no faces", "add faces to its mesh", "USE_HULL_SURFACE")
    try:
        mesh_ = meshes.Mesh.from_faces(found.points, found.faces, precision=SINGLE)
        if convex_pieces.is_here():
            made = convex_pieces.decomposed(
                mesh_, most=settings.most_pieces, concavity=settings.concavity, corners=settings.corners
            )
        else:
            parts = _parts(mesh_, settings.most_pieces)
            made = [part[hull_points.hull_points(part, settings.corners).chosen] for part in parts]
    except errors.RedMaxError as error:
        raise NoShapeError(f"has no convex pieces ({error})", "use its hull", "USE_HULL_SURFACE") from None
    middles = np.array([found.points[list(face)].mean(axis=0) for face in found.faces])
    skin = np.concatenate([found.points[np.unique(np.concatenate([list(face) for face in found.faces]))], middles])
    values = {"pieces": tuple(surfaces.Piece(vertices=_rows(piece)) for piece in made)}
    return Shape(PIECES, values, np.eye(4), convex_pieces.off(skin[:: 1 + len(skin) // MOST_LOOKED_AT], made))


def _parts(mesh_: Any, most: int) -> list[Array]:
    parts: list[Array] = convex_pieces.loose_parts(mesh_)
    if len(parts) > most:
        raise meshes.MeshError(f"its mesh has {len(parts)} loose parts; raise Most Pieces")
    return parts


def is_convex(points: Array, faces: Sequence[tuple[int, ...]]) -> bool:
    """Whether no point (n, 3) is outside of the plane of a face."""
    normals = np.array([_area(points[list(face)]) for face in faces]).reshape(-1, 3)
    size = np.linalg.norm(normals, axis=1)
    normals, first = normals[size > 0.0], np.array([face[0] for face in faces], np.int64)[size > 0.0]
    normals = normals / size[size > 0.0][:, None]
    reach = np.full(len(normals), -np.inf)
    for k in range(0, len(points), CHUNK):
        np.maximum(reach, (normals @ points[k : k + CHUNK].T).max(axis=1), out=reach)
    above = reach - np.einsum("ij,ij->i", normals, points[first])
    return bool((above <= DENT * np.ptp(points, axis=0).max()).all())


def _rows(points: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, points.tolist()))


def _plane(found: Polygons) -> Shape:
    """The plane of a flat mesh, its faces looking out of it; of any other the x-y plane above all of it."""
    normal = np.array([0.0, 0.0, 1.0])
    if surface_fit.is_flat(found.points):
        area = sum((_area(found.points[list(face)]) for face in found.faces), np.zeros(3))
        if np.linalg.norm(area) > 0.0:
            normal = area / np.linalg.norm(area)
    E = np.eye(4)
    E[:3, :3] = upright(normal)
    E[:3, 3] = normal * float((found.points @ normal).max())
    return Shape(PLANE, {}, E)


def _area(corners: Array) -> Array:
    """Vector area (3,) of a polygon (n, 3)."""
    arms = corners - corners[0]
    vector: Array = 0.5 * np.cross(arms[:-1], arms[1:]).sum(axis=0)
    return vector


def upright(z: Array) -> Array:
    """Rotation (3, 3) with a given third axis, turned as little as possible from the identity."""
    if z[2] > 1.0 - 1e-12:
        return np.eye(3)
    if z[2] < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    v = np.array([-z[1], z[0], 0.0])
    K = np.array([[0.0, 0.0, v[1]], [0.0, 0.0, -v[0]], [-v[1], v[0], 0.0]])
    R: Array = np.eye(3) + K + K @ K / (1.0 + z[2])
    return R


VALUES: dict[str, Callable[[Fit], dict[str, Any]]] = {
    surface_fit.BOX: lambda fit: {"size": tuple(fit.size.tolist())},
    surface_fit.SPHERE: lambda fit: {"radius": fit.radius},
    surface_fit.CAPSULE: lambda fit: {
        "radius": fit.radius,
        "height": max(fit.straight, SHORTEST * fit.radius),
    },
    surface_fit.CYLINDER: lambda fit: {"radius": fit.radius, "height": fit.straight},
    surface_fit.CONE: lambda fit: {"radius": fit.radius, "height": fit.straight},
    surface_fit.ELLIPSOID: lambda fit: {"radii": tuple((0.5 * fit.size).tolist())},
}
"""Fields of the engine's surfaces from a fit."""


def shape_of_empty(obj: bpy.types.Object, kind: str, A: Array, length: float) -> Shape:
    """The shape that fills the cube which an empty would show. Raises NoShapeError."""
    if kind in (HULL, MESH, HEIGHTFIELD, PIECES):
        raise NoShapeError("is an empty, which has no points", "choose another shape", "USE_BOX_SURFACE")
    size = 2.0 * obj.empty_display_size * np.linalg.norm(A[:3, :3], axis=0) * length
    if kind == PLANE:
        return Shape(kind, {}, np.eye(4))
    if kind in (surface_fit.CAPSULE, surface_fit.CYLINDER, surface_fit.CONE):
        size[:2] = size[:2].max()
    elif kind == surface_fit.SPHERE:
        size[:] = size.max()
    return Shape(kind, VALUES[kind](Fit(kind, np.eye(4), size, 0.0)), np.eye(4))


# --- which kind fits best --------------------------------------------------------------------


def best_kind(found: Polygons, *, moves: bool, volume: float | None) -> str:
    """The kind that suits geometry best. moves: whether forces can move what it belongs to; else dents may be kept.

    volume: [m^3] of the solid, None where it bounds none. Raises NoShapeError.
    """
    if surface_fit.is_flat(found.points):
        if moves:
            raise NoShapeError("is flat", "give it thickness, for example by a Solidify modifier")
        return MESH
    hull = _hull_volume(found)
    tightest = surface_fit.best(found.points, hull)
    dented = volume is not None and hull is not None and volume < hull / surface_fit.TIGHT
    if not moves and (volume is None or dented or tightest is None):
        return MESH
    return HULL if tightest is None else tightest.kind


def _hull_volume(found: Polygons) -> float | None:
    """Volume [m^3] of the convex hull; None without the wheel that finds it."""
    chosen = hull_points.hull_points(found.points, surface_properties.MOST_CORNERS).chosen
    element = surfaces.HullSurface(name="", vertices=found.points[chosen])
    try:
        vertices, planes, faces = element.polyhedron
    except errors.RedMaxError:
        return None
    middle = vertices.mean(axis=0)
    heights = planes[:, 3] - planes[:, :3] @ middle
    areas = [float(np.linalg.norm(_area(vertices[face]))) for face in faces]
    return float(heights @ np.array(areas)) / 3.0


def looseness(found: Polygons, shape: Shape) -> float:
    """How far a shape stands off its geometry in some direction along its axes, as a part of its size there."""
    if shape.kind in (HEIGHTFIELD, PIECES):
        return 0.0
    size = shape.values.get("size")
    if size is None:
        radius = shape.values.get("radius")
        if radius is None:
            return 0.0
        size = (2.0 * radius,) * 2 if "height" in shape.values else (2.0 * radius,) * 3
    reach = np.ptp((found.points - shape.E[:3, 3]) @ shape.E[:3, :3], axis=0)
    return max(1.0 - float(inner) / float(outer) for inner, outer in zip(reach.tolist(), size, strict=False))
