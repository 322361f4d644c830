# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of joints that are about to be made, chosen with the joints in view that the scene has already."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import joint as joint_properties
from ..core import axis_choice, joint_axes, joint_rings
from ..core.axis_choice import GROUND, AxisJoint, Choice
from ..core.boxes import Extent
from ..core.part_shapes import PartShape
from ..extract import parts
from ..objects import extents, frames, joint_objects
from ..objects.joint_graph import WORLD, JointGraph, Node
from . import bores

Array = arrays.Array
Object = bpy.types.Object


class NewJoint(NamedTuple):
    """A joint that is to be made, or to be given an axis anew.

    traits: what its motion says of it, with z as its axis. place: (4, 4) rigid, where it goes.
    is_marker: of an empty or the cursor, whose axes may be meant.
    keeps_axes: of an empty that cannot be turned.
    """

    parent: Node
    child: Object
    traits: Any
    place: Array
    is_marker: bool
    keeps_axes: bool = False


class Pointed(NamedTuple):
    """frame: (4, 4) rigid frame of a new joint. choice: its axis if it was guessed, None where any would do."""

    frame: Array
    choice: Choice | None


def involved(graph: JointGraph) -> list[Object]:
    """Joints and bodies of a scene, which must be read where axes are chosen."""
    joints = graph.joints()
    bodies = (end for obj in joints for end in (obj.redmax.joint.parent, obj.redmax.joint.child))
    return list(dict.fromkeys(obj for obj in (*joints, *bodies) if obj is not None))


def axis_of(obj: Object, E: Array) -> Array | None:
    """Axis (3,) in the world of a joint object with the rigid frame E; None if it has none, or one of length 0."""
    local = joint_properties.traits_of(obj.redmax.joint).direction
    if local is None:
        return None
    axis: Array = E[:3, :3] @ local
    return axis / float(np.linalg.norm(axis))


def point(
    scene: bpy.types.Scene,
    graph: JointGraph,
    new: Sequence[NewJoint],
    axis: joint_axes.Axis,
    known: Mapping[Object, Extent],
    depsgraph: bpy.types.Depsgraph,
    *,
    ground: Iterable[Object] = (),
    trees: bores.Trees | None = None,
) -> list[Pointed]:
    """Frames of new joints. graph: joints that stay. known: boxes around bodies as far as they are known.

    ground: bodies that will stand still. trees: meshes that were looked at before, if more joints are to follow.
    """
    keeps = [each.keeps_axes or joint_axes.keeps_place(axis, each.place, is_marker=each.is_marker) for each in new]
    told = [
        each.place[:3, 2] if kept else joint_axes.WORLD_AXES.get(axis) for each, kept in zip(new, keeps, strict=True)
    ]
    mechanism = _Mechanism(graph, new, told, {*ground}, known, depsgraph)
    choices: dict[int, Choice] = {}
    if any(each is None for each in told):
        choices = axis_choice.choose(
            mechanism.joints, mechanism.shapes(), mechanism.bore_finder(scene, {} if trees is None else trees)
        )
    pointed = []
    for number, (each, kept) in enumerate(zip(new, keeps, strict=True)):
        if kept:
            pointed.append(Pointed(each.place.copy(), None))
            continue
        choice = choices.get(number)
        z = joint_axes.WORLD_AXES[axis] if choice is None else choice.axis
        E = joint_axes.frame_along(z, each.place[:3, 3], mechanism.extent(each.child).centre)
        pointed.append(Pointed(E, None if each.traits.is_directionless else choice))
    return pointed


class _Mechanism:
    """New joints, in front, and those joints of the scene that may say something about their axes."""

    def __init__(
        self,
        graph: JointGraph,
        new: Sequence[NewJoint],
        told: Sequence[Array | None],
        ground: set[Object],
        known: Mapping[Object, Extent],
        depsgraph: bpy.types.Depsgraph,
    ) -> None:
        self.new, self.depsgraph, self.extents = new, depsgraph, dict(known)
        self.carried = {each.child for each in new}
        bodies = {end for obj in graph.joints() for end in (obj.redmax.joint.parent, obj.redmax.joint.child)}
        locked = {body for body in bodies if body is not WORLD and _stands(body, graph)}
        self.ground = {body for body in locked | ground if body not in self.carried}
        self.joints = [
            AxisJoint(
                self._ends(each.parent, each.child),
                axis_choice.role_of(each.traits),
                each.place[:3, 3],
                axis,
                is_new=True,
                holder=None if each.parent is WORLD else PartShape(self.extent(each.parent)),
            )
            for each, axis in zip(new, told, strict=True)
        ]
        others = graph.joints()
        edges = [
            *(joint.ends for joint in self.joints),
            *(self._ends(obj.redmax.joint.parent, obj.redmax.joint.child) for obj in others),
        ]
        near = _near(edges, len(new))
        for number, obj in enumerate(others, start=len(new)):
            E = self._frame(obj) if number in near else None
            if E is not None:
                role = axis_choice.role_of(joint_properties.traits_along_z(obj.redmax.joint))
                self.joints.append(AxisJoint(edges[number], role, E[:3, 3], axis_of(obj, E)))

    def _ends(self, parent: Node, child: Object) -> tuple[Node, Node]:
        return (GROUND if parent in self.ground else parent, GROUND if child in self.ground else child)

    def _frame(self, obj: Object) -> Array | None:
        try:
            return frames.rigid_part(frames.modelled_matrix(obj, self.depsgraph))[0]
        except frames.FrameError:
            return None

    def extent(self, body: Object) -> Extent:
        """Box around a body; a point if it is flattened, which other bodies of the scene may be."""
        if body not in self.extents:
            try:
                self.extents[body] = extents.extent(body, self.depsgraph)
            except frames.FrameError:
                M = np.eye(4)
                M[:3, 3] = frames.modelled_matrix(body, self.depsgraph)[:3, 3]
                self.extents[body] = Extent(np.zeros(3), np.zeros(3), M)
        return self.extents[body]

    def shapes(self) -> dict[Any, PartShape]:
        ends: Any = dict.fromkeys(end for joint in self.joints for end in joint.ends if end is not GROUND)
        return {body: PartShape(self.extent(body)) for body in ends}

    def bore_finder(self, scene: bpy.types.Scene, trees: bores.Trees) -> Any:
        children = parts.children_of(scene)
        number_of = {id(joint): number for number, joint in enumerate(self.joints[: len(self.new)])}

        def find(joint: AxisJoint) -> axis_choice.Bore | None:
            """What surrounds the middle of the child: a part of the parent, or the child itself as a sleeve."""
            each = self.new[number_of[id(joint)]]
            middle = self.extent(each.child).centre
            holders = [each.parent] if each.parent is not None else []
            if joint.ends[0] is GROUND:
                holders += sorted((body for body in self.ground if body != each.parent), key=lambda body: body.name)
            solids = chain(*(self._solids(holder, children) for holder in holders))
            bore = bores.around(solids, middle, self.depsgraph, trees)
            if (bore is None or not bore.is_open) and any(
                self.extent(body).distance(middle) == 0.0 for body in holders
            ):
                bore = bores.around([each.child], middle, self.depsgraph, trees, through=True) or bore
            return bore

        return find

    def _solids(self, body: Object, children: dict[str, list[Object]]) -> list[Object]:
        """A body and its parts, without what new joints carry and will be bodies of their own."""
        return [
            part
            for part in parts.members_of(body, children)
            if part == body or self.carried.isdisjoint((part, *joint_objects.ancestors(part)))
        ]


def _stands(body: Object, graph: JointGraph) -> bool:
    """Whether a body of the scene stands still: locked, and carried by no joint."""
    return not graph.carriers[body] and body.redmax.is_body and body.redmax.body.root == "LOCKED"


def _near(edges: Sequence[joint_rings.Edge], new: int) -> set[int]:
    """Joints that share a ring with one of the first `new`, or hang together with it other than by the ground."""
    found = set(chain(*(block for block in joint_rings.blocks(edges) if block[0] < new)))
    bodies: set[Hashable] = set()
    reached = {end for edge in edges[:new] for end in edge if end is not GROUND}
    while bodies != reached:
        bodies = reached
        near = [edge for edge in edges if not bodies.isdisjoint(edge)]
        reached = bodies | {end for edge in near for end in edge if end is not GROUND}
    return found | {k for k, edge in enumerate(edges) if not bodies.isdisjoint(edge)}
