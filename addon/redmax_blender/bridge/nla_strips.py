# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys as a strip on an NLA track of their own; other tracks are not touched."""

from __future__ import annotations

from typing import Any

import bpy

from .. import compat


def fill(owner: Any, track: Any, action: bpy.types.Action, slot: int, name: str, frames: tuple[float, float]) -> None:
    """Put a strip of an action's slot over the frames on an owner's empty track, and name both.

    Where other tracks move the owner too, they go on before and after the strip; else its ends are held.
    """
    alone = len(owner.animation_data.nla_tracks) == 1
    track.name = name
    strip = track.strips.new(name, int(frames[0]), action)
    compat.set_strip_slot(strip, action, slot)
    strip.action_frame_start, strip.action_frame_end = frames
    strip.frame_start, strip.frame_end = frames
    strip.blend_type, strip.influence = "REPLACE", 1.0
    strip.extrapolation = "HOLD" if alone else "NOTHING"


def remove(owner: Any, action: bpy.types.Action) -> None:
    """Take away all strips of an action, and the tracks that are empty then."""
    data = owner.animation_data
    if data is None:
        return
    for track in list(data.nla_tracks):
        strips = [strip for strip in track.strips if strip.action == action]
        for strip in strips:
            track.strips.remove(strip)
        if strips and not track.strips:
            data.nla_tracks.remove(track)
