# SPDX-License-Identifier: GPL-3.0-or-later
"""What else moves an object: keys, drivers, the NLA, constraints, Blender's physics, and the parents above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ... import compat
from ...properties import rigid_bodies
from ..core.findings import Finding
from . import frames

PLACE = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
DELTA = ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale")
SCALE = ("scale",)
SHOW = "show it in the viewport (eye and screen icon, also of its collections)"
RIGID_BODY = "Blender's rigid-body physics"
MUTE = "mute or remove it, or remove the body"


def is_active(curve: bpy.types.FCurve) -> bool:
    """Whether Blender evaluates the curve at all."""
    group = curve.group
    return not curve.mute and not (group is not None and group.mute)


def varies(curve: bpy.types.FCurve) -> bool:
    """Whether the curve has more than one value."""
    if any(not modifier.mute for modifier in curve.modifiers):
        return True
    points = curve.keyframe_points or curve.sampled_points
    co = np.empty(2 * len(points), np.float32)
    points.foreach_get("co", co)
    values = [co[1::2]]
    if curve.keyframe_points:
        for name in ("handle_left", "handle_right"):
            handles = np.empty_like(co)
            points.foreach_get(name, handles)
            values.append(handles[1::2])
    together = np.concatenate(values)
    return bool(together.size) and bool((together != together[0]).any())


def nla_curves(owner: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """F-curves that the NLA plays on a data-block."""
    data: Any = getattr(owner, "animation_data", None)
    if data is None or not data.use_nla:
        return
    pending = [strip for track in data.nla_tracks if not track.mute for strip in track.strips]
    while pending:
        strip = pending.pop()
        if strip.mute:
            continue
        pending.extend(strip.strips)
        if strip.action is not None:
            slot = strip.action_slot.handle if strip.action_slot is not None else 0
            yield from compat.curves_in(strip.action, slot) or ()


def driven_paths(owner: bpy.types.ID) -> set[str]:
    """Data paths of a data-block that have a driver."""
    data: Any = getattr(owner, "animation_data", None)
    return set() if data is None else {driver.data_path for driver in data.drivers if not driver.mute}


def animated_paths(owner: bpy.types.ID) -> set[str]:
    """Data paths of a data-block whose keys make them vary, in its action or the NLA."""
    curves = [*compat.fcurves_of(owner), *nla_curves(owner)]
    return {curve.data_path for curve in curves if is_active(curve) and varies(curve)}


def constraint_of(owner: Any) -> Any | None:
    """The first constraint of an object or pose bone that has an effect."""
    return next((c for c in owner.constraints if not c.mute and c.influence > 0.0), None)


def overriding(obj: bpy.types.Object) -> str:
    """What moves an object whatever its channels say, as in "a driver on its location"; empty if nothing does."""
    constraint = constraint_of(obj)
    if constraint is not None:
        return f"its constraint '{constraint.name}'"
    driven = driven_paths(obj) & {*PLACE, *DELTA, *SCALE}
    if driven:
        return f"a driver on its {sorted(driven)[0]}"
    delta = animated_paths(obj) & set(DELTA)
    if delta:
        return f"keys on its {sorted(delta)[0]}"
    return RIGID_BODY if rigid_bodies.is_simulated(obj) else ""


def motion_of(obj: bpy.types.Object) -> str:
    """How an object moves of itself, as in "which is animated"; empty if it stands still."""
    by = overriding(obj)
    if by:
        return f"which is moved by {by}"
    return "which is animated" if animated_paths(obj) & {*PLACE, *SCALE} else ""


def body_findings(obj: bpy.types.Object) -> Iterator[Finding]:
    """What else moves a body."""
    by = overriding(obj)
    if by:
        text = f"'{obj.name}' is also driven by {by}; the bake would be overwritten"
        fix = "REMOVE_RIGID_BODY" if by == RIGID_BODY else "MUTE"
        yield Finding(obj.name, text, MUTE, fixes=(fix,))
    animated = animated_paths(obj)
    if animated & set(PLACE) and not obj.redmax.baked.active:
        text = f"'{obj.name}' is animated; the bake replaces that motion, and Remove Bake brings it back"
        hint = "to follow keys, animate the coordinate of a joint instead"
        yield Finding(obj.name, text, hint, "WARNING")
    if animated & set(SCALE):
        text = f"'{obj.name}' changes its scale; its mass is that of the first frame"
        yield Finding(obj.name, text, "remove the keys on its scale", "WARNING")
    yield from ancestor_findings(obj)


def uncomputed(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Finding]:
    """An object that keys or constraints place, but Blender does not evaluate: where it stands is not known."""
    above: bpy.types.Object | None = obj
    if obj.evaluated_get(depsgraph).is_evaluated:
        return  # and so is everything it depends on
    while above is not None:
        moved = not frames.follows_channels(above, depsgraph) or motion_of(above)
        if moved and not above.evaluated_get(depsgraph).is_evaluated:
            text = f"'{above.name}' is switched off in the viewport, so Blender does not compute where it stands"
            yield Finding(obj.name, text, SHOW)
            return
        above = above.parent


def ancestor_findings(obj: bpy.types.Object) -> Iterator[Finding]:
    """A parent that carries a body along although the simulation does not know of it. One finding at most."""
    tied: bpy.types.Object | None = None  # the lowest object tied to more than its parent's transform
    child = obj
    while child.parent is not None:
        parent = child.parent
        if child.parent_type == "BONE":
            tied = tied or child
            moves = _armature_motion(parent)
        elif child.parent_type != "OBJECT":
            kind = child.parent_type.lower().replace("_", " ")
            text = f"'{obj.name}' follows '{parent.name}' through a parent of type {kind}"
            yield Finding(obj.name, text, f"parent '{child.name}' to the object itself")
            return
        else:
            moves = ""
        if parent.redmax.is_body:
            if tied is not None:
                text = f"'{obj.name}' follows a bone of '{tied.parent.name}', which hangs from the body '{parent.name}'"
                yield Finding(obj.name, text, f"parent '{tied.name}' to '{parent.name}' itself")
                return
            if not moves:
                return  # what moves that body is said of that body
        moves = moves or motion_of(parent)
        if moves:
            text = f"'{obj.name}' follows '{parent.name}', {moves}; only joints may move a body"
            hint = f"clear the parent (Keep Transform), or make '{parent.name}' a body on an Animated joint"
            yield Finding(obj.name, text, hint)
            return
        child = parent


def _armature_motion(armature: bpy.types.Object) -> str:
    owners: Iterable[Any] = (armature, armature.data) if armature.data is not None else (armature,)
    if any(animated_paths(owner) or driven_paths(owner) for owner in owners):
        return "whose bones are animated"
    if armature.pose is not None and any(constraint_of(bone) is not None for bone in armature.pose.bones):
        return "whose bones have constraints"
    return ""
