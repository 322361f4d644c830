# SPDX-License-Identifier: GPL-3.0-or-later
"""Where simulated joints start when Animated or Locked joints of their loops do not start as modelled.

They start where the loops close, reached from the modelled pose: as the mechanism is shown before any simulation. Start
coordinates that the artist has entered for simulated joints are kept; Check says where these leave a loop open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._engine import arrays, assembly, halves, motion_at
from ..._engine import compile as compiling
from ..check.findings import loops
from ..core.findings import RedMaxError
from ..core.loop_following import Follower
from ..core.mechanisms import SIMULATED, Mechanism
from . import keyed_model

Array = arrays.Array


def with_closed_starts(made: Any, mechanisms: tuple[Mechanism, ...]) -> Any:
    """The engine's scene with loops closed at the start; itself where they are, or cannot be closed like this."""
    starts: dict[str, tuple[float, ...]] = {}
    for mechanism in mechanisms:
        try:
            if mechanism.loops and loops.examine(made, mechanism).gaps:
                starts |= _starts(loops.part_of(made, mechanism))
        except RedMaxError:
            continue  # said by whoever counts degrees of freedom
    if not starts:
        return made
    return replace(made, joints=[replace(joint, q=starts.get(joint.name, joint.q)) for joint in made.joints])


def _starts(part: Any) -> dict[str, tuple[float, ...]]:
    """Coordinates at the start by name of the simulated joint; none where the loops cannot follow the given ones."""
    joints = {joint.name: joint for joint in part.joints}
    bare = keyed_model.kinematic(part)
    free = replace(bare, joints=[keyed_model.free(joint) for joint in part.joints])
    model = halves.undivided(compiling.compile(free))
    if any(joints[loop.joint.name].motion_type != SIMULATED and loop.joint.ndof for loop in model.loops):
        return {}  # its coordinate is none of the tree's
    wish = _given(part, model)
    columns = {name: model.columns(number) for number, name in enumerate(model.joint_names)}
    held = np.ones(model.dof_count, np.bool_)
    scale = np.ones(model.dof_count)
    for name, own in columns.items():
        held[own] = joints[name].motion_type != SIMULATED
        scale[own] = [model.once(assembly.size) if unit == "m" else 1.0 for unit in joints[name].dof_units]
    if wish[~held].any():
        return {}
    reached = Follower(model, held, scale).follow(wish)
    found = {name: reached.q[own] for name, own in columns.items() if not held[own].any() and joints[name].ndof}
    if reached.blocked or not all(_is_within_limits(joints[name], q) for name, q in found.items()):
        return {}
    return {name: tuple(q.tolist()) for name, q in found.items()}


def _given(part: Any, like: Any) -> Array:
    """(nr,) coordinates that the artist gives for the start, in the order of `like`."""
    model = halves.undivided(compiling.compile(part))
    q, _ = motion_at.with_prescribed(model, 0.0, model.initial_state().q, np.zeros(model.dof_count))
    wish = np.zeros(like.dof_count)
    given = {name: q[model.columns(number)] for number, name in enumerate(model.joint_names)}
    for number, name in enumerate(like.joint_names):
        wish[like.columns(number)] = given[name]
    return wish


def _is_within_limits(joint: Any, q: Array) -> bool:
    return all(
        (low is None or low <= q[index]) and (high is None or q[index] <= high)
        for index, low, high in joint.hard_limits()
    )
