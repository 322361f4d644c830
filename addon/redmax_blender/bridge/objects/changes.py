# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices that the artist changed something a result depends on: a cheap hint, without extracting anything.

The hint errs on the side of saying so; `cache.is_stale` knows for certain and is asked before a bake. What RedMax
itself writes (a preview, a bake, a measured mass) is done inside `ours`, so that it is not taken for an edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...properties import sorts
from ...properties.scene import frame_range, integrator_of

_settings: dict[int, Any] = {}
"""By session_uid of the scene: its settings when they were last looked at."""

_counts: dict[int, int] = {}
"""By session_uid of the scene: how many objects it had when they were last counted."""

_members: dict[int, set[int]] = {}
"""By session_uid of the scene: session_uid of the objects its mechanisms had when settings were last remembered, less
those that have gone."""

_names: dict[int, dict[int, str]] = {}
"""By session_uid of the scene: names of its bodies and joints, by their session_uid, when they were last looked at."""

_sources: set[int] = set()
"""session_uid of the objects that elements of the scene looked at last refer to beside bodies and joints: a point of a
spring may stand at any object."""

_depth = [0]


@contextmanager
def ours(*, evaluate: bool = True) -> Iterator[None]:
    """What is written inside is no edit of the artist. Blender evaluates it at the end, while that is still known."""
    _depth[0] += 1
    try:
        yield
    finally:  # also what was taken back after an error is no edit
        try:
            if evaluate and _depth[0] == 1:
                bpy.context.view_layer.update()
        finally:
            _depth[0] -= 1


def busy() -> bool:
    """True inside `ours`."""
    return _depth[0] > 0


def mechanism_objects(depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    """Objects of a mechanism that Blender has just evaluated because they were edited, also such that left it thereby.

    A button that edits a property of object.redmax tags the object's transform and geometry. A script's assignment
    does so only where the property has an update function: scripts rely on `cache.is_stale`.
    """
    changed = []
    members = _members.get(depsgraph.scene.session_uid, set())
    for update in depsgraph.updates:
        original = update.id.original
        if not isinstance(original, bpy.types.Object) or not (
            update.is_updated_transform or update.is_updated_geometry
        ):
            continue
        if belongs_to_mechanism(original) or original.session_uid in members:
            changed.append(original)
    return changed


def objects_added_or_removed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the scene has more or fewer objects than when this was last asked; a selection alone is none."""
    if not (depsgraph.id_type_updated("COLLECTION") or depsgraph.id_type_updated("SCENE")):
        return False
    now = len(scene.objects)
    before = _counts.setdefault(scene.session_uid, now)
    _counts[scene.session_uid] = now
    return now != before


def member_removed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object of a mechanism has gone since this was last asked: Blender evaluates nothing deleted."""
    members = _members.get(scene.session_uid)
    if not members or not (depsgraph.id_type_updated("COLLECTION") or depsgraph.id_type_updated("SCENE")):
        return False
    left = members & {obj.session_uid for obj in scene.objects}
    _members[scene.session_uid] = left
    return len(left) < len(members)


def keys_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether keys of a joint or of another element were edited."""
    actions = {
        update.id.original.name for update in depsgraph.updates if isinstance(update.id.original, bpy.types.Action)
    }
    if not actions:
        return False
    return any(
        sorts.is_element(obj.redmax)
        and not obj.redmax.is_body
        and obj.animation_data is not None
        and obj.animation_data.action is not None
        and obj.animation_data.action.name in actions
        for obj in scene.objects
    )


def belongs_to_mechanism(obj: bpy.types.Object) -> bool:
    """Whether it is an element, stands where one has a point, or may add its mass to a body above it."""
    if sorts.is_element(obj.redmax) or obj.session_uid in _sources:
        return True
    part: bpy.types.Object | None = obj
    while part is not None:
        if part.redmax.is_body:
            return True
        part = part.parent
    return False


def note_sources(objects: Iterable[bpy.types.Object]) -> None:
    """Objects that elements refer to, as the last extraction found them."""
    _sources.clear()
    _sources.update(obj.session_uid for obj in objects)


def names_changed(scene: bpy.types.Scene) -> bool:
    """Whether a body or a joint has another name than when this was last asked: results go by names.

    One that was not there then counts too. Blender evaluates nothing after renaming: it is told by its message bus.
    """
    now = {obj.session_uid: obj.name for obj in scene.objects if sorts.is_element(obj.redmax)}
    before = _names.setdefault(scene.session_uid, now)
    _names[scene.session_uid] = now
    return any(before.get(uid) != name for uid, name in now.items())


def settings_changed(scene: bpy.types.Scene) -> bool:
    """Whether gravity, units, frames, frame rate or accuracy differ from when they were last looked at."""
    now = settings_of(scene)
    before = _settings.setdefault(scene.session_uid, now)
    _settings[scene.session_uid] = now
    return bool(now != before)


def settings_of(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Settings of the scene that every result depends on."""
    units, render = scene.unit_settings, scene.render
    return (
        tuple(scene.gravity[:]),
        scene.use_gravity,
        units.system,
        units.scale_length,
        render.fps,
        render.fps_base,
        frame_range(scene),
        integrator_of(scene),
    )


def remember_settings(scene: bpy.types.Scene) -> None:
    """A result was made with settings, names and objects as they are now."""
    uid = scene.session_uid
    _settings[uid] = settings_of(scene)
    _members[uid] = {obj.session_uid for obj in scene.objects if belongs_to_mechanism(obj)}
    names_changed(scene)


def start_anew() -> None:
    """Another file is open, or undo has put one back: its results were made with its settings, or are marked."""
    _settings.clear()
    _counts.clear()
    _members.clear()
    _names.clear()
    _sources.clear()
    for scene in bpy.data.scenes:
        if scene.library is None:
            remember_settings(scene)
