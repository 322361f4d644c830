# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments of F-curves between two keys: as Blender evaluates them, and with the handles that follow a motion best.

A segment is a planar cubic Bezier curve, solved for the time: x(u) = t gives u, and y(u) is the value. In parts of
its length a segment has the control points

    x: 0, a, 1 - b, 1          y: y0, y0 + a s0, y1 - b s1, y1

with the slopes s0, s1 of the motion at both keys. Handles of a third (a = b = 1/3) make time run evenly: the cubic of
values and slopes, right to the fourth power of the length. The handles' lengths are free, though: chosen well, they
follow the motion to the sixth power, and the keys still have its exact values and velocities.
Arrays are (m,) segments or (m, p) points on them. Plain arrays, no Blender.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays

Array = arrays.Array

EVEN = 1.0 / 3.0
"""Length of a handle, in parts of the segment, with which time runs evenly."""

SHORTEST, LONGEST = 0.05, 0.8
"""Lengths of handles that are used: with both at most 0.8 long, time never comes near to standing still."""

STEPS = 3
"""Gauss-Newton steps for a pair of handles."""

MANY, EXACT = 4, 1e-9
"""From this many steps on it is worth looking whether the time is met, to so much of a segment: steps square errors."""

HELD = 0.02
"""How strongly handles are held where their lengths do not matter, in tolerances per point."""


class Ends(NamedTuple):
    """Values at both keys of segments and slopes there, in values per segment; each (m,)."""

    y0: Array
    y1: Array
    s0: Array
    s1: Array


def parameter(tau: Array, a: Array, b: Array, start: Array | None = None, steps: int = 12) -> Array:
    """u (m, p) at which segments reach the time tau (m, p), 0 to 1; a, b: (m,) lengths of their handles."""
    A, B = a[:, None], b[:, None]
    u: Array = np.array(tau if start is None else start)
    cube, square, line = 3.0 * (A + B) - 2.0, 3.0 * (1.0 - B) - 6.0 * A, 3.0 * A
    for _ in range(steps):
        x = ((cube * u + square) * u + line) * u
        speed = (3.0 * cube * u + 2.0 * square) * u + line
        u = np.clip(u - (x - tau) / np.maximum(speed, 1e-6), 0.0, 1.0)
        if steps > MANY and np.abs(x - tau).max(initial=0.0) < EXACT:
            break
    return u


def heights(u: Array, ends: Ends, a: Array, b: Array) -> tuple[Array, Array]:
    """Values (m, p) of segments at u, and their slopes in values per segment."""
    y0, y1, s0, s1 = (each[:, None] for each in ends)
    A, B = a[:, None], b[:, None]
    rise, first, last = y1 - y0, A * s0, B * s1
    cube, square, line = -2.0 * rise + 3.0 * (first + last), 3.0 * rise - 6.0 * first - 3.0 * last, 3.0 * first
    y = ((cube * u + square) * u + line) * u + y0
    along = (3.0 * cube * u + 2.0 * square) * u + line
    cube, square, line = 3.0 * (A + B) - 2.0, 3.0 * (1.0 - B) - 6.0 * A, 3.0 * A
    return y, along / np.maximum((3.0 * cube * u + 2.0 * square) * u + line, 1e-6)


def fit(tau: Array, wanted: Array, ends: Ends, tolerance: Array) -> tuple[Array, Array, Array]:
    """Handles a, b (m,) with which segments come nearest to what is wanted at the times tau (m, p), and what they are
    off by there (m, p). tolerance: (m,) what does not matter."""
    m = len(tau)
    a, b = np.full(m, EVEN), np.full(m, EVEN)
    held = (HELD * tolerance) ** 2 * tau.shape[1] + 1e-300
    u: Array | None = None
    for _ in range(STEPS):
        u = parameter(tau, a, b, u, steps=2) if u is not None else tau
        y, slope = heights(u, ends, a, b)
        off = y - wanted
        by_a = 3.0 * u * (1.0 - u) ** 2 * (ends.s0[:, None] - slope)
        by_b = -3.0 * u**2 * (1.0 - u) * (ends.s1[:, None] - slope)
        aa, bb, ab = (by_a * by_a).sum(1) + held, (by_b * by_b).sum(1) + held, (by_a * by_b).sum(1)
        ga, gb = (by_a * off).sum(1) + held * (a - EVEN), (by_b * off).sum(1) + held * (b - EVEN)
        aa, bb = 1.001 * aa, 1.001 * bb
        det = aa * bb - ab * ab
        a = np.clip(a - np.clip((bb * ga - ab * gb) / det, -0.2, 0.2), SHORTEST, LONGEST)
        b = np.clip(b - np.clip((aa * gb - ab * ga) / det, -0.2, 0.2), SHORTEST, LONGEST)
    u = parameter(tau, a, b, u, steps=3)
    return a, b, heights(u, ends, a, b)[0] - wanted


class Clock(NamedTuple):
    """Where times fall on a curve: which segment (p,), how far along it, and what handles are shortened by (k - 1,)."""

    index: Any
    u: Array
    reach: Array
    back: Array


def clock(times: Array, x: Array, left: Array, right: Array, *, linear: bool) -> Clock:
    """For times (p,) and the times of keys and handles (k,); the same for all curves that share these."""
    index = np.clip(np.searchsorted(x, times, side="right") - 1, 0, len(x) - 2)
    length = np.diff(x)
    tau = np.clip((times - x[index]) / length[index], 0.0, 1.0)
    if linear:
        return Clock(index, tau, np.ones_like(length), np.ones_like(length))
    # Blender shortens handles that are longer than the segment, keeping their direction.
    ahead, behind = right[:-1] - x[:-1], x[1:] - left[1:]
    reach, back = (np.minimum(1.0, length / np.maximum(np.abs(each), 1e-30)) for each in (ahead, behind))
    a, b = ahead * reach / length, behind * back / length
    return Clock(index, parameter(tau[:, None], a[index], b[index])[:, 0], reach, back)


def evaluate(at: Clock, y: Array, left: Array, right: Array, *, linear: bool) -> Array:
    """Values (p,) of an F-curve with the values y (k,) of its keys and those of their handles, as Blender gives them.

    Before the first and after the last key the curve is held.
    """
    index, u = at.index, at.u
    y0, rise = y[index], np.diff(y)[index]
    if linear:
        straight: Array = y0 + u * rise
        return straight
    first, last = 3.0 * ((right[:-1] - y[:-1]) * at.reach)[index], 3.0 * ((y[1:] - left[1:]) * at.back)[index]
    value: Array = (((first + last - 2.0 * rise) * u + (3.0 * rise - 2.0 * first - last)) * u + first) * u + y0
    return value
