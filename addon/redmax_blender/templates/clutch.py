# SPDX-License-Identifier: GPL-3.0-or-later
"""A clutch that brings a flywheel up to speed by friction, and a brake whose shoes stop it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..bridge.objects import units
from . import clutch_parts, damping, parameters
from .assembly import Assembly, Object, at, scaled, turn
from .clutch_parts import AXIS, DRUM, GAP_FORK, GAP_SHOE, PADS
from .touching import bumper

NAME = "clutch"
LABEL = "Clutch and Brake"
DESCRIPTION = "Add a clutch that brings a flywheel up to speed by friction, and a brake that stops it"
ICON = "FORCE_MAGNETIC"

PARAMETERS: dict[str, Any] = {
    "radius": parameters.length("Radius", "Of the plates; all else follows from it", 0.4, least=1e-3),
    "speed": parameters.turns("Turns per Second", "Of the driving shaft", 1.5),
    "friction": parameters.factor("Friction", "Of plates and shoes; less of it needs more force", 0.35, most=2.0),
    "engage": parameters.seconds("Engage", "Time in which the clutch brings the flywheel up to speed", 1.5),
    "stop": parameters.seconds("Stop", "Time in which the brake stops the flywheel", 1.0),
    "material": parameters.material("Material", "What the flywheel is made of", "STEEL"),
}

LEAST_FRICTION = 1e-3
"""Friction that forces are computed for where there is less, or none: plates then only slip."""

PLAN = (("clutch", 0.8, 4.6), ("brake", 5.0, 7.4), ("clutch", 8.0, 1e4))
"""What is pressed, from when to when [s]."""

RAMP = 0.04
"""Time in which a force comes and goes [s]."""

LIFT, SINK = 0.2, 0.05
"""What lifts plates and shoes off, as a part of what presses them; how far they sink into their stops then, as a part
of their gap."""

CLOSING = 0.1
"""Time in which plates and shoes come to their work [s]."""


def build(
    context: Any,
    *,
    radius: float = 0.4,
    speed: float = 1.5,
    friction: float = 0.35,
    engage: float = 1.5,
    stop: float = 1.0,
    material: str = "STEEL",
) -> list[Object]:
    """The bench with its middle at the 3D cursor, the shafts along x. radius in Blender units, times in seconds."""
    made = Assembly(context, LABEL)
    length = units.metres_per_unit(context.scene)
    metre = radius * length
    along, back = turn("Y", 0.5 * math.pi), turn("Y", -0.5 * math.pi)
    base = made.body(
        "Clutch Bench", scaled(clutch_parts.bench(), radius), at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED"
    )
    middle = np.array([0.0, 0.0, AXIS * radius])

    driver = made.body("Clutch Driver", scaled(clutch_parts.driver(), radius), at(middle), material="STEEL", turns=True)
    shaft = made.joint(base, driver, at(middle, along), kind="revolute", size=0.5 * radius)
    made.steady(shaft, 2.0 * math.pi * speed)
    face = at(np.array([-0.15, 0.0, 0.0]) * radius, along)
    bumper(made, "Clutch Plate", driver, "cylinder", np.array([2.0, 2.0, 0.3]) * radius, face, friction=friction)

    end = middle + np.array([clutch_parts.FORK, 0.0, 0.0]) * radius
    fork = made.body("Clutch Fork", scaled(clutch_parts.fork(), radius), at(end), material="STEEL")
    pressing = made.joint(base, fork, at(end, back), kind="prismatic", size=0.5 * radius)
    box = np.array([0.3, 0.6, 0.6]) * radius
    bumper(made, "Clutch Collar", fork, "box", box, np.eye(4), friction=friction)
    wheel_parts = scaled(clutch_parts.flywheel(), radius)
    start = at(middle + np.array([GAP_FORK, 0.0, 0.0]) * radius)
    wheel = made.body("Clutch Flywheel", wheel_parts, start, material=material, turns=True)
    made.joint(fork, wheel, at(end, along), kind="revolute", size=0.5 * radius)
    ball = clutch_parts.BALL
    for number in range(3):
        angle = 2.0 * math.pi * number / 3.0
        place = np.array([ball, PADS * math.sin(angle), PADS * math.cos(angle)]) * radius
        size = (2.0 * ball * radius,) * 3
        bumper(made, f"Clutch Pad {number + 1}", wheel, "sphere", size, at(place), friction=friction)
    drum = np.array([2.0 * DRUM, 2.0 * DRUM, clutch_parts.WIDE]) * radius
    place = at(np.array([clutch_parts.BRAKE - GAP_FORK, 0.0, 0.0]) * radius, along)
    bumper(made, "Brake Drum", wheel, "cylinder", drum, place, friction=friction)

    moment = damping.moment(wheel_parts, material, length, axis=0)
    momentum = moment * 2.0 * math.pi * abs(speed) / max(friction, LEAST_FRICTION)
    press = momentum / engage / (PADS * metre)
    made.push(pressing, _times("clutch", press, -LIFT * press))
    _guide(made, pressing, press, GAP_FORK * metre)

    shoe_parts = scaled(clutch_parts.shoe(), radius)
    weight = damping.EARTH * damping.mass(shoe_parts, "STEEL", length)
    grip = 0.5 * momentum / stop / (DRUM * metre)
    mesh: Any = shoe_parts
    for side, name in ((1.0, "Brake Upper Shoe"), (-1.0, "Brake Lower Shoe")):
        facing = turn("X", 0.0 if side > 0.0 else math.pi)
        place_of = middle + np.array([clutch_parts.BRAKE, 0.0, side * (DRUM + GAP_SHOE)]) * radius
        shoe = made.body(name, mesh, at(place_of, facing), material="STEEL")
        mesh = shoe.data
        lining = np.array([clutch_parts.SHOE, 0.2, 0.1]) * radius
        bumper(made, f"{name} Lining", shoe, "box", lining, at((0.0, 0.0, 0.05 * radius)), friction=friction)
        # z of the joint points at the drum, and the force makes up for the weight of the shoe.
        slider = made.joint(base, shoe, at(place_of, facing @ turn("X", math.pi)), kind="prismatic", size=0.4 * radius)
        made.push(slider, _times("brake", grip - side * weight, -LIFT * grip - side * weight))
        _guide(made, slider, grip, GAP_SHOE * metre)
    return made.finish(base)


def _guide(made: Assembly, slider: Object, force: float, gap: float) -> None:
    """Let a slider close its gap [m] in its time, and lean on a stop where it is lifted."""
    made.damp_joint(slider, force * CLOSING / gap)
    stiffness = LIFT * force / (SINK * gap)
    made.soft_stop(slider, stiffness, 0.0, lower=0.0)


def _times(what: str, on: float, off: float) -> list[tuple[float, float]]:
    """Keys (s, N) on the force that presses something while it has to, and lifts it otherwise."""
    found = [(0.0, off)]
    for name, begin, end in PLAN:
        if name == what:
            found += [(begin, off), (begin + RAMP, on), (end, on), (end + RAMP, off)]
    return [(t, force) for t, force in found if t < PLAN[-1][2]]
