# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag of air or water at a point of a body, or on a flat plate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, number, reference
from .base import BoundForce, Force, Formula, PackedForce, Placement
from .lines.points import ORIGIN, BodyPoints, PathPoint


def _direction(value: Array) -> str | None:
    return "is zero" if max(map(abs, value)) < 1e-30 else None


@dataclass(frozen=True, kw_only=True)
class Drag(Force):
    """Resistance against the motion of a point through air or water that stands still or moves steadily."""

    kind: ClassVar[str] = "drag"
    label: ClassVar[str] = "Drag"
    summary: ClassVar[str] = "Air or water that slows a body down, or a wind that carries it along"
    icon: ClassVar[str] = "FORCE_DRAG"
    menu_order: ClassVar[int] = 60

    body: str = reference(doc="Body it acts on", refers_to="body")
    point: Vector = array(ORIGIN, doc="Where it acts, in the body's frame", shape=(3,), unit="m", frame="body")
    linear: float = number(0.0, doc="Force per speed", unit="N s/m", minimum=0.0)
    quadratic: float = number(0.0, doc="Force per squared speed", unit="N s^2/m^2", minimum=0.0)
    angular: float = number(0.0, doc="Torque per speed of turning, about any axis", unit="N m s/rad", minimum=0.0)
    area: float = number(0.0, doc="Area that faces the flow", unit="m^2", minimum=0.0)
    coefficient: float = number(1.0, doc="Drag coefficient of that area: 0.5 for a ball, 1.2 for a plate", minimum=0.0)
    density: float = number(1.2041, doc="Density of the air or water", unit="kg/m^3", minimum=0.0)
    normal: Vector = array(
        None,
        doc="Normal of a flat plate, in the body's frame: only motion along it is resisted. Null for all directions",
        shape=(3,),
        nullable=True,
        check=_direction,
        hint="give a direction such as (0, 0, 1)",
    )
    wind: Vector = array(ORIGIN, doc="Velocity of the air or water in the world", shape=(3,), unit="m/s")

    def bind(self, placement: Placement) -> BoundDrag:
        normal = None
        if self.normal is not None:
            normal = placement.direction(self.body, self.normal)
            normal = normal / np.linalg.norm(normal)
        return BoundDrag(
            self.name,
            BodyPoints(placement, (PathPoint(body=self.body, point=self.point),)),
            float(self.linear),
            float(self.quadratic) + 0.5 * float(self.density) * float(self.coefficient) * float(self.area),
            normal,
            np.asarray(self.wind, np.float64),
            float(self.angular),
        )


class BoundDrag(BoundForce):
    """F = -(c1 + c2 |v|) v with the velocity v of the point through the medium, or of its part along a plate's normal;
    and the torque -c3 omega. What the medium blows does not turn.

    normal: (3,) unit vector in the principal frame, or None.
    """

    def __init__(
        self, name: str, points: BodyPoints, c1: float, c2: float, normal: Array | None, wind: Array, c3: float
    ) -> None:
        super().__init__(name, points.bodies)
        self.points, self.c1, self.c2, self.normal, self.wind, self.c3 = points, c1, c2, normal, wind, c3

    def _through(self, E: Array, phi: Array) -> tuple[Array, float, Array]:
        """v (3,), the part of it that counts; its size; and P (3, 3) with dv = P d(velocity)."""
        v = self.points.velocities(E, phi)[0] - self.wind
        P = np.eye(3)
        if self.normal is not None:
            n = E[0, :3, :3] @ self.normal
            P = np.outer(n, n)
            v = P @ v
        return v, float(np.sqrt(v @ v)), P

    def _force(self, E: Array, phi: Array) -> Array:
        v, speed, _ = self._through(E, phi)
        return np.asarray(-(self.c1 + self.c2 * speed) * v)

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        found = self.points.wrenches(E, self._force(E, phi)[None])
        found[0, :3] -= self.c3 * phi[0, :3]
        return found

    def _slope(self, v: Array, speed: float) -> Array:
        """-dF/dv, (3, 3)."""
        u = v / speed if speed > 0.0 else v
        return np.asarray((self.c1 + self.c2 * speed) * np.eye(3) + self.c2 * speed * np.outer(u, u))

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        points = self.points
        v, speed, P = self._through(E, phi)
        A, B = self._slope(v, speed), points.jacobian(E)[0]
        turning = P @ np.stack([points.turned_velocities(E, phi, axis[None]) for axis in np.eye(3)])
        if self.normal is not None:  # the plate turns: v = n (n . whole)
            R, whole = E[0, :3, :3], points.velocities(E, phi)[0] - self.wind
            n = R @ self.normal
            dn = -R @ _hat(self.normal)
            turning[:, :3] += (n @ whole) * dn + np.outer(n, whole @ dn)
        K = points.turned_forces(E, self._force(E, phi)[None]) - B.T @ A @ turning
        return K, -B.T @ A @ P @ B - self._of_turning()

    def _of_turning(self) -> Array:
        """What the torque resists a twist with, (6, 6)."""
        return np.diag([self.c3, self.c3, self.c3, 0.0, 0.0, 0.0])

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """D alone: drag does not pull back."""
        v, speed, P = self._through(E, phi)
        B = self.points.jacobian(E)[0]
        return np.zeros((6, 6)), -B.T @ self._slope(v, speed) @ P @ B - self._of_turning()

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        """Through the medium it only takes out; what the wind carries along is put in."""
        v, speed, _ = self._through(E, phi)
        turning = self.c3 * float(phi[0, :3] @ phi[0, :3])
        return float(self._force(E, phi) @ self.wind), (self.c1 + self.c2 * speed) * float(v @ v) + turning

    def packed(self) -> PackedForce:
        plate = (0.0, 0.0, 0.0) if self.normal is None else tuple(self.normal.tolist())
        numbers = (self.c1, self.c2, *plate, *self.wind.tolist(), self.c3)
        return PackedForce(Formula.DRAG, self.points.owners, self.points.x, numbers)


def _hat(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
