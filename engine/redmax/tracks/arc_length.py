# SPDX-License-Identifier: GPL-3.0-or-later
"""The length of a curve, and the place on it at a given length, as polynomials that are exact to round-off.

Every segment is cut into pieces on which the speed of the origin is a polynomial of moderate degree, to round-off. Its
integral is the length; the fraction t of the segment over that length is found by Newton's method at Chebyshev points
and is a polynomial again. So a joint needs no iteration: its coordinate s gives t, dt/ds and d2t/ds2 by Horner's rule,
which are exact derivatives of each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from .curve import Curve, speeds

COEFFICIENTS = 14
"""Of t over the length of a piece: monomials over -1 ... 1."""

NODES = 24
"""Points of a piece at which the speed is looked at."""

ROUND_OFF = 2e-14
"""Last Chebyshev coefficients of the speed, and of t, against the first."""

MOST_CUTS = 12
"""How often a segment is halved before its origin is said to stand still."""

STILL = 1e-7
"""Speed against the greatest one of the curve below which the origin stands still."""


class Standstill(Exception):  # noqa: N818  (a finding, made into a problem of the track)
    """The origin stands still: at which segment, and at which fraction of it."""

    def __init__(self, segment: int, t: float) -> None:
        super().__init__(f"the origin stands still at {segment + t:g}")
        self.segment, self.t = segment, t


class LengthTable(NamedTuple):
    """borders: (m + 1,) lengths at which pieces begin and end [m]. segments: (m,) to which a piece belongs.
    polynomials: (m, COEFFICIENTS) of t over -1 ... 1, lowest power first."""

    borders: Array
    segments: IntArray
    polynomials: Array

    @property
    def length(self) -> float:
        return float(self.borders[-1])


def length_table(path: Curve) -> LengthTable:
    """The table of a curve. Raises `Standstill`."""
    x, to_series = _nodes(NODES)
    segment = np.arange(len(path.start))
    low, high = np.zeros(len(segment)), np.ones(len(segment))
    top = 0.0
    done: list[tuple[IntArray, Array, Array, Array]] = []
    for _ in range(MOST_CUTS + 1):
        t = 0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * x
        v = speeds(path, np.repeat(segment, NODES), t.ravel()).reshape(t.shape)
        top = max(top, float(v.max()))
        slow = np.argwhere(v <= STILL * top)
        if len(slow):
            i, j = slow[0]
            raise Standstill(int(segment[i]), float(t[i, j]))
        speed = v @ to_series.T * (0.5 * (high - low))[:, None]  # per unit of x
        s = _integral(speed)
        size = s.sum(axis=1)
        fraction, inverted = _inverse(s, speed, size)
        smooth = inverted & (np.abs(speed[:, -3:]).max(axis=1) <= ROUND_OFF * np.abs(speed[:, 0]))
        fraction *= 0.5 * (high - low)[:, None]
        fraction[:, 0] += 0.5 * (low + high)
        done.append((segment[smooth], low[smooth], size[smooth], fraction[smooth]))
        rough, middle = ~smooth, 0.5 * (low + high)[~smooth]
        if not rough.any():
            break
        segment = np.repeat(segment[rough], 2)
        low, high = np.stack([low[rough], middle], 1).ravel(), np.stack([middle, high[rough]], 1).ravel()
    else:
        raise Standstill(int(segment[0]), float(low[0]))
    segments, starts, sizes, polynomials = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.lexsort((starts, segments))
    borders = np.concatenate([[0.0], np.cumsum(sizes[order])])
    return LengthTable(borders, segments[order], polynomials[order])


def _nodes(count: int) -> tuple[Array, Array]:
    """Chebyshev points (count,), increasing, and the matrix that makes values there a Chebyshev series."""
    angle = np.pi * (np.arange(count) + 0.5)[::-1] / count
    series = 2.0 / count * np.cos(np.arange(count)[:, None] * angle)
    series[0] *= 0.5
    return np.cos(angle), series


def _integral(series: Array) -> Array:
    """Chebyshev series (m, k + 1) of the integrals from -1 on of series (m, k)."""
    n = np.arange(1, series.shape[1] + 1)
    lower = series * np.where(n == 1, 2.0, 1.0)
    upper = np.pad(series[:, 2:], ((0, 0), (0, 2)))
    s = np.pad((lower - upper) / (2.0 * n), ((0, 0), (1, 0)))
    s[:, 0] = -(s[:, 1:] * (-1.0) ** n).sum(axis=1)
    return s


def _inverse(s: Array, speed: Array, size: Array) -> tuple[Array, BoolArray]:
    """x over the length, as monomials over -1 ... 1, of Chebyshev series s (m, k) of the length over x and `speed` of
    its slope; `size`: whole lengths (m,). And whether the last terms are round-off."""
    y, to_series = _nodes(COEFFICIENTS)
    goal = 0.5 * (y + 1.0) * size[:, None]
    x = np.repeat(y[None], len(size), axis=0)
    for _ in range(50):
        step = (_values(s, x) - goal) / _values(speed, x)
        x = np.clip(x - step, -1.0, 1.0)
        if np.abs(step).max() <= 1e-15:
            break
    series = x @ to_series.T
    smooth = np.abs(series[:, -3:]).max(axis=1) <= ROUND_OFF
    return series @ TO_MONOMIALS, smooth


TO_MONOMIALS = np.eye(COEFFICIENTS)
for _k in range(2, COEFFICIENTS):
    TO_MONOMIALS[_k] = 2.0 * np.roll(TO_MONOMIALS[_k - 1], 1) - TO_MONOMIALS[_k - 2]
"""Row k: the Chebyshev polynomial of degree k, lowest power first."""


def _values(series: Array, x: Array) -> Array:
    """Chebyshev series (m, k), each at its own points x (m, j), by Clenshaw's rule."""
    b1 = b2 = np.zeros_like(x)
    for c in series.T[:0:-1]:
        b1, b2 = c[:, None] + 2.0 * x * b1 - b2, b1
    return np.asarray(series[:, :1] + x * b1 - b2)
