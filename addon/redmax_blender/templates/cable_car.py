# SPDX-License-Identifier: GPL-3.0-or-later
"""A cable car: keys move its carriage along a sagging rope, and the cabin swings below."""

import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..bridge.core.findings import refuse
from ..bridge.objects import units
from . import cable_car_parts as parts
from . import damping, parameters, railway, shells
from .assembly import SIDEWAYS, Assembly, Object, at, scaled

Array = arrays.Array

NAME = "cable_car"
LABEL = "Cable Car"
DESCRIPTION = "Add a cable car: keys move it along its rope, and the cabin swings"
ICON = "TRACKING"

MOST_UNEQUAL = 100.0
"""A span that is so much longer than the towers, or shorter, leaves no picture."""

PARAMETERS: dict[str, Any] = {
    "span": parameters.length("Span", "From tower to tower", 10.0, least=0.1),
    "height": parameters.length("Height", "Of the lower tower", 2.4, least=0.02),
    "rise": parameters.factor("Rise", "How much higher the upper tower is, as a part of the span", 0.2, most=0.6),
    "sag": parameters.factor("Sag", "How far the rope hangs through, as a part of the span", 0.05, most=0.2),
    "duration": parameters.seconds("Duration", "How long the ride takes", 9.0),
    "swing_damping": parameters.factor("Swing Damping", "How quickly the swing dies down", 0.1, most=1.0),
}

START, STOP = 0.11, 0.92
"""Where the ride begins and ends, as parts of the rope's length."""


def build(
    context: Any,
    *,
    span: float = 10.0,
    height: float = 2.4,
    rise: float = 0.2,
    sag: float = 0.05,
    duration: float = 9.0,
    swing_damping: float = 0.1,
) -> list[Object]:
    """The cable car with the foot of its lower tower at the 3D cursor. Lengths in Blender units, duration in s."""
    if not span / MOST_UNEQUAL <= height <= MOST_UNEQUAL * span:
        text = f"A span of {span:g} and a tower of {height:g} make no cable car"
        raise refuse("", text, f"let neither be more than {MOST_UNEQUAL:g} times the other")
    made = Assembly(context, LABEL)
    size = min(0.1 * span, 0.5 * height)
    x = np.linspace(0.0, span, 9)
    z = height + rise * x - 4.0 * sag * x * (1.0 - x / span)
    spline = railway.smooth_spline(np.column_stack([x, np.zeros(len(x)), z]), cyclic=False)
    track = railway.track_along(spline)
    towers = [*scaled(parts.tower(height / size), size), *_moved(scaled(parts.tower(z[-1] / size), size), span)]
    base = made.body(
        "Cable Car Towers",
        [*towers, parts.rope(track, 0.02 * size)],
        at((0.0, 0.0, 0.0)),
        material="STEEL",
        root="LOCKED",
    )
    rope = railway.curve_object(made, "Cable Car Rope", spline, base)
    length = track.length
    frame = track.poses([START * length])[0]
    carriage = made.body("Cable Car Carriage", scaled(parts.carriage(), size), frame, material="STEEL")
    (ride,) = railway.put_on(made, "track", rope, [carriage], 0.4 * size)
    made.keys(ride, [(0.0, 0.0), (duration, (STOP - START) * length)], gentle=True)
    pivot = at(frame[:3, 3] + size * parts.PIVOT * frame[:3, 2])
    cabin = made.body("Cable Car Cabin", scaled(parts.cabin(), size), pivot, material="ALUMINIUM")
    hinge = made.joint(carriage, cabin, at(pivot[:3, 3], SIDEWAYS), kind="revolute", size=0.3 * size)
    made.damp_joint(hinge, swing_damping * _critical(context, size))
    return made.finish(base)


def _moved(having: list[Any], x: float) -> list[Any]:
    return [(shells.moved(shell, (x, 0.0, 0.0)), paint) for shell, paint in having]


def _critical(context: Any, size: float) -> float:
    """Critical damping of the swing [N m s/rad]: 2 m l^2 sqrt(g / l) of a cabin whose mass is that of its shell."""
    length = units.metres_per_unit(context.scene)
    mass = damping.mass(scaled(parts.cabin(), size), "ALUMINIUM", length)
    reach = parts.REACH * size * length
    return 2.0 * mass * reach**2 * math.sqrt(9.81 / reach)
