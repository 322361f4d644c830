# SPDX-License-Identifier: GPL-3.0-or-later
"""An excavator whose cylinders are keyed to dig, swing round and empty the bucket: four loops of hinges and sliders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays
from . import excavator_parts as parts
from . import parameters, planar
from .assembly import Assembly, Object, at, scaled
from .planar import Point

Array = arrays.Array

NAME = "excavator"
LABEL = "Excavator"
DESCRIPTION = "Add an excavator: keys on its three cylinders dig, lift and empty the bucket while the house turns"
ICON = "TOOL_SETTINGS"

PARAMETERS: dict[str, Any] = {
    "boom": parameters.length("Boom", "Length of the boom; all else follows from it", 4.0),
    "reach": parameters.factor("Reach", "How far it stretches out to dig, from 0 to 1", 0.7, most=1.0),
    "slew": parameters.angle("Slew", "How far the house turns to empty the bucket", math.radians(80.0)),
    "cycles": parameters.count("Cycles", "How often it digs in the time below", 1, most=100, soft=5),
    "duration": parameters.seconds("Duration", "Time of all cycles", 9.0),
    "material": parameters.material("Material", "What it is made of", "STEEL"),
}

DECK = 0.27
FOOT, CYLINDER = (0.10, DECK + 0.20), (0.25, DECK + 0.11)
"""Pins of the boom and of its cylinders on the house, from the side."""

KNEE, BELOW, ABOVE = (0.48, 0.13), (0.47, 0.075), (0.42, 0.27)
"""On the boom: its bend, and pins of cylinders below and above it."""

STICK = 0.56
TAIL, MOUNT, ROCKER = (-0.15, 0.05), (0.03, 0.115), (0.44, 0.012)
"""On the stick: pins of the cylinders behind it and on it, and of the rocker."""

STRAPS = (0.135, 0.13)
"""Lengths of the rocker, and of the strap from it to the bucket."""

LUG, MOUTH = (-0.035, 0.095), 0.34
"""On the bucket: the strap's pin, and how far the lip is from its hinge."""


class Pose(NamedTuple):
    """Angles [rad]: of the boom above level; of the stick from the boom; of the bucket's mouth from the stick."""

    boom: float
    stick: float
    bucket: float

    def pins(self) -> dict[str, Point]:
        """Places of all pins, from the side."""
        boom, stick = self.boom, self.boom + self.stick
        tip = planar.along(FOOT, boom, 1.0)
        wrist = planar.along(tip, stick, STICK)
        lug = _on(wrist, stick + self.bucket, LUG)
        rocker = _on(tip, stick, ROCKER)
        elbow = planar.meeting(rocker, STRAPS[0], lug, STRAPS[1])
        return {
            "boom barrel": CYLINDER,
            "boom rod": _on(FOOT, boom, BELOW),
            "stick barrel": _on(FOOT, boom, ABOVE),
            "stick rod": _on(tip, stick, TAIL),
            "bucket barrel": _on(tip, stick, MOUNT),
            "bucket rod": elbow,
            "tip": tip,
            "wrist": wrist,
            "lug": lug,
            "rocker": rocker,
        }

    def lengths(self) -> dict[str, float]:
        """Of the cylinders, from eye to eye."""
        pins = self.pins()
        return {name: math.dist(pins[f"{name} barrel"], pins[f"{name} rod"]) for name in CYLINDERS}


CYLINDERS = ("boom", "stick", "bucket")
RADII = {"boom": (0.042, (-0.105, 0.105)), "stick": (0.042, (0.0,)), "bucket": (0.034, (0.0,))}
"""Of the cylinders' barrels, and how far they lie beside the middle."""


def _degrees(boom: float, stick: float, bucket: float) -> Pose:
    return Pose(math.radians(boom), math.radians(stick), math.radians(bucket))


DIG = (
    (0.00, _degrees(46.0, -110.0, -40.0), 0.0),
    (0.16, _degrees(30.0, -84.0, 0.0), 0.0),
    (0.26, _degrees(15.0, -86.0, -12.0), 0.0),
    (0.42, _degrees(22.0, -122.0, -80.0), 0.0),
    (0.52, _degrees(46.0, -118.0, -100.0), 0.0),
    (0.68, _degrees(50.0, -95.0, -95.0), 1.0),
    (0.78, _degrees(48.0, -82.0, 5.0), 1.0),
    (0.86, _degrees(48.0, -88.0, 0.0), 1.0),
    (1.00, _degrees(46.0, -110.0, -40.0), 0.0),
)
"""A cycle: parts of its time, poses, and how far the house has turned, as a part of its slew."""

FARTHER = 26.0
"""By how many degrees the stick opens more where it reaches out as far as it can."""


def build(
    context: Any,
    *,
    boom: float = 4.0,
    reach: float = 0.7,
    slew: float = math.radians(80.0),
    cycles: int = 1,
    duration: float = 9.0,
    material: str = "STEEL",
) -> list[Object]:
    """The excavator at the 3D cursor. Lengths in Blender units, angles in radians, duration in seconds."""
    poses = _cycle(reach)
    start = poses[0][1]
    pins = start.pins()
    made = Assembly(context, LABEL)
    base = made.body(
        "Excavator Tracks", scaled(parts.undercarriage(DECK), boom), at((0.0, 0.0, 0.0)), material=material,
        root="LOCKED",
    )  # fmt: skip
    turning = at((0.0, 0.0, boom * DECK))
    shape = scaled(parts.house(_down(FOOT), _down(CYLINDER)), boom)
    house = made.body("Excavator House", shape, turning, material=material)
    slewing = made.joint(base, house, turning, kind="revolute", size=0.3 * boom)

    def facing(place: Point, angle: float) -> Array:
        return planar.facing((boom * place[0], boom * place[1]), 0.0, angle)

    def body(name: str, shape: Any, place: Point, angle: float) -> Object:
        return made.body(f"Excavator {name}", scaled(shape, boom), facing(place, angle), material=material)

    def hinge(parent: Object, child: Object, place: Point) -> Object:
        return made.joint(parent, child, facing(place, 0.0), kind="revolute", size=0.07 * boom)

    stick_angle = start.boom + start.stick
    arm = body("Boom", parts.boom(KNEE, BELOW, ABOVE), FOOT, start.boom)
    stick = body("Stick", parts.stick(STICK, TAIL, MOUNT, ROCKER), pins["tip"], stick_angle)
    bucket = body("Bucket", parts.bucket(LUG, MOUTH, 0.36), pins["wrist"], stick_angle + start.bucket)
    rocker_angle = planar.direction(pins["rocker"], pins["bucket rod"])
    rocker = body("Rocker", parts.strap(STRAPS[0], 0.05), pins["rocker"], rocker_angle)
    strap_shape = [*parts.strap(STRAPS[1], 0.061), parts.pin((0.0, 0.0), 0.075)]
    strap = body("Strap", strap_shape, pins["bucket rod"], planar.direction(pins["bucket rod"], pins["lug"]))
    hinge(house, arm, FOOT)
    hinge(arm, stick, pins["tip"])
    hinge(stick, bucket, pins["wrist"])
    hinge(stick, rocker, pins["rocker"])
    hinge(rocker, strap, pins["bucket rod"])
    hinge(bucket, strap, pins["lug"])

    between = {"boom": (house, arm), "stick": (arm, stick), "bucket": (stick, rocker)}
    sliders = {}
    for name, (carrier, moved) in between.items():
        sliders[name] = _add_cylinder(made, name, (carrier, moved), pins, poses, boom, material)
    seconds = [
        ((k + part) * duration / cycles, pose, turned)
        for k in range(cycles)
        for part, pose, turned in (poses if k == 0 else poses[1:])
    ]
    made.keys(slewing, [(time, slew * turned) for time, _pose, turned in seconds])
    for name, slider in sliders.items():
        first = start.lengths()[name]
        made.keys(slider, [(time, boom * (pose.lengths()[name] - first)) for time, pose, _turned in seconds])
    return made.finish(base)


def _cycle(reach: float) -> list[tuple[float, Pose, float]]:
    """The cycle of an excavator that reaches out far or less far, from 0 to 1."""
    more = math.radians(FARTHER) * reach
    return [
        (part, pose._replace(stick=pose.stick + more) if part in (0.16, 0.26) else pose, turned)
        for part, pose, turned in DIG
    ]


def _add_cylinder(
    made: Assembly,
    name: str,
    ends: tuple[Object, Object],
    pins: dict[str, Point],
    poses: Sequence[tuple[float, Pose, float]],
    unit: float,
    material: str,
) -> Object:
    """Barrel and rod between two pins; the joint between them. Its rod is never pulled out of the barrel."""
    radius, depths = RADII[name]
    low, high = pins[f"{name} barrel"], pins[f"{name} rod"]
    lengths = [pose.lengths()[name] for _part, pose, _turned in poses]
    longest, shortest = max(lengths), min(lengths)
    barrel = min(0.52 * longest + 0.02, shortest - 0.05)
    rod = longest - barrel + 0.05
    angle = planar.direction(low, high)
    axes = _axes(angle)
    tube = made.body(
        f"Excavator {name.title()} Barrel", scaled(parts.barrel(barrel, radius, depths), unit), _place(low, axes, unit),
        material=material,
    )  # fmt: skip
    back = _axes(angle + math.pi)
    piston = made.body(
        f"Excavator {name.title()} Rod", scaled(parts.piston(rod, radius, depths), unit), _place(high, back, unit),
        material=material,
    )  # fmt: skip
    glyph = 0.07 * unit
    scaled_low, scaled_high = (planar.facing((unit * p[0], unit * p[1]), 0.0, 0.0) for p in (low, high))
    made.joint(ends[0], tube, scaled_low, kind="revolute", size=glyph)
    sliding = made.joint(tube, piston, _place(low, axes, unit), kind="prismatic", size=2.0 * glyph)
    made.joint(ends[1], piston, scaled_high, kind="revolute", size=glyph)
    return sliding


def _axes(angle: float) -> Array:
    """Axes whose z points along an angle above level [rad], and whose y points to the back."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[s, 0.0, c], [0.0, 1.0, 0.0], [-c, 0.0, s]])


def _place(place: Point, axes: Array, unit: float) -> Array:
    return at((unit * place[0], 0.0, unit * place[1]), axes)


def _on(origin: Point, angle: float, local: Point) -> Point:
    """A place on a part that stands at an angle."""
    return planar.along(planar.along(origin, angle, local[0]), angle + 0.5 * math.pi, local[1])


def _down(place: Point) -> Point:
    """A place on the house, from its own floor."""
    return place[0], place[1] - DECK
