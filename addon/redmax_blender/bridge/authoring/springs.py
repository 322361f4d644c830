# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Spring and Add Damper: between two bodies, or a body and the world, tuned by what they move.

With m the mass that the element moves along its line (`core.effective_mass`), a spring has k = (2 pi f)^2 m and
c = 2 zeta (2 pi f) m; a damper in which a speed falls to 1/e within a time tau has c = m / tau.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, forces
from ..._engine import compile as compiling
from ...properties.sorts import SORTS
from ..core.effective_mass import effective_mass
from ..core.findings import refuse
from ..extract.extraction import extract, require_sound
from ..objects import frames, joint_objects
from ..objects.editable import require_editable
from ..results import preview
from . import all_or_nothing, build, elements, shapes

Array = arrays.Array
Object = bpy.types.Object

KIND = forces.FORCES["spring_damper"].kind

Ends = Literal["ORIGINS", "CURSOR", "EMPTIES"]


class Wishes(NamedTuple):
    """ends: where the spring begins and ends. rest: length without tension as a part of the present one. frequency
    [Hz]: of the swing on it; damping: as a part of the critical one. shape: whether an object is
    added that shows it."""

    ends: Ends = "ORIGINS"
    rest: float = 1.0
    frequency: float = 2.0
    damping: float = 0.1
    shape: bool = False


def add_spring(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> Object:
    """A spring between two bodies of some objects, or between one and the world. Of several the active one is second.

    objects: bodies, or what may become one, and empties at which the ends stand.
    """

    def settle(spring: Object, apart: float) -> None:
        if wishes.rest != 1.0:
            settings: Any = spring.redmax.force.spring_damper
            settings.use_rest_length, settings.rest_length = True, wishes.rest * apart
        tune(context, spring, wishes.frequency, wishes.damping)
        if wishes.shape:
            shapes.add_shape(context, spring)

    return _between(context, objects, wishes.ends, "Spring", settle)


def add_damper(context: bpy.types.Context, objects: Sequence[Object], ends: Ends, slowing: float) -> Object:
    """A damper between two bodies, or between one and the world, as `add_spring`. slowing: time in which the speed
    along it falls to 1/e [s]."""

    def settle(damper: Object, _apart: float) -> None:
        settings: Any = damper.redmax.force.spring_damper
        settings.measure, settings.stiffness = "stretch", 0.0
        settings.damping = moved_mass(context, damper) / slowing

    return _between(context, objects, ends, "Damper", settle)


def _between(
    context: bpy.types.Context,
    objects: Sequence[Object],
    ends: Ends,
    name: str,
    settle: Callable[[Object, float], None],
) -> Object:
    """A spring-damper between the bodies of some objects. settle: gives it its numbers, with its length at the start
    [Blender units]."""
    bodies = [obj for obj in objects if build.may_be_body(obj)]
    empties = [obj for obj in objects if build.is_plain(obj) and not obj.redmax.is_joint]
    if not 1 <= len(bodies) <= 2:
        raise refuse(
            "", f"{len(bodies)} bodies are selected", f"select the two bodies that the {name.lower()} connects"
        )
    require_editable([*bodies, *empties])
    with joint_objects.first_frame(context, [*bodies, *empties]) as depsgraph:
        E_wb = [joint_objects.place_of(body, depsgraph) for body in bodies]
        if ends == "EMPTIES":
            empties = _by_body(empties, bodies, depsgraph)
        at = [frames.modelled_matrix(empty, depsgraph)[:3, 3] for empty in empties]
    cursor = np.array(context.scene.cursor.location, np.float64)
    points = _points(ends, E_wb, at, cursor)
    apart = float(np.linalg.norm(points[0] - points[1]))
    if apart == 0.0:
        text = f"The {name.lower()} would have no length"
        raise refuse(bodies[0].name, text, "let its ends be in different places")
    with all_or_nothing.making(context) as made:
        all_or_nothing.make_bodies(bodies, made)
        middle = 0.5 * (points[0] + points[1])
        spring = elements.add(context, SORTS["force"], KIND, bodies, middle, name=name)
        made.append(spring)
        settings: Any = spring.redmax.force.spring_damper
        for end, point in zip("ab", points, strict=True):
            E = E_wb["ab".index(end)] if "ab".index(end) < len(E_wb) else np.eye(4)
            setattr(settings, f"point_{end}", local_point(E, point, apart))
        if ends == "EMPTIES":
            for end, empty in zip("ab", empties, strict=False):
                setattr(settings, f"point_{end}_at", empty)
        settle(spring, apart)
        spring.update_tag()
    return spring


_EVEN = 1e-6
"""Coordinates of a point below this part of an element's length are rounding."""


def local_point(E: Array, point: Array, size: float) -> list[float]:
    """A point of the world (3,) in a frame E (4, 4), without rounding that nobody wants to see."""
    local = np.linalg.solve(E, np.append(point, 1.0))[:3]
    return [0.0 if abs(x) < _EVEN * size else x for x in local.tolist()]


def _by_body(empties: list[Object], bodies: list[Object], depsgraph: bpy.types.Depsgraph) -> list[Object]:
    """Two empties in the order of the bodies that they belong to: their Blender parents, or what they are nearer to."""
    if len(empties) != 2:
        raise refuse("", f"{len(empties)} empties are selected", "select two, one at each end")

    def distance(empty: Object, body: Object) -> float:
        if body in joint_objects.ancestors(empty):
            return -1.0
        point = frames.modelled_matrix(empty, depsgraph)[:3, 3]
        return joint_objects.extent_of(body, depsgraph).distance(point)

    first, second = empties
    here = sum(distance(empty, body) for empty, body in zip((first, second), bodies, strict=False))
    there = sum(distance(empty, body) for empty, body in zip((second, first), bodies, strict=False))
    return [second, first] if there < here else [first, second]


def _points(ends: Ends, E_wb: list[Array], empties: list[Array], cursor: Array) -> tuple[Array, Array]:
    """(3,), (3,) both ends in the world."""
    origins = [E[:3, 3] for E in E_wb]
    if ends == "EMPTIES":
        return empties[0], empties[1]
    if ends == "CURSOR" or len(origins) == 1:
        return origins[0], cursor
    return origins[0], origins[1]


def tune(context: bpy.types.Context, spring: Object, frequency: float, damping: float) -> None:
    """Give a spring or a cable the stiffness and damping with which it swings at a frequency [Hz]. damping: part of
    critical."""
    force = SORTS["force"]
    settings: Any = force.own_group(spring.redmax.force)
    mass = moved_mass(context, spring)
    omega = 2.0 * math.pi * frequency
    settings.measure = "stretch"
    settings.stiffness, settings.damping = omega**2 * mass, 2.0 * damping * omega * mass
    spring.update_tag()


def moved_mass(context: bpy.types.Context, spring: Object) -> float:
    """What a spring, a cable or a muscle moves along its line [kg]. Raises BridgeError where nothing can move."""
    context.view_layer.update()
    with preview.paused():
        extraction = extract(context.scene, context.view_layer)
    if all(force.name != spring.name for force in extraction.scene.forces):
        require_sound(extraction)
        raise refuse(spring.name, f"'{spring.name}' belongs to a mechanism that is switched off", "switch it on")
    require_sound(extraction)
    model = compiling.compile(extraction.scene, checked=True)
    number = next(k for k, force in enumerate(model.forces) if force.name == spring.name)
    mass = effective_mass(model, number)
    if not math.isfinite(mass):
        text = f"Nothing that '{spring.name}' pulls at can move along it"
        raise refuse(spring.name, text, "free one of its bodies, or give the stiffness yourself")
    return mass
