# SPDX-License-Identifier: GPL-3.0-or-later
"""The directions in which a mechanism can move at a pose: qdot = W x, with x the velocities of its free coordinates.

W has the unit columns of the coordinates that are neither animated, locked nor moved by a drive; where such a
coordinate is the input of drives, its column also has what they make of it, the Jacobian J_rR of RBDN eq. 2.77.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..model import Model


@dataclass(frozen=True, eq=False)
class Freedoms:
    """free: (f,) coordinates that x belongs to, count: how many coordinates there are (nr).

    rows: (k,) coordinates that drives move. places: (m,) which of x their inputs are. J: (k, m).
    """

    free: IntArray
    count: int
    rows: IntArray
    places: IntArray
    J: Array

    def spread(self, x: Array) -> Array:
        """W x, (nr,)."""
        whole = np.zeros(self.count)
        whole[self.free] = x
        if len(self.places):
            whole[self.rows] = self.J @ x[self.places]
        return whole

    def gathered(self, f: Array) -> Array:
        """W^T f, (f,), of forces f (nr,)."""
        own: Array = f[self.free]
        if len(self.places):
            own[self.places] += self.J.T @ f[self.rows]
        return own

    def gathered_lines(self, F: Array) -> Array:
        """W^T F^T, (f, m), of forces F (m, nr), one line each."""
        own: Array = F.T[self.free]
        if len(self.places):
            own[self.places] += self.J.T @ F.T[self.rows]
        return own

    def columns(self, G: Array) -> Array:
        """G W, (m, f), of rows G (m, nr)."""
        own: Array = G[:, self.free]
        if len(self.places):
            own[:, self.places] += G[:, self.rows] @ self.J
        return own

    def reduced(self, A: Array) -> Array:
        """W^T A W, (f, f), of a matrix A (nr, nr)."""
        if not len(self.places):
            return np.asarray(A[np.ix_(self.free, self.free)])
        AW = self.columns(A)
        own: Array = AW[self.free]
        own[self.places] += self.J.T @ AW[self.rows]
        return own

    def directions(self) -> Array:
        """W^T, (f, nr): one line for each free coordinate."""
        lines = np.zeros((len(self.free), self.count))
        lines[np.arange(len(self.free)), self.free] = 1.0
        if len(self.places):
            lines[np.ix_(self.places, self.rows)] = self.J.T
        return lines


def free_coordinates(model: Model) -> IntArray:
    """Coordinates that are neither animated, locked nor moved by a drive."""
    return np.flatnonzero(model.moves_freely)


def freedoms(model: Model, q: Array, held: BoolArray | None = None) -> Freedoms:
    """The free directions at q (nr,). held: (nr,) further coordinates that stand, with what follows only them."""
    if model.followers is None and held is None:
        return model.once(_of_tree)
    free = model.once(free_coordinates) if held is None else np.flatnonzero(model.moves_freely & ~held)
    if model.followers is None:
        return _without_drives(free, model.dof_count)
    pushing = model.followers.pushing(q)
    moved = np.isin(pushing.inputs, free)
    places = np.searchsorted(free, pushing.inputs[moved])
    return Freedoms(free, model.dof_count, pushing.rows, places, pushing.J[:, moved])


def _of_tree(model: Model) -> Freedoms:
    return _without_drives(model.once(free_coordinates), model.dof_count)


def _without_drives(free: IntArray, count: int) -> Freedoms:
    nothing: IntArray = np.zeros(0, np.int64)
    return Freedoms(free, count, nothing, nothing, np.zeros((0, 0)))
