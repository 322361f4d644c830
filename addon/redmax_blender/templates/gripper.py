# SPDX-License-Identifier: GPL-3.0-or-later
"""A gripper that carries a block from one stand to another: friction at its fingers is all that holds it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..bridge.authoring import gears
from ..bridge.objects import units
from . import damping, gripper_parts, parameters
from .assembly import Assembly, Object, at, scaled, turn
from .gripper_parts import FROM, RAIL, REACH, STAND, TO
from .touching import bumper, touch

NAME = "gripper"
LABEL = "Gripper"
DESCRIPTION = "Add a gripper that carries a block by friction: it slips out where the grip is too weak"
ICON = "VIEW_PAN"

PARAMETERS: dict[str, Any] = {
    "size": parameters.length("Block", "Side of the block; all else follows from it", 0.4, least=1e-3),
    "grip": parameters.factor(
        "Grip",
        "Force with which each finger presses, as a part of the block's weight. It holds where twice this times the "
        "friction is more than one, and somewhat more while the block is lifted",
        1.5,
        most=20.0,
    ),
    "friction": parameters.factor("Friction", "Of fingers and block", 0.5, most=2.0),
    "duration": parameters.seconds("Duration", "Time of the whole journey", 9.0),
    "material": parameters.material("Material", "What the block is made of", "OAK"),
}

OPEN = 0.3
"""Distance of each finger from the block at the start, in sides of the block."""

CLOSING = 0.05
"""Time in which the fingers close, as a part of the duration."""

TWIST = 0.08
"""Lever with which a pad resists the block's turning about it, in sides of the block."""

LIFT, SINK = 0.5, 0.02
"""What opens the fingers, as a part of what presses them; how far they sink into their stops then, as a part of their
way."""

PLAN = {
    "lift": ((0.0, 0.0), (0.14, -1.0), (0.26, -1.0), (0.44, 0.0), (0.62, 0.0), (0.78, -1.0), (0.88, -1.0), (1.0, 0.0)),
    "travel": ((0.0, 0.0), (0.42, 0.0), (0.64, 1.0)),
}
"""Times and places of lift and travel, as parts of the duration and of the way."""

CLOSE, RELEASE = 0.15, 0.8
"""When the fingers begin to close and to open, as parts of the duration."""


def build(
    context: Any,
    *,
    size: float = 0.4,
    grip: float = 1.5,
    friction: float = 0.5,
    duration: float = 9.0,
    material: str = "OAK",
) -> list[Object]:
    """The gantry with the middle of its foot at the 3D cursor. size in Blender units, duration in seconds."""
    made = Assembly(context, LABEL)
    length = units.metres_per_unit(context.scene)
    base = made.body(
        "Gantry", scaled(gripper_parts.gantry(), size), at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED"
    )
    for x, name in ((FROM, "Gantry Stand"), (TO, "Gantry Far Stand")):
        top = np.array([x, 0.0, 0.5 * STAND]) * size
        sides = np.array([gripper_parts.TABLE, gripper_parts.TABLE, STAND]) * size
        bumper(made, name, base, "box", sides, at(top), friction=friction)

    start = np.array([FROM, 0.0, RAIL]) * size
    carriage = made.body("Gripper Carriage", scaled(gripper_parts.carriage(), size), at(start), material="STEEL")
    travel = made.joint(base, carriage, at(start, turn("Y", 0.5 * math.pi)), kind="prismatic", size=0.5 * size)
    sides = np.array([1.0, 0.6, 0.5]) * size
    bumper(made, "Gripper Carriage Skin", carriage, "box", sides, np.eye(4))
    way = {"travel": (TO - FROM) * size, "lift": gripper_parts.DROP * size}
    made.keys(travel, [(duration * t, way["travel"] * s) for t, s in PLAN["travel"]], gentle=True)

    hand = made.body("Gripper Hand", scaled(gripper_parts.hand(), size), at(start), material="STEEL")
    lift = made.joint(carriage, hand, at(start), kind="prismatic", size=0.5 * size)
    made.keys(lift, [(duration * t, way["lift"] * s) for t, s in PLAN["lift"]], gentle=True)

    sides, low = np.array([2.5, 0.34, 0.26]) * size, (gripper_parts.BEAM - 0.13) * size
    bumper(made, "Gripper Beam Skin", hand, "box", sides, at((0.0, 0.0, low)))

    block = scaled(gripper_parts.block(material), size)
    mass = damping.mass(block, material, length)
    force = grip * mass * damping.EARTH
    closing = OPEN * size * length / (CLOSING * duration)
    sliders = []
    for side, name in ((-1.0, "Gripper Left Finger"), (1.0, "Gripper Right Finger")):
        facing = turn("Z", 0.0 if side < 0.0 else math.pi)
        place = start + np.array([side * (0.5 + OPEN), 0.0, -REACH]) * size
        finger = made.body(name, scaled(gripper_parts.finger(), size), at(place, facing), material="ALUMINIUM")
        # A dome touches at one place, so that its force is not shared among corners, which nothing would decide.
        ball = gripper_parts.DOME * size
        pad = bumper(made, f"{name} Pad", finger, "sphere", (2.0 * ball,) * 3, at((-ball, 0.0, 0.0)), friction=friction)
        pad.redmax.surface.torsional_friction = TWIST * size
        # z of the joint points at the block.
        slider = made.joint(
            hand, finger, at(place, facing @ turn("Y", 0.5 * math.pi)), kind="prismatic", size=0.3 * size
        )
        made.damp_joint(slider, force / closing)
        made.push(slider, _grip(duration, force))
        made.soft_stop(slider, LIFT * force / (SINK * OPEN * size * length), 0.0, lower=0.0)
        sliders.append(slider)
    made.objects.append(gears.add_gear(context, sliders, gears.Wishes("GIVEN", ratio=1.0, word="Mimic")))

    stands = at((FROM * size, 0.0, (STAND + 0.5) * size))
    load = made.body("Gripper Block", block, stands, material=material, turns=True)
    touch(load, "box", friction=friction)
    return made.finish(base)


def _grip(duration: float, force: float) -> list[tuple[float, float]]:
    """Keys (s, N) on what presses a finger: open, shut, open."""
    begin, end, ramp = CLOSE * duration, RELEASE * duration, 0.02 * duration
    return [(0.0, 0.0), (begin, 0.0), (begin + ramp, force), (end, force), (end + ramp, -LIFT * force)]
