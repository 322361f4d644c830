# SPDX-License-Identifier: GPL-3.0-or-later
"""Peaucellier's inversor: seven bars on hinges whose last pin moves along an exactly straight line."""

import math
from typing import Any

from ..bridge.core.findings import refuse
from . import linkage_parts, parameters, planar
from .assembly import Assembly, Object, at
from .flat_linkage import Linkage, Plate, long_axle
from .linkage_parts import Sizes
from .paint import BRASS, IVORY, OAK, ORANGE, TEAL

NAME = "peaucellier"
LABEL = "Peaucellier Linkage"
DESCRIPTION = (
    "Add Peaucellier's linkage, three loops of hinges: its crank swings, and the last pin draws a straight line"
)
ICON = "IPO_LINEAR"

PARAMETERS: dict[str, Any] = {
    "crank": parameters.length("Crank", "Length of the crank, and distance of the two fixed pins", 0.34),
    "arm": parameters.length("Arm", "Length of the two long arms", 1.0),
    "side": parameters.length("Side", "Length of the four sides of the rhombus", 0.45),
    "swing": parameters.angle(
        "Swing", "How far the crank swings to either side", math.radians(50.0), least=math.radians(1.0), most=1.5
    ),
    "with_motor": parameters.switch("Motor", "Keys swing the crank; without, all of it falls", default=True),
    "swings": parameters.count("Swings", "How often the crank swings to and fro in the time below", 3),
    "duration": parameters.seconds("Duration", "How long the crank swings", 10.0),
    "material": parameters.material("Material", "What the bars are made of", "ALUMINIUM"),
}

TOWARDS_FLAT = 0.02
"""Part of the reach that the rhombus keeps from lying flat."""


def build(
    context: Any,
    *,
    crank: float = 0.34,
    arm: float = 1.0,
    side: float = 0.45,
    swing: float = math.radians(50.0),
    with_motor: bool = True,
    swings: int = 3,
    duration: float = 10.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The linkage at the 3D cursor, its line upright. Lengths in Blender units, angle in radians, time in seconds."""
    swing = min(abs(swing), 1.5)
    near, far = 2.0 * crank * math.cos(0.5 * swing), 2.0 * crank
    product = arm**2 - side**2
    spare = TOWARDS_FLAT * (arm + side)
    if not (side < arm and near > arm - side + spare and product / near < arm + side - spare):
        swung = f"{math.degrees(swing):.0f} degrees"
        text = f"A crank of {crank:g} that swings by {swung} does not fit bars of {arm:g} and {side:g}"
        raise refuse("", text, "swing less, or choose arms of 3, sides of 1.35 and a crank of 1")
    sizes = Sizes.of(min(0.024 * (2.0 * arm + side + crank), 0.5 * side, 0.45 * crank))
    w = sizes.width
    height = arm + 2.4 * w
    O, P, A, D = (0.0, height), (crank, height), (far, height), (product / far, height)
    B, C = planar.meeting(O, arm, A, side), planar.meeting(A, side, O, arm)

    made = Assembly(context, LABEL)
    floor = 0.35 * w
    parts = [linkage_parts.slab(-2.4 * w, D[0] + 3.0 * w, 4.2 * w, floor, OAK)]
    parts += long_axle(O[0], floor, height, sizes, 2)
    parts += long_axle(P[0], floor, height, sizes, 1, motor=True)
    base = made.body("Peaucellier Base", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")

    linkage = Linkage(made, base, sizes, {"O": O, "P": P, "A": A, "B": B, "C": C, "D": D}, ("O", "P"), material)
    linkage.add(
        [
            Plate("Peaucellier Crank", ("P", "A"), 0, ORANGE),
            Plate("Peaucellier Upper Arm", ("O", "B"), 0, TEAL),
            Plate("Peaucellier Lower Arm", ("O", "C"), 1, TEAL),
            Plate("Peaucellier Inner Upper", ("A", "B"), 1, IVORY),
            Plate("Peaucellier Inner Lower", ("A", "C"), 2, IVORY),
            Plate("Peaucellier Outer Upper", ("B", "D"), 2, BRASS),
            Plate("Peaucellier Outer Lower", ("C", "D"), 0, BRASS),
        ]
    )
    hinges = linkage.connect()
    if with_motor:
        step = duration / (2 * swings)
        turns = [(step * (k + 0.5), swing if k % 2 == 0 else -swing) for k in range(2 * swings)]
        made.keys(hinges["P", "Peaucellier Crank"], [(0.0, 0.0), *turns, (duration, 0.0)])
    return made.finish(base)
