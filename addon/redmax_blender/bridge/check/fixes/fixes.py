# SPDX-License-Identifier: GPL-3.0-or-later
"""Does what Check offers: one fix of one element, or every one that needs no decision of the artist's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ....properties import fixes as words
from ...core.findings import BridgeError, Finding, refuse
from ...extract import extraction as extract
from ...objects import muting
from ...objects.named_objects import local_object
from ...results import preview
from .. import check_report
from . import (
    fixes_bodies,
    fixes_elements,
    fixes_joints,
    fixes_loops,
    fixes_scene,
    fixes_surfaces,
    fixes_torn,
    fixes_tracks,
)

Fixer = Callable[[bpy.types.Context, bpy.types.Object], str]

OF_ELEMENTS: dict[str, Fixer] = {
    **fixes_bodies.FIXERS,
    **muting.FIXERS,
    **fixes_joints.FIXERS,
    **fixes_loops.FIXERS,
    **fixes_torn.FIXERS,
    **fixes_elements.FIXERS,
    **fixes_tracks.FIXERS,
    **fixes_surfaces.FIXERS,
    **fixes_scene.OF_OBJECTS,
}
OF_SCENES: dict[str, Callable[[bpy.types.Context], str]] = {**fixes_scene.OF_SCENES, **fixes_surfaces.OF_SCENES}

MOST_ROUNDS = 8
"""A fix may uncover the next problem; no scene needs more rounds than problems can hide behind each other."""


@dataclass(frozen=True)
class Fixed:
    """done: what was changed, a sentence each. refused: why something could not be. left: what Check still finds."""

    done: tuple[str, ...]
    refused: tuple[str, ...]
    left: tuple[Finding, ...]


def apply(context: bpy.types.Context, fix: str, element: str) -> str:
    """Do one fix; says what was done. Raises BridgeError where it cannot be done."""
    with preview.paused():
        return _do(context, fix, element)


def fix_all(context: bpy.types.Context) -> Fixed:
    """Do the first fix that needs no decision of every error and warning, until nothing more can be done."""
    done: list[str] = []
    tried: set[tuple[str, str]] = set()
    refused: list[str] = []
    with preview.paused():
        for _ in range(MOST_ROUNDS):
            findings = extract.extract(context.scene, context.view_layer).findings
            pending = list(dict.fromkeys(_automatic(finding, tried) for finding in findings))
            chosen = [step for step in pending if step is not None]
            if not chosen:
                break
            for fix, element in chosen:
                tried.add((fix, element))
                try:
                    done.append(_do(context, fix, element))
                except BridgeError as error:
                    refused.append(str(error))
    left = check_report.refresh(context).findings
    return Fixed(tuple(done), tuple(refused), left)


def _automatic(finding: Finding, tried: set[tuple[str, str]]) -> tuple[str, str] | None:
    """The next step against a finding: its first fix that Fix All may do and has not tried."""
    if finding.severity == "INFO":
        return None
    steps = ((fix, finding.element) for fix in finding.fixes if words.FIXES[fix].in_fix_all)
    return next((step for step in steps if step not in tried), None)


def _do(context: bpy.types.Context, fix: str, element: str) -> str:
    if fix in OF_SCENES:
        return OF_SCENES[fix](context)
    obj = local_object(element)
    if obj is None:
        raise refuse(element, f"There is no object '{element}'", "run Check again")
    said = OF_ELEMENTS[fix](context, obj)
    if (left := local_object(element)) is not None:
        left.update_tag()
    context.view_layer.update()
    return said
