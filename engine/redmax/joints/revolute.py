# SPDX-License-Identifier: GPL-3.0-or-later
"""Revolute joint: one rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, direction
from ..spatial import pose, so3
from . import primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Revolute(Joint):
    """Hinge: Q rotates by q about `axis`, S = (a, 0).

    Source: RM19 eq. 29-30; eq. 30 prints S with a stray identity block (erratum).
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
        x, y, z = np.asarray(self.axis, np.float64) / np.linalg.norm(self.axis)
        return (primitives.turn((x, y, z)),)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        a = np.asarray(self.axis, dtype=np.float64)
        a = a / np.linalg.norm(a)
        S = np.zeros((6, 1))
        S[:3, 0] = a
        return JointMotion(pose.make(so3.exp(a * q[0]), np.zeros(3)), S, np.zeros((6, 1)))
