# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordered list of a track's control frames: reversed, closed, spaced evenly, made longer; and trains on a track."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Matrix

from ..._engine import arrays, pose, tracks
from ...properties import drawn, references
from ...properties import joint as joint_properties
from ...properties.sorts import SORTS
from ..core.findings import refuse
from ..extract import guide_reader
from ..extract.element_reader import half_turns
from ..objects import frames, joint_objects, units
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from . import elements

Array = arrays.Array
Object = bpy.types.Object

LEAST = 4


def edit(context: bpy.types.Context, obj: Object, action: Literal["REVERSE", "CLOSE", "EVEN"]) -> str:
    """Do one thing with the frames of a track; says what was done."""
    require_editable([obj])
    group = _listed(obj)
    if action == "CLOSE":
        group.cyclic = not group.cyclic
        return f"'{obj.name}' is {'closed' if group.cyclic else 'open'}"
    if action == "REVERSE":
        for k in range(len(group.frames)):
            group.frames.move(len(group.frames) - 1, k)
        return f"'{obj.name}' runs the other way"
    _space(context, obj, group)
    return f"The frames of '{obj.name}' are evenly spaced"


def _listed(obj: Object) -> Any:
    """The settings of a track that has a list of frames."""
    if not obj.redmax.is_track or drawn.fields_of("track", obj):
        text = f"'{obj.name}' has no list of frames"
        raise refuse(obj.name, text, "edit the curve itself (Edit Mode > Segments > Switch Direction, Toggle Cyclic)")
    return obj.redmax.track


def _space(context: bpy.types.Context, obj: Object, group: Any) -> None:
    """Move the control empties to even distances along the path, which stays nearly the same."""
    if group.basis == "bezier":
        raise refuse(obj.name, f"'{obj.name}' has handles, which have no even spacing", "use another basis")
    empties = [entry.place_at for entry in group.frames]
    if len(set(empties)) != len(empties):
        raise refuse(obj.name, f"'{obj.name}' has an empty twice in its list", "remove one of the two entries")
    require_editable(empties)
    depsgraph = context.evaluated_depsgraph_get()
    guide = guide_reader.require(obj, context.scene, depsgraph)
    track, n = guide.element, len(empties)
    q = np.arange(n) * track.extent / (n if track.cyclic else n - 1)
    if group.basis == "b_spline":
        E = tracks.frames_through(track.poses(q), cyclic=track.cyclic)
        group.endpoints = not track.cyclic
    else:
        E = track.poses(q)
    E_w = units.in_blender_units(guide.E_wt @ E, units.metres_per_unit(context.scene))
    for empty, place in zip(empties, E_w, strict=True):
        put(empty, place, depsgraph)


def put(obj: Object, E: Array, depsgraph: bpy.types.Depsgraph) -> None:
    """Let an object stand at a rigid frame (4, 4) of the world [Blender units], keeping its scale."""
    scale = obj.scale.copy()
    basis = np.linalg.solve(frames.parent_matrix(obj, depsgraph), E)
    obj.matrix_basis = Matrix(basis.tolist())
    obj.scale = scale


def remove_lost(obj: Object) -> int:
    """Take entries out of the list that have lost their objects, or whose object is a body; how many they were."""
    require_editable([obj])
    listed = entries(obj)
    gone = [k for k, entry in enumerate(listed) if _is_gone(entry)]
    for k in reversed(gone):
        listed.remove(k)
    return len(gone)


def _is_gone(entry: Any) -> bool:
    meant = entry.place_at
    return meant is None or references.is_lost(entry, "place_at") or not meant.users_scene or meant.redmax.is_body


def entries(obj: Object) -> Any:
    """The list of frames of a track or sheet; empty where its geometry gives them."""
    return obj.redmax.track.frames if obj.redmax.is_track else obj.redmax.sheet.positions


def add_between(context: bpy.types.Context, obj: Object) -> int:
    """Add frames between neighbours: where they are half a turn apart, and as many as a track needs; how many."""
    group = _listed(obj)
    empties = [entry.place_at for entry in group.frames]
    if len(empties) < 2 or None in empties:
        raise refuse(obj.name, f"'{obj.name}' has too few frames to add some between", "select empties and use +")
    depsgraph = context.evaluated_depsgraph_get()
    E = np.array([joint_objects.place_of(empty, depsgraph) for empty in empties])
    wanted = [a for a, _, _ in half_turns(E, cyclic=group.cyclic)]
    if not wanted:
        gaps = np.linalg.norm(np.diff(E[:, :3, 3], axis=0), axis=1)
        wanted = sorted(np.argsort(-gaps)[: max(LEAST - len(E), 1)].tolist())
    for a in reversed(wanted):
        b = (a + 1) % len(empties)
        middle = E[a] @ pose.exp(0.5 * pose.log(pose.inverse(E[a]) @ E[b]))
        empty = joint_objects.new_empty(context.scene, f"{empties[a].name} Next", empties[a], middle)
        empty.empty_display_type, empty.empty_display_size = "ARROWS", empties[a].empty_display_size
        joint_objects.follow(empty, empties[a].parent, depsgraph)
        group.frames.add().place_at = empty
        group.frames.move(len(group.frames) - 1, a + 1)
    return len(wanted)


# --- trains ----------------------------------------------------------------------------------


def add_train(context: bpy.types.Context, objects: Sequence[Object]) -> Object:
    """A drive that moves the joints of carts on one track together: as far apart along it as they stand.

    objects: bodies on a track, or their joints. The one farthest along the track leads.
    """
    riding = [obj for obj in _joints(context.scene, objects) if _track_of(obj) is not None]
    track = _track_of(riding[0]) if riding else None
    if len(riding) < 2 or any(_track_of(obj) != track for obj in riding) or track is None:
        text = f"{len(riding)} carts on one track are selected" if riding else "No cart on a track is selected"
        raise refuse("", text, "select at least two bodies that run on the same track")
    require_editable(riding)
    depsgraph = context.evaluated_depsgraph_get()
    guide = guide_reader.require(track, context.scene, depsgraph)
    length = units.metres_per_unit(context.scene)
    riding.sort(key=lambda obj: -_distance(guide, obj.redmax.joint.child, length, depsgraph))
    leader, others = riding[0], riding[1:]
    place = joint_objects.place_of(leader, depsgraph)[:3, 3]
    drive = elements.add(context, SORTS["drive"], "", [leader], place, name=f"{track.name} Train")
    group: Any = drive.redmax.drive
    group.inputs[0].joint = leader
    while len(group.followers) < len(others):
        group.followers.add()
    for entry, joint in zip(group.followers, others, strict=True):
        entry.joint = joint
        entry.ratio[0] = 1.0
    return drive


def _joints(scene: bpy.types.Scene, objects: Sequence[Object]) -> list[Object]:
    graph = JointGraph.of(scene)
    found = [obj if obj.redmax.is_joint else graph.carrier(obj) for obj in objects]
    return list(dict.fromkeys(obj for obj in found if obj is not None))


def _track_of(joint: Object) -> Object | None:
    """The track that a joint runs on, None for a joint on none and for one with more than that coordinate."""
    settings = joint.redmax.joint
    if len(joint_properties.dofs(settings)) != 1:
        return None
    for group, name, _ in joint_properties.own_references(settings):
        found: Object | None = getattr(group, name)
        return found
    return None


def _distance(guide: Any, body: Object, length: float, depsgraph: bpy.types.Depsgraph) -> float:
    E_wb = units.in_metres(joint_objects.place_of(body, depsgraph), length)
    return float(guide.element.nearest((pose.inverse(guide.E_wt) @ E_wb)[:3, 3])[0])
