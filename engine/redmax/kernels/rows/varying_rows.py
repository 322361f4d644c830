# SPDX-License-Identifier: GPL-3.0-or-later
"""Which equations can come to depend on each other in a pose: those of loops, and those on what loops hold."""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, IntArray
from ...model import Model
from ..layout import codes
from ..layout.declaration import RowBodies


def tied_to_loops(model: Model, lines: IntArray) -> BoolArray:
    """(m,) whether a POINT or AXIS row is among the rows that share coordinates with each, or with others of them.

    Couplings by themselves are the same combination of coordinates in every pose and never depend on each other. Their
    pivots fall where the mass matrix grows, which is no singular pose. lines: (m, RowBodies.SIZE).
    """
    varies: BoolArray = (lines[:, RowBodies.KIND] == codes.POINT) | (lines[:, RowBodies.KIND] == codes.AXIS)
    if varies.all() or not varies.any():
        return varies
    touched, tied = np.zeros((len(lines), model.dof_count), np.bool_), varies
    for i, line in enumerate(lines):
        touched[i, list(_coordinates(model, line))] = True
    while True:
        grown = tied | touched[:, touched[tied].any(axis=0)].any(axis=1)
        if (grown == tied).all():
            return tied
        tied = grown


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
