# SPDX-License-Identifier: GPL-3.0-or-later
"""A scissor lift whose joints all follow one slider: a drive in place of loops."""

import math
from typing import Any

import numpy as np

from ..bridge.authoring import elements
from ..properties.sorts import SORTS
from . import lift_parts, parameters, planar
from .assembly import Assembly, Object, at
from .lift_parts import Sizes

NAME = "driven_lift"
LABEL = "Driven Lift"
DESCRIPTION = "Add a scissor lift without loops: one keyed slider, from 0 to 1, moves all of its joints"
ICON = "MOD_ARRAY"

PARAMETERS: dict[str, Any] = {
    "stages": parameters.count("Stages", "Crossed pairs of arms above each other", 5, most=200, soft=20),
    "arm": parameters.length("Arm", "Length of an arm from pin to pin", 1.2),
    "breadth": parameters.length("Breadth", "Distance between the outer arms", 0.7),
    "angle": parameters.angle(
        "Angle", "Of the arms above level where the slider is 0", math.radians(10.0), least=math.radians(6.0), most=1.2
    ),
    "raised": parameters.angle(
        "Raised Angle", "Of the arms where the slider is 1", math.radians(55.0), least=math.radians(6.0), most=1.2
    ),
    "duration": parameters.seconds("Duration", "Time to rise, and again to come down", 4.0),
    "material": parameters.material("Material", "What arms and platform are made of", "ALUMINIUM"),
}

SHORTEST_TRAVEL = math.radians(0.1)
"""Least angle by which the arms move: where both angles are alike the slider would move nothing."""


def build(
    context: Any,
    *,
    stages: int = 5,
    arm: float = 1.2,
    breadth: float = 0.7,
    angle: float = math.radians(10.0),
    raised: float = math.radians(55.0),
    duration: float = 4.0,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The lift with its chassis at the 3D cursor. Lengths in Blender units, angles in radians, time in seconds."""
    sizes = Sizes.of(arm, breadth)
    w = sizes.width
    dx, dz = 0.5 * arm * math.cos(angle), 0.5 * arm * math.sin(angle)
    floor, rise = 1.1 * w, 0.85 * w
    height = floor + rise
    left, right = -1.6 * w, arm + 1.2 * w
    made = Assembly(context, LABEL)
    base = made.body(
        "Lift Chassis", lift_parts.chassis(sizes, left, right, floor, height), at((0.0, 0.0, 0.0)), material="STEEL",
        root="LOCKED",
    )  # fmt: skip
    joints: list[tuple[Object, float]] = []

    def hinge(parent: Object, child: Object, x: float, z: float, share: float) -> None:
        """share: how often the angle of the arms the hinge turns by."""
        frame = planar.facing((x, z), 0.0, 0.0)
        joints.append((made.joint(parent, child, frame, kind="revolute", size=1.5 * w), share))

    shapes: Any = lift_parts.outer_arm(sizes), lift_parts.inner_arm(sizes)
    before = base
    for k in range(stages):
        number = f"{k + 1:0{len(str(stages))}}"
        low = height + 2 * k * dz
        middle = (dx, low + dz)
        rising = made.body(f"Lift Rising {number}", shapes[0], planar.facing(middle, 0.0, angle), material=material)
        falling = made.body(f"Lift Falling {number}", shapes[1], planar.facing(middle, 0.0, -angle), material=material)
        shapes = rising.data, falling.data
        hinge(before, rising, 0.0, low, 1.0 if k == 0 else 2.0)
        hinge(rising, falling, *middle, -2.0)
        if k == 0:
            foot = lift_parts.shoe(sizes, floor - height, with_pin=True)
            shoe = made.body("Lift Foot", foot, at((2.0 * dx, 0.0, height)), material="STEEL")
            hinge(falling, shoe, 2.0 * dx, height, 1.0)
        before = falling
    top = height + 2 * stages * dz
    deck = lift_parts.platform(sizes, left, right, rise)
    platform = made.body("Lift Platform", deck, at((0.0, 0.0, top)), material=material)
    slide = made.body(
        "Lift Shoe", lift_parts.shoe(sizes, rise, with_pin=False), at((2.0 * dx, 0.0, top)), material="STEEL"
    )
    hinge(before, platform, 0.0, top, 1.0)
    hinge(rising, slide, 2.0 * dx, top, -1.0)
    travel = raised - angle
    if abs(travel) < SHORTEST_TRAVEL:
        travel = SHORTEST_TRAVEL
    t = duration
    slider = ((0.0, 0.0), (t, 1.0), (1.25 * t, 1.0), (2.25 * t, 0.0))
    made.objects.append(_add_drive(made, joints, travel, slider, (dx, 0.5 * (height + top))))
    return made.finish(base)


def _add_drive(
    made: Assembly, joints: list[tuple[Object, float]], travel: float, keys: Any, middle: planar.Point
) -> Object:
    """One slider that turns every joint by its share of a travel [rad] while it goes from 0 to 1."""
    place = np.array([middle[0], 0.0, middle[1]]) + made.origin
    drive = elements.add(
        made.context, SORTS["drive"], "", [joint for joint, _share in joints], place, name="Lift Drive"
    )
    settings: Any = drive.redmax.drive
    settings.inputs.clear()
    settings.followers.clear()
    slider = settings.inputs.add()
    slider.motion_type = "animated"
    made.table_keys(slider, "animation", keys)
    for joint, share in joints:
        follower = settings.followers.add()
        follower.joint = joint
        follower.ratio[0] = share * travel
    return drive
