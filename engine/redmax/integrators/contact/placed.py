# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism at one pose as contact sees it: how points of bodies move, and how they move with the coordinates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ... import fast
from ...arrays import Array, BoolArray, IntArray
from ...dynamics.constraint_rows import Columns
from ...dynamics.freedoms import Freedoms, freedoms
from ...model import Model
from ...state import State
from .points import Points


class Placed:
    """state: where the mechanism is. center, velocity, omega: (n + 1, 3) of the bodies' centres of mass along the
    world's axes [m, m/s, rad/s]; the last row is the world's."""

    def __init__(self, model: Model, state: State) -> None:
        self.model, self.state = model, state
        self.kin = fast.kinematics(model, state.q, state.qdot, state.chart)
        E, phi = self.kin.E_wi, self.kin.phi
        nothing = np.zeros((1, 3))
        self.center: Array = np.concatenate([E[:, :3, 3], nothing])
        self.omega: Array = np.concatenate([(E[:, :3, :3] @ phi[:, :3, None])[:, :, 0], nothing])
        self.velocity: Array = np.concatenate([(E[:, :3, :3] @ phi[:, 3:, None])[:, :, 0], nothing])

    @cached_property
    def mass_matrix(self) -> Array:
        """(nr, nr)"""
        return fast.mass_matrix(self.model, self.kin)

    @cached_property
    def freedoms(self) -> Freedoms:
        """How the coordinates can move here."""
        return freedoms(self.model, self.state.q)

    def relative_velocity(self, points: Points, motion: Placed | None = None) -> Array:
        """(k, 3) velocity of points of the first of two bodies less that of the second.

        motion: another moment, as at which the bodies move, seen from where they stand here.
        """
        a, b = points.bodies.T
        v, omega = (self.velocity, self.omega) if motion is None else (motion.velocity, motion.omega)
        first = v[a] + np.cross(omega[a], points.ends[:, 0] - self.center[a])
        return np.asarray(first - v[b] - np.cross(omega[b], points.ends[:, 1] - self.center[b]))

    def parting(self, points: Points, motion: Placed | None = None) -> Array:
        """(k,) how fast the surfaces part at points [m/s]; motion: as above."""
        return np.asarray(np.einsum("ki,ki->k", self.relative_velocity(points, motion), points.normal))

    def generalised(self, bodies: IntArray, wrenches: Array) -> Array:
        """(nr,) forces along the coordinates of wrenches (k, 6) about the centres of mass of bodies (k,), along the
        world's axes."""
        columns = self._columns
        moved = columns.moves[bodies]
        v = columns.v[None] + np.cross(columns.omega[None], self.center[bodies, None] - columns.origin[None])
        power = np.einsum("krj,kj->kr", v, wrenches[:, 3:]) + wrenches[:, :3] @ columns.omega.T
        return np.asarray((power * moved).sum(axis=0))

    def rows(self, points: Points) -> tuple[Array, Array]:
        """(k, 3, nr) twice, per unit qdot: relative velocity at points, relative angular velocity of their bodies."""
        columns, moves = self._columns, self._moves
        linear = np.zeros((len(points), 3, self.model.dof_count))
        for side, sign in ((0, 1.0), (1, -1.0)):
            v = columns.v[None] + np.cross(columns.omega[None], points.ends[:, side, None] - columns.origin[None])
            linear += np.swapaxes(v, 1, 2) * (sign * moves[points.bodies[:, side]])[:, None]
        turns = moves[points.bodies[:, 0]].astype(np.float64) - moves[points.bodies[:, 1]]
        return linear, columns.omega.T[None] * turns[:, None]

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.model, self.kin)

    @property
    def _moves(self) -> BoolArray:
        """(n + 1, nr) whether a body, the last is the world, moves with a coordinate."""
        return np.concatenate([self._columns.moves, np.zeros((1, self.model.dof_count), np.bool_)])
