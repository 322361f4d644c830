# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the scene format as piecewise cubics."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

Array = Any


class Pieces:
    """One column of a table: values, slopes and curvatures, by piece.

    Piece 0 lies before the first point, piece k behind point k - 1. corners: the points.
    """

    def __init__(self, table: dict[str, Any], column: int) -> None:
        x = np.array(table["x"], float)
        y = np.array(table["y"], float)[:, column]
        how = table.get("interpolation", "linear")
        n = len(x)
        c = np.zeros((n + 1, 4))  # highest power first, of x - start
        self.corners, self.jumps = x, how == "step"
        self.start = np.concatenate([x[:1], x])
        c[:, 3] = np.concatenate([y[:1], y])
        if n > 1 and how == "linear":
            c[1:-1, 2] = np.diff(y) / np.diff(x)
        elif n > 1 and how == "cubic":
            spline = CubicSpline(x, y, bc_type="not-a-knot") if n > 2 else None
            chord = (y[1] - y[0]) / (x[1] - x[0])
            if spline is None:
                c[:, 2] = chord
            else:
                c[1:-1] = spline.c.T
                c[0, 2], c[-1, 2] = spline(x[0], 1), spline(x[-1], 1)
        elif n > 1 and how == "hermite":
            slopes = np.array(table["slopes"], float)[:, column]
            for k in range(n - 1):
                h, a, b = x[k + 1] - x[k], slopes[2 * k], slopes[2 * k + 1]
                d = (y[k + 1] - y[k]) / h
                c[k + 1] = (a + b - 2 * d) / h**2, (3 * d - 2 * a - b) / h, a, y[k]
        self.c = c

    def piece(self, x: float) -> int:
        """The piece that x lies in; a point belongs to the piece behind it."""
        return int(np.searchsorted(self.corners, x, side="right"))

    def at(self, x: float, piece: int | None = None) -> tuple[float, float, float]:
        """Value, slope and curvature at x; as the given piece goes on, where it is given."""
        k = self.piece(x) if piece is None else piece
        d, (a, b, s, y) = x - self.start[k], self.c[k]
        return ((a * d + b) * d + s) * d + y, (3 * a * d + 2 * b) * d + s, 6 * a * d + 2 * b
