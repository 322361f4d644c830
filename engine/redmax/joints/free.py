# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint of the seeds: a rotation vector, then a translation along the turned axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose, so3
from . import primitives, rotation_vector
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Free(Joint):
    """All six freedoms, q = (rotation vector r, translation x), Q = R T: the position is R x, not x.

    S = (J 0; -[x] J 1) with the right Jacobian J of r. Source: RM19 eq. 42-44.
    Use `free_translation_rotation` for coordinates that hold the position itself.
    """

    kind: ClassVar[str] = "free"
    label: ClassVar[str] = "Free"
    summary: ClassVar[str] = "Moves and turns without restraint"
    icon: ClassVar[str] = "UNLOCKED"
    dof_names: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz", "x", "y", "z")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad", "rad", "m", "m", "m")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.BALL, *primitives.POSITION

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        r, x, rdot, xdot = q[:3], q[3:], qdot[:3], qdot[3:]
        R, J, Jdot = so3.exp(r), so3.right_jacobian(r), so3.right_jacobian_dot(r, rdot)
        S, Sdot = np.zeros((6, 6)), np.zeros((6, 6))
        S[:3, :3], S[3:, :3], S[3:, 3:] = J, -so3.hat(x) @ J, np.eye(3)
        Sdot[:3, :3], Sdot[3:, :3] = Jdot, -so3.hat(xdot) @ J - so3.hat(x) @ Jdot
        return JointMotion(pose.make(R, R @ x), S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        r, rdot = rotation_vector.recentred(q[:3], qdot[:3])
        return np.concatenate([r, q[3:]]), np.concatenate([rdot, qdot[3:]]), chart

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        r, rdot = rotation_vector.rewritten(q[:3], qdot[:3], q_like[:3])
        return np.concatenate([r, q[3:]]), np.concatenate([rdot, qdot[3:]])
