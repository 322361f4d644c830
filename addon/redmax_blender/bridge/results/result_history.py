# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole result outlives a run that was stopped: it is put aside, stays on disk, and can be brought back.

`scene.redmax.result` is the newest result, which may have ended early; `scene.redmax.former` is the last whole one
while the newest is not whole, and empty otherwise.
"""

from __future__ import annotations

from typing import Any

import bpy

from . import cache, preview

COMPLETE = "complete"


def is_whole(scene: bpy.types.Scene) -> bool:
    """Whether the scene's result reached its last frame, and is there."""
    return scene.redmax.result.status == COMPLETE and cache.load(scene) is not None


def is_former(scene: bpy.types.Scene, identifier: str) -> bool:
    """Whether the result of this identifier was put aside."""
    return bool(scene.redmax.former.identifier) and scene.redmax.former.identifier == identifier


def put_aside(scene: bpy.types.Scene) -> None:
    """Before a result that is not whole takes its place: remember the whole one, if the scene's result is one."""
    if is_whole(scene):
        _copy(scene.redmax.result, scene.redmax.former)
        scene.redmax.former.property_unset("changed")  # told when it is brought back


def forget_former(scene: bpy.types.Scene) -> None:
    """A whole result takes its place; the former one's file goes when the .blend file is saved, as always."""
    _clear(scene.redmax.former)


def bring_back(scene: bpy.types.Scene) -> str:
    """Make the whole result the scene's again, in place of one that ended early; returns what to tell."""
    facts, former = scene.redmax.result, scene.redmax.former
    preview.forget(facts.identifier)
    _copy(former, facts)
    _clear(former)
    return f"Brought back frames {facts.frame_start}-{facts.frame_end}"


def _copy(source: Any, target: Any) -> None:
    for name in _names(source):
        setattr(target, name, getattr(source, name))


def _clear(group: Any) -> None:
    for name in _names(group):
        group.property_unset(name)


def _names(group: Any) -> list[str]:
    return list(type(group).__annotations__)
