# SPDX-License-Identifier: GPL-3.0-or-later
"""Universal joint: a rotation about x, then one about the turned y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose, so3
from . import primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Universal(Joint):
    """Cardan joint: Q = Rx(q1) Ry(q2). The axes are always perpendicular, so there is no singularity.

    S = (Ry(q2)^T e_x, e_y) in the angular rows. Source: RM19 eq. 31-35 with q3 = 0.
    """

    kind: ClassVar[str] = "universal"
    label: ClassVar[str] = "Universal"
    summary: ClassVar[str] = "Turns about two perpendicular axes, like a drive shaft"
    icon: ClassVar[str] = "ORIENTATION_GIMBAL"
    dof_names: ClassVar[tuple[str, ...]] = ("rx", "ry")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.turn(primitives.X), primitives.turn(primitives.Y)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        c, s = np.cos(q[1]), np.sin(q[1])
        S, Sdot = np.zeros((6, 2)), np.zeros((6, 2))
        S[0, 0], S[2, 0] = c, s
        S[1, 1] = 1.0
        Sdot[0, 0], Sdot[2, 0] = -s * qdot[1], c * qdot[1]
        return JointMotion(pose.make(so3.rot_x(q[0]) @ so3.rot_y(q[1]), np.zeros(3)), S, Sdot)
