# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys as a strip on an NLA track of their own; other tracks are not touched."""

from __future__ import annotations

from typing import Any

import bpy

from .. import compat


def push(owner: Any, action: bpy.types.Action, slot: int, name: str, frames: tuple[float, float]) -> Any:
    """A new track above all others with a strip of an action's slot over the frames; gives the track.

    Where other tracks move the owner too, they go on before and after the strip; else its ends are held.
    """
    data = owner.animation_data
    alone = not data.nla_tracks
    track = data.nla_tracks.new()
    try:
        track.name = name
        strip = track.strips.new(name, int(frames[0]), action)
        compat.set_strip_slot(strip, action, slot)
        strip.action_frame_start, strip.action_frame_end = frames
        strip.frame_start, strip.frame_end = frames
        strip.blend_type, strip.influence = "REPLACE", 1.0
        strip.extrapolation = "HOLD" if alone else "NOTHING"
        return track
    except BaseException:  # nobody knows of the track yet who would take it back
        data.nla_tracks.remove(track)
        raise


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
