# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about surfaces. Each function says in a sentence what it did."""

from __future__ import annotations

from typing import Any

import bpy

from ....properties import surface as surface_properties
from ...authoring import make_mechanism, surfaces
from ...core import surface_fit
from ...core.findings import refuse
from ...extract import surfaces as extracted
from ...objects.editable import require_editable
from ..findings import surface_findings

Object = bpy.types.Object


def add_surfaces(context: bpy.types.Context) -> str:
    """Bodies that touch nothing while others do get surfaces."""
    bodies = surface_findings.untouched(context.scene)
    if not bodies:
        raise refuse("", "Every body has a surface", "run Check again")
    made = surfaces.add(context, bodies, surfaces.Wishes())
    return f"Added {make_mechanism.listed([obj.name for obj in made])} as surfaces"


def _require_surface(obj: Object) -> Any:
    require_editable([obj])
    if not obj.redmax.is_surface:
        raise refuse(obj.name, f"'{obj.name}' is no surface any more", "run Check again")
    return obj.redmax.surface


def _set_kind(obj: Object, kind: str) -> str:
    _require_surface(obj).kind = kind
    label = next(item[1] for item in surface_properties.kind_items() if item[0] == kind)
    return f"'{obj.name}' touches as a {label.lower()}"


def fit_surface(context: bpy.types.Context, obj: Object) -> str:
    """The shape that suits it best."""
    _require_surface(obj)
    return _set_kind(obj, surfaces.best_kind(context, obj))


def use_hull(_context: bpy.types.Context, obj: Object) -> str:
    return _set_kind(obj, surface_properties.HULL)


def use_box(_context: bpy.types.Context, obj: Object) -> str:
    return _set_kind(obj, surface_fit.BOX)


def use_mesh(_context: bpy.types.Context, obj: Object) -> str:
    if extracted.owner_of(obj) is not None:
        raise refuse(obj.name, f"'{obj.name}' moves with a body, and meshes are for scenery", "give it thickness")
    return _set_kind(obj, surface_properties.MESH)


def remove_surface(_context: bpy.types.Context, obj: Object) -> str:
    _require_surface(obj)
    surfaces.remove([obj])
    return f"'{obj.name}' is no surface any more"


FIXERS = {
    "FIT_SURFACE": fit_surface,
    "USE_HULL_SURFACE": use_hull,
    "USE_BOX_SURFACE": use_box,
    "USE_MESH_SURFACE": use_mesh,
    "REMOVE_SURFACE": remove_surface,
}
OF_SCENES = {"ADD_SURFACES": add_surfaces}
