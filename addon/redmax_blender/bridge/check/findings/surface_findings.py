# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that touch nothing although others do: told once, for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

from ...core.findings import Finding
from ...objects.named_objects import local_object
from .frame_objects import carrier

if TYPE_CHECKING:
    from ...extract.extraction import Extraction

SHOWN = 2
"""Bodies that are named; of more their number is told."""

FIXES = ("ADD_SURFACES", "IGNORE")


def findings(extraction: Extraction, scene: bpy.types.Scene) -> Iterator[Finding]:
    """One remark if some bodies have surfaces and others, which move, have none."""
    having = {surface.body for surface in extraction.scene.surfaces}
    if not having or scene.redmax.ignore_contact or extraction.errors:
        return
    names = [body.name for body in extraction.bodies if body.name not in having and not body.static]
    if not names:
        return
    if len(names) <= SHOWN:
        shown = " and ".join(f"'{name}'" for name in names)
        verbs = "has no surface; it passes" if len(names) == 1 else "have no surface; they pass"
    else:
        shown, verbs = f"'{names[0]}' and {len(names) - 1} more bodies", "have no surface; they pass"
    hint = "add surfaces, or leave it if that is meant"
    yield Finding(names[0], f"{shown} {verbs} through others", hint, "INFO", FIXES)


def untouched(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Bodies of a scene without a surface, in order of name."""
    having = {carrier(obj) for obj in scene.objects if obj.redmax.is_surface}
    bodies = [obj for obj in scene.objects if obj.redmax.is_body and obj not in having]
    return sorted((obj for obj in bodies if local_object(obj.name) is not None), key=lambda obj: obj.name)
