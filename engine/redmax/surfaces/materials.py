# SPDX-License-Identifier: GPL-3.0-or-later
"""How the materials of two surfaces combine, and presets.

| of a pair | is |
|---|---|
| friction, kinetic friction | the geometric mean of both |
| bounce | the larger one |
| bounce above, rolling and torsional friction | the larger one |

The geometric mean keeps a pair of equal materials as it is, and one surface without friction makes the pair slippery.
What a `SurfacePair` says wins over all of this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from .layout import CLASS, CLASSES, INTS, PAIR, PAIR_OF, PAIRS, SURFACE_INTS

STATIC, KINETIC, BOUNCE, BOUNCE_ABOVE, ROLLING, TORSIONAL, CONVEYOR = range(7)
MATERIAL = 9
"""Numbers of a material in `PackedSurfaces.materials`: those above, the last of them three."""


class Pair(NamedTuple):
    """The material of two surfaces together: friction coefficients, restitution, the speed [m/s] up to which impacts do
    not bounce, and the levers [m] of rolling and torsional friction."""

    friction: float
    kinetic_friction: float
    bounce: float
    bounce_above: float
    rolling_friction: float
    torsional_friction: float


def combined(a: Any, b: Any) -> tuple[float, float, float, float, float, float]:
    """Material of a pair from rows (MATERIAL,) of `PackedSurfaces.materials`, in the order of `Pair`. Kernels compile
    this text."""
    return (
        math.sqrt(a[STATIC] * b[STATIC]),
        math.sqrt(a[KINETIC] * b[KINETIC]),
        max(a[BOUNCE], b[BOUNCE]),
        max(a[BOUNCE_ABOVE], b[BOUNCE_ABOVE]),
        max(a[ROLLING], b[ROLLING]),
        max(a[TORSIONAL], b[TORSIONAL]),
    )


def of_pair(ints: Any, numbers: Any, materials: Any, a: int, b: int) -> tuple[float, float, float, float, float, float]:
    """Material of surfaces a and b together, in the order of `Pair`: what a surface pair says of them, and beside that
    what is combined. Arguments are those of `PackedSurfaces`. Kernels compile this text."""
    friction, kinetic, bounce, bounce_above, rolling, torsional = combined(materials[a], materials[b])
    if ints[CLASSES] > 0:
        first = ints[ints[SURFACE_INTS] + a * INTS + CLASS]
        second = ints[ints[SURFACE_INTS] + b * INTS + CLASS]
        row = ints[ints[PAIR_OF] + first * ints[CLASSES] + second]
        if row >= 0:
            at = ints[PAIRS] + row * PAIR
            friction, kinetic = given(numbers[at], friction), given(numbers[at + 1], kinetic)
            bounce, bounce_above = given(numbers[at + 2], bounce), given(numbers[at + 3], bounce_above)
            rolling, torsional = given(numbers[at + 4], rolling), given(numbers[at + 5], torsional)
    return friction, kinetic, bounce, bounce_above, rolling, torsional


def given(value: float, otherwise: float) -> float:
    """A number of a pair, or another where it is NaN."""
    return otherwise if math.isnan(value) else value


@dataclass(frozen=True)
class Preset:
    """A material by name, against itself. Rolling friction depends on the radius of what rolls, so none is given."""

    name: str
    label: str
    friction: float
    kinetic_friction: float
    bounce: float


PRESETS: tuple[Preset, ...] = (
    Preset("steel", "Steel", 0.74, 0.57, 0.60),
    Preset("oiled_steel", "Steel, oiled", 0.15, 0.06, 0.60),
    Preset("aluminium", "Aluminium", 0.61, 0.47, 0.50),
    Preset("rubber", "Rubber", 1.00, 0.80, 0.75),
    Preset("wood", "Wood", 0.40, 0.20, 0.40),
    Preset("glass", "Glass", 0.94, 0.40, 0.65),
    Preset("ice", "Ice", 0.10, 0.03, 0.20),
    Preset("stone", "Stone, Concrete", 0.65, 0.55, 0.30),
    Preset("plastic", "Plastic (PTFE)", 0.04, 0.04, 0.40),
    Preset("leather", "Leather", 0.60, 0.50, 0.30),
)
"""Friction of steel, oiled metal, wood, glass, ice and PTFE on themselves, aluminium on steel, rubber on concrete, as
in the table of Serway and Jewett, "Physics for Scientists and Engineers", chapter 5. Stone, leather and all bounces are
round numbers within what handbooks report; a bounce depends on shape and speed as much as on the material."""
