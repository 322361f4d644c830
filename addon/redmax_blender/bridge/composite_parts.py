# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a composite joint: added, removed and moved together with what was set for their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from .. import compat
from .._engine import joints
from ..properties import from_specs
from ..properties import joint as joint_properties
from .build import require_editable
from .findings import refuse

PART_KIND = joints.Revolute.kind
JOINT_PATH = "redmax.joint"


def add_part(obj: bpy.types.Object, kind: str = PART_KIND) -> None:
    """Append a part and make it the active one."""
    joint = _composite(obj)
    cls: Any = joints.JOINTS[kind]
    have, more = len(joint_properties.dofs(joint)), len(cls.dof_names)
    if have + more > from_specs.MOST_DOFS:
        text = f"Joint '{obj.name}' has {have} degrees of freedom, and a {cls.label} would add {more}"
        raise refuse(obj.name, text, f"remove a part first: a body has {from_specs.MOST_DOFS}")
    joint.parts.add().kind = kind
    joint.active_part = len(joint.parts) - 1


def remove_part(obj: bpy.types.Object) -> None:
    """Remove the active part; what is set or keyed for the coordinates of the other parts stays theirs."""
    joint = _composite(obj)
    index = _active(obj, joint)
    blocks = _blocks(joint)
    joint.parts.remove(index)
    joint.active_part = max(0, min(index, len(joint.parts) - 1))
    _rearrange(obj, [dof for number, block in enumerate(blocks) if number != index for dof in block])


def move_part(obj: bpy.types.Object, step: int) -> None:
    """Move the active part up (-1) or down (+1) in the order; its coordinates go with it."""
    joint = _composite(obj)
    index = _active(obj, joint)
    target = index + step
    if not 0 <= target < len(joint.parts):
        where = "first" if step < 0 else "last"
        raise refuse(obj.name, f"Part {index + 1} of joint '{obj.name}' is the {where} one", "choose another part")
    blocks = _blocks(joint)
    blocks.insert(target, blocks.pop(index))
    joint.parts.move(index, target)
    joint.active_part = target
    _rearrange(obj, [dof for block in blocks for dof in block])


def per_dof_properties() -> list[str]:
    """Identifiers of the joint's properties that hold a number per coordinate."""
    found = ["use_lower", "use_upper"]
    for field, spec in joint_properties.COMMON.items():
        if spec.sort == "per_dof":
            shown = joint_properties.SHOWN_AS.get(field, field)
            found.extend(dict.fromkeys(from_specs.per_dof_place(shown, spec, unit) for unit in ("rad", "m")))
    return found


def _composite(obj: bpy.types.Object) -> Any:
    require_editable([obj])
    if obj.redmax.joint.kind != joint_properties.COMPOSITE:
        raise refuse(obj.name, f"Joint '{obj.name}' is not a composite", "set its type to Composite first")
    return obj.redmax.joint


def _active(obj: bpy.types.Object, joint: Any) -> int:
    if not 0 <= joint.active_part < len(joint.parts):
        raise refuse(obj.name, f"Joint '{obj.name}' has no active part", "click a part in the list")
    return int(joint.active_part)


def _blocks(joint: Any) -> list[list[int]]:
    """Places of each part's coordinates in the vectors of six."""
    blocks, start = [], 0
    for part in joint.parts:
        count = len(joint_properties.dofs(part))
        blocks.append(list(range(start, start + count)))
        start += count
    return blocks


def _rearrange(obj: bpy.types.Object, order: Sequence[int]) -> None:
    """Let coordinate k be what coordinate order[k] was; coordinates beyond get defaults, and their keys go."""
    joint = obj.redmax.joint
    left = from_specs.MOST_DOFS - len(order)
    for name in per_dof_properties():
        old, default = list(getattr(joint, name)), list(joint.bl_rna.properties[name].default_array)
        setattr(joint, name, [old[place] for place in order] + default[:left])
    curves = compat.curves_of(obj)
    if curves is None:
        return
    new_place = {old: new for new, old in enumerate(order)}
    paths = {f"{JOINT_PATH}.{name}" for name in per_dof_properties()}
    for curve in [curve for curve in curves if curve.data_path in paths and curve.array_index not in new_place]:
        curves.remove(curve)
    for curve in curves:
        if curve.data_path in paths:
            curve.array_index = new_place[curve.array_index]
