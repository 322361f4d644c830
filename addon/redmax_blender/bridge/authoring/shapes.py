# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes springs, cables, muscles and ropes visible in renders: an object of its own, which shows the element.

    a spring, a damper    a coil of mesh that Blender's own Stretch To constraint lays between two ends
    a cable, a muscle     a curve whose points are hooked to the bodies
    a strand              a curve whose points a preview and a bake write (`results.strand_curves`)

Coils and hooked curves need no keys: they follow the bodies in a preview, in a bake and after Remove Bake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ..._engine import arrays
from ..core.coil import coil
from ..core.findings import refuse
from ..objects import element_points, frames, joint_objects
from ..objects.editable import require_editable
from ..objects.element_points import Point

Array = arrays.Array
Object = bpy.types.Object

ROPE, MUSCLE = 0.008, 0.03
"""Radius of a rope or cable, and of a muscle, as a part of its length."""

COIL, WIRE = 0.09, 0.16
"""Radius of a coil as a part of its length, and of its wire as a part of that."""

TURNS = 8.0


class Wishes(NamedTuple):
    """thickness: in times of the usual one. turns: of a coil."""

    thickness: float = 1.0
    turns: float = TURNS


def shapes_of(element: Object) -> list[Object]:
    """Objects of this file that show an element."""
    return [obj for obj in bpy.data.objects if obj.redmax.shows == element and obj.library is None]


def add_shapes(context: bpy.types.Context, elements: Sequence[Object], wishes: Wishes) -> list[Object]:
    """A shape for each of some elements, in place of those they have; none where one cannot be shown."""
    with joint_objects.first_frame(context, elements) as depsgraph:
        for element in elements:
            require_line(element, element_points.line_of(element, depsgraph))
    for element in elements:
        for shape in shapes_of(element):
            remove(shape)
    return [add_shape(context, element, wishes) for element in elements]


def require_line(element: Object, points: Sequence[Point]) -> None:
    """Refuses an element whose points make no line."""
    size = _length(points)
    if not (math.isfinite(size) and size > 0.0):
        text = f"'{element.name}' has no line that could be shown"
        raise refuse(element.name, text, "give it two points in different places")


def remove(shape: Object) -> None:
    """Delete an object that shows an element, and its data unless something else uses that."""
    data: Any = shape.data
    bpy.data.objects.remove(shape)
    if data is not None and not data.users:
        (bpy.data.curves if isinstance(data, bpy.types.Curve) else bpy.data.meshes).remove(data)


def add_shape(context: bpy.types.Context, element: Object, wishes: Wishes | None = None) -> Object:
    """A new object that shows an element along a line."""
    wishes = wishes or Wishes()
    require_editable([element])
    with joint_objects.first_frame(context, [element]) as depsgraph:
        points = element_points.line_of(element, depsgraph)
        size = (
            float(np.linalg.norm(np.diff([point.place for point in points], axis=0), axis=1).sum()) if points else 0.0
        )
        if not (math.isfinite(size) and size > 0.0):
            text = f"'{element.name}' has no line that could be shown"
            raise refuse(element.name, text, "use it on springs, cables, muscles and strands")
        if element.redmax.is_strand:
            shape = _curve(element, points, ROPE * size * wishes.thickness)
        elif element.redmax.force.kind in COILED:
            shape = _coil(context.scene, element, points, wishes, depsgraph)
        else:
            radius = MUSCLE if "muscle" in element.redmax.force.kind else ROPE
            shape = _curve(element, points, radius * size * wishes.thickness)
            _hook(shape, points, depsgraph)
    shape.redmax.shows = element
    return shape


def _length(points: Sequence[Point]) -> float:
    places = np.array([point.place for point in points]).reshape(-1, 3)
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


COILED = ("spring_damper", "point_to_point")
"""Forces that a coil shows."""


def _link(shape: Object, element: Object) -> None:
    for home in [home for home in element.users_collection if home.library is None]:
        home.objects.link(shape)


def _curve(element: Object, points: Sequence[Point], radius: float) -> Object:
    data = bpy.data.curves.new(f"{element.name} Curve", "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", radius, True
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    co = np.ones((len(points), 4))
    co[:, :3] = [point.place for point in points]
    spline.points.foreach_set("co", co.ravel())
    shape = bpy.data.objects.new(f"{element.name} Shape", data)
    _link(shape, element)
    return shape


def _hook(shape: Object, points: Sequence[Point], depsgraph: bpy.types.Depsgraph) -> None:
    """Let each point of a curve move with its body."""
    for number, point in enumerate(points):
        if point.body is None:
            continue
        hook: Any = shape.modifiers.new(f"Point {number + 1}", "HOOK")
        hook.object = point.body
        hook.matrix_inverse = Matrix(np.linalg.inv(frames.modelled_matrix(point.body, depsgraph)).tolist())
        hook.vertex_indices_set([number])


def _coil(
    scene: bpy.types.Scene,
    element: Object,
    points: Sequence[Point],
    wishes: Wishes,
    depsgraph: bpy.types.Depsgraph,
) -> Object:
    """A coil from the first to the second point, and empties at those ends where nothing stands yet."""
    mesh = bpy.data.meshes.new(f"{element.name} Coil")
    size = _length(points)
    radius = COIL * size * wishes.thickness
    mesh.from_pydata(*_as_lists(coil(size, radius, WIRE * radius, wishes.turns)))
    mesh.shade_smooth()
    shape = bpy.data.objects.new(f"{element.name} Shape", mesh)
    _link(shape, element)
    ends = [_end_object(scene, element, point, name, depsgraph) for point, name in zip(points, "ab", strict=True)]
    place: Any = shape.constraints.new("COPY_LOCATION")
    place.target = ends[0]
    stretch: Any = shape.constraints.new("STRETCH_TO")
    stretch.target, stretch.rest_length = ends[1], size
    stretch.volume, stretch.keep_axis = "NO_VOLUME", "PLANE_X"
    return shape


def _as_lists(mesh: tuple[Array, list[tuple[int, ...]]]) -> tuple[Any, Any, Any]:
    return mesh[0].tolist(), [], mesh[1]


def _end_object(
    scene: bpy.types.Scene, element: Object, point: Point, name: str, depsgraph: bpy.types.Depsgraph
) -> Object:
    """An object that stands at an end and moves with its body: one that is there, or a new empty."""
    for obj in (point.at, point.body):
        if obj is not None and _moves_as(obj, point.body):
            place = frames.modelled_matrix(obj, depsgraph)[:3, 3]
            if np.allclose(place, point.place, atol=1e-6 * (1.0 + np.abs(point.place).max())):
                return obj
    E = np.eye(4)
    E[:3, 3] = point.place
    empty = joint_objects.new_empty(scene, f"{element.name} End {name.upper()}", element, E)
    empty.empty_display_size = element.empty_display_size * 0.5
    joint_objects.follow(empty, point.body, depsgraph)
    settings: Any = getattr(element.redmax.force, element.redmax.force.kind)
    setattr(settings, f"point_{name}_at", empty)
    return empty


def _moves_as(obj: Object, body: Object | None) -> bool:
    """Whether an object moves with a body, or stands still for the world."""
    above = [obj, *joint_objects.ancestors(obj)]
    return body in above if body is not None else not any(each.redmax.is_body for each in above)
