# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about surfaces. Each function says in a sentence what it did."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Vector

from ....properties import surface as surface_properties
from ...authoring import make_mechanism, surfaces
from ...core import start_overlaps, surface_fit
from ...core.findings import refuse
from ...core.start_overlaps import Overlap
from ...extract import extraction as extract
from ...extract import surfaces as extracted
from ...objects import units
from ...objects.editable import require_editable
from ...objects.joint_graph import JointGraph
from ...objects.named_objects import local_object
from ..findings import surface_findings

Object = bpy.types.Object

CLEAR = 1e-5
"""How much further than out a body is moved, as a part of the depth: places are single precision."""


def add_surfaces(context: bpy.types.Context) -> str:
    """Bodies that touch nothing while others do get surfaces."""
    bodies = surface_findings.untouched(extract.extract(context.scene, context.view_layer), context.scene)
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
    return f"'{obj.name}' touches as {surface_properties.called(kind)}"


def fit_surface(context: bpy.types.Context, obj: Object) -> str:
    """The shape that suits it best."""
    _require_surface(obj)
    return _set_kind(obj, surfaces.best_kind(context, obj))


def use_hull(_context: bpy.types.Context, obj: Object) -> str:
    return _set_kind(obj, surface_properties.HULL)


def use_pieces(_context: bpy.types.Context, obj: Object) -> str:
    return _set_kind(obj, surface_properties.PIECES)


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


def _overlap(context: bpy.types.Context, obj: Object) -> Overlap:
    """The deepest overlap of a surface, which is its first; refuses one that starts inside nothing."""
    found = extract.extract(context.scene, context.view_layer)
    for each in start_overlaps.overlaps(found.scene, found.digest):
        if each.a == obj.name:
            return each
        if each.b == obj.name:
            return Overlap(each.b, each.a, each.depth, -each.normal)
    raise refuse(obj.name, f"'{obj.name}' starts inside nothing any more", "run Check again")


def separate(context: bpy.types.Context, obj: Object) -> str:
    """The body moves straight out of what it starts inside of; it is not turned."""
    _require_surface(obj)
    found = _overlap(context, obj)
    body = extracted.owner_of(obj)
    if body is None or JointGraph.of(context.scene).carrier(body) is not None:
        raise refuse(obj.name, f"'{obj.name}' cannot be moved by itself", "move its mechanism, or what it is inside of")
    require_editable([body])
    step = found.normal * (1.0 + CLEAR) * found.depth / units.metres_per_unit(context.scene)
    M = body.matrix_world.copy()
    M.translation += Vector(step.tolist())
    body.matrix_world = M
    return f"Moved '{body.name}' out of '{found.b}'"


def ignore_pair(context: bpy.types.Context, obj: Object) -> str:
    """A group of its own, which the other surface does not touch."""
    settings = _require_surface(obj)
    found = _overlap(context, obj)
    other: Any = local_object(found.b)
    require_editable([other])
    taken = {each.redmax.surface.group for each in context.scene.objects if each.redmax.is_surface and each != obj}
    if settings.group in taken:
        free = [group for group in range(surface_properties.GROUPS) if group not in taken]
        if not free:
            raise refuse(obj.name, "All groups of surfaces are in use", "put some surfaces into the same group")
        settings.group = free[0]
    other.redmax.surface.touches[settings.group] = False
    other.update_tag()
    return f"'{obj.name}' and '{other.name}' do not touch each other"


FIXERS = {
    "FIT_SURFACE": fit_surface,
    "USE_HULL_SURFACE": use_hull,
    "USE_PIECES_SURFACE": use_pieces,
    "USE_BOX_SURFACE": use_box,
    "USE_MESH_SURFACE": use_mesh,
    "REMOVE_SURFACE": remove_surface,
    "SEPARATE": separate,
    "IGNORE_PAIR": ignore_pair,
}
OF_SCENES = {"ADD_SURFACES": add_surfaces}
