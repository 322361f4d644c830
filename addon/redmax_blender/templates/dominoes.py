# SPDX-License-Identifier: GPL-3.0-or-later
"""Dominoes along a spiral, the first of which is about to fall."""

from typing import Any

import numpy as np

from . import parameters, shells
from .assembly import Assembly, Object, at, new_mesh, turn
from .paint import IVORY, OAK, ORANGE
from .touching import board, touch

NAME = "dominoes"
LABEL = "Domino Spiral"
DESCRIPTION = "Add dominoes along a spiral, the first of which is about to fall"
ICON = "MOD_ARRAY"

PARAMETERS: dict[str, Any] = {
    "count": parameters.count("Dominoes", "How many dominoes there are", 40, least=2, most=500),
    "height": parameters.length("Height", "Of a domino", 0.3),
    "spacing": parameters.factor("Spacing", "From one to the next, as a part of their height", 0.5, most=0.8),
    "friction": parameters.factor("Friction", "Of dominoes and board", 0.4, most=1.0),
}

WIDTH, THICKNESS = 0.5, 0.16
"""Of a domino, as parts of its height."""

PITCH = 1.4
"""From one round of the spiral to the next, as a part of the height."""

NEAREST = 0.45
"""Least spacing, as a part of the height: the first domino, which is tilted, does not touch the second yet."""

INNERMOST, OUTERMOST = 1.2, 3.0
"""Least radius of the spiral where it ends and where it begins, as parts of the height. In a narrower round dominoes turn
their corners to the first, tilted one."""

TILT = 0.25
"""Of the first domino [rad]: beyond the angle at which it stands on its edge in balance."""


def spiral(count: int, spacing: float, pitch: float, inner: float) -> list[tuple[float, float, float]]:
    """Places (x, y) and directions of points at even distances along a spiral, from its outer end inwards."""

    def radius(angle: float) -> float:
        return inner + pitch * angle / (2.0 * np.pi)

    angles = [0.0]
    while len(angles) < count:
        angles.append(angles[-1] + spacing / radius(angles[-1]))
    found = []
    for angle in reversed(angles):
        r = radius(angle)
        # Along the spiral inwards: against growing angles.
        dx = -(pitch / (2.0 * np.pi) * np.cos(angle) - r * np.sin(angle))
        dy = -(pitch / (2.0 * np.pi) * np.sin(angle) + r * np.cos(angle))
        found.append((r * np.cos(angle), r * np.sin(angle), float(np.arctan2(dy, dx))))
    return found


def build(
    context: Any, *, count: int = 40, height: float = 0.3, spacing: float = 0.5, friction: float = 0.4
) -> list[Object]:
    """The board around the 3D cursor. height: in Blender units; it bounds everything else."""
    made = Assembly(context, LABEL)
    width, thick = WIDTH * height, THICKNESS * height
    apart, inner = max(spacing, NEAREST) * height, INNERMOST * height
    places = spiral(count, apart, PITCH * height, inner)
    missing = OUTERMOST * height - np.hypot(*places[0][:2])
    if missing > 0.0:
        places = spiral(count, apart, PITCH * height, inner + missing)
    reach = max(np.hypot(x, y) for x, y, _ in places) + 1.5 * height
    base = board(made, "Board", (2.0 * reach, 2.0 * reach, 0.3 * height), OAK, friction=friction)
    block = shells.block((thick, width, height), bevel=0.12 * thick)
    meshes = [new_mesh("Domino", [(block, paint)]) for paint in (IVORY, ORANGE)]
    for number, (x, y, direction) in enumerate(places):
        along = turn("Z", direction)
        frame = at((x, y, 0.5 * height), along)
        if number == 0:
            R = along @ turn("Y", TILT)
            edge = np.array([x, y, 0.0]) + along @ np.array([0.5 * thick, 0.0, 0.0])
            frame = at(edge + R @ np.array([-0.5 * thick, 0.0, 0.5 * height]), R)
        mesh = meshes[int(number % 5 == 0)]
        domino = made.body(f"Domino {number + 1:03}", mesh, frame, material="PLASTIC", turns=True)
        touch(domino, "box", friction=friction)
    return made.finish(base)
