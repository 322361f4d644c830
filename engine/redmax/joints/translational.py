# SPDX-License-Identifier: GPL-3.0-or-later
"""Translational joint: three translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose
from . import primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Translational(Joint):
    """Moves anywhere without turning: S = (0; 1).

    Source: RM19 eq. 27-28; eq. 28 prints S with stray blocks (erratum), RBDN eq. 2.28 is right.
    """

    kind: ClassVar[str] = "translational"
    label: ClassVar[str] = "Translate"
    summary: ClassVar[str] = "Moves in all directions without turning"
    icon: ClassVar[str] = "EMPTY_ARROWS"
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "m")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return primitives.POSITION

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        S = np.zeros((6, 3))
        S[3:] = np.eye(3)
        return JointMotion(pose.make(np.eye(3), q), S, np.zeros((6, 3)))
