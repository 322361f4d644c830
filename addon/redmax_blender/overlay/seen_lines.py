# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, cables, muscles and strands of a view layer as lines, couplings as arrows, forces as an arrow.

What is known is remembered until something of an element changes: on which bodies its points are, and where in the
coordinates of their objects. Places of these objects are read anew for every redraw. With a result lines are coloured
by their tension.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from .._engine import arrays
from ..bridge.objects import element_points, frames
from ..bridge.results import preview
from ..properties import joint as joint_properties
from ..properties import sorts
from .layout import Lines

Array = arrays.Array
Object = bpy.types.Object

PLAIN, PULLS, PUSHES, SLACK = (0.80, 0.86, 0.92), (1.0, 0.27, 0.20), (0.25, 0.55, 1.0), (0.55, 0.60, 0.66)
"""Colours of a line without a result, and of one that pulls or pushes with its greatest force, or not at all."""

ARROW, LOAD = (1.0, 0.80, 0.16), (1.0, 0.45, 0.25)
"""Colours of the arrows of a coupling, and of a force."""

SELECTED = 0.45
"""How much of the way to white the colour of a selected element is."""

TURN, HEAD, REACH = 1.5 * math.pi, 0.3, 0.22
"""Angle of an arrow around an axis, size of its head, and its radius as a part of the distance of the joints."""

WORLD = -1


class Seen(NamedTuple):
    """An element. place: of its object among the view layer's. name: of that object. owners: (n,) places of the objects
    that its points move with, or WORLD; x: (n, 3) points in their coordinates. ends: (m, 2) numbers of points that
    lines join. rgb: its colour without a result. is_line: whether a result may know its tension, and of a strand where
    its points are. members: session_uid of all objects that it is made of."""

    place: int
    name: str
    owners: Any
    x: Array
    ends: Any
    rgb: tuple[float, float, float]
    is_line: bool
    members: frozenset[int]


_seen: dict[tuple[int, str], tuple[int, list[Seen]]] = {}
"""By scene and view layer: how many objects there were, and what was found."""


def known(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[Seen]:
    """Elements of a view layer that are drawn, remembered as long as they are the same."""
    key = (scene.session_uid, view_layer.name)
    count = len(view_layer.objects)
    if key not in _seen or _seen[key][0] != count:
        _seen[key] = (count, list(look(view_layer)))
    return _seen[key][1]


def forget() -> None:
    """Something of an element has changed, or another file is open."""
    _seen.clear()


def is_part(uid: int) -> bool:
    """Whether an element that was drawn, other than by its bodies, is made of the object of a session_uid."""
    return any(uid in each.members for _, found in _seen.values() for each in found)


def look(view_layer: bpy.types.ViewLayer) -> Iterator[Seen]:
    """Read everything anew but where it is. What is not sound is not drawn: Check says what is wrong."""
    places = {obj: place for place, obj in enumerate(view_layer.objects)}
    for obj, place in places.items():
        for sort in sorts.generated_sorts(obj.redmax):
            group = sort.own_group(getattr(obj.redmax, sort.name))
            found: _Drawn | None = None
            if element_points.is_line(obj) and sort.name in element_points.SHARED:
                found = _line(obj, places, view_layer.depsgraph)
            elif sort.name == "constraint" and hasattr(group, "leader"):
                found = _coupling(group, places)
            elif sort.name == "force" and hasattr(group, "direction"):
                found = _arrow(obj, group, places, view_layer.depsgraph)
            if found is not None:
                own = [each.object() for each in sorts.references_of(obj.redmax) if not each.sort]
                members = frozenset(each.session_uid for each in (obj, *own) if each is not None)
                yield Seen(place, obj.name, *found, members)


class _Drawn(NamedTuple):
    owners: Any
    x: Array
    ends: Any
    rgb: tuple[float, float, float]
    is_line: bool


def _line(obj: Object, places: dict[Object, int], depsgraph: bpy.types.Depsgraph) -> _Drawn | None:
    points = element_points.line_of(obj, depsgraph)
    if not points:
        return None
    owners = np.array([WORLD if point.body is None else places.get(point.body, WORLD) for point in points])
    x = np.array([point.place for point in points])
    for number, point in enumerate(points):
        if owners[number] != WORLD:
            M = frames.modelled_matrix(point.body, depsgraph)
            if np.linalg.matrix_rank(M) < len(M):
                return None
            x[number] = np.linalg.solve(M, np.append(x[number], 1.0))[:3]
    return _Drawn(owners, x, _chain(len(points)), PLAIN, is_line=True)


def _chain(count: int) -> Any:
    return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)


def _coupling(group: Any, places: dict[Object, int]) -> _Drawn | None:
    """An arrow at each joint, along which both move together, and a line from the one to the other."""
    joints = [group.leader, group.follower]
    if any(joint is None or joint not in places or not joint.redmax.is_joint for joint in joints):
        return None
    apart = (joints[0].matrix_world.translation - joints[1].matrix_world.translation).length
    owners: list[int] = []
    x: list[list[float]] = []
    ends: list[Any] = []
    for joint, sign in zip(joints, (1.0, math.copysign(1.0, group.ratio)), strict=True):
        twist = joint_properties.traits_of(joint.redmax.joint).twist
        if twist is None:
            return None
        size = REACH * apart if apart > 0.0 else joint.empty_display_size
        scale = max(joint.matrix_world.to_scale()) or 1.0
        arrow = coupling_arrow(np.asarray(twist), sign) * (size / scale)
        ends.append(_chain(len(arrow) - 2) + len(x))  # the last three points are the head and its two barbs
        tip = len(x) + len(arrow) - 3
        ends.append(np.array([[tip, tip + 1], [tip, tip + 2]]))
        owners += [places[joint]] * len(arrow)
        x += arrow.tolist()
    first = len(x)
    owners += [places[joint] for joint in joints]
    x += [[0.0] * 3] * 2
    ends.append(np.array([[first, first + 1]]))
    return _Drawn(np.array(owners), np.array(x), np.concatenate(ends), ARROW, is_line=False)


def coupling_arrow(twist: Array, sign: float) -> Array:
    """Points (n, 3) of an arrow of size 1 along the motion of a joint: around its axis, or along it; then two barbs of
    its head. twist: (6,) of the joint in its frame, angular part first. sign: which way."""
    turns = bool(np.any(twist[:3]))
    axis = (twist[:3] if turns else twist[3:]) / np.linalg.norm(twist[:3] if turns else twist[3:])
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    up = np.cross(axis, side)
    if turns:
        angle = sign * np.linspace(0.0, TURN, 25)
        line = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * up
        ahead = sign * (-math.sin(angle[-1]) * side + math.cos(angle[-1]) * up)
        across = math.cos(angle[-1]) * side + math.sin(angle[-1]) * up
    else:
        line = sign * np.linspace(-1.0, 1.0, 2)[:, None] * axis
        ahead, across = sign * axis, side
    barbs = [line[-1] - HEAD * (ahead + each * 0.6 * across) for each in (1.0, -1.0)]
    return np.concatenate([line, barbs])


def _arrow(obj: Object, group: Any, places: dict[Object, int], depsgraph: bpy.types.Depsgraph) -> _Drawn | None:
    """Where a force pulls: from its point on the body along its direction."""
    body, direction = group.body, np.array(group.direction, np.float64)
    if body is None or body not in places or not np.linalg.norm(direction) > 0.0:
        return None
    M = frames.modelled_matrix(body, depsgraph)
    if np.linalg.matrix_rank(M) < len(M):
        return None
    R = frames.rigid_part(M)[0][:3, :3]
    at = np.array(group.point_at.matrix_world.translation) if group.point_at is not None else None
    origin = M[:3, :3] @ np.array(group.point, np.float64) + M[:3, 3] if at is None else at
    ahead = (R @ direction if group.axes == "body" else direction) / np.linalg.norm(direction)
    side = np.cross(ahead, np.eye(3)[int(np.argmin(np.abs(ahead)))])
    size = 4.0 * obj.empty_display_size
    tip = origin + size * ahead
    points = [origin, tip, *(tip - HEAD * 0.5 * size * (ahead + each * 0.6 * side) for each in (1.0, -1.0))]
    x = (np.array(points) - M[:3, 3]) @ np.linalg.inv(M[:3, :3]).T
    return _Drawn(np.full(4, places[body]), x, np.array([[0, 1], [1, 2], [1, 3]]), LOAD, is_line=False)


def placed(found: list[Seen], scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, space: Any) -> Lines:
    """Lines in the world as they stand now; none of elements whose objects are hidden."""
    points, colours = [np.zeros((0, 3), np.float32)], [np.zeros((0, 4), np.float32)]
    objects = view_layer.objects[:]
    told = preview.told_of_lines(scene)
    for each in found:
        obj = objects[each.place]
        if not obj.visible_in_viewport_get(space):
            continue
        x = told.nodes.get(each.name)
        if x is None or len(x) != len(each.x):
            x = _world(each, objects)
        rgb: tuple[float, ...] = each.rgb
        if each.is_line and each.name in told.tensions:
            rgb = tension_colour(told.tensions[each.name])
        if obj.select_get(view_layer=view_layer):
            rgb = tuple(channel + SELECTED * (1.0 - channel) for channel in rgb)
        points.append(x[each.ends.ravel()].astype(np.float32))
        colours.append(np.tile(np.array([*rgb, 1.0], np.float32), (each.ends.size, 1)))
    return Lines(np.concatenate(points), np.concatenate(colours))


def _world(each: Seen, objects: list[Object]) -> Array:
    x = each.x.copy()
    for owner in set(each.owners.tolist()) - {WORLD}:
        M = np.array(objects[owner].matrix_world, np.float64)
        on = each.owners == owner
        x[on] = each.x[on] @ M[:3, :3].T + M[:3, 3]
    return x


def tension_colour(part: float) -> tuple[float, float, float]:
    """Of a line whose tension is a part, -1 to 1, of its greatest: from grey to red where it pulls, to blue where it
    pushes."""
    end = PULLS if part >= 0.0 else PUSHES
    share = min(abs(part), 1.0)
    red, green, blue = (low + share * (high - low) for low, high in zip(SLACK, end, strict=True))
    return red, green, blue
