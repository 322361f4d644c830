# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Cable and Add Muscle: lines through any number of points on bodies and in the world.

Points are empties and bodies that no selected empty belongs to. An empty belongs to the body that it is parented to,
else to the selected body that it lies on or in, else to the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, forces
from ...properties.sorts import SORTS
from ..core.findings import refuse
from ..core.shortest_path import shortest_order
from ..objects import frames, joint_objects
from ..objects.editable import require_editable
from . import all_or_nothing, build, element_keys, elements, shapes
from .springs import local_point, moved_mass, tune
from .tracks import by_number

Array = arrays.Array
Object = bpy.types.Object

CABLE, MUSCLE = forces.FORCES["cable"].kind, forces.FORCES["multi_point_muscle"].kind

Order = Literal["SHORTEST", "NAME"]

TOUCHING = 0.02
"""An empty lies on a body that it is nearer to than this part of the body's diagonal."""

STANDARD_GRAVITY = 9.80665
"""[m/s^2] By which strengths are weighed where a scene has no gravity."""


class Stop(NamedTuple):
    """A point of a path. body: what it is fixed to, None for the world. at: the empty there, None for the body's
    origin. place: (3,) in the world [Blender units]. local: (3,) in the body's frame."""

    name: str
    body: Object | None
    at: Object | None
    place: Array
    local: list[float]


class Points(NamedTuple):
    """What a path is made of. objects: the selection. active: where the shortest line begins, if it is a point."""

    objects: Sequence[Object]
    active: Object | None
    order: Order = "SHORTEST"


class CableWishes(NamedTuple):
    """rest: length without tension as a part of the present one. frequency [Hz]: of the swing on it, which says how
    stiff it is; damping: as a part of the critical one. shape: whether an object is added that shows it."""

    rest: float = 1.0
    frequency: float = 10.0
    damping: float = 0.3
    shape: bool = False


class MuscleWishes(NamedTuple):
    """strength: greatest force, in weights of what it moves. tendon: part of the present length that is tendon.
    activation: 0 to 1. contracting: time [s] in which keys bring it there from the first frame on, 0 for no keys.
    shape: whether an object is added that shows it."""

    strength: float = 5.0
    tendon: float = 0.3
    activation: float = 0.5
    contracting: float = 0.0
    shape: bool = False


def add_cable(context: bpy.types.Context, points: Points, wishes: CableWishes) -> Object:
    """A cable through points, which pulls only."""
    with all_or_nothing.making(context) as made:
        cable, stops = _through(context, points, CABLE, "Cable", made)
        if wishes.rest != 1.0:
            settings: Any = cable.redmax.force.cable
            settings.use_rest_length, settings.rest_length = True, wishes.rest * length_of(stops)
        tune(context, cable, wishes.frequency, wishes.damping)
        if wishes.shape:
            shapes.add_shape(context, cable)
    return cable


def add_muscle(context: bpy.types.Context, points: Points, wishes: MuscleWishes) -> Object:
    """A muscle through points, strongest at its present length."""
    with all_or_nothing.making(context) as made:
        muscle, stops = _through(context, points, MUSCLE, "Muscle", made)
        settings: Any = muscle.redmax.force.multi_point_muscle
        length = length_of(stops)
        settings.tendon_length, settings.optimal_length = wishes.tendon * length, (1.0 - wishes.tendon) * length
        settings.peak_force = wishes.strength * STANDARD_GRAVITY * moved_mass(context, muscle)
        settings.activation = wishes.activation
        if wishes.contracting > 0.0:
            time = wishes.contracting
            element_keys.key_rise(context, settings, "activation_table", wishes.activation, seconds=time)
        if wishes.shape:
            shapes.add_shape(context, muscle)
    return muscle


def length_of(stops: Sequence[Stop]) -> float:
    """Of the line through some points [Blender units]."""
    places = np.array([stop.place for stop in stops])
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def _through(
    context: bpy.types.Context, points: Points, kind: str, name: str, made: list[Object]
) -> tuple[Object, list[Stop]]:
    """A force along a line through points, and these in order."""
    stops = ordered(stops_of(context, points.objects), points)
    if len(stops) < 2:
        hint = "select bodies or empties"
        raise refuse("", f"A {name.lower()} needs at least two points to run through", hint)
    if len({stop.body for stop in stops}) < 2:
        body = stops[0].body
        on = "the world" if body is None else f"'{body.name}'"
        text = f"All points of the {name.lower()} are on {on}, so that it would move nothing"
        raise refuse("", text, "parent empties to the bodies that they are on, or select these bodies too")
    bodies = list(dict.fromkeys(stop.body for stop in stops if stop.body is not None))
    all_or_nothing.make_bodies(bodies, made)
    middle = np.mean([stop.place for stop in stops], axis=0)
    element = elements.add(context, SORTS["force"], kind, bodies, middle, name=name)
    made.append(element)
    entries = SORTS["force"].own_group(element.redmax.force).points
    entries.clear()
    for stop in stops:
        entry = entries.add()
        entry.body, entry.point, entry.point_at = stop.body, stop.local, stop.at
    element.update_tag()
    return element, stops


def stops_of(context: bpy.types.Context, objects: Sequence[Object]) -> list[Stop]:
    """The points that some objects mean, in no order."""
    bodies = [obj for obj in objects if build.may_be_body(obj)]
    empties = [obj for obj in objects if build.is_plain(obj) and not obj.redmax.is_joint]
    owners = {body for empty in empties for body in joint_objects.ancestors(empty) if body.redmax.is_body}
    require_editable([*bodies, *empties, *owners])
    with joint_objects.first_frame(context, list({*bodies, *empties, *owners})) as depsgraph:
        frames_of = {body: joint_objects.place_of(body, depsgraph) for body in {*bodies, *owners}}
        places = {empty: frames.modelled_matrix(empty, depsgraph)[:3, 3] for empty in empties}
        size = _size([*places.values(), *(E[:3, 3] for E in frames_of.values())])
        stops = []
        for empty in empties:
            body = _owner(empty, places[empty], bodies, depsgraph)
            E = np.eye(4) if body is None else frames_of[body]
            stops.append(Stop(empty.name, body, empty, places[empty], local_point(E, places[empty], size)))
    taken = {stop.body for stop in stops}
    plain = [body for body in bodies if body not in taken]
    return [*stops, *(Stop(body.name, body, None, frames_of[body][:3, 3], [0.0] * 3) for body in plain)]


def _size(places: Sequence[Array]) -> float:
    return float(np.linalg.norm(np.ptp(np.array(places), axis=0))) if len(places) else 0.0


def _owner(empty: Object, place: Array, bodies: Sequence[Object], depsgraph: bpy.types.Depsgraph) -> Object | None:
    """The body that an empty is on; None for the world."""
    parent = next((obj for obj in joint_objects.ancestors(empty) if obj.redmax.is_body or obj in bodies), None)
    if parent is not None:
        return parent
    nearest, least = None, math.inf
    for body in bodies:
        extent = joint_objects.extent_of(body, depsgraph)
        away = extent.distance(place)
        if away <= TOUCHING * extent.diagonal and away < least:
            nearest, least = body, away
    return nearest


def ordered(stops: list[Stop], points: Points) -> list[Stop]:
    """Points in the order in which a line runs through them."""
    by_name = sorted(stops, key=lambda stop: by_number(stop.name))
    if points.order == "NAME" or len(stops) < 2:
        return by_name
    chosen = [k for k, stop in enumerate(by_name) if points.active in (stop.at or stop.body, stop.at)]
    order = shortest_order(np.array([stop.place for stop in by_name]), first=chosen[0] if chosen else None)
    return [by_name[k] for k in order]
