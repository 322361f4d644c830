# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points at one pose, with the materials of the surfaces that meet there."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ...arrays import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Points:
    """k points. surfaces: (k, 2) that meet there. feature: (k,) names a point of a pair from step to step.
    bodies: (k, 2), -1 for the world. ends: (k, 2, 3) the points of both surfaces that are next to each other.
    axes: (k, 3, 3) rows are the unit normal, from the second to the first, and two tangents. gap: (k,) distance [m],
    negative inside. material: (k, 6) of the pairs, in the order of `surfaces.materials.Pair`.
    conveyor: (k, 3) velocity [m/s] of the first skin relative to its body, less that of the second.
    """

    surfaces: IntArray
    feature: IntArray
    bodies: IntArray
    ends: Array
    axes: Array
    gap: Array
    material: Array
    conveyor: Array

    def __len__(self) -> int:
        return len(self.gap)

    def only(self, which: BoolArray) -> Points:
        """Some of the points."""
        return Points(**{each.name: getattr(self, each.name)[which] for each in fields(self)})

    def with_gaps(self, gap: Array) -> Points:
        """The same points with other gaps (k,)."""
        return replace(self, gap=gap)

    @property
    def x(self) -> Array:
        """(k, 3) midway between both surfaces."""
        return np.asarray(0.5 * (self.ends[:, 0] + self.ends[:, 1]))

    @property
    def normal(self) -> Array:
        """(k, 3)"""
        return self.axes[:, 0]

    def keys(self) -> list[tuple[int, int, int]]:
        """What names each point from step to step."""
        pairs = self.surfaces.tolist()
        return [(a, b, feature) for (a, b), feature in zip(pairs, self.feature.tolist(), strict=True)]


def axes_of(normal: Array) -> Array:
    """(k, 3, 3) right-handed axes whose first is the normal (k, 3). They turn smoothly with it but for a jump where it
    points against z. Source: Duff et al., Building an Orthonormal Basis, Revisited (2017)."""
    x, y, z = normal.T
    sign = np.where(z >= 0.0, 1.0, -1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    second = np.stack([b, sign + y * y * a, -y], axis=1)
    return np.stack([normal, first, second], axis=1)
