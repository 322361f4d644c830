# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-body mass matrix of all coordinates at once: what a joint carries, as every joint below it feels it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .blocks import Batch, Blocks, is_large
from .plan import Plan
from .vectors import Crossing, dot, einsum, power, write_applied
from .world import World

_HALVES: Array = np.array([0.5, -0.5])[:, None, None]


class MassColumns:
    """What each coordinate moves. columns: (4, 3, nr) its twist S and the wrench F = Mc S that accelerates all it
    carries, both at the joint's own origin. diagonal: (nr,) of the mass matrix.
    """

    def __init__(self, plan: Plan, world: World, mass: Array, inertia: Array) -> None:
        """mass: (n,) of the body with all it carries. inertia: (3, 3, n) of the body at its centre."""
        tree = plan.tree
        weighted = mass * world.arms
        first = tree.over_carried(weighted[1].copy(), weighted[0])
        # Seen from a point d away, inertia of mass m and first moment h gains [d][e]^T + [e][d]^T, e = h + m d / 2.
        # Along the arm to the parent h is `first`; along that from the joint to the centre it is what is there after.
        weighted *= _HALVES
        weighted += first
        gained = einsum("aikn,ajkn->aijn", world.arm.matrix, Crossing.of(weighted).matrix)
        gained[1] += 0.5 * inertia
        half = tree.over_carried(gained[1].reshape(9, -1), gained[0].reshape(9, -1)).reshape(inertia.shape)
        first, second = plan.at_owners(first), plan.at_owners(half + half.transpose(1, 0, 2))
        self.plan, self.world = plan, world
        self.columns = columns = np.zeros((4, *world.S.shape[1:]))
        columns[: len(world.S)] = world.S
        omega, moment, force = columns[0], columns[2], columns[3]
        write_applied(moment, second, omega)
        about = Crossing.of(first)
        about.write_after(force, omega)
        if plan.joints.slide:
            v = columns[1]
            moment += about.before(v)
            force += plan.at_owners(mass) * v
        self.diagonal = power(columns[:2], columns[2:])

    def blocks(self, blocks: Blocks, scale: Array | None = None) -> list[Array]:
        """(T, D, D) of every batch; unused coordinates have 1 diagonally.

        scale: (nr,) 1 / sqrt(diagonal) to multiply rows and columns by, for `Factors`: of large matrices only the upper
        triangle is right then. Twists and wrenches are seen from the top of the group the coordinate belongs to, so
        that S^T F of two coordinates, one of which carries the other, is a product of matrices.
        """
        reach = Crossing.of(self.plan.at_owners(self.world.reach(self.plan, blocks.inner)))
        columns = self.columns.copy() if scale is None else self.columns * scale
        S, F = columns[:2].reshape(6, -1), columns[2:].reshape(6, -1)
        local = [power_of_pairs(S, F, batch) if scale is None or not batch.single else 1.0 for batch in blocks.batches]
        # v + p x omega and moment + p x force, where omega and force are the first and the last of the four.
        columns[1:3] += reach.before(columns[::3])
        if not blocks.whole:
            S, F = _padded(S), _padded(F)
        matrices = []
        for batch, within in zip(blocks.batches, local, strict=True):
            if blocks.whole:
                M = (S.T @ F)[None]
            else:
                M = S.take(batch.columns, 1).transpose(1, 2, 0) @ F.take(batch.columns, 1).transpose(1, 0, 2)
            triangle = scale is not None and is_large(M.shape[1])
            if not (triangle and batch.chains):
                M *= batch.above
            if not triangle:
                M = M + M.transpose(0, 2, 1)
            flat = M.reshape(-1)
            flat[batch.entries] = within
            if len(batch.padding):
                flat[batch.padding] = 1.0
            matrices.append(M)
        return matrices


def power_of_pairs(S: Array, F: Array, batch: Batch) -> Array:
    """S^T F of all pairs of coordinates of one joint, at its own origin: exact however far the top of the group is."""
    return dot(S.take(batch.rows, 1), F.take(batch.cols, 1))


def _padded(columns: Array) -> Array:
    """With a column of zeros behind."""
    return np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
