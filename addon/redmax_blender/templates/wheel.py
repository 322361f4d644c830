# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel that is thrown with backspin: it slides forward, slips to a halt, and rolls back."""

from typing import Any

import numpy as np

from . import parameters, shells
from .assembly import SIDEWAYS, Assembly, Object, Part, at
from .paint import CONCRETE, GRAPHITE, ORANGE, STEEL
from .touching import board, start, touch

NAME = "wheel"
LABEL = "Slipping Wheel"
DESCRIPTION = "Add a wheel that is thrown with backspin: it slips to a halt and rolls back"
ICON = "MESH_CYLINDER"

PARAMETERS: dict[str, Any] = {
    "radius": parameters.length("Radius", "Of the wheel", 0.4),
    "spin": parameters.turns("Turns per Second", "Of the wheel at the start, against its way", 2.2),
    "speed": parameters.factor("Speed", "Of the throw, as a part of the speed of its rim", 0.45, most=1.0),
    "friction": parameters.factor("Friction", "Of the wheel on the floor", 0.15, most=1.0),
}

SIDES = 96
"""Of the tyre: the surface is round, and the mesh should look so where it touches."""


def build(
    context: Any, *, radius: float = 0.4, spin: float = 2.2, speed: float = 0.45, friction: float = 0.15
) -> list[Object]:
    """The floor around the 3D cursor; the wheel is thrown along x. radius: in Blender units."""
    made = Assembly(context, LABEL)
    long = 30.0 * radius
    base = board(made, "Floor", (long, 3.0 * radius, 0.3 * radius), CONCRETE, friction=friction)
    wheel = made.body("Wheel", _wheel(radius), at((0.12 * long, 0.0, radius), SIDEWAYS), material="RUBBER", turns=True)
    touch(wheel, "cylinder", friction=friction)
    omega = 2.0 * np.pi * spin
    start(wheel, (speed * omega * radius, 0.0, 0.0), (0.0, -omega, 0.0))
    return made.finish(base)


def _wheel(radius: float) -> list[Part]:
    """Tyre, rim, spokes and hub, the axis along z."""
    half, tyre, rim, hub = 0.16 * radius, 0.80 * radius, 0.74 * radius, 0.18 * radius
    hair = 3e-3 * radius
    bevel = 0.05 * radius
    profile = [
        (tyre, -half),
        (radius - bevel, -half),
        (radius, -half + bevel),
        (radius, half - bevel),
        (radius - bevel, half),
        (tyre, half),
    ]
    parts: list[Part] = [(shells.lathe(profile, SIDES), GRAPHITE)]
    ring = [(rim, -0.8 * half), (tyre - hair, -0.8 * half), (tyre - hair, 0.8 * half), (rim, 0.8 * half)]
    parts.append((shells.lathe(ring, SIDES), STEEL))
    parts.append((shells.cylinder(hub, -0.9 * half, 0.9 * half, 0.1 * hub), STEEL))
    for k in range(5):
        angle = 2.0 * np.pi * k / 5.0
        ray = np.array([np.cos(angle), np.sin(angle), 0.0])
        inner, outer = (hub + 2.0 * hair) * ray, (rim - 4.0 * hair) * ray
        parts.append((shells.rod(inner, outer, 0.05 * radius, 10), ORANGE))
    return parts
