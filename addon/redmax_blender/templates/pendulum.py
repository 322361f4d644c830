# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock-like pendulum on a stand."""

import math
from typing import Any

from . import parameters, swinging
from .assembly import Assembly, Object, at
from .paint import MATERIAL, STEEL
from .stand import stand

NAME = "pendulum"
LABEL = "Pendulum"
DESCRIPTION = "Add a pendulum that swings from a hinge on a stand"
ICON = "MOD_SIMPLEDEFORM"

PARAMETERS: dict[str, Any] = {
    "length": parameters.length("Length", "From the hinge to the middle of the weight", 1.0),
    "angle": parameters.angle("Angle", "Where it starts, measured from hanging straight down", math.radians(60.0)),
    "bob_radius": parameters.length("Weight Radius", "Radius of the weight", 0.14),
    "material": parameters.material("Material", "What the pendulum is made of", "BRASS"),
}


def build(
    context: Any,
    *,
    length: float = 1.0,
    angle: float = math.radians(60.0),
    bob_radius: float = 0.14,
    material: str = "BRASS",
) -> list[Object]:
    """The pendulum at the 3D cursor, its foot there. Lengths in Blender units, angles in radians."""
    bob_radius = min(bob_radius, 0.45 * length)
    size = length
    height = length + bob_radius + 0.22 * size
    thickness, axle = 0.03 * size, 0.016 * size
    layer = 0.05 * size
    made = Assembly(context, LABEL)
    parts = stand(height, 0.075 * size, axle, layer + thickness)
    base = made.body("Pendulum Stand", parts, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    gap = 0.001 * size
    stem = swinging.stem(length - bob_radius - gap, 0.1 * size, thickness, 1.12 * axle, STEEL)
    frame = swinging.hanging((0.0, -layer, height), angle)
    bob = swinging.bob(length, bob_radius, 0.5 * bob_radius, MATERIAL[material])
    arm = made.body("Pendulum Arm", [stem, *bob], frame, material=material)
    made.joint(base, arm, frame, kind="revolute", size=0.12 * size)
    return made.finish(base)
