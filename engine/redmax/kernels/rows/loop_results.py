# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of loops in the work space of a tree: errors, gaps and reactions."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray
from ...model import Model
from ..layout.declaration import Head, RowBodies, RowWork
from ..layout.packing import Packed


class LoopResults:
    """Loops and constraints of a tree as `tasks.ROW_ERRORS` left them: l loops, and m rows of both, redundant
    ones included.

    row_work: the section of the tree. E_ki: (n, 4, 4) principal frames in the joint frames that kernels use.
    row_count: how many equations are solved for. metres, one_sided: (m,) whether a row's error is a distance, and
    whether it is a stop, of which the error is the room.
    """

    def __init__(self, model: Model, packed: Packed, row_work: Array, E_ki: Array) -> None:
        self.row_count = int(packed.ints[Head.EQUATIONS])
        m = len(packed.rows) - packed.directions
        self._rows, self._directions = row_work[:m], row_work[m:]
        self.metres: BoolArray = packed.rows[:m, RowBodies.METRES] != 0
        self.one_sided: BoolArray = np.zeros(m, np.bool_)
        self.one_sided[self.row_count : int(packed.ints[Head.ROWS])] = True
        belongs = np.arange(len(model.loops))[:, None] == packed.rows[:m, RowBodies.OWNER]
        self._angles = np.where(belongs & ~self.metres, 1.0, 0.0)
        self._distances = np.where(belongs & self.metres, 1.0, 0.0)
        self._solved = np.where(belongs[:, : self.row_count], 1.0, 0.0)
        E_kj = [E_ki[loop.child] @ loop.E_ij_child for loop in model.loops]
        self._E_kj = np.array(E_kj).reshape(len(model.loops), 4, 4)

    @property
    def errors(self) -> Array:
        """(m,) errors of the rows [m, or the cosine of an angle near pi / 2]."""
        return self._rows[:, RowWork.ERROR].copy()

    @property
    def rates(self) -> Array:
        """(m,) rates of the errors [m/s or 1/s]."""
        return self._rows[:, RowWork.RIGHT_SIDE].copy()

    @property
    def upright(self) -> bool:
        """Whether no joint is assembled the wrong way round, which the errors of AXIS rows cannot tell."""
        return bool((self._directions[:, RowWork.ERROR] > 0.5).all())

    def gaps(self) -> Array:
        """(l, 2) angle [rad] and distance [m] by which each loop is open."""
        squares = self._rows[:, RowWork.ERROR] ** 2
        return np.asarray(np.sqrt(np.stack([self._angles @ squares, self._distances @ squares], axis=1)))

    def reactions(self) -> Array:
        """(l, 6) wrench of each loop joint on its child, in the joint frame [N m, N]."""
        rows = self._rows[: self.row_count]
        F = self._solved @ (rows[:, RowWork.MULTIPLIER, None] * rows[:, RowWork.span("ON_B")])
        R, p = self._E_kj[:, :3, :3], self._E_kj[:, :3, 3]
        torque = F[:, :3] - np.cross(p, F[:, 3:])
        return np.concatenate([np.einsum("lij,li->lj", R, torque), np.einsum("lij,li->lj", R, F[:, 3:])], axis=1)
