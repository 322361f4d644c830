# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform channels as the artist left them, put aside while a preview or a bake moves an object."""

from __future__ import annotations

from typing import Any

import bpy

CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


def keep(obj: bpy.types.Object) -> None:
    """Put the channels aside, unless they already are; all of them or none."""
    kept: Any = obj.redmax.kept
    if kept.active:
        return
    try:
        for name in CHANNELS:
            setattr(kept, name, getattr(obj, name))
        kept.active = True
    except BaseException:
        for name in CHANNELS:
            kept.property_unset(name)
        raise


def restore(obj: bpy.types.Object) -> None:
    """Bring the channels back and forget them; nothing happens if none were put aside.

    Where something interrupts it, the next call brings back the rest.
    """
    kept: Any = obj.redmax.kept
    if kept.active:
        for name in CHANNELS:
            if kept.is_property_set(name):
                setattr(obj, name, getattr(kept, name))
                kept.property_unset(name)
        kept.property_unset("active")


def channels(obj: bpy.types.Object) -> Any:
    """Whatever holds the artist's own channels: the object, or what was put aside."""
    return obj.redmax.kept if obj.redmax.kept.active else obj
