# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that a scene already has: who hangs from whom, and what a new joint would close."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

import bpy

from ..._engine import topology

WORLD = None
Node = bpy.types.Object | None
"""A body, or the world."""


class JointGraph:
    """Bodies as nodes, joints as edges; the world is a node. Made for one operator call and not kept."""

    def __init__(self, joints: Iterable[bpy.types.Object]) -> None:
        self._joints = list(joints)
        self.between_pair: dict[frozenset[Node], bpy.types.Object] = {}
        self.neighbours: dict[Node, list[Node]] = defaultdict(list)
        self.carriers: dict[Node, list[bpy.types.Object]] = defaultdict(list)
        self.carried: dict[Node, list[bpy.types.Object]] = defaultdict(list)
        for obj in self._joints:
            parent, child = obj.redmax.joint.parent, obj.redmax.joint.child
            self.between_pair.setdefault(frozenset((parent, child)), obj)
            self.neighbours[parent].append(child)
            self.neighbours[child].append(parent)
            self.carriers[child].append(obj)
            self.carried[parent].append(obj)

    @classmethod
    def of(cls, scene: bpy.types.Scene) -> JointGraph:
        """All joints of a scene that carry a body, by name."""
        found = [obj for obj in scene.objects if obj.redmax.is_joint and obj.redmax.joint.child is not None]
        return cls(sorted(found, key=lambda obj: obj.name))

    def without(self, joints: Iterable[bpy.types.Object]) -> JointGraph:
        """The same without some of the joints."""
        left_out = set(joints)
        return JointGraph(obj for obj in self._joints if obj not in left_out)

    def joints(self) -> list[bpy.types.Object]:
        """All joints, in the order in which they were given."""
        return self._joints

    def between(self, a: Node, b: Node) -> bpy.types.Object | None:
        """The first joint that connects two bodies, either way round."""
        return self.between_pair.get(frozenset((a, b)))

    def touching(self, bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
        """Joints with one of the bodies on either side, each once."""
        return list(dict.fromkeys(chain(*((*self.carriers[body], *self.carried[body]) for body in bodies))))

    def carrier(self, body: bpy.types.Object) -> bpy.types.Object | None:
        """The first joint whose child is this body."""
        return next(iter(self.carriers[body]), None)

    def connected(self, start: bpy.types.Object) -> set[Node]:
        """Everything that hangs together with a body through bodies; a path may reach the world, but ends there."""
        edges = [(obj.redmax.joint.parent, obj.redmax.joint.child) for obj in self._joints]
        return set(topology.connected(start, edges, ends=(WORLD,)))

    def closes_loop(self, parent: Node, child: bpy.types.Object) -> bool:
        """Whether a joint between the two would be one more than the tree needs.

        It is if the child is carried already, or if the two hang together already.
        """
        return bool(self.carriers[child]) or (parent is not WORLD and child in self.connected(parent))
