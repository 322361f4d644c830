# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of a model: the blocks of its mass matrix, which contact problems are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import IntArray
from ...dynamics.freedoms import free_coordinates
from ...model import Model

WORLD = -1


@dataclass(frozen=True, eq=False)
class Trees:
    """of_free: (f,) tree of each free coordinate. of_body: (n + 1,) tree of each body, -1 where no free coordinate
    moves it and for the world, which is the last. members: free coordinates of each tree, as places in (f,)."""

    of_free: IntArray
    of_body: IntArray
    members: tuple[IntArray, ...]


def trees(model: Model) -> Trees:
    """The trees of a model; drives join those whose coordinates they tie together."""
    n = model.body_count
    leader = np.arange(n)
    for body in range(n):
        if model.parent[body] >= 0:
            leader[body] = leader[model.parent[body]]
    owner = np.repeat(np.arange(n), np.diff(model.dof))
    if model.followers is not None:
        driven = sorted({int(leader[owner[k]]) for k in (*model.followers.rows, *model.followers.inputs)})
        leader[np.isin(leader, driven)] = driven[0]
    free = model.once(free_coordinates)
    roots = leader[owner[free]]
    used = np.unique(roots)
    number = np.full(n, WORLD, np.int64)
    number[used] = np.arange(len(used))
    of_free = number[roots]
    return Trees(
        of_free=of_free,
        of_body=np.append(number[leader], WORLD),
        members=tuple(np.flatnonzero(of_free == k) for k in range(len(used))),
    )
