# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about parts that were moved away from their joints. Each function says in a sentence what it did."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...._engine import arrays
from ...core.findings import refuse
from ...extract import extraction as extract
from ...objects import frames, joint_fits, joint_objects, movers
from ...objects.editable import require_editable
from ...objects.named_objects import local_object
from ..findings import torn_parts

Array = arrays.Array
Object = bpy.types.Object

STRAIGHT = 1e-6
"""Largest entry of a rotation less 1 that turns nothing: such a part is only shifted, and its rotation not touched."""


def reset(context: bpy.types.Context, obj: Object) -> str:
    """Move a part, with everything that was moved along with it, back to its joints."""
    part = _part(context, obj)[0]
    moved = _objects(part)
    require_editable(moved)
    for each in moved:
        _require_movable(each)
    with joint_objects.first_frame(context, moved) as depsgraph:
        carried = [each for each in moved if not set(joint_objects.ancestors(each)) & set(moved)]
        places = [
            (each, frames.modelled_matrix(each, depsgraph), frames.parent_matrix(each, depsgraph)) for each in carried
        ]
        for each, M, P in places:
            _move(each, part.T, M, P)
    return f"Put {', '.join(repr(name) for name in part.bodies or (part.element,))} back"


def refit(context: bpy.types.Context, obj: Object) -> str:
    """Let the joints hold a part as it stands."""
    part, now = _part(context, obj)
    require_editable(joint for name in part.joints if (joint := local_object(name)) is not None)
    joint_fits.record(now.taken([now.names.index(name) for name in part.joints]))
    return f"Fitted {', '.join(repr(name) for name in part.joints)} anew"


def _part(context: bpy.types.Context, obj: Object) -> tuple[torn_parts.TornPart, joint_fits.Fits]:
    """The torn part that an object belongs to, and all joints as they stand."""
    extraction = extract.extract(context.scene, context.view_layer)
    for part in torn_parts.compare(extraction).parts:
        if obj.name == part.element or obj.name in part.bodies:
            return part, joint_fits.present(extraction)
    raise refuse(obj.name, f"'{obj.name}' stands at its joints", "run Check again")


def _objects(part: torn_parts.TornPart) -> list[Object]:
    """The bodies of a part, and the joints between them; or the joint that was left behind."""
    found = [obj for name in part.bodies or (part.element,) if (obj := local_object(name)) is not None]
    bodies = set(part.bodies)
    for obj in bpy.data.objects:
        ends = (obj.redmax.joint.parent, obj.redmax.joint.child)
        if obj.redmax.is_joint and obj.library is None and all(end is not None and end.name in bodies for end in ends):
            found.append(obj)
    return found


def _require_movable(obj: Object) -> None:
    if obj.redmax.baked.active:
        raise refuse(obj.name, f"'{obj.name}' has baked keys, which would move it", "use Remove Bake first")
    if by := movers.motion_of(obj):
        raise refuse(obj.name, f"Cannot move '{obj.name}', {by}", "take that away, or use Re-fit")


def _move(obj: Object, T: Array, M: Array, P: Array) -> None:
    """Move an object by T in the world. M, P: (4, 4) its own matrix and what its parent adds."""
    if np.abs(T[:3, :3] - np.eye(3)).max() < STRAIGHT:
        shift = np.linalg.solve(P[:3, :3], T[:3, :3] @ M[:3, 3] + T[:3, 3] - M[:3, 3])
        settings: Any = obj
        settings.location = Vector(settings.location) + Vector(shift.tolist())
    else:
        obj.matrix_basis = Matrix(np.linalg.solve(P, T @ M).tolist())


FIXERS = {"RESET": reset, "REFIT": refit}
