# SPDX-License-Identifier: GPL-3.0-or-later
"""Says once per scene that bodies which may meet will pass through each other, where nothing has a surface.

A linkage is meant to overlap with itself, so only different mechanisms are compared: by boxes around them, as far as
each may reach. That is a rough measure and cheap; the line is a remark, and Ignore takes it away for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...._engine import arrays
from ...core.findings import Finding
from ...core.mechanisms import ANIMATED, Mechanism, Structure
from ...objects import units
from ...objects.named_objects import local_object

if TYPE_CHECKING:
    from ...extract.bodies import BodyFrame
    from ...extract.extraction import Extraction

Array = arrays.Array

NO_SURFACES = "nothing has a surface"


def findings(extraction: Extraction, tree: Structure, scene: bpy.types.Scene) -> list[Finding]:
    """One remark if two mechanisms, at least one of which moves, come near each other; nothing else."""
    running = [mechanism for mechanism in extraction.mechanisms if mechanism.enabled]
    if len(running) < 2 or scene.redmax.ignore_contact or extraction.errors or extraction.scene.surfaces:
        return []
    frames = {body.name: body for body in extraction.bodies}
    boxes = [_box([frames[name] for name in mechanism.bodies], extraction.length) for mechanism in running]
    movers = [_moves(mechanism, extraction) for mechanism in running]
    reaches = [
        _reach(box, mechanism, tree, extraction) if moves else box
        for box, mechanism, moves in zip(boxes, running, movers, strict=True)
    ]
    for a, b in combinations(range(len(running)), 2):
        if (movers[a] or movers[b]) and _overlap(reaches[a], reaches[b]):
            text = f"'{running[a].root}' and '{running[b].root}' pass through each other: {NO_SURFACES}"
            return [
                Finding(
                    running[a if movers[a] else b].root,
                    text,
                    "give them surfaces, connect them with a joint, or keep them apart",
                    "INFO",
                    ("ADD_SURFACES", "IGNORE"),
                )
            ]
    return []


def _moves(mechanism: Mechanism, extraction: Extraction) -> bool:
    joints = set(mechanism.joints)
    driven = any(j.motion_type == ANIMATED and j.ndof > 0 for j in extraction.scene.joints if j.name in joints)
    return mechanism.dofs > 0 or driven


def _box(bodies: Sequence[BodyFrame], length: float) -> Array:
    """Least and largest corner (2, 3) in the world [Blender units]; a body without geometry is its origin."""
    points = []
    for body in bodies:
        obj: Any = local_object(body.name)
        corners = np.array(obj.bound_box, np.float64) if obj.data is not None else np.zeros((1, 3))
        E = units.in_blender_units(body.E_wb, length)
        points.append(corners @ body.A[:3, :3].T @ E[:3, :3].T + E[:3, 3])
    together = np.concatenate(points)
    return np.array([together.min(axis=0), together.max(axis=0)])


def _reach(box: Array, mechanism: Mechanism, tree: Structure, extraction: Extraction) -> Array:
    """Where a mechanism that moves may come: as far as it is large, and without end where it falls or flies."""
    margin = 0.5 * float(np.linalg.norm(box[1] - box[0]))
    reach: Array = box + margin * np.array([[-1.0], [1.0]])
    carried = [tree.carried_by[name] for name in mechanism.bodies if name in tree.carried_by]
    if any(joint.parent is None and joint.ndof == 6 for joint in carried):
        down = np.sign(extraction.scene.gravity)
        reach[0][down < 0.0], reach[1][down > 0.0] = -np.inf, np.inf
    return reach


def _overlap(a: Array, b: Array) -> bool:
    return bool((a[0] <= b[1]).all() and (b[0] <= a[1]).all())
