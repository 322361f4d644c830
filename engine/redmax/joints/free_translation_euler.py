# SPDX-License-Identifier: GPL-3.0-or-later
"""Free joint: a translation, then Euler angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..fields import choice
from ..spatial import euler
from . import euler_charts, primitives
from .base import Joint
from .euler_charts import chart_axes, euler_jacobian_dot, euler_motion, recentre_angles, rewrite_angles
from .friction import Bearing
from .moved_rotation import put_moved_rotation


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

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return *primitives.POSITION, primitives.euler(self.sequence)

    def data(self) -> tuple[float, ...]:
        """Axes of its own sequence."""
        return euler_charts.axes_of(self.sequence)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        i, j, k = chart_axes(chart, data[0], data[1], data[2])
        R, J = euler_motion(q[3], q[4], q[5], i, j, k)
        put_moved_rotation(q, qdot, R, J, euler_jacobian_dot(J, qdot[4], qdot[5]), Q, S, Sdot)

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_angles(3, data, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_angles(3, data, q, qdot, chart, chart_like, q_like)
