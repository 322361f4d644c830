# SPDX-License-Identifier: GPL-3.0-or-later
"""Spherical joint in Euler angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..fields import choice
from ..spatial import euler
from ..spatial.scalar import put_block
from . import euler_charts, primitives
from .base import Joint
from .euler_charts import chart_axes, euler_jacobian_dot, euler_motion, recentre_angles, rewrite_angles
from .friction import Bearing, BearingKind


@dataclass(frozen=True, kw_only=True)
class SphericalEuler(Joint):
    """Ball joint: q are the Euler angles of `sequence`, Q = R_i(q1) R_j(q2) R_k(q3).

    Source: RBDN eq. 2.29-2.35 (xzx) and 2.36 (xyz).
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

    def bearings(self) -> tuple[Bearing, ...]:
        return (Bearing(BearingKind.SOCKET, 0),)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return (primitives.euler(self.sequence),)

    def data(self) -> tuple[float, ...]:
        """Axes of its own sequence."""
        return euler_charts.axes_of(self.sequence)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        i, j, k = chart_axes(chart, data[0], data[1], data[2])
        R, J = euler_motion(q[0], q[1], q[2], i, j, k)
        put_block(Q, 0, 0, R)
        put_block(S, 0, 0, J)
        put_block(Sdot, 0, 0, euler_jacobian_dot(J, qdot[1], qdot[2]))

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_angles(0, data, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_angles(0, data, q, qdot, chart, chart_like, q_like)
