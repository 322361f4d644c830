# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be said of the last result: that it stopped early, may be wrong, or is older than the scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy

from ...properties.fixes import remark_fixes
from ...properties.scene import has_bodies
from ..core.findings import Finding
from ..objects.named_objects import local_object
from ..results import cache, rope_files

STALE = "Settings changed since the simulation; bake would differ"


def result_findings(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Findings about `scene.redmax.result`; and of baked ropes; cheap, nothing is extracted or loaded."""
    found = (*_said(scene), *rope_files.findings(scene.objects))
    return (replace(finding, of_result=True) for finding in found)


def _said(scene: bpy.types.Scene) -> Iterator[Finding]:
    result = scene.redmax.result
    if not result.identifier or not has_bodies(scene):
        return
    if result.status == "failed":
        element = result.element if local_object(result.element) is not None else ""
        yield Finding(element, result.message, "", "WARNING", ("GO_TO_FRAME", "ACCURACY_HIGH"))
    if result.remark:
        yield Finding("", result.remark, "", "WARNING", remark_fixes(result))
    if result.changed:
        yield Finding("", STALE, "simulate again", "WARNING", ("SIMULATE",))
    if problem := cache.problem(scene):
        yield Finding("", problem, "", "WARNING", ("SIMULATE",))
