# SPDX-License-Identifier: GPL-3.0-or-later
"""The followers of all drives of a model: q_r(q_R) with its derivatives. Nothing here knows dynamics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from .curves import Curves


@dataclass(frozen=True, eq=False)
class Pushing:
    """Followers at one pose. rows, inputs: as in `Followers`; J: (k, m) their velocities per velocity of the inputs."""

    rows: IntArray
    inputs: IntArray
    J: Array

    def spread(self, x: Array) -> Array:
        """x (nr,) with the followers' entries as the inputs' make them: velocities of the same motion."""
        x = np.array(x, np.float64)
        x[self.rows] = self.J @ x[self.inputs]
        return x

    def gathered(self, f: Array) -> Array:
        """f (nr,) along the coordinates, with what acts on followers felt by the inputs: zero at the followers."""
        f = np.array(f, np.float64)
        f[self.inputs] += self.J.T @ f[self.rows]
        f[self.rows] = 0.0
        return f


@dataclass(frozen=True, eq=False)
class Followers:
    """k coordinates that follow m others: q[rows] = offset + f(x), x = ratio q[inputs], f by `curves`.

    rows: (k,), inputs: (m,) coordinates of the model. ratio: (k, m). offset: (k,). Source: RBDN eq. 2.77.
    titles: what a person calls each input. own: (m,) whether it belongs to its drive alone, not to a scene's joint.
    """

    rows: IntArray
    inputs: IntArray
    ratio: Array
    offset: Array
    curves: Curves
    titles: tuple[str, ...]
    own: tuple[bool, ...]

    def placed(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        """q and qdot (nr,) with the followers where and as fast as the inputs make them."""
        q, qdot = np.array(q, np.float64), np.array(qdot, np.float64)
        value, slope, _ = self.curves.motion(self.ratio @ q[self.inputs])
        q[self.rows] = self.offset + value
        qdot[self.rows] = slope * (self.ratio @ qdot[self.inputs])
        return q, qdot

    def pushing(self, q: Array) -> Pushing:
        """Their Jacobian J_rR = dq_r / dq_R at a pose."""
        return Pushing(self.rows, self.inputs, self.curves.motion(self.ratio @ q[self.inputs])[1][:, None] * self.ratio)

    def accelerated(self, q: Array, qdot: Array, qddot: Array) -> Array:
        """qddot (nr,) with the followers' accelerations J_rR qddot_R + Jdot_rR qdot_R. Source: RBDN eq. 2.78."""
        qddot = np.array(qddot, np.float64)
        _, slope, bend = self.curves.motion(self.ratio @ q[self.inputs])
        rate = self.ratio @ qdot[self.inputs]
        qddot[self.rows] = slope * (self.ratio @ qddot[self.inputs]) + bend * rate**2
        return qddot

    def bends(self, q: Array) -> Array:
        """f'' (k,) at a pose, so that the second derivative of follower k is f''_k r_k r_k^T with its ratios r_k."""
        return self.curves.motion(self.ratio @ q[self.inputs])[2]

    @property
    def listed(self) -> tuple[list[int], tuple[str, ...], tuple[bool, ...]]:
        """Coordinate, title and `own` of every input."""
        return self.inputs.tolist(), self.titles, self.own

    @property
    def steepest(self) -> Array:
        """(k, m) about the largest entries that J has anywhere."""
        return np.asarray(self.curves.steepest[:, None] * np.abs(self.ratio))
