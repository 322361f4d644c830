# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint: a translation, then a rotation vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose, so3
from . import primitives, rotation_vector
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class FreeTranslationRotation(Joint):
    """All six freedoms, q = (position x, rotation vector r), Q = T R.

    S = (0 J; R^T 0) and Sdot = (0 Jdot; -[J rdot] R^T 0) with the right Jacobian J of r. Source: RM19 eq. 42-44
    in the other order, T before R.
    """

    kind: ClassVar[str] = "free_translation_rotation"
    label: ClassVar[str] = "Free, Position First"
    summary: ClassVar[str] = "Moves and turns without restraint, with the position first among its coordinates"
    icon: ClassVar[str] = "OBJECT_ORIGIN"
    is_advanced: ClassVar[bool] = True
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry", "rz")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "m", "rad", "rad", "rad")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION, primitives.BALL

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        x, r, rdot = q[:3], q[3:], qdot[3:]
        R, J = so3.exp(r), so3.right_jacobian(r)
        S, Sdot = np.zeros((6, 6)), np.zeros((6, 6))
        S[:3, 3:], S[3:, :3] = J, R.T
        Sdot[:3, 3:], Sdot[3:, :3] = so3.right_jacobian_dot(r, rdot), -so3.hat(J @ rdot) @ R.T
        return JointMotion(pose.make(R, x), S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        r, rdot = rotation_vector.recentred(q[3:], qdot[3:])
        return np.concatenate([q[:3], r]), np.concatenate([qdot[:3], rdot]), chart

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        r, rdot = rotation_vector.rewritten(q[3:], qdot[3:], q_like[3:])
        return np.concatenate([q[:3], r]), np.concatenate([qdot[:3], rdot])
