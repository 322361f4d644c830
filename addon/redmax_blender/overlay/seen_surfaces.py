# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of a view layer as wireframes of the shapes that touch.

What is known is remembered until one of their objects changes. Lines are in the rigid frame of the surface's object,
whose place is read anew for every redraw.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy
import numpy as np

from .._engine import arrays, errors
from .._engine import surfaces as engine_surfaces
from ..bridge.core.findings import Finding
from ..bridge.extract import parts, surface_shapes, surfaces
from ..bridge.objects import units
from ..bridge.objects.modelled import Modelled
from ..properties.surface import HEIGHTFIELD, HULL, MESH, PIECES, PLANE
from .layout import Lines

Array = arrays.Array

BODY, SCENERY = (0.98, 0.55, 0.20, 0.85), (0.55, 0.78, 0.35, 0.75)
"""Colours of surfaces of bodies and of scenery."""

ROUND = 32
"""Sides of a circle."""

MOST_EDGES = 4000
"""Edges of a mesh that are drawn: more would hide it."""

BOX_EDGES = np.array([(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)])


class Skin(NamedTuple):
    """A surface. place: of its object among the view layer's. lines: in its rigid frame [Blender units]."""

    place: int
    uid: int
    lines: Lines


_seen: dict[tuple[int, str], tuple[int, list[Skin]]] = {}
"""By scene and view layer: how many objects there were, and what was found."""


def known(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[Skin]:
    """Surfaces of a view layer, remembered as long as they are the same."""
    key = (scene.session_uid, view_layer.name)
    count = len(view_layer.objects)
    if key not in _seen or _seen[key][0] != count:
        _seen[key] = (count, look(scene, view_layer))
    return _seen[key][1]


def forget() -> None:
    """Something of a surface has changed, or another file is open."""
    _seen.clear()


def is_part(obj: bpy.types.Object) -> bool:
    """Whether an object is a surface, or was one when surfaces were last drawn."""
    uid = obj.session_uid
    return obj.redmax.is_surface or any(skin.uid == uid for _, skins in _seen.values() for skin in skins)


def look(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[Skin]:
    """Read everything anew but where they are. What is not sound is not drawn: Check says what is wrong."""
    having = [(place, obj) for place, obj in enumerate(view_layer.objects) if obj.redmax.is_surface]
    if not having:
        return []
    findings: list[Finding] = []
    length, modelled = units.metres_per_unit(scene), Modelled(view_layer.depsgraph)
    reader = surfaces.SurfaceReader(modelled, parts.Parts(scene, modelled, length), length, findings)
    skins = []
    for place, obj in having:
        found = reader.placed(obj) if obj.mode == "OBJECT" else None
        if found is None:
            continue
        points = edges_of(found.shape).reshape(-1, 3)
        E = found.shape.E
        points = (points @ E[:3, :3].T + E[:3, 3]) / length
        ink = SCENERY if surfaces.owner_of(obj) is None else BODY
        colours = np.tile(np.array(ink), (len(points), 1))
        skins.append(Skin(place, obj.session_uid, Lines(points, colours)))
    return skins


# --- edges of shapes, in their own frames -----------------------------------------------------


def edges_of(shape: surface_shapes.Shape) -> Array:
    """Line segments (n, 2, 3) [m] that show a shape, in its frame."""
    return EDGES[shape.kind](shape.values)


def _circle(radius: float, z: float = 0.0, turn: Array | None = None) -> Array:
    """(n, 2, 3) a circle about z, or as a rotation turns it."""
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(ROUND + 1, z)], 1)
    if turn is not None:
        points = points @ turn.T
    return np.stack([points[:-1], points[1:]], 1)


ABOUT_X, ABOUT_Y = np.roll(np.eye(3), 1, axis=0), np.roll(np.eye(3), 2, axis=0)
"""Rotations that turn z into x and into y."""


def _sphere(values: dict[str, Any]) -> Array:
    radius = values["radius"]
    return np.concatenate([_circle(radius), _circle(radius, turn=ABOUT_X), _circle(radius, turn=ABOUT_Y)])


def _ellipsoid(values: dict[str, Any]) -> Array:
    edges: Array = _sphere({"radius": 1.0}) * np.array(values["radii"])
    return edges


def _sides(radius: float, top: float, half: float) -> Array:
    """Four lines between a circle below and a circle above."""
    corners = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    low = np.column_stack([radius * corners, np.full(4, -half)])
    high = np.column_stack([top * corners, np.full(4, half)])
    return np.stack([low, high], 1)


def _cylinder(values: dict[str, Any]) -> Array:
    radius, half = values["radius"], 0.5 * values["height"]
    return np.concatenate([_circle(radius, half), _circle(radius, -half), _sides(radius, radius, half)])


def _cone(values: dict[str, Any]) -> Array:
    radius, half = values["radius"], 0.5 * values["height"]
    return np.concatenate([_circle(radius, -half), _sides(radius, 0.0, half)])


def _capsule(values: dict[str, Any]) -> Array:
    radius, half = values["radius"], 0.5 * values["height"]
    ends = []
    for turn in (ABOUT_X, ABOUT_Y):
        circle = _circle(radius, turn=turn)
        middle = circle.mean(axis=1)[:, 2]
        ends.append(circle + np.where(middle > 0.0, half, -half)[:, None, None] * np.array([0.0, 0.0, 1.0]))
    return np.concatenate([*ends, _cylinder(values)])


def _box(values: dict[str, Any]) -> Array:
    half = 0.5 * np.array(values["size"])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    edges: Array = corners[BOX_EDGES]
    return edges


def _plane(_values: dict[str, Any]) -> Array:
    """Nothing: a plane has no end, and what the artist sees of it is its mesh."""
    return np.zeros((0, 2, 3))


def _hull(values: dict[str, Any]) -> Array:
    try:
        corners, _, faces = engine_surfaces.HullSurface(name="", vertices=values["vertices"]).polyhedron
    except errors.RedMaxError:  # without scipy: Check says so
        return np.zeros((0, 2, 3))
    return _borders(corners, [face.tolist() for face in faces])


def _pieces(values: dict[str, Any]) -> Array:
    return np.concatenate([_hull({"vertices": piece.vertices}) for piece in values["pieces"]])


def _heightfield(values: dict[str, Any]) -> Array:
    """Every so many rows and columns, so that they are not too many, and the floor."""
    heights, half = np.array(values["heights"]), 0.5 * np.array(values["size"])
    x, y = (np.linspace(-h, h, n) for h, n in zip(half, heights.shape[::-1], strict=True))
    points = np.stack([*np.meshgrid(x, y), heights], axis=-1)
    step = 1 + 2 * heights.size // MOST_EDGES
    lines = [points[k] for k in _every(len(points), step)] + [points[:, k] for k in _every(points.shape[1], step)]
    floor = float(heights.min()) - values["depth"]
    below = np.array([(a * half[0], b * half[1], floor) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    corners = points[[0, 0, -1, -1], [0, -1, -1, 0]]
    sides = [np.stack([below, np.roll(below, -1, axis=0)], 1), np.stack([below, corners], 1)]
    return np.concatenate([*(np.stack([line[:-1], line[1:]], 1) for line in lines), *sides])


def _every(count: int, step: int) -> list[int]:
    """Numbers so many apart, the first and the last among them."""
    return sorted({*range(0, count, step), count - 1})


def _mesh(values: dict[str, Any]) -> Array:
    return _borders(np.array(values["vertices"]), values["faces"])[:MOST_EDGES]


def _borders(points: Array, faces: Any) -> Array:
    """(n, 2, 3) edges of polygons, each once."""
    pairs = {(min(a, b), max(a, b)) for face in faces for a, b in zip(face, [*face[1:], face[0]], strict=True)}
    edges: Array = points[np.array(sorted(pairs), np.int64).reshape(-1, 2)]
    return edges


EDGES: dict[str, Callable[[dict[str, Any]], Array]] = {
    "box": _box,
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "cone": _cone,
    "ellipsoid": _ellipsoid,
    PLANE: _plane,
    HULL: _hull,
    MESH: _mesh,
    HEIGHTFIELD: _heightfield,
    PIECES: _pieces,
}
