# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about tracks, their frames and what runs on them. Each function says in a sentence what it did."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ....properties import joint as joint_properties
from ....properties.scene import frame_range
from ...authoring import track_frames, tracks
from ...check.findings.frame_objects import carrier
from ...core.findings import refuse
from ...extract import drawn_elements, guide_reader
from ...objects import frames, joint_objects, modelled, units
from ...objects.editable import require_editable

Object = bpy.types.Object


def remove_frames(_context: bpy.types.Context, obj: Object) -> str:
    """Entries go that have lost their empties, or whose object is a body. obj: the track, or such a body."""
    owners = [obj] if obj.redmax.is_track or obj.redmax.is_sheet else _tracks_with(obj)
    count = sum(track_frames.remove_lost(owner) for owner in owners)
    if not count:
        raise refuse(obj.name, f"'{obj.name}' has lost no frame", "run Check again")
    return f"Took {count} frames out of {', '.join(repr(owner.name) for owner in owners)}"


def _tracks_with(frame: Object) -> list[Object]:
    """Tracks and sheets that have an object as a frame."""
    having = [obj for obj in bpy.data.objects if obj.redmax.is_track or obj.redmax.is_sheet]
    return [obj for obj in having if any(entry.place_at == frame for entry in track_frames.entries(obj))]


def _require_part_of_track(obj: Object) -> None:
    """Refuse what is neither a track or sheet nor a frame of one: a finding that is old."""
    require_editable([obj])
    if not (obj.redmax.is_track or obj.redmax.is_sheet or _tracks_with(obj)):
        raise refuse(obj.name, f"'{obj.name}' is no frame of a track any more", "run Check again")


def _curve(obj: Object) -> Any:
    """What a curve or surface object draws."""
    require_editable([obj])
    if obj.type not in ("CURVE", "SURFACE"):
        raise refuse(obj.name, f"'{obj.name}' is no curve any more", "run Check again")
    return obj.data


def add_frames(context: bpy.types.Context, obj: Object) -> str:
    require_editable([obj])
    count = track_frames.add_between(context, obj)
    return f"Added {count} frames to '{obj.name}'"


def clear_parent(context: bpy.types.Context, obj: Object) -> str:
    """The frame follows what its track follows, and stays where it is."""
    _require_part_of_track(obj)
    depsgraph = context.evaluated_depsgraph_get()
    joint_objects.stay(obj, depsgraph)
    owner = next(iter(_tracks_with(obj)), None)
    if owner is not None and owner.type == "EMPTY":
        joint_objects.follow(obj, owner, depsgraph)
    return f"'{obj.name}' follows its track"


def freeze(context: bpy.types.Context, obj: Object) -> str:
    """An object stands where it is at the first frame: its keys, drivers and constraints go."""
    _require_part_of_track(obj)
    scene, view_layer = context.scene, context.view_layer
    with modelled.as_modelled(scene, view_layer, frame_range(scene)[0]) as depsgraph:
        E = frames.modelled_matrix(obj, depsgraph)
    obj.animation_data_clear()
    for constraint in list(obj.constraints):
        obj.constraints.remove(constraint)
    if any(above.animation_data is not None for above in joint_objects.ancestors(obj)) and carrier(obj) is None:
        obj.parent = None
        obj.matrix_parent_inverse = Matrix()
    P = np.eye(4) if obj.parent is None else frames.parent_matrix(obj, context.evaluated_depsgraph_get())
    obj.matrix_basis = Matrix(np.linalg.solve(P, E).tolist())
    return f"'{obj.name}' stands where it was at the first frame"


def unit_scale(_context: bpy.types.Context, obj: Object) -> str:
    """The scale is 1; an empty is shown as large as before."""
    _require_part_of_track(obj)
    size = float(np.abs(np.array(obj.scale)).max())
    if obj.type == "EMPTY" and size > 0.0:
        obj.empty_display_size *= size
    obj.scale = (1.0, 1.0, 1.0)
    return f"The scale of '{obj.name}' is 1"


def keep_spline(_context: bpy.types.Context, obj: Object) -> str:
    """The spline with the most points stays."""
    splines = _curve(obj).splines
    if len(splines) < 2:
        raise refuse(obj.name, f"'{obj.name}' has no second spline any more", "run Check again")
    longest = max(splines, key=drawn_elements.spline_points)
    kept = list(splines).index(longest)
    for spline in [each for number, each in enumerate(splines) if number != kept]:
        splines.remove(spline)
    return f"'{obj.name}' has one spline"


def minimum_twist(_context: bpy.types.Context, obj: Object) -> str:
    _curve(obj).twist_mode = "MINIMUM"
    return f"'{obj.name}' twists as little as possible"


def use_carrier(context: bpy.types.Context, obj: Object) -> str:
    """The joint is fixed to the body that its track goes with."""
    require_editable([obj])
    settings: Any = obj.redmax.joint
    guide = _guide(obj)
    body = carrier(guide)
    if body == settings.child:
        raise refuse(obj.name, f"'{guide.name}' goes with '{body.name}'", f"clear the parent of '{guide.name}'")
    depsgraph = context.evaluated_depsgraph_get()
    if obj.parent is not None:
        joint_objects.stay(obj, depsgraph)
    settings.parent = body
    joint_objects.follow(obj, body, depsgraph)
    return f"'{obj.name}' is fixed to {'the world' if body is None else repr(body.name)}"


def _guide(obj: Object) -> Object:
    for group, name, _ in joint_properties.own_references(obj.redmax.joint) if obj.redmax.is_joint else ():
        if getattr(group, name) is not None:
            return getattr(group, name)  # type: ignore[no-any-return]
    raise refuse(obj.name, f"'{obj.name}' runs on no track any more", "run Check again")


def move_onto_track(context: bpy.types.Context, obj: Object) -> str:
    """The child moves to the nearest place of its track; it is not turned."""
    guide = _guide(obj)
    child: Object = obj.redmax.joint.child
    require_editable([child])
    scene, view_layer = context.scene, context.view_layer
    with modelled.as_modelled(scene, view_layer, frame_range(scene)[0]) as depsgraph:
        found = guide_reader.require(guide, scene, depsgraph)
        M = frames.modelled_matrix(child, depsgraph)
        E = tracks.place_on(found, M, units.metres_per_unit(scene))
        P = frames.parent_matrix(child, depsgraph)
    M[:3, 3] = E[:3, 3]
    child.location = np.linalg.solve(P, M)[:3, 3].tolist()
    return f"Moved '{child.name}' onto '{guide.name}'"


FIXERS = {
    "REMOVE_FRAMES": remove_frames,
    "ADD_FRAMES": add_frames,
    "CLEAR_PARENT": clear_parent,
    "FREEZE": freeze,
    "UNIT_SCALE": unit_scale,
    "KEEP_SPLINE": keep_spline,
    "MINIMUM_TWIST": minimum_twist,
    "USE_CARRIER": use_carrier,
    "MOVE_ONTO_TRACK": move_onto_track,
}
