# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball on a boom that swings into a wall of bricks."""

from typing import Any

import numpy as np

from . import parameters, shells
from .assembly import Assembly, Object, Part, at, new_mesh, turn
from .paint import CONCRETE, GRAPHITE, RED, STEEL, YELLOW
from .touching import board, bumper, touch

NAME = "wrecking_ball"
LABEL = "Wrecking Ball"
DESCRIPTION = "Add a ball that swings into a wall of bricks"
ICON = "SPHERE"

PARAMETERS: dict[str, Any] = {
    "rows": parameters.count("Rows", "Of bricks, one above the other", 5, least=1, most=50),
    "columns": parameters.count("Columns", "Bricks in a row", 6, least=1, most=50),
    "brick": parameters.length("Brick", "Length of a brick", 0.5),
    "angle": parameters.angle("Angle", "By which the ball is raised", 1.2, least=0.0, most=1.5),
    "friction": parameters.factor("Friction", "Of the bricks", 0.6, most=1.0),
}

DEEP, HIGH = 0.5, 0.5
"""Depth and height of a brick, as parts of its length."""

BOND = 0.125
"""By which every other row is shifted to either side, as a part of a brick: its ends still stand on the row below."""

GAP = 1e-3
"""Between bricks of a row, as a part of their length: they stand on each other, and beside each other."""


def build(
    context: Any,
    *,
    rows: int = 5,
    columns: int = 6,
    brick: float = 0.5,
    angle: float = 1.2,
    friction: float = 0.6,
) -> list[Object]:
    """The wall stands at the 3D cursor. brick: in Blender units."""
    made = Assembly(context, LABEL)
    deep, high = DEEP * brick, HIGH * brick
    wide, tall = columns * brick, rows * high
    radius = 0.45 * max(0.4 * tall, brick)
    length = tall + 3.0 * radius
    hanging = np.array([-0.5 * deep - radius, 0.0, max(0.55 * tall, 1.1 * radius)])
    pivot = hanging + np.array([0.0, 0.0, length])
    size = (2.6 * length, wide + 5.0 * brick, 0.4 * brick)
    gantry = _gantry(pivot, 0.5 * wide + 1.5 * brick, 0.15 * brick)
    base = board(made, "Yard", size, CONCRETE, gantry, friction=friction)
    mesh = new_mesh("Brick", [(shells.block((deep, (1.0 - GAP) * brick, high), bevel=0.02 * brick), RED)])
    for row in range(rows):
        offset = BOND * brick * (-1) ** row if columns > 1 else 0.0
        for column in range(columns):
            y = (column - 0.5 * (columns - 1)) * brick + offset
            body = made.body(
                f"Brick {row + 1}.{column + 1}", mesh, at((0.0, y, (row + 0.5) * high)), material="STONE", turns=True
            )
            touch(body, "box", friction=friction)
    R = turn("Y", angle)
    rod = shells.rod((0.0, 0.0, 1.004 * radius), (0.0, 0.0, length), 0.06 * radius, 12)
    parts: list[Part] = [(shells.ball(radius, points=32), GRAPHITE), (rod, STEEL)]
    ball = made.body("Ball", parts, at(pivot - R @ [0.0, 0.0, length], R), material="STEEL")
    bumper(made, "Ball Skin", ball, "sphere", (2.0 * radius,) * 3, np.eye(4), friction=0.3, bounce=0.1)
    made.joint(base, ball, at(pivot, turn("X", -0.5 * np.pi)), kind="revolute", size=0.5 * radius)
    return made.finish(base)


def _gantry(pivot: Any, half: float, thick: float) -> list[Part]:
    """Two posts beside the wall and a beam across, drawn from the top of the slab."""
    x, _, z = pivot
    hair = 4e-3 * thick
    parts: list[Part] = []
    for side in (-1.0, 1.0):
        post = shells.block((1.4 * thick, 1.4 * thick, z - thick - 2.0 * hair), bevel=0.1 * thick)
        parts.append((shells.moved(post, (x, side * half, 0.5 * (z - thick))), YELLOW))
    beam = shells.block((1.6 * thick, 2.0 * half + 3.0 * thick, 2.0 * thick), bevel=0.1 * thick)
    parts.append((shells.moved(beam, (x, 0.0, z)), YELLOW))
    return parts
