# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file stores of a mechanism's settings besides their values: groups, and the names of joints.

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


def store(group: Any) -> None:
    """Let the file store a group and all groups in it, also those whose values are all at their defaults."""
    for name in _groups_in(type(group)):
        store(getattr(group, name))


def store_all() -> None:
    """The same for every body and joint of the file, and for what they override in libraries.

    After a file is opened, because its libraries may be reloaded; and before it is saved.
    """
    name_joints()
    for obj in bpy.data.objects:
        override: Any = obj.override_library
        for group, reference in _with_references(obj, None if override is None else override.reference):
            if group.is_body or group.is_joint:
                store(group)
                if reference is not None:
                    store(reference)


def name_joints() -> None:
    """Give the settings of every joint its object's name, which Blender's animation editors show beside a coordinate:
    'Angle (Crank Hinge)'."""
    for obj in bpy.data.objects:
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
