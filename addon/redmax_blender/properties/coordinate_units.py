# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of numbers that are measured as the coordinate of a joint that an element refers to."""

from __future__ import annotations

from typing import Any

from . import from_specs, generated, joint, references
from .forms import Field

UNKNOWN = "rad"
"""While no joint is picked, or none that has such a coordinate."""


def unit_of(group: Any, field: Field) -> str:
    """'rad', 'm' or '1': unit of the coordinate that a field of form `coordinate` speaks of."""
    which, number = field.spec.coordinate
    found = references.target(group, which)
    if found is None or not found.object.redmax.is_joint or found.bone:
        return UNKNOWN
    dofs = joint.dofs(found.object.redmax.joint)
    index = getattr(group, number)
    return dofs[index].unit if 0 <= index < len(dofs) else UNKNOWN


def index_field(group: Any, reference: str) -> str | None:
    """Identifier of the property that says which coordinate of a joint is meant, None if nothing asks for one. group: a
    generated class; reference: the property that means the joint."""
    return generated.INDICES.get((group.__name__, reference))


def place(group: Any, field: Field) -> str:
    """Identifier of the property that holds the field at present."""
    return f"{field.name}_{from_specs.SPLIT_NAMES[unit_of(group, field)]}"
