# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings properties of older files to the present version; each step is run once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy

from . import from_specs
from . import joint as joint_properties

CURRENT = 4
"""Version written into every element and scene in use. Since 4 there are forces, constraints, strands and drives."""


def _limits_were_soft(group: Any) -> None:
    """Version 1 had only soft limits, and no switch for all of them."""
    joint = getattr(group, "joint", None)
    if joint is not None and (any(joint.use_lower) or any(joint.use_upper)):
        joint.use_limits, joint.limit_type = True, "SOFT"


def move_vectors(joint: Any) -> None:
    """Before version 3 what an artist keys was in vectors of six.

    Versions do not tell: a library that is still an older file brings its vectors each time it is read. A number that
    is set already overrides the library's.
    """
    for vector in joint_properties.keyed_vectors():
        if not joint.is_property_set(vector):
            continue
        for index, value in enumerate(getattr(joint, vector)):
            name = from_specs.keyed_name(vector, index)
            if not joint.is_property_set(name):
                setattr(joint, name, value)
        joint.property_unset(vector)


STEPS: dict[int, Callable[[Any], None]] = {1: _limits_were_soft}
"""STEPS[n] turns a group written in version n into one of version n + 1. Steps are never removed."""


def migrate_file() -> list[str]:
    """Bring everything local in the open file up to date; returns what the artist should know."""
    messages = []
    for joint in list(_joints()):
        move_vectors(joint)
    for owner, group in _groups():
        if group.version > CURRENT:
            messages.append(
                f"'{owner}' was saved by a newer RedMax (properties {group.version}, this one knows {CURRENT}); "
                "update the extension before you change it"
            )
        elif 0 < group.version < CURRENT:
            migrate(group)
    return messages


def migrate(group: Any) -> None:
    """Run the steps that lead from the group's version to the present one."""
    while group.version < CURRENT:
        step = STEPS.get(group.version)
        if step is not None:
            step(group)
        group.version += 1


def _joints() -> Iterator[Any]:
    """Settings of every joint, also of those in libraries: they are read, and what overrides them is compared with
    them."""
    for obj in bpy.data.objects:
        for group in (obj.redmax, *(bone.redmax for bone in (obj.pose.bones if obj.pose is not None else ()))):
            if group.is_joint:
                yield group.joint


def _groups() -> Iterator[tuple[str, Any]]:
    for obj in bpy.data.objects:
        if obj.library is not None:
            continue
        yield obj.name, obj.redmax
        if obj.pose is not None:
            for bone in obj.pose.bones:
                yield f"{obj.name}/{bone.name}", bone.redmax
    for scene in bpy.data.scenes:
        if scene.library is None:
            yield scene.name, scene.redmax
