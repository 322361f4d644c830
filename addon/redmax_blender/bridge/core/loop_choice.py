# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint closes a loop: of several that carry the same body, one that needs no coordinates of its own.

The engine's tree takes the first joint that it can; a joint outside the tree has no coordinates, so that springs,
limits, torques and start values cannot act on it. The order of joints is an accident of their names, so it is changed
where that helps. Nothing else depends on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from . import ties
from .mechanisms import SIMULATED, structure

NOT_AT_ALL, BETTER, NEEDED = 0, 1, 2


def need(joint: Any) -> int:
    """How much a joint needs coordinates of its own: NEEDED where something acts on them.

    BETTER where it starts elsewhere than modelled, or is animated: its motor's torque is a result then.
    """
    if joint.ndof == 0:
        return NOT_AT_ALL
    limits = (*_listed(joint.lower), *_listed(joint.upper))
    if joint.has_loads or any(limit is not None for limit in limits) or np.any(joint.qdot):
        return NEEDED
    return BETTER if joint.motion_type != SIMULATED or np.any(joint.q) else NOT_AT_ALL


def _listed(limits: Any) -> tuple[Any, ...]:
    return tuple(limits) if isinstance(limits, (tuple, list)) else (limits,)


def with_choice(made: Any, joint_objects: dict[str, str]) -> Any:
    """The scene with its joints in an order that leaves the least needy ones to close the loops.

    joint_objects: names of joints that have an object; others hold roots, and stay.
    """
    tried: set[str] = set()
    while True:
        step = _next(made, joint_objects, tried)
        if step is None:
            return made
        closer, rival = step
        tried.add(closer.name)
        made = replace(made, joints=[*(joint for joint in made.joints if joint is not rival), rival])


def _next(made: Any, joint_objects: dict[str, str], tried: set[str]) -> tuple[Any, Any] | None:
    """A joint that closes a loop although it needs coordinates more than the one that carries its body."""
    tree = structure(made)
    by_name = {joint.name: joint for joint in made.joints}
    held = {name for listed in ties.HOLDING for each in getattr(made, listed) for _, name in ties.names_in(each)}
    for name in tree.loops:
        closer, rival = by_name[name], tree.carried_by[by_name[name].child]
        if name in tried or rival.name not in joint_objects:
            continue
        if max(need(closer), NEEDED * (name in held)) > max(need(rival), NEEDED * (rival.name in held)):
            return closer, rival
    return None


def rival_of(made: Any, name: str) -> str | None:
    """The joint that carries the body of a joint that closes a loop, None if it closes none."""
    tree = structure(made)
    if name not in tree.loops:
        return None
    child = next(joint.child for joint in made.joints if joint.name == name)
    rival: str = tree.carried_by[child].name
    return rival
