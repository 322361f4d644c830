# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints and their bodies fit together: as they stand now, and as recorded when they were connected.

Lengths are in Blender units. Frames are rigid: scaling an object does not move it. Points of a body's geometry
(anchors) tell a body that was moved from one whose origin was: Apply and Set Origin change the frame, not the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..._engine import arrays, pose, quaternion, traits
from ...properties.joint_fit import ANCHORS
from ..core import ties
from . import frames, units

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
Object = bpy.types.Object


@dataclass(frozen=True, eq=False)
class Ends:
    """One body of each of n joints. E_bj: (n, 4, 4) the joint object seen from the body, or from the world.

    own: (n, 3, 3) anchors in the body's coordinates, a point in each row. placed: the same seen from the joint.
    A body without geometry, and the world, have zeros.
    """

    E_bj: Array
    own: Array
    placed: Array

    def taken(self, rows: Any) -> Ends:
        return Ends(self.E_bj[rows], self.own[rows], self.placed[rows])


@dataclass(frozen=True, eq=False)
class Fits:
    """Joints by name of their object, with names of their bodies (None for the world).

    E_wj: (n, 4, 4) where the joints stand in the world.
    """

    names: tuple[str, ...]
    parents: tuple[str | None, ...]
    children: tuple[str, ...]
    parent: Ends
    child: Ends
    E_wj: Array

    @property
    def sizes(self) -> Array:
        """How far the bodies reach from their origins and from the joint (n,); 1 where nothing tells."""
        held = np.array([name is not None for name in self.parents], bool)
        reach = [
            np.maximum(np.linalg.norm(end.E_bj[:, :3, 3], axis=1), np.linalg.norm(end.placed, axis=2).max(axis=1))
            for end in (self.parent, self.child)
        ]
        size = np.maximum(np.where(held, reach[0], 0.0), reach[1])
        return np.where(size > 0.0, size, 1.0)

    def taken(self, rows: Sequence[int]) -> Fits:
        """Some of the joints."""
        return Fits(
            tuple(self.names[row] for row in rows),
            tuple(self.parents[row] for row in rows),
            tuple(self.children[row] for row in rows),
            self.parent.taken(rows),
            self.child.taken(rows),
            self.E_wj[rows],
        )


def anchors(obj: Object) -> list[Any]:
    """Three points of an object's own geometry, in its coordinates: the first, middle and last vertex of a mesh."""
    data: Any = obj.data
    if isinstance(data, bpy.types.Mesh):
        vertices = data.vertices
        count = len(vertices)
        if count:
            return [vertices[0].co[:], vertices[count // 2].co[:], vertices[count - 1].co[:]]
    elif data is not None:
        return [obj.bound_box[corner][:] for corner in (0, 3, 6)]
    return [(0.0, 0.0, 0.0)] * ANCHORS


def present(extraction: Extraction) -> Fits:
    """All joints that were extracted and have an object, as they stand now; without those that move along a track,
    which find their place on it anew."""
    length = extraction.length
    having = [joint for joint in extraction.scene.joints if joint.name in extraction.joint_objects]
    found = [joint for joint in having if not ties.is_guided(joint)]
    number = {body.name: row for row, body in enumerate(extraction.bodies)}
    # The world is the last row: at its own origin, without geometry.
    E_wb = units.in_blender_units(np.array([*(body.E_wb for body in extraction.bodies), np.eye(4)]), length)
    A = np.array([*(body.A for body in extraction.bodies), np.eye(4)])
    points = [anchors(bpy.data.objects[(body.name, None)]) for body in extraction.bodies]
    own = np.array([*points, [(0.0, 0.0, 0.0)] * ANCHORS], np.float64)

    def ends(names: list[str | None], poses: list[Any], offsets: list[Array]) -> Ends:
        """offsets: what lies between the joint object and the joint frame on the body."""
        rows = [-1 if name is None else number[name] for name in names]
        E_bj = _frames([each.position for each in poses], [each.rotation for each in poses])
        E_bj = units.in_blender_units(E_bj @ pose.inverse(np.array(offsets).reshape(-1, 4, 4)), length)
        return Ends(E_bj, own[rows], _seen_from(E_bj, A[rows], own[rows]))

    parents, children = [joint.parent for joint in found], [joint.child for joint in found]
    parent = ends(parents, [joint.frame_in_parent for joint in found], [np.eye(4) for _ in found])
    child = ends(list(children), [joint.frame_in_child for joint in found], [traits.of(joint).Q0 for joint in found])
    E_wp = E_wb[[-1 if name is None else number[name] for name in parents]]
    names = tuple(extraction.joint_objects[joint.name] for joint in found)
    return Fits(names, tuple(parents), tuple(children), parent, child, E_wp @ parent.E_bj)


def recorded(now: Fits) -> tuple[list[int], Fits]:
    """(rows, fits): which of the joints have a record of the bodies that they connect, and what it says."""
    rows, numbers = [], []
    for row, name in enumerate(now.names):
        group: Any = bpy.data.objects[(name, None)].redmax
        fit, joint = group.fit, group.joint
        parent, child = fit.parent, fit.child
        if fit.recorded and parent.body == joint.parent and child.body == joint.child:
            rows.append(row)
            numbers.append((*fit.location, *fit.rotation, *_row(parent), *_row(child)))
    values = np.array(numbers, np.float64).reshape(len(rows), -1 if rows else 3 * 7 + 2 * 2 * 3 * ANCHORS)
    E_wj, rest = _frames(values[:, :3], values[:, 3:7]), values[:, 7:]
    parent_end, child_end = (
        Ends(
            _frames(half[:, :3], half[:, 3:7]),
            half[:, 7 : 7 + 3 * ANCHORS].reshape(-1, ANCHORS, 3),
            half[:, 7 + 3 * ANCHORS :].reshape(-1, ANCHORS, 3),
        )
        for half in np.split(rest, 2, axis=1)
    )
    same = now.taken(rows)
    return rows, Fits(same.names, same.parents, same.children, parent_end, child_end, E_wj)


def _row(end: Any) -> tuple[float, ...]:
    return (*end.location, *end.rotation, *end.own, *end.placed)


def record(fits: Fits) -> None:
    """From now on these joints and their bodies belong together as they stand."""
    for row, name in enumerate(fits.names):
        obj = bpy.data.objects[(name, None)]
        stored: Any = obj.redmax.fit
        joint: Any = obj.redmax.joint
        for group, end, body in ((stored.parent, fits.parent, joint.parent), (stored.child, fits.child, joint.child)):
            group.body = body
            group.location, group.rotation = _written(end.E_bj[row])
            group.own, group.placed = end.own[row].ravel(), end.placed[row].ravel()
        stored.location, stored.rotation = _written(fits.E_wj[row])
        stored.recorded = True


def record_modelled(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Record a joint that was just connected. A flattened body has no frame: Check says so, and records later."""
    joint: Any = obj.redmax.joint
    try:
        E_wj, _ = frames.rigid_part(frames.modelled_matrix(obj, depsgraph))
        parent, child = (_modelled_end(body, E_wj, depsgraph) for body in (joint.parent, joint.child))
    except frames.FrameError:
        return
    name = None if joint.parent is None else joint.parent.name
    record(Fits((obj.name,), (name,), (joint.child.name,), parent, child, E_wj[None]))


def _modelled_end(body: Object | None, E_wj: Array, depsgraph: bpy.types.Depsgraph) -> Ends:
    if body is None:
        nothing = np.zeros((1, ANCHORS, 3))
        return Ends(E_wj[None], nothing, nothing)
    E_wb, A = frames.rigid_part(frames.modelled_matrix(body, depsgraph))
    E_bj, own = (pose.inverse(E_wb) @ E_wj)[None], np.array([anchors(body)], np.float64)
    return Ends(E_bj, own, _seen_from(E_bj, A[None], own))


def _seen_from(E_bj: Array, A: Array, own: Array) -> Array:
    """Points (n, 3, 3) of bodies, given in their coordinates, seen from joints; zeros stand for no points."""
    points = (own @ np.swapaxes(A[:, :3, :3], 1, 2) - E_bj[:, None, :3, 3]) @ E_bj[:, :3, :3]
    there: Array = np.where(own.any(axis=(1, 2))[:, None, None], points, 0.0)
    return there


def _frames(positions: Any, rotations: Any) -> Array:
    """Frames (n, 4, 4) from positions (n, 3) and quaternions (n, 4) of any length."""
    q = np.array(rotations, np.float64).reshape(-1, 4)
    E = np.tile(np.eye(4), (len(q), 1, 1))
    if len(q):
        E[:, :3, :3] = quaternion.to_matrix(q / np.linalg.norm(q, axis=1, keepdims=True))
        E[:, :3, 3] = positions
    return E


def _written(E: Array) -> tuple[list[float], list[float]]:
    return E[:3, 3].tolist(), quaternion.from_matrix(E[:3, :3]).tolist()
