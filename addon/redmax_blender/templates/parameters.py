# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of templates, shown in the redo panel. Lengths are entered for a scene in metres and scaled to others."""

from typing import Any

import bpy

from ..properties import materials

MOST_UNITS = 1e10
"""Longest length [Blender units]: ten metres where Blender's unit is the smallest there is, a nanometre."""

MOST_SECONDS = 1e4
"""Longest duration [s]: at 100 frames per second about as many frames as Blender has."""

MOST_TURNS = 1e5


def length(name: str, description: str, default: float, *, least: float = 1e-4) -> Any:
    return bpy.props.FloatProperty(
        name=name,
        description=description,
        default=default,
        min=least,
        max=MOST_UNITS,
        soft_max=1e4,
        unit="LENGTH",
        precision=3,
    )


def angle(name: str, description: str, default: float, *, least: float = -6.2832, most: float = 6.2832) -> Any:
    """default, least and most in radians."""
    return bpy.props.FloatProperty(
        name=name, description=description, default=default, min=least, max=most, unit="ROTATION"
    )


def count(name: str, description: str, default: int, *, least: int = 1, most: int = 1000, soft: int = 100) -> Any:
    return bpy.props.IntProperty(
        name=name, description=description, default=default, min=least, max=most, soft_max=soft
    )


def turns(name: str, description: str, default: float) -> Any:
    return bpy.props.FloatProperty(
        name=name,
        description=description,
        default=default,
        min=-MOST_TURNS,
        max=MOST_TURNS,
        soft_min=-1000.0,
        soft_max=1000.0,
    )


def seconds(name: str, description: str, default: float) -> Any:
    return bpy.props.FloatProperty(
        name=name,
        description=description,
        default=default,
        min=0.1,
        max=MOST_SECONDS,
        soft_max=20.0,
        unit="TIME_ABSOLUTE",
    )


def factor(name: str, description: str, default: float, *, most: float) -> Any:
    return bpy.props.FloatProperty(
        name=name, description=description, default=default, min=0.0, max=most, subtype="FACTOR", precision=3
    )


def rate(name: str, description: str, default: float, *, least: float, most: float) -> Any:
    """A frequency [Hz]."""
    return bpy.props.FloatProperty(
        name=name, description=f"{description} [Hz]", default=default, min=least, max=most, precision=2
    )


def switch(name: str, description: str, *, default: bool) -> Any:
    return bpy.props.BoolProperty(name=name, description=description, default=default)


def material(name: str, description: str, default: str) -> Any:
    items = [item for item in materials.ITEMS if item[0] != materials.CUSTOM]
    return bpy.props.EnumProperty(name=name, description=description, items=items, default=default)


def choice(name: str, description: str, items: list[tuple[str, str, str, int]], default: str) -> Any:
    return bpy.props.EnumProperty(name=name, description=description, items=items, default=default)
