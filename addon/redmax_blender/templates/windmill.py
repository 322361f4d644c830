# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel whose arms are balls, ellipsoids and rings in contact: all five pairs of SG13 figure 2."""

import math
from typing import Any

from ..bridge.objects import units
from ..properties import joint as joint_properties
from ..properties import materials
from . import parameters
from .assembly import SIDEWAYS, Assembly, Object, at
from .contact_parts import Place, Solid, contact, hold, touching
from .paint import BRASS, GRAPHITE, RED, TEAL
from .stand import stand

NAME = "windmill"
LABEL = "Windmill"
DESCRIPTION = "Add a wheel whose arms are balls, ellipsoids and rings that touch, held in shape by springs"
ICON = "FORCE_VORTEX"

PARAMETERS: dict[str, Any] = {
    "arms": parameters.count("Arms", "How many arms", 6, most=24, soft=8),
    "radius": parameters.length("Hub Radius", "Of the ball in the middle; all else is in proportion", 0.15),
    "speed": parameters.angle("Speed", "How far the wheel turns in the first second", 3.0, least=-60.0, most=60.0),
    "material": parameters.material("Material", "What hub and arms are made of, by its density", "ALUMINIUM"),
}

SPHERE, ELLIPSOID, TORUS = ("sphere", (0.4, 0.4, 0.4)), ("ellipsoid", (0.67, 0.47, 0.33)), ("torus", (0.47, 0.13, 0.13))
"""Kinds and sizes in units of the hub's radius."""

ARMS = ((SPHERE, ELLIPSOID, TORUS), (TORUS, TORUS, ELLIPSOID))
"""Parts of even and odd arms, from the hub outwards."""

PAINTS = {"sphere": RED, "ellipsoid": TEAL, "torus": BRASS}

LEAN = 0.3
"""By how much contacts lie beside the middle of the wheel, to one side and the other [rad]."""

STIFFNESS, DAMPING = 60.0, 1.2
"""Of each coordinate of a contact for a hub of the usual radius and density [N m/rad, N m s/rad]."""
USUAL_RADIUS, USUAL_DENSITY = 0.15, 2700.0

REACH = 5.0
"""How far arms reach from the axle, in units of the hub's radius."""


def build(
    context: Any, *, arms: int = 6, radius: float = 0.15, speed: float = 3.0, material: str = "ALUMINIUM"
) -> list[Object]:
    """The windmill, the foot of its stand at the 3D cursor. Lengths in Blender units, speed in radians per second."""
    made = Assembly(context, LABEL)
    height, away = (REACH + 0.8) * radius, 1.6 * radius
    post = stand(height, 0.9 * radius, 0.18 * radius, away - 0.8 * radius)
    base = made.body("Windmill Stand", post, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    axle = at((0.0, -away, height), SIDEWAYS)
    ball = Solid("sphere", (radius, radius, radius))
    hub = made.body("Windmill Hub", [(ball.shell(), GRAPHITE)], axle, material=material, turns=True)
    hinge = made.joint(base, hub, axle, kind="revolute", size=1.2 * radius)
    joint_properties.set_value(hinge.redmax.joint, "qdot", joint_properties.dofs(hinge.redmax.joint)[0], speed)
    size = radius * units.metres_per_unit(context.scene) / USUAL_RADIUS
    heavy = materials.DENSITY[material] / USUAL_DENSITY
    meshes: dict[str, Any] = {}
    for arm in range(arms):
        before, solid, frame, around = hub, ball, axle, 2.0 * math.pi * arm / arms
        for number, (kind, sizes) in enumerate(ARMS[arm % 2]):
            a, b, c = sizes
            part = Solid(kind, (a * radius, b * radius, c * radius))
            place = Place((around, LEAN), (0.0, -LEAN))
            there = frame @ touching(made, solid, part, place)
            shape = meshes.get(kind, [(part.shell(), PAINTS[kind])])
            body = made.body(f"Arm {arm + 1} Part {number + 1}", shape, there, material=material, turns=True)
            meshes[kind] = body.data
            joint = contact(made, (before, body), (solid, part), frame, place)
            hold(joint, STIFFNESS * heavy * size**4)
            made.damp_joint(joint, DAMPING * heavy * size**4.5)
            before, solid, frame, around = body, part, there, math.pi
    return made.finish(base)
