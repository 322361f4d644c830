# SPDX-License-Identifier: GPL-3.0-or-later
"""A finger of bones: one muscle bends all three hinges by its tendon, another one stretches it again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._engine import fields
from ..bridge.objects import units
from . import damping, lines, parameters
from . import finger_parts as parts
from .assembly import Assembly, Object, at, scaled, turn
from .lines import End, Look, Strength
from .paint import RED

NAME = "muscle_finger"
LABEL = "Muscle Finger"
DESCRIPTION = "Add a finger that muscles bend and stretch: key their activation"
ICON = "VIEW_PAN"

PARAMETERS: dict[str, Any] = {
    "size": parameters.length("Size", "Length of the finger", 0.3),
    "curl": parameters.factor("Curl", "Greatest activation of the muscle that bends the finger", 0.6, most=1.0),
    "strength": parameters.factor("Strength", "Of the muscles, in times of the usual one", 1.0, most=3.0),
    "duration": parameters.seconds("Duration", "Time to bend, and to stretch again", 4.0),
    "material": parameters.material("Material", "What the bones are made of", "PLASTIC"),
}

BENDING = (
    (parts.HAND, ((0.155, 0.12), (0.15, 0.27), (0.092, 0.5))),
    (parts.LENGTHS[0], ((0.082, 0.11), (0.078, 0.33))),
    (parts.LENGTHS[1], ((0.07, 0.09), (0.066, 0.22))),
    (parts.LENGTHS[2], ((0.034, 0.13),)),
)
STRETCHING = (
    (parts.HAND, ((-0.155, 0.12), (-0.15, 0.27), (-0.092, 0.54))),
    (parts.LENGTHS[0], ((-0.086, 0.075), (-0.074, 0.37))),
    (parts.LENGTHS[1], ((-0.072, 0.07), (-0.064, 0.24))),
    (parts.LENGTHS[2], ((-0.034, 0.13),)),
)
"""Length of each bone, and where a tendon runs beside it, as (x, z) from the hinge below, or from the floor."""

BELLY = (1.0, 5.0, 1.4, *(1.0,) * 5)
"""Thickness of a muscle at its points: it bulges between its origin and the first ring."""

ARMS = (0.085, 0.072, 0.06)
"""About how far the tendons run beside the hinges."""

TORQUE = 2.0
"""Of the stronger muscle about the lowest hinge, in times of the finger's weight times its length."""

FIRMNESS, SOFTNESS = 0.35, 5.0
"""Stiffness of the hinges and of their stops [1/rad], as parts of that torque."""

CALM = 0.7
"""Damping of the hinges, as a part of that which is critical for the bones beyond them."""

STRETCH = 0.1
"""Force of the muscle that stretches, as a part of the other's: it bends the hinges back a little, and not into
their stops. Bones that hit these are stopped within a frame, which no keys on frames can follow."""

STOPS = (math.radians(-20.0), math.radians(95.0))
"""Angles at which the hinges are stopped."""


def build(
    context: Any,
    *,
    size: float = 0.3,
    curl: float = 0.6,
    strength: float = 1.0,
    duration: float = 4.0,
    material: str = "PLASTIC",
) -> list[Object]:
    """The finger at the 3D cursor, pointing up. size in Blender units, duration in seconds."""
    made = Assembly(context, LABEL)
    metre = units.metres_per_unit(context.scene)
    rings = [[*bend[1], *stretch[1]] for bend, stretch in zip(BENDING, STRETCHING, strict=True)]
    held = [place for place in rings[0] if place[1] > 0.4]
    base = made.body("Finger Hand", scaled(parts.hand(held), size), at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    shapes = [scaled(parts.phalanx(k, rings[k + 1] if k < 2 else ()), size) for k in range(3)]
    masses = [damping.mass(shape, material, metre) for shape in shapes]
    torque = TORQUE * damping.EARTH * sum(masses) * size * metre
    bodies, height = [base], parts.HAND
    for k, (shape, name) in enumerate(zip(shapes, ("Near", "Middle", "Far"), strict=True)):
        place = (0.0, 0.0, size * height)
        body = made.body(f"Finger {name} Bone", shape, at(place), material=material)
        # z of the hinge points to the back: a positive angle bends the finger to its inner side.
        hinge = made.joint(bodies[-1], body, at(place, turn("X", -0.5 * math.pi)), kind="revolute", size=0.16 * size)
        share = torque * ARMS[k] / ARMS[0]
        inertia = _inertia(masses, k) * (size * metre) ** 2
        made.damp_joint(hinge, 2.0 * CALM * math.sqrt(FIRMNESS * share * inertia))
        made.spring_joint(hinge, FIRMNESS * share)
        joint: Any = hinge.redmax.joint
        joint.lower_angle[0], joint.upper_angle[0] = STOPS
        joint.use_lower[0] = joint.use_upper[0] = True
        joint.limit_type = "SOFT"
        joint.limit_stiffness[0] = min(SOFTNESS * share, fields.LARGEST)
        joint.limit_damping[0] = min(2.0 * CALM * math.sqrt(SOFTNESS * share * inertia), fields.LARGEST)
        bodies.append(body)
        height += parts.LENGTHS[k]
    force = strength * torque / (ARMS[0] * size * metre)
    t = duration
    bends = ((0.0, 0.0), (0.05 * t, 0.0), (0.25 * t, curl), (0.5 * t, curl), (0.7 * t, 0.0))
    stretches = ((0.0, 0.0), (0.5 * t, 0.0), (0.7 * t, 0.6 * curl), (0.85 * t, 0.6 * curl), (t, 0.0))
    courses = (
        ("Bending", BENDING, force, bends),
        ("Stretching", STRETCHING, STRETCH * force, stretches),
    )
    for name, course, greatest, keys in courses:
        muscle = Strength(greatest, 0.3)
        lines.muscle(
            made, f"Finger {name} Muscle", _ends(bodies, course, size), muscle, keys, Look(RED, 0.22, bulge=BELLY)
        )
    return made.finish(base)


def _inertia(masses: Sequence[float], hinge: int) -> float:
    """Of the bones beyond a hinge about it, as of thin rods in a line [kg finger^2]."""
    total, before = 0.0, 0.0
    for mass, length in list(zip(masses, parts.LENGTHS, strict=True))[hinge:]:
        total += mass * ((before + 0.5 * length) ** 2 + length**2 / 12.0)
        before += length
    return total


def _ends(bodies: list[Object], course: Any, size: float) -> list[End]:
    """The points of a muscle on the bones, as they stand."""
    ends, foot = [], 0.0
    for body, (length, points) in zip(bodies, course, strict=True):
        ends += [End(body, size * np.array([x, 0.0, foot + z])) for x, z in points]
        foot += length
    return ends
