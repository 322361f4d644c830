# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body is made of: its own geometry, its instances, and children that are neither bodies nor joints.

Blender evaluates objects whose eye is closed, but not those switched off with the screen icon, nor those in switched
off or excluded collections; and it lists instances of visible objects only. Whatever cannot be measured is refused by
name. A mesh without modifiers and shape keys needs no evaluation, so it is measured wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, pose
from ...properties.drawn import is_drawn
from ..core.findings import Finding
from ..objects import movers, other_frames
from ..objects.modelled import Modelled
from ..objects.movers import SHOW
from . import mesh

Array = arrays.Array

SURFACES = ("MESH", "CURVE", "SURFACE", "FONT")
"""Types of object that Blender turns into a mesh, alone and completely."""


class Piece(NamedTuple):
    """Geometry of one object in a body. owner: that object's name. B: (4, 4) from its coordinates [Blender units]
    to the body's frame [m]."""

    owner: str
    geometry: mesh.Geometry
    B: Array


def may_have_instances(obj: bpy.types.Object) -> bool:
    """Whether an object may show copies of other things."""
    by_nodes = any(modifier.type == "NODES" and modifier.show_viewport for modifier in obj.modifiers)
    return obj.instance_type != "NONE" or by_nodes


class Parts:
    """Finds the pieces of bodies in one evaluated scene."""

    def __init__(self, scene: bpy.types.Scene, modelled: Modelled, length: float) -> None:
        self.modelled, self.length = modelled, length
        self.depsgraph = modelled.depsgraph
        self.view_layer = self.depsgraph.view_layer
        self.in_layer = {obj.name_full for obj in self.view_layer.objects}
        self.children = children_of(scene)
        self._instances: dict[str, list[tuple[mesh.Geometry, Array]]] | None = None
        self._shared: dict[str, mesh.Geometry] = {}

    def pieces(
        self, body: bpy.types.Object, E_wb: Array, A: Array, findings: list[Finding], *, with_own: bool
    ) -> Iterator[Piece]:
        """All geometry of a body, its own only if asked for. What is wrong is added to findings.

        E_wb: the body's frame in Blender units. A: what its matrix has besides, see `frames.rigid_part`.
        """
        E_bw: Array | None = None
        members = list(members_of(body, self.children))
        operands = {name for obj in members for name in boolean_operands(obj)}
        for obj in members:
            is_part = obj != body
            if not is_part and not with_own:
                continue
            if is_part and (_adds_no_mass(obj) or obj.name_full in operands or _is_instanced_by_parent(obj)):
                continue
            if obj.type not in (*SURFACES, "META") and not may_have_instances(obj):
                continue
            if is_part and obj.name_full not in self.in_layer:
                text = f"'{obj.name}' is a part of '{body.name}', but its collection is excluded; it adds no mass"
                findings.append(Finding(obj.name, text, "include the collection, or clear its parent", "WARNING"))
                continue
            if is_part:
                findings.extend(_part_motion(obj, body))
            if is_part:
                E_bw = pose.inverse(E_wb) if E_bw is None else E_bw
                B = E_bw @ self.modelled.matrix(obj)
            else:
                B = A.copy()
            B[:3] *= self.length
            for geometry, M in self.geometry(obj, findings):
                yield Piece(obj.name, geometry, B if M is None else B @ M)

    def geometry(self, obj: bpy.types.Object, findings: list[Finding]) -> Iterator[tuple[mesh.Geometry, Array | None]]:
        """Meshes of one object with their place in its coordinates; None for its own, which is there."""
        shows_itself = obj.instance_type in ("NONE", "COLLECTION") or obj.show_instancer_for_viewport
        if obj.type == "META":
            text = f"'{obj.name}' is a metaball, which has no mass of its own"
            findings.append(Finding(obj.name, text, "convert it to a mesh (Object > Convert > Mesh)"))
        elif obj.type in SURFACES and shows_itself:
            own = self._own(obj, findings)
            if own is not None:
                yield own, None
        if may_have_instances(obj):
            if not obj.visible_get(view_layer=self.view_layer):
                text = f"'{obj.name}' is hidden, so its instances cannot be measured"
                findings.append(Finding(obj.name, text, SHOW))
            else:
                yield from self._all_instances().get(obj.name_full, ())

    def _own(self, obj: bpy.types.Object, findings: list[Finding]) -> mesh.Geometry | None:
        data: Any = obj.data
        if data.is_editmode:
            findings.append(Finding(obj.name, f"'{obj.name}' is being edited", "leave Edit Mode"))
            return None
        modifiers = other_frames.holder(obj, self.depsgraph).modifiers
        changed = data.shape_keys is not None or any(modifier.show_viewport for modifier in modifiers)
        if obj.type == "MESH" and not changed:
            if data.name_full not in self._shared:
                self._shared[data.name_full] = mesh.read(data)
            return self._shared[data.name_full]
        evaluated = obj.evaluated_get(self.depsgraph)
        if not evaluated.is_evaluated:
            text = f"'{obj.name}' is switched off in the viewport, so Blender does not compute its shape"
            findings.append(Finding(obj.name, text, SHOW))
            return None
        if obj.type == "MESH":
            evaluated_mesh: Any = evaluated.data
            return mesh.read(evaluated_mesh)
        try:
            return mesh.read(evaluated.to_mesh())
        finally:
            evaluated.to_mesh_clear()

    def _all_instances(self) -> dict[str, list[tuple[mesh.Geometry, Array]]]:
        """Meshes of all instances in the scene, by the object that shows them, in that object's coordinates."""
        if self._instances is None:
            self._instances = {}
            read: dict[int, mesh.Geometry] = {}
            for instance in self.depsgraph.object_instances:
                # Curves and texts are listed twice: as what they are, and as the mesh that they show.
                shown: Any = instance.object
                if not instance.is_instance or shown.type != "MESH" or instance.particle_system is not None:
                    continue
                pointer = shown.data.as_pointer()
                if pointer not in read:
                    read[pointer] = mesh.read(shown.data)
                parent = np.array(instance.parent.matrix_world, np.float64)
                M: Array = np.linalg.inv(parent) @ np.array(instance.matrix_world, np.float64)
                owner = instance.parent.original.name_full
                self._instances.setdefault(owner, []).append((read[pointer], M))
        return self._instances


def children_of(scene: bpy.types.Scene) -> dict[str, list[bpy.types.Object]]:
    """Children of every object of a scene by its name; Blender's own list walks all objects at every call."""
    children: dict[str, list[bpy.types.Object]] = {}
    for obj in scene.objects:
        if obj.parent is not None:
            children.setdefault(obj.parent.name_full, []).append(obj)
    return children


def members_of(body: bpy.types.Object, children: dict[str, list[bpy.types.Object]]) -> Iterator[bpy.types.Object]:
    """The body and everything below it that no other body claims, in order of name."""
    pending = [body]
    while pending:
        obj = pending.pop()
        yield obj
        below = [child for child in children.get(obj.name_full, ()) if not child.redmax.is_body]
        pending.extend(sorted(below, key=lambda child: child.name_full, reverse=True))


def boolean_operands(obj: bpy.types.Object) -> Iterator[str]:
    """Objects that only shape this one: they are part of its evaluated mesh, or cut away from it."""
    modifiers: Any = obj.modifiers
    for modifier in modifiers:
        if modifier.type != "BOOLEAN" or not modifier.show_viewport:
            continue
        if modifier.operand_type == "COLLECTION" and modifier.collection is not None:
            yield from (operand.name_full for operand in modifier.collection.all_objects)
        elif modifier.operand_type == "OBJECT" and modifier.object is not None:
            yield modifier.object.name_full


def _adds_no_mass(part: bpy.types.Object) -> bool:
    """Whether an object below a body is a joint, is drawn as a track, or is there for contact alone."""
    element: Any = part.redmax
    return element.is_joint or is_drawn(part) or (element.is_surface and element.surface.only_touches)


def _is_instanced_by_parent(obj: bpy.types.Object) -> bool:
    return obj.parent is not None and obj.parent.instance_type in ("VERTS", "FACES")


def _part_motion(part: bpy.types.Object, body: bpy.types.Object) -> Iterator[Finding]:
    moves = movers.motion_of(part)
    if moves:
        text = f"'{body.name}' has the part '{part.name}', {moves}; it is weighed where it stands at the first frame"
        yield Finding(part.name, text, f"make '{part.name}' a body on a joint of its own", "WARNING")
