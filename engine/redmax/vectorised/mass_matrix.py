# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite-body mass matrix of all coordinates at once: what a joint carries, as every joint below it feels it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .blocks import Block
from .plan import Plan
from .vectors import apply, cross, lever, packed, unpacked
from .world import World


class MassColumns:
    """The wrench F = Mc S (6, nr) that accelerates what each coordinate carries, at the joint's own origin.

    `_S` and `_F` are the same twists and wrenches seen from the top of the group the coordinate belongs to, so that
    S^T F of any two coordinates, one of which carries the other, is a product of matrices.
    """

    def __init__(self, plan: Plan, world: World, mass: Array, carried: Array, inertia: Array, inner: Array) -> None:
        """mass, carried (n,): of the body, and with all it carries. inertia: (3, 3, n) about the centre of mass."""
        tree, arm, center = plan.tree, world.arm, world.center
        first = tree.over_carried(mass * center, carried * arm)
        second = packed(inertia) + lever(center, 0.5 * mass * center)
        second = unpacked(tree.over_carried(second, lever(arm, first + 0.5 * carried * arm)))
        first, second = plan.at_owners(first), plan.at_owners(second)
        self.S = world.S
        omega, v = self.S[:3], self.S[3:]
        moment, force = apply(second, omega), cross(omega, first)
        if plan.joints.slide:
            moment += cross(first, v)
            force += plan.at_owners(carried) * v
        self.F = np.concatenate([moment, force])
        p = plan.at_owners(tree.over_ancestors(arm * inner))
        self._S = np.concatenate([omega, v + cross(p, omega)])
        self._F = np.concatenate([moment + cross(p, force), force])

    @classmethod
    def of_bodies(cls, plan: Plan, world: World, inertia: Array) -> MassColumns:
        """Of the bodies' masses, for the blocks of free coordinates. inertia: (3, 3, n) along the world's axes."""
        return cls(plan, world, plan.mass, plan.carried_mass, inertia, plan.inner)

    def block(self, block: Block) -> Array:
        """(T, D, D), with 1 on the diagonal of unused coordinates."""
        if block.whole:
            M = (self._S.T @ self._F)[None]
        else:
            S, F = _padded(self._S).take(block.columns, 1), _padded(self._F).take(block.columns, 1)
            M = S.transpose(1, 2, 0) @ F.transpose(1, 0, 2)
        M *= block.above
        M = M + M.transpose(0, 2, 1)
        flat = M.reshape(-1)
        flat[block.entries] = np.einsum("ic,ic->c", self.S.take(block.rows, 1), self.F.take(block.cols, 1))
        flat[block.padding] = 1.0
        return np.asarray(M)


def _padded(columns: Array) -> Array:
    """With a column of zeros behind."""
    return np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
