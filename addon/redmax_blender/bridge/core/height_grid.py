# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is a regular grid over its x-y plane, as heights. No Blender here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..._engine import arrays

Array = arrays.Array

EVEN = 1e-3
"""How far a vertex may be from its place in the grid, as a part of the distance between two."""

TURNED = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""A quarter turn about z, after which cells that were cut one way are cut the other way."""


class HeightGrid(NamedTuple):
    """E: (4, 4) frame of the grid in that of the points [m]. size: (2,) lengths. heights: (rows, columns). off: how far
    faces that are cut the other way are from it [m]."""

    E: Array
    size: Array
    heights: Array
    off: float


class NoGridError(ValueError):
    """Points that are no grid; the text says why, to follow the name of their object."""


def height_grid(points: Array, faces: Sequence[Sequence[int]]) -> HeightGrid:
    """The grid that vertices (n, 3) [m] and faces are, whatever their order. Raises NoGridError."""
    x, y = (_lines(points[:, axis]) for axis in range(2))
    if len(x) < 2 or len(y) < 2 or len(x) * len(y) != len(points):
        raise NoGridError("is no grid over its x-y plane")
    spacing = np.array([(line[-1] - line[0]) / (len(line) - 1) for line in (x, y)])
    place = (points[:, :2] - (x[0], y[0])) / spacing
    cell = np.rint(place).astype(np.int64)
    if np.abs(place - cell).max() > EVEN:
        raise NoGridError("is a grid whose rows or columns are not evenly spaced")
    if len(np.unique(cell[:, 1] * len(x) + cell[:, 0])) != len(points):
        raise NoGridError("is no grid over its x-y plane")
    heights = np.zeros((len(y), len(x)))
    heights[cell[:, 1], cell[:, 0]] = points[:, 2]
    falling, rising = _cuts(cell, faces, heights.shape)
    twist = 0.5 * np.abs(heights[:-1, :-1] + heights[1:, 1:] - heights[:-1, 1:] - heights[1:, :-1])
    E = np.eye(4)
    E[:2, 3] = 0.5 * (x[0] + x[-1]), 0.5 * (y[0] + y[-1])
    size = np.array([x[-1] - x[0], y[-1] - y[0]])
    if (twist * falling).sum() > (twist * rising).sum():
        E[:3, :3] = TURNED
        return HeightGrid(E, size[::-1], heights.T[::-1], float((twist * rising).max(initial=0.0)))
    return HeightGrid(E, size, heights, float((twist * falling).max(initial=0.0)))


def _lines(values: Array) -> Array:
    """Different values, those together that are closer than rounding tells apart, in order."""
    ordered = np.sort(values)
    steps = np.diff(ordered)
    far = steps > EVEN * (ordered[-1] - ordered[0]) / max(len(ordered), 1)
    starts = np.flatnonzero(np.concatenate([[True], far]))
    return np.array([group.mean() for group in np.split(ordered, starts[1:])])


def _cuts(cell: Array, faces: Sequence[Sequence[int]], shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Cells that are cut from least x and most y to the opposite corner, and those cut the other way. Raises
    NoGridError where faces do not fill each cell once."""
    area = np.zeros((shape[0] - 1, shape[1] - 1))
    cuts = np.zeros((2, *area.shape), np.bool_)
    for count in (3, 4):
        corners = cell[np.array([face for face in faces if len(face) == count], np.int64).reshape(-1, count)]
        low = corners.min(axis=1)
        if (corners.max(axis=1) - low != 1).any():
            raise NoGridError("has faces that are no cells of a grid")
        x, y = low.T
        np.add.at(area, (y, x), 0.5 * (count - 2))
        if count == 3:
            beyond = corners.mean(axis=1) - low > 0.5
            cuts[(beyond[:, 0] == beyond[:, 1]).astype(np.int64), y, x] = True
    if any(len(face) not in (3, 4) for face in faces):
        raise NoGridError("has faces that are no cells of a grid")
    if (area != 1.0).any():
        raise NoGridError("has holes, or faces on top of each other")
    return cuts[1], cuts[0]
