# SPDX-License-Identifier: GPL-3.0-or-later
"""Translational joint: three translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from . import primitives
from .base import Joint
from .friction import Bearing


@dataclass(frozen=True, kw_only=True)
class Translational(Joint):
    """Moves anywhere without turning: S = (0; 1).

    Source: RM19 eq. 27-28; eq. 28 prints S with stray blocks (erratum). RBDN eqs. 2.22-2.28, from the fixed joint to
    this one, are right.
    """

    kind: ClassVar[str] = "translational"
    label: ClassVar[str] = "Translate"
    summary: ClassVar[str] = "Moves in all directions without turning"
    icon: ClassVar[str] = "EMPTY_ARROWS"
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "m")

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.POSITION

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        Q[0, 3], Q[1, 3], Q[2, 3] = q[0], q[1], q[2]
        S[3, 0] = S[4, 1] = S[5, 2] = 1.0
