# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes and removes elements of every generated sort: an empty of its own, which refers to bodies and joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import references, sorts
from ...properties.forms import fields_of
from ...properties.sorts import Reference, Sort
from ..core.findings import refuse
from ..objects import joint_objects
from ..objects.editable import require_editable
from . import shapes

Array = arrays.Array
Object = bpy.types.Object

SHAPES: dict[str, Any] = {"force": "SPHERE", "constraint": "CIRCLE", "strand": "PLAIN_AXES", "drive": "CUBE"}
PLAIN: Any = "PLAIN_AXES"
"""How the empty of a new element looks, by its sort."""

SIZE = 0.1
"""Size of a new empty as a fraction of the distance of what it refers to, or of the first body's size."""


def add(
    context: bpy.types.Context, sort: Sort, kind: str, ends: Sequence[Object], place: Array, *, name: str = ""
) -> Object:
    """A new element of a kind whose references mean `ends`, as many as there are. place: (3,) of its empty [Blender
    units]. Everything is checked before anything is changed."""
    require_editable(ends)
    cls = next(each for each in sort.classes() if each.kind == kind)
    for end in ends:
        if may_be_end(end, cls):
            continue
        if "surface" in ends_of(cls):
            raise refuse(end.name, f"'{end.name}' is no surface", "use Add Surface first")
        raise refuse(end.name, f"'{end.name}' is neither a body nor a joint", "use Make Mechanism first")
    depsgraph = context.evaluated_depsgraph_get()
    empty = _new_empty(context, sort, name or cls.label, ends, place, depsgraph)
    setattr(empty.redmax, sort.flag, True)
    settings = getattr(empty.redmax, sort.name)
    if sort.registry is not None:
        settings.kind = kind
    group = sort.own_group(settings)
    _make_lists(group, cls, ends)
    fill(group, cls, ends)
    _stand_at(group, cls, empty)
    return empty


def ends_of(cls: Any) -> tuple[str, ...]:
    """Sorts of what an element of a class acts on: surfaces where it refers to these, else bodies and joints."""
    meant = {field.spec.refers_to for field in fields_of(cls) if field.form == "reference"}
    return ("surface",) if "surface" in meant else ("body", "joint")


def may_be_end(obj: Object, cls: Any) -> bool:
    """Whether an element of a class may act on an object."""
    return any(getattr(obj.redmax, f"is_{sort}") for sort in ends_of(cls))


def _new_empty(
    context: bpy.types.Context,
    sort: Sort,
    name: str,
    ends: Sequence[Object],
    place: Array,
    depsgraph: bpy.types.Depsgraph,
) -> Object:
    E = np.eye(4)
    E[:3, 3] = place
    if ends:
        empty = joint_objects.new_empty(context.scene, name, ends[0], E)
        of_joint = ends[0].redmax.joint.parent if ends[0].redmax.is_joint else None
        joint_objects.follow(empty, ends[0] if ends[0].redmax.is_body else of_joint, depsgraph)
    else:
        empty = bpy.data.objects.new(name, None)
        context.collection.objects.link(empty)
        empty.location = place.tolist()
    empty.empty_display_type = SHAPES.get(sort.name, PLAIN)
    points = [joint_objects.place_of(end, depsgraph)[:3, 3] for end in ends]
    apart = max((float(np.linalg.norm(a - b)) for a in points for b in points), default=0.0)
    empty.empty_display_size = SIZE * apart if apart > 0.0 else SIZE
    return empty


def _make_lists(group: Any, cls: Any, ends: Sequence[Object]) -> None:
    """Entries for lists that need some: as many as there are ends to refer to, or to stand at."""
    for field in fields_of(cls):
        if field.form == "records":
            wanted = len(ends) if field.spec.least > 1 and _refers(field.spec.record) else 0
            for _ in range(max(field.spec.least, wanted)):
                getattr(group, field.name).add()
        elif field.form == "points":
            for end in ends:
                getattr(group, field.name).add().place_at = end


def _refers(cls: Any) -> bool:
    return any(field.form == "reference" for field in fields_of(cls))


def fill(group: Any, cls: Any, ends: Sequence[Object]) -> None:
    """Let references that mean nothing yet mean `ends`, each by its sort and in order."""
    waiting = list(ends)
    for each in sorts.references_in(group, cls):
        if not each.sort or each.object() is not None:
            continue
        fitting = [end for end in waiting if getattr(end.redmax, f"is_{each.sort}")]
        if fitting:
            setattr(each.group, each.name, fitting[0])
            waiting.remove(fitting[0])


def _stand_at(group: Any, cls: Any, empty: Object) -> None:
    """An element with a single point acts where its own empty stands."""
    points = [field for field in fields_of(cls) if field.form in ("point", "pose")]
    if len(points) == 1:
        setattr(group, f"{points[0].name}_at", empty)


def referring_to(scene: bpy.types.Scene, objects: Iterable[Object]) -> list[Object]:
    """Elements of generated sorts that refer to one of some objects as a body, a joint or a surface."""
    wanted = set(objects)
    return [
        obj
        for obj in scene.objects
        if obj not in wanted
        and sorts.generated_sorts(obj.redmax)
        and any(each.sort and each.object() in wanted for each in sorts.references_of(obj.redmax))
    ]


def remove(objects: Iterable[Object], depsgraph: bpy.types.Depsgraph, *, keep_empty: bool = False) -> list[str]:
    """Elements become ordinary objects again; empties that were nothing else are deleted, and so are objects that show
    them. Returns their names."""
    objects = list(objects)
    require_editable(objects)
    names = [obj.name for obj in objects]
    for shape in [shape for obj in objects for shape in shapes.shapes_of(obj)]:
        shapes.remove(shape)
    for obj in objects:
        for each in list(sorts.references_of(obj.redmax)):
            if not obj.redmax.is_joint or each.group != obj.redmax.joint:
                references.clear(each.group, each.name)
        for sort in sorts.generated_sorts(obj.redmax):
            setattr(obj.redmax, sort.flag, False)
        if obj.type == "EMPTY" and not keep_empty and not sorts.is_element(obj.redmax):
            joint_objects.hand_over_children(obj, depsgraph)
            bpy.data.objects.remove(obj)
    return names


def broken(obj: Object) -> list[Reference]:
    """References of an object that have lost what they meant, or lack what they need."""
    return [each for each in sorts.references_of(obj.redmax) if is_broken(each)]


def is_broken(each: Reference) -> bool:
    """Whether a reference has lost what it meant, or lacks what it needs."""
    meant = each.object()
    if references.is_lost(each.group, each.name):
        return True
    return not each.nullable if meant is None else meant.library is None and not meant.users_scene
