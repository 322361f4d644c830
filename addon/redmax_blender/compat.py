# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between Blender 4.5 and 5.2, all of them, and F-curves by data-block.

An action has slots, and an F-curve belongs to one slot of one action. `Curves` is the F-curves of one slot.
Slots are referred to by handle, a number that survives renaming; 0 means no slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy


class Curves:
    """F-curves of one slot of an action. Use it at once and do not keep it."""

    def __init__(self, channelbag: Any) -> None:
        self._channelbag = channelbag

    def __iter__(self) -> Iterator[bpy.types.FCurve]:
        return iter(self._channelbag.fcurves)

    def find(self, data_path: str, index: int = 0) -> bpy.types.FCurve | None:
        """The F-curve of a property, None if there is none. index: component of a vector, 0 for a number."""
        curve: bpy.types.FCurve | None = self._channelbag.fcurves.find(data_path, index=index)
        return curve

    def new(self, data_path: str, index: int = 0, group: str = "") -> bpy.types.FCurve:
        """A new, empty F-curve; Blender raises RuntimeError if the property already has one."""
        curve: bpy.types.FCurve = self._channelbag.fcurves.new(data_path, index=index)
        if group:
            self._put_in_group(curve, group)
        return curve

    def ensure(self, data_path: str, index: int = 0, group: str = "") -> bpy.types.FCurve:
        """The F-curve of a property, made if there is none."""
        return self.find(data_path, index) or self.new(data_path, index, group)

    def remove(self, curve: bpy.types.FCurve) -> None:
        """Remove an F-curve; Blender removes its group with it if that is empty then."""
        self._channelbag.fcurves.remove(curve)

    def remove_path(self, data_path: str) -> None:
        """Remove all F-curves of a property."""
        for curve in [curve for curve in self if curve.data_path == data_path]:
            self.remove(curve)

    def copy(self, source: bpy.types.FCurve) -> bpy.types.FCurve:
        """A copy of an F-curve of any action: keys, modifiers, group and looks."""
        if hasattr(self._channelbag.fcurves, "new_from_fcurve"):
            curve: bpy.types.FCurve = self._channelbag.fcurves.new_from_fcurve(source)
            curve.array_index = source.array_index
        else:
            curve = self._channelbag.fcurves.new(source.data_path, index=source.array_index)
            _copy_contents(source, curve)
        if source.group is not None:
            self._put_in_group(curve, source.group.name)
        return curve

    def _put_in_group(self, curve: bpy.types.FCurve, name: str) -> None:
        groups = self._channelbag.groups
        curve.group = groups.get(name) or groups.new(name)


def new_action(name: str) -> bpy.types.Action:
    """A new, empty action that nobody uses yet."""
    return bpy.data.actions.new(name)


def action_of(id_data: Any) -> bpy.types.Action | None:
    """The action assigned to a data-block, if any."""
    action: bpy.types.Action | None = id_data.animation_data.action if id_data.animation_data else None
    return action


def slot_handle(id_data: Any) -> int:
    """Handle of the slot that animates a data-block, 0 if there is none."""
    if id_data.animation_data is None or id_data.animation_data.action_slot is None:
        return 0
    return int(id_data.animation_data.action_slot.handle)


def only_slot(action: Any) -> int:
    """Handle of the slot of an action that has one, 0 otherwise. Blender gives one to actions saved before 4.4."""
    return int(action.slots[0].handle) if len(action.slots) == 1 else 0


def slot_identifier(id_data: Any) -> str:
    """Identifier of the slot that animates a data-block, such as 'OBCube'; empty if there is none."""
    if not slot_handle(id_data):
        return ""
    return str(id_data.animation_data.action_slot.identifier)


def curves_of(id_data: Any) -> Curves | None:
    """The F-curves that animate a data-block, None if it has no action, no slot or no F-curves yet."""
    action = action_of(id_data)
    return None if action is None else curves_in(action, slot_handle(id_data))


def fcurves_of(id_data: Any) -> list[bpy.types.FCurve]:
    """The F-curves that animate a data-block, as a list to read from."""
    curves = curves_of(id_data)
    return [] if curves is None else list(curves)


def curves_in(action: Any, slot: int) -> Curves | None:
    """The F-curves of a slot of an action, None if there are none."""
    for layer in action.layers:
        for strip in layer.strips:
            for channelbag in strip.channelbags:
                if channelbag.slot_handle == slot:
                    return Curves(channelbag)
    return None


def every_curve(action: Any) -> list[bpy.types.FCurve]:
    """The F-curves of all slots of an action."""
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]


def assign_action(id_data: Any, action: bpy.types.Action | None, slot: int | str | None = None) -> None:
    """Let an action animate a data-block; None takes the present one away.

    slot: a handle or an identifier; 0 for no slot at all; None for the data-block's own slot, made if there is none.
    Raises LookupError if the action has no such slot.
    """
    if action is None:
        if id_data.animation_data is not None:
            id_data.animation_data.action = None
        return
    data = id_data.animation_data_create()
    if slot is None:
        chosen = _own_slot(id_data, action)
    elif slot == 0:
        chosen = None
    else:
        chosen = _find_slot(action, slot)
    if data.action != action:
        data.action = action
    data.action_slot = chosen


def ensure_fcurves(id_data: Any, action: bpy.types.Action | None = None) -> Curves:
    """The F-curves that animate a data-block, to add to, with everything they need made where it is missing.

    action: use this one and assign it; if None the present one, or a new one named after the data-block.
    """
    action = action or action_of(id_data) or new_action(id_data.name)
    if action_of(id_data) != action or not slot_handle(id_data):
        assign_action(id_data, action)
    return Curves(_channelbag(action, id_data.animation_data.action_slot))


def curves_for(id_data: Any, action: bpy.types.Action) -> tuple[Curves, int]:
    """F-curves of an action for a data-block that it does not animate (yet), and the handle of the slot they are in."""
    slot = _own_slot(id_data, action)
    return Curves(_channelbag(action, slot)), int(slot.handle)


def set_strip_slot(strip: Any, action: bpy.types.Action, slot: int) -> None:
    """Let an NLA strip play a slot of its action."""
    strip.action_slot = _find_slot(action, slot)


def animated_by(action: bpy.types.Action, slot: int) -> list[Any]:
    """Data-blocks that a slot of an action is assigned to."""
    return list(_find_slot(action, slot).users()) if slot else []


def replace_contents(action: bpy.types.Action, source: bpy.types.Action) -> None:
    """Give an action the F-curves of an earlier copy of it, slot by slot; slots the copy does not know are removed."""
    known = {slot.handle for slot in source.slots}
    for slot in [slot for slot in action.slots if slot.handle not in known]:
        action.slots.remove(slot)
    for handle in known:
        for curve in list(curves_in(action, handle) or ()):
            curves_in(action, handle).remove(curve)
        wanted = list(curves_in(source, handle) or ())
        if wanted:
            target = Curves(_channelbag(action, _find_slot(action, handle)))
            for curve in wanted:
                target.copy(curve)


def _channelbag(action: Any, slot: Any) -> Any:
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip: Any = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


_PREFIX = {"OBJECT": "OB", "SCENE": "SC", "CURVE": "CU"}
"""How identifiers of slots begin, by the sort of data-block they are for; we animate no others."""


def _own_slot(id_data: Any, action: Any) -> Any:
    """The slot made for a data-block of this name and sort, or a new one."""
    return action.slots.get(_PREFIX[id_data.id_type] + id_data.name) or action.slots.new(id_data.id_type, id_data.name)


def _find_slot(action: Any, slot: int | str) -> Any:
    for candidate in action.slots:
        if slot in (candidate.handle, candidate.identifier):
            return candidate
    raise LookupError(f"action '{action.name}' has no slot {slot!r}")


KEY_FIELDS = (
    ("co", 2, float),
    ("handle_left", 2, float),
    ("handle_right", 2, float),
    ("handle_left_type", 1, int),
    ("handle_right_type", 1, int),
    ("interpolation", 1, int),
    ("easing", 1, int),
    ("type", 1, int),
    ("back", 1, float),
    ("amplitude", 1, float),
    ("period", 1, float),
    ("select_control_point", 1, int),
    ("select_left_handle", 1, int),
    ("select_right_handle", 1, int),
)
_LOOKS = ("extrapolation", "color_mode", "color", "lock", "mute", "hide", "select", "auto_smoothing")


def _copy_contents(source: Any, curve: Any) -> None:
    """Looks, modifiers, keys or samples, one by one: before 5.0 Blender has no function for it.

    Keys come last, because settings of a curve let Blender compute its handles anew.
    """
    for name in _LOOKS:
        setattr(curve, name, getattr(source, name))
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    for modifier in source.modifiers:
        _copy_modifier(modifier, curve.modifiers.new(modifier.type))
    for modifier, original in zip(curve.modifiers, source.modifiers, strict=True):
        if original.active:
            curve.modifiers.active = modifier
    if source.sampled_points:
        _copy_samples(source, curve)
        return
    count = len(source.keyframe_points)
    curve.keyframe_points.add(count)
    for name, size, number in KEY_FIELDS:
        values = [number(0)] * (count * size)
        source.keyframe_points.foreach_get(name, values)
        curve.keyframe_points.foreach_set(name, values)


def _copy_samples(source: Any, curve: Any) -> None:
    """Samples can only be made from keys: one key per sample, straight lines between them."""
    first, last = (int(source.sampled_points[index].co[0]) for index in (0, -1))
    curve.keyframe_points.add(len(source.sampled_points))
    for point, sample in zip(curve.keyframe_points, source.sampled_points, strict=True):
        point.co = sample.co
        point.interpolation = "LINEAR"
    curve.convert_to_samples(first, last + 1)


def _copy_modifier(source: Any, modifier: Any) -> None:
    # The mode of a generator decides how many coefficients there are, so it comes first.
    names = [
        prop.identifier for prop in source.bl_rna.properties if not prop.is_readonly and prop.identifier != "active"
    ]
    for name in sorted(names, key=lambda name: name not in ("mode", "poly_order")):
        setattr(modifier, name, getattr(source, name))
    points = getattr(source, "control_points", ())
    for point in points:
        modifier.control_points.add(point.frame)
    if points:
        # Not `point.min = ...`: in 4.5 the update that follows takes the point for a modifier, and may crash.
        for name in ("frame", "min", "max"):
            modifier.control_points.foreach_set(name, [getattr(point, name) for point in points])
