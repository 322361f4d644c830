# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms that the artist has switched off, and what belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...properties import references, sorts
from ..core.findings import refuse
from ..core.mechanisms import Mechanism
from .named_objects import local_object


def meant_by(group: Any) -> list[Any]:
    """Bodies and joints that an element refers to. group: an object's `redmax`."""
    found = [references.target(each.group, each.name) for each in sorts.references_of(group)]
    objects = dict.fromkeys(meant.object for meant in found if meant is not None)
    return [obj for obj in objects if obj.redmax.is_body or obj.redmax.is_joint]


def concerned(element: str) -> set[str]:
    """Names of the elements that a finding touches: also what it refers to, and a part's body instead of the part."""
    obj = local_object(element) if element else None
    if obj is not None and sorts.is_element(obj.redmax) and not obj.redmax.is_body:
        return {element, *(other.name for other in meant_by(obj.redmax))}
    while obj is not None and not obj.redmax.is_body:
        obj = obj.parent
    return set() if obj is None else {obj.name}


def switched_off(mechanisms: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    """Mechanisms that the artist has switched off in the list."""
    return tuple(m for m in mechanisms if not local_object(m.root).redmax.mechanism.enabled)


def solo(roots: Sequence[str], chosen: str) -> str:
    """Switch on only the mechanism of one root, or all of them if it is the only one that is on."""
    objects = {name: obj for name in roots if (obj := local_object(name)) is not None}
    if chosen not in objects:
        raise refuse(chosen, f"There is no mechanism '{chosen}'", "run Check again")
    on = [name for name, obj in objects.items() if obj.redmax.mechanism.enabled]
    everyone = on == [chosen]
    for name, obj in objects.items():
        obj.redmax.mechanism.enabled = everyone or name == chosen
        obj.update_tag()
    return "All mechanisms are on" if everyone else f"Only '{chosen}' is on"
