# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that touch nothing although others do, told once for all of them; and surfaces that start in each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

from ...core import start_overlaps
from ...core.findings import Finding
from ...objects.named_objects import local_object
from .frame_objects import carrier

if TYPE_CHECKING:
    from ...extract.extraction import Extraction

SHOWN = 2
"""Bodies that are named; of more their number is told."""

OVERLAPS_SHOWN = 4
"""Pairs that are told, the deepest first."""

FIXES = ("ADD_SURFACES", "IGNORE")

OVERLAP = "starts_inside"
"""Code of findings about surfaces that start inside each other."""


def findings(extraction: Extraction, scene: bpy.types.Scene) -> Iterator[Finding]:
    """What is to be said of the surfaces of a scene together."""
    if extraction.scene.surfaces and not extraction.errors:
        if not scene.redmax.ignore_contact:
            yield from _without_surface(extraction)
        yield from _overlapping(extraction)


def _without_surface(extraction: Extraction) -> Iterator[Finding]:
    having = {surface.body for surface in extraction.scene.surfaces} | meant(extraction)
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


def meant(extraction: Extraction) -> set[str]:
    """Bodies without a surface that hardly want one: of mechanisms that touch with less than half of what moves, as a
    walker does with its feet."""
    having = {surface.body for surface in extraction.scene.surfaces}
    moving = {body.name for body in extraction.bodies if not body.static}
    names: set[str] = set()
    for mechanism in extraction.mechanisms:
        own = moving.intersection(mechanism.bodies)
        if 0 < 2 * len(own & having) < len(own):
            names |= own - having
    return names


def _overlapping(extraction: Extraction) -> Iterator[Finding]:
    """Pairs that start inside each other: what moves of them is what the finding is about."""
    owners = {surface.name: surface.body for surface in extraction.scene.surfaces}
    still = {body.name for body in extraction.bodies if body.static} | {None}
    found = start_overlaps.overlaps(extraction.scene, extraction.digest)
    for a, b, depth, _ in found[:OVERLAPS_SHOWN]:
        first, second = (b, a) if owners[a] in still else (a, b)
        text = f"'{first}' starts {_length(depth)} inside '{second}'; they will be pushed apart"
        hint = "move one of them, or let them overlap"
        yield Finding(first, text, hint, "WARNING", ("SEPARATE", "IGNORE_PAIR"), code=OVERLAP)


def _length(metres: float) -> str:
    return f"{1e3 * metres:.3g} mm" if metres < 1.0 else f"{metres:.3g} m"


def untouched(extraction: Extraction, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Bodies of a scene without a surface, in order of name, but those of which that is meant."""
    having, without = {carrier(obj) for obj in scene.objects if obj.redmax.is_surface}, meant(extraction)
    bodies = [obj for obj in scene.objects if obj.redmax.is_body and obj not in having and obj.name not in without]
    return sorted((obj for obj in bodies if local_object(obj.name) is not None), key=lambda obj: obj.name)
