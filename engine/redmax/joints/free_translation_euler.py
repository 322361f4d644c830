# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint: a translation, then Euler angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import choice
from ..spatial import euler, pose, so3
from . import euler_charts, primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class FreeTranslationEuler(Joint):
    """All six freedoms, q = (position x, Euler angles of `sequence`), Q = T R.

    S = (0 J; R^T 0) with the Jacobian J of `spherical_euler`; `recentre` changes the sequence as that joint's does.
    """

    kind: ClassVar[str] = "free_translation_euler"
    label: ClassVar[str] = "Free, Euler Angles"
    summary: ClassVar[str] = (
        "Moves and turns without restraint, with the position and three Euler angles as coordinates"
    )
    icon: ClassVar[str] = "EMPTY_AXIS"
    is_advanced: ClassVar[bool] = True
    dof_names: ClassVar[tuple[str, ...]] = ("x", "y", "z", "angle1", "angle2", "angle3")
    dof_units: ClassVar[tuple[str, ...]] = ("m", "m", "m", "rad", "rad", "rad")
    chart_count: ClassVar[int] = euler_charts.CHART_COUNT

    sequence: euler.Sequence = choice("xyz", doc="Axes of the three angles, in order", choices=euler_charts.CHARTS)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION, primitives.euler(self.sequence)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        sequence = euler_charts.sequence_of(chart, self.sequence)
        R, J = euler.to_matrix(q[3:], sequence), euler.rates_map(q[3:], sequence, frame="body")
        S, Sdot = np.zeros((6, 6)), np.zeros((6, 6))
        S[:3, 3:], S[3:, :3] = J, R.T
        Sdot[:3, 3:], Sdot[3:, :3] = euler_charts.jacobian_dot(J, qdot[3:]), -so3.hat(J @ qdot[3:]) @ R.T
        return JointMotion(pose.make(R, q[:3]), S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        angles, rates, chart = euler_charts.recentred(q[3:], qdot[3:], chart, self.sequence)
        return np.concatenate([q[:3], angles]), np.concatenate([qdot[:3], rates]), chart

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        angles, rates = euler_charts.rewritten(
            q[3:], qdot[3:], chart, self.sequence, chart_like=chart_like, q_like=q_like[3:]
        )
        return np.concatenate([q[:3], angles]), np.concatenate([qdot[:3], rates])
