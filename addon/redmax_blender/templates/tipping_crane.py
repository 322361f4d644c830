# SPDX-License-Identifier: GPL-3.0-or-later
"""A crane that stands on its outriggers and tips over them when its trolley takes the load too far out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..bridge.core.findings import refuse
from ..bridge.objects import units
from . import crane_tackle, damping, parameters, shells
from . import tipping_crane_parts as parts
from .assembly import Assembly, Object, Part, at, scaled, turn
from .paint import CONCRETE, MATERIAL
from .tipping_crane_parts import FAR, HEIGHT, NEAR, PAD
from .touching import board, bumper, touch

NAME = "tipping_crane"
LABEL = "Tipping Crane"
DESCRIPTION = "Add a crane on outriggers: it tips when the trolley takes its load too far out"
ICON = "MOD_SKIN"

PARAMETERS: dict[str, Any] = {
    "reach": parameters.length("Reach", "Of the jib; all else follows from it", 10.0, least=1e-3),
    "stance": parameters.factor("Stance", "From outrigger to outrigger, as a part of the reach", 0.5, most=0.9),
    "load": parameters.factor(
        "Load", "Weight of the load, as a part of that which just tips the crane at full reach", 1.25, most=3.0
    ),
    "duration": parameters.seconds("Duration", "Time in which the trolley runs out", 8.0),
    "swing_damping": parameters.factor("Swing Damping", "How quickly the load's swing dies down", 0.1, most=1.0),
    "material": parameters.material("Material", "What the load is made of", "STEEL"),
}

LEAST_STANCE, LEAST_LOAD = 0.25, 0.02

CLEAR = 0.07
"""How high the load hangs over the ground, as a part of the reach."""


def build(
    context: Any,
    *,
    reach: float = 10.0,
    stance: float = 0.5,
    load: float = 1.25,
    duration: float = 8.0,
    swing_damping: float = 0.1,
    material: str = "STEEL",
) -> list[Object]:
    """The crane with its mast over the 3D cursor, the jib along x. reach in Blender units, duration in seconds."""
    stance, load = max(stance, LEAST_STANCE), max(load, LEAST_LOAD)
    made = Assembly(context, LABEL)
    metre = reach * units.metres_per_unit(context.scene)
    ground = (2.7 * reach, 1.2 * reach, 0.04 * reach)
    base = board(made, "Crane Ground", ground, CONCRETE, friction=0.8)

    half = 0.5 * stance
    crane_parts = parts.crane(half)
    own = damping.mass(crane_parts, "STEEL", metre)
    trolley_mass = damping.mass(parts.trolley(), "STEEL", metre)
    tipping = half + 0.5 * PAD  # the outer edge of the front pads
    holding = own * tipping - damping.mass_moment(crane_parts, "STEEL", metre, axis=0) / metre
    hanging = load * (holding - trolley_mass * (FAR - tipping)) / (FAR - tipping)
    side = (hanging / damping.mass(_load(1.0, material), material, metre)) ** (1.0 / 3.0)
    rope = HEIGHT - parts.HOOK - CLEAR - side * (1.0 + parts.SLING)
    if rope < 0.1:
        text = f"A load of {load:g} of what tips the crane is higher than the crane is"
        raise refuse("", text, "choose a smaller load, a narrower stance or a heavier material")

    body = made.body("Tipping Crane", scaled(crane_parts, reach), at((0.0, 0.0, 0.0)), material="STEEL", turns=True)
    for number, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        size = np.array([PAD, PAD, parts.THICK]) * reach
        place = np.array([x * half, y * half, 0.5 * parts.THICK]) * reach
        bumper(made, f"Crane Pad {number + 1}", body, "box", size, at(place), friction=0.8)
    start = np.array([NEAR, 0.0, HEIGHT]) * reach
    trolley = made.body("Crane Trolley", scaled(parts.trolley(), reach), at(start), material="STEEL")
    bumper(
        made,
        "Crane Trolley Skin",
        trolley,
        "box",
        np.array([0.09, 0.08, 0.022]) * reach,
        at((0.0, 0.0, -0.022 * reach)),
    )
    running = made.joint(body, trolley, at(start, turn("Y", 0.5 * math.pi)), kind="prismatic", size=0.05 * reach)
    made.keys(running, [(0.0, 0.0), (duration, (FAR - NEAR) * reach)], gentle=True)
    _hang(
        made,
        trolley,
        start - np.array([0.0, 0.0, parts.HOOK * reach]),
        (rope, side, hanging, swing_damping),
        reach,
        material,
    )
    return made.finish(base)


def _hang(
    made: Assembly, trolley: Object, top: Any, sizes: tuple[float, float, float, float], reach: float, material: str
) -> None:
    """Rope and load below a place on the trolley. sizes: of the rope and of the load's side, in units of the reach,
    what both weigh together [kg], and the damping of the swing."""
    rope, side, hanging, swing = sizes
    metre = reach * units.metres_per_unit(made.context.scene)
    whole = (rope + side) * metre
    shape = scaled(crane_tackle.rope(rope, min(0.005, 0.1 * rope)), reach)
    link = touch(made.body("Tipping Crane Rope", shape, at(top), material="STEEL"), "capsule")
    joint = made.joint(trolley, link, at(top), kind="universal", size=0.03 * reach)
    made.damp_joint(joint, damping.bending(hanging, rope * metre, whole))
    frame = at(top - np.array([0.0, 0.0, rope * reach]))
    load = made.body("Tipping Crane Load", scaled(_load(side, material), reach), frame, material=material)
    joint = made.joint(link, load, frame, kind="universal", size=0.03 * reach)
    made.damp_joint(joint, damping.bending(hanging, side * metre, whole))
    made.damp_body(load, damping.drag(swing, hanging, whole))
    middle = at((0.0, 0.0, -(parts.SLING + 0.5) * side * reach))
    bumper(made, "Crane Load Skin", load, "box", (side * reach,) * 3, middle, friction=0.8)


def _load(side: float, material: str) -> list[Part]:
    """A block on slings, which hangs from the origin."""
    block = shells.block((1.0, 1.0, 1.0), (0.0, 0.0, -parts.SLING - 0.5), 0.03)
    return scaled([(block, MATERIAL[material]), *parts.slings()], side)
