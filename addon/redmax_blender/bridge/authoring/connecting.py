# SPDX-License-Identifier: GPL-3.0-or-later
"""Connect with Joint: each of several objects to one parent, at an empty, the 3D cursor or an origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, joints
from ...properties import joint as joint_properties
from ..core import joint_axes
from ..core.axis_report import Guess
from ..core.findings import refuse
from ..objects import frames, joint_objects
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph, Node
from . import bores, build, mechanism_axes
from .mechanism_axes import NewJoint

Array = arrays.Array
Object = bpy.types.Object


@dataclass(frozen=True)
class Connecting:
    """How to connect. lock_parent: let a parent that is no body yet stand still."""

    kind: str
    at: Literal["EMPTY", "CURSOR", "CHILD", "PARENT"]
    axis: joint_axes.Axis = "AUTO"
    lock_parent: bool = True


class Connected(NamedTuple):
    """lines: a sentence about each joint. guesses: joints whose axis nobody told."""

    lines: tuple[str, ...]
    guesses: tuple[Guess, ...]


def connect_selected(
    context: bpy.types.Context, parent: Node, children: Sequence[Object], empties: Sequence[Object], how: Connecting
) -> Connected:
    """Connect every child to the parent (None: the world)."""
    children = sorted(children, key=lambda obj: obj.name)
    if not children:
        raise refuse("", "Nothing is selected that could be connected", "select the child and then the parent")
    graph = JointGraph.of(context.scene)
    involved = [obj for obj in (parent, *children, *empties) if obj is not None]
    require_editable(involved)
    _require_others(parent, children)
    if how.at == "EMPTY" and not empties:
        raise refuse(children[0].name, "No empty is selected that could become the joint", "select one, or change At")
    if how.at == "PARENT" and parent is None:
        raise refuse(children[0].name, "The world has no origin to connect at", "change At")
    read = dict.fromkeys([*involved, *mechanism_axes.involved(graph)])
    with joint_objects.first_frame(context, list(read)) as depsgraph:
        places = {obj: joint_objects.place_of(obj, depsgraph) for obj in involved}
        sizes = {child: joint_objects.extent_of(child, depsgraph) for child in children}
        turned = {empty for empty in empties if not joint_objects.has_axes_of_parent(empty, depsgraph)}
        lines: list[str] = []
        guesses: list[Guess] = []
        standing = [parent] if parent is not None and not parent.redmax.is_body and how.lock_parent else []
        if parent is not None and not parent.redmax.is_body and how.lock_parent:
            parent.redmax.body.root = "LOCKED"
        free = list(empties)
        trees: bores.Trees = {}
        for child in children:
            ends, is_loop = _ends(parent, child, graph)
            place, empty, is_marker = _place(context, how, child, parent, places, free, empties, turned)
            stuck = empty is not None and not joint_objects.may_turn(empty, depsgraph)
            new = NewJoint(*ends, joint_properties.new_traits(how.kind), place, is_marker, keeps_axes=stuck)
            ((E, choice),) = mechanism_axes.point(
                context.scene, graph, [new], how.axis, sizes, depsgraph, ground=standing, trees=trees
            )
            if empty is not None:
                free.remove(empty)
                if not stuck:
                    joint_objects.turn(empty, E, depsgraph)
            size = build.GLYPH * sizes[child].diagonal or 1.0
            joint = build.connect(context, *ends, kind=how.kind, frame=E, empty=empty, size=size, depsgraph=depsgraph)
            lines.append(_sentence(joint, beside=graph.between(parent, child), closes_loop=is_loop))
            if choice is not None:
                guesses.append(Guess(joint.name, choice))
            graph = JointGraph.of(context.scene)
    return Connected(tuple(lines), tuple(guesses))


def _require_others(parent: Node, children: Sequence[Object]) -> None:
    for child in children:
        if child == parent:
            raise refuse(child.name, f"'{child.name}' cannot be connected to itself", "select another object too")


def _ends(parent: Node, child: Object, graph: JointGraph) -> tuple[tuple[Node, Object], bool]:
    """(parent, child) of the joint, and whether it closes a loop.

    What carries the whole mechanism must stay nobody's child, or nothing would hold it: it is made the parent.
    """
    is_loop = graph.closes_loop(parent, child)
    if is_loop and parent is not None and graph.carrier(child) is None:
        return (child, parent), True
    return (parent, child), is_loop


def _place(
    context: bpy.types.Context,
    how: Connecting,
    child: Object,
    parent: Node,
    places: dict[Object, Array],
    free: Sequence[Object],
    empties: Sequence[Object],
    turned: set[Object],
) -> tuple[Array, Object | None, bool]:
    """Where the joint goes, with the axes found there; the empty that becomes it; whether these axes may be meant.

    An empty serves one child; children that come too late are connected at the same place with an empty of their own.
    turned: empties that have axes of their own, and not only those of what they follow.
    """
    if how.at == "EMPTY":
        nearest = min(free or empties, key=lambda empty: np.linalg.norm(places[empty][:3, 3] - places[child][:3, 3]))
        return places[nearest], nearest if free else None, nearest in turned
    if how.at == "CURSOR":
        return frames.rigid_part(np.array(context.scene.cursor.matrix, np.float64))[0], None, True
    return places[parent if how.at == "PARENT" else child], None, False


def _sentence(obj: Object, *, beside: Object | None, closes_loop: bool) -> str:
    """What was made. beside: a joint that the two bodies had already, as a door has that gets its second hinge."""
    joint = obj.redmax.joint
    to = "the world" if joint.parent is None else f"'{joint.parent.name}'"
    label = joints.JOINTS[joint.kind].label
    other = f", beside joint '{beside.name}'" if beside is not None else ""
    loop = "; it closes a loop" if closes_loop else ""
    return f"{label} '{obj.name}' connects '{joint.child.name}' to {to}{other}{loop}"
