# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the mass that the panel shows of one body up to date, without checking the whole scene."""

from __future__ import annotations

from typing import Any

import bpy

from ..core.findings import Finding
from ..objects import changes, units
from ..objects.modelled import Modelled
from . import parts
from .bodies import extract_body

MOST_POLYGONS = 20_000
"""Larger bodies are only weighed by Check: nobody should wait for a number while he edits."""

UNKNOWN = -1.0


def body_of(obj: bpy.types.Object | None) -> bpy.types.Object | None:
    """The body that an object is, or adds its mass to."""
    while obj is not None and not obj.redmax.is_body:
        obj = None if obj.redmax.is_joint else obj.parent
    return obj


def weigh(body: bpy.types.Object, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
    """Set `measured_mass` of a body; unknown where it is too large to be weighed now, or not sound."""
    length = units.metres_per_unit(scene)
    mass = _mass(body, scene, view_layer, length)
    # Blender shows masses times the third power of the unit scale.
    shown = mass / length**3 if mass > 0.0 else UNKNOWN
    settings: Any = body.redmax.body
    if abs(settings.measured_mass - shown) > 1e-6 * abs(shown):
        with changes.ours():
            settings.measured_mass = shown


def _mass(body: bpy.types.Object, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, length: float) -> float:
    if body.library is not None or body.mode != "OBJECT" or view_layer.depsgraph is None:
        return 0.0
    modelled = Modelled(view_layer.depsgraph)
    all_parts = parts.Parts(scene, modelled, length)
    members = parts.members_of(body, all_parts.children)
    if sum(_polygons(obj, view_layer.depsgraph) for obj in members) > MOST_POLYGONS:
        return 0.0
    findings: list[Finding] = []
    element = extract_body(body, modelled, all_parts, length, findings)
    return element.frame.mass if element is not None else 0.0


def _polygons(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> int:
    """Faces of an object as evaluated; instances count as too many, for they are found only by walking the scene."""
    if parts.may_have_instances(obj):
        return MOST_POLYGONS + 1
    data: Any = obj.evaluated_get(depsgraph).data
    return len(data.polygons) if obj.type == "MESH" else 0
