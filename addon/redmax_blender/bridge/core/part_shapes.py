# SPDX-License-Identifier: GPL-3.0-or-later
"""What the box around a part says about axes: the directions in which it is thin, and the one in which it is long."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._engine import arrays
from .boxes import Extent

Array = arrays.Array
BoolArray = arrays.BoolArray

ALIKE = 1.2
"""Directions less than this factor thicker than the thinnest are as thin: a rod is no plate."""

SLENDER, ALIKE_IN_ROD = 4.0, 1.5
"""Of a part this many times longer than wide also those less than this factor thicker: a bar of 4 x 5 cm is a rod."""

CENTRED = 0.1
"""A pin nearer to the middle of a part than this fraction of its diagonal carries a wheel or a turntable."""

_ACROSS, _ALONG = (1, 0, 2), (0, 1, 2)
"""Between equally thin directions the one nearest to the world's y is taken, then x, then z: weight never turns a
hinge about z, and a motion about y is seen face-on in Blender's front view. Between equally long ones x comes first."""


@dataclass(frozen=True, eq=False)
class PartShape:
    """A part as a mechanic sees it: a plate, a rod or a block."""

    extent: Extent

    @cached_property
    def axes(self) -> Array:
        """Directions of the object's own axes, a unit vector in the world each (3, 3), in rows."""
        M = self.extent.M[:3, :3]
        return np.asarray((M / np.linalg.norm(M, axis=0)).T)

    @cached_property
    def is_thin(self) -> BoolArray:
        """(3,) along which of its axes the part is thinnest, or nearly so."""
        lengths = self.extent.lengths
        _, width, length = np.sort(lengths)
        return np.asarray(lengths <= (ALIKE_IN_ROD if length >= SLENDER * width else ALIKE) * lengths.min())

    @property
    def plate_normal(self) -> Array | None:
        """The only thin direction of a plate, None for rods and blocks."""
        return positive(self.axes[int(self.is_thin.argmax())]) if self.is_thin.sum() == 1 else None

    @property
    def rod_direction(self) -> Array | None:
        """The only direction that is not thin, None for plates and blocks."""
        return positive(self.axes[int((~self.is_thin).argmax())]) if self.is_thin.sum() == 2 else None

    @cached_property
    def thinnest(self) -> Array:
        """The thin direction that a hinge of this part alone would have."""
        return self._preferred(self.is_thin, _ACROSS)

    @cached_property
    def longest(self) -> Array:
        """The long direction that a slider of this part alone would have."""
        lengths = self.extent.lengths
        return self._preferred(np.asarray(lengths * ALIKE >= lengths.max()), _ALONG)

    def _preferred(self, allowed: BoolArray, order: tuple[int, int, int]) -> Array:
        """The allowed object axis whose nearest world axis comes first in `order` (rank of x, y, z)."""
        candidates = self.axes[allowed]
        z: Array = min(candidates, key=lambda along: (order[int(np.argmax(np.abs(along)))], -np.abs(along).max()))
        return positive(z)

    def is_centred(self, pin: Array) -> bool:
        """Whether a pin is in the middle of a plate, as that of a wheel."""
        arm = self.extent.centre - pin
        normal = self.plate_normal
        if normal is not None:
            arm = arm - (arm @ normal) * normal
        return float(np.linalg.norm(arm)) <= CENTRED * self.extent.diagonal


def positive(z: Array) -> Array:
    """The direction or its opposite, whichever points to the positive side of the world."""
    return z if z[np.argmax(np.abs(z))] > 0.0 else -z
