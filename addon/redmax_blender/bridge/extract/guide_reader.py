# SPDX-License-Identifier: GPL-3.0-or-later
"""One track or sheet of a scene, for what needs no more of it: operators, fixes, and drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...properties import sorts
from ...properties.scene import frame_range
from ..core.findings import BridgeError, Finding
from ..objects import units
from ..objects.modelled import Modelled
from . import guides
from .animation import Clock
from .element_reader import Around, ElementReader

Object = bpy.types.Object


def sort_of(obj: Object) -> Any | None:
    """Of what joints move along an object is: its sort, or None."""
    return next((sort for sort in sorts.generated_sorts(obj.redmax) if sort.name in guides.SORTS), None)


def read(
    objects: Sequence[Object], scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, findings: list[Finding]
) -> dict[str, guides.Guide]:
    """By name, those of some tracks and sheets that are sound. What is wrong with the others is added to findings."""
    length, modelled = units.metres_per_unit(scene), Modelled(depsgraph)
    clock = Clock(units.frames_per_second(scene), *frame_range(scene))
    in_scene = {obj.name_full for obj in scene.objects}
    reader = ElementReader(Around(modelled, {}, {}, in_scene, in_scene, length, clock, {}), findings)
    found = {}
    for obj in objects:
        sort = sort_of(obj)
        for element in reader.read(sort, [obj]) if sort is not None else ():
            known = guides.sound(element)
            if known is None:
                findings.extend(
                    Finding(obj.name, f"{sort.title} '{obj.name}' {what[0]}", what[1]) for what in element.problems()
                )
            else:
                E_wt = units.in_metres(modelled.rigid_part(obj)[0], length)
                found[obj.name] = guides.Guide(known, obj, E_wt)
    return found


def require(obj: Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> guides.Guide:
    """A track or sheet that must be sound. Raises BridgeError."""
    findings: list[Finding] = []
    found = read([obj], scene, depsgraph, findings)
    if obj.name not in found:
        wrong = [each for each in findings if each.severity == "ERROR"]
        raise BridgeError(wrong or [Finding(obj.name, f"'{obj.name}' is no track", "use Spline Track first")])
    return found[obj.name]
