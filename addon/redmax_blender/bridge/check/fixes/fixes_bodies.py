# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about bodies: hold them, scale them, weigh them. Each function says in a sentence what it did."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....properties import body as body_properties
from ...core.findings import refuse
from ...extract import weighing
from ...objects import joint_objects
from ...objects.editable import require_editable
from ...objects.joint_graph import JointGraph

Object = bpy.types.Object

THINNEST = 0.01
"""Side of a box around something flat, as a fraction of its longest side; a box of nothing has sides of 1 unit."""


def lock_active(context: bpy.types.Context, root: Object) -> str:
    """Lock the active body if it belongs to the mechanism and its lock would count, else the root."""
    graph = JointGraph.of(context.scene)
    active = context.view_layer.objects.active
    chosen = root
    if active is not None and active.redmax.is_body and active in graph.connected(root):
        # In a ring that nothing holds every body is carried; elsewhere a joint would have the last word.
        counts = graph.carrier(active) is None or graph.carrier(root) is not None
        chosen = active if counts else root
    require_editable([chosen])
    chosen.redmax.body.root = "LOCKED"
    return f"Locked '{chosen.name}'"


def keep_free(_context: bpy.types.Context, root: Object) -> str:
    require_editable([root])
    root.redmax.body.root = "FREE"
    root.redmax.body.keep_free = True
    return f"'{root.name}' may fall"


def apply_scale(context: bpy.types.Context, obj: Object) -> str:
    """Blender's own Apply Scale, for one object: shared meshes get a copy, children stay where they are."""
    require_editable([obj])
    if obj.mode != "OBJECT":
        raise refuse(obj.name, f"'{obj.name}' is being edited", "switch to Object Mode first")
    if obj.data is not None and obj.data.library is not None:
        raise refuse(obj.name, f"The data of '{obj.name}' is linked from another file", "make it local first")
    within: Any = context.temp_override(
        object=obj,
        active_object=obj,
        selected_objects=[obj],
        selected_editable_objects=[obj],
    )
    with within:
        try:
            bpy.ops.object.transform_apply(
                location=False, rotation=False, scale=True, properties=False, isolate_users=True
            )
        except RuntimeError as error:
            why = str(error).strip().removeprefix("Error: ")
            raise refuse(obj.name, f"Blender cannot apply the scale of '{obj.name}': {why}") from None
    return f"Applied the scale of '{obj.name}'"


def reset_scale(_context: bpy.types.Context, obj: Object) -> str:
    """A scale of zero has lost what it was: 1 is Blender's own."""
    require_editable([obj])
    settings: Any = obj
    settings.scale = [number if number != 0.0 else 1.0 for number in settings.scale]
    return f"Reset the scale of '{obj.name}'"


def use_hull(_context: bpy.types.Context, obj: Object) -> str:
    body = _body_of(obj)
    body.redmax.body.shape = body_properties.MESH
    body.redmax.body.mesh.approximation = "hull"
    return f"'{body.name}' is weighed by its hull"


def use_box(context: bpy.types.Context, obj: Object) -> str:
    """A box around the mesh; around what is flat or empty, a box that the panel shows the sides of."""
    body = _body_of(obj)
    settings: Any = body.redmax.body
    sides = joint_objects.extent_of(body, context.evaluated_depsgraph_get()).lengths
    thinnest = THINNEST * float(sides.max(initial=0.0))
    if body == obj and sides.min() < thinnest:
        settings.shape = "box"
        settings.box.size = np.maximum(sides, thinnest if thinnest > 0.0 else 1.0).tolist()
        return f"'{body.name}' is weighed as a box"
    if body.type == "EMPTY":
        settings.shape = "box"
        settings.box.size = (1.0, 1.0, 1.0)
        return f"'{body.name}' is weighed as a box of 1 m"
    settings.shape = body_properties.MESH
    settings.mesh.approximation = "box"
    return f"'{body.name}' is weighed by the box around it"


def enter_mass(_context: bpy.types.Context, obj: Object, mass: float | None = None) -> str:
    """mass: as Blender stores it; the one last entered if None."""
    body = _body_of(obj)
    settings: Any = body.redmax.body
    settings.mass_source = "MASS"
    if mass is not None:
        settings.mass = mass
    body.update_tag()
    return f"'{body.name}' has the mass you enter"


def _body_of(obj: Object) -> Object:
    """The body that an object is, or is a part of."""
    body = weighing.body_of(obj)
    if body is None:
        raise refuse(obj.name, f"'{obj.name}' belongs to no body any more", "run Check again")
    require_editable([body])
    return body


FIXERS = {
    "LOCK_ACTIVE": lock_active,
    "KEEP_FREE": keep_free,
    "APPLY_SCALE": apply_scale,
    "RESET_SCALE": reset_scale,
    "USE_HULL": use_hull,
    "USE_BOX": use_box,
    "ENTER_MASS": enter_mass,
}
