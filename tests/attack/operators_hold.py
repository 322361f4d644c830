# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold in the operator fuzz: pictures of the file to compare, and rules that hold after every step."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import bpy

from redmax_blender import compat
from redmax_blender.bridge.core import ties
from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.objects import kept
from redmax_blender.bridge.results import cache, preview
from redmax_blender.overlay import seen_joints
from redmax_blender.properties import sorts
from redmax_blender.properties.scene import integrator_of

UNKNOWN = "met an error it does not know"

TRANSFORMS = (*kept.CHANNELS, "scale")


def bits(values: Any) -> bytes:
    return struct.pack(f"{len(values)}d", *values)


def own_channels(obj: Any) -> dict[str, bytes]:
    """Channels as the artist left them, without those that keys or drivers write at every frame."""
    written = {curve.data_path for curve in _curves(obj)}
    if obj.animation_data is not None:
        written |= {curve.data_path for curve in obj.animation_data.drivers}
    own = kept.channels(obj)
    found = {name: bits(getattr(own, name)) for name in kept.CHANNELS if name not in written}
    if "scale" not in written:
        found["scale"] = bits(obj.scale)
    return found


def _curves(item: Any) -> Iterator[Any]:
    """F-curves of the action and of all strips."""
    data = item.animation_data
    if data is None:
        return
    if data.action is not None:
        yield from compat.fcurves_of(item)
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action is not None:
                slot = strip.action_slot
                yield from (compat.curves_in(strip.action, slot.handle) or ()) if slot is not None else ()


def keys_of(item: Any) -> list[Any]:
    """All keys of a thing, as numbers, with the paths of their channels."""
    return sorted(
        (curve.data_path, curve.array_index, [tuple(key.co) for key in curve.keyframe_points])
        for curve in _curves(item)
    )


def tracks_of(item: Any) -> list[Any]:
    data = item.animation_data
    if data is None:
        return []
    return [(track.name, [(s.name, s.frame_start, s.frame_end) for s in track.strips]) for track in data.nla_tracks]


def custom_of(item: Any) -> dict[str, Any]:
    """Custom properties that no keys write."""
    written = {curve.data_path for curve in _curves(item)}
    own = [key for key in item.keys() if key != "redmax" and f'["{key}"]' not in written]  # noqa: SIM118 (no mapping)
    return {key: repr(item[key]) for key in own}


def artists_file() -> dict[str, Any]:
    """Everything of objects and scenes that nothing which only shows or computes may change."""
    found: dict[str, Any] = {"actions": sorted(action.name for action in bpy.data.actions)}
    objects = [obj for obj in bpy.data.objects if obj.users_scene]
    # Blender does not save data of what was deleted.
    curves = {obj.data for obj in objects if obj.type == "CURVE"}
    for item in (*objects, *bpy.data.scenes, *curves):
        kind = type(item).__name__
        found[f"keys of {kind} {item.name}"] = keys_of(item)
        found[f"tracks of {kind} {item.name}"] = tracks_of(item)
        found[f"custom properties of {kind} {item.name}"] = custom_of(item)
    for obj in objects:
        found[f"rotation mode of {obj.name}"] = obj.rotation_mode
        for channel, value in own_channels(obj).items():
            found[f"{channel} of {obj.name}"] = value
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        f"{name}: {_shown(before.get(name))} -> {_shown(after.get(name))}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return str([float(f"{x:.9g}") for x in struct.unpack(f"{len(value) // 8}d", value)])
    return repr(value)[:200]


def digest() -> str:
    """Of what would be simulated; or why nothing would be."""
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    try:
        with preview.paused():
            found = extract.extract(scene, view_layer)
            extract.require_sound(found)
    except RedMaxError as error:
        return f"refused: {error}"
    return cache.fingerprint(found, integrator_of(scene))


def wrong_now() -> Iterator[str]:
    """Rules of showing that hold after every step."""
    state = bpy.context.window_manager.redmax
    for text in (state.message, state.failure, *(problem.text for problem in state.problems)):
        if UNKNOWN in text:
            yield f"TRACEBACK: said: {text}"
    placed = preview._placed
    for obj in bpy.context.scene.objects:
        moved = obj.redmax.kept.active and not obj.redmax.baked.active
        if moved != (obj.session_uid in placed):
            said = (
                "has its channels put aside and is not shown moved" if moved else "is shown moved and nothing is kept"
            )
            yield f"WRONG: '{obj.name}' {said}"
    if not preview.wanted(bpy.context.scene) and not bpy.context.scene.redmax.follow_coordinates and placed:
        here = [obj.name for obj in bpy.context.scene.objects if obj.session_uid in placed]
        if here:
            yield f"WRONG: {here} are shown moved, and nothing is to be shown"
    seen = seen_joints.known(bpy.context.scene, bpy.context.view_layer)
    seen_joints.matrices(seen, bpy.context.view_layer)


def wrong_of_elements() -> Iterator[str]:
    """Whatever is marked as a force, a constraint or the like is simulated, or Check says why not."""
    scene = bpy.context.scene
    with preview.paused():
        found = extract.extract(scene, bpy.context.view_layer)
    said = {finding.element for finding in found.findings if finding.severity == "ERROR"}
    off = {name for mechanism in found.mechanisms if not mechanism.enabled for name in mechanism.members}
    in_layer = {obj.name for obj in bpy.context.view_layer.objects}
    for obj in scene.objects:
        for sort in sorts.generated_sorts(obj.redmax) if obj.name in in_layer else ():
            listed = {element.name for element in getattr(found.scene, sort.listed)}
            ends = {each.object().name for each in sorts.references_of(obj.redmax) if each.object() is not None}
            if obj.name not in listed and not said & {obj.name, *ends} and not off & ends:
                yield f"WRONG: {sort.name} '{obj.name}' is not simulated, and nobody says why"
    for listed in ties.OTHERS:
        for element in getattr(found.scene, listed):
            for sort, name in ties.names_in(element):
                if name is not None and name not in {
                    each.name for each in getattr(found.scene, sorts.SORTS[sort].listed)
                }:
                    yield f"WRONG: '{element.name}' refers to {sort} '{name}', which is not simulated"


def wrong_when_paused() -> Iterator[str]:
    """While nothing is shown every object stands by its own channels, and showing again changes none of them."""
    before = {obj.name: own_channels(obj) for obj in bpy.data.objects}
    with preview.paused():
        for obj in bpy.data.objects:
            if obj.redmax.kept.active and not obj.redmax.baked.active:
                yield f"WRONG: '{obj.name}' is still moved while previews pause"
            elif not obj.redmax.baked.active:
                for name, value in before[obj.name].items():
                    if bits(getattr(obj, name)) != value:
                        there = _shown(bits(getattr(obj, name)))
                        yield f"WRONG: '{obj.name}' paused has {name} {there} for {_shown(value)}"
    for obj in bpy.data.objects:
        if own_channels(obj) != before[obj.name]:
            yield f"WRONG: pausing changed '{obj.name}': {differences(before[obj.name], own_channels(obj))}"


def wrong_of_result() -> Iterator[str]:
    """A result that is said to be up to date is."""
    scene = bpy.context.scene
    if not scene.redmax.result.identifier or scene.redmax.result.changed:
        return
    now = digest()
    if now != scene.redmax.result.identifier:
        yield f"WRONG: the result is not said to be old, and simulating gives another: {now[:200]}"
