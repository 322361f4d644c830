# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked keys, and results, as a strip on an NLA track of their own; other tracks are not touched."""

from __future__ import annotations

from typing import Any

import bpy

from ... import compat


def fill(
    track: Any, action: bpy.types.Action, slot: int, name: str, frames: tuple[float, float], *, held: bool
) -> None:
    """Put a strip of an action's slot over the frames on an empty track, and name both; neither is selected.

    held: its ends are held before and after the frames, over whatever other tracks play on the same channels.
    """
    track.name = name
    strip = track.strips.new(name, int(frames[0]), action)
    compat.set_strip_slot(strip, action, slot)
    strip.action_frame_start, strip.action_frame_end = frames
    strip.frame_start, strip.frame_end = frames
    strip.blend_type, strip.influence = "REPLACE", 1.0
    strip.extrapolation = "HOLD" if held else "NOTHING"
    strip.select = track.select = False


def has_other_tracks(owner: Any, mark: str) -> bool:
    """Whether the artist has tracks with something on them; mark: custom property of the actions of bakes."""
    strips = [strip for track in owner.animation_data.nla_tracks for strip in track.strips]
    return any(strip.action is None or not strip.action.get(mark) for strip in strips)


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
