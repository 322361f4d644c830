# SPDX-License-Identifier: GPL-3.0-or-later
"""A four-bar linkage: a crank that turns, a rocker that swings, and a coupler whose point draws a curve."""

import math
from typing import Any

from ..bridge.core.findings import refuse
from . import linkage_parts, parameters, planar, shells, swinging
from .assembly import Assembly, Object, at
from .linkage_parts import Sizes
from .paint import BRASS, IVORY, OAK, ORANGE, STEEL, TEAL

NAME = "four_bar"
LABEL = "Four-Bar"
DESCRIPTION = "Add a four-bar linkage, a closed loop of hinges: keys turn its crank, coupler and rocker follow"
ICON = "MESH_PLANE"

PARAMETERS: dict[str, Any] = {
    "crank": parameters.length("Crank", "Length of the crank from pin to pin", 0.3),
    "coupler": parameters.length("Coupler", "Length of the coupler from pin to pin", 0.9),
    "rocker": parameters.length("Rocker", "Length of the rocker from pin to pin", 0.7),
    "ground": parameters.length("Ground", "Distance between the two fixed pins", 1.0),
    "angle": parameters.angle(
        "Crank Angle", "Where the crank starts, from level; moved to where the links meet", math.radians(60.0)
    ),
    "with_motor": parameters.switch(
        "Motor", "Keys turn the crank, or rock it where the links cannot pass; without, all of it falls", default=True
    ),
    "turns": parameters.turns("Turns", "How often the crank turns, or rocks, in the time below", 5.0),
    "duration": parameters.seconds("Duration", "How long the crank turns", 10.0),
    "material": parameters.material("Material", "What the links are made of", "ALUMINIUM"),
}


def build(
    context: Any,
    *,
    crank: float = 0.3,
    coupler: float = 0.9,
    rocker: float = 0.7,
    ground: float = 1.0,
    angle: float = math.radians(60.0),
    with_motor: bool = True,
    turns: float = 5.0,
    duration: float = 10.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The linkage at the 3D cursor, below its crank. Lengths in Blender units, angle in radians, time in seconds."""
    reach = planar.crank_range(crank, coupler, rocker, ground)
    if reach is None:
        longest = max(crank, coupler, rocker, ground)
        text = f"Links of {crank:g}, {coupler:g}, {rocker:g} and {ground:g} cannot be closed to a loop"
        raise refuse("", text, f"no link may be as long as the others together; shorten the one of {longest:g}")
    start = reach.nearest(angle)
    sizes = Sizes.of(min(0.036 * (crank + coupler + rocker + ground), 0.9 * min(crank, coupler, rocker, 0.5 * ground)))
    w = sizes.width
    height = crank + 2.2 * w
    A, D = (0.0, height), (ground, height)
    B = planar.along(A, start, crank)
    C = planar.meeting(B, coupler, D, rocker)

    made = Assembly(context, LABEL)
    floor = 0.35 * w
    parts = [linkage_parts.slab(-2.4 * w, ground + 2.4 * w, 4.2 * w, floor, OAK)]
    parts += linkage_parts.pedestal(0.0, floor, height, sizes, motor=True)
    parts += linkage_parts.pedestal(ground, floor, height, sizes)
    base = made.body("Four-Bar Base", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")

    pin = (sizes.pin, -0.5 * sizes.thickness, sizes.reach, STEEL)
    turning = planar.facing(A, sizes.back, start)
    arm = swinging.arm(crank, w, sizes.thickness, sizes.bore, sizes.pin_bore, ORANGE)
    first = made.body("Four-Bar Crank", [arm, swinging.pin(crank, *pin)], turning, material=material, turns=True)

    between = planar.facing(B, sizes.front, planar.direction(B, C))
    point = (0.5 * coupler, 0.36 * coupler)
    bores = [sizes.pin_bore, sizes.pin_bore, sizes.pin_bore]
    triangle = linkage_parts.plate([(0.0, 0.0), (coupler, 0.0), point], sizes, bores, IVORY)
    pen = shells.moved(_pen(sizes), (*point, 0.0))
    second = made.body("Four-Bar Coupler", [triangle, (pen, BRASS)], between, material=material, turns=True)

    swing = planar.facing(D, sizes.back, planar.direction(D, C))
    arm = swinging.arm(rocker, w, sizes.thickness, sizes.bore, sizes.pin_bore, TEAL)
    third = made.body("Four-Bar Rocker", [arm, swinging.pin(rocker, *pin)], swing, material=material, turns=True)

    glyph = 1.4 * w
    driven = made.joint(base, first, turning, kind="revolute", size=glyph)
    made.joint(first, second, between, kind="revolute", size=glyph)
    made.joint(base, third, swing, kind="revolute", size=glyph)
    closing = planar.facing(C, sizes.front, planar.direction(D, C))
    made.joint(second, third, closing, kind="revolute", size=glyph)  # the tree has used all bodies: it closes the loop
    if with_motor:
        made.keys(driven, _keys(reach, start, turns, duration))
    return made.finish(base)


def _pen(sizes: Sizes) -> shells.Shell:
    """A pin with a ball at its tip, which draws the coupler's curve."""
    r, low, high = sizes.pin, -0.5 * sizes.thickness, 0.9 * sizes.thickness
    ball = [(1.7 * r * math.sin(a), high + 1.7 * r * (1.0 - math.cos(a))) for a in (0.75, 1.2, 1.6, 2.0, 2.5)]
    top = high + 3.4 * r
    return shells.lathe([(0.0, low), (r, low), (r, high), *ball, (0.0, top)])


def _keys(reach: planar.CrankRange, start: float, turns: float, duration: float) -> list[tuple[float, float]]:
    """Seconds and angles from the start; a crank that cannot turn rocks from one end of its range to the other."""
    if reach.full:
        return [(0.0, 0.0), (duration, 2.0 * math.pi * turns)]
    ends = [reach.nearest(end) - start for end in (reach.high, reach.low)]
    count = max(1, round(abs(turns)))
    step = duration / (2 * count + 1)
    return [(0.0, 0.0), *((step * (k + 1), ends[k % 2]) for k in range(2 * count)), (duration, 0.0)]
