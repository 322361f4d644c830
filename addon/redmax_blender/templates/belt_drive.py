# SPDX-License-Identifier: GPL-3.0-or-later
"""A belt drive: a motor turns a small pulley, a belt with lugs a large one with a fan. One drive moves all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._engine import fields
from ..bridge.authoring import elements
from ..bridge.objects import units
from ..properties import joint as joint_properties
from ..properties.sorts import SORTS
from . import belt_parts as parts
from . import damping, parameters, railway
from .assembly import SIDEWAYS, Assembly, Object, at, scaled

NAME = "belt_drive"
LABEL = "Belt Drive"
DESCRIPTION = "Add a belt drive: a motor turns a fan by a belt, whose lugs run around the pulleys"
ICON = "CON_FOLLOWTRACK"

PARAMETERS: dict[str, Any] = {
    "radius": parameters.length("Radius", "Of the large pulley; all else follows from it", 0.4, least=1e-3),
    "ratio": parameters.factor(
        "Ratio", "Radius of the small pulley, as a part of that of the large one", 0.4, most=1.0
    ),
    "distance": parameters.factor("Distance", "From shaft to shaft, in radii of the large pulley", 3.0, most=10.0),
    "speed": parameters.turns("Turns per Second", "Of the motor", 1.0),
    "start": parameters.seconds("Start", "Time in which the motor brings the fan nearly up to speed", 3.0),
    "lugs": parameters.count("Lugs", "Of the belt", 24, most=100, soft=60),
    "material": parameters.material("Material", "What the fan is made of", "ALUMINIUM"),
}

LEAST_RATIO = 0.2

AIR = 0.6
"""What the fan takes at full speed, as a part of the motor's greatest torque."""

GAIN = 20.0
"""How much of its greatest torque the motor gives for each part of the speed that is missing."""


def build(
    context: Any,
    *,
    radius: float = 0.4,
    ratio: float = 0.4,
    distance: float = 3.0,
    speed: float = 1.0,
    start: float = 3.0,
    lugs: int = 24,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The bench with its middle at the 3D cursor, the belt in the x-z plane. radius in Blender units, start in s."""
    ratio = max(ratio, LEAST_RATIO)
    distance = max(distance, 1.3 * (1.0 + ratio))
    made = Assembly(context, LABEL)
    length = units.metres_per_unit(context.scene)
    metre = radius * length
    spline = parts.course(ratio, distance)
    track = railway.track_along(spline)
    bench = scaled(parts.bench(track, ratio, distance), radius)
    base = made.body("Belt Bench", bench, at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    curve = railway.curve_object(made, "Belt", railway.enlarged(spline, radius), base)

    joints = []
    shapes = (
        ("Belt Motor Pulley", parts.small_pulley(ratio), 0.5 * distance, "STEEL"),
        ("Belt Fan", parts.fan(), -0.5 * distance, material),
    )
    moments = []
    for name, drawn, x, made_of in shapes:
        axle = at(np.array([x, 0.0, parts.AXIS]) * radius, SIDEWAYS)
        shape: Any = scaled(drawn, radius)
        wheel = made.body(name, shape, axle, material=made_of, turns=True)
        joints.append(made.joint(base, wheel, axle, kind="revolute", size=0.4 * radius))
        moments.append(damping.moment(shape, made_of, length, axis=2))
    motor, fan = joints

    lug = scaled(parts.lug(), radius)
    shape = lug
    frames = track.poses(np.arange(lugs) * track.length / lugs)
    bodies = []
    for number, frame in enumerate(frames):
        placed = frame.copy()
        placed[:3, 3] *= radius
        body = made.body(f"Belt Lug {number + 1:0{len(str(lugs))}}", shape, placed, material="RUBBER", turns=True)
        shape = body.data
        bodies.append(body)
    rides = railway.put_on(made, "track", curve, bodies, 0.12 * radius)

    reach = (ratio + 0.5 * parts.THICK) * metre  # radius of the belt's middle, at which it runs
    share = (ratio + 0.5 * parts.THICK) / (1.0 + 0.5 * parts.THICK)
    resisting = moments[0] + moments[1] * share**2 + lugs * damping.mass(lug, "RUBBER", length) * reach**2
    rate = 2.0 * math.pi * speed
    torque = 1.5 * resisting * abs(rate) / start
    made.damp_joint(fan, AIR * torque / max(abs(rate), 1e-9) / share**2)
    _drive_by(motor, rate, torque)
    # Positive turns against the clock for who looks along y, as the belt runs along its curve or against it.
    sense = parts.sense(track)
    followers = [(fan, share), *((ride, sense * reach) for ride in rides)]
    made.objects.append(_add_drive(made, motor, followers, at(np.array([0.0, 0.0, parts.AXIS]) * radius)[:3, 3]))
    return made.finish(base)


def _drive_by(joint: Object, rate: float, torque: float) -> None:
    """A motor that brings a joint to a rate [rad/s] with at most a torque [N m]."""
    settings: Any = joint.redmax.joint
    dof = joint_properties.dofs(settings)[0]
    values = (
        ("motor_target_speed", rate),
        ("motor_speed_gain", GAIN * torque / max(abs(rate), 1e-9)),
        ("motor_maximum", torque),
    )
    for field, value in values:
        joint_properties.set_value(settings, field, dof, math.copysign(min(abs(value), fields.LARGEST), value))
    settings.use_motor, settings.use_motor_maximum = True, True


def _add_drive(made: Assembly, motor: Object, followers: list[tuple[Object, float]], place: Any) -> Object:
    """A drive in which joints follow the motor's by ratios in SI units."""
    joints = [joint for joint, _ratio in followers]
    drive = elements.add(made.context, SORTS["drive"], "", joints, place + made.origin, name="Belt Drive")
    settings: Any = drive.redmax.drive
    settings.inputs.clear()
    settings.followers.clear()
    settings.inputs.add().joint = motor
    for joint, ratio in followers:
        follower = settings.followers.add()
        follower.joint = joint
        follower.ratio[0] = ratio
    return drive
