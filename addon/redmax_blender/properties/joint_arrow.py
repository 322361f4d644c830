# SPDX-License-Identifier: GPL-3.0-or-later
"""What the empty of a joint shows, by what its motion says of it: an arrow only where it points along the joint's axis.

Of Blender's shapes the arrow alone points along z (circle and cone stand across y): it is for joints whose axis is z.
"""

from typing import Any

ARROW, AXES = "SINGLE_ARROW", "PLAIN_AXES"

BESIDE = 1e-5
"""An axis that differs less from z is shown by the arrow [rad]."""


def display(traits: Any) -> str:
    """The display of a joint's empty. traits: of the joint (`redmax.joints.traits`)."""
    if not traits.known:
        return AXES
    if traits.ndof == 0:
        return "CUBE"
    if traits.ndof == 1 and traits.direction is not None:
        return ARROW if is_along_z(traits.direction) else AXES
    if traits.is_ball:
        return "SPHERE"
    return "ARROWS" if traits.turns == 0 else AXES


def is_along_z(axis: Any) -> bool:
    """Whether a direction is that of z; a zero axis, which Check tells, is not."""
    x, y, z = axis
    return bool(z > 0.0 and abs(x) <= BESIDE * z and abs(y) <= BESIDE * z)


def lies(traits: Any) -> bool:
    """Whether an arrow along z would show another axis than the joint has."""
    if not traits.known:
        return True
    return traits.ndof == 1 and traits.direction is not None and not is_along_z(traits.direction)
