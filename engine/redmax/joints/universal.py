# SPDX-License-Identifier: GPL-3.0-or-later
"""Universal joint: a rotation about x, then one about the turned y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..spatial.scalar import axis_rotation, product, put_block, sine_cosine
from . import primitives
from .base import Joint


@dataclass(frozen=True, kw_only=True)
class Universal(Joint):
    """Cardan joint: Q = Rx(q1) Ry(q2). The axes are always perpendicular, so there is no singularity.

    S = (Ry(q2)^T e_x, e_y) in the angular rows. Source: RM19 eq. 31-35 with q3 = 0, RBDN eqs. 2.37-2.40.
    """

    kind: ClassVar[str] = "universal"
    label: ClassVar[str] = "Universal"
    summary: ClassVar[str] = "Turns about two perpendicular axes, like a drive shaft"
    icon: ClassVar[str] = "ORIENTATION_GIMBAL"
    dof_names: ClassVar[tuple[str, ...]] = ("rx", "ry")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.turn(primitives.X), primitives.turn(primitives.Y)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_block(Q, 0, 0, product(axis_rotation(0, q[0]), axis_rotation(1, q[1])))
        s, c = sine_cosine(q[1])
        S[0, 0], S[2, 0], S[1, 1] = c, s, 1.0
        Sdot[0, 0], Sdot[2, 0] = -s * qdot[1], c * qdot[1]
