# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint of the seeds: a rotation vector, then a translation along the turned axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..spatial.scalar import applied, negative_cross_matrix, put_block, rotation_vector_motion
from . import primitives
from .base import Joint
from .friction import Bearing
from .rotation_vector import recentre_vector, rewrite_vector


@dataclass(frozen=True, kw_only=True)
class Free(Joint):
    """All six freedoms, q = (rotation vector r, translation x), Q = R T: the position is R x, not x.

    S = (J 0; -[x] J 1) with the right Jacobian J of r. Source: RM19 eq. 42-44, RBDN eqs. 2.48-2.55.
    Use `free_translation_rotation` for coordinates that hold the position itself.
    """

    kind: ClassVar[str] = "free"
    label: ClassVar[str] = "Free"
    summary: ClassVar[str] = "Moves and turns without restraint"
    icon: ClassVar[str] = "UNLOCKED"
    dof_names: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz", "x", "y", "z")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad", "rad", "m", "m", "m")

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.BALL, *primitives.POSITION

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        R, J, Jdot = rotation_vector_motion(q[0], q[1], q[2], qdot[0], qdot[1], qdot[2])
        put_block(Q, 0, 0, R)
        Q[0, 3], Q[1, 3], Q[2, 3] = applied(R, q[3], q[4], q[5])
        put_block(S, 0, 0, J)
        put_block(S, 3, 0, negative_cross_matrix(q[3], q[4], q[5], J))
        put_block(Sdot, 0, 0, Jdot)
        turned = negative_cross_matrix(q[3], q[4], q[5], Jdot)
        moved = negative_cross_matrix(qdot[3], qdot[4], qdot[5], J)
        for k in range(3):
            S[3 + k, 3 + k] = 1.0
            for m in range(3):
                Sdot[3 + k, m] = turned[3 * k + m] + moved[3 * k + m]

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_vector(0, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_vector(0, q, qdot, q_like)
