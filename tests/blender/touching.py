# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with surfaces, made as an artist makes them: by Blender's and RedMax's operators alone."""

from __future__ import annotations

from typing import Any

import bpy
import by_hand
from railed import select


def add_surface(*objects: Any, **options: Any) -> set[str]:
    select(*objects)
    return set(bpy.ops.redmax.add_surface(**options))


def crate(name: str = "Crate", at: Any = (0.0, 0.0, 2.0), size: Any = (1.0, 1.0, 1.0)) -> Any:
    """A box of water with a surface."""
    obj = by_hand.body(name, size, at)
    bpy.context.view_layer.update()
    add_surface(obj)
    return obj


def ground() -> Any:
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    bpy.ops.redmax.add_ground()
    return bpy.context.object


def crate_on_ground(height: float = 2.0) -> tuple[Any, Any]:
    below = ground()
    return crate(at=(0.0, 0.0, height)), below


def surface(name: str) -> Any:
    """The engine's surface of an object."""
    return next(each for each in by_hand.extract().scene.surfaces if each.name == name)
