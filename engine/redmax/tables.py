# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions given by points: forces over time, animation over time, spring torque over displacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from .arrays import Array, frozen
from .fields import LARGEST, Element, Vector, array, choice


@dataclass(frozen=True, kw_only=True)
class Table(Element):
    """m quantities given at k increasing points x.

    step: each value holds from its point to the next. linear: straight lines. cubic: the C2 spline
    through the points (not-a-knot). Outside the points a step or linear table holds its end values,
    a cubic table goes on straight with the velocity it had.
    """

    x: Vector = array(doc="Points, increasing", shape=(None,), unit="s, or rad or m for a spring")
    y: Vector = array(doc="Values: one row per point, one column per degree of freedom", shape=(None, None))
    interpolation: str = choice("linear", doc="How values vary between points", choices=("step", "linear", "cubic"))

    def problems(self) -> Iterator[tuple[str, str]]:
        x, y = np.asarray(self.x, np.float64), np.asarray(self.y, np.float64)
        if len(x) != len(y):
            yield f"has {len(x)} points but {len(y)} rows of values", "give one row of values per point"
        elif (np.diff(x) <= 0.0).any():
            yield "has points that do not increase", "sort the points and remove repeated ones"
        elif self.interpolation != "step" and (np.abs(np.diff(y, axis=0)) > LARGEST * np.diff(x)[:, None]).any():
            yield "has points so close that its values jump", "move them apart, or use step interpolation"

    @cached_property
    def _points(self) -> tuple[Array, Array]:
        return frozen(self.x), frozen(self.y)

    @cached_property
    def _slopes(self) -> Array:
        """Velocities of the spline at its points, (k, m)."""
        return spline_slopes(*self._points)

    def breakpoints(self) -> Array:
        """Points where a value or a derivative jumps; integrators must not step across them."""
        return self._points[0]

    def value(self, x: float) -> Array:
        """y(x), (m,)."""
        return self._evaluate(x)[0]

    def derivative(self, x: float) -> Array:
        """dy/dx, (m,); zero inside a step."""
        return self._evaluate(x)[1]

    def second_derivative(self, x: float) -> Array:
        """d2y/dx2, (m,)."""
        return self._evaluate(x)[2]

    def _evaluate(self, x: float) -> tuple[Array, Array, Array]:
        points, y = self._points
        zero = np.zeros(y.shape[1])
        k = int(np.searchsorted(points, x, side="right")) - 1
        if len(points) == 1 or (self.interpolation == "step" and k >= 0):
            return y[max(k, 0)].copy(), zero, zero
        if k < 0 or k >= len(points) - 1:
            end = 0 if k < 0 else len(points) - 1
            if self.interpolation != "cubic":
                return y[end].copy(), zero, zero
            return y[end] + (x - points[end]) * self._slopes[end], self._slopes[end].copy(), zero
        h = points[k + 1] - points[k]
        s = (x - points[k]) / h
        if self.interpolation == "linear":
            rise = y[k + 1] - y[k]
            return y[k] + s * rise, rise / h, zero
        return _hermite(s, h, y[k], y[k + 1], self._slopes[k], self._slopes[k + 1])

    def integral(self, x: float) -> Array:
        """Integral of y from 0 to x, (m,): the energy of a spring with this torque table, up to its sign."""
        return self._primitive(x) - self._primitive(0.0)

    def _primitive(self, x: float) -> Array:
        """Integral of y from its first point to x, exact for every interpolation."""
        points, y = self._points
        inner = float(np.clip(x, points[0], points[-1]))
        ends = np.append(points[points < inner], inner)
        total = np.zeros(y.shape[1])
        for a, b in pairwise(ends):
            # Simpson's rule is exact for cubics; values are taken inside the piece, where a step is constant.
            va, vb = self._piece(a, b, 0.0), self._piece(a, b, 1.0)
            total += (b - a) / 6.0 * (va + 4.0 * self._piece(a, b, 0.5) + vb)
        outside = x - inner
        slope = self.derivative(x) if self.interpolation == "cubic" else np.zeros(y.shape[1])
        beyond: Array = outside * self.value(inner) + 0.5 * outside**2 * slope
        return total + beyond

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
    for i in range(1, k):  # Thomas algorithm
        w = lower[i - 1] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        rhs[i] -= w * rhs[i - 1]
    slopes = rhs
    slopes[-1] /= diagonal[-1]
    for i in range(k - 2, -1, -1):
        slopes[i] = (slopes[i] - upper[i] * slopes[i + 1]) / diagonal[i]
    return slopes


def _hermite(s: float, h: float, y0: Array, y1: Array, m0: Array, m1: Array) -> tuple[Array, Array, Array]:
    """Cubic with end values y0, y1 and end slopes m0, m1 at the fraction s of an interval of length h."""
    d = (y1 - y0) / h
    c2 = 3.0 * d - 2.0 * m0 - m1  # y = y0 + h (m0 s + c2 s^2 + c3 s^3)
    c3 = m0 + m1 - 2.0 * d
    value = y0 + h * s * (m0 + s * (c2 + s * c3))
    slope = m0 + s * (2.0 * c2 + 3.0 * s * c3)
    return value, slope, (2.0 * c2 + 6.0 * s * c3) / h
