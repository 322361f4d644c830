# SPDX-License-Identifier: GPL-3.0-or-later
"""Prismatic joint: one translation along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..fields import Vector, direction
from . import primitives
from .base import Joint, unit_vector


@dataclass(frozen=True, kw_only=True)
class Prismatic(Joint):
    """Slider: Q translates by q along `axis`, S = (0, a). Source: RM19 eq. 23-24."""

    kind: ClassVar[str] = "prismatic"
    label: ClassVar[str] = "Slider"
    summary: ClassVar[str] = "Slides along one axis, like a drawer"
    icon: ClassVar[str] = "ARROW_LEFTRIGHT"
    menu_order: ClassVar[int] = 2
    dof_names: ClassVar[tuple[str, ...]] = ("distance",)
    dof_units: ClassVar[tuple[str, ...]] = ("m",)

    axis: Vector = direction(doc="Direction of travel in the joint frame")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        x, y, z = unit_vector(self.axis)
        return (primitives.slide((x, y, z)),)

    def data(self) -> tuple[float, ...]:
        """The unit axis."""
        return unit_vector(self.axis)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        Q[0, 3], Q[1, 3], Q[2, 3] = data[0] * q[0], data[1] * q[0], data[2] * q[0]
        S[3, 0], S[4, 0], S[5, 0] = data[0], data[1], data[2]
