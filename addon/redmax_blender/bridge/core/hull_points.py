# SPDX-License-Identifier: GPL-3.0-or-later
"""A few points of a mesh whose convex hull is nearly that of all of them. No Blender here, and no scipy."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..._engine import arrays

Array = arrays.Array

DIRECTIONS = 1500
"""In which the hull of the points is compared with that of all."""

CHUNK = 20_000
"""Points that are looked at together, so that a large mesh needs little memory."""

ALIKE = 1e-6
"""Hulls that differ by less than this part of their size are the same."""


class HullPoints(NamedTuple):
    """chosen: numbers of the points. error: how far the hull of all reaches beyond theirs [m]."""

    chosen: list[int]
    error: float


@cache
def directions() -> Array:
    """(n, 3) unit vectors: the axes, the corners and edges of a cube, and others spread evenly."""
    signs = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)], np.float64)
    signs = signs[np.abs(signs).sum(axis=1) > 0]
    number = np.arange(DIRECTIONS) + 0.5
    height = 1.0 - 2.0 * number / DIRECTIONS
    turn = np.pi * (1.0 + 5.0**0.5) * number
    round_ = np.sqrt(1.0 - height * height)
    spread = np.stack([round_ * np.cos(turn), round_ * np.sin(turn), height], axis=1)
    found: Array = np.concatenate([signs / np.linalg.norm(signs, axis=1)[:, None], spread])
    found.setflags(write=False)
    return found


def extremes(points: Array) -> list[int]:
    """Numbers of those points (n, 3) that are the furthest in some direction, in order.

    Directions are those of the points' own box made a cube, so that a thin plate keeps its thickness.
    """
    spread = np.ptp(points, axis=0)
    scaled = (points - points.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    best = np.full(len(directions()), -np.inf)
    which = np.zeros(len(directions()), np.int64)
    for start in range(0, len(points), CHUNK):
        reach = directions() @ scaled[start : start + CHUNK].T
        furthest = reach.argmax(axis=1)
        value = reach[np.arange(len(reach)), furthest]
        better = value > best + 1e-12
        best[better], which[better] = value[better], start + furthest[better]
    return sorted(set(which.tolist()))


def hull_points(points: Array, most: int) -> HullPoints:
    """At most `most` of the points (n, 3) [m], such that their hull lacks as little as possible of that of all.

    Where the hull lacks most, the point that reaches furthest there joins.
    """
    able = extremes(points)
    corners = points[able]
    reach = directions() @ corners.T
    full = reach.max(axis=1)
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    chosen = [int(reach[0].argmax())]
    covered = reach[:, chosen[0]].copy()
    while True:
        lacking = full - covered
        worst = int(lacking.argmax())
        if lacking[worst] <= ALIKE * size or len(chosen) >= most:
            return HullPoints([able[k] for k in sorted(chosen)], float(max(lacking[worst], 0.0)))
        chosen.append(int(reach[worst].argmax()))
        np.maximum(covered, reach[:, chosen[-1]], out=covered)
