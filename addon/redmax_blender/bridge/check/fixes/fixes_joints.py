# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about joints: bodies, limits, motion. Each function says in a sentence what it did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .... import compat
from ....properties import joint as joint_properties
from ....properties.scene import frame_range
from ...authoring import build, motion_keys, pins
from ...core.findings import refuse
from ...extract.joints import LIMIT_SLACK
from ...objects import frames, joint_objects, movers
from ...objects.editable import require_editable
from ...objects.joint_graph import JointGraph

Object = bpy.types.Object


def pick(context: bpy.types.Context, obj: Object) -> str:
    """The body that is selected besides the joint; without one the nearest, rather one that no joint carries."""
    require_editable([obj])
    settings: Any = obj.redmax.joint
    usable = [
        body
        for body in context.view_layer.objects
        if body.redmax.is_body and body not in (settings.parent, obj) and body.library is None
    ]
    chosen = [body for body in usable if body.select_get(view_layer=context.view_layer)]
    if len(chosen) > 1:
        raise refuse(obj.name, f"{len(chosen)} bodies are selected for joint '{obj.name}'", "select only one of them")
    if not usable:
        raise refuse(obj.name, f"There is no body that joint '{obj.name}' could carry", "make an object a body first")
    settings.child = chosen[0] if chosen else _nearest(context, obj, usable)
    joint_objects.follow(obj, settings.parent, context.evaluated_depsgraph_get())
    return f"Joint '{obj.name}' carries '{settings.child.name}'"


def _nearest(context: bpy.types.Context, obj: Object, bodies: list[Object]) -> Object:
    graph, depsgraph = JointGraph.of(context.scene), context.evaluated_depsgraph_get()
    parent = obj.redmax.joint.parent
    loose = [body for body in bodies if not graph.closes_loop(parent, body) and body.redmax.body.root != "LOCKED"]
    point = frames.modelled_matrix(obj, depsgraph)[:3, 3]

    def distance(body: Object) -> tuple[float, float]:
        extent = joint_objects.extent_of(body, depsgraph)
        return extent.distance(point), pins.surface_distance(body, extent, point, depsgraph)

    return min(loose or bodies, key=distance)


def widen(context: bpy.types.Context, obj: Object) -> str:
    """Limits go to where the joint starts."""
    return f"Widened {_listed(list(_outside(context, obj, widen=True)))} of '{obj.name}'"


def move(context: bpy.types.Context, obj: Object) -> str:
    """The joint starts at the limit that it is beyond."""
    if is_keyed(obj):
        raise refuse(obj.name, f"'{obj.name}' starts where its keys say", "edit the keys, or use Widen")
    moved = list(_outside(context, obj, widen=False))
    return f"'{obj.name}' starts at {_listed(moved)}"


def _listed(limits: list[str]) -> str:
    return f"its {' and '.join(dict.fromkeys(limits))} limit{'s' * (len(set(limits)) > 1)}"


def _outside(context: bpy.types.Context, obj: Object, *, widen: bool) -> Iterator[str]:
    """Bring coordinates and limits together, in whichever way; yields which limits were passed."""
    require_editable([obj])
    joint: Any = obj.redmax.joint
    found = False
    for dof in joint_properties.dofs(joint):
        q = _start(context.scene, obj, dof)
        for field, switch, sign in (("lower", joint.use_lower, 1.0), ("upper", joint.use_upper, -1.0)):
            limit = joint_properties.value(joint, field, dof)
            on = joint.use_limits and switch[dof.index]
            if not on or sign * (limit - q) <= LIMIT_SLACK * max(abs(limit), 1.0):
                continue
            found = True
            joint_properties.set_value(joint, field if widen else "q", dof, q if widen else limit)
            yield field
    if not found:
        raise refuse(obj.name, f"'{obj.name}' starts inside its limits", "run Check again")
    obj.update_tag()


def make_soft(_context: bpy.types.Context, obj: Object) -> str:
    require_editable([obj])
    obj.redmax.joint.limit_type = joint_properties.SOFT
    obj.update_tag()
    return f"Limits of '{obj.name}' are soft now"


def is_keyed(obj: Object) -> bool:
    """Whether keys say where one of a joint's coordinates is."""
    return any(_curve(obj, dof) is not None for dof in joint_properties.dofs(obj.redmax.joint))


def _curve(obj: Object, dof: Any) -> bpy.types.FCurve | None:
    place = joint_properties.place("q", dof)
    curves = compat.curves_of(obj)
    curve = None if curves is None else curves.find(place.path, place.component)
    return curve if curve is not None and movers.is_active(curve) else None


def _start(scene: bpy.types.Scene, obj: Object, dof: Any) -> float:
    """Where a coordinate starts, in Blender's units."""
    curve = _curve(obj, dof)
    if curve is not None:
        return float(curve.evaluate(frame_range(scene)[0]))
    return joint_properties.value(obj.redmax.joint, "q", dof)


def key(context: bpy.types.Context, obj: Object) -> str:
    motion_keys.key_coordinate(obj, context.scene.frame_current_final, animate=True)
    return f"Keyed '{obj.name}' at frame {context.scene.frame_current}"


def set_simulated(context: bpy.types.Context, obj: Object) -> str:
    """A joint, or every joint of the mechanism that hangs from a body."""
    chosen = [obj] if obj.redmax.is_joint else [j for j in _joints_of(context, obj) if _stands(j)]
    chosen = [joint for joint in chosen if joint_properties.dofs(joint.redmax.joint)]
    if not chosen:
        raise refuse(obj.name, f"No joint of '{obj.name}' can be simulated", "choose types of joints that can move")
    require_editable(chosen)
    for joint in chosen:
        joint.redmax.joint.motion_type = "simulated"
        joint.update_tag()
    return f"Simulated now: {', '.join(repr(joint.name) for joint in chosen)}"


def lock_joint(_context: bpy.types.Context, obj: Object) -> str:
    require_editable([obj])
    obj.redmax.joint.motion_type = "locked"
    obj.update_tag()
    return f"Locked joint '{obj.name}'"


def swap(context: bpy.types.Context, obj: Object) -> str:
    build.swap_joint(obj, context.evaluated_depsgraph_get())
    joint = obj.redmax.joint
    return f"'{joint.parent.name}' now carries '{joint.child.name}'"


def select_redundant(context: bpy.types.Context, obj: Object) -> str:
    """Joints of a mechanism without freedom: locked ones, fixed ones, and those that its tree does not need."""
    graph = JointGraph.of(context.scene)
    found = [
        joint
        for joint in _joints_of(context, obj)
        if _stands(joint) or graph.carrier(joint.redmax.joint.child) != joint
    ]
    visible = [joint for joint in found if joint.visible_get(view_layer=context.view_layer)]
    if not visible:
        raise refuse(obj.name, f"No joint keeps '{obj.name}' from moving", "show the joints, or run Check again")
    for other in context.view_layer.objects.selected[:]:
        other.select_set(False)
    for joint in visible:
        joint.select_set(True)
    context.view_layer.objects.active = visible[0]
    return f"Selected {', '.join(repr(joint.name) for joint in visible)}"


def _stands(joint: Object) -> bool:
    settings: Any = joint.redmax.joint
    return settings.motion_type == "locked" or not joint_properties.dofs(settings)


def _joints_of(context: bpy.types.Context, body: Object) -> list[Object]:
    graph = JointGraph.of(context.scene)
    return graph.touching(member for member in graph.connected(body) if member is not None)


FIXERS = {
    "PICK": pick,
    "WIDEN": widen,
    "MOVE": move,
    "MAKE_SOFT": make_soft,
    "KEY": key,
    "SET_SIMULATED": set_simulated,
    "LOCK_JOINT": lock_joint,
    "SWAP": swap,
    "SELECT_REDUNDANT": select_redundant,
}
