# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-body mass matrix of all coordinates at once: what a joint carries, as every joint below it feels it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .blocks import Block
from .plan import Plan
from .vectors import apply, cross, lever, power
from .world import World


class MassColumns:
    """The wrench F = Mc S (2, 3, nr) that accelerates what each coordinate carries, at the joint's own origin.

    seen_S and seen_F, (6, nr), are twists and wrenches as they are seen from the top of the group the coordinate
    belongs to, so that S^T F of any two coordinates, one of which carries the other, is a product of matrices.
    diagonal: (nr,) of the mass matrix.
    """

    def __init__(self, plan: Plan, world: World, mass: Array, carried: Array, inertia: Array, inner: Array) -> None:
        """mass, carried (n,): of the body, and with all it carries. inertia: (3, 3, n) about the centre of mass."""
        tree, arm, center = plan.tree, world.arm, world.center
        first = tree.over_carried(mass * center, carried * arm)
        second = inertia + lever(center, (0.5 * mass) * center)
        gained = lever(arm, first + (0.5 * carried) * arm)
        second = tree.over_carried(second.reshape(9, -1), gained.reshape(9, -1)).reshape(3, 3, -1)
        first, second = plan.at_owners(first), plan.at_owners(second)
        self.S, self.F = world.S, np.empty_like(world.S)
        omega, v = world.S
        self.F[0], self.F[1] = apply(second, omega), cross(omega, first)
        if plan.joints.slide:
            self.F[0] += cross(first, v)
            self.F[1] += plan.at_owners(carried) * v
        self.diagonal = power(self.S, self.F)
        p = plan.at_owners(tree.over_ancestors(arm * inner))
        self.seen_S, self.seen_F = self.S.reshape(6, -1).copy(), self.F.reshape(6, -1).copy()
        self.seen_S[3:] += cross(p, omega)
        self.seen_F[:3] += cross(p, self.F[1])

    @classmethod
    def of_bodies(cls, plan: Plan, world: World, inertia: Array) -> MassColumns:
        """Of the bodies' masses, for the blocks of free coordinates. inertia: (3, 3, n) along the world's axes."""
        return cls(plan, world, plan.mass, plan.carried_mass, inertia, plan.inner)

    def block(self, block: Block, scale: Array | None = None) -> Array:
        """(T, D, D) with rows and columns multiplied by scale (nr,), and 1 on the diagonal of unused coordinates."""
        S, F = self.seen_S, self.seen_F
        if scale is not None:
            S, F = S * scale, F * scale
        if block.whole:
            M = (S.T @ F)[None]
        else:
            S, F = _padded(S).take(block.columns, 1), _padded(F).take(block.columns, 1)
            M = S.transpose(1, 2, 0) @ F.transpose(1, 0, 2)
        M *= block.above
        M = M + M.transpose(0, 2, 1)
        same = power(self.S.take(block.rows, 2), self.F.take(block.cols, 2))
        if scale is not None:
            same *= scale.take(block.rows) * scale.take(block.cols)
        flat = M.reshape(-1)
        flat[block.entries] = same
        flat[block.padding] = 1.0
        return np.asarray(M)


def _padded(columns: Array) -> Array:
    """With a column of zeros behind."""
    return np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
