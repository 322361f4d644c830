# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which a line through given points is shortest. No Blender here."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..._engine import arrays

Array = arrays.Array

EXACT = 10
"""As many points are tried in every order; of more, the nearest one comes next, and crossings are undone."""


def shortest_order(points: Array, *, first: int | None = None) -> list[int]:
    """Numbers of the points (n, 3) along the shortest open line through all of them. first: where it begins."""
    n = len(points)
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    if n < 3:
        return list(range(n)) if first in (None, 0) else [1, 0]
    starts = range(n) if first is None else (first,)
    if n <= EXACT:
        return _exact(away, starts)
    found = [_untangled(away, _nearest_next(away, start)) for start in starts]
    return min(found, key=lambda order: _length(away, order))


def _length(away: Array, order: list[int]) -> float:
    return float(away[order[:-1], order[1:]].sum())


def _exact(away: Array, starts: Iterable[int]) -> list[int]:
    """Held and Karp: the shortest line over each set of points that ends at each of them."""
    n = len(away)
    best: dict[tuple[int, int], tuple[float, int]] = {(1 << k, k): (0.0, -1) for k in starts}
    reached = list(best)
    for _ in range(n - 1):
        following: dict[tuple[int, int], tuple[float, int]] = {}
        for members, last in reached:
            so_far = best[members, last][0]
            for k in range(n):
                if not members >> k & 1:
                    key = (members | 1 << k, k)
                    length = so_far + float(away[last, k])
                    if key not in following or length < following[key][0]:
                        following[key] = (length, last)
        best |= following
        reached = list(following)
    members, last = min(reached, key=lambda key: best[key][0])
    order = [last]
    while best[members, last][1] >= 0:
        members, last = members ^ 1 << last, best[members, last][1]
        order.append(last)
    return order[::-1]


def _nearest_next(away: Array, start: int) -> list[int]:
    order, left = [start], [k for k in range(len(away)) if k != start]
    while left:
        order.append(min(left, key=lambda k: float(away[order[-1], k])))
        left.remove(order[-1])
    return order


def _untangled(away: Array, order: list[int]) -> list[int]:
    """Parts of the line turned round as long as that makes it shorter; its first point stays the first."""
    n, shorter = len(order), True
    while shorter:
        shorter = False
        for i in range(1, n - 1):
            for k in range(i + 1, n):
                turned = [*order[:i], *order[i : k + 1][::-1], *order[k + 1 :]]
                if _length(away, turned) < _length(away, order) - 1e-12:
                    order, shorter = turned, True
    return order
