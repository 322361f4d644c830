# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes baked to one file each: a Mesh Cache modifier moves the points of the curve before its tube is made.

The curve stays what renders, so that thickness, material and the artist's own modifiers are as before and may still be
changed; a mesh beside it would have to copy them, and would be eight times as large or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from ..._engine import arrays
from ..core import point_cache
from ..core.findings import Finding
from ..results import rope_files
from . import actions
from .transactions import Transaction

Array = arrays.Array

NAME = "RedMax Mesh Cache"


@dataclass(eq=False)
class Rope:
    """points: (frames, points, 3), where those of the object's curve are in its own coordinates."""

    obj: bpy.types.Object
    points: Array


def findings(obj: bpy.types.Object, count: int) -> Iterator[Finding]:
    """What keeps the curve of an object from being moved by a file of so many points."""
    if obj.library is not None or obj.override_library is not None:
        text = f"'{obj.name}' is linked or a library override, where a mesh cache has no place"
        yield Finding(obj.name, text, "bake ropes as keyed points")
    has = rope_files.point_count(obj.data)
    if has != count:
        text = f"The curve of '{obj.name}' has {has} points, its strand was simulated with {count}"
        yield Finding(obj.name, text, "remove the bake and simulate again")


def write(rope: Rope, first: float, changes: Transaction) -> None:
    """Write the file of a rope and let its curve follow that; begins at a frame."""
    content = point_cache.encoded(rope.points, first)
    identifier = point_cache.identifier(content)
    changes.store_points(identifier, content)
    actions.begin_cache(rope.obj.data, identifier)
    modifier: Any = changes.new_modifier(rope.obj, NAME, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.use_apply_on_spline = True
    modifier.interpolation = "LINEAR"
    modifier.time_mode, modifier.play_mode = "FRAME", "SCENE"
    modifier.frame_start, modifier.frame_scale = first, 1.0
    modifier.filepath = rope_files.path_of(identifier)
    modifier.show_expanded = False
