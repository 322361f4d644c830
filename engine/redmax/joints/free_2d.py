# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint of the plane: two translations and a rotation about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..spatial.scalar import sine_cosine
from . import primitives
from .base import Joint
from .friction import Bearing, BearingKind


@dataclass(frozen=True, kw_only=True)
class Free2D(Joint):
    """Moves and turns in the x-y plane of the joint frame, q = (x, y, angle about z), Q = T Rz."""

    kind: ClassVar[str] = "free_2d"
    label: ClassVar[str] = "Free 2D"
    summary: ClassVar[str] = "Slides in a plane and turns in it"
    icon: ClassVar[str] = "AXIS_TOP"
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "rz")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "rad")

    def bearings(self) -> tuple[Bearing, ...]:
        return Bearing(BearingKind.PLATE, 0), Bearing(BearingKind.PIN, 2)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION[:2], primitives.turn(primitives.Z)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        s, c = sine_cosine(q[2])
        Q[0, 0], Q[0, 1], Q[1, 0], Q[1, 1] = c, -s, s, c
        Q[0, 3], Q[1, 3] = q[0], q[1]
        S[3, 0], S[4, 0], S[3, 1], S[4, 1], S[2, 2] = c, -s, s, c, 1.0
        Sdot[3, 0], Sdot[4, 0], Sdot[3, 1], Sdot[4, 1] = -s * qdot[2], -c * qdot[2], c * qdot[2], -s * qdot[2]
