# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Surface and Add Ground: shapes with which bodies and scenery touch, fitted to what is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import drawn
from ...properties import surface as surface_properties
from ...properties.sorts import SORTS
from ...properties.surface import HULL
from ..core import surface_fit
from ..core.findings import BridgeError, Finding, refuse
from ..extract import mesh, parts, surface_shapes
from ..extract import surfaces as extracted
from ..objects import frames, joint_objects, units
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from ..objects.modelled import Modelled
from . import elements

Array = arrays.Array
Object = bpy.types.Object

AUTOMATIC = "AUTO"

OF_EMPTIES = {"CUBE": surface_fit.BOX, "SPHERE": surface_fit.SPHERE, "CONE": surface_fit.CONE}
"""By how an empty looks, the shape that it is; a box for every other."""

GRID = 20
"""Squares of the ground in each direction: it is a plane without end, of which so much is shown."""


class Wishes(NamedTuple):
    """kind: of shape, or AUTOMATIC. material: a preset, empty to leave it. with_parts: meshes below a body get
    surfaces, too."""

    kind: str = AUTOMATIC
    material: str = ""
    with_parts: bool = True


def may_be_surface(obj: Object) -> bool:
    """Whether an object has a shape to touch with: geometry that is no track, or an empty that is no joint."""
    if obj.redmax.is_joint or drawn.is_drawn(obj):
        return False
    return obj.type in parts.SURFACES or obj.type == "EMPTY"


def add(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> list[Object]:
    """Give objects surfaces; those that have one get the shape anew. Everything is checked before anything is changed.

    Raises BridgeError with every object that no shape fits.
    """
    scene = context.scene
    depsgraph = context.evaluated_depsgraph_get()
    modelled, length = Modelled(depsgraph), units.metres_per_unit(scene)
    all_parts = parts.Parts(scene, modelled, length)
    chosen = list(dict.fromkeys(each for obj in objects for each in _meant(obj, all_parts, wishes)))
    require_editable(chosen)
    if not chosen:
        raise refuse("", "Nothing is selected that has a shape", "select meshes, or empties as large as the shape")
    graph = JointGraph.of(scene)
    findings: list[Finding] = []
    kinds = [_kind(obj, wishes, all_parts, modelled, length, findings, moves=_moves(obj, graph)) for obj in chosen]
    if findings:
        raise BridgeError(findings)
    for obj, kind in zip(chosen, kinds, strict=True):
        settings: Any = obj.redmax.surface
        settings.kind = kind
        if wishes.material:
            settings.material = wishes.material
        obj.redmax.is_surface = True
        obj.update_tag()
    return chosen


def _meant(obj: Object, all_parts: parts.Parts, wishes: Wishes) -> Iterable[Object]:
    """The object itself, and the meshes below it if it is a body."""
    below = list(parts.members_of(obj, all_parts.children)) if obj.redmax.is_body and wishes.with_parts else [obj]
    with_shape = [each for each in below if may_be_surface(each) and (each.type != "EMPTY" or each == obj)]
    if obj.type == "EMPTY" and len(with_shape) > 1:  # it only holds its parts together
        with_shape.remove(obj)
    return with_shape


def is_scenery(obj: Object) -> bool:
    """Whether a surface belongs to no body."""
    return extracted.owner_of(obj) is None


def _moves(obj: Object, graph: JointGraph) -> bool:
    """Whether forces can move what a surface belongs to."""
    owner = extracted.owner_of(obj)
    if owner is None:
        return False
    return graph.carrier(owner) is not None or owner.redmax.body.root != "LOCKED"


def _kind(
    obj: Object,
    wishes: Wishes,
    all_parts: parts.Parts,
    modelled: Modelled,
    length: float,
    findings: list[Finding],
    *,
    moves: bool,
) -> str:
    """The shape for an object; what is wrong is added to findings."""
    if obj.type == "EMPTY" and obj.instance_type == "NONE":
        return OF_EMPTIES.get(obj.empty_display_type, surface_fit.BOX) if wishes.kind == AUTOMATIC else wishes.kind
    if wishes.kind != AUTOMATIC:
        return wishes.kind
    try:
        _, A = modelled.rigid_part(obj)
        found = surface_shapes.polygons(obj, all_parts, A, length, findings)
        if found is None:
            if not findings:
                findings.append(Finding(obj.name, f"'{obj.name}' has no geometry", "add vertices to it"))
            return HULL
        volume = _volume(obj, all_parts, A, length)
        return surface_shapes.best_kind(found, moves=moves, volume=volume)
    except frames.FrameError as error:
        findings.append(Finding(obj.name, f"'{obj.name}' {error}", "give it a size"))
    except surface_shapes.NoShapeError as error:
        findings.append(Finding(obj.name, f"'{obj.name}' {error.text}", error.hint))
    return HULL


def _volume(obj: Object, all_parts: parts.Parts, A: Array, length: float) -> float | None:
    """Volume [m^3] that the geometry of an object encloses; None where it encloses none."""
    total = 0.0
    for geometry, M in all_parts.geometry(obj, []):
        bulk = mesh.measure(geometry).bulk
        if bulk is None:
            return None
        B = A if M is None else A @ M
        total += bulk.transformed(B).volume * length**3
    return total


def best_kind(context: bpy.types.Context, obj: Object) -> str:
    """The shape that suits an object best. Raises BridgeError."""
    modelled, length = Modelled(context.evaluated_depsgraph_get()), units.metres_per_unit(context.scene)
    all_parts = parts.Parts(context.scene, modelled, length)
    findings: list[Finding] = []
    moves = _moves(obj, JointGraph.of(context.scene))
    kind = _kind(obj, Wishes(), all_parts, modelled, length, findings, moves=moves)
    if findings:
        raise BridgeError(findings)
    return kind


def remove(objects: Sequence[Object]) -> None:
    """Objects touch nothing any more; what else they are they stay."""
    require_editable(objects)
    for obj in objects:
        obj.redmax.is_surface = False


def add_pair(context: bpy.types.Context, first: Object, second: Object) -> Object:
    """An element that says what two surfaces are like together; halfway between them."""
    places = [np.array(obj.matrix_world.translation, np.float64) for obj in (first, second)]
    name = f"{first.name} on {second.name}"
    return elements.add(context, SORTS["surface_pair"], "", [first, second], np.mean(places, axis=0), name=name)


# --- ground ----------------------------------------------------------------------------------


def add_ground(context: bpy.types.Context, objects: Sequence[Object], size: float) -> Object:
    """A plane without end below what is selected, or at the 3D cursor. size: of what is shown of it [Blender units]."""
    place = np.array(context.scene.cursor.location, np.float64)
    depsgraph = context.evaluated_depsgraph_get()
    standing = [obj for obj in objects if obj.type in parts.SURFACES and not drawn.is_drawn(obj)]
    if standing:
        corners = np.concatenate([_corners(obj, depsgraph) for obj in standing])
        middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        place = np.array([middle[0], middle[1], corners[:, 2].min()])
    ground = bpy.data.objects.new("Ground", _grid(size))
    context.collection.objects.link(ground)
    ground.location = place.tolist()
    ground.show_wire = True
    settings: Any = ground.redmax.surface
    settings.kind = surface_properties.PLANE
    ground.redmax.is_surface = True
    return ground


def _corners(obj: Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """(8, 3) corners of the box around an object, in the world."""
    return joint_objects.extent_of(obj, depsgraph).corners()


def _grid(size: float) -> bpy.types.Mesh:
    side = np.linspace(-0.5 * size, 0.5 * size, GRID + 1)
    vertices = [(x, y, 0.0) for y in side for x in side]
    row = GRID + 1
    faces = [
        (j * row + i, j * row + i + 1, (j + 1) * row + i + 1, (j + 1) * row + i)
        for j in range(GRID)
        for i in range(GRID)
    ]
    data = bpy.data.meshes.new("Ground")
    data.from_pydata(vertices, [], faces)
    data.update()
    return data
