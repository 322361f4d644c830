# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Spring: between two bodies, or a body and the world, as stiff as a frequency asks for.

With m the mass that the spring moves along its line (`core.effective_mass`), k = (2 pi f)^2 m and
c = 2 zeta (2 pi f) m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from . import build, elements

Array = arrays.Array
Object = bpy.types.Object

KIND = forces.FORCES["spring_damper"].kind

Ends = Literal["ORIGINS", "CURSOR", "EMPTIES"]


class Wishes(NamedTuple):
    """ends: where the spring begins and ends. rest: length without tension as a part of the present one. frequency
    [Hz]: of the swing on it; damping: as a part of the critical one."""

    ends: Ends = "ORIGINS"
    rest: float = 1.0
    frequency: float = 2.0
    damping: float = 0.1


def add_spring(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> Object:
    """A spring between two bodies of some objects, or between one and the world. Of several the active one is second.

    objects: bodies, or what may become one, and empties at which the ends stand.
    """
    bodies = [obj for obj in objects if build.may_be_body(obj)]
    empties = [obj for obj in objects if build.is_plain(obj) and not obj.redmax.is_joint]
    if not 1 <= len(bodies) <= 2:
        raise refuse("", f"{len(bodies)} bodies are selected", "select the two bodies that the spring connects")
    require_editable([*bodies, *empties])
    with joint_objects.first_frame(context, [*bodies, *empties]) as depsgraph:
        E_wb = [joint_objects.place_of(body, depsgraph) for body in bodies]
        if wishes.ends == "EMPTIES":
            empties = _by_body(empties, bodies, depsgraph)
        at = [frames.modelled_matrix(empty, depsgraph)[:3, 3] for empty in empties]
    cursor = np.array(context.scene.cursor.location, np.float64)
    points = _points(wishes.ends, E_wb, at, cursor)
    apart = float(np.linalg.norm(points[0] - points[1]))
    if apart == 0.0:
        raise refuse(bodies[0].name, "The spring would have no length", "let its ends be in different places")
    made = [body for body in bodies if not body.redmax.is_body]
    for body in made:
        build.add_body(body)
    spring = elements.add(context, SORTS["force"], KIND, bodies, 0.5 * (points[0] + points[1]), name="Spring")
    settings: Any = spring.redmax.force.spring_damper
    for end, point in zip("ab", points, strict=True):
        E = E_wb["ab".index(end)] if "ab".index(end) < len(E_wb) else np.eye(4)
        local = np.linalg.solve(E, np.append(point, 1.0))[:3]
        setattr(settings, f"point_{end}", [0.0 if abs(x) < _EVEN * apart else x for x in local.tolist()])
    if wishes.ends == "EMPTIES":
        for end, empty in zip("ab", empties, strict=False):
            setattr(settings, f"point_{end}_at", empty)
    if wishes.rest != 1.0:
        settings.use_rest_length, settings.rest_length = True, wishes.rest * apart
    try:
        tune(context, spring, wishes.frequency, wishes.damping)
    except Exception:  # whatever it is: the scene is left as it was, and the operator says what happened
        elements.remove([spring], context.evaluated_depsgraph_get())
        build.remove_body(context, made)
        raise
    return spring


_EVEN = 1e-6
"""Coordinates of an end below this part of the spring's length are rounding."""


def _by_body(empties: list[Object], bodies: list[Object], depsgraph: bpy.types.Depsgraph) -> list[Object]:
    """Two empties in the order of the bodies that they belong to: their Blender parents, or what they are nearer to."""
    if len(empties) != 2:
        raise refuse("", f"{len(empties)} empties are selected", "select two, one at each end of the spring")

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
    """Give a spring the stiffness and damping with which it swings at a frequency [Hz]. damping: part of critical."""
    settings: Any = spring.redmax.force.spring_damper
    mass = moved_mass(context, spring)
    omega = 2.0 * math.pi * frequency
    settings.measure = "stretch"
    settings.stiffness, settings.damping = omega**2 * mass, 2.0 * damping * omega * mass
    spring.update_tag()


def moved_mass(context: bpy.types.Context, spring: Object) -> float:
    """What a spring moves along its line [kg]. Raises BridgeError where nothing can move."""
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
