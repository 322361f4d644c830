# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives joints another axis: their empties are turned, so that z, which the arrow shows, is the axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import joint as joint_properties
from ..core import axis_report, joint_axes
from ..core.axis_report import Guess
from ..core.findings import refuse
from ..core.straight_axes import least_turn
from ..objects import joint_objects
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from . import mechanism_axes, picked_direction
from .mechanism_axes import NewJoint

Array = arrays.Array
Object = bpy.types.Object
To = Literal["X", "Y", "Z", "PICKED", "AUTO", "ROTATION"]


def set_axes(context: bpy.types.Context, joints: Sequence[Object], to: To, picked_on: Sequence[Object] = ()) -> str:
    """Turn joints; nothing else moves. Says what was done. Everything is looked at before anything is changed.

    to: an axis of the world, what is PICKED on a mesh (of `picked_on`, else of the bodies of the joints), AUTO as a new
    joint would have it, or ROTATION: the axis that each has, turned into the rotation of its empty.
    """
    require_editable(joints)
    graph = JointGraph.of(context.scene)
    read = dict.fromkeys([*joints, *picked_on, *mechanism_axes.involved(graph)])
    with joint_objects.first_frame(context, list(read)) as depsgraph:
        places = [joint_objects.place_of(obj, depsgraph) for obj in joints]
        where = ""
        if to == "ROTATION":
            frames = [_with_z(E, _axis(obj, E)) for obj, E in zip(joints, places, strict=True)]
        elif to == "AUTO":
            frames, where = _chosen(context.scene, graph, joints, places, depsgraph)
        else:
            axis = joint_axes.WORLD_AXES.get(to)
            where = f" along {to}"
            if axis is None:
                axis, name = picked_direction.of_first([*picked_on, *_bodies(joints)], depsgraph)
                where = f" along {axis_report.direction(axis)}, picked on '{name}'"
            frames = [_towards(obj, E, axis, depsgraph) for obj, E in zip(joints, places, strict=True)]
        for obj in joints:
            require_turnable(obj, depsgraph)
        for obj, before, after in zip(joints, places, frames, strict=True):
            _point(obj, before, after, depsgraph)
    for obj in joints:
        obj.update_tag()
    names = axis_report.listed([obj.name for obj in joints])
    if to == "ROTATION":
        return f"The empty of {names} points along its axis" if len(joints) == 1 else f"Turned to their axes: {names}"
    return where if to == "AUTO" else f"{names}{where}"


def turn_axis(obj: Object, now: Array, wanted: Array, depsgraph: bpy.types.Depsgraph) -> None:
    """Turn a joint by the least that takes its axis from one direction in the world to another."""
    require_editable([obj])
    require_turnable(obj, depsgraph)
    before = joint_objects.place_of(obj, depsgraph)
    after = before.copy()
    if not is_own(obj):
        after[:3, 2] = wanted
    else:
        after[:3, :3] = least_turn(now, wanted) @ before[:3, :3]
    _point(obj, before, after, depsgraph, uses_z=False)


def require_picked(context: bpy.types.Context, objects: Sequence[Object]) -> None:
    """Refuses meshes on which nothing is selected that has a direction."""
    picked_direction.of_first(objects, context.evaluated_depsgraph_get())


def is_own(obj: Object) -> bool:
    """Whether a joint is an empty of its own, which may be turned; else turning it would turn what it shows."""
    return obj.type == "EMPTY" and not obj.redmax.is_body


def _bodies(joints: Sequence[Object]) -> list[Object]:
    ends = [end for obj in joints for end in (obj.redmax.joint.child, obj.redmax.joint.parent)]
    return [body for body in ends if body is not None]


def _axis(obj: Object, E: Array) -> Array:
    """Axis in the world of a joint; the z of its empty where its kind has none of its own."""
    has_own = hasattr(joint_properties.own_group(obj.redmax.joint), joint_properties.AXIS)
    axis = mechanism_axes.axis_of(obj, E) if has_own else None
    return E[:3, 2] if axis is None else axis


def _with_z(E: Array, axis: Array) -> Array:
    """The frame turned by the least that brings its z to a direction."""
    turned = E.copy()
    if E[:3, 2] @ axis < -1.0 + 1e-9:
        turned[:3, :3] = E[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    else:
        turned[:3, :3] = least_turn(E[:3, 2], axis) @ E[:3, :3]
    return turned


def _towards(obj: Object, E: Array, axis: Array, depsgraph: bpy.types.Depsgraph) -> Array:
    """Frame with this z; x points to the middle of the child, as in a new joint."""
    child = obj.redmax.joint.child
    target = E[:3, 3] if child is None else joint_objects.extent_of(child, depsgraph).centre
    return joint_axes.frame_along(axis, E[:3, 3], target)


def _chosen(
    scene: bpy.types.Scene,
    graph: JointGraph,
    joints: Sequence[Object],
    places: Sequence[Array],
    depsgraph: bpy.types.Depsgraph,
) -> tuple[list[Array], str]:
    """Frames as if the joints were new, and what was guessed."""
    for obj in joints:
        if obj.redmax.joint.child is None:
            raise refuse(obj.name, f"Joint '{obj.name}' has no child body", "pick the body that it carries")
    new = [
        NewJoint(joint.parent, joint.child, joint_properties.traits_along_z(joint), E, is_marker=False)
        for joint, E in zip((obj.redmax.joint for obj in joints), places, strict=True)
    ]
    pointed = mechanism_axes.point(scene, graph.without(joints), new, "AUTO", {}, depsgraph)
    guesses = [Guess(obj.name, each.choice) for obj, each in zip(joints, pointed, strict=True) if each.choice]
    text = axis_report.said(guesses)
    return [each.frame for each in pointed], text[:1].upper() + text[1:]


def require_turnable(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Refuses by name what turns otherwise than by its own rotation."""
    if is_own(obj):
        if not joint_objects.may_turn(obj, depsgraph):
            text = f"'{obj.name}' cannot be turned: keys, drivers, constraints or its parent decide how it is turned"
            raise refuse(obj.name, text, "remove those, or set Axis in its panel")
    elif not hasattr(joint_properties.own_group(obj.redmax.joint), "axis"):
        text = f"'{obj.name}' cannot be turned: it is no empty, so that what it shows would turn with it"
        raise refuse(obj.name, text, "use an empty as the joint")


def _point(obj: Object, before: Array, after: Array, depsgraph: bpy.types.Depsgraph, *, uses_z: bool = True) -> None:
    """Turn an empty; of any other object set the axis, z of `after`, in its own coordinates.

    uses_z: the z of the empty becomes its axis.
    """
    if not is_own(obj):
        group: Any = joint_properties.own_group(obj.redmax.joint)
        group.axis = (before[:3, :3].T @ after[:3, 2]).tolist()
    elif joint_objects.turn(obj, after, depsgraph):
        if uses_z:
            joint_objects.use_z(obj)
    else:
        text = f"'{obj.name}' cannot be turned: its parent is scaled unevenly"
        raise refuse(obj.name, text, "apply the scale of its parent (Ctrl A)")
