# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a scissor lift: arms in pairs, a chassis with rails, shoes that slide on them, a platform with a railing.

All lie about the middle plane y = 0. Arms that rise to the right are the outer pair and own the pins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import outlines, shells
from .assembly import Part
from .paint import GRAPHITE, ORANGE, STEEL, YELLOW, Paint
from .planar import facing


class Sizes(NamedTuple):
    """length of an arm from pin to pin; width of its bars; distance of the outer and inner bars from the middle."""

    length: float
    width: float
    thickness: float
    outer: float
    inner: float

    @classmethod
    def of(cls, length: float, breadth: float) -> Sizes:
        width = min(0.075 * length, 0.2 * breadth)
        thickness = 0.4 * width
        outer = 0.5 * breadth - 0.5 * thickness
        return cls(length, width, thickness, outer, outer - 1.35 * thickness)

    @property
    def pin(self) -> float:
        return 0.2 * self.width

    @property
    def clearance(self) -> float:
        """Radius of bores."""
        return 1.1 * self.pin


def _bars(sizes: Sizes, depth: float, paint: Paint) -> list[Part]:
    """Two bars, at `depth` before and behind the middle plane, with bores at both ends and in the middle."""
    w, half, rise = sizes.width, 0.5 * sizes.thickness, 0.22 * sizes.thickness
    outline = outlines.stadium(sizes.length, 0.5 * w, 13)
    places = (-0.5 * sizes.length, 0.0, 0.5 * sizes.length)
    bosses = [shells.Boss((x, 0.0), 0.36 * w, rise, rise, sizes.clearance) for x in places]
    bar = shells.plate(outline, -half + rise, half - rise, 0.1 * sizes.thickness, bosses)
    return [(shells.moved(bar, (0.0, 0.0, side * depth)), paint) for side in (-1.0, 1.0)]


def rod(sizes: Sizes, reach: float) -> shells.Shell:
    """A round bar across the lift, through the origin, along z."""
    return shells.cylinder(sizes.pin, -reach, reach, 0.2 * sizes.pin, 20)


def outer_arm(sizes: Sizes) -> list[Part]:
    """About its middle, x along it, z to the viewer; with its three pins."""
    reach = sizes.outer + 0.85 * sizes.thickness
    pins = [
        (shells.moved(rod(sizes, reach), (x, 0.0, 0.0)), STEEL) for x in (-0.5 * sizes.length, 0.0, 0.5 * sizes.length)
    ]
    return [*_bars(sizes, sizes.outer, ORANGE), *pins]


def inner_arm(sizes: Sizes) -> list[Part]:
    return _bars(sizes, sizes.inner, YELLOW)


def _brackets(sizes: Sizes, x: float, z: float, rise: float) -> list[shells.Shell]:
    """Two lugs inside the bars around a pin at (x, z). rise: from the pin to their foot, below it or above."""
    foot, depth = 0.5 * sizes.width, 0.5 * sizes.thickness
    corner = 0.1 * foot
    edge = rise - math.copysign(corner, rise)
    hole = shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, sizes.clearance)
    outline = outlines.belt([((0.0, 0.0), foot), ((-foot, edge), corner), ((foot, edge), corner)])
    lug = shells.plate(outline, -depth, depth, 0.1 * depth, [hole])
    where = sizes.inner - 1.35 * sizes.thickness
    return [shells.placed(lug, facing((x, z), side * where, 0.0)) for side in (-1.0, 1.0)]


def chassis(sizes: Sizes, left: float, right: float, low: float, height: float) -> list[Part]:
    """From x = left to right with its foot at z = 0 and its deck at `low`; the fixed pins lie at (0, height)."""
    breadth = 2.0 * sizes.outer + 4.0 * sizes.width
    gap = 0.02 * sizes.width
    body = shells.block((right - left, breadth, low - gap), (0.5 * (left + right), 0.0, 0.5 * low), 0.15 * low)
    lugs = _brackets(sizes, 0.0, height, low + gap - height)
    rails = _rails(sizes, 0.3 * right, right - 0.4 * sizes.width, low + gap, 1.0)
    return [(body, GRAPHITE), *((lug, STEEL) for lug in lugs), *((rail, STEEL) for rail in rails)]


def _rails(sizes: Sizes, start: float, end: float, z: float, up: float) -> list[shells.Shell]:
    """Two rails on either side of the middle along which shoes slide; z: their foot; up: 1 or -1."""
    height = 0.22 * sizes.width
    where = sizes.inner - 1.35 * sizes.thickness
    size = (end - start, 0.55 * sizes.thickness, height)
    centre = 0.5 * (start + end), z + 0.5 * up * height
    return [shells.block(size, (centre[0], side * where, centre[1]), 0.1 * height) for side in (-1.0, 1.0)]


def shoe(sizes: Sizes, rise: float, *, with_pin: bool) -> list[Part]:
    """About its pin, world axes: two blocks that slide on rails at z = rise, joined by a pin where it owns one."""
    w, t = sizes.width, sizes.thickness
    where = sizes.inner - 1.35 * t
    gap = 0.02 * w
    slide = rise - math.copysign(0.22 * w + gap, rise)
    eye = ((0.0, 0.0), 0.42 * w)
    base = slide - math.copysign(0.12 * w, slide)
    outline = outlines.belt([eye, ((-0.5 * w, base), 0.12 * w), ((0.5 * w, base), 0.12 * w)])
    hole = shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, sizes.clearance)
    block = shells.plate(outline, -0.5 * t, 0.5 * t, 0.06 * t, [hole])
    parts = [(shells.placed(block, facing((0.0, 0.0), side * where, 0.0)), GRAPHITE) for side in (-1.0, 1.0)]
    if with_pin:
        bar = shells.placed(rod(sizes, sizes.inner + 0.6 * t), facing((0.0, 0.0), 0.0, 0.0))
        parts.append((bar, STEEL))
    return parts


def platform(sizes: Sizes, left: float, right: float, rise: float) -> list[Part]:
    """About its fixed pin, world axes: a deck whose underside is at z = rise, with a railing around it."""
    w, gap = sizes.width, 0.02 * sizes.width
    breadth = 2.0 * sizes.outer + 3.0 * w
    thick = 0.3 * w
    deck = shells.block((right - left, breadth, thick), (0.5 * (left + right), 0.0, rise + gap + 0.5 * thick), 0.1 * w)
    lugs = _brackets(sizes, 0.0, 0.0, rise - gap)
    rails = _rails(sizes, 0.3 * right, right - 0.4 * w, rise - gap, -1.0)
    parts: list[Part] = [(deck, YELLOW), *((lug, STEEL) for lug in lugs), *((rail, STEEL) for rail in rails)]
    pin = shells.placed(rod(sizes, sizes.inner + 0.6 * sizes.thickness), facing((0.0, 0.0), 0.0, 0.0))
    return [*parts, (pin, STEEL), *_railing(left, right, breadth, rise + 2.0 * gap + thick, w)]


def _railing(left: float, right: float, breadth: float, floor: float, w: float) -> list[Part]:
    """Posts at the corners and in the middle, and two closed rings of tube through which they do not pass."""
    tall, r = 5.5 * w, 0.13 * w
    x0, x1, y = left + 0.5 * w, right - 0.5 * w, 0.5 * breadth - 0.45 * w
    length, across = x1 - x0, 2.0 * y
    corner = min(0.6 * w, 0.3 * across)
    ring = outlines.rounded_rectangle(length, across, corner)
    parts: list[Part] = []
    for z in (0.5 * tall, tall):
        path = np.column_stack([ring, np.zeros(len(ring))])
        tube = shells.wire(path, r, 10, closed=True)
        parts.append((shells.moved(tube, (0.5 * (x0 + x1), 0.0, floor + z)), GRAPHITE))
    inside = 2.05 * r
    top = tall + r
    for x in (x0 + corner, 0.5 * (x0 + x1), x1 - corner):
        for side in (-1.0, 1.0):
            post = shells.cylinder(r, 0.0, top, 0.1 * r, 12)
            parts.append((shells.moved(post, (x, side * (y - inside), floor)), GRAPHITE))
    return parts
