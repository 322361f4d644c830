# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether friction in a linkage follows from a load that its equations do not determine.

A loop of parallel hinges holds its bodies in their plane more than once, a door's second hinge holds all that the first
one does. The motion without friction does not depend on who carries how much; friction in bearings does. Rows that
follow from others carry nothing, so that each joint carries its own body, or its half of the body that closes the loop.
In the plane of a linkage its loads are determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import fast
from .arrays import Array
from .errors import ElementName
from .joints.friction import BearingKind
from .model import Model
from .outcome import Outcome

if TYPE_CHECKING:
    from .joints import Joint

CODE = "shared_load"

SEEN = 1e-6
"""Loads that are not determined show where they are this part of a bearing's whole load."""

ADVICE = "let one of its joints leave that direction free, such as a ball in place of a hinge, or remove its friction"


def shared_load(model: Model, t: Sequence[float], reaction: Array) -> Outcome | None:
    """The first joint of a loop whose bearing carries what another one could; None where there is none.

    reaction: (k, n, 6) wrenches of the joints at the times t, in their frames [N m, N].
    """
    if not has_redundant_rows(model):
        return None
    found = []
    for j in sorted(bodies_in_loops(model)):
        joint = model.joints[j]
        if j < reaction.shape[1] and joint.rubs and _is_pin(joint):
            out, across = undetermined(joint, reaction[:, j])
            frames = np.flatnonzero(out > SEEN * (out + across))
            if len(frames):
                found.append((int(frames[0]), j))
    if not found:
        return None
    frame, j = min(found)
    name = ElementName("joint", model.joint_names[j])
    what = f"{name}: how it shares its load with the other joints of its loop is not determined, and so its friction"
    return Outcome(code=CODE, frame=frame, t=float(t[frame]), element=name, what=what, advice=ADVICE)


def has_redundant_rows(model: Model) -> bool:
    """Whether equations of a mechanism with friction in its joints follow from others in every pose."""
    if not model.loops or not any(joint.rubs for joint in model.joints):
        return False
    tree = fast.constrained_tree(model)
    return tree is not None and tree.redundant_rows > 0


def _is_pin(joint: Joint) -> bool:
    return [bearing.kind for bearing in joint.bearings()] == [BearingKind.PIN]


def undetermined(joint: Joint, wrenches: Array) -> tuple[Array, Array]:
    """(k,) the parts of a pin's load [N] by what acts along its axis and tilts it, and by forces across it.

    wrenches: (k, 6) in the joint frame.
    """
    S = joint.motion(np.zeros(1), np.zeros(1)).S[:3, 0]
    a = S / np.linalg.norm(S)
    torque, force = wrenches[:, :3], wrenches[:, 3:]
    along = force @ a
    tilting = np.linalg.norm(np.cross(torque, a), axis=1)
    height = joint.friction.height if joint.friction is not None else 1.0
    return np.abs(along) + 2.0 * tilting / height, np.linalg.norm(force - along[:, None] * a, axis=1)


def bodies_in_loops(model: Model) -> set[int]:
    """Bodies whose joints of the tree are parts of loops, halves among them."""
    found: set[int] = set()
    for loop in model.loops:
        ends = {loop.child, loop.half} if loop.half >= 0 else {loop.child}
        paths = [_path(model, end) for end in ends] + [_path(model, loop.parent)]
        common = set.intersection(*map(set, paths)) if all(paths) else set()
        found |= set().union(*paths) - common
    return found


def _path(model: Model, body: int) -> list[int]:
    """A body and those that it hangs on."""
    path = []
    while body >= 0:
        path.append(body)
        body = int(model.parent[body])
    return path
