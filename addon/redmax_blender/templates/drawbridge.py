# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawbridge: a winch hauls a weight down by its chain, and cables over sheaves lift the deck."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..bridge.authoring import gears
from ..bridge.objects import units
from . import damping, lines, parameters, shells
from . import drawbridge_parts as parts
from .assembly import SIDEWAYS, Assembly, Object, at, scaled, turn
from .lines import Elastic, End, Look
from .paint import GRAPHITE

NAME = "drawbridge"
LABEL = "Drawbridge"
DESCRIPTION = "Add a drawbridge: keys turn its winch, which lifts the deck by two cables over sheaves"
ICON = "MOD_BUILD"

PARAMETERS: dict[str, Any] = {
    "deck": parameters.length("Deck", "Length of the deck; all else follows from it", 6.0),
    "opening": parameters.angle(
        "Opening", "How far the deck is raised", math.radians(72.0), least=0.0, most=math.radians(80.0)
    ),
    "weight": parameters.factor(
        "Counterweight", "Size of the weight that the winch hauls, up to one that balances the deck", 0.7, most=1.0
    ),
    "duration": parameters.seconds("Duration", "Time to open, and again to close", 4.0),
    "material": parameters.material("Material", "What the deck is made of", "OAK"),
}

BOUNCE = 5.0
"""Frequency at which the deck bounces on its cables [Hz]."""

BOUNCE_DAMPING = 0.3
"""Of that bounce, as a part of critical damping."""

HEAVY = "CONCRETE"
"""Material of the weight."""

HEIGHTS = (0.04, 0.4)
"""Least and greatest height of the weight, in lengths of the deck."""


def build(
    context: Any,
    *,
    deck: float = 6.0,
    opening: float = math.radians(72.0),
    weight: float = 0.7,
    duration: float = 4.0,
    material: str = "OAK",
) -> list[Object]:
    """The bridge at the 3D cursor, along x. deck in Blender units, opening in radians, duration in seconds."""
    made = Assembly(context, LABEL)
    metre = units.metres_per_unit(context.scene)
    planks = scaled(parts.deck(), deck)
    mass = damping.mass(planks, material, metre)
    inertia = mass * (deck * metre) ** 2 / 3.0
    moment = damping.EARTH * sum(
        damping.mass([part], material, metre) * float(shells.centroid(part[0])[0]) * metre for part in planks
    )
    arm = _arm() * deck * metre
    balancing = moment / arm / damping.EARTH
    high = _height(weight * balancing, deck, metre)
    start = parts.TOP - 0.24
    base = made.body(
        "Drawbridge Frame", scaled(parts.ground(), deck), at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED"
    )
    hinge = at((0.0, 0.0, deck * parts.ROAD))
    bridge = made.body("Drawbridge Deck", planks, hinge, material=material)
    place = at((deck * parts.LINE, 0.0, deck * start))
    block = made.body("Drawbridge Weight", scaled(parts.block(high), deck), place, material=HEAVY)
    axle = at((deck * parts.WINCH[0], 0.0, deck * parts.WINCH[1]), SIDEWAYS)
    winch = made.body("Drawbridge Winch", scaled(parts.winch(), deck), axle, material="STEEL", turns=True)
    # z of the hinge points to the viewer: a positive angle raises the deck.
    swinging = made.joint(base, bridge, at(hinge[:3, 3], SIDEWAYS), kind="revolute", size=0.12 * deck)
    down = at(place[:3, 3], turn("X", math.pi))
    hauling = made.joint(base, block, down, kind="prismatic", size=0.12 * deck)
    turning = made.joint(base, winch, axle, kind="revolute", size=0.12 * deck)
    rack = gears.Wishes("GIVEN", ratio=-parts.DRUM * deck * metre, word="Rack")
    made.objects.append(gears.add_gear(context, [turning, hauling], rack))

    # Both cables together: k arm^2 / I = (2 pi f)^2, and the pull times the arm carries the deck.
    omega = 2.0 * math.pi * BOUNCE
    stiffness = 0.5 * inertia * omega**2 / arm**2
    rest = deck * _cable_length(start) - 0.5 * moment / arm / stiffness / metre
    law = Elastic(stiffness, 2.0 * BOUNCE_DAMPING * stiffness / omega, rest)
    for side, name in ((-1.0, "Near"), (1.0, "Far")):
        ends = [End(body, deck * np.array(point)) for body, point in _course(base, bridge, block, start, side)]
        lines.cable(made, f"Drawbridge {name} Cable", ends, law, Look(GRAPHITE, 0.55))
    made.damp_joint(swinging, 0.02 * inertia)
    hauled = (_lead(0.0) - _lead(opening)) / parts.DRUM
    times = (0.0, duration, 1.4 * duration, 2.4 * duration)
    made.keys(turning, list(zip(times, (0.0, -hauled, -hauled, 0.0), strict=True)), gentle=True)
    return made.finish(base)


def _height(mass: float, deck: float, metre: float) -> float:
    """Of a weight of a mass [kg], as nearly as it fits into the frame, in lengths of the deck."""
    (low, high), (least, most) = HEIGHTS, (damping.mass(scaled(parts.block(h), deck), HEAVY, metre) for h in HEIGHTS)
    return min(max(low + (high - low) * (mass - least) / (most - least), low), high)


def _course(
    base: Object, bridge: Object, block: Object, start: float, side: float
) -> list[tuple[Object, tuple[float, float, float]]]:
    """Bodies and places that a cable runs through, from the deck over its sheave to the weight."""
    y = side * parts.CABLE
    over = [(base, (x, y, z)) for x, z in _over_sheave()]
    return [(bridge, (parts.REACH, y, parts.ROAD + EYE)), *over, (block, (parts.LINE, y, start - 0.015))]


EYE = 0.03 + 0.022 + shells.GAP
"""Height of the deck's eyes over its hinge."""


def _over_sheave() -> list[tuple[float, float]]:
    """Places (x, z) where a cable lies on its sheave, from the front over its top to the back."""
    x, z = parts.AXLE
    r = parts.SHEAVE
    angles = np.radians([40.0, 75.0, 110.0, 145.0, 180.0])
    return [(x + r * math.cos(angle), z + r * math.sin(angle)) for angle in angles]


def _lead(angle: float) -> float:
    """Length of a cable from the deck at an angle to its sheave."""
    c, s = math.cos(angle), math.sin(angle)
    eye = parts.REACH * c - EYE * s, parts.ROAD + parts.REACH * s + EYE * c
    return math.dist(eye, _over_sheave()[0])


def _arm() -> float:
    """Of a cable's pull about the deck's hinge, as it starts: the change of its length per radian."""
    return (_lead(-1e-5) - _lead(1e-5)) / 2e-5


def _cable_length(start: float) -> float:
    points = _over_sheave()
    over = lines.length_of([np.array(point) for point in points])
    return _lead(0.0) + over + math.dist(points[-1], (parts.LINE, start - 0.015))
