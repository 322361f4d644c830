# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Mechanism: selected objects become bodies, Blender parents and empties become joints, the base is locked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy

from ...properties import joint as joint_properties
from ..core import axis_report, joint_axes
from ..core.axis_report import Guess
from ..core.boxes import Extent
from ..core.findings import refuse
from ..objects import joint_objects
from ..objects.editable import require_editable
from ..objects.joint_graph import WORLD, JointGraph, Node
from . import build, mechanism_axes, pins
from .mechanism_axes import NewJoint, Pointed
from .pins import Connection

Object = bpy.types.Object


@dataclass(frozen=True)
class BuildReport:
    """What was made, by names. bodies: all of the mechanism. joints: new ones. loops: those of them that close one.

    guesses: joints whose axis nobody told.
    """

    base: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    loops: tuple[str, ...]
    ignored: tuple[str, ...]
    guesses: tuple[Guess, ...] = ()

    def __str__(self) -> str:
        if not self.joints:
            return f"Nothing to add: the bodies of '{self.base}' are connected already"
        loops = f"; {listed(self.loops)} closes a loop" if len(self.loops) == 1 else ""
        if len(self.loops) > 1:
            loops = f"; {listed(self.loops)} close loops"
        left = f"; left out {listed(self.ignored)}" if self.ignored else ""
        guessed = f"; {axis_report.said(self.guesses)}" if self.guesses else ""
        return f"{_count(len(self.bodies), 'body', 'bodies')} on '{self.base}', " + (
            f"{_count(len(self.joints), 'new joint', 'new joints')}{loops}{guessed}{left}"
        )


def make_mechanism(
    context: bpy.types.Context,
    objects: Iterable[Object],
    base: Object,
    *,
    kind: str = joint_properties.DEFAULT_KIND,
    axis: joint_axes.Axis = "AUTO",
) -> BuildReport:
    """Connect objects into a mechanism that hangs from `base`; what is connected already stays as it is."""
    objects = sorted(objects, key=lambda obj: obj.name)
    bodies = [obj for obj in objects if build.may_be_body(obj)]
    empties = [obj for obj in objects if build.is_pin(obj)]
    require_editable([*bodies, *empties])
    if base not in bodies:
        raise refuse(base.name, f"'{base.name}' cannot be the base", "make an object with geometry the active one")
    if len(bodies) < 2:
        raise refuse(base.name, "Only one object with geometry is selected", "select the moving parts, then the base")
    bodies.remove(base)
    bodies.insert(0, base)
    graph = JointGraph.of(context.scene)
    involved = dict.fromkeys([*bodies, *empties, *mechanism_axes.involved(graph)])
    with joint_objects.first_frame(context, list(involved)) as depsgraph:
        extents = {body: joint_objects.extent_of(body, depsgraph) for body in bodies}
        for pin in empties:
            joint_objects.place_of(pin, depsgraph)
        found = pins.connections(bodies, empties, extents, depsgraph)
        plan = plan_joints(bodies, found, graph, extents)
        standing = [base] if not graph.carriers[base] else []
        new = [_new_joint(joint, kind, depsgraph) for joint in plan]
        pointed = mechanism_axes.point(context.scene, graph, new, axis, extents, depsgraph, ground=standing)
        made, loops = _make(context, plan, graph, extents, kind, pointed, depsgraph)
    for body in bodies:
        build.add_body(body)
    if not graph.carriers[base]:
        base.redmax.body.root = "LOCKED"
    used = {*bodies, *(joint.pin for joint in plan)}
    ignored = tuple(obj.name for obj in objects if obj not in used and not obj.redmax.is_joint)
    guesses = [Guess(name, each.choice) for name, each in zip(made, pointed, strict=True) if each.choice is not None]
    return BuildReport(
        base.name, tuple(body.name for body in bodies), tuple(made), tuple(loops), ignored, tuple(guesses)
    )


class PlannedJoint(NamedTuple):
    """A joint to make. pin: the empty it becomes, if any. origin: the object at whose origin it goes."""

    parent: Object
    child: Object
    pin: Object | None
    origin: Object


def plan_joints(
    bodies: Sequence[Object], found: list[Connection], graph: JointGraph, extents: Mapping[Object, Extent]
) -> list[PlannedJoint]:
    """Joints that are missing. Of two bodies the one nearer to the base, counted in joints, is the parent."""
    base = bodies[0]
    neighbours: dict[Node, set[Node]] = defaultdict(set)
    for node, others in graph.neighbours.items():
        neighbours[node].update(others)
    for connection in found:
        for member in connection.members:
            neighbours[member].update(connection.members)
    depth: dict[Node, int] = {}
    _measure(base, 0, neighbours, depth)
    found = list(found)
    while lost := [body for body in bodies if body not in depth]:
        component: dict[Node, int] = {}
        _measure(lost[0], 0, neighbours, component)
        root = _ground(component, graph)
        if root is None:
            root = min(
                (body for body in lost if body in component and not graph.carriers[body]),
                key=lambda body: (_has_parent(body, component), extents[base].distance(extents[body].M[:3, 3])),
                default=None,
            )
            if root is not None:
                found.append(Connection((base, root), None, root))
        _measure(root or lost[0], 1, neighbours, depth)
    return _directed(found, depth, graph)


def _measure(start: Node, value: int, neighbours: Mapping[Node, set[Node]], depth: dict[Node, int]) -> None:
    """Number of joints between `start` and everything that hangs together with it, plus `value`."""
    depth[start] = value
    layer = [start]
    while layer:
        value += 1
        layer = [node for here in layer for node in neighbours[here] if node is not WORLD and node not in depth]
        depth.update(dict.fromkeys(layer, value))


def _ground(component: Iterable[Node], graph: JointGraph) -> Object | None:
    """A body that the world holds already: locked there, or by a joint."""
    for body in component:
        if body is WORLD:
            continue
        carriers = graph.carriers[body]
        locked = not carriers and body.redmax.is_body and body.redmax.body.root == "LOCKED"
        if locked or any(joint.redmax.joint.parent is WORLD for joint in carriers):
            return body
    return None


def _has_parent(body: Object, component: Mapping[Node, int]) -> bool:
    return any(parent in component for parent in joint_objects.ancestors(body))


def _directed(found: list[Connection], depth: Mapping[Node, int], graph: JointGraph) -> list[PlannedJoint]:
    """Every pin is a joint, also where two bodies share several, as a door and its frame do; parents connect only what
    nothing else does."""
    plan: list[PlannedJoint] = []
    planned: set[frozenset[Object]] = set()
    for members, pin, origin in found:
        # Sorting keeps the given order among equals: Blender parents before their children.
        parent, *children = sorted(members, key=lambda body: depth[body])
        free_pin = pin
        for child in children:
            pair = frozenset((parent, child))
            if pin is not None or (pair not in planned and graph.between(parent, child) is None):
                planned.add(pair)
                plan.append(PlannedJoint(parent, child, free_pin, origin))
                free_pin = None
    return plan


def _new_joint(joint: PlannedJoint, kind: str, depsgraph: bpy.types.Depsgraph) -> NewJoint:
    """What decides about the axis of a planned joint. An empty that cannot be turned has the axes that it has."""
    place = joint_objects.place_of(joint.origin, depsgraph)
    is_marker = build.is_plain(joint.origin) and not joint_objects.has_axes_of_parent(joint.origin, depsgraph)
    stuck = joint.pin is not None and not joint_objects.may_turn(joint.pin, depsgraph)
    return NewJoint(joint.parent, joint.child, joint_properties.new_traits(kind), place, is_marker, keeps_axes=stuck)


def _make(
    context: bpy.types.Context,
    plan: list[PlannedJoint],
    graph: JointGraph,
    extents: Mapping[Object, Extent],
    kind: str,
    pointed: Sequence[Pointed],
    depsgraph: bpy.types.Depsgraph,
) -> tuple[list[str], list[str]]:
    """Names of the joints made, and of those that close loops."""
    carried = {body for body, carriers in graph.carriers.items() if carriers}
    made, loops = [], []
    for (parent, child, pin, _), (E, _choice) in zip(plan, pointed, strict=True):
        if pin is not None and joint_objects.may_turn(pin, depsgraph):
            joint_objects.turn(pin, E, depsgraph)
        size = build.GLYPH * extents[child].diagonal
        joint = build.connect(context, parent, child, kind=kind, frame=E, empty=pin, size=size, depsgraph=depsgraph)
        made.append(joint.name)
        if child in carried:
            loops.append(joint.name)
        carried.add(child)
    return made, loops


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def listed(names: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
