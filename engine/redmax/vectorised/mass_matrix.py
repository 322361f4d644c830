# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-body mass matrix of all coordinates at once: what a joint carries, as every joint below it feels it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .blocks import Batch, Blocks, is_large
from .plan import Plan
from .vectors import Crossing, cross, dot, einsum, power, write_applied
from .world import World


class MassColumns:
    """What each coordinate moves. columns: (4, 3, nr) its twist S and the wrench F = Mc S that accelerates all it
    carries, both at the joint's own origin. diagonal: (nr,) of the mass matrix.
    """

    def __init__(self, plan: Plan, world: World, masses: Array, inertia: Array) -> None:
        """masses: (2, 1, n) of the body with all it carries, and of the body. inertia: (3, 3, n) at its centre."""
        tree, arms = plan.tree, world.arms
        weighted = masses * arms
        first = tree.over_carried(weighted[1], weighted[0])
        weighted *= 0.5
        weighted[0] += first
        # Seen from a point d away, inertia of mass m and first moment h gains [d][e]^T + [e][d]^T, e = h + m d / 2.
        gained = einsum("aikn,ajkn->aijn", world.crossing.matrix, Crossing.of(weighted).matrix)
        gained[1] += 0.5 * inertia
        half = tree.over_carried(gained[1].reshape(9, -1), gained[0].reshape(9, -1)).reshape(inertia.shape)
        first, second = plan.at_owners(first), plan.at_owners(half + half.transpose(1, 0, 2))
        self.plan, self.world = plan, world
        self.columns = np.empty((4, *world.S.shape[1:]))
        self.columns[:2] = world.S
        omega, v, moment, force = self.columns
        write_applied(moment, second, omega)
        force[:] = cross(omega, first)
        if plan.joints.slide:
            moment += cross(first, v)
            force += plan.at_owners(masses[0, 0]) * v
        self.diagonal = power(self.columns[:2], self.columns[2:])

    def blocks(self, blocks: Blocks, scale: Array | None = None) -> list[Array]:
        """(T, D, D) of every batch; unused coordinates have 1 diagonally.

        scale: (nr,) 1 / sqrt(diagonal) to multiply rows and columns by, for `Factors`: of large matrices only the upper
        triangle is right then. Twists and wrenches are seen from the top of the group the coordinate belongs to, so
        that S^T F of two coordinates, one of which carries the other, is a product of matrices.
        """
        reach = self.world.reach
        if blocks.inner is not None:
            reach = self.plan.tree.over_ancestors(self.world.arms[0] * blocks.inner)
        columns = self.columns.copy() if scale is None else self.columns * scale
        S, F = columns.reshape(2, 6, -1)
        local = [power_of_pairs(S, F, batch) if scale is None or not batch.single else 1.0 for batch in blocks.batches]
        # v + p x omega and moment + p x force, where omega and force are the first and the last of the four.
        columns[1:3] += cross(self.plan.at_owners(reach), columns[::3])
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
