# SPDX-License-Identifier: GPL-3.0-or-later
"""What the work space of a tree says of its loops: gaps, what they pass on, and whether that is known."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray
from ...model import Model
from ..layout import codes
from ..layout.declaration import Head, RowBodies, RowWork
from ..layout.packing import Packed


class SeenLoops:
    """space: (lines, ROW_WORK) of a tree, after `DO_LOOK`. E_ki: (n, 4, 4) principal frames in kernels' joint frames.

    metres: (lines without those that only face,) whether a row's error is a distance.
    """

    def __init__(self, model: Model, packed: Packed, space: Array, E_ki: Array) -> None:
        self.kept = int(packed.ints[Head.ROWS])
        self._count = len(packed.lines) - packed.facing
        self._space = space
        lines = packed.lines[: self._count]
        self.metres: BoolArray = lines[:, RowBodies.KIND] == codes.POINT
        belongs = np.arange(len(model.loops))[:, None] == lines[:, RowBodies.LOOP]
        self._angles = np.where(belongs & ~self.metres, 1.0, 0.0)
        self._distances = np.where(belongs & self.metres, 1.0, 0.0)
        self._pushing = np.where(belongs[:, : self.kept], 1.0, 0.0)
        E_kj = [E_ki[loop.child] @ loop.E_ij_child for loop in model.loops]
        self._E_kj = np.array(E_kj).reshape(len(model.loops), 4, 4)

    @property
    def errors(self) -> Array:
        """(lines,) [m, or a cosine of about an angle in rad]."""
        return self._space[: self._count, RowWork.ERROR].copy()

    @property
    def rates(self) -> Array:
        """(lines,) of the errors [1/s times their unit]."""
        return self._space[: self._count, RowWork.RIGHT_SIDE].copy()

    @property
    def upright(self) -> bool:
        """Whether no joint is put in the wrong way round, which cosines cannot tell."""
        return bool((self._space[self._count :, RowWork.ERROR] > 0.5).all())

    def gaps(self) -> Array:
        """(l, 2) what each loop is open by: angle [rad] and distance [m]."""
        squares = self._space[: self._count, RowWork.ERROR] ** 2
        return np.asarray(np.sqrt(np.stack([self._angles @ squares, self._distances @ squares], axis=1)))

    def reactions(self) -> Array:
        """(l, 6) wrench that each loop joint passes on to its child, in the joint frame [N m, N]."""
        kept = self._space[: self.kept]
        F = self._pushing @ (kept[:, RowWork.MULTIPLIER, None] * kept[:, RowWork.span("ON_B")])
        R, p = self._E_kj[:, :3, :3], self._E_kj[:, :3, 3]
        torque = F[:, :3] - np.cross(p, F[:, 3:])
        return np.concatenate([np.einsum("lij,li->lj", R, torque), np.einsum("lij,li->lj", R, F[:, 3:])], axis=1)
