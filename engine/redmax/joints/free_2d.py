# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint of the plane: two translations and a rotation about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose, so3
from . import primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Free2D(Joint):
    """Moves and turns in the x-y plane of the joint frame, q = (x, y, angle about z), Q = T Rz."""

    kind: ClassVar[str] = "free_2d"
    label: ClassVar[str] = "Free 2D"
    summary: ClassVar[str] = "Slides in a plane and turns in it"
    icon: ClassVar[str] = "AXIS_TOP"
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "rz")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "rad")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION[:2], primitives.turn(primitives.Z)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        R = so3.rot_z(q[2])
        S, Sdot = np.zeros((6, 3)), np.zeros((6, 3))
        S[3:, :2] = R.T[:, :2]
        S[2, 2] = 1.0
        Sdot[3:, :2] = -so3.hat([0.0, 0.0, qdot[2]]) @ R.T[:, :2]
        return JointMotion(pose.make(R, np.array([q[0], q[1], 0.0])), S, Sdot)
