# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of motion linearised about one state, as implicit steps solve them."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """M qddot = f + K dq + D dqdot about one state: M (nr, nr), f (nr,), K (nr, nr), D (nr, nr).

    K leaves out the geometric stiffness of gravity and inertia. Signs: K = +df/dq, D = +df/dqdot.
    """

    M: Array
    f: Array
    K: Array
    D: Array
