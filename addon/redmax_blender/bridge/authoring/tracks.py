# SPDX-License-Identifier: GPL-3.0-or-later
"""Spline Track and Spline Surface: curves, surfaces and empties become tracks and sheets, and bodies run on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ..._engine import arrays, joints, tracks
from ...properties import drawn
from ...properties import joint as joint_properties
from ...properties.scene import frame_range
from ...properties.sorts import SORTS
from ..check.findings.frame_objects import carrier
from ..core.findings import refuse
from ..extract import guide_reader
from ..extract.guides import Guide
from ..objects import frames, joint_objects, units
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from ..objects.other_frames import other_frames
from ..results import preview
from . import build, elements

Array = arrays.Array
Object = bpy.types.Object

LEAST = 4
"""Frames of a track, and of a sheet in each direction."""

STILL = 1e-6
"""A path shorter than this part of the object's distance from the world's origin is none."""

KINDS = {"track": joints.SplineCurve.kind, "sheet": joints.SplineSurface.kind}
"""Kind of joint that moves along a sort."""


class Wishes(NamedTuple):
    """order: of selected empties, by name or each next to the one before it, from the active one. cyclic: the track is
    closed. columns: of a grid of empties, 0 for as many as rows. motion: the path is that of the active object over the
    scene's frames, of which `frames` are made."""

    order: Literal["NAME", "NEAREST"] = "NAME"
    cyclic: bool = False
    columns: int = 0
    motion: bool = False
    frames: int = 24


class Made(NamedTuple):
    """The object of the track or sheet, whether it is new, and the joints that were made on it."""

    guide: Object
    is_new: bool
    joints: list[Object]


def add(
    context: bpy.types.Context, sort: str, objects: Sequence[Object], active: Object | None, wishes: Wishes
) -> Made:
    """A track or sheet of what is selected; bodies among that are put on it. Everything is checked first."""
    require_editable(objects)
    flag = f"is_{sort}"
    if wishes.motion:
        if active is None:
            raise refuse("", "No object is active whose motion could be a track", "make it active")
        return Made(_from_motion(context, active, wishes), True, [])
    guide = _existing(objects, active, flag) or _to_be_drawn(sort, objects, active)
    empties = [] if guide is not None else [obj for obj in objects if build.is_plain(obj) and not obj.redmax.is_joint]
    bodies = [obj for obj in objects if obj != guide and build.may_be_body(obj) and not getattr(obj.redmax, flag)]
    is_new = guide is None or not getattr(guide.redmax, flag)
    if guide is None:
        guide = _from_empties(context, sort, _ordered(empties, active, wishes), wishes)
    setattr(guide.redmax, flag, True)
    guide.update_tag()
    context.view_layer.update()
    try:
        made = _put_on(context, sort, guide, bodies)
    except Exception:  # whatever it is: what was made goes again, and the operator says what happened
        if is_new:
            _take_back(context, guide, flag, empties)
        raise
    return Made(guide, is_new, made)


def _existing(objects: Sequence[Object], active: Object | None, flag: str) -> Object | None:
    having = [obj for obj in objects if getattr(obj.redmax, flag)]
    return active if active in having else next(iter(having), None)


def _to_be_drawn(sort: str, objects: Sequence[Object], active: Object | None) -> Object | None:
    """The object whose geometry is the track or sheet. A mesh is one only if it is active, and no empties mark
    one: others are bodies."""
    able = [obj for obj in objects if drawn.may_draw(sort, obj) and not obj.redmax.is_body]
    others = [obj for obj in able if obj.type != "MESH"]
    marked = sum(build.is_plain(obj) and not obj.redmax.is_joint for obj in objects) >= LEAST
    if active in others or (active in able and not marked):
        return active
    return next(iter(others), None)


def _take_back(context: bpy.types.Context, guide: Object, flag: str, empties: Sequence[Object]) -> None:
    setattr(guide.redmax, flag, False)
    if guide.type == "EMPTY" and guide not in empties:
        joint_objects.hand_over_children(guide, context.evaluated_depsgraph_get())
        bpy.data.objects.remove(guide)


# --- from empties ----------------------------------------------------------------------------


def by_number(name: str) -> list[Any]:
    """By which names are sorted: 'Frame 2' comes before 'Frame 10'."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _ordered(empties: Sequence[Object], active: Object | None, wishes: Wishes) -> list[Object]:
    found = sorted(empties, key=lambda obj: by_number(obj.name))
    if wishes.order == "NAME" or not found:
        return found
    chain = [active if active in found else found[0]]
    left = [obj for obj in found if obj != chain[0]]
    while left:
        here = chain[-1].matrix_world.translation
        chain.append(min(left, key=lambda obj: (obj.matrix_world.translation - here).length))
        left.remove(chain[-1])
    return chain


def _from_empties(context: bpy.types.Context, sort: str, empties: list[Object], wishes: Wishes) -> Object:
    """An empty that holds the ordered list. The frames follow it in Blender, unless they follow something already."""
    columns = 0
    if sort == "sheet":
        columns = wishes.columns or round(len(empties) ** 0.5)
        if columns < LEAST or len(empties) < LEAST * columns or len(empties) % columns:
            text = f"{len(empties)} empties make no rows of {columns or LEAST}"
            raise refuse("", text, f"select at least {LEAST} rows of {LEAST}, or a NURBS surface, or a grid of a mesh")
    elif len(empties) < LEAST:
        what = f"{len(empties)} empties are selected" if empties else "Neither a curve nor empties are selected"
        raise refuse("", what, f"select a curve object, or at least {LEAST} empties")
    places = [np.array(obj.matrix_world.translation, np.float64) for obj in empties]
    shared = {carrier(obj) for obj in empties}
    holder = elements.add(context, SORTS[sort], "", [], np.mean(places, axis=0))
    holder.empty_display_size = elements.SIZE * float(np.linalg.norm(np.ptp(places, axis=0)))
    depsgraph = context.evaluated_depsgraph_get()
    if len(shared) == 1:
        joint_objects.follow(holder, next(iter(shared)), depsgraph)
    group: Any = getattr(holder.redmax, sort)
    entries = group.frames if sort == "track" else group.positions
    for empty in empties:
        entries.add().place_at = empty
        joint_objects.follow(empty, holder, depsgraph)
    if sort == "track":
        group.cyclic = wishes.cyclic
        group.basis = "catmull_rom"
    else:
        group.positions_columns, group.orientation, group.endpoints = columns, "normal", True
    return holder


def _from_motion(context: bpy.types.Context, moving: Object, wishes: Wishes) -> Object:
    """Empties along the path of an object over the frames of the scene, and the track through them."""
    first, last = frame_range(context.scene)
    poses = []
    with preview.paused(), other_frames(context.scene, context.view_layer) as elsewhere:
        for frame in range(first, last + 1):
            evaluated = moving.evaluated_get(elsewhere.evaluate(frame))
            poses.append(frames.rigid_part(np.array(evaluated.matrix_world, np.float64))[0])
    E = _evenly(np.array(poses).reshape(-1, 4, 4), wishes.frames)
    if E is None:
        text = f"'{moving.name}' stands still from frame {first} to {last}"
        raise refuse(moving.name, text, "bake its motion or key it, and set the frame range around it")
    size = elements.SIZE * float(np.linalg.norm(np.ptp(E[:, :3, 3], axis=0)))
    empties = []
    for number, place in enumerate(E):
        empty = bpy.data.objects.new(f"{moving.name} Frame {number + 1:02}", None)
        context.collection.objects.link(empty)
        empty.matrix_basis = Matrix(place.tolist())
        empty.empty_display_type, empty.empty_display_size = "ARROWS", size
        empties.append(empty)
    context.view_layer.update()
    holder = _from_empties(context, "track", empties, wishes)
    holder.name = f"{moving.name} Track"
    return holder


def _evenly(E: Array, count: int) -> Array | None:
    """Frames (count, 4, 4) at even distances along the path of frames (n, 4, 4); None if it has no length."""
    steps = np.linalg.norm(np.diff(E[:, :3, 3], axis=0), axis=1)
    moved = np.append(True, steps > STILL * (1.0 + np.abs(E[:, :3, 3]).max()))
    E, length = E[moved], np.append(0.0, np.cumsum(steps[moved[1:]]))
    if len(E) < LEAST:
        return None
    control = tracks.frames_through(E, cyclic=False)
    path = tracks.Track(name="", frames=tuple(map(tracks.pose_of, control)), endpoints=True, coordinate="parameter")
    wanted = np.linspace(0.0, length[-1], count)
    return path.poses(np.interp(wanted, length, np.arange(len(E))))


# --- bodies on it ----------------------------------------------------------------------------


def _put_on(context: bpy.types.Context, sort: str, guide: Object, bodies: Sequence[Object]) -> list[Object]:
    """Joints that let bodies run on a track; those that do already are left out."""
    if not bodies:
        return []
    depsgraph = context.evaluated_depsgraph_get()
    found = guide_reader.require(guide, context.scene, depsgraph)
    graph = JointGraph.of(context.scene)
    made = []
    for body in sorted(bodies, key=lambda obj: by_number(obj.name)):
        running = graph.carrier(body)
        if running is not None:
            if any(
                getattr(group, name) == guide
                for group, name, _ in joint_properties.own_references(running.redmax.joint)
            ):
                continue
            text = f"'{body.name}' is carried by joint '{running.name}' already"
            raise refuse(body.name, text, "remove that joint, or select what it is fixed to")
        made.append(connect(context, sort, found, body, depsgraph))
    return made


def connect(
    context: bpy.types.Context,
    sort: str,
    guide: Guide,
    body: Object,
    depsgraph: bpy.types.Depsgraph,
    size: float | None = None,
) -> Object:
    """A joint that lets a body run on a track from where it is next to it."""
    E = place_on(guide, joint_objects.place_of(body, depsgraph), units.metres_per_unit(context.scene))
    kind = KINDS[sort]
    joint = build.connect(context, carrier(guide.obj), body, kind=kind, frame=E, size=size, depsgraph=depsgraph)
    setattr(getattr(joint.redmax.joint, kind), sort, guide.obj)
    return joint


def place_on(guide: Guide, E_wb: Array, length: float) -> Array:
    """(4, 4) [Blender units] the frame of a track or sheet that is next to a body's E_wb."""
    point = np.linalg.solve(guide.E_wt, np.append(E_wb[:3, 3] * length, 1.0))[:3]
    q, _ = guide.element.nearest(point)
    return units.in_blender_units(guide.E_wt @ guide.element.poses([q])[0], length)
