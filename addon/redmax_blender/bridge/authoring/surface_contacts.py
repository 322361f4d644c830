# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Surface Contact: two objects keep touching, with surfaces fitted to their meshes and found where they touch."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ... import compat
from ..._engine import arrays, constraints, joints
from ..._engine import pose as poses
from ..._engine import touching as finding
from ...properties import joint as joint_properties
from ...properties.sorts import SORTS
from ..core import surface_found
from ..core.findings import refuse
from ..objects import frames, joint_objects, movers, units
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from . import all_or_nothing, build, elements

Array = arrays.Array
Object = bpy.types.Object

CLASS = joints.SurfaceContact
ROLLING = constraints.CONSTRAINTS["rolling"].kind
AUTO = "AUTO"

NEAR_POLE = 0.3
"""cos v below which a contact is near a pole of a surface, whose poles are then turned elsewhere."""

DIGITS = 9
"""Of points on surfaces, more than Blender keeps: what is left of 0 by rounding would be shown as -0."""

TOUCHES = 1e-5
"""A child that is off by less than this part of the surfaces' size touches."""


class Wishes(NamedTuple):
    """first, second: kinds of surface, or AUTO. first_size, second_size: given sizes [Blender units], 0 for what is
    measured. move: bring the child to where it touches. rolling: without slipping; pivots: it may turn about the
    normal then."""

    first: str = AUTO
    first_size: tuple[float, ...] = (0.0, 0.0, 0.0)
    second: str = AUTO
    second_size: tuple[float, ...] = (0.0, 0.0, 0.0)
    spin: bool = True
    inside: bool = False
    move: bool = True
    rolling: bool = False
    pivots: bool = True


class Made(NamedTuple):
    """joint: the new one. moved: how far the child went [Blender units]. gap: how far it still is from touching."""

    joint: Object
    moved: float
    gap: float


class _Side(NamedTuple):
    """A surface with its frame (4, 4) in the world [Blender units]."""

    kind: str
    sizes: tuple[float, float, float]
    frame: Array


def add(context: bpy.types.Context, parent: Object, child: Object, wishes: Wishes) -> Made:
    """A surface contact between two objects. Everything is checked before anything is changed."""
    require_editable([parent, child])
    length = units.metres_per_unit(context.scene)
    with joint_objects.first_frame(context, [parent, child]) as depsgraph:
        E = [joint_objects.place_of(obj, depsgraph) for obj in (parent, child)]
        one = _side(parent, wishes.first, wishes.first_size, E[1][:3, 3], depsgraph)
        two = _side(child, wishes.second, wishes.second_size, E[0][:3, 3], depsgraph)
        before = frames.modelled_matrix(child, depsgraph)
    one, two, contact = _contact(child, one, two, wishes, length)
    Q = contact.motion(np.zeros(contact.ndof), np.zeros(contact.ndof)).Q
    target = one.frame @ units.in_blender_units(Q, length)
    size = max(max(each.sizes) for each in (one, two) if each.kind != "plane")
    away = float(np.linalg.norm(target[:3, 3] - two.frame[:3, 3]))
    gap = away if away > TOUCHES * size else 0.0
    _require_sound(child, contact)
    with all_or_nothing.making(context) as made:
        may_move = wishes.move and gap > 0.0 and _may_move(context, child)
        if may_move:
            _move(context, child, target @ np.linalg.inv(two.frame) @ before)
        try:
            all_or_nothing.make_bodies([parent, child], made)
            joint = build.connect(context, parent, child, kind=CLASS.kind, frame=one.frame, size=0.5 * size)
            made.append(joint)
            _write(joint, one, two, contact)
            if wishes.rolling:
                _roll(context, joint, pivots=wishes.pivots or not wishes.spin)
        except Exception:
            if may_move:
                _move(context, child, before)
            raise
    return Made(joint, gap if may_move else 0.0, 0.0 if may_move else gap)


def _side(obj: Object, kind: str, given: tuple[float, ...], other: Array, depsgraph: bpy.types.Depsgraph) -> _Side:
    """The surface of an object, from its mesh or its empty."""
    M = frames.modelled_matrix(obj, depsgraph)
    E, A = frames.rigid_part(M)
    if obj.type == "EMPTY":
        is_ball = kind == "sphere" or (kind == AUTO and obj.empty_display_type == "SPHERE")
        own = float(obj.empty_display_size) * float(np.abs(np.diag(A)[:3]).mean())
        found = surface_found.Surface(
            ("sphere" if is_ball else "plane") if kind == AUTO else kind, (own, own, own), np.eye(4), 0.0
        )
        if found.kind == "torus":
            found = found._replace(sizes=(own, 0.25 * own, 0.25 * own))
    else:
        points = _vertices(obj, depsgraph) @ A[:3, :3].T
        if not len(points):
            raise refuse(obj.name, f"'{obj.name}' has no mesh whose shape could be read", "use a mesh or an empty")
        towards = E[:3, :3].T @ (other - E[:3, 3])
        fit = surface_found.fitted(points, kind, towards)
        if fit is None:
            text = f"'{obj.name}' is no sphere, ellipsoid, torus, cylinder, flat sheet or box"
            raise refuse(obj.name, text, "choose its surface yourself, with sizes if need be")
        found = fit
    sizes = tuple(entered if entered > 0.0 else size for entered, size in zip(given, found.sizes, strict=True))
    return _Side(found.kind, (sizes[0], sizes[1], sizes[2]), E @ found.frame)


def _vertices(obj: Object, depsgraph: bpy.types.Depsgraph) -> Array:
    data: Any = obj.evaluated_get(depsgraph).data
    if not isinstance(data, bpy.types.Mesh):
        return np.zeros((0, 3))
    own = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", own)
    return own.reshape(-1, 3).astype(np.float64)


def _contact(child: Object, one: _Side, two: _Side, wishes: Wishes, length: float) -> tuple[_Side, _Side, Any]:
    """Both sides, turned so that they touch away from their poles, and the engine's joint in metres."""
    if one.kind == two.kind == "plane":
        raise refuse(child.name, "Two planes touch everywhere", "use a Planar joint, or choose another surface")
    found = _found(one, two, wishes, length)
    one, two = _turned(one, found.first_point), _turned(two, found.second_point)
    return one, two, _found(one, two, wishes, length)


def _found(one: _Side, two: _Side, wishes: Wishes, length: float) -> Any:
    contact = CLASS.part(
        first=one.kind,
        first_size=tuple(size * length for size in one.sizes),
        second=two.kind,
        second_size=tuple(size * length for size in two.sizes),
        spin=wishes.spin,
        inside=wishes.inside,
    )
    E = poses.inverse(units.in_metres(one.frame, length)) @ units.in_metres(two.frame, length)
    problem = next(contact.written_problems(), None)
    return contact if problem is not None else finding.touching(contact, E)


HAS_POLES = ("sphere", "ellipsoid")


def _turned(side: _Side, point: Any) -> _Side:
    """A surface whose poles are away from a point of it: u says nothing at a pole."""
    _u, v = point
    if side.kind not in HAS_POLES or np.cos(v) >= NEAR_POLE:
        return side
    frame = side.frame.copy()
    turn = surface_found.TURNS[1]
    frame[:3, :3] = frame[:3, :3] @ turn
    a, b, c = (float(x) for x in np.array(side.sizes) @ turn)
    return _Side(side.kind, (a, b, c), frame)


def _require_sound(child: Object, contact: Any) -> None:
    for fault in contact.problems():
        what, hint = fault[0], fault[1]
        raise refuse(child.name, f"The contact of '{child.name}' {what}", hint)


def _may_move(context: bpy.types.Context, child: Object) -> bool:
    """Whether nothing else decides where an object stands: another joint, keys, constraints."""
    depsgraph = context.evaluated_depsgraph_get()
    carried = bool(JointGraph.of(context.scene).touching([child]))
    keyed = {curve.data_path for curve in (*compat.fcurves_of(child), *movers.nla_curves(child))}
    decided = (keyed | movers.driven_paths(child)) & {*movers.PLACE, *movers.DELTA}
    return not carried and not decided and frames.follows_channels(child, depsgraph)


def _move(context: bpy.types.Context, obj: Object, M: Array) -> None:
    depsgraph = context.evaluated_depsgraph_get()
    obj.matrix_basis = Matrix(np.linalg.solve(frames.parent_matrix(obj, depsgraph), M).tolist())
    context.view_layer.update()


def _write(joint: Object, one: _Side, two: _Side, contact: Any) -> None:
    group: Any = joint_properties.own_group(joint.redmax.joint)
    group.first, group.second = one.kind, two.kind
    group.first_size, group.second_size = one.sizes, two.sizes
    for name in ("first_point", "second_point"):
        rounded = np.round(getattr(contact, name), DIGITS) + 0.0
        setattr(group, name, rounded.tolist())
    group.spin, group.inside, group.twist = contact.spin, contact.inside, contact.twist
    joint_properties.show_type(joint.redmax.joint)


def _roll(context: bpy.types.Context, joint: Object, *, pivots: bool) -> None:
    depsgraph = context.evaluated_depsgraph_get()
    place = joint_objects.place_of(joint, depsgraph)[:3, 3]
    rolling = elements.add(context, SORTS["constraint"], ROLLING, [joint], place, name="Rolling")
    settings: Any = rolling.redmax.constraint
    getattr(settings, ROLLING).pivots = pivots
