# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's cradle: balls that hang in a row and bounce without loss."""

from typing import Any

import numpy as np

from . import parameters, shells
from .assembly import Assembly, Object, Part, at, new_mesh, turn
from .paint import GRAPHITE, OAK, STEEL
from .touching import bumper

NAME = "cradle"
LABEL = "Newton's Cradle"
DESCRIPTION = "Add balls that hang in a row and pass a knock on"
ICON = "OUTLINER_OB_FORCE_FIELD"

PARAMETERS: dict[str, Any] = {
    "count": parameters.count("Balls", "How many balls hang in the row", 5, least=2, most=50),
    "raised": parameters.count("Raised", "How many balls are raised at the start", 1, least=1, most=49),
    "radius": parameters.length("Radius", "Of a ball", 0.1),
    "length": parameters.length(
        "Length", "From the middle of a ball to the axis that it swings about", 0.8, least=1e-3
    ),
    "angle": parameters.angle("Angle", "By which balls are raised", 0.8, least=0.0, most=1.4),
    "bounce": parameters.factor("Bounce", "Speed after a knock as a part of that before", 1.0, most=1.0),
}

GAP = 1e-3
"""Between neighbouring balls, as a part of their radius: so each knock is one of two balls."""


def build(
    context: Any,
    *,
    count: int = 5,
    raised: int = 1,
    radius: float = 0.1,
    length: float = 0.8,
    angle: float = 0.8,
    bounce: float = 1.0,
) -> list[Object]:
    """The cradle with its foot at the 3D cursor. radius, length: in Blender units."""
    made = Assembly(context, LABEL)
    length = max(length, 1.2 * radius)
    pitch = (2.0 + GAP) * radius
    spread = 0.6 * length
    height = length + 2.5 * radius
    base = made.body(
        "Cradle", _stand(count * pitch, spread, height, radius), at((0, 0, 0)), material="OAK", root="LOCKED"
    )
    top, thin = np.array([0.0, spread, length]), 0.02 * radius
    strings = [shells.rod((0.0, side * thin, 1.02 * radius), top * [1.0, side, 1.0], thin, 6) for side in (-1.0, 1.0)]
    mesh = new_mesh("Cradle Ball", [(shells.ball(radius, points=32), STEEL), *((each, GRAPHITE) for each in strings)])
    for number in range(count):
        axis = np.array([(number - 0.5 * (count - 1)) * pitch, 0.0, height])
        R = turn("Y", angle if number < min(raised, count - 1) else 0.0)
        body = made.body(f"Ball {number + 1}", mesh, at(axis - R @ [0.0, 0.0, length], R), material="STEEL")
        round_ = (2.0 * radius,) * 3
        bumper(made, f"Ball {number + 1} Skin", body, "sphere", round_, np.eye(4), friction=0.0, bounce=bounce)
        made.joint(base, body, at(axis, turn("X", -0.5 * np.pi)), kind="revolute", size=0.6 * radius)
    return made.finish(base)


def _stand(row: float, spread: float, height: float, radius: float) -> list[Part]:
    """A foot, four posts and two bars."""
    thick = 0.22 * radius
    x, y = 0.5 * row + 2.0 * radius, spread + thick
    foot = shells.block((2.0 * x + 2.0 * radius, 2.0 * y + 2.0 * radius, 0.5 * radius), bevel=0.08 * radius)
    parts: list[Part] = [(shells.moved(foot, (0.0, 0.0, 0.25 * radius)), OAK)]
    low, hair = 0.5 * radius * 1.004, 0.004 * radius
    for side in (-1.0, 1.0):
        for end in (-1.0, 1.0):
            post = shells.moved(
                shells.cylinder(thick, low, height - thick - hair, 0.1 * thick), (end * x, side * y, 0.0)
            )
            parts.append((post, STEEL))
        bar = shells.rod((-x - thick, side * y, height), (x + thick, side * y, height), thick, 16)
        parts.append((bar, STEEL))
    return parts
