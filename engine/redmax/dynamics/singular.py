# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear systems that have no solution when something can move without resistance."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import UNKNOWN, ElementName, RunError


class ImmovableError(RunError):
    """An acceleration that no force determines."""

    code = "immovable"


def solve(A: Array, b: Array, joint: str = "") -> Array:
    """A^-1 b for an inertia matrix A (k, k) of a joint, which is named if A is singular; empty for several joints."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        raise immovable(ElementName("joint", joint) if joint else UNKNOWN) from None


def immovable(element: ElementName) -> ImmovableError:
    """The error for an element that moves without resistance."""
    return ImmovableError(
        f"{element or 'a joint'}: nothing resists its motion (no mass beyond it, or its coordinates are singular here)",
        element,
        "give the bodies it carries mass, or change its starting coordinates",
    )


def immovable_joint(name: str) -> ImmovableError:
    """The error for a joint of this name that moves without resistance."""
    return immovable(ElementName("joint", name))
