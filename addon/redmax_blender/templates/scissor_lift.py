# SPDX-License-Identifier: GPL-3.0-or-later
"""A scissor lift: stages of crossed arms on sliding shoes, one loop for each stage and one for the platform."""

import math
from typing import Any

from . import lift_parts, parameters, planar, shells
from .assembly import Assembly, Object, at
from .lift_parts import Sizes

NAME = "scissor_lift"
LABEL = "Scissor Lift"
DESCRIPTION = "Add a scissor lift, closed loops of hinges and sliders: one shoe pulls, all stages rise"
ICON = "SNAP_EDGE"

PARAMETERS: dict[str, Any] = {
    "stages": parameters.count("Stages", "Crossed pairs of arms above each other", 3, most=200, soft=20),
    "arm": parameters.length("Arm", "Length of an arm from pin to pin", 1.6),
    "breadth": parameters.length("Breadth", "Distance between the outer arms", 0.8),
    "angle": parameters.angle(
        "Angle", "Of the arms above level as it starts", math.radians(14.0), least=math.radians(6.0), most=1.2
    ),
    "raised": parameters.angle(
        "Raised Angle", "Of the arms when it is up", math.radians(48.0), least=math.radians(6.0), most=1.2
    ),
    "with_motor": parameters.switch(
        "Motor", "Keys pull the foot in and let it out; without, the lift falls onto its stop", default=True
    ),
    "duration": parameters.seconds("Duration", "Time to rise, and again to come down", 4.0),
    "material": parameters.material("Material", "What arms and platform are made of", "ALUMINIUM"),
}

FLATTEST, STEEPEST = math.radians(4.0), math.radians(72.0)
"""Angles of the arms at which the stops hold the lift."""


def build(
    context: Any,
    *,
    stages: int = 3,
    arm: float = 1.6,
    breadth: float = 0.8,
    angle: float = math.radians(14.0),
    raised: float = math.radians(48.0),
    with_motor: bool = True,
    duration: float = 4.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The lift with its chassis at the 3D cursor. Lengths in Blender units, angles in radians, time in seconds."""
    sizes = Sizes.of(arm, breadth)
    w = sizes.width
    dx, dz = 0.5 * arm * math.cos(angle), 0.5 * arm * math.sin(angle)
    floor = 1.1 * w
    height = floor + 0.85 * w
    left, right = -1.6 * w, arm + 1.2 * w
    made = Assembly(context, LABEL)
    base = made.body(
        "Lift Chassis", lift_parts.chassis(sizes, left, right, floor, height), at((0.0, 0.0, 0.0)), material="STEEL",
        root="LOCKED",
    )  # fmt: skip
    foot = at((2.0 * dx, 0.0, height))
    shoe: Any = made.body("Lift Foot", lift_parts.shoe(sizes, floor - height, with_pin=True), foot, material="STEEL")
    glyph = 1.5 * w
    # z of the sliders points inwards, to the fixed pins: a positive distance raises the lift.
    pulling = made.joint(base, shoe, shells.frame_along((-1.0, 0.0, 0.0), foot[:3, 3]), kind="prismatic", size=glyph)
    below = (base, shoe)
    shapes: Any = lift_parts.outer_arm(sizes), lift_parts.inner_arm(sizes)
    for k in range(stages):
        number = f"{k + 1:0{len(str(stages))}}"
        middle = (dx, height + (2 * k + 1) * dz)
        rising = made.body(f"Lift Rising {number}", shapes[0], planar.facing(middle, 0.0, angle), material=material)
        falling = made.body(f"Lift Falling {number}", shapes[1], planar.facing(middle, 0.0, -angle), material=material)
        shapes = rising.data, falling.data
        low = middle[1] - dz
        made.joint(below[0], rising, planar.facing((0.0, low), 0.0, 0.0), kind="revolute", size=glyph)
        made.joint(rising, falling, planar.facing(middle, 0.0, 0.0), kind="revolute", size=glyph)
        made.joint(below[1], falling, planar.facing((2.0 * dx, low), 0.0, 0.0), kind="revolute", size=glyph)
        below = (falling, rising)
    _add_platform(made, sizes, below, (dx, height + 2 * stages * dz), (left, right), material)

    joint = pulling.redmax.joint
    joint.lower_distance[0], joint.upper_distance[0] = (_pulled(arm, angle, end) for end in (FLATTEST, STEEPEST))
    joint.use_lower[0] = joint.use_upper[0] = True
    if with_motor:
        up = _pulled(arm, angle, raised)
        made.keys(pulling, [(0.0, 0.0), (duration, up), (1.25 * duration, up), (2.25 * duration, 0.0)])
    return made.finish(base)


def _pulled(arm: float, start: float, angle: float) -> float:
    """How far the shoe has gone in when the arms have an angle."""
    return arm * (math.cos(start) - math.cos(angle))


def _add_platform(
    made: Assembly,
    sizes: Sizes,
    below: tuple[Object, Object],
    pins: tuple[float, float],
    ends: tuple[float, float],
    material: str,
) -> None:
    """The platform hangs from the fixed pins; the other arms slide under it on a shoe. pins: half their distance, z."""
    dx, top = pins
    rise = 0.85 * sizes.width
    deck = at((0.0, 0.0, top))
    platform = made.body("Lift Platform", lift_parts.platform(sizes, ends[0], ends[1], rise), deck, material=material)
    far = at((2.0 * dx, 0.0, top))
    shoe = made.body("Lift Shoe", lift_parts.shoe(sizes, rise, with_pin=False), far, material="STEEL")
    glyph = 1.5 * sizes.width
    made.joint(below[0], platform, planar.facing((0.0, top), 0.0, 0.0), kind="revolute", size=glyph)
    made.joint(below[1], shoe, planar.facing((2.0 * dx, top), 0.0, 0.0), kind="revolute", size=glyph)
    made.joint(platform, shoe, shells.frame_along((-1.0, 0.0, 0.0), far[:3, 3]), kind="prismatic", size=glyph)
