# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain of rings that hang in each other, slide and roll on each other, and never part (SG13 figure 1)."""

import math
from typing import Any

from ..bridge.objects import units
from . import damping, outlines, parameters, shells
from .assembly import SIDEWAYS, Assembly, Object, Part, at, turn
from .contact_parts import Place, Solid, contact, touching
from .paint import BRASS, GRAPHITE, MATERIAL, STEEL

NAME = "torus_chain"
LABEL = "Torus Chain"
DESCRIPTION = "Add a chain of rings in contact that hangs from the 3D cursor"
ICON = "MESH_TORUS"

PARAMETERS: dict[str, Any] = {
    "count": parameters.count("Rings", "How many rings", 10, most=200, soft=20),
    "ring": parameters.length("Ring Radius", "From the middle of a ring to the middle of its tube", 0.1),
    "thickness": parameters.factor("Thickness", "Radius of the tube, as a part of that of the ring", 0.15, most=0.3),
    "angle": parameters.angle("Angle", "Where the chain starts, from hanging straight down", math.radians(60.0)),
    "material": parameters.material("Material", "What the rings are made of", "ALUMINIUM"),
}

THINNEST = 0.01

LINK = Place((-0.5 * math.pi, math.pi), (0.5 * math.pi, math.pi), 0.5 * math.pi)
"""The lowest place inside a ring lies in the highest inside the next, which is turned by a quarter."""

CALM = 20.0
"""Damping in times of that of a chain of balls: rings slide on each other, and would rattle faster than keys follow."""


def build(
    context: Any,
    *,
    count: int = 10,
    ring: float = 0.1,
    thickness: float = 0.15,
    angle: float = math.radians(60.0),
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The chain, hung up at the 3D cursor. Lengths in Blender units, angles in radians."""
    made = Assembly(context, LABEL)
    tube = max(thickness, THINNEST) * ring
    solid = Solid("torus", (ring, tube, tube))
    shapes = [[(solid.shell(), paint)] for paint in (MATERIAL[material], BRASS)]
    metres = units.metres_per_unit(context.scene)
    mass = damping.mass(shapes[0], material, metres)
    pitch = 2.0 * (ring - tube) * metres
    base = made.body("Torus Chain Hook", _hook(ring, tube), at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    lean = at((0.0, 0.0, 0.0), turn("Y", -angle))
    step = touching(made, solid, solid, LINK)
    frame = lean @ at((0.0, 0.0, -ring), SIDEWAYS)
    meshes: list[Any] = list(shapes)
    before, above = base, frame
    for number in range(count):
        name = f"Torus {number + 1:0{len(str(count))}}"
        body = made.body(name, meshes[number % 2], frame, material=material, turns=True)
        meshes[number % 2] = body.data
        if number == 0:
            joint = made.joint(base, body, lean, kind="universal", size=0.5 * ring)
        else:
            joint = contact(made, (before, body), (solid, solid), above, LINK)
        hanging = mass * (count - number)
        made.damp_joint(joint, CALM * damping.bending(hanging, pitch, count * pitch))
        before, _above, frame = body, frame, frame @ step
    return made.finish(base)


def _hook(ring: float, tube: float) -> list[Part]:
    """A ceiling plate with a rod that ends in a ball around the tube of the first ring."""
    reach = 1.2 * ring
    plate = shells.prism(outlines.circle(0.9 * ring), reach, reach + 0.25 * ring, 0.05 * ring)
    gap = shells.GAP * ring
    rod = shells.cylinder(0.8 * tube, 1.7 * tube, reach - gap, 0.1 * tube)
    ball = shells.ball(1.6 * tube, (0.0, 0.0, 0.0))
    return [(plate, GRAPHITE), (rod, STEEL), (ball, STEEL)]
