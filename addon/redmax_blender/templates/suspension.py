# SPDX-License-Identifier: GPL-3.0-or-later
"""A car's wheel on double wishbones with a spring and a damper, on a test rig whose pad lifts it like a bump."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays
from ..bridge.core.findings import refuse
from ..bridge.objects import units
from . import damping, lines, parameters, planar, shells
from . import suspension_parts as parts
from .assembly import SIDEWAYS, Assembly, Object, Part, at, scaled
from .lines import Elastic, End, Look
from .paint import MATERIAL, RED
from .planar import Point

Array = arrays.Array

NAME = "suspension"
LABEL = "Car Suspension"
DESCRIPTION = "Add a wheel on double wishbones with spring and damper: keys push a bump beneath it, and it settles"
ICON = "AUTO"

PARAMETERS: dict[str, Any] = {
    "arm": parameters.length("Wishbone", "Length of the lower wishbone; all else follows from it", 0.36),
    "bump": parameters.length("Bump", "How far the pad lifts the wheel, at most a third of the wishbone", 0.07),
    "bump_time": parameters.seconds("Bump Time", "How long the bump takes, up and down", 0.4),
    "ride": parameters.rate("Ride Frequency", "At which the body bounces on its spring", 1.4, least=0.5, most=4.0),
    "damper": parameters.factor("Damping", "Of the body's bounce, as a part of critical damping", 0.35, most=1.0),
    "material": parameters.material("Material", "What wishbones, upright and rim are made of", "ALUMINIUM"),
}

LIFT = 1.12
"""Height of the pad over the floor, and with it of all places below, in lengths of the lower wishbone."""

P_LOWER: Point = (0.0, LIFT + 0.60)
P_UPPER: Point = (0.20, LIFT + 1.20)
BALL_LOWER: Point = planar.along(P_LOWER, math.radians(-4.0), 1.0)
BALL_UPPER: Point = (0.93, LIFT + 1.17)
AXLE: Point = (1.30, LIFT + parts.TYRE)
TOP: Point = (0.24, LIFT + 2.05)
"""Bushings, balls, the middle of the wheel and the damper's eye on the body, from the front."""

FOOT = 0.62
"""Where the damper stands on the lower wishbone."""

SEATS = (0.2, 0.28)
"""From the damper's upper and lower eye to the ends of its coil."""

GUIDE = (-1.22, 0.42)
"""Where the body's rails are: x, and half their distance."""

TIE_HEIGHT = 0.45
"""Of the tie rod between the lower and the upper bushings and balls: the wheel hardly steers as it moves."""

STEP = 1e-4
"""Change of the lower wishbone's angle [rad] for differences: errors of its square against rounding."""

TYRE_STIFFNESS = 9.0
"""Of the tyre over that of the spring as the wheel feels it, as of cars."""

TYRE_DAMPING = 0.04
"""Of the tyre, as a part of critical damping of what stands on it."""

LARGEST_BUMP = 1.0 / 3.0


def build(
    context: Any,
    *,
    arm: float = 0.36,
    bump: float = 0.07,
    bump_time: float = 0.4,
    ride: float = 1.4,
    damper: float = 0.35,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The wheel on its rig at the 3D cursor. Lengths in Blender units, times in seconds, ride in Hz."""
    if bump > LARGEST_BUMP * arm:
        text = f"A bump of {bump:g} is too high for wishbones of {arm:g}"
        raise refuse("", text, f"make it at most {LARGEST_BUMP * arm:g}")
    made = Assembly(context, LABEL)
    metal = MATERIAL[material]
    tie = _between(P_LOWER, P_UPPER, TIE_HEIGHT), _between(BALL_LOWER, BALL_UPPER, TIE_HEIGHT)
    foot = planar.along(P_LOWER, planar.direction(P_LOWER, BALL_LOWER), FOOT)
    long = math.dist(TOP, foot)
    shapes: dict[str, list[Part]] = {
        "Chassis": parts.chassis(P_LOWER, P_UPPER, TOP, tie[0], GUIDE),
        "Lower Wishbone": parts.wishbone(1.0, parts.SPREAD["lower"], 0.05, metal, FOOT),
        "Upper Wishbone": parts.wishbone(math.dist(P_UPPER, BALL_UPPER), parts.SPREAD["upper"], 0.042, metal),
        "Upright": parts.upright(_from(AXLE, BALL_LOWER), _from(AXLE, BALL_UPPER), tie[1][1] - AXLE[1], metal),
        "Wheel": parts.wheel(metal),
        "Tie Rod": parts.tie_rod(math.dist(*tie)),
        "Damper Tube": parts.damper_tube(0.66 * long, SEATS[0]),
        "Damper Rod": parts.damper_rod(0.72 * long, SEATS[1]),
    }
    shapes = {name: scaled(shape, arm) for name, shape in shapes.items()}
    tall = P_UPPER[1] + 0.9
    pad_at = (AXLE[0], 0.0, LIFT)
    rig = scaled(parts.rig(GUIDE, tall, (AXLE[0], 0.17), LIFT - 0.45), arm)
    base = made.body("Suspension Rig", rig, at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    pad = made.body("Suspension Pad", scaled(parts.pad(0.17, 0.85), arm), _at(pad_at, arm), material="STEEL")
    pushing = made.joint(base, pad, _at(pad_at, arm), kind="prismatic", size=0.3 * arm)
    half = 0.5 * bump_time
    made.keys(pushing, [(0.0, 0.0), (0.5, 0.0), (0.5 + half, bump), (0.5 + 2.0 * half, 0.0)])

    slope = planar.direction(TOP, foot)
    frames = {
        "Chassis": _at((0.0, 0.0, 0.0), arm),
        "Lower Wishbone": _along(P_LOWER, BALL_LOWER, arm),
        "Upper Wishbone": _along(P_UPPER, BALL_UPPER, arm),
        "Upright": _at((AXLE[0], 0.0, AXLE[1]), arm),
        "Wheel": _at((AXLE[0], 0.0, AXLE[1]), arm) @ shells.frame_along((1.0, 0.0, 0.0)),
        "Tie Rod": _along(*tie, arm, parts.TIE),
        "Damper Tube": _at((TOP[0], 0.0, TOP[1]), arm) @ shells.frame_along((math.cos(slope), 0.0, math.sin(slope))),
        "Damper Rod": _at((foot[0], 0.0, foot[1]), arm) @ shells.frame_along((-math.cos(slope), 0.0, -math.sin(slope))),
    }
    kinds = dict.fromkeys(("Lower Wishbone", "Upper Wishbone", "Upright", "Wheel"), material)
    body = {
        name: made.body(
            f"Suspension {name}", shape, frames[name], material=kinds.get(name, "STEEL"), turns=name == "Wheel"
        )
        for name, shape in shapes.items()
    }
    glyph = 0.2 * arm

    def hang(parent: Object, child: str, frame: Array, kind: str) -> Object:
        return made.joint(parent, body[child], frame, kind=kind, size=glyph)

    hang(base, "Chassis", _at((GUIDE[0], 0.0, P_UPPER[1]), arm), "prismatic")
    for name in ("Lower Wishbone", "Upper Wishbone"):
        hang(body["Chassis"], name, _sideways(frames[name]), "revolute")
    hang(body["Lower Wishbone"], "Upright", _at((BALL_LOWER[0], 0.0, BALL_LOWER[1]), arm), "spherical")
    hang(body["Upper Wishbone"], "Upright", _at((BALL_UPPER[0], 0.0, BALL_UPPER[1]), arm), "spherical")
    bearing = hang(body["Upright"], "Wheel", frames["Wheel"], "revolute")
    hang(body["Chassis"], "Tie Rod", _across(frames["Tie Rod"]), "universal")
    hang(body["Tie Rod"], "Upright", _at((tie[1][0], parts.TIE, tie[1][1]), arm), "spherical")
    hang(body["Chassis"], "Damper Tube", frames["Damper Tube"], "universal")
    sliding = hang(body["Damper Tube"], "Damper Rod", frames["Damper Tube"], "prismatic")
    hang(body["Lower Wishbone"], "Damper Rod", frames["Damper Rod"], "spherical")

    metre = units.metres_per_unit(context.scene)
    masses = {name: damping.mass(shape, kinds.get(name, "STEEL"), metre) for name, shape in shapes.items()}
    unit = arm * metre
    strut = _balance(masses, ride, damper, unit)
    made.damp_joint(sliding, strut.damping)
    made.damp_joint(bearing, 0.02 * masses["Wheel"] * unit**2)
    way = np.array([math.cos(slope), 0.0, math.sin(slope)])
    top, low = np.array([TOP[0], 0.0, TOP[1]]), np.array([foot[0], 0.0, foot[1]])
    ends = End(body["Damper Tube"], arm * (top + SEATS[0] * way)), End(body["Damper Rod"], arm * (low - SEATS[1] * way))
    law = Elastic(strut.stiffness, 0.0, strut.rest / metre - (SEATS[0] + SEATS[1]) * arm)
    lines.spring(made, "Suspension Spring", ends, law, Look(RED, 1.3, 7.0))
    _stand_on_tyre(made, pad, body["Wheel"], arm, sum(masses.values()), strut.wheel_rate)
    return made.finish(base)


def _stand_on_tyre(made: Assembly, pad: Object, wheel: Object, arm: float, mass: float, rate: float) -> None:
    """A spring from the pad to the middle of the wheel, squeezed by the weight on it. rate: of the spring at the wheel
    [N/m]. mass: on it [kg]."""
    stiffness = TYRE_STIFFNESS * rate
    sunk = mass * damping.EARTH / stiffness / units.metres_per_unit(made.context.scene)
    law = Elastic(stiffness, 2.0 * TYRE_DAMPING * math.sqrt(stiffness * mass), parts.TYRE * arm + sunk)
    ends = End(pad, arm * np.array([AXLE[0], 0.0, LIFT])), End(wheel, arm * np.array([AXLE[0], 0.0, AXLE[1]]))
    lines.spring(made, "Suspension Tyre", ends, law)


class _Strut(NamedTuple):
    """Of spring and damper [N/m, N s/m]; rest: distance of the damper's eyes without a load [m]; the spring's stiffness
    as the wheel feels it [N/m]."""

    stiffness: float
    damping: float
    rest: float
    wheel_rate: float


def _balance(masses: dict[str, float], ride: float, damper: float, unit: float) -> _Strut:
    """The strut on which the body stands as modelled and bounces at a frequency. unit: the lower wishbone [m].

    With the wheel's height given, the weights do the work -V' and the strut the work -k (s - rest) s' as the lower
    wishbone turns by an angle: rest = s + V' / (k s'). At the wheel it has the stiffness k (s' / h')^2, h its height.
    """
    start = planar.direction(P_LOWER, BALL_LOWER)

    def slope(of: Callable[[float], float]) -> float:
        return (of(start + STEP) - of(start - STEP)) / (2.0 * STEP)

    def weights(angle: float) -> float:
        pose = _Pose.of(angle)
        return sum(mass * (pose.heights[name] - pose.axle) for name, mass in masses.items())

    height = slope(lambda angle: _Pose.of(angle).axle)
    length = slope(lambda angle: _Pose.of(angle).strut)
    load = damping.EARTH * slope(weights)
    sprung = masses["Chassis"] + 0.5 * (masses["Lower Wishbone"] + masses["Upper Wishbone"])
    omega = 2.0 * math.pi * ride
    rate = sprung * omega**2
    ratio = (height / length) ** 2
    stiffness = rate * ratio
    rest = _Pose.of(start).strut * unit + load / (stiffness * length)
    return _Strut(stiffness, 2.0 * damper * omega * sprung * ratio, rest, rate)


class _Pose(NamedTuple):
    """How the suspension stands in the frame of the body, in lengths of the lower wishbone: heights of the axle and of
    centres of mass, and the distance of the damper's eyes."""

    axle: float
    heights: dict[str, float]
    strut: float

    @classmethod
    def of(cls, angle: float) -> _Pose:
        """angle: of the lower wishbone [rad]."""
        lower = planar.along(P_LOWER, angle, 1.0)
        reach, post = math.dist(P_UPPER, BALL_UPPER), math.dist(BALL_LOWER, BALL_UPPER)
        upper = planar.meeting(P_UPPER, reach, lower, post)
        lean = planar.direction(lower, upper) - planar.direction(BALL_LOWER, BALL_UPPER)
        away = math.dist(BALL_LOWER, AXLE)
        axle = planar.along(lower, planar.direction(BALL_LOWER, AXLE) + lean, away)[1]
        foot = planar.along(P_LOWER, angle, FOOT)
        way = planar.direction(TOP, foot)
        strut = math.dist(TOP, foot)
        heights = {
            "Chassis": 0.0,
            "Lower Wishbone": 0.5 * (P_LOWER[1] + lower[1]),
            "Upper Wishbone": 0.5 * (P_UPPER[1] + upper[1]),
            "Upright": axle,
            "Wheel": axle,
            "Tie Rod": 0.5 * (lower[1] + P_LOWER[1]),
            "Damper Tube": 0.35 * strut * math.sin(way),
            "Damper Rod": foot[1] - 0.35 * strut * math.sin(way),
        }
        return cls(axle, heights, strut)


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _from(origin: Point, place: Point) -> Point:
    return place[0] - origin[0], place[1] - origin[1]


def _at(place: tuple[float, float, float], arm: float) -> Array:
    return at(arm * np.array(place))


def _along(start: Point, end: Point, arm: float, depth: float = 0.0) -> Array:
    """A frame whose x points from one place to another, and whose y points to the back."""
    angle = planar.direction(start, end)
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return at(arm * np.array([start[0], depth, start[1]]), axes)


def _sideways(frame: Array) -> Array:
    """The frame of a hinge about the y of a part."""
    return at(frame[:3, 3], frame[:3, :3] @ SIDEWAYS)


def _across(frame: Array) -> Array:
    """The frame of a universal joint whose axes lie across the x of a part."""
    axes = frame[:3, :3] @ np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return at(frame[:3, 3], axes)
