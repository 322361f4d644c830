# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint made for tests: an array of its own, Q(0) that is not the identity, coordinates without a unit.

Import as `from engine.joints.patch_joint import Patch, registered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from redmax.arrays import Array
from redmax.fields import array
from redmax.joints import JOINTS
from redmax.joints.base import Joint
from redmax.spatial.scalar import axis_rotation, product, put_block, sine_cosine, turned_into

NUMBER = 98
TILT = 0.4
"""Rotation about x [rad] at u = 0."""


@dataclass(frozen=True, kw_only=True)
class Patch(Joint):
    """A point on a bilinear patch of four corners, with parameters u and v; it turns by u about x and by v about z.

    Position P = (1 - u)(1 - v) c0 + u (1 - v) c1 + (1 - u) v c2 + u v c3, rotation R = Rx(TILT + u) Rz(v).
    """

    kind: ClassVar[str] = "patch"
    label: ClassVar[str] = "Patch"
    summary: ClassVar[str] = "Moves on a patch between four corners"
    dof_names: ClassVar[tuple[str, ...]] = ("u", "v")
    dof_units: ClassVar[tuple[str, ...]] = ("1", "1")

    corners: tuple[tuple[float, float, float], ...] = array(
        ((0.1, 0.2, 0.3), (1.0, 0.0, 0.1), (0.0, 1.0, -0.2), (1.2, 0.9, 0.4)),
        doc="Corners of the patch",
        shape=(4, 3),
        unit="m",
    )

    def data(self) -> tuple[float, ...]:
        return tuple(float(x) for corner in self.corners for x in corner)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        u, v, du, dv = q[0], q[1], qdot[0], qdot[1]
        R = product(axis_rotation(0, TILT + u), axis_rotation(2, v))
        put_block(Q, 0, 0, R)
        s, c = sine_cosine(v)
        for k in range(3):
            a, b, d, e = data[k], data[3 + k], data[6 + k], data[9 + k]
            Q[k, 3] = (1.0 - u) * (1.0 - v) * a + u * (1.0 - v) * b + (1.0 - u) * v * d + u * v * e
        # dP/du, dP/dv and their rate, in the turned axes
        w0, w1, w2 = c * du, -s * du, dv  # R^T times the angular velocity
        ux, uy, uz = turned_into(R, along(data, 0, v), along(data, 1, v), along(data, 2, v))
        vx, vy, vz = turned_into(R, across(data, 0, u), across(data, 1, u), across(data, 2, u))
        tx, ty, tz = turned_into(R, twist(data, 0), twist(data, 1), twist(data, 2))
        S[0, 0], S[1, 0], S[2, 1] = c, -s, 1.0
        S[3, 0], S[4, 0], S[5, 0] = ux, uy, uz
        S[3, 1], S[4, 1], S[5, 1] = vx, vy, vz
        Sdot[0, 0], Sdot[1, 0] = -s * dv, -c * dv
        Sdot[3, 0], Sdot[4, 0], Sdot[5, 0] = (
            tx * dv - (w1 * uz - w2 * uy),
            ty * dv - (w2 * ux - w0 * uz),
            tz * dv - (w0 * uy - w1 * ux),
        )
        Sdot[3, 1], Sdot[4, 1], Sdot[5, 1] = (
            tx * du - (w1 * vz - w2 * vy),
            ty * du - (w2 * vx - w0 * vz),
            tz * du - (w0 * vy - w1 * vx),
        )


def along(data: Array, k: int, v: float) -> float:
    return (1.0 - v) * (data[3 + k] - data[k]) + v * (data[9 + k] - data[6 + k])


def across(data: Array, k: int, u: float) -> float:
    return (1.0 - u) * (data[6 + k] - data[k]) + u * (data[9 + k] - data[3 + k])


def twist(data: Array, k: int) -> float:
    return data[k] - data[3 + k] - data[6 + k] + data[9 + k]


@contextmanager
def registered() -> Iterator[type[Patch]]:
    """Inside, the joint is one of the registered kinds."""
    JOINTS.add(NUMBER, Patch)
    try:
        yield Patch
    finally:
        JOINTS.remove(Patch.kind)
