# SPDX-License-Identifier: GPL-3.0-or-later
"""Revolute joint: one rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..fields import Vector, direction
from ..spatial.scalar import put_block, rotation_about
from . import primitives
from .base import Joint, unit_vector


@dataclass(frozen=True, kw_only=True)
class Revolute(Joint):
    """Hinge: Q rotates by q about `axis`, S = (a, 0).

    Source: RBDN eq. 2.41; RM19 eq. 29-30, of which eq. 30 prints S with a stray identity block (erratum).
    """

    kind: ClassVar[str] = "revolute"
    label: ClassVar[str] = "Hinge"
    summary: ClassVar[str] = "Turns about one axis, like a door"
    icon: ClassVar[str] = "CON_ROTLIMIT"
    menu_order: ClassVar[int] = 1
    dof_names: ClassVar[tuple[str, ...]] = ("angle",)
    dof_units: ClassVar[tuple[str, ...]] = ("rad",)

    axis: Vector = direction(doc="Rotation axis in the joint frame")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        x, y, z = unit_vector(self.axis)
        return (primitives.turn((x, y, z)),)

    def data(self) -> tuple[float, ...]:
        """The unit axis."""
        return unit_vector(self.axis)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_block(Q, 0, 0, rotation_about(data[0], data[1], data[2], q[0]))
        S[0, 0], S[1, 0], S[2, 0] = data[0], data[1], data[2]
