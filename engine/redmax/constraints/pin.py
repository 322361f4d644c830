# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin: a point of a body stays at a point of another body or of the world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, reference
from ..spatial import adjoint, so3
from .base import BodyAt, Constraint, Instant, Rows
from .packed_rows import PointRow


@dataclass(frozen=True, kw_only=True)
class Pin(Constraint):
    """Two points stay together: in every direction, or only across an axis that is fixed in the first body.

    With an axis these are the two rows by which the reference closes loops of hinges.
    Source: RBDN eqs. 2.89-2.93. Eq. 2.93 forgets that the directions across the axis turn with the body (erratum), as
    eq. 2.91 does where the points are apart along it;
    they are fixed in the body here, not chosen anew at every step.
    """

    kind: ClassVar[str] = "pin"
    label: ClassVar[str] = "Pin"
    summary: ClassVar[str] = "A point of a body stays at a point of another body, or of the world"
    icon: ClassVar[str] = "PINNED"
    menu_order: ClassVar[int] = 20

    body: str = reference(doc="First body", refers_to="body")
    other: str | None = reference(
        None,
        doc="Second body, or null for the world",
        plain="Second body; empty for the world",
        refers_to="body",
        nullable=True,
    )
    point: Vector = array((0.0, 0.0, 0.0), doc="Point in the first body's frame", shape=(3,), unit="m", frame="body")
    other_point: Vector = array(
        (0.0, 0.0, 0.0), doc="Point in the second body's frame", shape=(3,), unit="m", frame="other"
    )
    axis: Vector = array(
        None,
        doc="Free direction in the first body's frame; null holds all directions",
        plain="Direction in the first body's frame in which the points may move apart",
        shape=(3,),
        nullable=True,
    )

    def rows(self, at: Instant) -> Rows:
        a, b = at.body(self.body), at.body(self.other)
        held = self._held()
        V = held @ a.E_wb[:3, :3].T  # (m, 3) held directions in the world
        x_a, G_a, drift_a = _point(a, self.point)
        x_b, G_b, drift_b = _point(b, self.other_point)
        # The directions turn with the first body, which the printed eq. 2.93 leaves out. Where the points are apart
        # along the axis eq. 2.91 does so too: the velocity that counts is that of the first body's point at x_b.
        omega, slip = a.E_wb[:3, :3] @ a.twist[:3], G_a @ a.twist - G_b @ b.twist
        n, d = a.E_wb[:3, :3] @ self._axis(), x_a - x_b
        ndot = np.cross(omega, n)
        along, along_dot = n * (n @ d), ndot * (n @ d) + n * (ndot @ d + n @ slip)
        bias = -V @ (drift_a - drift_b - np.cross(omega, along_dot)) - np.cross(omega, V) @ (
            slip - np.cross(omega, along)
        )
        G_a = G_a + np.hstack([so3.hat(along) @ a.E_wb[:3, :3], np.zeros((3, 3))])
        bodies = tuple((body.number, G) for body, G in ((a, V @ G_a), (b, -V @ G_b)) if body.number >= 0)
        return Rows(np.zeros(len(V)), bias, V @ (x_a - x_b), (True,) * len(V), bodies=bodies)

    def packed(self) -> tuple[PointRow, ...]:
        point, other = np.asarray(self.point, np.float64), np.asarray(self.other_point, np.float64)
        return tuple(PointRow(self.body, direction, point, self.other, other) for direction in self._held())

    def _held(self) -> Array:
        """(3 or 2, 3) unit directions in the first body's frame. Source: RBDN eq. 2.90."""
        if self.axis is None:
            return np.eye(3)
        axis = self._axis()
        second = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
        second /= np.linalg.norm(second)
        return np.array([np.cross(second, axis), second])

    def _axis(self) -> Array:
        """(3,) the free direction in the first body's frame, zero if there is none."""
        axis = np.zeros(3) if self.axis is None else np.asarray(self.axis, np.float64)
        return np.asarray(axis if self.axis is None else axis / np.linalg.norm(axis))

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.body == self.other:
            yield f"pins body '{self.body}' to itself", "choose two different bodies, or null for the world"
        if self.axis is not None and not np.any(self.axis):
            yield "axis is zero", "give a direction such as (0, 0, 1), or null to hold all directions"


def _point(body: BodyAt, x: Vector) -> tuple[Array, Array, Array]:
    """World position (3,) of a body's point, Jacobian (3, 6) of its world velocity by the twist, and what velocities
    add to its acceleration (3,). Source: RBDN eq. 2.89."""
    R, p = body.E_wb[:3, :3], body.E_wb[:3, 3]
    x = np.asarray(x, np.float64)
    G = R @ adjoint.Gamma(x)
    return R @ x + p, G, np.cross(R @ body.twist[:3], G @ body.twist)
