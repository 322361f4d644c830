# SPDX-License-Identifier: GPL-3.0-or-later
"""Screw joint: a rotation about an axis that advances along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, direction, number
from ..spatial import pose, so3
from . import primitives
from .base import Joint, JointMotion


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
        x, y, z = np.asarray(self.axis, np.float64) / np.linalg.norm(self.axis)
        return (primitives.turn((x, y, z), self.pitch / (2.0 * np.pi)),)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        a = np.asarray(self.axis, dtype=np.float64)
        a = a / np.linalg.norm(a)
        advance = a * (self.pitch / (2.0 * np.pi))
        S = np.concatenate([a, advance])[:, None]
        return JointMotion(pose.make(so3.exp(a * q[0]), advance * q[0]), S, np.zeros((6, 1)))
