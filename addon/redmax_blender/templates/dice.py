# SPDX-License-Identifier: GPL-3.0-or-later
"""Dice that are thrown into a tray."""

from typing import Any

import numpy as np

from .._engine import so3
from . import parameters, shells
from .assembly import Assembly, Object, Part, at, new_mesh, turn
from .paint import GRAPHITE, IVORY, OAK, TEAL
from .touching import board, bumper, start

NAME = "dice"
LABEL = "Dice"
DESCRIPTION = "Add dice that are thrown into a tray"
ICON = "CUBE"

PARAMETERS: dict[str, Any] = {
    "count": parameters.count("Dice", "How many dice are thrown", 5, least=1, most=100),
    "size": parameters.length("Size", "Of a die", 0.1),
    "speed": parameters.factor("Speed", "Of the throw, as a part of the tray's length in half a second", 0.5, most=2.0),
    "seed": parameters.count("Throw", "Every number is another throw", 1, least=0, most=10000),
}

WALL = 0.8
"""Height of the tray's rim, as a part of a die's size."""

SPIN = 12.0
"""Largest rotation per second about each axis [rad/s]."""

PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
FACES = {
    1: np.eye(3),
    6: turn("X", np.pi),
    2: turn("X", 0.5 * np.pi),
    5: turn("X", -0.5 * np.pi),
    3: turn("Y", 0.5 * np.pi),
    4: turn("Y", -0.5 * np.pi),
}
"""By number, the rotation that takes z to the side that shows it: opposite sides add up to seven."""


def build(context: Any, *, count: int = 5, size: float = 0.1, speed: float = 0.5, seed: int = 1) -> list[Object]:
    """The tray around the 3D cursor. size: in Blender units."""
    made = Assembly(context, LABEL)
    rng = np.random.default_rng(seed)
    across = int(np.ceil(np.sqrt(count)))
    long, wide = 6.0 * size + 3.0 * across * size, 4.0 * size + 2.0 * across * size
    base = _tray(made, long, wide, size)
    die = new_mesh("Die", [(shells.block((size, size, size), bevel=0.06 * size), IVORY), *_pips(size)])
    for number in range(count):
        i, j = divmod(number, across)
        place = np.array([-0.5 * long + (1.5 + 1.8 * i) * size, (j - 0.5 * (across - 1)) * 1.8 * size, 3.0 * size])
        place += rng.uniform(-0.15, 0.15, 3) * size
        R = so3.exp(rng.uniform(-1.5, 1.5, 3))
        body = made.body(f"Die {number + 1}", die, at(place, R), material="PLASTIC", turns=True)
        bumper(made, f"Die {number + 1} Skin", body, "box", (size,) * 3, np.eye(4), friction=0.35, bounce=0.4)
        v = np.array([2.0 * speed * long, rng.uniform(-0.2, 0.2) * wide, 0.0])
        start(body, v.tolist(), rng.uniform(-SPIN, SPIN, 3).tolist())
    return made.finish(base)


def _tray(made: Assembly, long: float, wide: float, size: float) -> Object:
    """A board with a rim of four strips, each with a surface of its own."""
    thick, high = 0.4 * size, WALL * size
    hair = 4e-3 * thick
    x, y = 0.5 * (long + thick), 0.5 * (wide + thick)
    strips = [
        ((thick, wide + 2.0 * thick, high), (-x, 0.0, 0.5 * high)),
        ((thick, wide + 2.0 * thick, high), (x, 0.0, 0.5 * high)),
        ((long - 2.0 * hair, thick, high), (0.0, -y, 0.5 * high)),
        ((long - 2.0 * hair, thick, high), (0.0, y, 0.5 * high)),
    ]
    rims = [(shells.block((a, b, c - 2.0 * hair), place, bevel=0.05 * thick), OAK) for (a, b, c), place in strips]
    base = board(made, "Tray", (long + 2.0 * thick, wide + 2.0 * thick, thick), TEAL, rims, friction=0.4)
    for number, (extent, place) in enumerate(strips):
        bumper(made, f"Rim {number + 1}", base, "box", extent, at(place), friction=0.3, bounce=0.3)
    return base


def _pips(size: float) -> list[Part]:
    """Thin discs on the six sides."""
    low, high = 0.5005 * size, 0.506 * size
    found: list[Part] = []
    for number, R in FACES.items():
        for x, y in PIPS[number]:
            disc = shells.moved(
                shells.cylinder(0.085 * size, low, high, points=16), (0.26 * x * size, 0.26 * y * size, 0.0)
            )
            found.append((shells.placed(disc, at((0.0, 0.0, 0.0), R)), GRAPHITE))
    return found
