# SPDX-License-Identifier: GPL-3.0-or-later
"""The three curves of a muscle: piecewise cubics, found from the conditions that their source states.

Outside its domain a curve goes on as a muscle does: no passive force below the optimal length, and a straight line with
the last slope beyond the last point; no active force where the filaments do not overlap; no force at the greatest
speed of shortening, and no more than 1.4 however fast it is stretched. RBDN does not say what happens there.
Source: RBDN eqs. 1.40-1.46. Errata: eq. 1.41 puts the last point of the passive curve at 1.8, its own coefficients and
text have 1.7, and the text calls it the active curve.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from ...arrays import Array

Condition = tuple[dict[int, tuple[float, int]], float]
"""({segment: (x, order of the derivative)}, value): the first segment's derivative at x, less the second's if there are
two, has this value."""


class Curve:
    """Cubics between points; constant before the first, and straight on with slope `beyond` after the last.

    coefficients: (segments, 4), of x^3, x^2, x, 1.
    """

    def __init__(self, points: Sequence[float], coefficients: Array, *, beyond: float = 0.0) -> None:
        self.points = tuple(float(x) for x in points)
        self.coefficients = tuple(tuple(float(c) for c in row) for row in coefficients)
        self.beyond = beyond
        self._ends = self._cubic(0, self.points[0])[0], self._cubic(-1, self.points[-1])[0]
        if abs(self._ends[0]) < 1e-12:  # exactly zero but for the rounding of the coefficients
            self._ends = 0.0, self._ends[1]

    def __call__(self, x: float) -> tuple[float, float]:
        """Value and slope at x."""
        first, last = self.points[0], self.points[-1]
        if x <= first:
            return self._ends[0], 0.0
        if x >= last:
            return self._ends[1] + self.beyond * (x - last), self.beyond
        return self._cubic(bisect_right(self.points, x) - 1, x)

    def _cubic(self, segment: int, x: float) -> tuple[float, float]:
        a, b, c, d = self.coefficients[segment]
        return ((a * x + b) * x + c) * x + d, (3.0 * a * x + 2.0 * b) * x + c

    def integral(self, x: float) -> float:
        """Integral from the first point to x."""
        total = 0.0
        for segment, start in enumerate(self.points[:-1]):
            end = min(max(x, start), self.points[segment + 1])
            a, b, c, d = self.coefficients[segment]
            for sign, y in ((1.0, end), (-1.0, start)):
                total += sign * y * (d + y * (c / 2.0 + y * (b / 3.0 + y * a / 4.0)))
        after = max(x - self.points[-1], 0.0)
        total += after * (self._ends[1] + 0.5 * self.beyond * after)
        return total + min(x - self.points[0], 0.0) * self._ends[0]


def row(x: float, order: int) -> Array:
    """(4,) by which the coefficients of a cubic are multiplied for its derivative at x. Source: RBDN eq. 1.40."""
    return np.array(
        [[x**3, x**2, x, 1.0], [3.0 * x**2, 2.0 * x, 1.0, 0.0], [6.0 * x, 2.0, 0.0, 0.0]][order], np.float64
    )


def solved(segments: int, conditions: Sequence[Condition]) -> Array:
    """(segments, 4) coefficients that fulfil the conditions."""
    A, b = np.zeros((4 * segments, 4 * segments)), np.zeros(4 * segments)
    for k, (terms, value) in enumerate(conditions):
        for sign, (segment, (x, order)) in zip((1.0, -1.0), terms.items(), strict=False):
            A[k, 4 * segment : 4 * segment + 4] += sign * row(x, order)
        b[k] = value
    return np.linalg.solve(A, b).reshape(segments, 4)


def _joined(x: float, left: int) -> list[Condition]:
    """Value and slope go on from one segment to the next."""
    return [({left: (x, order), left + 1: (x, order)}, 0.0) for order in (0, 1)]


PASSIVE_POINTS, PASSIVE_END_SLOPE = (1.0, 1.3, 1.7), 2.85714285714286
PASSIVE = Curve(
    PASSIVE_POINTS,
    solved(
        2,
        [
            ({0: (1.0, 0)}, 0.0),
            ({0: (1.3, 0)}, 0.126110265892917),
            ({1: (1.7, 0)}, 1.0),
            ({0: (1.0, 1)}, 0.0),
            ({0: (1.3, 1)}, 1.07051016402631),
            ({1: (1.7, 1)}, PASSIVE_END_SLOPE),
            *_joined(1.3, 0),
        ],
    ),
    beyond=PASSIVE_END_SLOPE,
)
"""Force of the stretched tissue by length / optimal length. Source: RBDN eqs. 1.41-1.42 (with 1.7 for 1.8)."""

ACTIVE_LENGTH = Curve(
    (0.4, 0.7, 1.2, 1.81),
    solved(
        3,
        [
            ({0: (0.4, 0)}, 0.0),
            ({0: (0.4, 1)}, 0.0),
            ({1: (1.0, 0)}, 1.0),
            ({1: (1.0, 1)}, 0.0),
            ({2: (1.81, 0)}, 0.0),
            ({2: (1.81, 1)}, 0.0),
            *_joined(0.7, 0),
            *_joined(1.2, 1),
            ({0: (0.7, 0)}, 0.767020368396388),
            ({1: (1.2, 0)}, 0.89),
        ],
    ),
)
"""Active force by length / optimal length. Source: RBDN eqs. 1.43-1.44."""

VELOCITY = Curve(
    (-1.0, -0.05, 0.05, 1.0),
    solved(
        3,
        [
            *(({0: (-1.0, order)}, 0.0) for order in (0, 1, 2)),
            ({2: (1.0, 0)}, 1.4),
            ({2: (1.0, 1)}, 0.0),
            ({2: (1.0, 2)}, 0.0),
            *_joined(-0.05, 0),
            *_joined(0.05, 1),
            ({1: (0.0, 0)}, 1.0),
            ({1: (0.0, 1)}, 5.0),
        ],
    ),
)
"""Active force by rate of length / greatest speed. Source: RBDN eqs. 1.45-1.46."""
