# SPDX-License-Identifier: GPL-3.0-or-later
"""A soft limit of swing or twist between two bodies: a spring and a damper beyond it. What compiling makes of soft
limits of balls; no force of a scene."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..spatial import so3
from ..spatial.scalar import Matrix
from ..spatial.swing_twist import CONE, LEAST, arc_over_sine, cone_room, limit_motion
from .base import BoundForce, Formula, PackedForce


class SoftTurnLimit(BoundForce):
    """Torque lambda g on the child, the opposite one on the parent; lambda = -k room - d rate where there is no room.

    bodies: parent and child. A, B: (3, 3) axes in their principal frames, the parent's perhaps in the world; limit and
    shape as in `spatial.swing_twist`, of the rotation of B in A. k [N m/rad], d [N m s/rad].
    """

    def __init__(
        self,
        name: str,
        bodies: tuple[int, int],
        A: Array,
        B: Array,
        *,
        limit: int,
        shape: tuple[float, float, float],
        k: float,
        d: float,
    ) -> None:
        super().__init__(name, bodies)
        self.A, self.B, self.limit, self.shape, self.k, self.d = A, B, limit, shape, k, d

    def _at(self, E: Array, phi: Array) -> tuple[Array, Array, Array, float, Array]:
        """R (3, 3); N (3, 12), the angular velocity of B relative to A, in A, per unit of the twists; that velocity
        (3,); room [rad]; g (3,)."""
        R = (E[0, :3, :3] @ self.A).T @ (E[1, :3, :3] @ self.B)
        N = np.zeros((3, 12))
        N[:, :3], N[:, 6:9] = -self.A.T, R @ self.B.T
        w = N @ phi.ravel()
        room, g0, g1, g2, _ = limit_motion(self.limit, _nine(R), w[0], w[1], w[2], *self.shape)
        return R, N, w, room, np.array([g0, g1, g2])

    def _push(self, room: float, rate: float) -> float:
        return -self.k * room - self.d * rate if room < 0.0 else 0.0

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        _, N, w, room, g = self._at(E, phi)
        return np.asarray(self._push(room, float(g @ w)) * (g @ N)).reshape(2, 6)

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        R, N, w, room, g = self._at(E, phi)
        if not room < 0.0:
            return np.zeros((12, 12)), np.zeros((12, 12))
        push = self._push(room, float(g @ w))
        turning = self._turning(R)
        # A turn eta of B against A, in A: d(room) = g . eta, dg = turning eta, and the rate's w turns with B.
        slope = -self.k * g - self.d * (turning.T @ w + np.cross(w + self.A.T @ phi[0, :3], g))
        change = push * turning + np.outer(g, slope)
        K = np.zeros((12, 3))
        K[:3], K[6:9] = -self.A @ change, self.B @ R.T @ (change + push * so3.hat(g))
        v = g @ N
        return K @ N, -self.d * np.outer(v, v)

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """The spring's and the damper's own: not how the torques turn with the bodies."""
        _, N, _, room, g = self._at(E, phi)
        v = g @ N
        pull = np.outer(v, v) if room < 0.0 else np.zeros((12, 12))
        return -self.k * pull, -self.d * pull

    def _turning(self, R: Array) -> Array:
        """(3, 3) dg per turn of B against A."""
        d, z = R[:, 2], np.array([0.0, 0.0, 1.0])
        moved = -so3.hat(d)  # of d = R z
        if self.limit != CONE:
            i = self.shape[1] / max(1.0 + d[2], LEAST)
            return np.asarray(i * moved - i / max(1.0 + d[2], LEAST) * np.outer(d + z, moved[2]))
        k, k1, k2 = arc_over_sine(d[0], d[1], d[2])
        _, rx, ry, rxx, rxy, ryy = cone_room(-k * d[1], k * d[0], *self.shape)
        swing = np.array([[0.0, -k, -k1 * d[1]], [k, 0.0, k1 * d[0]]])
        bend = swing.T @ np.array([[rxx, rxy], [rxy, ryy]]) @ swing
        bend[2, 2] += k2 * (ry * d[0] - rx * d[1])
        bend[[0, 2], [2, 0]] += k1 * ry
        bend[[1, 2], [2, 1]] -= k1 * rx
        slope = np.array([rx, ry]) @ swing
        return np.asarray((so3.hat(d) @ bend - so3.hat(slope)) @ moved)

    def potential(self, E: Array) -> float:
        room = self._at(E, np.zeros((2, 6)))[3]
        return 0.5 * self.k * min(room, 0.0) ** 2

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        _, _, w, room, g = self._at(E, phi)
        return 0.0, self.d * float(g @ w) ** 2 if room < 0.0 else 0.0

    def switch_levels(self) -> Array:
        return np.zeros(1)

    def switch_quantity(self, E: Array, phi: Array) -> tuple[float, float]:
        _, _, w, room, g = self._at(E, phi)
        return room, float(g @ w)

    def packed(self) -> PackedForce:
        numbers = (*self.A.ravel().tolist(), *self.B.ravel().tolist(), *self.shape, float(self.limit), self.k, self.d)
        return PackedForce(Formula.TURN_LIMIT, np.array(self.bodies, np.int64), np.zeros((2, 3)), numbers)


def _nine(R: Array) -> Matrix:
    a, b, c = R.tolist()
    return (*a, *b, *c)
