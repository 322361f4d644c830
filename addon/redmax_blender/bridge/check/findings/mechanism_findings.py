# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mechanism as a whole lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core import ties
from ...core.findings import Finding
from ...core.mechanisms import Mechanism, Structure, animated_joints
from ...objects.named_objects import local_object

UNATTACHED = ("LOCK_ACTIVE", "KEEP_FREE")
"""Fixes for what nothing holds."""


def mechanism_findings(scene: Any, tree: Structure, mechanisms: tuple[Mechanism, ...]) -> Iterator[Finding]:
    """What a mechanism as a whole lacks: something that holds it, something that can move, its loops."""
    falling = _falling(scene, tree, mechanisms)
    moving = animated_joints(scene)
    falls = "will fall" if any(scene.gravity) else "will drift"
    for mechanism in mechanisms:
        if mechanism.root in falling:
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


def _falling(scene: Any, tree: Structure, mechanisms: tuple[Mechanism, ...]) -> set[str]:
    """Roots of mechanisms that nothing holds and nobody lets go on purpose, and that no spring, rope or the like holds
    to the world or to one that stays."""
    held_free = {name for name, joint in tree.carried_by.items() if joint.parent is None and joint.ndof == 6}
    falling = set()
    for mechanism in mechanisms:
        roots = [name for name in mechanism.bodies if name in tree.carried_by and tree.carried_by[name].parent is None]
        free = [name for name in roots if name in held_free and tree.carried_by[name].name not in mechanism.joints]
        launched = any(any(_numbers(tree.carried_by[name].qdot)) for name in free)
        meant = any(_body_settings(name).keep_free for name in free)
        if roots and len(free) == len(roots) and not (launched or meant or _may_land(scene, mechanism)):
            falling.add(mechanism.root)
    tied = _tied(scene, mechanisms)
    while held := [roots for roots in tied if not roots <= falling and not roots.isdisjoint(falling)]:
        falling.difference_update(*held)
    return falling


def _tied(scene: Any, mechanisms: tuple[Mechanism, ...]) -> list[set[str | None]]:
    """For each spring, rope or the like the roots of the mechanisms that it ties together; None for the world."""
    joints = {joint.name: joint for joint in scene.joints}
    mechanism_of = {name: mechanism.root for mechanism in mechanisms for name in mechanism.bodies}
    return [
        {None if name is None else mechanism_of.get(name) for name in ties.bodies_of(element, joints)}
        for listed in ties.OTHERS
        for element in getattr(scene, listed)
    ]


def _may_land(scene: Any, mechanism: Mechanism) -> bool:
    """Whether a mechanism has a surface, and something else has one that it may fall onto."""
    own = [surface.body in mechanism.bodies for surface in scene.surfaces]
    return any(own) and not all(own)


def _body_settings(name: str) -> Any:
    return local_object(name).redmax.body


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (float(value),)
