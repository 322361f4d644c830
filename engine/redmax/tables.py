# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions given by points: forces over time, animation over time, spring torque over displacement."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .arrays import Array, frozen
from .fields import LARGEST, Element, Vector, array, choice

ROUND_OFF = 8.0 * float(np.finfo(np.float64).eps)
"""Relative error of a slope that was computed from others by a handful of roundings."""


@dataclass(frozen=True, kw_only=True)
class Table(Element):
    """m quantities given at k increasing points x.

    step: each value holds from its point to the next. linear: straight lines. cubic: the C2 spline
    through the points (not-a-knot). hermite: between two points the cubic with the given slopes at its ends.
    Outside the points all hold their end values, except a cubic table, which goes on straight with the velocity it had.
    At a point where something jumps it already has its new value, as it has an instant later.
    """

    proportional: ClassVar[tuple[str, ...]] = ("y", "slopes")

    x: Vector = array(doc="Points, increasing", shape=(None,), unit="s, or rad, m or 1 for a spring")
    y: Vector = array(doc="Values: one row per point, one column per degree of freedom", shape=(None, None))
    interpolation: str = choice(
        "linear", doc="How values vary between points", choices=("step", "linear", "cubic", "hermite")
    )
    slopes: Vector = array(
        None,
        doc="Slopes dy/dx of a hermite table: two rows per interval, at its start and at its end",
        shape=(None, None),
        nullable=True,
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        x, y = np.asarray(self.x, np.float64), np.asarray(self.y, np.float64)
        if len(x) != len(y):
            yield f"has {len(x)} points but {len(y)} rows of values", "give one row of values per point"
        elif (np.diff(x) <= 0.0).any():
            yield "has points that do not increase", "sort the points and remove repeated ones"
        elif self.interpolation != "step" and (np.abs(np.diff(y, axis=0)) > LARGEST * np.diff(x)[:, None]).any():
            yield "has points so close that its values jump", "move them apart, or use step interpolation"
        elif self.interpolation != "hermite":
            if self.slopes is not None:
                yield (
                    f"has slopes, which {self.interpolation} interpolation does not use",
                    "remove them, or use hermite interpolation",
                )
        else:
            rows = (0, y.shape[1]) if self.slopes is None else np.shape(self.slopes)
            wanted = 2 * (len(x) - 1)
            hint = f"give {wanted} rows: for each interval the slopes at its start and at its end"
            if self.slopes is None and wanted:
                yield "has hermite interpolation but no slopes", hint
            elif rows[0] != wanted:
                yield f"has {rows[0]} rows of slopes for {wanted // 2} intervals", hint if wanted else "remove them"
            elif rows[1] != y.shape[1]:
                yield f"has {rows[1]} columns of slopes but {y.shape[1]} of values", "give one column per value"

    @cached_property
    def _points(self) -> tuple[Array, Array]:
        return frozen(self.x), frozen(self.y)

    @cached_property
    def _end_slopes(self) -> tuple[Array, Array]:
        """Slopes at the start and at the end of every interval, each (k - 1, m); zero in a step."""
        x, y = self._points
        if self.interpolation == "linear":
            chord = np.diff(y, axis=0) / np.diff(x)[:, None]
            return chord, chord
        if self.interpolation == "cubic":
            slopes = spline_slopes(x, y)
            return slopes[:-1], slopes[1:]
        if self.interpolation == "hermite" and self.slopes is not None:
            given = np.asarray(self.slopes, np.float64)
            return given[0::2], given[1::2]
        nothing = np.zeros((len(x) - 1, y.shape[1]))
        return nothing, nothing

    @cached_property
    def _bends(self) -> tuple[Array, Array]:
        """c2 and c3 of every interval, each (k - 1, m): y = y0 + h (m0 s + c2 s^2 + c3 s^3) at its fraction s."""
        x, y = self._points
        m0, m1 = self._end_slopes
        d = np.diff(y, axis=0) / np.diff(x)[:, None]
        return 3.0 * d - 2.0 * m0 - m1, m0 + m1 - 2.0 * d

    @cached_property
    def _slope_jumps(self) -> Array:
        """(k, m): how much dy/dx grows at every point, 0 where it only seems to by round-off; see `slope_jump`."""
        x, y = self._points
        outside = (np.zeros((1, y.shape[1])), np.zeros((1, y.shape[1])))
        m0, m1 = self._end_slopes
        if self.interpolation == "cubic" and len(m0):
            outside = (m0[:1], m1[-1:])
        old, new = np.concatenate([outside[0], m1]), np.concatenate([m0, outside[1]])
        noise = ROUND_OFF * (np.abs(old) + np.abs(new))
        if self.interpolation == "linear" and len(m0):  # chords also have the rounding of the values they connect
            size = (np.abs(y[:-1]) + np.abs(y[1:])) / np.diff(x)[:, None]
            edge = np.zeros((1, y.shape[1]))
            noise += ROUND_OFF * (np.concatenate([edge, size]) + np.concatenate([size, edge]))
        return np.where(np.abs(new - old) > noise, new - old, 0.0)

    def peak_slopes(self) -> Array:
        """(k - 1, m): largest |dy/dx| between each two points; zero in a step."""
        if self.interpolation == "step":
            return np.zeros((len(self._points[0]) - 1, self._points[1].shape[1]))
        (m0, m1), (c2, c3) = self._end_slopes, self._bends
        # dy/dx = m0 + 2 c2 s + 3 c3 s^2 is extreme at the ends or at s = -c2 / (3 c3).
        inside = (-c2 * c3 > 0.0) & (np.abs(c2) < 3.0 * np.abs(c3))
        middle = m0 - np.where(inside, c2**2 / (3.0 * np.where(inside, c3, 1.0)), 0.0)
        return np.asarray(np.maximum(np.maximum(np.abs(m0), np.abs(m1)), np.abs(middle)))

    def breakpoints(self) -> Array:
        """Points where a value or a derivative may jump; integrators must not step across them."""
        return self._points[0]

    def corners(self, column: int) -> Array:
        """Points where one column of y, or a derivative of it, may jump; none where it goes on straight."""
        points, y = self._points
        if self.interpolation == "step":
            return np.asarray(points[1:][np.diff(y[:, column]) != 0.0])
        if self.interpolation == "linear":
            return np.asarray(points[self._slope_jumps[:, column] != 0.0])
        bent = y[:, column].any() or any(slopes[:, column].any() for slopes in self._end_slopes)
        return points if bent else np.zeros(0)

    def crossings(self, column: int, level: float) -> Array:
        """Sorted x, except the points themselves, at which one column of y passes through `level` without a jump."""
        points, y = self._points
        if self.interpolation == "step" or len(points) == 1:
            return np.zeros(0)
        h, start, end = np.diff(points), y[:-1, column], y[1:, column]
        m0, m1 = (slopes[:, column] for slopes in self._end_slopes)
        # A cubic stays within its Bezier polygon, so that few intervals are left to be solved.
        polygon = np.stack([start, start + h * m0 / 3.0, end - h * m1 / 3.0, end])
        found: list[float] = []
        for k in np.flatnonzero((polygon.min(axis=0) <= level) & (polygon.max(axis=0) >= level)):
            c2, c3 = (bends[k, column] for bends in self._bends)
            roots = np.roots([h[k] * c3, h[k] * c2, h[k] * m0[k], start[k] - level])
            real = roots.real[np.abs(roots.imag) <= 1e-9 * np.abs(roots)]
            found.extend((points[k] + h[k] * real[(real > 0.0) & (real < 1.0)]).tolist())
        if self.interpolation == "cubic":  # goes on straight
            for x, y_end, slope, side in ((points[0], start[0], m0[0], -1.0), (points[-1], end[-1], m1[-1], 1.0)):
                if slope != 0.0 and side * (level - y_end) / slope > 0.0:
                    found.append(float(x + (level - y_end) / slope))
        return np.asarray(np.unique(np.array(found)))

    def value(self, x: float) -> Array:
        """y(x), (m,)."""
        return self.motion(x)[0]

    def derivative(self, x: float) -> Array:
        """dy/dx, (m,); zero inside a step."""
        return self.motion(x)[1]

    def second_derivative(self, x: float) -> Array:
        """d2y/dx2, (m,)."""
        return self.motion(x)[2]

    def slope_jump(self, x: float) -> Array:
        """(m,) how much dy/dx grows at x: zero except at points where the table has a corner."""
        points = self._points[0]
        k = int(np.searchsorted(points, x))
        if k < len(points) and points[k] == x:
            return np.array(self._slope_jumps[k])
        return np.zeros(self._slope_jumps.shape[1])

    def motion(self, x: float) -> tuple[Array, Array, Array]:
        """y, dy/dx and d2y/dx2 at x, each (m,)."""
        points, y = self._points
        k = int(points.searchsorted(x, side="right")) - 1
        if len(points) == 1 or k < 0 or k >= len(points) - 1 or self.interpolation == "step":
            end, slope = max(k, 0), np.zeros(y.shape[1])
            if self.interpolation != "cubic" or len(points) == 1:
                return y[end].copy(), slope, np.zeros(y.shape[1])
            slope += self._end_slopes[0][0] if k < 0 else self._end_slopes[1][-1]
            return y[end] + (x - points[end]) * slope, slope, np.zeros(y.shape[1])
        h = float(points[k + 1] - points[k])
        s = (x - float(points[k])) / h
        if self.interpolation == "linear":
            return y[k] + s * (y[k + 1] - y[k]), self._end_slopes[0][k].copy(), np.zeros(y.shape[1])
        m0, c2, c3 = self._end_slopes[0][k], self._bends[0][k], self._bends[1][k]
        s_c3 = s * c3
        value = y[k] + (h * s) * (m0 + s * (c2 + s_c3))
        return value, m0 + s * (2.0 * c2 + 3.0 * s_c3), (2.0 * c2 + 6.0 * s_c3) / h

    def motion_of_one(self, x: float) -> tuple[float, float, float]:
        """`motion` of a table with one column, as numbers: what integrators ask for in every evaluation."""
        points, pieces = self._pieces_of_one
        k = bisect_right(points, x) - 1
        if k < 0:
            y, dy, ddy = self.motion(x)
            return float(y[0]), float(dy[0]), float(ddy[0])
        s = x - points[k]
        c0, c1, c2, c3 = pieces[k]
        return c0 + s * (c1 + s * (c2 + s * c3)), c1 + s * (2.0 * c2 + s * (3.0 * c3)), 2.0 * c2 + s * (6.0 * c3)

    @cached_property
    def _pieces_of_one(self) -> tuple[list[float], list[list[float]]]:
        """The points, and the coefficients of `polynomials` from each on, of the first column."""
        return self._points[0].tolist(), self.polynomials()[:, 0].tolist()

    def slope_corners(self) -> Array:
        """Points at which dy/dx jumps in any column."""
        return np.asarray(self._points[0][self._slope_jumps.any(axis=1)])

    def polynomials(self) -> Array:
        """What the table does from each point on, (k, m, 4): coefficients of (x - point)^0 ... ^3."""
        points, y = self._points
        pieces = np.zeros((*y.shape, 4))
        pieces[..., 0] = y
        pieces[:-1, :, 1] = self._end_slopes[0]
        if self.interpolation in ("cubic", "hermite"):
            h = np.diff(points)[:, None]
            pieces[:-1, :, 2], pieces[:-1, :, 3] = self._bends[0] / h, self._bends[1] / h**2
        if self.interpolation == "cubic" and len(points) > 1:
            pieces[-1, :, 1] = self._end_slopes[1][-1]
        return pieces

    def integral(self, x: float) -> Array:
        """Integral of y from 0 to x, (m,): the energy of a spring with this torque table, up to its sign."""
        return self._primitive(x) - self._primitive(0.0)

    @cached_property
    def _areas(self) -> Array:
        """(k, m): integral of y from the first point to each point, exact for every interpolation."""
        points, y = self._points
        h, middle = np.diff(points)[:, None], 0.5 * (y[:-1] + y[1:])
        if self.interpolation == "step":
            areas = h * y[:-1]
        else:
            if self.interpolation != "linear":
                c2, c3 = self._bends
                middle = y[:-1] + h * (0.5 * self._end_slopes[0] + 0.25 * c2 + 0.125 * c3)
            areas = h / 6.0 * (y[:-1] + 4.0 * middle + y[1:])  # Simpson's rule is exact for cubics
        return np.concatenate([np.zeros((1, y.shape[1])), np.cumsum(areas, axis=0)])

    def _primitive(self, x: float) -> Array:
        """Integral of y from its first point to x, exact for every interpolation."""
        points, y = self._points
        inner = float(np.clip(x, points[0], points[-1]))
        k = max(int(np.searchsorted(points, inner)) - 1, 0)
        a = float(points[k])
        # Values are taken inside the piece, where a step is constant.
        va, vm, vb = (self._piece(a, inner, s) for s in (0.0, 0.5, 1.0))
        total = self._areas[k] + (inner - a) / 6.0 * (va + 4.0 * vm + vb)
        outside = x - inner
        slope = self.derivative(x) if self.interpolation == "cubic" else np.zeros(y.shape[1])
        beyond: Array = outside * self.value(inner) + 0.5 * outside**2 * slope
        return np.asarray(total + beyond)

    def _piece(self, a: float, b: float, s: float) -> Array:
        """Value at a + s (b - a), taken as the limit from inside the piece (a, b)."""
        if self.interpolation == "step":
            return self.value(a)
        return self.value(a + s * (b - a))


def spline_slopes(x: Array, y: Array) -> Array:
    """Slopes (k, m) at the points of the C2 cubic spline through (x, y) with not-a-knot ends.

    Two points give a straight line, three the parabola through them.
    """
    k = len(x)
    if k == 1:
        return np.zeros_like(y)
    h = np.diff(x)
    chord = np.diff(y, axis=0) / h[:, None]
    if k == 2:
        return np.repeat(chord, 2, axis=0)
    if k == 3:
        bend = (chord[1] - chord[0]) / (x[2] - x[0])
        return np.stack([chord[0] - bend * h[0], chord[0] + bend * h[0], chord[1] + bend * h[1]])
    # h[i] s[i-1] + 2 (h[i-1] + h[i]) s[i] + h[i-1] s[i+1] = 3 (h[i] chord[i-1] + h[i-1] chord[i])
    diagonal, lower, upper = np.empty(k), np.empty(k - 1), np.empty(k - 1)
    rhs = np.empty_like(y)
    diagonal[1:-1] = 2.0 * (h[:-1] + h[1:])
    lower[:-1] = h[1:]
    upper[1:] = h[:-1]
    rhs[1:-1] = 3.0 * (h[1:, None] * chord[:-1] + h[:-1, None] * chord[1:])
    # The third derivative is continuous at the second and the last but one point.
    first, last = h[0] + h[1], h[-1] + h[-2]
    diagonal[0], upper[0] = h[1], first
    rhs[0] = ((h[0] + 2.0 * first) * h[1] * chord[0] + h[0] ** 2 * chord[1]) / first
    diagonal[-1], lower[-1] = h[-2], last
    rhs[-1] = (h[-1] ** 2 * chord[-2] + (2.0 * last + h[-1]) * h[-2] * chord[-1]) / last
    return _tridiagonal(lower, diagonal, upper, rhs)


def _tridiagonal(lower: Array, diagonal: Array, upper: Array, rhs: Array) -> Array:
    """Solution (k, m) of a tridiagonal system by the Thomas algorithm; k - 1, k and k - 1 entries, rhs (k, m).

    Written with lists of floats: a million rows would take numpy, number by number, ten times as long.
    """
    d, u, factors = diagonal.tolist(), upper.tolist(), lower.tolist()
    for i, below in enumerate(factors):
        factors[i] = below / d[i]
        d[i + 1] -= factors[i] * u[i]
    columns = []
    for b in rhs.T.tolist():
        for i, factor in enumerate(factors):
            b[i + 1] -= factor * b[i]
        b[-1] /= d[-1]
        for i in range(len(b) - 2, -1, -1):
            b[i] = (b[i] - u[i] * b[i + 1]) / d[i]
        columns.append(b)
    return np.array(columns).T.copy()
