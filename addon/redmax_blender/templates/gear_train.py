# SPDX-License-Identifier: GPL-3.0-or-later
"""A gear train as in a clock: each pinion drives a wheel on the next arbor, which turns more slowly."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from ..bridge.authoring import gears
from . import gear_wheels, outlines, parameters, planar, shells, swinging
from .assembly import Assembly, Object, Part, at
from .paint import BRASS, GRAPHITE, OAK, RED, STEEL

NAME = "gear_train"
LABEL = "Gear Train"
DESCRIPTION = (
    "Add a train of gears: the first arbor is turned by keys, each next one turns more slowly, the last has a hand"
)
ICON = "PREFERENCES"

PARAMETERS: dict[str, Any] = {
    "stages": parameters.count("Stages", "Pairs of pinion and wheel", 3, most=20, soft=6),
    "wheel_teeth": parameters.count("Wheel Teeth", "Teeth of the large wheels", 40, least=8, most=200, soft=80),
    "pinion_teeth": parameters.count("Pinion Teeth", "Teeth of the small wheels", 12, least=6, most=200, soft=20),
    "module": parameters.length("Module", "Size of a tooth: a wheel's diameter over its number of teeth", 0.01),
    "with_motor": parameters.switch(
        "Motor", "Keys turn the first arbor; without, the train stands still", default=True
    ),
    "turns": parameters.turns("Turns", "How often the first arbor turns in the time below", 18.0),
    "duration": parameters.seconds("Duration", "How long it turns", 10.0),
    "material": parameters.material("Material", "What the wheels are made of", "BRASS"),
}

LEAN = math.radians(35.0)
"""Arbors go up and down by this angle in turn, so that the train stays short."""


def build(
    context: Any,
    *,
    stages: int = 3,
    wheel_teeth: int = 40,
    pinion_teeth: int = 12,
    module: float = 0.01,
    with_motor: bool = True,
    turns: float = 18.0,
    duration: float = 10.0,
    material: str = "BRASS",
) -> list[Object]:
    """The train at the 3D cursor. Lengths in Blender units, time in seconds."""
    apart = 0.5 * (wheel_teeth + pinion_teeth) * module
    reach = 0.5 * (max(wheel_teeth, pinion_teeth) + 4.0) * module
    thickness = min(4.0 * module, 0.3 * apart)
    bore = 0.25 * (min(pinion_teeth, wheel_teeth) - 2.5) * module
    lowest = reach + 3.0 * thickness
    places = [(0.0, lowest)]
    for k in range(stages):
        places.append(planar.along(places[-1], LEAN if k % 2 == 0 else -LEAN, apart))
    made = Assembly(context, LABEL)
    layers = [2 * k for k in range(stages + 1)]
    base = made.body(
        "Train Plate", _plate(places, layers, reach, thickness, 0.92 * bore), at((0.0, 0.0, 0.0)), material="OAK",
        root="LOCKED",
    )  # fmt: skip
    joints, angle = [], 0.0
    for k, place in enumerate(places):
        if k:
            towards = planar.direction(places[k - 1], place)
            angle = gear_wheels.meshing(pinion_teeth, angle, wheel_teeth, towards)
        parts = _arbor(k, stages, wheel_teeth, pinion_teeth, module, thickness, bore)
        frame = planar.facing(place, _depth(2 * k, thickness), angle)
        arbor = made.body(f"Train Arbor {k + 1}", parts, frame, material=material, turns=True)
        joints.append(made.joint(base, arbor, frame, kind="revolute", size=1.2 * reach))
    ratio = -pinion_teeth / wheel_teeth
    for leader, follower in pairwise(joints):
        made.objects.append(gears.add_gear(context, [leader, follower], gears.Wishes("GIVEN", ratio=ratio)))
    if with_motor:
        made.keys(joints[0], [(0.0, 0.0), (duration, 2.0 * math.pi * turns)])
    return made.finish(base)


def _depth(layer: int, thickness: float) -> float:
    """How far the middle of a layer lies in front of the plate; arbors take two layers, the next one the second."""
    return (1.0 + 0.5 * layer * 1.25) * thickness


def _arbor(
    k: int, stages: int, wheel_teeth: int, pinion_teeth: int, module: float, thickness: float, bore: float
) -> list[Part]:
    """Wheel and pinion on one arbor: the wheel meshes with the pinion before, the pinion with the next wheel in front.

    The first has a knob instead of a wheel, the last a hand instead of a pinion.
    """
    half, gap = 0.42 * thickness, 0.625 * thickness
    parts: list[Part] = []
    if k:
        parts.append((gear_wheels.wheel(wheel_teeth, module, -half, half, bore), BRASS))
    if k < stages:
        # The pinion reaches into the layer of the next wheel.
        low, high = (half + 0.02 * thickness) if k else -half, 2.0 * gap + half
        parts.append((gear_wheels.pinion(pinion_teeth, module, low, high, bore), STEEL))
    else:
        length = 0.5 * wheel_teeth * module
        hand = shells.plate(
            outlines.blade(0.92 * length, 2.0 * bore, 0.6 * bore), half + 0.02 * thickness, half + 0.3 * thickness,
            0.03 * thickness, [shells.Boss((0.0, 0.0), 1.6 * bore, 0.0, 0.0, bore)],
        )  # fmt: skip
        parts.append((hand, RED))
    if not k:
        high = 2.0 * gap + half + 0.02 * thickness
        arm = swinging.arm(0.6 * wheel_teeth * module * 0.5, 4.0 * bore, 0.4 * thickness, bore, 0.4 * bore, GRAPHITE)
        parts.append((shells.moved(arm[0], (0.0, 0.0, high + 0.2 * thickness)), GRAPHITE))
    return parts


def _plate(places: list[planar.Point], layers: list[int], reach: float, thickness: float, radius: float) -> list[Part]:
    """A foot, an upright plate behind the wheels, and an axle for each arbor that reaches as far as it does."""
    xs, zs = [x for x, _z in places], [z for _x, z in places]
    left, right, low, high = min(xs) - reach, max(xs) + reach, 0.0, max(zs) + reach
    foot = 1.2 * thickness
    slab = outlines.rounded_rectangle(right - left + 2.0 * thickness, 8.0 * thickness, thickness)
    slab += (0.5 * (left + right), 0.0)
    parts: list[Part] = [(shells.prism(slab, low, foot, 0.1 * foot), OAK)]
    board = outlines.rounded_rectangle(right - left, high - foot, 1.5 * thickness)
    board += (0.5 * (left + right), 0.5 * (foot + high) + shells.GAP * thickness)
    back = np.eye(4)
    back[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    parts.append((shells.placed(shells.prism(board, -thickness, 0.0, 0.08 * thickness), back), OAK))
    for (x, z), layer in zip(places, layers, strict=True):
        end = _depth(layer, thickness) + 2.2 * thickness
        profile = [(0.0, 0.02 * thickness), (1.6 * radius, 0.02 * thickness)]
        profile += [
            (1.6 * radius, _depth(layer, thickness) - 0.5 * thickness),
            (radius, _depth(layer, thickness) - 0.5 * thickness),
        ]
        axle = shells.lathe([*profile, (radius, end - 0.2 * radius), (0.8 * radius, end), (0.0, end)])
        parts.append((shells.placed(axle, shells.frame_along((0.0, -1.0, 0.0), (x, 0.0, z))), STEEL))
    return parts
