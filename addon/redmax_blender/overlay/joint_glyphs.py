# SPDX-License-Identifier: GPL-3.0-or-later
"""The glyph of a joint in Blender, made once for all joints that have the same kind and parameters."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .._engine import arrays
from ..properties import joint as joint_properties
from . import glyphs

Array = arrays.Array


@lru_cache(maxsize=256)
def points(description: joint_properties.Description, *, dashed: bool) -> Array:
    """Ends (2 n, 3) of the n line segments of a joint, in the frame of its object and of size 1."""
    with np.errstate(all="ignore"):  # an axis without length has no direction: Check says so, and the glyph shows it
        joint = joint_properties.described(description)
        still = np.zeros(joint.ndof)
        Q, S, _ = joint.motion(still, still)
        # S has the axes of the frame on the child, which Q(0) may have turned against those of the object.
        R = Q[:3, :3]
        S = np.concatenate([R @ S[:3], R @ S[3:]])
    lines = glyphs.lines_of(S)
    made = glyphs.dashed(lines) if dashed else glyphs.solid(lines)
    return np.ascontiguousarray(made.reshape(-1, 3), np.float32)
