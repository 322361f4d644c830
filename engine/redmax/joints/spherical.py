# SPDX-License-Identifier: GPL-3.0-or-later
"""Spherical joint in exponential coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..spatial.scalar import put_block, rotation_vector_motion
from . import primitives
from .base import Joint
from .friction import Bearing, BearingKind
from .rotation_vector import recentre_vector, rewrite_vector


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """Ball joint: q is the rotation vector, Q = exp [q], S = (right Jacobian of q; 0).

    Source: RM19 eq. 36-41, RBDN eqs. 2.42-2.47. The closed form and its series replace RM19 eq. 37 and 41, which lose
    digits near q = 0 and have no limit there (erratum: Sdot is -[qdot]/2 at q = 0, not 0).
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

    def bearings(self) -> tuple[Bearing, ...]:
        return (Bearing(BearingKind.SOCKET, 0),)

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return (primitives.BALL,)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        R, J, Jdot = rotation_vector_motion(q[0], q[1], q[2], qdot[0], qdot[1], qdot[2])
        put_block(Q, 0, 0, R)
        put_block(S, 0, 0, J)
        put_block(Sdot, 0, 0, Jdot)

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_vector(0, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_vector(0, q, qdot, q_like)
