# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms of a scene: bodies that hang together through joints, constraints and drives, whatever they share with the
world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._engine import check, topology
from . import ties

SIMULATED, ANIMATED, LOCKED = "simulated", "animated", "locked"


@dataclass(frozen=True)
class Mechanism:
    """Bodies connected by joints, or held together by constraints and drives.

    root: the body it hangs from the world by, which names it. bodies: in the scene's order. joints: names of its
    joints, without those that only hold a root. dofs: coordinates that are simulated, less what loops take away where
    that is known. loops: joints that close loops. redundant: conditions of loops that follow from others.
    enabled: False for one that is switched off, which is no part of the extracted scene.
    closers: names of the joints that close loops. gaps: angle [rad] and distance [m] by which some of them are open
    at the start.
    """

    root: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    dofs: int
    loops: int
    redundant: int = 0
    enabled: bool = True
    closers: tuple[str, ...] = ()
    gaps: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def members(self) -> set[str]:
        return {*self.bodies, *self.joints}


@dataclass(frozen=True)
class Structure:
    """The tree that the engine would build, by name.

    carried_by: the joint that carries each body. loops: joints that close loops, in scene order.
    """

    carried_by: dict[str, Any]
    loops: tuple[str, ...]


def structure(scene: Any) -> Structure:
    """What the engine makes of the joints of a scene, sound or not."""
    links = check.resolve(scene)
    forest = topology.spanning_forest(len(scene.bodies), links.parents, links.children)
    tree = [scene.joints[links.joints[link]] for link in forest.tree]
    loops = tuple(scene.joints[links.joints[link]].name for link in forest.loops)
    return Structure({joint.child: joint for joint in tree}, loops)


def static_bodies(tree: Structure) -> set[str]:
    """Bodies that nothing can move: joints without freedom all the way to the world."""
    static: set[str] = set()
    for joint in tree.carried_by.values():  # parents come before their children
        held = joint.parent is None or joint.parent in static
        if held and (joint.ndof == 0 or joint.motion_type == LOCKED):
            static.add(joint.child)
    return static


def find_mechanisms(scene: Any, tree: Structure, joint_objects: dict[str, str]) -> tuple[Mechanism, ...]:
    """The mechanisms in the order of their first bodies. joint_objects: names of joints that have an object."""
    found_groups = topology.groups([body.name for body in scene.bodies], ties.edges(scene))
    first_of = {name: bodies[0] for bodies in found_groups for name in bodies}
    joints_of: dict[str, list[Any]] = {}
    for joint in scene.joints:
        if joint.child in first_of:
            joints_of.setdefault(first_of[joint.child], []).append(joint)
    found = []
    for bodies in found_groups:
        joints = joints_of.get(bodies[0], [])
        roots = [name for name in bodies if name in tree.carried_by and tree.carried_by[name].parent is None]
        found.append(
            Mechanism(
                root=roots[0] if roots else bodies[0],
                bodies=tuple(bodies),
                joints=tuple(joint.name for joint in joints if joint.name in joint_objects),
                dofs=sum(
                    joint.ndof for joint in joints if joint.motion_type == SIMULATED and joint.name not in tree.loops
                ),
                loops=sum(joint.name in tree.loops for joint in joints),
                closers=tuple(joint.name for joint in joints if joint.name in tree.loops),
            )
        )
    return tuple(found)


def animated_joints(scene: Any) -> set[str]:
    """Names of the joints that follow keys."""
    return {joint.name for joint in scene.joints if joint.motion_type == ANIMATED and joint.ndof > 0}
