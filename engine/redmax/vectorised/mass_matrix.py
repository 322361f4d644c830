# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-body mass matrix of all coordinates at once: what a joint carries, as every joint below it feels it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .blocks import Blocks, is_large
from .plan import Plan
from .vectors import apply, cross, lever, power
from .world import World


class MassColumns:
    """The wrench F = Mc S (2, 3, nr) that accelerates what each coordinate carries, at the joint's own origin.

    diagonal: (nr,) of the mass matrix.
    """

    def __init__(self, plan: Plan, world: World, masses: Array, inertia: Array) -> None:
        """masses: (2, 1, n) of the body with all it carries, and of the body. inertia: (3, 3, n) at its centre."""
        tree, arms = plan.tree, world.arms
        weighted = masses * arms
        first = tree.over_carried(weighted[1], weighted[0])
        weighted *= 0.5
        weighted[0] += first
        gained = lever(arms, weighted)
        gained[1] += inertia
        carried, own = gained.reshape(2, 9, -1)
        first, second = plan.at_owners(first), plan.at_owners(tree.over_carried(own, carried).reshape(inertia.shape))
        self.plan, self.world, self.S = plan, world, world.S
        omega, v = self.S
        self.F = np.empty_like(self.S)
        self.F[0], self.F[1] = apply(second, omega), cross(omega, first)
        if plan.joints.slide:
            self.F[0] += cross(first, v)
            self.F[1] += plan.at_owners(masses[0, 0]) * v
        self.diagonal = power(self.S, self.F)

    def blocks(self, blocks: Blocks, scale: Array | None = None) -> list[Array]:
        """(T, D, D) of every batch; unused coordinates have 1 diagonally.

        scale: (nr,) 1 / sqrt(diagonal) to multiply rows and columns by, for `Factors`: of large matrices only the upper
        triangle is right then. Twists and wrenches are seen from the top of the group the coordinate belongs to, so
        that S^T F of two coordinates, one of which carries the other, is a product of matrices.
        """
        S, F, reach = self.S, self.F, self.world.reach
        if scale is not None:
            S, F = S * scale, F * scale
        if blocks.inner is not None:
            reach = self.plan.tree.over_ancestors(self.world.arms[0] * blocks.inner)
        gained = np.empty(S.shape)
        gained[0], gained[1] = S[0], F[1]
        gained = cross(self.plan.at_owners(reach), gained)
        seen_S = np.concatenate([S[0], S[1] + gained[0]])
        seen_F = np.concatenate([F[0] + gained[1], F[1]])
        if not blocks.whole:
            seen_S, seen_F = _padded(seen_S), _padded(seen_F)
        matrices = []
        for batch in blocks.batches:
            if blocks.whole:
                M = (seen_S.T @ seen_F)[None]
            else:
                M = seen_S.take(batch.columns, 1).transpose(1, 2, 0) @ seen_F.take(batch.columns, 1).transpose(1, 0, 2)
            triangle = scale is not None and is_large(M.shape[1])
            if not (triangle and batch.chains):
                M *= batch.above
            if not triangle:
                M = M + M.transpose(0, 2, 1)
            flat = M.reshape(-1)
            # Within a joint from its own columns: exact however far the top of the group is.
            if scale is not None and batch.single:
                flat[batch.entries] = 1.0
            else:
                flat[batch.entries] = power(S.take(batch.rows, 2), F.take(batch.cols, 2))
            if len(batch.padding):
                flat[batch.padding] = 1.0
            matrices.append(M)
        return matrices


def _padded(columns: Array) -> Array:
    """With a column of zeros behind."""
    return np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
