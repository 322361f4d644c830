# SPDX-License-Identifier: GPL-3.0-or-later
"""Two links, one on the other: the smallest machine whose motion nobody can foresee."""

import math
from typing import Any

from . import parameters, swinging
from .assembly import Assembly, Object, at
from .paint import MATERIAL, STEEL, TEAL
from .stand import stand

NAME = "double_pendulum"
LABEL = "Double Pendulum"
DESCRIPTION = "Add a double pendulum: two links on hinges whose motion is chaotic"
ICON = "CON_ROTLIKE"

PARAMETERS: dict[str, Any] = {
    "length_1": parameters.length("Upper Length", "Length of the upper link from pin to pin", 0.6),
    "length_2": parameters.length("Lower Length", "From the lower pin to the middle of the weight", 0.6),
    "angle_1": parameters.angle("Upper Angle", "Where the upper link starts, from hanging down", math.radians(110.0)),
    "angle_2": parameters.angle("Lower Angle", "Where the lower link starts, from hanging down", math.radians(150.0)),
    "bob_radius": parameters.length("Weight Radius", "Radius of the weight at the end", 0.09),
    "material": parameters.material("Material", "What the links are made of", "BRASS"),
}


def build(
    context: Any,
    *,
    length_1: float = 0.6,
    length_2: float = 0.6,
    angle_1: float = math.radians(110.0),
    angle_2: float = math.radians(150.0),
    bob_radius: float = 0.09,
    material: str = "BRASS",
) -> list[Object]:
    """The double pendulum at the 3D cursor, its foot there. Lengths in Blender units, angles in radians."""
    bob_radius = min(bob_radius, 0.45 * length_2)
    size = min(0.5 * (length_1 + length_2), 2.0 * length_1, 2.0 * length_2)
    height = length_1 + length_2 + bob_radius + 0.3 * size
    thickness, axle, layer = 0.055 * size, 0.026 * size, 0.085 * size
    width = 0.16 * size
    front = layer + 1.15 * thickness
    made = Assembly(context, LABEL)
    parts = stand(height, 0.13 * size, axle, layer + 0.75 * thickness)
    base = made.body("Double Pendulum Stand", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")

    upper = swinging.hanging((0.0, -layer, height), angle_1)
    link = swinging.arm(length_1, width, thickness, 1.1 * axle, 0.8 * axle, TEAL)
    # The pin is the upper link's and reaches through the bore of the lower one.
    pin = swinging.pin(length_1, 0.72 * axle, -0.5 * thickness, front - layer + 0.6 * thickness, STEEL)
    first = made.body("Upper Link", [link, pin], upper, material=material)

    position = upper[:3, 3] + length_1 * upper[:3, 0]
    position[1] = -front
    lower = swinging.hanging(position, angle_2)
    gap = 0.001 * size
    stem = swinging.stem(length_2 - bob_radius - gap, width, thickness, 0.8 * axle, STEEL)
    bob = swinging.bob(length_2, bob_radius, 0.55 * bob_radius, MATERIAL[material])
    second = made.body("Lower Link", [stem, *bob], lower, material=material)

    made.joint(base, first, upper, kind="revolute", size=0.15 * size)
    made.joint(first, second, lower, kind="revolute", size=0.15 * size)
    return made.finish(base)
