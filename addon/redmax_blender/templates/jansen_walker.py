# SPDX-License-Identifier: GPL-3.0-or-later
"""A beast on four of Jansen's legs: one crankshaft drives all of them, friction on the ground takes it along."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import jansen_leg, outlines, parameters, shells
from .assembly import SIDEWAYS, Assembly, Object, Part, at, placed, turn
from .flat_linkage import LAYER, Linkage, Plate
from .jansen_leg import CRANK, A, L
from .linkage_parts import Sizes
from .paint import CONCRETE, GRAPHITE, STEEL, YELLOW
from .planar import Point
from .touching import board, bumper

NAME = "jansen_walker"
LABEL = "Jansen Walker"
DESCRIPTION = "Add a beast that walks over the ground on four legs of Theo Jansen's: keys turn its crankshaft"
ICON = "CON_FOLLOWPATH"

PARAMETERS: dict[str, Any] = {
    "crank": parameters.length("Crank", "Length of the crank; all other lengths follow from it", 0.15),
    "angle": parameters.angle("Crank Angle", "Where the crank of the right legs starts, from level", 0.0),
    "with_motor": parameters.switch("Motor", "Keys turn the crankshaft; without, it sinks to the ground", default=True),
    "turns": parameters.turns("Turns", "How often the crankshaft turns in the time below; backward if negative", 2.0),
    "duration": parameters.seconds("Duration", "How long the crankshaft turns", 6.0),
    "friction": parameters.factor("Friction", "Of the soles on the floor", 0.7, most=1.0),
    "material": parameters.material("Material", "What the bars are made of", "ALUMINIUM"),
}

STRIDE = 147.0
"""How far a turn of the crankshaft takes it, where the crank is 15: two feet one after the other push it along."""

BACK, INWARD, OUTWARD = 18.0, 8.0, 16.0
"""Where the crank is 15: from the middle to the plates of either side; from the middle to the inner ends of its soles,
which lie beyond it; from the plates to their outer ends. Two feet in opposite corners then hold it upright, and soles
of one end never meet: they are half a turn apart."""

SIDES = 48
"""Of the soles: their surfaces are round, and they should look so where they touch."""

LONGEST = 20.0
"""Turns for which there is floor."""


def build(
    context: Any,
    *,
    crank: float = 0.15,
    angle: float = 0.0,
    with_motor: bool = True,
    turns: float = 2.0,
    duration: float = 6.0,
    friction: float = 0.7,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The floor around the 3D cursor; the walker goes along x. Length in Blender units, angle in radians, time in s."""
    unit = crank / CRANK
    w, back = 7.0 * unit, BACK * unit
    sizes = Sizes.of(w)
    sizes = sizes._replace(back=back, front=back + LAYER * sizes.thickness)
    sole = 0.56 * w
    starts = (angle, -angle)  # of the cranks of both sides, each seen from its own: half a turn apart
    low = min(places(crank, start, 0.0)[foot][1] for start in starts for foot in ("foot", "foot far"))
    height = sole - low

    made = Assembly(context, LABEL)
    way = STRIDE * unit * min(abs(turns), LONGEST)
    size = (way + 240.0 * unit, 150.0 * unit, 8.0 * unit)
    floor = board(made, "Floor", size, CONCRETE, friction=friction)
    begin = -0.5 * math.copysign(way, turns) if with_motor else 0.0
    chassis = made.body("Walker", _chassis(sizes, unit), at((begin, 0.0, height)), material="OAK")
    sides = [
        Linkage(
            made,
            chassis,
            sizes,
            places(crank, start, height),
            ("axle", "ground", "ground far") if right else ("ground", "ground far"),
            material,
            at((begin, 0.0, 0.0), turn("Z", 0.0 if right else math.pi)),
        )
        for right, start in zip((True, False), starts, strict=True)
    ]
    plates = [_plates("Right", ("Rear", "Front")), _plates("Left", ("Front", "Rear"))]
    shaft = plates[0][0].name
    across = np.linalg.inv(sides[0].frame_of(plates[0][0])) @ sides[1].frame_of(plates[1][0])
    more = {shaft: [*placed(sides[1].shape(plates[1])[shaft], across), _shaft(sizes)]}
    there: dict[str, Object] = {}
    for side, its in zip(sides, plates, strict=True):
        feet = {
            plate.name: (*side.place_on(plate, plate.pins[-1]), 0.0) for plate in its if plate.name.endswith("Foot")
        }
        bodies = side.add(its, more | {name: _sole(sizes, sole, place, unit) for name, place in feet.items()}, there)
        for name, place in feet.items():
            low, high = -(BACK + INWARD) * unit, OUTWARD * unit
            skin = at((*place[:2], 0.5 * (low + high)))
            size = (2.0 * sole, 2.0 * sole, high - low)
            bumper(made, f"{name} Sole", bodies[name], "cylinder", size, skin, friction=friction)
        there = {shaft: bodies[shaft]}
        hinges = side.connect()
        if with_motor and its is plates[0]:
            made.keys(hinges["axle", shaft], [(0.0, 0.0), (duration, -2.0 * math.pi * turns)])
    return made.finish(floor)


def places(crank: float, angle: float, height: float) -> dict[str, Point]:
    """Pins of both legs of a side on its crank; those of the one to the right are marked as far."""
    near = jansen_leg.pins(crank, angle, (0.0, height))
    far = jansen_leg.pins(crank, math.pi - angle, (0.0, height))
    return near | {f"{pin} far": (-x, z) for pin, (x, z) in far.items()}


def _plates(side: str, ends: tuple[str, str]) -> list[Plate]:
    """All plates of a side, its crank first. ends: what the legs to the left and to the right are called."""
    near, far = (f"Walker {end} {side}" for end in ends)
    return [jansen_leg.crank_plate("Walker"), *jansen_leg.leg_plates(near), *jansen_leg.leg_plates(far, " far", 3)]


def _sole(sizes: Sizes, radius: float, place: Sequence[float], unit: float) -> list[Part]:
    """Round bars to both sides of the tip of a foot."""
    plate = 0.5 * sizes.thickness + shells.GAP * sizes.width
    ends = ((-(BACK + INWARD) * unit, -plate), (plate, OUTWARD * unit))
    bars = [shells.cylinder(radius, low, high, 0.05 * radius, SIDES) for low, high in ends]
    return [(shells.moved(bar, place), GRAPHITE) for bar in bars]


def _shaft(sizes: Sizes) -> Part:
    """Through the chassis, from crank to crank, in the frame of the right one."""
    low, high = -2.0 * sizes.back + 0.5 * sizes.thickness, -0.5 * sizes.thickness
    gap = shells.GAP * sizes.width
    return shells.cylinder(sizes.axle, low + gap, high - gap), STEEL


def _chassis(sizes: Sizes, unit: float) -> list[Part]:
    """A hull between the legs with axles to both sides, about the crankshaft."""
    w, t = sizes.width, sizes.thickness
    half = sizes.back - 0.8 * t
    corners = [((side * A * unit, -L * unit), 0.75 * w) for side in (-1.0, 1.0)]
    corners += [((side * 17.0 * unit, 15.0 * unit), 0.9 * w) for side in (-1.0, 1.0)]
    bore = shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, 1.3 * sizes.axle)
    hull = shells.plate(outlines.belt(corners), -half, half, 0.25 * w, [bore])
    parts: list[Part] = [(shells.placed(hull, at((0.0, 0.0, 0.0), SIDEWAYS)), YELLOW)]
    near, far = half + shells.GAP * w, sizes.back + (LAYER + 0.55) * t
    for x in (-A * unit, A * unit):
        for side in (-1.0, 1.0):
            axle = shells.cylinder(sizes.axle, near, far)
            parts.append((shells.placed(axle, shells.frame_along((0.0, side, 0.0), (x, 0.0, -L * unit))), STEEL))
    return parts
