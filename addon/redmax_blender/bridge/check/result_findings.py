# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be said of the last result: that it stopped early, may be wrong, or is older than the scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy

from ...properties.scene import has_bodies
from ..core.findings import Finding
from ..objects.named_objects import local_object
from ..results import cache

STALE = "Settings changed since the simulation; bake would differ"


def result_findings(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Findings about `scene.redmax.result`; cheap, nothing is extracted or loaded."""
    return (replace(finding, of_result=True) for finding in _said(scene))


def _said(scene: bpy.types.Scene) -> Iterator[Finding]:
    result = scene.redmax.result
    if not result.identifier or not has_bodies(scene):
        return
    if result.status == "failed":
        element = result.element if local_object(result.element) is not None else ""
        yield Finding(element, result.message, "", "WARNING", ("GO_TO_FRAME", "ACCURACY_HIGH"))
    if result.remark:
        yield Finding("", result.remark, "", "WARNING", ("ACCURACY_HIGH",))
    if result.changed:
        yield Finding("", STALE, "simulate again", "WARNING", ("SIMULATE",))
    if problem := cache.problem(scene):
        yield Finding("", problem, "", "WARNING", ("SIMULATE",))
