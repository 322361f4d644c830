# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that stand for frames of a track or sheet: what would move them although the track does not bend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ...core.findings import Finding
from ...objects import joint_objects, movers

Object = bpy.types.Object

ONE = 1e-5
"""Scales this near to 1 are 1."""

MOVED, FOLLOWS, SCALED = "frame_moves", "frame_follows", "frame_scaled"
"""Codes of findings."""


def carrier(obj: Object) -> Object | None:
    """The body that an object is, or is moved by in Blender as its child; None if it stands in the world."""
    return next((each for each in (obj, *joint_objects.ancestors(obj)) if each.redmax.is_body), None)


def findings(owner: Object, title: str, frame: Object) -> Iterator[Finding]:
    """What is to be said of one frame. owner: the object of the track or sheet; title: its sort and name."""
    whose = f"'{frame.name}', a frame of {title},"
    body, home = carrier(frame), carrier(owner)
    if body is not None and body != home:
        text = f"{whose} follows the body '{body.name}'" if body != frame else f"{whose} is a body"
        hint = f"clear its parent (Keep Transform), or parent '{owner.name}' to '{body.name}' too"
        fixes = ("CLEAR_PARENT",) if body != frame else ("REMOVE_FRAMES",)
        yield Finding(frame.name, f"{text}, but the track does not bend", hint, fixes=fixes, code=FOLLOWS)
    elif moves := motion_on(frame, body):
        text = f"{whose} is {moves}, but the track does not bend: it runs as at the first frame"
        yield Finding(frame.name, text, "freeze it there", "WARNING", ("FREEZE",), code=MOVED)
    scale: Any = frame.scale
    if np.abs(np.array(scale) - 1.0).max() > ONE:
        shown = ", ".join(f"{number:.3g}" for number in scale)
        text = f"{whose} has scale ({shown}), which says nothing; only its place and axes count"
        yield Finding(
            frame.name, text, "set its scale to 1, and its display size instead", "INFO", ("UNIT_SCALE",), code=SCALED
        )


def own_motion(owner: Object, title: str) -> Iterator[Finding]:
    """What is to be said of the object of a track or sheet itself."""
    if moves := motion_on(owner, carrier(owner)):
        text = f"{title} is {moves}, but it runs as at the first frame"
        hint = "freeze it there, or parent it to a body that moves, and let its joints have that body as parent"
        yield Finding(owner.name, text, hint, "WARNING", ("FREEZE",), code=MOVED)


def motion_on(obj: Object, body: Object | None) -> str:
    """'animated', 'moved by ...', or that an object above it is; empty if it stands still on its body."""
    for each in (obj, *joint_objects.ancestors(obj)):
        if each == body:
            return ""
        if moves := movers.motion_of(each):
            what = moves.removeprefix("which is ")
            return what if each == obj else f"carried along by '{each.name}', which is {what}"
    return ""
