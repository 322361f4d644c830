# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets made as an artist makes them: by Blender's and RedMax's operators alone."""

from __future__ import annotations

import math
from typing import Any

import bpy
from by_hand import add, cube, extract

RADIUS = 4.0


def select(*objects: Any, active: Any = None) -> None:
    for other in bpy.context.scene.objects:
        other.select_set(False)
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = active or objects[-1]


def ring_of_empties(count: int = 8, *, lift: float = 0.5) -> list[Any]:
    """Empties on a circle that rises and falls, with x along it."""
    found = []
    for k in range(count):
        angle = 2.0 * math.pi * k / count
        empty = add(f"Frame {k + 1}")
        empty.location = (RADIUS * math.cos(angle), RADIUS * math.sin(angle), lift * math.sin(2.0 * angle))
        empty.rotation_euler = (0.2, 0.0, angle + 0.5 * math.pi)
        found.append(empty)
    bpy.context.view_layer.update()
    return found


def cart(name: str = "Cart", angle: float = 0.3) -> Any:
    return cube(name, (0.4, 0.2, 0.2), (RADIUS * math.cos(angle), RADIUS * math.sin(angle), 0.1))


def from_empties(*, carts: int = 1) -> Any:
    """The track of a ring of empties with carts on it; the object that holds the list."""
    empties = ring_of_empties()
    bodies = [cart(f"Cart {k + 1}" if carts > 1 else "Cart", 0.3 + 0.2 * k) for k in range(carts)]
    select(*empties, *bodies)
    bpy.ops.redmax.add_track(cyclic=True)
    return bpy.data.objects["Track"]


def from_curve(*, carts: int = 1) -> Any:
    """The track along a tilted Bezier circle with carts on it."""
    bpy.ops.curve.primitive_bezier_circle_add(radius=RADIUS, rotation=(0.4, 0.0, 0.0))
    rail = bpy.context.object
    rail.name = "Rail"
    bodies = [cart(f"Cart {k + 1}" if carts > 1 else "Cart", 0.3 + 0.2 * k) for k in range(carts)]
    select(*bodies, rail)
    bpy.ops.redmax.add_track()
    return rail


MAKERS = {"empties": from_empties, "curve": from_curve}


def track_of(name: str | None = None) -> Any:
    """The engine's track, the only one if no name is given."""
    found = [track for track in extract().scene.tracks if name in (None, track.name)]
    assert len(found) == 1
    return found[0]
