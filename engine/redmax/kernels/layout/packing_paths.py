# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of rows to the root, body by body, as `path_to_root` follows them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...arrays import IntArray
from .declaration import RowBodies


def pack_ways(parent: IntArray, rows: IntArray) -> IntArray:
    """One line of integers per body, then pairs; see `layout.WAY_INTS`. rows: (m, ROW_INTS); nothing without rows."""
    n, m = len(parent), len(rows)
    if m == 0:
        return np.zeros(0, np.int64)
    passing: list[list[int]] = [[] for _ in range(n)]
    meeting: list[list[int]] = [[] for _ in range(n)]
    for i, (a, b) in enumerate(rows[:, [RowBodies.BODY_A, RowBodies.BODY_B]].tolist()):
        above_a, above_b = ancestors(parent, a), ancestors(parent, b)
        met = next((body for body in above_b if body in set(above_a)), -1)
        if met >= 0:
            meeting[met].append(i)
        for body in above_a:
            passing[body].append(i)
        for body in above_b:
            if body == met:
                break
            passing[body].append(m + i if above_a else i)
    lines: list[list[int]] = []
    pairs: list[tuple[int, int]] = []
    for body in range(n):
        meetings, ranges = runs(meeting[body], m), runs(passing[body], m)
        lines.append([len(pairs), len(meetings), len(ranges)])
        pairs += [*meetings, *ranges]
    return np.concatenate([np.array(lines, np.int64).ravel(), np.array(pairs, np.int64).ravel()])


def ancestors(parent: IntArray, body: int) -> list[int]:
    """The body and those it hangs on, up to the root; none for the world."""
    found = []
    while body >= 0:
        found.append(body)
        body = int(parent[body])
    return found


def runs(numbers: list[int], cut: int) -> list[tuple[int, int]]:
    """Numbers as (first, how many) of those that follow each other; none goes on across the cut."""
    if not numbers:
        return []
    ordered = sorted(numbers)
    starts = [0, *(k + 1 for k, (x, y) in enumerate(pairwise(ordered)) if y != x + 1 or y == cut), len(ordered)]
    return [(ordered[first], last - first) for first, last in pairwise(starts)]
