# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of a view layer there are to draw, what is known of each, and where each is now.

What is known is remembered until something of a joint changes. Objects are referred to by their place in the view
layer and their session_uid, never kept. Places are read anew for every redraw, all at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np

from .._engine import arrays
from ..bridge.check import joint_rows
from ..bridge.objects import frames, joint_objects
from ..properties import joint as joint_properties
from . import joint_glyphs

Array = arrays.Array
Object = bpy.types.Object


class State(NamedTuple):
    """What a joint's colour says. motion: 'simulated', 'animated' or 'locked'. off: its mechanism is switched off."""

    motion: str
    loop: bool
    off: bool


@dataclass(eq=False)
class Seen:
    """Joints of a view layer, n of them.

    index, uid: place in the view layer's objects, and session_uid (n,). states: of each. glyphs: the points (m, 3) of
    a glyph and the numbers of the joints that have it. loose: joints whose object does not move with its bodies.
    objects: how many the view layer has. version: of the rows of joints that loops were read from.
    """

    index: Any
    uid: Any
    states: list[State]
    glyphs: list[tuple[Array, Any]]
    loose: list[int]
    objects: int
    version: int
    modelled: dict[int, Array] = field(default_factory=dict)


NONE = Seen(np.zeros(0, np.intp), np.zeros(0, np.int32), [], [], [], 0, 0)
"""No joints, where the artist does not want to see them."""


def known(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Seen:
    """The joints of a view layer, remembered as long as they are the same."""
    place = (scene.session_uid, view_layer.name)
    seen = _seen.get(place)
    if seen is None or not _is_current(seen, view_layer):
        seen = _seen[place] = look(view_layer)
    return seen


def forget() -> None:
    """Something of a joint has changed, or another file is open."""
    _seen.clear()


_seen: dict[tuple[int, str], Seen] = {}


def _is_current(seen: Seen, view_layer: bpy.types.ViewLayer) -> bool:
    objects = view_layer.objects
    if len(objects) != seen.objects or joint_rows.version() != seen.version:
        return False
    uids = np.empty(len(objects), np.int32)
    objects.foreach_get("session_uid", uids)
    return bool((uids[seen.index] == seen.uid).all())


def look(view_layer: bpy.types.ViewLayer) -> Seen:
    """Read everything anew but where the joints are."""
    loops, off = _found_by_check()
    index: list[int] = []
    uid: list[int] = []
    states: list[State] = []
    loose: list[int] = []
    having: dict[int, tuple[Array, list[int]]] = {}
    objects = view_layer.objects[:]
    for place, obj in enumerate(objects):
        if not obj.redmax.is_joint:
            continue
        settings: Any = obj.redmax.joint
        state = State(settings.motion_type, obj.name in loops, obj.name in off)
        points = joint_glyphs.points(joint_properties.describe(settings), dashed=state.loop)
        having.setdefault(id(points), (points, []))[1].append(len(index))
        if _is_loose(obj, settings):
            loose.append(len(index))
        index.append(place)
        uid.append(obj.session_uid)
        states.append(state)
    return Seen(
        index=np.array(index, np.intp),
        uid=np.array(uid, np.int32),
        states=states,
        glyphs=[(points, np.array(members)) for points, members in having.values()],
        loose=loose,
        objects=len(objects),
        version=joint_rows.version(),
    )


def _found_by_check() -> tuple[set[str], set[str]]:
    """Names of joints that close loops, and of joints of mechanisms that are switched off, as Check last found."""
    loops: set[str] = set()
    off: set[str] = set()
    for mechanism in bpy.context.window_manager.redmax.mechanisms:
        loops.update(row.name for row in mechanism.joints if row.loop)
        if not mechanism.enabled:
            off.update(row.name for row in mechanism.joints)
    return loops, off


def _is_loose(obj: Object, settings: Any) -> bool:
    above = joint_objects.ancestors(obj)
    moves_along = settings.parent in above or settings.child in above
    return not moves_along and (settings.parent is not None or bool(above))


def matrices(seen: Seen, view_layer: bpy.types.ViewLayer) -> Array:
    """World matrices (n, 4, 4) of the joints at this instant: a joint moves with its parent body."""
    objects = view_layer.objects
    numbers = np.empty(len(objects) * 16, np.float32)
    objects.foreach_get("matrix_world", numbers)
    M: Array = numbers.reshape(-1, 4, 4)[seen.index].transpose(0, 2, 1).astype(np.float64)
    for joint in seen.loose:
        obj = objects[int(seen.index[joint])]
        parent = obj.redmax.joint.parent
        if any(_is_shown_elsewhere(one) for one in (obj, parent) if one is not None):
            M[joint] = _carried(seen, view_layer, obj, parent)
    return M


def _is_shown_elsewhere(obj: Object) -> bool:
    """Whether a preview or a bake moves an object, or something that it follows."""
    return any(one.redmax.kept.active for one in (obj, *joint_objects.ancestors(obj)))


def _carried(seen: Seen, view_layer: bpy.types.ViewLayer, obj: Object, parent: Object | None) -> Array:
    """Where a joint is whose object stays behind: moved from where it was modelled as its parent body is."""
    E_wj = _modelled(seen, view_layer, obj)
    if parent is None:
        return E_wj
    now = np.array(parent.matrix_world, np.float64)
    before = _modelled(seen, view_layer, parent)
    is_invertible = np.isfinite(before).all() and np.linalg.matrix_rank(before) == len(before)
    return now @ np.linalg.inv(before) @ E_wj if is_invertible else E_wj


def _modelled(seen: Seen, view_layer: bpy.types.ViewLayer, obj: Object) -> Array:
    uid = obj.session_uid
    if uid not in seen.modelled:
        seen.modelled[uid] = frames.modelled_matrix(obj, view_layer.depsgraph)
    return seen.modelled[uid]
