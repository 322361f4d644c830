# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file stores of a mechanism's settings besides their values: groups, and names of joints and of what is meant.

Groups keep library overrides: both files must store the group that an overridden value is in.

Blender stores a group of properties with the first look at it or the first value that is set. Where a library has no
such group Blender 5.2 writes down that the whole group is overridden, cannot do that when the file is opened, and the
override is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import bpy

from . import references, sorts


def store(group: Any) -> None:
    """Let the file store a group and all groups in it, also those whose values are all at their defaults."""
    idle = {sort.name for sort in sorts.GENERATED if not getattr(group, sort.flag, True)}
    for name in _groups_in(type(group)):
        if name not in idle:  # most objects are one sort of element, and there are many kinds of each
            store(getattr(group, name))


def store_all() -> None:
    """The same for every element of the file, and for what they override in libraries.

    After a file is opened, because its libraries may be reloaded; and before it is saved.
    """
    note_names()
    for obj in bpy.data.objects:
        override: Any = obj.override_library
        for group, reference in _with_references(obj, None if override is None else override.reference):
            if sorts.is_element(group):
                store(group)
                if reference is not None:
                    store(reference)


def note_names() -> None:
    """Write down the present names of what elements refer to, and give the settings of every joint its object's name,
    which Blender's animation editors show beside a coordinate: 'Angle (Crank Hinge)'."""
    for obj in bpy.data.objects:
        for group in (obj.redmax, *(bone.redmax for bone in (obj.pose.bones if obj.pose is not None else ()))):
            if sorts.is_element(group):
                references.repair((each.group, each.name) for each in sorts.references_of(group))
        if obj.redmax.is_joint and obj.redmax.joint.name != obj.name:
            obj.redmax.joint.name = obj.name


def _with_references(obj: Any, reference: Any) -> Iterator[tuple[Any, Any]]:
    """Groups of an object and of its bones, each with the one in the library that it overrides, or None."""
    yield obj.redmax, None if reference is None else reference.redmax
    if obj.pose is not None:
        theirs = {} if reference is None or reference.pose is None else reference.pose.bones
        for bone in obj.pose.bones:
            other = theirs.get(bone.name)
            yield bone.redmax, None if other is None else other.redmax


@cache
def _groups_in(kind: Any) -> tuple[str, ...]:
    """Names of the properties of a group that are groups."""
    pointers = [each for each in kind.bl_rna.properties if each.type == "POINTER"]
    return tuple(each.identifier for each in pointers if _is_group(each.fixed_type))


def _is_group(kind: Any) -> bool:
    return kind.base is not None and kind.base.identifier == "PropertyGroup"
