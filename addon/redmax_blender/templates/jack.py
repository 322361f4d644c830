# SPDX-License-Identifier: GPL-3.0-or-later
"""A screw jack: its thread rubs, so that it holds the load when nobody turns it; unless the thread is too steep."""

from __future__ import annotations

import math
from typing import Any

from ..bridge.objects import units
from ..properties import joint as joint_properties
from . import damping, jack_parts, parameters
from .assembly import Assembly, Object, at, scaled

NAME = "jack"
LABEL = "Screw Jack"
DESCRIPTION = "Add a screw jack: turned by keys of a torque it lifts its load, and friction in the thread holds it"
ICON = "MOD_SCREW"

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Height", "Of the jack without its load", 0.5, least=1e-3),
    "lead": parameters.angle(
        "Lead Angle",
        "How steep the thread is. Beyond the angle of friction, the arc tangent of the coefficient, the load turns the "
        "screw back",
        math.radians(6.0),
        least=math.radians(1.0),
        most=math.radians(30.0),
    ),
    "friction": parameters.factor("Friction", "Coefficient of friction in the thread", 0.15, most=1.0),
    "load": parameters.length("Load", "Side of the block that is lifted", 0.32, least=1e-3),
    "turns": parameters.turns("Turns", "How far the screw is turned up before it is turned back", 4.0),
    "duration": parameters.seconds("Duration", "Time to turn it up, and again to turn it back", 3.5),
    "material": parameters.material("Material", "What the load is made of", "STONE"),
}

DRAG = 0.5
"""What grease takes at the speed of turning, as a part of the torque that lifts: without it any torque beyond that
would turn the screw ever faster."""

PAUSE = 0.45
"""Between turning up and back, as a part of the duration: it is held by friction alone."""

RAMP = 0.25
"""Time in which the torque comes and goes, as a part of the duration: slowly, so that the screw does not start and stop
with a jerk."""

TURNING = 1.0 - 2.0 * RAMP + RAMP * DRAG / (1.0 + DRAG)
"""Mean speed over the greatest, as the screw turns only while the torque is more than what lifts."""

STOP = 1.0
"""How far below the start the screw meets its stop [rad]; one that holds comes back to the start alone."""

SOFT = 0.02
"""How far the screw sinks into its stop under the load [rad]."""


def build(
    context: Any,
    *,
    height: float = 0.5,
    lead: float = math.radians(6.0),
    friction: float = 0.15,
    load: float = 0.32,
    turns: float = 4.0,
    duration: float = 3.5,
    material: str = "STONE",
) -> list[Object]:
    """The jack with its foot at the 3D cursor. Lengths in Blender units, lead in radians, duration in seconds."""
    made = Assembly(context, LABEL)
    length = units.metres_per_unit(context.scene)
    radius = jack_parts.THREAD * height
    base = made.body("Jack", scaled(jack_parts.body(), height), at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    nut = at((0.0, 0.0, jack_parts.NUT * height))
    screw_parts = scaled(jack_parts.screw(math.tan(lead)), height)
    screw = made.body("Jack Screw", screw_parts, nut, material="STEEL", turns=True)
    joint = made.joint(base, screw, nut, kind="screw", size=0.5 * height)
    group: Any = joint_properties.own_group(joint.redmax.joint)
    pitch = 2.0 * math.pi * radius * math.tan(lead)
    group.pitch = pitch
    made.rub(joint, friction, radius=radius, height=jack_parts.THICK * height)

    top = at((0.0, 0.0, jack_parts.TOP * height))
    carried = [*scaled(jack_parts.head(), height), *jack_parts.load(load, jack_parts.SADDLE * height)]
    block = made.body("Jack Load", carried, top, material=material)
    made.joint(screw, block, top, kind="revolute", size=0.3 * height)

    weight = damping.EARTH * (damping.mass(carried, material, length) + damping.mass(screw_parts, "STEEL", length))
    lifting = weight * radius * length * math.tan(lead + math.atan(friction))
    lowering = weight * radius * length * max(math.tan(math.atan(friction) - lead), 0.0)
    speed = 2.0 * math.pi * turns / duration / TURNING
    drag = DRAG * max(lifting, weight * radius * length * math.tan(lead)) / max(abs(speed), 1e-6)
    made.damp_joint(joint, drag)
    up, back = drag * abs(speed) + lifting, -lowering - _returning(drag * abs(speed) * TURNING, lowering)
    if turns < 0.0:
        up, back = back, up
    made.push(joint, _profile(duration, up, back))
    sinking = weight * pitch * length / (2.0 * math.pi) / SOFT
    made.soft_stop(joint, sinking, 0.1 * sinking, lower=min(-STOP, 2.2 * math.pi * turns))
    return made.finish(base)


def _returning(mean: float, held: float) -> float:
    """Torque beyond one that is held by friction [N m] that turns the screw as far as `mean` would without ramps.

    A ramp turns it for the part x / (x + held) of its time only, at half the speed: so x is a root of
    (1 - RAMP) x^2 + ((1 - 2 RAMP) held - mean) x = mean held.
    """
    a, b = 1.0 - RAMP, (1.0 - 2.0 * RAMP) * held - mean
    return (-b + math.sqrt(b * b + 4.0 * a * mean * held)) / (2.0 * a)


def _profile(duration: float, up: float, back: float) -> list[tuple[float, float]]:
    """Keys (s, N m) of a torque that turns up, rests and turns back."""
    ramp, found = RAMP * duration, [(0.0, 0.0)]
    for begin, torque in ((0.1 * duration, up), ((1.1 + PAUSE) * duration, back)):
        end = begin + duration
        found += [(begin, 0.0), (begin + ramp, torque), (end - ramp, torque), (end, 0.0)]
    return found
