# SPDX-License-Identifier: GPL-3.0-or-later
"""A grid of heights as a surface: terrain. Kernels read its heights and make triangles where something is near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import Vector, array, number
from . import layout
from .shape import Shape
from .surface import Surface

FEWEST = 2
"""Heights along each side."""

MOST_HEIGHTS = 2**24
"""Heights of one surface: beyond it numbers of contact points would not be told apart."""


@dataclass(frozen=True, kw_only=True)
class HeightfieldSurface(Surface):
    """Heights on a grid, and all that is below them. Its body must not be moved by forces.

    Heights stand at equal distances along x and y, centred on its frame; row after row along y, each along x. Every
    cell is two triangles, cut from its corner of least x and y to the opposite one. Down to `depth` below the lowest
    height it is solid, with a floor and walls at its borders.
    """

    kind: ClassVar[str] = "heightfield"
    label: ClassVar[str] = "Heightfield"
    summary: ClassVar[str] = "Terrain: heights on a regular grid, solid below; fast however many there are"
    icon: ClassVar[str] = "RNDCURVE"
    menu_order: ClassVar[int] = 100
    shape_code: ClassVar[int] = layout.HEIGHTFIELD

    size: Vector = array((2.0, 2.0), doc="Lengths of the grid along x and y", shape=(2,), unit="m", positive=True)
    heights: Vector = array(
        doc="Heights over the x-y plane: rows along y, each with as many numbers along x", shape=(None, None), unit="m",
        hint="give rows of equally many finite heights, such as [[0, 0], [0, 1]]",
    )  # fmt: skip
    depth: float = number(1.0, doc="How far it is solid below its lowest height", unit="m", positive=True)

    def lengths(self) -> Array:
        heights = np.asarray(self.heights, np.float64)
        across = np.asarray(self.size, np.float64)
        cells = across / np.maximum(np.array(heights.shape[::-1]) - 1, 1)
        return np.array([*cells, *across, float(self.depth), float(np.ptp(heights)) + float(self.depth)])

    def problems(self) -> Iterator[tuple[str, ...]]:
        heights = np.asarray(self.heights, np.float64)
        if min(heights.shape) < FEWEST:
            rows, columns = heights.shape
            hint = f"give at least {FEWEST} x {FEWEST} heights"
            yield Fault(f"are {rows} x {columns}", hint, "few_heights", "heights")
            return
        if heights.size > MOST_HEIGHTS:
            hint = f"give at most {MOST_HEIGHTS}, or several surfaces side by side"
            yield Fault(f"are {heights.size}", hint, "many_heights", "heights")
            return
        yield from super().problems()

    def shape(self) -> Shape:
        heights = np.asarray(self.heights, np.float64)
        half = 0.5 * np.asarray(self.size, np.float64)
        low, high = float(heights.min()) - float(self.depth), float(heights.max())
        middle = 0.5 * (low + high)
        extent = np.array([*half, 0.5 * (high - low)])
        return Shape(
            size=np.zeros(3),
            extent=extent,
            reach=float(np.linalg.norm(extent)),
            center=np.array([0.0, 0.0, middle]),
            grid=packed_grid(heights - middle, half, low - middle),
        )


def packed_grid(heights: Array, half: Array, bottom: float) -> Array:
    """Heights (rows, columns), half lengths (2,) of the grid and height of its floor, all about its middle [m], as
    `layout.COLUMNS` and what follows it say."""
    rows, columns = heights.shape
    spacing = 2.0 * half / (columns - 1, rows - 1)
    head = np.array([columns, rows, *spacing, *half, bottom])
    return np.concatenate([head, heights.ravel(), highest_in_blocks(heights).ravel()])


def highest_in_blocks(heights: Array) -> Array:
    """The highest corner of the cells of each block of `layout.BLOCK` x `layout.BLOCK` cells."""
    cells = np.maximum.reduce([heights[:-1, :-1], heights[:-1, 1:], heights[1:, :-1], heights[1:, 1:]])
    rows, columns = (np.arange(0, count, layout.BLOCK) for count in cells.shape)
    found: Array = np.maximum.reduceat(np.maximum.reduceat(cells, rows, axis=0), columns, axis=1)
    return found
