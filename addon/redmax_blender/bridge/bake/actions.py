# SPDX-License-Identifier: GPL-3.0-or-later
"""Where baked keys go, what they replace, and how that comes back.

Every object (and the scene) that a bake writes to carries a record, `redmax.baked`, of what was there:

- *New Action*: the record keeps the previous action and slot; F-curves of other channels (an Animated joint's
  coordinate, a colour) are copied into the new action, so that they go on. What the artist keys there meanwhile
  goes back with them.
- *NLA Track*: the new action is played by a strip on a track of its own. An active action would hide it where it has
  keys on the same channels: then it is recorded and replaced alike by one that holds its other channels.
- *Results* (torques, energies) are a strip of an action of their own on a track "RedMax Results", wherever the keys of
  the motion go. The owner's action is left alone.
- *Mesh Cache*: a modifier on the object of a rope reads a file; the record on its curve names that.
- *Current Action*: if keys of the artist's are in the way, the record keeps a copy of the action from before. Keys
  outside the baked frames stay.

Actions of a bake carry the custom property `redmax_bake`, so that they are known even after being copied.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from ... import compat
from ...properties import result_names
from ..objects import kept
from ..results import rope_files, strand_curves
from . import nla_strips
from .curve_digest import digest
from .transactions import MARK, Transaction

SEPARATOR = ","
RESULTS = "RESULTS"
"""Target of a bake that writes nothing but results to an owner."""
CACHE = "CACHE"
"""Target of a bake that wrote a file of points for the curve of a rope."""
APART = ("NEW", "NLA")
"""Targets whose keys are in an action of the bake's."""


def property_path(name: str) -> str:
    """Data path of a custom property."""
    return f'["{bpy.utils.escape_identifier(name)}"]'


def is_baked(owner: Any) -> bool:
    """Whether an object or a scene carries baked keys."""
    return bool(owner.redmax.baked.active)


def baked_owners(scene: bpy.types.Scene) -> list[Any]:
    """The scene's own objects and curves that carry baked keys, and the scene itself if it does."""
    objects: list[Any] = [obj for obj in scene.objects if obj.library is None and is_baked(obj)]
    objects += [data for data in _rope_data(scene) if is_baked(data)]
    return [*objects, scene] if is_baked(scene) else objects


def _rope_data(scene: bpy.types.Scene) -> list[Any]:
    """Data of the scene's curves that show strands, each once."""
    return list(dict.fromkeys(obj.data for obj in strand_curves.ropes(scene.objects)))


def has_bake(scene: bpy.types.Scene) -> bool:
    """Whether anything of the scene carries baked keys; stops at the first find."""
    own = any(is_baked(obj) for obj in scene.objects if obj.library is None)
    return own or is_baked(scene) or any(map(is_baked, _rope_data(scene)))


def adopt_slots() -> None:
    """Let records of bakes in Blender 4.3 and older refer to the slots that actions were given on opening the file.

    Without them Remove Bake would find no keys to take away. Records of newer bakes never have slot 0.
    """
    for owner in (*bpy.data.objects, *bpy.data.scenes):
        record: Any = owner.redmax.baked
        if owner.library is None and record.active and record.action is not None and record.slot == 0:
            record.slot = compat.only_slot(record.action)
            if record.previous_action is not None:
                record.previous_slot = compat.only_slot(record.previous_action)


def own_action(owner: Any) -> tuple[bpy.types.Action | None, int]:
    """The artist's action and slot of an owner, which a bake may have replaced."""
    record = owner.redmax.baked
    if record.active and record.target in APART:
        return record.previous_action, record.previous_slot
    if record.active and record.target in (RESULTS, CACHE):
        return compat.action_of(owner), compat.slot_handle(owner)
    if record.active and not record.had_action:
        return None, 0
    return compat.action_of(owner), compat.slot_handle(owner)


def begin_new(owner: Any, action: bpy.types.Action, replaced: Collection[str]) -> compat.Curves:
    """Let a bake's action animate the owner in place of its present one; gives the F-curves to add to.

    replaced: data paths that the bake writes; F-curves of all others are copied from the present action.
    """
    record = _record(owner, "NEW")
    record.previous_action = compat.action_of(owner)
    others = [curve for curve in compat.fcurves_of(owner) if curve.data_path not in replaced]
    compat.assign_action(owner, action)
    curves = compat.ensure_fcurves(owner, action)
    record.others = digest([curves.copy(curve) for curve in others])
    _finish(owner, action, replaced)
    return curves


def begin_nla(owner: Any, changes: Transaction, action: bpy.types.Action, replaced: Collection[str]) -> compat.Curves:
    """Make room for a bake beside the owner's present action; gives the F-curves to add to. `finish_nla` plays them."""
    record = _record(owner, "NLA")
    present = record.previous_action = compat.action_of(owner)
    curves = compat.fcurves_of(owner)
    others = [curve for curve in curves if curve.data_path not in replaced]
    if present is not None and len(others) < len(curves):
        if others:
            rest = changes.new_action(f"{present.name} beside bake")
            compat.assign_action(owner, rest)
            record.others = digest([compat.ensure_fcurves(owner, rest).copy(curve) for curve in others])
        else:
            compat.assign_action(owner, None)
    written, slot = compat.curves_for(owner, action)
    record.action, record.slot = action, slot
    record.paths = SEPARATOR.join(replaced)
    record.active = True
    return written


def finish_nla(owner: Any, changes: Transaction, name: str, frames: tuple[float, float]) -> None:
    """Play what was written on a new track of that name."""
    record = owner.redmax.baked
    held = not nla_strips.has_other_tracks(owner, MARK)
    nla_strips.fill(changes.new_track(owner, name), record.action, record.slot, name, frames, held=held)


def begin_results(owner: Any, action: bpy.types.Action) -> compat.Curves:
    """Record that a bake writes results to an owner, beside keys or alone; gives the F-curves to add to."""
    record = owner.redmax.baked
    if not record.active:
        record = _record(owner, RESULTS)
        record.active = True
    curves, slot = compat.curves_for(owner, action)
    record.results, record.results_slot = action, slot
    return curves


def finish_results(owner: Any, changes: Transaction, frames: tuple[float, float]) -> None:
    """Play the results that were written on their track. Nothing of them is selected, so that no artist moves them by
    accident; their ends are held, as those of F-curves are."""
    record = owner.redmax.baked
    for curve in compat.curves_in(record.results, record.results_slot) or ():
        curve.select = False
        unselected = [False] * len(curve.keyframe_points)
        for name in ("select_control_point", "select_left_handle", "select_right_handle"):
            curve.keyframe_points.foreach_set(name, unselected)
    track = changes.new_track(owner, result_names.TRACK)
    nla_strips.fill(track, record.results, record.results_slot, result_names.TRACK, frames, held=True)


def begin_current(owner: Any, changes: Transaction, name: str, replaced: Collection[str]) -> compat.Curves:
    """Make room for a bake in the owner's present action, or in a new one of that name if there is none."""
    record = _record(owner, "CURRENT")
    action = compat.action_of(owner)
    if action is None:
        action = changes.new_action(name)
    else:
        changes.protect(action)
        if any(curve.data_path in replaced for curve in compat.fcurves_of(owner)):
            record.previous_action = changes.copy_before(action)
    curves = compat.ensure_fcurves(owner, action)
    for data_path in replaced:
        curves.remove_path(data_path)
    _finish(owner, action, replaced)
    return curves


def begin_cache(data: Any, identifier: str) -> None:
    """Record that a file moves the points of a curve; the curve's own keys go on."""
    record = data.redmax.baked
    record.target, record.cache = CACHE, identifier
    record.had_animation_data = data.animation_data is not None
    record.active = True


def add_property(owner: Any, name: str, value: Any, tooltip: str) -> None:
    """Add a custom property, to be taken away with the bake."""
    owner[name] = value
    owner.id_properties_ui(name).update(description=tooltip)
    record = owner.redmax.baked
    record.channels = SEPARATOR.join([*names_of(record.channels), name])


def restore(owner: Any, changes: Transaction) -> None:
    """Bring back what was there before the bake, and forget the bake."""
    record = owner.redmax.baked
    if record.target == "NLA" and record.action is not None:
        changes.remove_strips(owner, record.action, keep_data=record.had_animation_data)
    if record.results is not None:
        changes.remove_strips(owner, record.results, keep_data=record.had_animation_data)
        changes.discard(record.results)
    if record.target in APART:
        _restore_assignment(owner, changes)
    elif record.target == CACHE:
        _restore_modifiers(owner, changes)
    elif record.target != RESULTS:
        _restore_curves(owner, changes)
    for name in names_of(record.channels):
        if name in owner:
            del owner[name]
    data = owner.animation_data
    if data is not None:
        if record.target not in (RESULTS, CACHE):
            data.action_influence = record.influence
            data.action_blend_type = record.blend_type
        if not record.had_animation_data and data.action is None and not data.drivers and not data.nla_tracks:
            owner.animation_data_clear()
    if isinstance(owner, bpy.types.Object):
        kept.restore(owner)
    _clear(record)


def _restore_assignment(owner: Any, changes: Transaction) -> None:
    """The previous action again, unless the artist has meanwhile given the owner another one; then it is not lost."""
    record = owner.redmax.baked
    present = compat.action_of(owner)
    if present is None or present == record.action or present.get(MARK):
        written = names_of(record.paths)
        others = [curve for curve in compat.fcurves_of(owner) if curve.data_path not in written]
        slots = {slot.handle for slot in getattr(record.previous_action, "slots", ())}
        slot = record.previous_slot if record.previous_slot in slots else 0
        compat.assign_action(owner, record.previous_action, slot)
        if present is not None and digest(others) != record.others:
            _take_over(owner, others, written, changes)
        changes.discard(present)
    elif record.previous_action is not None:
        changes.secure(record.previous_action)
    changes.discard(record.action)


def _restore_modifiers(data: Any, changes: Transaction) -> None:
    """No modifier reads the file of a rope any more. The file goes with the next save, unless that is undone."""
    for obj, modifier, _ in rope_files.readers(bpy.data.objects):
        if obj.data == data:
            changes.remove_modifier(obj, modifier.name)


def _take_over(owner: Any, others: list[bpy.types.FCurve], written: Collection[str], changes: Transaction) -> None:
    """Keys that the artist edited in a bake's action go on in the previous one, or in a copy if others use that."""
    action, slot = compat.action_of(owner), compat.slot_handle(owner)
    if action is None:
        compat.assign_action(owner, changes.artists_action(owner.name))
    elif not action.is_editable or any(user != owner for user in compat.animated_by(action, slot)):
        compat.assign_action(owner, changes.artists_action(action.name, action), slot)
    else:
        changes.protect(action)
    curves = compat.ensure_fcurves(owner)
    for curve in [curve for curve in curves if curve.data_path not in written]:
        curves.remove(curve)
    for curve in others:
        curves.copy(curve)


def _restore_curves(owner: Any, changes: Transaction) -> None:
    """The replaced F-curves again, in the action they were in; what else the artist did there stays."""
    record = owner.redmax.baked
    action = record.action
    if action is None:
        return
    curves = compat.curves_in(action, record.slot)
    if curves is not None:
        changes.protect(action)
        paths = names_of(record.paths)
        for data_path in (*paths, *(property_path(name) for name in names_of(record.channels))):
            curves.remove_path(data_path)
        before = record.previous_action and compat.curves_in(record.previous_action, record.slot)
        for curve in before or ():
            if curve.data_path in paths:
                curves.copy(curve)
    if not record.had_action and compat.action_of(owner) == action and not compat.fcurves_of(owner):
        compat.assign_action(owner, None)
        changes.discard(action)
    changes.discard(record.previous_action)


def _record(owner: Any, target: str) -> Any:
    """Begin a record of what is there; its action is entered when it is known."""
    record, data = owner.redmax.baked, owner.animation_data
    record.target = target
    record.had_animation_data = data is not None and not _only_strips_of_bakes(data)
    record.had_action = data is not None and data.action is not None
    record.previous_slot = compat.slot_handle(owner)
    data = data or owner.animation_data_create()
    record.influence, record.blend_type = data.action_influence, data.action_blend_type
    return record


def _only_strips_of_bakes(data: Any) -> bool:
    """Whether there is nothing but tracks of a former bake, which go when the next one is written."""
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    made = [strip for strip in strips if strip.action is not None and strip.action.get(MARK)]
    return data.action is None and not data.drivers and bool(strips) and len(made) == len(strips)


def _finish(owner: Any, action: bpy.types.Action, replaced: Collection[str]) -> None:
    """Nothing of the NLA may mix with the baked keys; the record says where they are."""
    owner.animation_data.action_influence = 1.0
    owner.animation_data.action_blend_type = "REPLACE"
    record = owner.redmax.baked
    record.action, record.slot = action, compat.slot_handle(owner)
    record.paths = SEPARATOR.join(replaced)
    record.active = True


def names_of(text: str) -> list[str]:
    return [name for name in text.split(SEPARATOR) if name]


def _clear(record: Any) -> None:
    for name in type(record).__annotations__:
        record.property_unset(name)
