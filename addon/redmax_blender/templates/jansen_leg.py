# SPDX-License-Identifier: GPL-3.0-or-later
"""Jansen's leg: eleven bars whose crank turns evenly while the foot walks along a flat path."""

import math
from typing import Any

from . import linkage_parts, parameters, planar
from .assembly import Assembly, Object, at
from .flat_linkage import Linkage, Plate, long_axle
from .linkage_parts import Sizes
from .paint import BRASS, IVORY, OAK, ORANGE, RED, TEAL
from .planar import Point

NAME = "jansen_leg"
LABEL = "Jansen Leg"
DESCRIPTION = "Add a leg of Theo Jansen's, three loops of hinges: its crank turns, and the foot walks along a flat path"
ICON = "CON_FOLLOWPATH"

PARAMETERS: dict[str, Any] = {
    "crank": parameters.length("Crank", "Length of the crank; all other lengths follow from it", 0.15),
    "angle": parameters.angle("Crank Angle", "Where the crank starts, from level", math.radians(0.0)),
    "with_motor": parameters.switch("Motor", "Keys turn the crank; without, all of it falls", default=True),
    "turns": parameters.turns("Turns", "How often the crank turns in the time below", 4.0),
    "duration": parameters.seconds("Duration", "How long the crank turns", 10.0),
    "material": parameters.material("Material", "What the bars are made of", "ALUMINIUM"),
}

# Jansen's own eleven numbers, with the letters by which they are known; the crank m is 15.
CRANK, A, B, C, D, E, F, G, H, I, J, K, L = 15.0, 38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8


def pins(crank: float, angle: float, axle: Point) -> dict[str, Point]:
    """Places of all pins of a leg that walks to the left of its axle, by name."""
    unit = crank / CRANK
    ground = (axle[0] - A * unit, axle[1] - L * unit)
    tip = planar.along(axle, angle, crank)
    top = planar.meeting(ground, B * unit, tip, J * unit)
    knee = planar.meeting(tip, K * unit, ground, C * unit)
    back = planar.meeting(ground, D * unit, top, E * unit)
    heel = planar.meeting(knee, G * unit, back, F * unit)
    foot = planar.meeting(knee, I * unit, heel, H * unit)
    return {
        "axle": axle,
        "ground": ground,
        "tip": tip,
        "top": top,
        "knee": knee,
        "back": back,
        "heel": heel,
        "foot": foot,
    }


def crank_plate(prefix: str) -> Plate:
    return Plate(f"{prefix} Crank", ("axle", "tip"), 0, ORANGE)


def leg_plates(prefix: str, mark: str = "", rods: int = 1) -> list[Plate]:
    """The six plates of a leg without its crank. mark: behind the names of all pins but the crank's.
    rods: layer of the first of the two rods on the crank."""
    pin = {name: f"{name}{mark}" for name in ("ground", "top", "knee", "back", "heel", "foot")}
    return [
        Plate(f"{prefix} Upper Rod", ("tip", pin["top"]), rods, BRASS),
        Plate(f"{prefix} Lower Rod", ("tip", pin["knee"]), rods + 1, BRASS),
        Plate(f"{prefix} Rocker", (pin["ground"], pin["top"], pin["back"]), 0, TEAL),
        Plate(f"{prefix} Strut", (pin["ground"], pin["knee"]), 1, IVORY),
        Plate(f"{prefix} Link", (pin["back"], pin["heel"]), 1, IVORY),
        Plate(f"{prefix} Foot", (pin["knee"], pin["heel"], pin["foot"]), 0, RED),
    ]


def build(
    context: Any,
    *,
    crank: float = 0.15,
    angle: float = 0.0,
    with_motor: bool = True,
    turns: float = 4.0,
    duration: float = 10.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The leg at the 3D cursor, on a stand. Length in Blender units, angle in radians, time in seconds."""
    unit = crank / CRANK
    sizes = Sizes.of(7.0 * unit)
    w = sizes.width
    height = 1.75 * H * unit
    made = Assembly(context, LABEL)
    places = pins(crank, angle, (0.0, height))
    floor = 0.35 * w
    parts = [linkage_parts.slab(places["ground"][0] - 3.0 * w, 3.0 * w, 4.2 * w, floor, OAK)]
    parts += long_axle(0.0, floor, height, sizes, 1, motor=True)
    parts += long_axle(places["ground"][0], floor, places["ground"][1], sizes, 2)
    base = made.body("Jansen Base", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    linkage = Linkage(made, base, sizes, places, ("axle", "ground"), material)
    linkage.add([crank_plate("Jansen"), *leg_plates("Jansen")])
    hinges = linkage.connect()
    if with_motor:
        made.keys(hinges["axle", "Jansen Crank"], [(0.0, 0.0), (duration, 2.0 * math.pi * turns)])
    return made.finish(base)
