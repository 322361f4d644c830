# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of flat linkages: pedestals with axles, plates with bores, pins. All sizes follow from the width of a link."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import outlines, shells
from .assembly import Part
from .paint import BRASS, GRAPHITE, STEEL, Paint


class Sizes(NamedTuple):
    """width of a link; thickness; radius of axles and pins; distance of the first and second layer from the posts."""

    width: float
    thickness: float
    axle: float
    pin: float
    back: float
    front: float

    @classmethod
    def of(cls, width: float) -> Sizes:
        thickness = 0.34 * width
        back = 0.5 * width
        return cls(width, thickness, 0.16 * width, 0.115 * width, back, back + 1.15 * thickness)

    @property
    def bore(self) -> float:
        return 1.1 * self.axle

    @property
    def pin_bore(self) -> float:
        return 1.12 * self.pin

    @property
    def reach(self) -> float:
        """From the middle of the back layer to the front of the front one: how far pins reach."""
        return self.front - self.back + 0.6 * self.thickness


def slab(left: float, right: float, depth: float, height: float, paint: Paint) -> Part:
    """A base plate from x = left to right, its foot at z = 0; a third of it lies in front of the posts."""
    width = right - left
    outline = outlines.rounded_rectangle(width, depth, 0.16 * depth)
    outline += (0.5 * (left + right), 0.18 * depth)
    return shells.prism(outline, 0.0, height, 0.12 * height), paint


def pedestal(x: float, low: float, height: float, sizes: Sizes, *, motor: bool = False) -> list[Part]:
    """A post on the base plate whose axle lies at `height` and points to the viewer, with a motor behind it."""
    w = sizes.width
    depth, back = 0.75 * w, 0.42 * w
    top = height + 0.62 * w

    def section(width: float, thickness: float) -> outlines.Array:
        shape: outlines.Array = outlines.rounded_rectangle(width, thickness, 0.2 * min(width, thickness))
        shape += (x, back)
        return shape

    rise = top - low
    post = shells.loft(
        [
            (section(2.2 * w, 1.1 * depth), low + shells.GAP * w),
            (section(2.2 * w, 1.1 * depth), low + min(0.2 * w, 0.1 * rise)),
            (section(1.3 * w, depth), low + min(0.55 * w, 0.3 * rise)),
            (section(1.1 * w, depth), top - 0.12 * w),
            (section(0.9 * w, 0.8 * depth), top),
        ]
    )
    a, reach = sizes.axle, sizes.back + 0.55 * sizes.thickness
    start = -(back - 0.5 * depth) + 0.02 * w
    collar = sizes.back - 0.7 * sizes.thickness
    profile = [(0.0, start), (2.4 * a, start), (2.4 * a, collar), (a, collar), (a, reach - 0.2 * a)]
    axle = shells.lathe([*profile, (0.8 * a, reach), (0.0, reach)])
    facing = shells.frame_along((0.0, -1.0, 0.0), (x, 0.0, height))
    parts = [(post, GRAPHITE), (shells.placed(axle, facing), STEEL)]
    if motor:
        parts += _motor(x, back + 0.5 * depth, height, w)
    return parts


def _motor(x: float, y: float, height: float, w: float) -> list[Part]:
    """A drum with a flange on the back of a post."""
    gap = 0.02 * w
    flange = shells.lathe([(0.0, gap), (0.62 * w, gap), (0.62 * w, 0.14 * w), (0.0, 0.14 * w)])
    profile = [(0.0, 0.16 * w), (0.5 * w, 0.16 * w), (0.56 * w, 0.24 * w), (0.56 * w, 1.05 * w), (0.46 * w, 1.15 * w)]
    drum = shells.lathe([*profile, (0.0, 1.15 * w)])
    away = shells.frame_along((0.0, 1.0, 0.0), (x, y, height))
    return [(shells.placed(flange, away), STEEL), (shells.placed(drum, away), BRASS)]


def plate(corners: list[tuple[float, float]], sizes: Sizes, bores: list[float], paint: Paint) -> Part:
    """A plate around places in its plane, with a boss and a bore at each; a hole in the middle where there is room."""
    w, half, rise = sizes.width, 0.5 * sizes.thickness, 0.3 * sizes.thickness
    bosses = [shells.Boss(corner, 0.34 * w, rise, rise, bore) for corner, bore in zip(corners, bores, strict=True)]
    outline = outlines.belt([(corner, 0.46 * w) for corner in corners])
    middle = np.mean(corners, axis=0)
    room = min(_distance(middle, corners[k - 1], corners[k]) for k in range(len(corners)))
    hole = room - 0.12 * w
    apart = min(float(np.linalg.norm(middle - corner)) for corner in np.array(corners)) - 0.34 * w
    if len(corners) > 2 and min(hole, apart) > 0.12 * w:
        bosses.append(shells.Boss((float(middle[0]), float(middle[1])), 0.0, 0.0, 0.0, min(hole, 0.8 * apart)))
    return shells.plate(outline, -half + rise, half - rise, 0.12 * sizes.thickness, bosses), paint


def _distance(point: outlines.Array, a: tuple[float, float], b: tuple[float, float]) -> float:
    """Of a point from the line through two others."""
    way = np.subtract(b, a)
    across = np.subtract(point, a)
    return float(abs(way[0] * across[1] - way[1] * across[0]) / np.linalg.norm(way))
