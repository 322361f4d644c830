# SPDX-License-Identifier: GPL-3.0-or-later
"""Oriented boxes around parts: their size, their corners, and how far points are from them. No Blender here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..._engine import arrays

Array = arrays.Array

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)


@dataclass(frozen=True, eq=False)
class Extent:
    """A box from `low` to `high` (3,) in an object's own coordinates, and the object's matrix M (4, 4) in the world."""

    low: Array
    high: Array
    M: Array

    @property
    def centre(self) -> Array:
        """Middle of the box in the world (3,)."""
        middle: Array = self.M[:3, :3] @ (0.5 * (self.low + self.high)) + self.M[:3, 3]
        return middle

    @property
    def lengths(self) -> Array:
        """Length in the world of the box along each of the object's own axes (3,)."""
        lengths: Array = np.linalg.norm(self.M[:3, :3], axis=0) * (self.high - self.low)
        return lengths

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.lengths))

    def corners(self) -> Array:
        """Corners of the box in the world (8, 3)."""
        points: Array = (self.low + _CORNERS * (self.high - self.low)) @ self.M[:3, :3].T + self.M[:3, 3]
        return points

    def distance(self, point: Array) -> float:
        """Distance in the world from a point to the box, 0 inside; exact unless the object is sheared."""
        own = np.linalg.solve(self.M[:3, :3], point - self.M[:3, 3])
        nearest = np.clip(own, self.low, self.high)
        return float(np.linalg.norm(self.M[:3, :3] @ (own - nearest)))


class Boxes:
    """Many boxes, for asking many times how far points are from all of them."""

    def __init__(self, extents: Iterable[Extent]) -> None:
        boxes = list(extents)
        self.low, self.high = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])
        self.linear = np.array([box.M[:3, :3] for box in boxes])
        self.inverse = np.linalg.inv(self.linear)
        self.origin = np.array([box.M[:3, 3] for box in boxes])
        self.diagonals = np.array([box.diagonal for box in boxes])

    def distances(self, point: Array) -> Array:
        """Distance of a point to each box (n,), as Extent.distance."""
        own = np.einsum("nij,nj->ni", self.inverse, point - self.origin)
        outside = own - np.clip(own, self.low, self.high)
        away: Array = np.linalg.norm(np.einsum("nij,nj->ni", self.linear, outside), axis=1)
        return away
