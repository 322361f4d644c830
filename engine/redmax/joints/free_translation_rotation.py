# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint: a translation, then a rotation vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..spatial.scalar import rotation_vector_motion
from . import primitives
from .base import Joint
from .friction import Bearing
from .moved_rotation import put_moved_rotation
from .rotation_vector import recentre_vector, rewrite_vector


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

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION, primitives.BALL

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        R, J, Jdot = rotation_vector_motion(q[3], q[4], q[5], qdot[3], qdot[4], qdot[5])
        put_moved_rotation(q, qdot, R, J, Jdot, Q, S, Sdot)

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_vector(3, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_vector(3, q, qdot, q_like)
