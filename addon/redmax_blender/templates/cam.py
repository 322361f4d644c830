# SPDX-License-Identifier: GPL-3.0-or-later
"""A cam that lifts a follower: the roller runs in a closed track around the cam, which turns by keys."""

import math
from typing import Any

import numpy as np

from .._engine import arrays
from . import cam_parts as parts
from . import parameters, railway
from .assembly import SIDEWAYS, Assembly, Object, at, scaled

Array = arrays.Array

NAME = "cam"
LABEL = "Cam and Follower"
DESCRIPTION = "Add a cam that turns by keys and lifts a follower, whose roller runs around it"
ICON = "PROP_CON"

PARAMETERS: dict[str, Any] = {
    "radius": parameters.length("Radius", "Of the cam where it is round", 0.5, least=1e-3),
    "lift": parameters.factor("Lift", "How far the follower rises, as a part of the radius", 0.55, most=0.8),
    "lobes": parameters.count("Lobes", "How often it rises in a turn", 1, most=3, soft=3),
    "turns": parameters.turns("Turns", "How often the cam turns", 3.0),
    "duration": parameters.seconds("Duration", "How long that takes", 9.0),
}

SHARP = 2.5
"""The higher, the more pointed the lobes are."""

POINTS = 48
"""Of the curve around the cam."""

ROLLER = 0.2
"""Radius of the roller, in units of the cam's."""


def build(
    context: Any,
    *,
    radius: float = 0.5,
    lift: float = 0.55,
    lobes: int = 1,
    turns: float = 3.0,
    duration: float = 9.0,
) -> list[Object]:
    """The cam on its stand, whose foot is at the 3D cursor. Lengths in Blender units, duration in seconds."""
    made = Assembly(context, LABEL)
    angle = 2.0 * math.pi * np.arange(POINTS) / POINTS
    reach = 1.0 + ROLLER + lift * (0.5 - 0.5 * np.cos(lobes * (angle - 0.5 * math.pi))) ** SHARP
    pitch = np.stack([reach * np.cos(angle), reach * np.sin(angle), 0.0 * angle], 1)
    height = float(reach.max()) + 0.45
    stand = scaled(parts.stand(height, 1.0 + ROLLER + lift), radius)
    base = made.body("Cam Stand", stand, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    axis = at((0.0, 0.0, radius * height), SIDEWAYS)
    outline = parts.rim(pitch[:, :2], ROLLER)
    cam = made.body("Cam", scaled(parts.cam(outline), radius), axis, material="BRASS", turns=True)
    shaft = made.joint(base, cam, axis, kind="revolute", size=0.5 * radius)
    made.keys(shaft, [(0.0, 0.0), (duration, 2.0 * math.pi * turns)], gentle=True)
    track = railway.curve_object(made, "Cam Track", railway.smooth_spline(radius * pitch, cyclic=True), cam, axis)
    low = radius * (height + 1.0 + ROLLER)
    follower = made.body(
        "Cam Follower", scaled(parts.follower(lift), radius), at((0.0, 0.0, low), SIDEWAYS), material="STEEL"
    )
    made.joint(base, follower, at((0.0, 0.0, low)), kind="prismatic", size=0.5 * radius)
    roller = made.body(
        "Cam Roller", scaled(parts.roller(ROLLER), radius), at((0.0, 0.0, low), SIDEWAYS), material="STEEL", turns=True
    )
    made.joint(follower, roller, at((0.0, 0.0, low), SIDEWAYS), kind="revolute", size=0.3 * radius)
    railway.put_on(made, "track", track, [roller], 0.2 * radius)
    return made.finish(base)
