# SPDX-License-Identifier: GPL-3.0-or-later
"""What templates with contact share: surfaces, boards that things stand on, and how bodies start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .._engine import arrays
from . import shells
from .assembly import Assembly, Object, Part, at
from .paint import Paint

Array = arrays.Array


def touch(obj: Object, kind: str, *, friction: float = 0.5, bounce: float = 0.0) -> Object:
    """Give an object a surface."""
    settings: Any = obj.redmax.surface
    settings.kind, settings.friction, settings.bounce = kind, friction, bounce
    obj.redmax.is_surface = True
    return obj


def bumper(
    made: Assembly, name: str, body: Object, kind: str, size: Sequence[float] | Array, frame: Array, **material: float
) -> Object:
    """A surface of a body that is an empty below it: the body's mesh shows more than what touches.

    size: (3,) sides of the box around the shape. frame: (4, 4) relative to the body.
    """
    obj = bpy.data.objects.new(name, None)
    made.collection.objects.link(obj)
    obj.empty_display_type = "SPHERE" if kind == "sphere" else "CUBE"
    obj.empty_display_size = 0.5
    obj.parent = body
    obj.matrix_basis = Matrix((np.asarray(frame) @ np.diag([*size, 1.0])).tolist())
    made.objects.append(obj)
    return touch(obj, kind, **material)


def board(
    made: Assembly, name: str, size: Sequence[float], paint: Paint, above: Sequence[Part] = (), **material: float
) -> Object:
    """A locked slab whose top is at height 0, where its origin is; things stand on it. above: what else is part of it,
    and touches nothing."""
    bevel = min(0.02 * min(size[:2]), 0.3 * size[2])
    slab = shells.moved(shells.block(size, bevel=bevel), (0.0, 0.0, -0.5 * size[2]))
    obj = made.body(name, [(slab, paint), *above], at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    if not above:
        return touch(obj, "box", **material)
    bumper(made, f"{name} Top", obj, "box", size, at((0.0, 0.0, -0.5 * size[2])), **material)
    return obj


def start(body: Object, velocity: Sequence[float] = (0.0, 0.0, 0.0), spin: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
    """Let a free body start with a velocity [Blender units/s] and a rotation per second [rad/s], in the world."""
    settings: Any = body.redmax.body
    settings.velocity, settings.spin = tuple(velocity), tuple(spin)
