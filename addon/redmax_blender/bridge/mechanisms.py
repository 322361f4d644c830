# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms of a scene: bodies that hang together through joints, whatever they share with the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._engine import check, topology
from .bodies import local_object
from .findings import Finding, refuse

UNATTACHED = ("LOCK_ACTIVE", "KEEP_FREE")
"""Fixes for what nothing holds."""

SIMULATED, ANIMATED, LOCKED = "simulated", "animated", "locked"


@dataclass(frozen=True)
class Mechanism:
    """Bodies connected by joints.

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
    group = {body.name: body.name for body in scene.bodies}

    def leader(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    for joint in scene.joints:
        if joint.parent is not None and joint.parent in group and joint.child in group:
            a, b = leader(joint.parent), leader(joint.child)
            group[b] = a
    members: dict[str, list[str]] = {}
    for body in scene.bodies:
        members.setdefault(leader(body.name), []).append(body.name)
    joints_of: dict[str, list[Any]] = {}
    for joint in scene.joints:
        if joint.child in group:
            joints_of.setdefault(leader(joint.child), []).append(joint)
    found = []
    for first, bodies in members.items():
        joints = joints_of.get(first, [])
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


def mechanism_findings(scene: Any, tree: Structure, mechanisms: tuple[Mechanism, ...]) -> Iterator[Finding]:
    """What a mechanism as a whole lacks: something that holds it, something that can move, its loops."""
    held_free = {name for name, joint in tree.carried_by.items() if joint.parent is None and joint.ndof == 6}
    moving = animated_joints(scene)
    falls = "will fall" if any(scene.gravity) else "will drift"
    for mechanism in mechanisms:
        roots = [name for name in mechanism.bodies if name in tree.carried_by and tree.carried_by[name].parent is None]
        free = [name for name in roots if name in held_free and tree.carried_by[name].name not in mechanism.joints]
        launched = any(any(_numbers(tree.carried_by[name].qdot)) for name in free)
        meant = any(_body_settings(name).keep_free for name in free)
        if roots and len(free) == len(roots) and not launched and not meant:
            hint = f"Lock '{mechanism.root}', or leave it if it should be free"
            if len(mechanism.bodies) > 1:
                text = f"Mechanism '{mechanism.root}' is not attached to anything and {falls}"
                yield Finding(mechanism.root, text, hint, "WARNING", UNATTACHED)
            else:
                text = f"'{mechanism.root}' is not attached to anything and {falls}"
                yield Finding(mechanism.root, text, hint, "INFO", UNATTACHED)
        if mechanism.joints and mechanism.dofs == 0 and moving.isdisjoint(mechanism.joints):
            text = f"Mechanism '{mechanism.root}' cannot move: it has 0 degrees of freedom"
            hint = "set a joint to Simulated or Animated"
            yield Finding(mechanism.root, text, hint, "WARNING", ("SET_SIMULATED", "SELECT_REDUNDANT"))
    if mechanisms and not any(m.joints or m.dofs for m in mechanisms):
        yield Finding("", "Nothing can move: every body is Locked", "connect bodies with joints", "WARNING")


def _body_settings(name: str) -> Any:
    return local_object(name).redmax.body


def concerned(element: str) -> set[str]:
    """Names of the bodies and joints that a finding touches: a joint's bodies too, a part's body instead of it."""
    obj = local_object(element) if element else None
    if obj is not None and obj.redmax.is_joint:
        connected = (obj.redmax.joint.parent, obj.redmax.joint.child)
        return {element, *(other.name for other in connected if other is not None)}
    while obj is not None and not obj.redmax.is_body:
        obj = obj.parent
    return set() if obj is None else {obj.name}


def switched_off(mechanisms: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    """Mechanisms that the artist has switched off in the list."""
    return tuple(m for m in mechanisms if not local_object(m.root).redmax.mechanism.enabled)


def solo(roots: Sequence[str], chosen: str) -> str:
    """Switch on only the mechanism of one root, or all of them if it is the only one that is on."""
    objects = {name: obj for name in roots if (obj := local_object(name)) is not None}
    if chosen not in objects:
        raise refuse(chosen, f"There is no mechanism '{chosen}'", "run Check again")
    on = [name for name, obj in objects.items() if obj.redmax.mechanism.enabled]
    everyone = on == [chosen]
    for name, obj in objects.items():
        obj.redmax.mechanism.enabled = everyone or name == chosen
        obj.update_tag()
    return "All mechanisms are on" if everyone else f"Only '{chosen}' is on"


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (float(value),)
