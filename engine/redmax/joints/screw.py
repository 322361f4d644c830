# SPDX-License-Identifier: GPL-3.0-or-later
"""Screw joint: a rotation about an axis that advances along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..fields import Vector, direction, number
from ..spatial.scalar import put_block, rotation_about
from . import primitives
from .base import Joint, unit_vector


@dataclass(frozen=True, kw_only=True)
class Screw(Joint):
    """Q turns by q about `axis` and advances by q pitch / (2 pi): S = (a, a pitch / (2 pi)).

    A positive pitch is a right-handed thread, a negative one left-handed; zero is a hinge.
    Source: SG13 eq. 9 with Q = exp [S q], so that S is constant.
    """

    kind: ClassVar[str] = "screw"
    label: ClassVar[str] = "Screw"
    summary: ClassVar[str] = "Advances along its axis while it turns, like a bolt"
    icon: ClassVar[str] = "MOD_SCREW"
    dof_names: ClassVar[tuple[str, ...]] = ("angle",)
    dof_units: ClassVar[tuple[str, ...]] = ("rad",)

    axis: Vector = direction(doc="Screw axis in the joint frame")
    pitch: float = number(doc="Advance along the axis in one full turn; negative for a left-handed thread", unit="m")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        x, y, z = unit_vector(self.axis)
        return (primitives.turn((x, y, z), self.pitch / (2.0 * math.pi)),)

    def data(self) -> tuple[float, ...]:
        """The unit axis, and the advance per radian [m]."""
        return (*unit_vector(self.axis), self.pitch / (2.0 * math.pi))

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_block(Q, 0, 0, rotation_about(data[0], data[1], data[2], q[0]))
        for k in range(3):
            Q[k, 3] = data[3] * q[0] * data[k]
            S[k, 0], S[3 + k, 0] = data[k], data[3] * data[k]
