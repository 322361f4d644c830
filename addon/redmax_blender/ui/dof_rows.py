# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a panel for what a joint has once per coordinate, whatever kind of joint it is."""

from __future__ import annotations

from typing import Any

import bpy

from .._engine import fields
from ..properties import coordinate_names, result_names
from ..properties import joint as joint_properties
from ..properties.from_specs import MOST_DOFS
from ..properties.joint import Dof


def shown_dofs(joint: Any) -> tuple[Dof, ...]:
    """The joint's coordinates; of a composite with too many only as many as there is room for."""
    return joint_properties.dofs(joint)[:MOST_DOFS]


def load_label(dofs: tuple[Dof, ...]) -> str:
    """What acts along the coordinates: a torque about angles, a force along distances, a generalised force else."""
    having = {dof.unit for dof in dofs}
    return " or ".join(result_names.along(unit)[0] for unit in fields.DOF_UNITS if unit in having)


def units_text(labels: dict[str, str], dofs: tuple[Dof, ...]) -> str:
    """'Stiffness in N m/rad, damping in N m s/rad': units that Blender cannot show in the numbers themselves.

    labels: what fields of the engine are called. Beside the numbers the units would take their room in a narrow panel.
    """
    said = []
    for field, label in labels.items():
        units = dict.fromkeys(fields.per_dof_unit(joint_properties.FIELDS[field], dof.unit) for dof in dofs)
        said.append(f"{label} in {' or '.join(units)}")
    return ", ".join(said)


def draw_field(layout: bpy.types.UILayout, joint: Any, field: str, label: str, dofs: tuple[Dof, ...]) -> None:
    """A field of the engine that has one number per coordinate, such as 'stiffness' or 'q'.

    One coordinate needs only the label; several stand below it, because both together would not fit beside a number.
    """
    column = layout.column(align=True)
    if len(dofs) > 1 and label:
        column.label(text=label)
    for dof in dofs:
        text = label if label and len(dofs) == 1 else coordinate_names.label(dof.name)
        column.prop(joint, text=text, **joint_properties.place(field, dof).in_layout)


def draw_limits(layout: bpy.types.UILayout, joint: Any, dofs: tuple[Dof, ...]) -> None:
    """A tick box and a number for each end of each coordinate's range."""
    for dof in dofs:
        column = layout.column(align=True)
        of_which = f"{coordinate_names.label(dof.name)} " if len(dofs) > 1 else ""
        for field, switch, heading in (("lower", "use_lower", f"{of_which}Min"), ("upper", "use_upper", "Max")):
            row = column.row(align=True, heading=heading)
            row.use_property_decorate = False
            row.prop(joint, switch, index=dof.index, text="")
            number = row.row(align=True)
            number.active = getattr(joint, switch)[dof.index]
            number.prop(joint, text="", **joint_properties.place(field, dof).in_layout)


def is_stiff_as_hard(joint: Any, dofs: tuple[Dof, ...]) -> bool:
    """Whether a soft limit has no stiffness: the engine knows such a limit as a hard one."""
    return any(
        (joint.use_lower[dof.index] or joint.use_upper[dof.index]) and joint.limit_stiffness[dof.index] == 0.0
        for dof in dofs
    )
