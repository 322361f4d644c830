# SPDX-License-Identifier: GPL-3.0-or-later
"""Spherical joint in exponential coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..spatial import pose, so3
from . import primitives, rotation_vector
from .base import Joint, JointMotion


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """Ball joint: q is the rotation vector, Q = exp [q], S = (right Jacobian of q; 0).

    Source: RM19 eq. 36-41. The closed form and its series replace eq. 37 and 41, which lose digits near q = 0 and
    have no limit there (erratum: Sdot is -[qdot]/2 at q = 0, not 0).
    `recentre` takes off a whole turn beyond 1.5 pi. Torques, springs and limits act on the rotation vector nearest to
    rest, so a spring always pulls the shorter way round; half a turn from rest it changes its side.
    """

    kind: ClassVar[str] = "spherical"
    label: ClassVar[str] = "Ball"
    summary: ClassVar[str] = "Turns in every direction about a point, like a shoulder"
    icon: ClassVar[str] = "SPHERE"
    menu_order: ClassVar[int] = 3
    dof_names: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz")
    dof_units: ClassVar[tuple[str, ...]] = ("rad", "rad", "rad")

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return (primitives.BALL,)

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        S, Sdot = np.zeros((6, 3)), np.zeros((6, 3))
        S[:3] = so3.right_jacobian(q)
        Sdot[:3] = so3.right_jacobian_dot(q, qdot)
        return JointMotion(pose.make(so3.exp(q), np.zeros(3)), S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        return *rotation_vector.recentred(q, qdot), chart

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        return rotation_vector.rewritten(q, qdot, q_like)
