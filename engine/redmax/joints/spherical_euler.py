# SPDX-License-Identifier: GPL-3.0-or-later
"""Spherical joint in Euler angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import choice
from ..spatial import euler, pose
from . import euler_charts, primitives
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class SphericalEuler(Joint):
    """Ball joint: q are the Euler angles of `sequence`, Q = R_i(q1) R_j(q2) R_k(q3).

    Source: RBDN eq. 2.30-2.35 (xzx) and 2.36 (xyz).
    `recentre` changes to another sequence near gimbal lock: `euler_charts`. Torques, springs and limits
    keep acting on the angles of `sequence` (`dynamics.loads`); at its own lock these forces have no bound.
    """

    kind: ClassVar[str] = "spherical_euler"
    label: ClassVar[str] = "Ball, Euler Angles"
    summary: ClassVar[str] = "Turns in every direction, with three Euler angles as coordinates"
    icon: ClassVar[str] = "MESH_UVSPHERE"
    is_advanced: ClassVar[bool] = True
    dof_names: ClassVar[tuple[str, ...]] = ("angle1", "angle2", "angle3")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad", "rad")
    chart_count: ClassVar[int] = euler_charts.CHART_COUNT

    sequence: euler.Sequence = choice("xyz", doc="Axes of the three angles, in order", choices=euler_charts.CHARTS)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return (primitives.euler(self.sequence),)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        sequence = euler_charts.sequence_of(chart, self.sequence)
        S, Sdot = np.zeros((6, 3)), np.zeros((6, 3))
        S[:3] = euler.rates_map(q, sequence, frame="body")
        Sdot[:3] = euler_charts.jacobian_dot(S[:3], qdot)
        return JointMotion(pose.make(euler.to_matrix(q, sequence), np.zeros(3)), S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        return euler_charts.recentred(q, qdot, chart, self.sequence)

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        return euler_charts.rewritten(q, qdot, chart, self.sequence, chart_like=chart_like, q_like=q_like)
