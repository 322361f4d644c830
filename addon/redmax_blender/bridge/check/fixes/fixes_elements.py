# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about what elements refer to and have lost. Each function says in a sentence what it did."""

from __future__ import annotations

import bpy

from ....properties import generated, references, sorts
from ....properties.sorts import Reference
from ...authoring import build, elements
from ...core.findings import refuse
from ...objects.editable import require_editable

Object = bpy.types.Object


def _broken(obj: Object, wanted: str) -> list[Reference]:
    """wanted: 'ends' that mean bodies and joints, or 'places' of points."""
    require_editable([obj])
    found = [each for each in elements.broken(obj) if bool(each.sort) == (wanted == "ends")]
    if not found:
        raise refuse(obj.name, f"'{obj.name}' has lost nothing", "run Check again")
    return found


def pick_end(context: bpy.types.Context, obj: Object) -> str:
    """What is selected besides the element takes the place of what was lost or is missing, in order."""
    found = _broken(obj, "ends")
    used = {each.object() for each in sorts.references_of(obj.redmax)}
    selected = [
        other
        for other in context.view_layer.objects
        if other.select_get(view_layer=context.view_layer) and other not in used and other != obj
    ]
    picked = []
    for each in found:
        fitting = [other for other in selected if getattr(other.redmax, f"is_{each.sort}")]
        if fitting:
            references.clear(each.group, each.name)
            setattr(each.group, each.name, fitting[0])
            selected.remove(fitting[0])
            picked.append(fitting[0].name)
    if not picked:
        sort = found[0].sort
        raise refuse(obj.name, f"No {sort} is selected besides '{obj.name}'", f"select the {sort} that it should have")
    return f"'{obj.name}' refers to {' and '.join(repr(name) for name in picked)}"


def use_world(_context: bpy.types.Context, obj: Object) -> str:
    """Ends whose bodies were lost are held by the world."""
    found = [each for each in _broken(obj, "ends") if each.nullable]
    if not found:
        raise refuse(obj.name, f"'{obj.name}' needs what it has lost", "pick another, or remove it")
    for each in found:
        references.clear(each.group, each.name)
    return f"The world holds '{obj.name}'"


def clear_place(_context: bpy.types.Context, obj: Object) -> str:
    """Points whose objects were lost are where their own coordinates say."""
    for each in _broken(obj, "places"):
        references.clear(each.group, each.name)
        vertex = each.name.removesuffix("_at") + "_vertex"
        if vertex in each.group.bl_rna.properties:
            each.group.property_unset(vertex)
    return f"Points of '{obj.name}' are where their coordinates say"


def remove_element(context: bpy.types.Context, obj: Object) -> str:
    """The element goes, and its empty with it."""
    require_editable([obj])
    if not elements.broken(obj) and not sorts.generated_sorts(obj.redmax):
        raise refuse(obj.name, f"'{obj.name}' has lost nothing", "run Check again")
    name, depsgraph = obj.name, context.evaluated_depsgraph_get()
    if obj.redmax.is_joint:
        build.remove_joint(obj, depsgraph, keep_empty=bool(sorts.generated_sorts(obj.redmax)))
    else:
        elements.remove([obj], depsgraph)
    return f"Removed '{name}'"


def key_slider(context: bpy.types.Context, obj: Object) -> str:
    """Keys on the numbers of a drive's own that move joints."""
    require_editable([obj])
    sliders = [entry for entry in obj.redmax.drive.inputs if sorts.is_slider(entry)]
    if not sliders:
        raise refuse(obj.name, f"'{obj.name}' has no slider", "run Check again")
    frame = context.scene.frame_current_final
    for entry in sliders:
        entry.keyframe_insert(generated.column(sorts.SLIDER, 0), frame=frame)
    return f"Keyed the slider of '{obj.name}' at frame {frame:g}"


FIXERS = {
    "KEY_SLIDER": key_slider,
    "PICK_END": pick_end,
    "USE_WORLD": use_world,
    "CLEAR_PLACE": clear_place,
    "REMOVE_ELEMENT": remove_element,
}
