# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a composite joint: added, removed and moved together with what was set for their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ... import compat
from ..._engine import fields, joints
from ...properties import from_specs
from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..objects.editable import require_editable

PART_KIND = joints.Revolute.kind


def add_part(obj: bpy.types.Object, kind: str = PART_KIND) -> None:
    """Append a part and make it the active one."""
    joint = _composite(obj)
    part = joint_properties.described(joint_properties.new_description(kind))
    have, more = len(joint_properties.dofs(joint)), part.ndof
    if have + more > from_specs.MOST_DOFS:
        text = f"Joint '{obj.name}' has {have} degrees of freedom, and a {part.label} would add {more}"
        raise refuse(obj.name, text, f"remove a part first: a body has {from_specs.MOST_DOFS}")
    joint.parts.add().kind = kind
    joint.active_part = len(joint.parts) - 1
    joint_properties.show_type(joint)


def remove_part(obj: bpy.types.Object) -> None:
    """Remove the active part; what is set or keyed for the coordinates of the other parts stays theirs."""
    joint = _composite(obj)
    index = _active(obj, joint)
    blocks = _blocks(joint)
    joint.parts.remove(index)
    joint.active_part = max(0, min(index, len(joint.parts) - 1))
    joint_properties.show_type(joint)
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


def _composite(obj: bpy.types.Object) -> Any:
    require_editable([obj])
    if not joint_properties.has_parts(obj.redmax.joint):
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
    """Let coordinate k be what coordinate order[k] was; coordinates beyond get defaults, and their keys go.

    Blender keeps a number for a coordinate as an angle, one as a distance and a plain one; all go along, whichever is
    in use.
    """
    joint: Any = obj.redmax.joint
    new_place = {old: new for new, old in enumerate(order)}
    left = from_specs.MOST_DOFS - len(order)
    for name in _vectors():
        old, default = list(getattr(joint, name)), list(joint.bl_rna.properties[name].default_array)
        setattr(joint, name, [old[place] for place in order] + default[:left])
    moved: dict[str, str | None] = {}
    for field, unit in ((field, unit) for field in joint_properties.KEYED for unit in fields.DOF_UNITS):
        places = [
            joint_properties.place(field, joint_properties.Dof(index, "", unit))
            for index in range(from_specs.MOST_DOFS)
        ]
        if places[0].path in moved:  # the same number for all units
            continue
        numbers = [getattr(joint, place.name) for place in places]
        for index, place in enumerate(places):
            default = joint.bl_rna.properties[place.name].default
            setattr(joint, place.name, numbers[order[index]] if index < len(order) else default)
            moved[place.path] = places[new_place[index]].path if index in new_place else None
    curves = compat.curves_of(obj)
    if curves is None:
        return
    for curve in [curve for curve in curves if curve.data_path in moved and moved[curve.data_path] is None]:
        curves.remove(curve)
    for curve in curves:
        curve.data_path = moved.get(curve.data_path) or curve.data_path


def _vectors() -> list[str]:
    """Identifiers of the joint's vectors of six that hold a number per coordinate."""
    found = ["use_lower", "use_upper"]
    for field, spec in joint_properties.PER_DOF.items():
        if field not in joint_properties.KEYED:
            shown = joint_properties.SHOWN_AS.get(field, field)
            found.extend(dict.fromkeys(from_specs.per_dof_place(shown, spec, unit) for unit in fields.DOF_UNITS))
    return found
