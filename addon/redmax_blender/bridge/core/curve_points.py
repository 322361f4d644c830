# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of Blender's curves and surfaces, from their control points: Bezier, NURBS and poly splines. No Blender here.

A parameter t counts the segments of a spline. Poly splines have corners that nothing could follow: a smooth curve is
laid through their points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays

Array = arrays.Array

BEZIER, NURBS, POLY = "BEZIER", "NURBS", "POLY"

BERNSTEIN = np.array([[1.0, -3.0, 3.0, -1.0], [0.0, 3.0, -6.0, 3.0], [0.0, 0.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]])
THROUGH = np.array([[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]]) / 2.0
"""(4, 4): row i times (1, t, t^2, t^3) is the weight of the i-th of the four values around a place."""


LINEAR, EASE, CARDINAL, BSPLINE = "LINEAR", "EASE", "CARDINAL", "BSPLINE"
TENSION = 0.71
TILTING: dict[str, Array] = {
    LINEAR: np.array([[0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),
    EASE: np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, -3.0, 2.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, 0.0, 0.0]]),
    CARDINAL: np.array(
        [
            [0.0, -TENSION, 2.0 * TENSION, -TENSION],
            [1.0, 0.0, TENSION - 3.0, 2.0 - TENSION],
            [0.0, TENSION, 3.0 - 2.0 * TENSION, TENSION - 2.0],
            [0.0, 0.0, -TENSION, TENSION],
        ]
    ),
    BSPLINE: np.array([[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]])
    / 6.0,
}
"""Weights of the tilt of the four points around a place of a Bezier spline, like those above, by its interpolation."""


class Knots(NamedTuple):
    """Of a direction of a NURBS curve or surface: its order and what Blender's panel says of its ends."""

    order: int = 4
    cyclic: bool = False
    endpoint: bool = False
    bezier: bool = False


class Spline(NamedTuple):
    """points: (n, 3). left, right: handles of a Bezier spline, like points. weights, tilt: (n,) [1, rad]. tilting: how
    the tilt of a Bezier spline goes from point to point."""

    kind: str
    points: Array
    left: Array
    right: Array
    weights: Array
    tilt: Array
    knots: Knots
    tilting: str = LINEAR

    @property
    def cyclic(self) -> bool:
        return self.knots.cyclic

    @property
    def segments(self) -> int:
        """How many there are: t is from 0 to this."""
        n = len(self.points)
        if self.kind == NURBS:
            return n if self.cyclic else max(n - self.knots.order + 1, 1)
        return n if self.cyclic else n - 1


def positions(spline: Spline, t: Array) -> tuple[Array, Array]:
    """Points (k, 3) and tilt angles (k,) at parameters t (k,)."""
    n = len(spline.points)
    if spline.kind == NURBS:
        B = nurbs_weights(n, spline.knots, t / spline.segments)
        rational = B * spline.weights
        rational = rational / rational.sum(axis=1, keepdims=True)
        return rational @ spline.points, rational @ spline.tilt
    segment = np.minimum(np.floor(t).astype(np.int64), spline.segments - 1)
    x = t - segment
    powers = np.stack([np.ones_like(x), x, x * x, x**3], 1)
    here, there = segment % n, (segment + 1) % n
    if spline.kind == BEZIER:
        corners = np.stack([spline.points[here], spline.right[here], spline.left[there], spline.points[there]], 1)
        around = segment[:, None] + np.arange(-1, 3)
        around = around % n if spline.cyclic else np.clip(around, 0, n - 1)
        tilt = np.einsum("ki,ki->k", spline.tilt[around], powers @ TILTING[spline.tilting].T)
        return np.einsum("kij,ki->kj", corners, powers @ BERNSTEIN.T), tilt
    values = np.column_stack([spline.points, spline.tilt])
    if not spline.cyclic:
        values = np.concatenate([2.0 * values[:1] - values[1:2], values, 2.0 * values[-1:] - values[-2:-1]])
    around = (segment[:, None] + np.arange(4) - (1 if spline.cyclic else 0)) % len(values)
    found = np.einsum("kij,ki->kj", values[around], powers @ THROUGH.T)
    return found[:, :3], found[:, 3]


def knot_vector(count: int, knots: Knots) -> Array:
    """The knots that Blender gives to `count` control points."""
    order, cyclic = knots.order, knots.cyclic
    total = count + order + (order - 1 if cyclic else 0)
    inner = order - 1 if knots.bezier else 1
    head = order - (1 if cyclic else 0) if knots.endpoint else min(2, inner) if knots.bezier else 1
    tail = 2 * order - 1 if cyclic else order if knots.endpoint else 0
    offset = 1 if knots.endpoint and cyclic else 0
    found = np.zeros(total)
    left, current = head, float(offset)
    for i in range(total - offset - tail):
        found[i + offset] = current
        left -= 1
        if left == 0:
            current += 1.0
            left = inner
    for i in range(tail):
        found[total - tail + i] = current + (found[i] - found[0])
    return found


def nurbs_weights(count: int, knots: Knots, part: Array) -> Array:
    """(k, count) weights of control points, before they are made rational, at parts (k,) of the whole, 0 to 1.

    By the recursion of Cox and de Boor.
    """
    u = knot_vector(count, knots)
    degree = knots.order - 1
    wrapped = count + (degree if knots.cyclic else 0)
    x = u[degree] + np.clip(part, 0.0, 1.0) * (u[wrapped] - u[degree])
    last = int(np.searchsorted(u, u[wrapped], side="left")) - 1  # the end belongs to the last piece that has a length
    piece = np.minimum(np.searchsorted(u, x, side="right") - 1, last)
    B = (np.arange(len(u) - 1) == piece[:, None]).astype(np.float64)
    for d in range(1, degree + 1):
        n = B.shape[1] - 1
        rise, fall = u[d : d + n] - u[:n], u[d + 1 : d + 1 + n] - u[1 : 1 + n]
        with np.errstate(divide="ignore", invalid="ignore"):
            a = np.where(rise > 0.0, (x[:, None] - u[:n]) / rise, 0.0)
            b = np.where(fall > 0.0, (u[d + 1 : d + 1 + n] - x[:, None]) / fall, 0.0)
        B = a * B[:, :n] + b * B[:, 1 : n + 1]
    weights = np.zeros((len(x), count))
    for k in range(wrapped):
        weights[:, k % count] += B[:, k]
    return weights


def surface_positions(points: Any, weights: Any, along_u: Knots, along_v: Knots, shape: tuple[int, int]) -> Array:
    """Points (rows, columns, 3) of a NURBS surface, evenly spaced in its parameters. points: (m, n, 3), weights (m, n).

    A closed direction is left out where it comes back.
    """
    parts = [
        np.arange(count) / (count if knots.cyclic else count - 1)
        for count, knots in zip(shape, (along_u, along_v), strict=True)
    ]
    U, V = (
        nurbs_weights(count, knots, part)
        for count, knots, part in zip(np.shape(points)[:2], (along_u, along_v), parts, strict=True)
    )
    whole = np.einsum("ki,lj,ij->kl", U, V, weights)
    found: Array = np.einsum("ki,lj,ij,ijc->klc", U, V, weights, points) / whole[..., None]
    return found
