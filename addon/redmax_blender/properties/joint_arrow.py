# SPDX-License-Identifier: GPL-3.0-or-later
"""What the empty of a joint shows: an arrow only where it points along the joint's axis.

Of Blender's shapes the arrow alone points along z (circle and cone stand across y): it is for joints whose axis is z.
"""

from typing import Any

import bpy

ARROW, AXES = "SINGLE_ARROW", "PLAIN_AXES"

BESIDE = 1e-5
"""An axis that differs less from z is shown by the arrow [rad]."""

DIRECTIONLESS = frozenset(
    {"fixed", "spherical", "spherical_euler", "free", "free_translation_euler", "free_translation_rotation"}
)
"""Kinds of joints that move alike whichever way their axes point."""


def has_direction(kind: str) -> bool:
    """Whether it matters which way a joint points."""
    return kind not in DIRECTIONLESS


def is_along_z(axis: Any) -> bool:
    """Whether a direction is that of z; a zero axis, which Check tells, is not."""
    x, y, z = axis
    return bool(z > 0.0 and abs(x) <= BESIDE * z and abs(y) <= BESIDE * z)


def shown(display: str, group: Any) -> str:
    """The display of a joint's empty. display: that of its kind. group: properties that only its kind has, or None."""
    lies = display == ARROW and hasattr(group, "axis") and not is_along_z(group.axis)
    return AXES if lies else display


def put_right() -> None:
    """Take the arrow from joints of the open file whose axis it does not show: older files may have such."""
    for obj in bpy.data.objects:
        if obj.type == "EMPTY" and obj.library is None and obj.redmax.is_joint and obj.empty_display_type == ARROW:
            joint: Any = obj.redmax.joint
            display: Any = shown(ARROW, getattr(joint, joint.kind, None))
            if display != ARROW:
                obj.empty_display_type = display
