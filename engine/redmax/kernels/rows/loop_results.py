# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of loops in the work space of a tree: errors, gaps and reactions."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...arrays import Array, BoolArray
from ...model import Model
from ...spatial import adjoint
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
        self._model, self._E_ki = model, E_ki

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

    @cached_property
    def _on_joint(self) -> Array:
        """(l, 6, 6) from wrenches on the children of loops, as kernels write them, to those in the joint frames."""
        loops = self._model.loops
        E_kj = np.array([self._E_ki[loop.child] @ loop.E_ij_child for loop in loops]).reshape(len(loops), 4, 4)
        return adjoint.Ad_dual(E_kj)

    def reactions(self) -> Array:
        """(l, 6) wrench of each loop joint on its child, in the joint frame [N m, N]."""
        rows = self._rows[: self.row_count]
        F = self._solved @ (rows[:, RowWork.MULTIPLIER, None] * rows[:, RowWork.span("ON_B")])
        return np.asarray((self._on_joint @ F[:, :, None])[:, :, 0])
