# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest circle or sphere around points. No Blender here."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..._engine import arrays

Array = arrays.Array

OUTSIDE = 1e-9
"""A point further outside than this part of the radius is outside."""

ROUNDS = 1000
"""Each makes the ball larger; a few dozen are usual."""


def enclosing_ball(points: Array) -> tuple[Array, float]:
    """Centre (d,) and radius of the smallest ball around points (n, d).

    The ball of at most d + 1 points grows until nothing is outside: the point furthest outside joins those that hold
    it, and the smallest ball around these few is found among the balls through their subsets.
    """
    held = points[:1]
    centre, radius = points[0].astype(np.float64), 0.0
    for _ in range(ROUNDS):
        distances = np.linalg.norm(points - centre, axis=1)
        furthest = int(np.argmax(distances))
        if distances[furthest] <= radius * (1.0 + OUTSIDE):
            break
        grown = _ball_of_few(np.vstack([held, points[furthest]]))
        if grown[1] <= radius:  # the rest is rounding
            radius = float(distances[furthest])
            break
        centre, radius, held = grown
    return centre, radius


def _ball_of_few(points: Array) -> tuple[Array, float, Array]:
    """The smallest ball around a few points: centre, radius and the points that hold it."""
    best: tuple[Array, float, Array] | None = None
    for size in range(1, points.shape[1] + 2):
        for chosen in combinations(range(len(points)), size):
            held = points[list(chosen)]
            centre, radius = _through(held)
            is_around = (np.linalg.norm(points - centre, axis=1) <= radius * (1.0 + OUTSIDE)).all()
            if is_around and (best is None or radius < best[1]):
                best = centre, radius, held
    if best is None:  # nearly equal points: around all of them
        centre = points.mean(axis=0)
        return centre, float(np.linalg.norm(points - centre, axis=1).max()), points[: points.shape[1] + 1]
    return best


def _through(points: Array) -> tuple[Array, float]:
    """The smallest ball with all of some points on its surface, as far as there is one."""
    first, arms = points[0], points[1:] - points[0]
    if not len(arms):
        return first, 0.0
    weights, *_ = np.linalg.lstsq(2.0 * arms @ arms.T, (arms * arms).sum(axis=1), rcond=None)
    offset = weights @ arms
    return first + offset, float(np.linalg.norm(offset))
