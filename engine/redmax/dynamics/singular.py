# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear systems that have no solution when something can move without resistance."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import RedMaxError


class ImmovableError(RedMaxError):
    """An acceleration that no force determines."""


def solve(A: Array, b: Array, element: str) -> Array:
    """A^-1 b for an inertia matrix A (k, k) of `element`, which is named if A is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        raise ImmovableError(
            f"{element}: nothing resists its motion (no mass beyond it, or its coordinates are singular here); "
            "give the bodies it carries mass, or change its starting coordinates"
        ) from None
