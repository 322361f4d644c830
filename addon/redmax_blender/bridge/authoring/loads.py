# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Force, Add Drag and Pin to World: what acts on single bodies, at their origins, the 3D cursor or an empty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, constraints, forces
from ...properties.sorts import SORTS, Sort
from ..core.findings import refuse
from ..extract.extraction import extract, require_sound
from ..objects import joint_objects
from ..objects.editable import require_editable
from ..results import preview
from . import all_or_nothing, build, element_keys, elements
from .paths import STANDARD_GRAVITY

Array = arrays.Array
Object = bpy.types.Object

FORCE, DRAG = forces.FORCES["point_force"].kind, forces.FORCES["drag"].kind
PIN = constraints.CONSTRAINTS["pin"].kind

DENSITIES = {"AIR": 1.2041, "WATER": 998.0}
"""Of what a body moves through [kg/m^3]."""

Place = Literal["ORIGIN", "CURSOR"]


class ForceWishes(NamedTuple):
    """direction: (3,) along the world's axes, or the body's own. strength: in weights of the body. swelling: time [s]
    in which keys let it grow from nothing, 0 for no keys."""

    place: Place = "ORIGIN"
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axes: Literal["world", "body"] = "world"
    strength: float = 1.0
    swelling: float = 0.0


class DragWishes(NamedTuple):
    """medium: what the body moves through. coefficient: 0.5 for a ball, 1.2 for a plate. wind: (3,) [m/s]."""

    medium: Literal["AIR", "WATER"] = "AIR"
    coefficient: float = 1.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)


def add_force(context: bpy.types.Context, objects: Sequence[Object], wishes: ForceWishes) -> list[Object]:
    """A force on each of the bodies among some objects."""
    if not np.linalg.norm(wishes.direction) > 0.0:
        raise refuse("", "The force has no direction", "give one such as (0, 0, 1)")
    with all_or_nothing.making(context) as made:
        added = _on_each(context, objects, SORTS["force"], FORCE, "Force", wishes.place, made)
        masses = _masses(context)
        for body, obj in added:
            settings: Any = obj.redmax.force.point_force
            settings.direction, settings.axes = wishes.direction, wishes.axes
            size = wishes.strength * STANDARD_GRAVITY * masses[body.name]
            if wishes.swelling > 0.0:
                element_keys.key_rise(context, settings, "force_table", size, seconds=wishes.swelling)
            else:
                settings.force = size
    return [obj for _, obj in added]


def add_drag(context: bpy.types.Context, objects: Sequence[Object], wishes: DragWishes) -> list[Object]:
    """Drag on each of the bodies among some objects, over the area that they face the air with on the average."""
    with all_or_nothing.making(context) as made:
        added = _on_each(context, objects, SORTS["force"], DRAG, "Drag", "ORIGIN", made)
        for body, obj in added:
            settings: Any = obj.redmax.force.drag
            settings.density, settings.coefficient = DENSITIES[wishes.medium], wishes.coefficient
            settings.area = _area(context, body)
            settings.wind = wishes.wind
    return [obj for _, obj in added]


def _area(context: bpy.types.Context, body: Object) -> float:
    """Mean area that a body's box shows [Blender units squared]: a quarter of its surface (Cauchy)."""
    x, y, z = joint_objects.extent_of(body, context.evaluated_depsgraph_get()).lengths.tolist()
    return float(0.5 * (x * y + y * z + z * x))


def pin_to_world(context: bpy.types.Context, objects: Sequence[Object], place: Place) -> list[Object]:
    """A pin of each of the bodies among some objects to where it is now; it may still turn about it."""
    with all_or_nothing.making(context) as made:
        added = _on_each(context, objects, SORTS["constraint"], PIN, "Pin to World", place, made)
        for _, obj in added:
            settings: Any = obj.redmax.constraint.pin
            settings.point_at = settings.other_point_at = obj
    return [obj for _, obj in added]


def _masses(context: bpy.types.Context) -> dict[str, float]:
    context.view_layer.update()
    with preview.paused():
        extraction = extract(context.scene, context.view_layer)
    require_sound(extraction)
    return {body.name: body.mass for body in extraction.bodies}


def _on_each(
    context: bpy.types.Context,
    objects: Sequence[Object],
    sort: Sort,
    kind: str,
    name: str,
    place: Place,
    made: list[Object],
) -> list[tuple[Object, Object]]:
    """Bodies among some objects, and a new element on each, at its origin, at the 3D cursor, or where an empty stands
    that is selected too; with several empties there is one element for each."""
    bodies = [obj for obj in objects if build.may_be_body(obj)]
    empties = [obj for obj in objects if build.is_plain(obj) and not obj.redmax.is_joint]
    if not bodies:
        raise refuse("", "No body is selected", f"select the bodies that '{name}' is for")
    if empties and len(bodies) > 1:
        text = f"{len(bodies)} bodies are selected beside empties that say where it acts"
        raise refuse(bodies[0].name, text, "select one body with its empties, or bodies alone")
    require_editable([*bodies, *empties])
    with joint_objects.first_frame(context, [*bodies, *empties]) as depsgraph:
        if empties:
            at = [(bodies[0], joint_objects.place_of(empty, depsgraph)[:3, 3]) for empty in empties]
        elif place == "CURSOR":
            at = [(body, np.array(context.scene.cursor.location, np.float64)) for body in bodies]
        else:
            at = [(body, joint_objects.place_of(body, depsgraph)[:3, 3]) for body in bodies]
        sizes = {body: joint_objects.extent_of(body, depsgraph).diagonal for body in bodies}
    all_or_nothing.make_bodies(bodies, made)
    added = []
    for body, point in at:
        obj = elements.add(context, sort, kind, [body], point, name=name)
        made.append(obj)
        if sizes[body] > 0.0 and math.isfinite(sizes[body]):
            obj.empty_display_size = elements.SIZE * sizes[body]
        added.append((body, obj))
    return added
