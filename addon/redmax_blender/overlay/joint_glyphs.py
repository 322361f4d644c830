# SPDX-License-Identifier: GPL-3.0-or-later
"""The glyph of a joint in Blender, made once for all joints that have the same kind and parameters."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .._engine import arrays, joints
from ..properties import from_specs
from ..properties import joint as joint_properties
from . import glyphs

Array = arrays.Array

Motions = tuple[str, tuple[Any, ...]]
"""Kind of a joint and its own parameters as (name, value); of a composite joint the motions of its parts."""


def motions_of(settings: Any) -> Motions:
    """What decides how a joint, or a part of one, can move."""
    kind: str = settings.kind
    if kind == joint_properties.COMPOSITE:
        return kind, tuple(motions_of(part) for part in settings.parts)
    group = joint_properties.own_group(settings)
    own = {} if group is None else from_specs.read_group(group, joints.JOINTS[kind], 1.0)
    return kind, tuple(own.items())


@lru_cache(maxsize=256)
def points(motions: Motions, *, dashed: bool) -> Array:
    """Ends (2 n, 3) of the n line segments of a joint, in its frame and of size 1."""
    with np.errstate(all="ignore"):  # an axis without length has no direction: Check says so, and the glyph shows it
        joint = _joint(motions)
        still = np.zeros(joint.ndof)
        S = joint.motion(still, still).S
    lines = glyphs.lines_of(S)
    made = glyphs.dashed(lines) if dashed else glyphs.solid(lines)
    return np.ascontiguousarray(made.reshape(-1, 3), np.float32)


def _joint(motions: Motions) -> Any:
    kind, own = motions
    if kind == joint_properties.COMPOSITE:
        return joints.Composite.part(parts=tuple(_joint(part) for part in own))
    return joints.JOINTS[kind].part(**dict(own))
