# SPDX-License-Identifier: GPL-3.0-or-later
"""Which equations can come to depend on each other in a pose: those of loops, and those on what loops hold."""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, IntArray
from ...model import Model
from ...topology import groups
from ..layout import codes
from ..layout.declaration import RowBodies

ROW, COORDINATE = "row", "coordinate"


def tied_to_loops(model: Model, lines: IntArray) -> BoolArray:
    """(m,) whether a POINT or AXIS row is among the rows that share coordinates with each, or with others of them.

    Couplings by themselves are the same combination of coordinates in every pose and never depend on each other. Their
    pivots fall where the mass matrix grows, which is no singular pose. lines: (m, RowBodies.SIZE).
    """
    varies: BoolArray = np.isin(lines[:, RowBodies.KIND], (codes.POINT, codes.AXIS))
    if varies.all() or not varies.any():
        return varies
    edges = [((ROW, i), (COORDINATE, k)) for i, line in enumerate(lines) for k in _coordinates(model, line)]
    nodes = [*((ROW, i) for i in range(len(lines))), *((COORDINATE, k) for k in range(model.dof_count))]
    tied = np.zeros(len(lines), bool)
    for group in groups(nodes, edges):
        rows = [number for sort, number in group if sort == ROW]
        tied[rows] = varies[rows].any()
    return tied


def _coordinates(model: Model, line: IntArray) -> set[int]:
    """What a row moves with: its own coordinates, or those of all joints between its two bodies."""
    if line[RowBodies.KIND] == codes.COORDINATE:
        return {int(line[side]) for side in (RowBodies.COORDINATE_A, RowBodies.COORDINATE_B) if line[side] >= 0}
    between: set[int] = set()
    for side in (RowBodies.BODY_A, RowBodies.BODY_B):
        body, path = int(line[side]), set[int]()
        while body >= 0:
            path |= set(range(int(model.dof[body]), int(model.dof[body + 1])))
            body = int(model.parent[body])
        between ^= path
    return between
