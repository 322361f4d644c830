# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism at one pose as contact sees it: where surfaces are, and how points of bodies move with the coordinates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ... import fast
from ...arrays import Array, BoolArray, IntArray
from ...dynamics.constraint_rows import Columns
from ...dynamics.freedoms import Freedoms, freedoms
from ...model import Model
from ...state import State


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

    @cached_property
    def poses(self) -> Array:
        """(n, 12) of the joint frames in the world: matrix by rows, then origin, as detection wants them."""
        E = self.kin.E_wj
        return np.concatenate([E[:, :3, :3].reshape(-1, 9), E[:, :3, 3]], axis=1)

    def relative_velocity(self, bodies: IntArray, x: Array) -> Array:
        """(k, 3) velocity of points x (k, 3) of the first of two bodies (k, 2) less that of the second; -1 is the
        world."""
        a, b = bodies[:, 0], bodies[:, 1]
        first = self.velocity[a] + np.cross(self.omega[a], x - self.center[a])
        return np.asarray(first - self.velocity[b] - np.cross(self.omega[b], x - self.center[b]))

    def rows(self, bodies: IntArray, x: Array) -> tuple[Array, Array]:
        """(k, 3, nr) twice: relative velocity of points x and relative angular velocity of two bodies, per unit qdot."""
        columns = self._columns
        moves = self._moves
        sign = moves[bodies[:, 0]].astype(np.float64) - moves[bodies[:, 1]]
        v = columns.v[None] + np.cross(columns.omega[None], x[:, None] - columns.origin[None])
        linear = np.swapaxes(v, 1, 2) * sign[:, None]
        return linear, columns.omega.T[None] * sign[:, None]

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.model, self.kin)

    @property
    def _moves(self) -> BoolArray:
        """(n + 1, nr) whether a body, the last is the world, moves with a coordinate."""
        return np.concatenate([self._columns.moves, np.zeros((1, self.model.dof_count), np.bool_)])
