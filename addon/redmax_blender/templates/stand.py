# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand that pendulums hang from: a foot, a post behind the plane of motion, and an axle."""

from __future__ import annotations

from . import outlines, shells
from .assembly import Part
from .paint import GRAPHITE, OAK, STEEL


def stand(height: float, depth: float, axle_radius: float, axle_length: float) -> list[Part]:
    """A stand whose foot is at z = 0 and whose axle lies at `height`, from y = 0 towards -y (the viewer).

    depth: thickness of the post [same unit as all].
    """
    width = 0.55 * height
    foot = 0.05 * height
    bevel = min(0.1 * foot, 0.08 * depth)
    post = 0.55 * depth
    back = 0.5 * depth

    def outline(x: float, y: float, radius: float) -> outlines.Array:
        shape = outlines.rounded_rectangle(x, y, radius)
        shape[:, 1] += back
        return shape

    slab = outline(width, 0.5 * width, 0.06 * width)
    top = height + 2.2 * axle_radius
    base = shells.prism(slab, 0.0, foot, bevel)
    column = shells.loft(
        [
            (outline(1.9 * depth, depth, 0.3 * depth), foot + shells.GAP * height),
            (outline(1.9 * depth, depth, 0.3 * depth), foot + 0.03 * height),
            (outline(1.25 * depth, depth, 0.3 * depth), foot + 0.12 * height),
            (outline(1.0 * depth, depth, 0.3 * depth), top - bevel),
            (outline(1.0 * depth - 2 * bevel, depth - 2 * bevel, 0.3 * depth - bevel), top),
        ]
    )
    gap = 0.02 * depth
    axle = shells.lathe(
        [
            (0.0, gap),
            (2.0 * axle_radius, gap),
            (2.0 * axle_radius, post * 0.5),
            (axle_radius, post * 0.5),
            (axle_radius, axle_length - 0.2 * axle_radius),
            (0.8 * axle_radius, axle_length),
            (0.0, axle_length),
        ]
    )
    facing = shells.frame_along((0.0, -1.0, 0.0), (0.0, 0.0, height))
    return [(base, OAK), (column, GRAPHITE), (shells.placed(axle, facing), STEEL)]
