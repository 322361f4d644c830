# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven scales that would shear a body which turns: a bake refuses them, so Check says it first.

Any other scale is exact and not mentioned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from ...._engine import traits
from ...core.findings import Finding

UNEVEN = 1e-4
"""Scales whose ratio differs less from 1 are even: what is left of typing and applying."""

SCALABLE = ("MESH", "CURVE", "SURFACE")
"""Types of object whose data can take up a scale."""


def findings(bodies: Iterable[bpy.types.Object], joints: Iterable[Any]) -> Iterator[Finding]:
    """Bodies with an uneven scale that are Blender parents of bodies which turn. joints: the engine's."""
    joints = list(joints)
    carried = {joint.child for joint in joints}
    turning = {joint.child for joint in joints if traits.of(joint).turns}
    for obj in bodies:
        scale = obj.scale[:]
        if not is_uneven(scale):
            continue
        hanging = (child for child in obj.children_recursive if child.redmax.is_body)
        sheared = next((child for child in hanging if child.name in turning or child.name not in carried), None)
        if sheared is not None:
            shown = ", ".join(f"{number:.4g}" for number in scale)
            text = f"'{obj.name}' has scale ({shown}), which would shear '{sheared.name}' as it turns"
            fixes = ("APPLY_SCALE",) if obj.type in SCALABLE else ()
            yield Finding(obj.name, text, "apply the scale, or clear the parent with Keep Transform", "WARNING", fixes)


def is_uneven(scale: Iterable[float]) -> bool:
    """Whether an object is stretched in one direction more than in another."""
    sizes = sorted(abs(number) for number in scale)
    return sizes[-1] - sizes[0] > UNEVEN * sizes[-1]
