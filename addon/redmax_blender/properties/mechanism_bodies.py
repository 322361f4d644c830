# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that hang together, as the objects say: through joints, and held together by constraints and drives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import bpy

from .._engine import topology
from . import references, sorts

HOLDING = ("constraint", "drive")
"""Sorts that hold coordinates together, as `bridge.core.ties` has them of engine's scenes."""


def mechanism_bodies(start: Any) -> list[Any]:
    """Bodies that hang together with one, itself first."""
    return topology.connected(start, [edge for obj in bpy.data.objects for edge in _edges(obj)])


def bodies_meant(group: Any) -> list[Any]:
    """Bodies that an element's references mean, each once; for a joint what it carries. group: an object's `redmax`."""
    found: dict[Any, None] = {}
    for each in sorts.references_of(group):
        meant = references.target(each.group, each.name)
        if meant is None:
            continue
        if meant.object.redmax.is_body:
            found[meant.object] = None
        elif meant.object.redmax.is_joint and meant.object.redmax.joint.child is not None:
            found[meant.object.redmax.joint.child] = None
    return list(found)


def _edges(obj: Any) -> Iterator[tuple[Any, Any]]:
    group = obj.redmax
    if group.is_joint and group.joint.parent is not None and group.joint.child is not None:
        yield group.joint.parent, group.joint.child
    if any(getattr(group, f"is_{sort}") for sort in HOLDING):
        bodies = bodies_meant(group)
        yield from pairwise(bodies)
