# SPDX-License-Identifier: GPL-3.0-or-later
"""The directions in which a mechanism can move at a pose: qdot = W x, with x the velocities of its free coordinates.

W has the unit columns of the coordinates that are neither animated, locked nor moved by a drive; where such a
coordinate is the input of drives, its column also has what they make of it, the Jacobian J_rR of RBDN eq. 2.77.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..drives import Followers
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

    @cached_property
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
    if held is not None:
        return _freedoms(model, q, np.flatnonzero(model.moves_freely & ~held))
    if model.followers is None or not len(model.followers.curves.bent):
        return model.once(_everywhere)
    free, moved, places = model.once(_inputs)
    pushing = model.followers.pushing(q)
    return Freedoms(free, model.dof_count, pushing.rows, places, pushing.J[:, moved])


def _freedoms(model: Model, q: Array, free: IntArray) -> Freedoms:
    if model.followers is None:
        nothing: IntArray = np.zeros(0, np.int64)
        return Freedoms(free, model.dof_count, nothing, nothing, np.zeros((0, 0)))
    moved, places = _free_inputs(model.followers, free)
    pushing = model.followers.pushing(q)
    return Freedoms(free, model.dof_count, pushing.rows, places, pushing.J[:, moved])


def _everywhere(model: Model) -> Freedoms:
    """The free directions of a model in which they do not depend on the pose."""
    return _freedoms(model, model.q0, model.once(free_coordinates))


def _inputs(model: Model) -> tuple[IntArray, BoolArray, IntArray]:
    """Free coordinates, and as `_free_inputs`."""
    free = model.once(free_coordinates)
    if model.followers is None:
        return free, np.zeros(0, np.bool_), np.zeros(0, np.int64)
    return free, *_free_inputs(model.followers, free)


def _free_inputs(followers: Followers, free: IntArray) -> tuple[BoolArray, IntArray]:
    """(m,) which inputs are free coordinates, and which of these they are."""
    moved = np.isin(followers.inputs, free)
    return moved, np.searchsorted(free, followers.inputs[moved])
