# SPDX-License-Identifier: GPL-3.0-or-later
"""Marbles that roll down a track of two rails: a helix, a loop, and a slope that sends them back into each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..bridge.authoring import gears
from ..bridge.objects import units
from . import marble_run_parts as parts
from . import parameters, railway, shells
from .assembly import Assembly, Object, at, new_mesh, turn
from .paint import STEEL, Paint
from .touching import bumper, touch

Array = arrays.Array

NAME = "marble_run"
LABEL = "Marble Run"
DESCRIPTION = "Add marbles that roll along a track of two rails, and knock where they meet"
ICON = "FORCE_CURVE"

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Height", "Of the start over the ground; all else follows from it", 2.0, least=1e-3),
    "count": parameters.count("Marbles", "How many marbles there are", 5, most=12, soft=12),
    "bounce": parameters.factor("Bounce", "Speed after a knock as a part of that before", 0.9, most=1.0),
    "drag": parameters.factor(
        "Drag", "What rolling takes: slows a marble on the level by this part in a second", 0.02, most=1.0
    ),
}

BALL = 0.045
"""Radius of a marble, as a part of the height."""

SPACING = 4.0
"""From one marble to the next at the start, in their radii."""

FIRST = 0.02
"""Where the last marble starts, as a part of the height along the track."""

GLASS: tuple[Paint, ...] = (
    Paint("Marble Blue", (0.02, 0.12, 0.55), 0.0, 0.08),
    Paint("Marble Red", (0.60, 0.03, 0.03), 0.0, 0.08),
    Paint("Marble Green", (0.02, 0.35, 0.10), 0.0, 0.08),
    Paint("Marble Amber", (0.85, 0.42, 0.03), 0.0, 0.08),
    Paint("Marble Violet", (0.25, 0.04, 0.45), 0.0, 0.08),
)


def build(
    context: Any, *, height: float = 2.0, count: int = 5, bounce: float = 0.9, drag: float = 0.02
) -> list[Object]:
    """The run around the 3D cursor. height in Blender units."""
    made = Assembly(context, LABEL)
    spline = parts.course(height)
    track = railway.track_along(spline)
    radius = BALL * height
    base = made.body(
        "Marble Run", parts.stand(track, height, radius), at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED"
    )
    curve = railway.curve_object(made, "Marble Track", spline, base)

    metre = units.metres_per_unit(context.scene)
    reach = parts.rolling_radius(radius)
    meshes = [new_mesh("Marble", parts.marble(radius, paint)) for paint in GLASS]
    core = new_mesh("Marble Core", [(shells.ball(0.25 * radius, points=12), STEEL)])
    carriers = []
    places = [FIRST * height + SPACING * radius * (count - 1 - k) for k in range(count)]
    frames = track.poses(places)
    for number, frame in enumerate(frames):
        carrier = made.body(f"Marble Carrier {number + 1}", core, frame, material="ALUMINIUM", turns=True)
        carriers.append(touch(carrier, "sphere", friction=0.0))  # within its marble, which nothing passes
    rides = railway.put_on(made, "track", curve, carriers, 0.8 * radius)
    for number, (carrier, ride, frame) in enumerate(zip(carriers, rides, frames, strict=True)):
        marble = made.body(f"Marble {number + 1}", meshes[number % len(meshes)], frame, material="GLASS", turns=True)
        bumper(
            made,
            f"Marble {number + 1} Skin",
            marble,
            "sphere",
            (2.0 * radius,) * 3,
            np.eye(4),
            friction=0.0,
            bounce=bounce,
        )
        across = frame.copy()
        across[:3, :3] = frame[:3, :3] @ turn("X", -0.5 * math.pi)  # z points along y of the track, to its left
        spin = made.joint(carrier, marble, across, kind="revolute", size=0.8 * radius)
        rolling = gears.Wishes("GIVEN", ratio=1.0 / (reach * metre), word="Mimic")
        made.objects.append(gears.add_gear(context, [ride, spin], rolling))
        made.damp_joint(ride, drag * parts.rolling_mass(radius * metre, reach / radius))
    return made.finish(base)
