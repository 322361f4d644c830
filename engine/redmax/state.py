# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a mechanism at one instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Array, IntArray, frozen


@dataclass(frozen=True, eq=False)
class State:
    """Time [s], joint coordinates q (nr,), joint velocities qdot (nr,) and the chart of each joint (n,).

    chart says in which coordinates a joint's q is written, 0 for the scene's own; only joints with
    several charts (Euler angles) ever have another. A State is never modified in place.
    """

    t: float
    q: Array
    qdot: Array
    chart: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", float(self.t))
        object.__setattr__(self, "q", frozen(self.q))
        object.__setattr__(self, "qdot", frozen(self.qdot))
        object.__setattr__(self, "chart", frozen(self.chart, np.int64))
        if self.q.ndim != 1 or self.q.shape != self.qdot.shape:
            raise ValueError(f"q {self.q.shape} and qdot {self.qdot.shape} must be vectors of one length")
