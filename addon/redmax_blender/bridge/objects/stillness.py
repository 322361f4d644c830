# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects look the same at every frame and stand where they are, or where their own keys put them.

Where all are such, no frame but the present one need be evaluated, however much else there is in the scene.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import bpy

from ... import compat
from ...properties import rigid_bodies
from ...properties.drawn import is_drawn
from . import animated_values, kept, movers
from .other_frames import StandIn

PURE_MODIFIERS = {
    *("ARRAY", "BEVEL", "DECIMATE", "EDGE_SPLIT", "MIRROR", "MULTIRES", "REMESH", "SKIN", "SOLIDIFY", "SUBSURF"),
    *("TRIANGULATE", "WELD", "WIREFRAME"),
}
"""Modifiers that know nothing of time; what they make depends on their object alone, unless they name another."""

CHANNELS = {*movers.PLACE, *movers.DELTA, *movers.SCALE}
"""What places an object beside its parent."""

OURS = ("redmax.", '["')
"""How data paths begin that move nothing by themselves: coordinates of joints, and custom properties."""


def stand_ins(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], frame: int) -> dict[int, StandIn] | None:
    """What holds the channels at a frame of those objects, and of all they hang on, that their own keys move.

    By session_uid; bodies with a bake stand as modelled. None where something else may change over time.
    """
    known: set[int] = set()
    found: dict[int, StandIn] = {}
    remapped = scene.render.frame_map_old != scene.render.frame_map_new
    for each in objects:
        obj: bpy.types.Object | None = each
        while obj is not None and obj.session_uid not in known:
            if not _keeps_its_shape(obj):
                return None
            moving = _moving_paths(obj)
            if moving:
                values = None if remapped else _keyed_channels(obj, moving, frame)
                if values is None:
                    return None
                found[obj.session_uid] = StandIn(obj, values)
            known.add(obj.session_uid)
            obj = obj.parent
    return found


def _keeps_its_shape(obj: Any) -> bool:
    """Whether nothing but keys and drivers can change an object over time. Errs on the side of no."""
    known = obj.type in ("MESH", "EMPTY") or (is_drawn(obj) and not obj.redmax.is_body)
    if not known or len(obj.constraints) or rigid_bodies.is_simulated(obj):
        return False
    if obj.instance_type != "NONE" or (obj.parent is not None and obj.parent_type != "OBJECT"):
        return False
    return not _animated_shape(obj) and all(_is_pure(modifier) for modifier in obj.modifiers)


def _moving_paths(obj: Any) -> set[str]:
    """What keys, the NLA or drivers change of an object, without what a bake wrote."""
    if obj.animation_data is None:
        return set()
    moving = {path for path in animated_values.paths_of(obj) | movers.driven_paths(obj) if not path.startswith(OURS)}
    if obj.redmax.baked.active and obj.redmax.kept.active:
        moving -= {*movers.PLACE}
    return moving


def _keyed_channels(obj: Any, moving: set[str], frame: int) -> dict[str, tuple[float, ...]] | None:
    """Channels of an object at a frame as Blender would evaluate them; None where more than keys of its own matters."""
    data = obj.animation_data
    by_others = {path for path in movers.driven_paths(obj) if not path.startswith(OURS)}
    if by_others or len(data.nla_tracks) or obj.redmax.baked.active or not moving <= CHANNELS:
        return None
    if sum(len(layer.strips) for layer in getattr(compat.action_of(obj), "layers", ())) > 1:
        return None
    own = kept.channels(obj)
    channels = {name: list(getattr(own if name in kept.CHANNELS else obj, name)) for name in {*moving, *kept.CHANNELS}}
    for curve in compat.fcurves_of(obj):
        if curve.data_path not in moving or not movers.is_active(curve) or curve.is_empty:
            continue
        value = curve.evaluate(frame)
        if not (curve.array_index < len(channels[curve.data_path]) and math.isfinite(value)):
            return None
        channels[curve.data_path][curve.array_index] = value
    return {name: tuple(values) for name, values in channels.items()}


def _animated_shape(obj: Any) -> bool:
    if obj.data is None:
        return False
    keys = getattr(obj.data, "shape_keys", None)
    return obj.data.animation_data is not None or (keys is not None and keys.animation_data is not None)


def _is_pure(modifier: Any) -> bool:
    if modifier.type not in PURE_MODIFIERS:
        return False
    return all(getattr(modifier, name) is None for name in _pointers(type(modifier).__name__))


@cache
def _pointers(kind: str) -> tuple[str, ...]:
    """Properties of a type of modifier that name other data-blocks."""
    properties = getattr(bpy.types, kind).bl_rna.properties
    pointers = [each for each in properties if each.type == "POINTER" and _is_data_block(each.fixed_type)]
    return tuple(each.identifier for each in pointers)


def _is_data_block(kind: Any) -> bool:
    while kind is not None and kind.identifier != "ID":
        kind = kind.base
    return kind is not None
