# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves over time as cubic pieces, in double precision. Times are in frames; nothing here knows of Blender.

A Bezier segment between two keys is a curve (x(s), y(s)). Only where its handles lie at thirds is x(s) straight, and
y over x a single cubic. Otherwise y(x) is cut into pieces that have the exact value and slope at both ends: first at
whole frames, where the simulation ends its steps anyway, then in halves until the middle is right too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._engine import arrays, tables

Array = arrays.Array
IntArray = arrays.IntArray

TOLERANCE = 2.0**-22
"""How far a piece may be from the curve, relative to the curve's largest value: Blender's own rounding."""

STEEPEST = 1e3
"""Slope, in units of the segment's rise over its length, beyond which a curve is a jump."""

NO_HANDLE = 1.1e-3
"""Length of a handle [frames] up to which it is none."""

HALVINGS = 12
"""Most times a piece between frames is halved."""


class Pieces(NamedTuple):
    """Cubics on intervals [a, b] that follow each other; values and slopes [1/frame] at both ends, each (n,)."""

    a: Array
    b: Array
    ya: Array
    yb: Array
    ma: Array
    mb: Array

    def at(self, x: Array, piece: IntArray) -> tuple[Array, Array]:
        """Values and slopes at points of given pieces."""
        h = self.b[piece] - self.a[piece]
        s = (x - self.a[piece]) / h
        m0, m1 = self.ma[piece], self.mb[piece]
        d = (self.yb[piece] - self.ya[piece]) / h
        c2, c3 = 3.0 * d - 2.0 * m0 - m1, m0 + m1 - 2.0 * d
        return self.ya[piece] + h * s * (m0 + s * (c2 + s * c3)), m0 + s * (2.0 * c2 + 3.0 * s * c3)


def joined(parts: list[Pieces]) -> Pieces:
    """Pieces of several sources in order of time."""
    columns = [np.concatenate([part[k] for part in parts]) for k in range(6)]
    order = np.argsort(columns[0], kind="stable")
    return Pieces(*(column[order] for column in columns))


def straight(a: float, b: float, ya: float, yb: float) -> Pieces:
    """A single straight line."""
    slope = (yb - ya) / (b - a)
    return Pieces(*(np.array([value], np.float64) for value in (a, b, ya, yb, slope, slope)))


def through_samples(x: Array, y: Array) -> Pieces:
    """The C2 cubic spline through points, as pieces.

    Noise of the samples (6e-8 of their size in single precision) is not amplified in value, by about 3 / spacing in
    slope and 6 / spacing^2 in acceleration; that is why samples are taken no more densely than the curve needs.
    """
    slopes = tables.spline_slopes(x, y[:, None])[:, 0]
    return Pieces(x[:-1], x[1:], y[:-1], y[1:], slopes[:-1], slopes[1:])


def corrected(P: Array) -> Array:
    """Control points (n, 4, 2) as Blender uses them: time never runs backwards.

    A handle on the wrong side is moved to its key; one that reaches beyond the other key is shortened to that key's
    time in its own direction. Blender keeps handles a thousandth of a frame away from their keys; such a handle is
    taken for none, because that thousandth would be a bend that nothing could follow.
    """
    P = np.array(P, np.float64)
    x, length = P[:, :, 0], P[:, 3, 0] - P[:, 0, 0]
    x[:, 1], x[:, 2] = np.maximum(x[:, 1], x[:, 0]), np.minimum(x[:, 2], x[:, 3])
    for key, handle in ((0, 1), (3, 2)):
        reach = np.abs(x[:, handle] - x[:, key])
        shorter = np.where(reach > length, length / np.where(reach > 0.0, reach, 1.0), 1.0)
        is_level = np.abs(P[:, handle, 1] - P[:, key, 1]) <= 1e-5 * np.ptp(P[:, :, 1], axis=1)
        shorter = np.where((reach <= NO_HANDLE) & is_level, 0.0, shorter)
        P[:, handle] = P[:, key] + shorter[:, None] * (P[:, handle] - P[:, key])
    return P


def bezier_pieces(P: Array, size: float, start: float, stop: float) -> tuple[Pieces, Array]:
    """Pieces of Bezier segments, control points (n, 4, 2) in order; and the frames at which they are too steep.

    start, stop: frames between which the pieces are exact to the tolerance.
    size: the curve's largest absolute value, to which the tolerance is relative. Where a segment is too steep (at
    worst vertical) its slopes are cut off; the caller decides whether that is allowed.
    """
    P = corrected(P)
    length = P[:, 3, 0] - P[:, 0, 0]
    rise = P[:, :, 1].max(axis=1) - P[:, :, 1].min(axis=1)
    steepest = STEEPEST * rise / length
    steep_at = _steep_places(P, steepest)
    rounding = 2.0**-22 * np.abs(P[:, :, 0]).max(axis=1)
    at_thirds = (np.abs(P[:, 1, 0] - P[:, 0, 0] - length / 3.0) <= rounding) & (
        np.abs(P[:, 3, 0] - P[:, 2, 0] - length / 3.0) <= rounding
    )
    whole = at_thirds | (rise == 0.0)
    segment, a, b = _cut_at_frames(P[:, 0, 0], P[:, 3, 0], whole, start, stop)
    done: list[Pieces] = []
    for halving in range(HALVINGS + 1):
        ya, ma = _value_and_slope(P, segment, a, steepest, end=0)
        yb, mb = _value_and_slope(P, segment, b, steepest, end=1)
        middle = 0.5 * (a + b)
        y_middle, _ = _value_and_slope(P, segment, middle, steepest, end=None)
        error = np.abs(0.5 * (ya + yb) + (b - a) / 8.0 * (ma - mb) - y_middle)
        fine = (error <= TOLERANCE * size) | whole[segment] | (halving == HALVINGS)
        done.append(Pieces(*(column[fine] for column in (a, b, ya, yb, ma, mb))))
        if fine.all():
            break
        rest = ~fine
        segment = np.repeat(segment[rest], 2)
        a, b = np.stack((a[rest], middle[rest]), 1).reshape(-1), np.stack((middle[rest], b[rest]), 1).reshape(-1)
    return joined(done), steep_at


def _cut_at_frames(x0: Array, x3: Array, whole: Array, start: float, stop: float) -> tuple[IntArray, Array, Array]:
    """Intervals between whole frames inside segments: their segment, start and end; some segments stay whole.

    Only frames from start to stop cut: keys may lie as far out as numbers go.
    """
    first, last = np.maximum(np.floor(x0) + 1.0, start), np.minimum(np.ceil(x3) - 1.0, stop)
    count = np.where(whole, 0, np.maximum(last - first + 1.0, 0.0)).astype(np.int64)
    segment = np.repeat(np.arange(len(x0)), count + 1)
    ordinal = np.arange(len(segment)) - np.repeat(np.cumsum(count + 1) - (count + 1), count + 1)
    a = np.where(ordinal == 0, x0[segment], first[segment] + ordinal - 1.0)
    b = np.where(ordinal == count[segment], x3[segment], first[segment] + ordinal)
    return segment, a, b


def _value_and_slope(P: Array, segment: IntArray, x: Array, steepest: Array, *, end: int | None) -> tuple[Array, Array]:
    """y and dy/dx at times x of segments. end: 0 or 1 where x may be the segment's start or end."""
    Q = P[segment]
    s = solve_time(Q[:, :, 0], x)
    if end is not None:
        # Exactly at a key, not where the rounding of s puts it.
        at_end = x == Q[:, 3 * end, 0]
        s = np.where(at_end, float(end), s)
    y = _bezier(Q[:, :, 1], s)
    dx, dy = _tangent(Q, s)
    limit = steepest[segment]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(dx > 0.0, dy / dx, np.sign(dy) * limit)
    return y, np.clip(slope, -limit, limit)


def _tangent(P: Array, s: Array) -> tuple[Array, Array]:
    """Direction (dx, dy) of segments at s. At an end whose handle has no length, that to the next control point."""
    x, y = P[:, :, 0], P[:, :, 1]
    dx, dy = _bezier_rate(x, s), _bezier_rate(y, s)
    at_end = (s == 0.0) | (s == 1.0)
    still = at_end & (np.abs(dx) <= 1e-12 * (x[:, 3] - x[:, 0]))
    flat = still & (np.abs(dy) <= 1e-12 * np.abs(y).max(axis=1))
    dx, dy = np.where(flat, _next_tangent(x, s), dx), np.where(flat, _next_tangent(y, s), dy)
    nowhere = (dx == 0.0) & (dy == 0.0)
    return np.where(nowhere, x[:, 3] - x[:, 0], dx), np.where(nowhere, y[:, 3] - y[:, 0], dy)


def _next_tangent(p: Array, s: Array) -> Array:
    """Part of the direction to the control point after the next."""
    tangent: Array = np.where(s < 0.5, p[:, 2] - p[:, 0], p[:, 3] - p[:, 1])
    return tangent


def _steep_places(P: Array, steepest: Array) -> Array:
    """Times at which segments are steeper than allowed: where time stands still, at an end or in between."""
    x = P[:, :, 0]
    d = np.diff(x, axis=1)
    bend = d[:, 0] - 2.0 * d[:, 1] + d[:, 2]
    slowest = np.where(np.abs(bend) > 0.0, (d[:, 0] - d[:, 1]) / np.where(bend == 0.0, 1.0, bend), 0.5)
    found = []
    for s in (np.zeros(len(P)), np.clip(slowest, 0.0, 1.0), np.ones(len(P))):
        dx, dy = _tangent(P, s)
        steep = np.abs(dy) > steepest * dx
        found.append(_bezier(x, s)[steep & (steepest > 0.0)])
    places: Array = np.unique(np.concatenate(found))
    return places


def solve_time(x: Array, wanted: Array) -> Array:
    """Parameters s (n,) at which the times of Bezier segments, control points (n, 4) that do not decrease, are wanted.

    Newton's method, kept inside a bracket that every step shrinks.
    """
    low, high = np.zeros(len(wanted)), np.ones(len(wanted))
    span = x[:, 3] - x[:, 0]
    s = np.clip((wanted - x[:, 0]) / span, 0.0, 1.0)
    for _ in range(100):
        f = _bezier(x, s) - wanted
        low, high = np.where(f <= 0.0, s, low), np.where(f >= 0.0, s, high)
        rate = _bezier_rate(x, s)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = s - f / rate
        inside = (newton > low) & (newton < high)
        following = np.where(inside, newton, 0.5 * (low + high))
        following = np.where(f == 0.0, s, following)
        if (np.abs(following - s) <= 2.0**-51).all():
            return following
        s = following
    return s


def _bezier(p: Array, s: Array) -> Array:
    r = 1.0 - s
    value: Array = r * r * (r * p[:, 0] + 3.0 * s * p[:, 1]) + s * s * (3.0 * r * p[:, 2] + s * p[:, 3])
    return value


def _bezier_rate(p: Array, s: Array) -> Array:
    r = 1.0 - s
    d = np.diff(p, axis=1)
    rate: Array = 3.0 * (r * r * d[:, 0] + 2.0 * r * s * d[:, 1] + s * s * d[:, 2])
    return rate
