# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes objects bodies and joints, and takes that back. Everything is checked before anything is changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import bpy

from ..._engine import arrays, joints
from ...properties import drawn, sorts
from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..objects import extents, joint_fits, joint_objects
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph, Node
from . import elements

Array = arrays.Array
Object = bpy.types.Object

GLYPH = 0.15
"""Size of a joint's empty as a fraction of the diagonal of the body it carries."""

EMPTY_SHAPE = "sphere"
"""Shape of a new body without geometry."""


# --- what may become what --------------------------------------------------------------------


def may_be_body(obj: Object) -> bool:
    """Whether an object has a volume, or stands for a body already. What is a track or shows a rope has none."""
    solid = extents.has_geometry(obj) and not drawn.is_drawn(obj) and obj.redmax.shows is None
    return not obj.redmax.is_joint and (solid or obj.redmax.is_body)


def is_plain(obj: Object) -> bool:
    """Whether an object is an empty that shows nothing and is no element but a joint."""
    plain = obj.type == "EMPTY" and not extents.is_instancer(obj) and not obj.redmax.is_body
    return plain and not sorts.generated_sorts(obj.redmax)


def is_pin(obj: Object) -> bool:
    """Whether an empty can say where a joint goes: a plain one that is no complete joint."""
    return is_plain(obj) and not (obj.redmax.is_joint and obj.redmax.joint.child is not None)


# --- bodies ----------------------------------------------------------------------------------


def add_body(obj: Object) -> None:
    """Make an object a body; a body stays as it is. An object without geometry gets a shape of its own."""
    require_editable([obj])
    if obj.redmax.is_joint:
        raise refuse(obj.name, f"'{obj.name}' is a joint and cannot be a body too", "use Remove Joint first")
    if not obj.redmax.is_body:
        if not extents.has_geometry(obj):
            obj.redmax.body.shape = EMPTY_SHAPE
        obj.redmax.is_body = True


def remove_body(context: bpy.types.Context, objects: Iterable[Object]) -> list[str]:
    """Bodies become ordinary objects again; returns the names of joints that connected them, and of springs and the
    like that acted on these or on those, which are removed too."""
    objects = list(objects)
    require_editable(objects)
    depsgraph = context.evaluated_depsgraph_get()
    doomed = JointGraph.of(context.scene).touching(objects)
    acting = elements.referring_to(context.scene, [*objects, *doomed])
    require_editable([*doomed, *acting])
    names = [obj.name for obj in (*doomed, *acting)]
    elements.remove(acting, depsgraph)
    for joint in doomed:
        remove_joint(joint, depsgraph, keep_empty=False)
    for obj in objects:
        obj.redmax.is_body = False
    return names


def set_root(objects: Iterable[Object], root: Literal["LOCKED", "FREE"]) -> None:
    """Whether bodies that no joint carries stand still or fall."""
    objects = list(objects)
    require_editable(objects)
    for obj in objects:
        obj.redmax.body.root = root


# --- joints ----------------------------------------------------------------------------------


def connect(
    context: bpy.types.Context,
    parent: Node,
    child: Object,
    *,
    kind: str = joint_properties.DEFAULT_KIND,
    frame: Array | None = None,
    empty: Object | None = None,
    name: str = "",
    size: float | None = None,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> Object:
    """A joint from `parent` (None: the world) to `child`; both become bodies. Returns the joint object.

    frame: (4, 4) rigid joint frame in the world [Blender units], whose z is the axis; the child's own frame if None.
    empty: becomes the joint object, keeping its name and place; otherwise a new empty is made at `frame`.
    size: of a new empty, by default a fraction of the child's.
    depsgraph: of the scene, to spare evaluating it anew for each of many joints.
    """
    bodies = [obj for obj in (parent, child) if obj is not None]
    require_editable(bodies + ([empty] if empty is not None else []))
    if parent == child:
        raise refuse(child.name, f"'{child.name}' cannot be connected to itself", "choose two different objects")
    for obj in bodies:
        if obj.redmax.is_joint:
            raise refuse(obj.name, f"'{obj.name}' is a joint and cannot be a body too", "connect the bodies themselves")
    depsgraph = context.evaluated_depsgraph_get() if depsgraph is None else depsgraph
    places = [joint_objects.place_of(obj, depsgraph) for obj in bodies]
    for obj in bodies:
        add_body(obj)
    if empty is None:
        E = places[-1] if frame is None else frame
        label = joints.JOINTS[kind].label
        empty = joint_objects.new_empty(context.scene, name or f"{child.name} {label}", child, E)
        if size is None:
            size = GLYPH * joint_objects.extent_of(child, depsgraph).diagonal or 1.0
        empty.empty_display_size = size
    joint = empty.redmax.joint
    joint.kind = kind
    joint.parent, joint.child = parent, child
    if frame is not None:
        joint_objects.use_z(empty)
    empty.redmax.is_joint = True
    if joint_properties.has_parts(joint) and not joint.parts:
        for part_kind in joint_properties.NEW_PARTS:
            joint.parts.add().kind = part_kind
    joint_objects.follow(empty, parent, depsgraph)
    joint_fits.record_modelled(empty, depsgraph)
    return empty


def remove_joint(obj: Object, depsgraph: bpy.types.Depsgraph, *, keep_empty: bool) -> None:
    """Take a joint away: its empty is deleted, or only stops being one if it is kept or is no plain empty."""
    require_editable([obj])
    obj.redmax.is_joint = False
    obj.redmax.joint.parent = obj.redmax.joint.child = None
    if keep_empty or not is_pin(obj):
        return
    joint_objects.hand_over_children(obj, depsgraph)
    bpy.data.objects.remove(obj)


def swap_joint(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Let the child carry the parent. The joint stays where it is; its coordinate turns the other way."""
    require_editable([obj])
    joint = obj.redmax.joint
    if joint.parent is None or joint.child is None:
        missing = "parent" if joint.parent is None else "child"
        text = f"Joint '{obj.name}' has no {missing} body to swap"
        raise refuse(obj.name, text, "pick one; the world can only be a parent")
    parent, child = joint.parent, joint.child
    if obj.parent == parent:
        joint_objects.stay(obj, depsgraph)
    joint.parent, joint.child = child, parent
    joint_objects.follow(obj, child, depsgraph)
