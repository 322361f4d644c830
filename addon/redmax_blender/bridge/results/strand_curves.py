# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that show strands: their points stand where a result has the nodes, else where these are modelled.

Nothing reads these points, so that there is nothing of the artist's to put aside before they are moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, trajectory
from ..objects import element_points

Array = arrays.Array
Object = bpy.types.Object
Trajectory = trajectory.Trajectory

Nodes = Mapping[str, Array]
"""By name of a strand, where its nodes are in the world (n, 3) [Blender units]."""


def is_rope(obj: Object) -> bool:
    """Whether an object is a curve that shows a strand."""
    element = obj.redmax.shows
    return obj.type == "CURVE" and element is not None and element.redmax.is_strand


def is_baked(obj: Object) -> bool:
    """Whether the curve of an object carries baked keys, or follows a file."""
    data: Any = obj.data
    return bool(data.redmax.baked.active)


def ropes(objects: Iterable[Object]) -> Iterator[Object]:
    """Curves of this file that show strands and may be written to, also those that are baked."""
    return (
        obj for obj in objects if obj.redmax.shows is not None and is_rope(obj) and obj.data and not obj.data.library
    )


def node_columns(result: Trajectory) -> dict[str, slice]:
    """Where the nodes of each strand are in the channel `nodes` of a result; what does not fit is left out."""
    counts = result.meta.get("strands", {})
    if "nodes" not in result.channels or not isinstance(counts, dict):
        return {}
    found, first = {}, 0
    for name, count in counts.items():
        if not isinstance(count, int) or count < 0:
            return {}
        found[name] = slice(first, first + count)
        first += count
    return found if first == result.channels["nodes"].shape[1] else {}


def nodes_at(result: Trajectory, at: float, length: float) -> dict[str, Array]:
    """Nodes of a result at a sample, or between two. at: its number. length: metres per Blender unit."""
    columns = node_columns(result)
    if not columns:
        return {}
    index = int(at)
    values, part = result.channels["nodes"], at - index
    now = values[index] if part == 0.0 else (1.0 - part) * values[index] + part * values[index + 1]
    return {name: now[columns[name]] / length for name in columns}


def place(objects: Iterable[Object], nodes: Nodes) -> None:
    """Put the points of curves where nodes are; curves that are baked, or show other strands, stay as they are."""
    for obj in ropes(objects):
        found = nodes.get(obj.redmax.shows.name)
        if found is not None and not is_baked(obj):
            write(obj, found)


def rest(objects: Iterable[Object], depsgraph: bpy.types.Depsgraph) -> None:
    """Put the points of curves where the nodes of their strands are modelled, except those that are baked."""
    for obj in list(ropes(objects)):
        if not is_baked(obj):
            write_modelled(obj, depsgraph)


def write_modelled(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Put the points of a curve where the nodes of its strand are modelled."""
    points = element_points.line_of(obj.redmax.shows, depsgraph)
    if points:
        write(obj, np.array([point.place for point in points]))


def local(obj: Object, nodes: Array) -> Array:
    """Nodes (..., 3) in the coordinates of a curve's object [Blender units]."""
    M = np.array(obj.matrix_world, np.float64)
    if not np.isfinite(M).all() or np.linalg.matrix_rank(M) < len(M):
        return nodes  # of a flattened curve nothing can be seen
    inverse = np.linalg.inv(M)
    moved: Array = nodes @ inverse[:3, :3].T + inverse[:3, 3]
    return moved


def write(obj: Object, nodes: Array) -> None:
    """Put the points of a curve's first spline at nodes (n, 3); a curve of another number of points gets these."""
    data: Any = obj.data
    if len(data.splines) != 1 or data.splines[0].type != "POLY" or len(data.splines[0].points) != len(nodes):
        _renew(data, len(nodes))
    points = data.splines[0].points
    before = np.empty(4 * len(points), np.float32)
    points.foreach_get("co", before)
    now = np.ones((len(points), 4), np.float32)
    now[:, :3] = local(obj, nodes)
    if not np.array_equal(now.ravel(), before):
        points.foreach_set("co", now.ravel())
        data.update_tag()


def _renew(data: Any, count: int) -> None:
    """One straight spline of as many points: what the artist drew there shows no strand."""
    data.splines.clear()
    data.splines.new("POLY").points.add(count - 1)
