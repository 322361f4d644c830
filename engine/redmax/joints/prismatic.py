# SPDX-License-Identifier: GPL-3.0-or-later
"""Prismatic joint: one translation along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, direction
from ..spatial import pose
from . import primitives
from .base import Joint, JointMotion


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
        x, y, z = np.asarray(self.axis, np.float64) / np.linalg.norm(self.axis)
        return (primitives.slide((x, y, z)),)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        a = np.asarray(self.axis, dtype=np.float64)
        a = a / np.linalg.norm(a)
        S = np.zeros((6, 1))
        S[3:, 0] = a
        return JointMotion(pose.make(np.eye(3), a * q[0]), S, np.zeros((6, 1)))
