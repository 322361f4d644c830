# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of constraint rows to the root, body by body, as `path_to_root` follows them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...arrays import IntArray
from .declaration import RowBodies


def pack_paths(parent: IntArray, rows: IntArray) -> IntArray:
    """A `declaration.Path` per body, then the ranges of all bodies, in one row; empty without rows.

    parent: (n,) parent of each body or -1. rows: (m, RowBodies.SIZE).
    """
    n, m = len(parent), len(rows)
    if m == 0:
        return np.zeros(0, np.int64)
    passing: list[list[int]] = [[] for _ in range(n)]
    joining: list[list[int]] = [[] for _ in range(n)]
    for i, (a, b) in enumerate(rows[:, [RowBodies.BODY_A, RowBodies.BODY_B]].tolist()):
        above_a, above_b = ancestors(parent, a), ancestors(parent, b)
        common = next((body for body in above_b if body in set(above_a)), -1)
        if common >= 0:
            joining[common].append(i)
        for body in above_a:
            passing[body].append(i)
        for body in above_b:
            if body == common:
                break
            passing[body].append(m + i if above_a else i)
    records: list[list[int]] = []
    ranges: list[tuple[int, int]] = []
    for body in range(n):
        here, through = runs(joining[body], m), runs(passing[body], m)
        records.append([len(ranges), len(here), len(through)])
        ranges += [*here, *through]
    return np.concatenate([np.array(records, np.int64).ravel(), np.array(ranges, np.int64).ravel()])


def ancestors(parent: IntArray, body: int) -> list[int]:
    """The body and its ancestors up to the root; none for the world."""
    found = []
    while body >= 0:
        found.append(body)
        body = int(parent[body])
    return found


def runs(numbers: list[int], cut: int) -> list[tuple[int, int]]:
    """Numbers as ranges (first, count) of consecutive ones; no range goes on across the cut."""
    if not numbers:
        return []
    ordered = sorted(numbers)
    starts = [0, *(k + 1 for k, (x, y) in enumerate(pairwise(ordered)) if y != x + 1 or y == cut), len(ordered)]
    return [(ordered[first], last - first) for first, last in pairwise(starts)]
