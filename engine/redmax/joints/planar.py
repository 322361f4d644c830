# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar joint: two translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from . import primitives
from .base import Joint
from .friction import Bearing, BearingKind


@dataclass(frozen=True, kw_only=True)
class Planar(Joint):
    """Slides in the x-y plane of the joint frame without turning: S = (0; e_x e_y). Source: RM19 eq. 25-26."""

    kind: ClassVar[str] = "planar"
    label: ClassVar[str] = "Planar"
    summary: ClassVar[str] = "Slides in a plane without turning"
    icon: ClassVar[str] = "MESH_PLANE"
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m")

    def bearings(self) -> tuple[Bearing, ...]:
        return (Bearing(BearingKind.PLATE, 0),)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.POSITION[:2]

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        Q[0, 3], Q[1, 3] = q[0], q[1]
        S[3, 0] = S[4, 1] = 1.0
