# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, dampers, torques and soft limits of a joint that closes a loop: a force between its two bodies.

Such a joint has no coordinate of its own in the model. That of a hinge, a slider or a screw follows from where its
bodies are, and what acts along it is the same wrench on both of them: one constant screw S is the same in the joint
frames of either side, however far the joint has moved. Loops are closed to round-off, so that nothing else enters.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..forces import BoundForce
from ..model import LoopJoint
from ..spatial import adjoint, pose


class LoopLoads(BoundForce):
    """Of one loop joint. Angles are taken within half a turn of `rest`: a pose does not tell turns apart."""

    def __init__(self, loop: LoopJoint) -> None:
        super().__init__(loop.joint.name, (loop.parent, loop.child))
        joint = self.joint = loop.joint
        self._S = joint.motion(np.zeros(1), np.zeros(1)).S[:, 0]
        self._turns = bool(self._S[:3].any())
        E_parent, E_child = loop.E_ij_parent, loop.E_ij_child
        self._E_jp, self._E_jc = pose.inverse(E_parent), pose.inverse(E_child)
        along = self._S / float(self._S @ self._S)
        # qdot = J phi with phi the twists of both bodies; forces along q are J^T times them
        self._J = np.concatenate([-adjoint.Ad(self._E_jp).T @ along, adjoint.Ad(self._E_jc).T @ along])
        fields = (joint.torque, joint.stiffness, joint.rest, joint.damping, joint.limit_stiffness, joint.limit_damping)
        self._numbers = tuple(float(np.broadcast_to(np.asarray(value, float), (1,))[0]) for value in fields)
        limits = zip((joint.lower, joint.upper), (-math.inf, math.inf), strict=True)
        self._lower, self._upper = (
            float(np.atleast_1d(np.asarray(end if value is None else value, float))[0]) for value, end in limits
        )

    def coordinate(self, E: Array) -> float:
        """q of the joint [rad or m]. E: (2, 4, 4) poses of parent and child."""
        E_0j = self._E_jp @ pose.inverse(E[0]) @ E[1] @ pose.inverse(self._E_jc)
        if not self._turns:
            return float(self._S[3:] @ E_0j[:3, 3] / (self._S[3:] @ self._S[3:]))
        length = float(np.linalg.norm(self._S[:3]))
        a, R = self._S[:3] / length, E_0j[:3, :3]
        sine = 0.5 * float(a @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
        angle = math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0)) / length
        turn, rest = 2.0 * math.pi / length, self._numbers[2]
        return angle + turn * float(np.round((rest - angle) / turn))  # not round(): a step gone astray has NaN

    def _law(self, q: float, qdot: float, t: float) -> tuple[float, float, float]:
        """Force along q [N m or N] and its derivatives by q and qdot, as `loads.joint_loads` has them."""
        torque, k, rest, d, k_limit, d_limit = self._numbers
        beyond = min(q - self._lower, 0.0) + max(q - self._upper, 0.0)
        K, D = -k, -d
        f = torque - k * (q - rest) - d * qdot
        if beyond != 0.0:
            f, K, D = f - k_limit * beyond - d_limit * qdot, K - k_limit, D - d_limit
        if self.joint.torque_table is not None:
            f += float(self.joint.torque_table.value(t)[0])
        if self.joint.stiffness_table is not None:
            f -= float(self.joint.stiffness_table.value(q - rest)[0])
            K -= float(self.joint.stiffness_table.derivative(q - rest)[0])
        return f, K, D

    def _rate(self, phi: Array) -> float:
        return float(self._J @ phi.ravel())

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        f = self._law(self.coordinate(E), self._rate(phi), t)[0]
        return np.asarray((f * self._J).reshape(2, 6))

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        _, K, D = self._law(self.coordinate(E), self._rate(phi), t)
        square = np.outer(self._J, self._J)
        return K * square, D * square

    def potential(self, E: Array) -> float:
        _, k, rest, _, k_limit, _ = self._numbers
        q = self.coordinate(E)
        beyond = min(q - self._lower, 0.0) + max(q - self._upper, 0.0)
        energy = 0.5 * (k * (q - rest) ** 2 + k_limit * beyond**2)
        if self.joint.stiffness_table is not None:
            energy += float(self.joint.stiffness_table.integral(q - rest)[0])
        return energy

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        qdot, torque = self._rate(phi), self._numbers[0]
        if self.joint.torque_table is not None:
            torque += float(self.joint.torque_table.value(t)[0])
        return torque * qdot, -self._law(self.coordinate(E), qdot, t)[2] * qdot**2

    def switch_levels(self) -> Array:
        limits = np.array([self._lower, self._upper]) if self._numbers[4] > 0.0 else np.zeros(0)
        table = self.joint.stiffness_table
        corners = np.zeros(0) if table is None else self._numbers[2] + table.corners(0)
        return np.asarray(np.unique(np.concatenate([limits[np.isfinite(limits)], corners])))

    def switch_quantity(self, E: Array, phi: Array) -> tuple[float, float]:
        return self.coordinate(E), self._rate(phi)

    def switch_times(self) -> Array:
        table = self.joint.torque_table
        return np.zeros(0) if table is None else table.breakpoints()
