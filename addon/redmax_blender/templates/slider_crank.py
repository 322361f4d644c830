# SPDX-License-Identifier: GPL-3.0-or-later
"""A slider-crank: a flywheel, a connecting rod and a piston in its cylinder, as in every engine."""

import math
from typing import Any

from ..bridge.core.findings import refuse
from . import engine_parts, linkage_parts, parameters, planar, shells, swinging
from .assembly import Assembly, Object, at
from .linkage_parts import Sizes
from .paint import OAK, STEEL, TEAL

NAME = "slider_crank"
LABEL = "Slider-Crank"
DESCRIPTION = "Add a slider-crank, a closed loop of hinges and a slider: a flywheel moves a piston"
ICON = "CON_TRANSFORM"

PARAMETERS: dict[str, Any] = {
    "crank": parameters.length("Crank", "From the axle of the flywheel to the pin of the rod", 0.2),
    "rod": parameters.length("Rod", "Length of the connecting rod, longer than the crank", 0.7),
    "bore": parameters.length("Bore", "Diameter of the piston", 0.28),
    "angle": parameters.angle("Crank Angle", "Where the crank starts, from the way to the piston", math.radians(70.0)),
    "with_motor": parameters.switch(
        "Motor", "Keys turn the flywheel; without, it starts at its mean speed and runs freely", default=True
    ),
    "turns": parameters.turns("Turns", "How often the flywheel turns in the time below", 8.0),
    "duration": parameters.seconds("Duration", "How long the flywheel turns", 10.0),
    "material": parameters.material("Material", "What flywheel, rod and piston are made of", "ALUMINIUM"),
}

LEAST_ROD = 1.2
"""Length of the shortest rod, in cranks: a shorter one would stand across the cylinder."""


def build(
    context: Any,
    *,
    crank: float = 0.2,
    rod: float = 0.7,
    bore: float = 0.28,
    angle: float = math.radians(70.0),
    with_motor: bool = True,
    turns: float = 8.0,
    duration: float = 10.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The machine at the 3D cursor, below its axle. Lengths in Blender units, angle in radians, time in seconds."""
    if rod < LEAST_ROD * crank:
        text = f"A rod of {rod:g} is too short for a crank of {crank:g}: it could not pass the middle"
        raise refuse("", text, f"give a rod of at least {LEAST_ROD * crank:g}")
    bore = min(max(bore, 0.4 * crank), 2.0 * rod)
    sizes = Sizes.of(min(0.38 * bore, 0.12 * (rod + crank), 0.9 * crank))
    w, radius = sizes.width, 0.5 * bore
    wheel = crank + 1.1 * w
    height = max(wheel, engine_parts.casing(radius, w)) + 0.9 * w
    A = (0.0, height)
    B = planar.along(A, angle, crank)
    C = (B[0] + math.sqrt(rod**2 - (B[1] - height) ** 2), height)

    made = Assembly(context, LABEL)
    floor = 0.35 * w
    start, end = rod - crank - engine_parts.SKIRT * radius, rod + crank + engine_parts.CROWN * radius
    start = max(start, wheel + 0.2 * w)
    parts = [linkage_parts.slab(-wheel - 0.6 * w, end + 1.4 * w, max(4.2 * w, 2.6 * radius + 2.0 * w), floor, OAK)]
    parts += linkage_parts.pedestal(0.0, floor, height, sizes, motor=True)
    parts += engine_parts.cylinder(start, end, height, floor, radius, sizes)
    base = made.body("Slider-Crank Base", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")

    turning = planar.facing(A, sizes.back, angle)
    disc = engine_parts.flywheel(crank, wheel, sizes)
    pin = swinging.pin(crank, sizes.pin, -0.5 * sizes.thickness, sizes.reach, STEEL)
    first = made.body("Slider-Crank Flywheel", [disc, pin], turning, material=material, turns=True)

    between = planar.facing(B, sizes.front, planar.direction(B, C))
    link = swinging.arm(rod, w, sizes.thickness, sizes.pin_bore, sizes.pin_bore, TEAL)
    second = made.body("Slider-Crank Rod", [link], between, material=material, turns=True)

    sliding = planar.facing(C, sizes.front, 0.0)
    third = made.body("Slider-Crank Piston", engine_parts.piston(radius, sizes), sliding, material=material, turns=True)

    glyph = 1.4 * w
    driven = made.joint(base, first, turning, kind="revolute", size=glyph)
    made.joint(first, second, between, kind="revolute", size=glyph)
    # z of the slider, along which it moves, points to the right.
    outwards = shells.frame_along((1.0, 0.0, 0.0), sliding[:3, 3])
    made.joint(base, third, outwards, kind="prismatic", size=glyph)
    made.joint(second, third, sliding, kind="revolute", size=glyph)  # closes the loop
    if with_motor:
        made.keys(driven, [(0.0, 0.0), (duration, 2.0 * math.pi * turns)])
    else:
        driven.redmax.joint.velocity_angle[0] = 2.0 * math.pi * turns / duration
    return made.finish(base)
