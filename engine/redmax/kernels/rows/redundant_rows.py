# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows of loops follow from the others at any pose, and a model packed so that these are not solved for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import IntArray
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


def without_redundant_rows(model: Model, tree_of: Callable[[Model, packing.Packed], Tree]) -> packing.Packed:
    """The packed model, of whose rows the redundant ones are only evaluated; see `declaration.RowBodies`.

    Redundant are rows that keep a mechanism of parallel hinges in its plane, or all of a door's second hinge. A row
    that depends on others at poses drawn at random, where no loop is closed, does so everywhere; one that does so only
    in closed poses is found step by step. A row that animated joints alone can break is not redundant, nor is one that
    follows a table, which may contradict the others.
    """
    packed = model.once(packing.pack)
    count = int(packed.ints[Head.EQUATIONS])
    if count == 0 or not packed.whole:
        return packed
    tree, rng = tree_of(model, packed), np.random.default_rng(0)
    released = _with_animated_joints_free(model)
    free = tree if released is model else tree_of(released, packing.pack(released))
    independent: IntArray = np.zeros(0, np.int64)
    moving = np.zeros(count, np.bool_)
    for _ in range(POSES):
        q = rng.uniform(-LARGEST, LARGEST, model.dof_count)
        chart = np.zeros(model.body_count, np.int64)
        found = free.independent_rows(q, chart)
        independent = found if len(found) > len(independent) else independent
        if free is not tree:
            tree.independent_rows(q, chart)
        moving |= tree.moving_rows()
    prescribed = np.flatnonzero(packed.rows[:count, RowBodies.TABLE] >= 0)
    independent = np.union1d(independent, prescribed)
    if len(independent) == count:
        return packed
    moving[independent] = False
    return replace(packing.pack(model, independent), determined=not moving.any())


def _with_animated_joints_free(model: Model) -> Model:
    """The model with animated joints simulated, and with inertia wherever it has none; itself if none is animated."""
    animated = [joint.motion_type == ANIMATED and joint.ndof > 0 for joint in model.joints]
    if not any(animated):
        return model
    joints = tuple(replace(j, motion_type=SIMULATED) if a else j for j, a in zip(model.joints, animated, strict=True))
    held = model.prescribed & ~np.repeat(animated, np.diff(model.dof))
    return replace(model, joints=joints, prescribed=held, inertia=np.where(model.inertia > 0.0, model.inertia, 1.0))
