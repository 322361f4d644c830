# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies an empty or a Blender parent means to connect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ..core.boxes import Boxes, Extent
from ..objects import frames
from ..objects.joint_objects import ancestors

Array = arrays.Array
Object = bpy.types.Object

GROWTH = 0.02
"""An empty this fraction of a body's diagonal outside its box still counts as being at the body."""

NEAR = 2.0
"""Of several bodies around an empty, those are at it whose surface is less than this factor farther than the second
nearest one: a frame around the whole machine is not at every pin in it."""


class Connection(NamedTuple):
    """Bodies that meet at one place: at an empty, or at the origin of `origin` if `pin` is None."""

    members: tuple[Object, ...]
    pin: Object | None
    origin: Object


def connections(
    bodies: Sequence[Object], pins: Sequence[Object], extents: Mapping[Object, Extent], depsgraph: bpy.types.Depsgraph
) -> list[Connection]:
    """What pins and Blender parents connect, pins first; parents add nothing to a pair that shares a pin."""
    found = []
    solid, selected = set(bodies), {*bodies, *pins}
    boxes = Boxes(extents[body] for body in bodies)
    said_by: dict[Object | None, list[Object]] = defaultdict(list)
    for body in bodies:
        said_by[_nearest_above(body, selected)].append(body)
    for pin in pins:
        said = said_by[pin].copy()
        carrier = _nearest_above(pin, solid)
        if carrier is not None:
            said.insert(0, carrier)
        members = said if len(said) > 1 else _around(pin, said, bodies, boxes, extents, depsgraph)
        if len(members) > 1:
            found.append(Connection(tuple(members), pin, pin))
    pinned = {frozenset((a, b)) for connection in found for a in connection.members for b in connection.members}
    for body in bodies:
        parent = _nearest_above(body, solid)
        if parent is not None and frozenset((parent, body)) not in pinned:
            found.append(Connection((parent, body), None, body))
    return found


def _nearest_above(obj: Object, wanted: set[Object]) -> Object | None:
    return next((parent for parent in ancestors(obj) if parent in wanted), None)


def _around(
    pin: Object,
    said: list[Object],
    bodies: Sequence[Object],
    boxes: Boxes,
    extents: Mapping[Object, Extent],
    depsgraph: bpy.types.Depsgraph,
) -> list[Object]:
    """Bodies at a pin by where it stands, those that parenting names included: all whose box holds it, at least two."""
    point = frames.modelled_matrix(pin, depsgraph)[:3, 3]
    distance = boxes.distances(point)
    inside = [bodies[k] for k in np.flatnonzero(distance <= GROWTH * boxes.diagonals)]
    if len(inside) > 2:
        surface = {body: surface_distance(body, extents[body], point, depsgraph) for body in inside}
        grown = GROWTH * min(extents[body].diagonal for body in inside)
        reach = NEAR * sorted(surface.values())[1] + grown
        inside = [body for body in inside if surface[body] <= reach]
    members = list(dict.fromkeys([*said, *inside]))
    if len(members) < 2:
        nearest = [bodies[k] for k in np.argsort(distance, kind="stable")[:3]]
        members = list(dict.fromkeys([*members, *nearest]))[:2]
    return members


def surface_distance(body: Object, extent: Extent, point: Array, depsgraph: bpy.types.Depsgraph) -> float:
    """Distance from a point to the faces of a body; to its box if it has none that are evaluated."""
    own = np.linalg.solve(extent.M[:3, :3], point - extent.M[:3, 3])
    evaluated: Any = body.evaluated_get(depsgraph)
    if body.type == "MESH" and evaluated.is_evaluated and len(evaluated.data.polygons):
        hit, nearest, _normal, _index = evaluated.closest_point_on_mesh(own)
        if hit:
            return float(np.linalg.norm(extent.M[:3, :3] @ (own - np.array(nearest, np.float64))))
    return extent.distance(point)
