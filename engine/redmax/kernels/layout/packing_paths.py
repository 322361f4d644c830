# SPDX-License-Identifier: GPL-3.0-or-later
"""How much room the paths of constraint rows to the root need, as `rows.path_ranges` writes them."""

from __future__ import annotations

from ...arrays import IntArray
from .declaration import Path, RowBodies


def room_for_paths(parent: IntArray, rows: IntArray) -> int:
    """Integers of a `declaration.Path` per body and of the ranges of all bodies, at most; 0 without rows.

    parent: (n,) parent of each body or -1. rows: (m, RowBodies.SIZE).
    """
    if len(rows) == 0:
        return 0
    depth: list[int] = []
    for above in parent.tolist():
        depth.append(1 if above < 0 else depth[above] + 1)
    ends = rows[:, [RowBodies.BODY_A, RowBodies.BODY_B]].ravel().tolist()
    ranges = sum(depth[body] for body in ends if body >= 0) + len(rows)
    return int(len(parent) * Path.SIZE + 2 * ranges)
