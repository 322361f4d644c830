# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows of loops follow from the others at any pose, and a model packed so that these are not solved for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...joints.base import ANIMATED, SIMULATED
from ...model import Model
from ..layout import packing
from ..layout.declaration import Head, RowBodies

if TYPE_CHECKING:
    from ..compiled_tree import Tree

POSES = 3
"""Poses that are tried."""
LARGEST = 0.7
"""Largest coordinate of these poses [rad or m]."""
CLOSED = 1e-3
"""Loops that are open by no more than this part of the largest number in their rows, points among them, are closed."""
REDUNDANT_ROW = 1e-11
"""A row of which no larger part than this, squared, is its own is redundant; as `delassus.DEPENDENT_ROW`."""


def without_redundant_rows(model: Model, tree_of: Callable[[Model, packing.Packed], Tree]) -> packing.Packed:
    """The packed model, of whose rows the redundant ones are only evaluated; see `declaration.RowBodies`.

    Redundant are rows that keep a mechanism of parallel hinges in its plane, or all of a door's second hinge. A row
    that depends on others at poses drawn at random, where no loop is closed, does so everywhere; one that does so only
    in closed poses is found step by step. Rows that are independent where the mechanism starts come first: of two balls
    that hold a door, the row along the line between them says something only where they are open. A row that animated
    joints alone can break is not redundant, nor is one that follows a table, which may contradict the others.
    """
    packed = model.once(packing.pack)
    count = int(packed.ints[Head.EQUATIONS])
    if count == 0 or not packed.whole:
        return packed
    tree, rng = tree_of(model, packed), np.random.default_rng(0)
    released = _with_animated_joints_free(model)
    free = tree if released is model else tree_of(released, packing.pack(released))
    start = model.initial_state()
    closed = np.abs(tree.row_errors(start.q, start.qdot, start.chart)).max() <= CLOSED * tree.largest_row_number
    driven = list(range(tree.driven))
    at_start = _independent(*free.whitened_rows(start.q, start.chart), driven) if closed else driven
    independent: list[int] = []
    moving = np.zeros(count, np.bool_)
    for _ in range(POSES):
        q = rng.uniform(-LARGEST, LARGEST, model.dof_count)
        chart = np.zeros(model.body_count, np.int64)
        found = _independent(*free.whitened_rows(q, chart), at_start)
        independent = found if len(found) > len(independent) else independent
        if free is not tree:
            tree.whitened_rows(q, chart)
        moving |= tree.moving_rows()
    prescribed = np.flatnonzero(packed.rows[:count, RowBodies.TABLE] >= 0)
    kept = sorted({*driven, *independent, *prescribed.tolist()})
    if len(kept) == count:
        return packed
    moving[kept] = False
    return replace(packing.pack(model, np.array(kept, np.int64)), determined=not moving.any())


def _independent(rows: Array, squares: Array, first: list[int]) -> list[int]:
    """Numbers of independent rows, those of `first` before others, by the part of them that no other has.

    rows: (m, nr) in coordinates of unit inertia. squares: (m,) their lengths squared, 0 if they move nothing.
    """
    left = rows.copy()
    chosen: list[int] = []
    while True:
        part = np.divide((left**2).sum(axis=1), squares, out=np.zeros(len(rows)), where=squares > 0.0)
        part[chosen] = 0.0
        preferred = max(first, key=part.__getitem__, default=-1)
        best = preferred if preferred >= 0 and part[preferred] > REDUNDANT_ROW else int(part.argmax())
        if not part[best] > REDUNDANT_ROW:
            return chosen
        chosen.append(best)
        direction = left[best] / np.linalg.norm(left[best])
        for _ in range(2):
            left -= np.outer(left @ direction, direction)


def _with_animated_joints_free(model: Model) -> Model:
    """The model with animated joints simulated, and with inertia wherever it has none; itself if none is animated."""
    animated = [joint.motion_type == ANIMATED and joint.ndof > 0 for joint in model.joints]
    if not any(animated):
        return model
    joints = tuple(replace(j, motion_type=SIMULATED) if a else j for j, a in zip(model.joints, animated, strict=True))
    held = model.prescribed & ~np.repeat(animated, np.diff(model.dof))
    return replace(model, joints=joints, prescribed=held, inertia=np.where(model.inertia > 0.0, model.inertia, 1.0))
