# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings properties of older files to the present version; each step is run once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy

CURRENT = 2
"""Version written into every body, joint and scene in use."""


def _limits_were_soft(group: Any) -> None:
    """Version 1 had only soft limits, and no switch for all of them."""
    joint = getattr(group, "joint", None)
    if joint is not None and (any(joint.use_lower) or any(joint.use_upper)):
        joint.use_limits, joint.limit_type = True, "SOFT"


STEPS: dict[int, Callable[[Any], None]] = {1: _limits_were_soft}
"""STEPS[n] turns a group written in version n into one of version n + 1. Steps are never removed."""


def migrate_file() -> list[str]:
    """Bring everything local in the open file up to date; returns what the artist should know."""
    messages = []
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
