# SPDX-License-Identifier: GPL-3.0-or-later
"""A desk lamp on springs: two parallelograms carry its head, and springs balance it in every pose."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bridge.authoring import elements, shapes
from ..bridge.objects import units
from ..properties.sorts import SORTS
from . import damping, outlines, parameters, planar, shells
from .assembly import Assembly, Object, Part, at
from .flat_linkage import LAYER, Linkage, Plate, long_axle
from .linkage_parts import Sizes
from .paint import BRASS, GRAPHITE, IVORY, STEEL, TEAL
from .planar import Point

NAME = "desk_lamp"
LABEL = "Desk Lamp"
DESCRIPTION = "Add a desk lamp on two parallelograms whose springs balance it: pushed, it stays where it comes to rest"
ICON = "LIGHT_SPOT"

PARAMETERS: dict[str, Any] = {
    "arm": parameters.length("Arm", "Length of the lower and of the upper arm", 0.4),
    "lean": parameters.angle(
        "Lean", "Of the lower arm above level", math.radians(70.0), least=math.radians(40.0), most=math.radians(130.0)
    ),
    "dip": parameters.angle(
        "Dip", "Of the upper arm above level", math.radians(-15.0), least=math.radians(-45.0), most=math.radians(55.0)
    ),
    "push": parameters.angle(
        "Push", "Speed at which both arms are pushed as it starts, per second", math.radians(60.0)
    ),
    "with_springs": parameters.switch("Springs", "Springs balance the lamp; without, it sinks", default=True),
    "material": parameters.material("Material", "What arms and head are made of", "ALUMINIUM"),
}

MAST, REACH = 0.15, 0.55
"""Distances of a spring's ends from the hinge: straight above it, and along the arm, in lengths of an arm."""

STOPS = {"root": (math.radians(35.0), math.radians(135.0)), "elbow": (math.radians(-50.0), math.radians(60.0))}
"""Angles above level at which the arms are stopped, before the parallelograms lie flat."""

RESISTANCE = 0.25
"""Damping of the arms' hinges over the weight that they carry times its arm [s]: a push fades within half a second."""


def build(
    context: Any,
    *,
    arm: float = 0.4,
    lean: float = math.radians(70.0),
    dip: float = math.radians(-15.0),
    push: float = math.radians(60.0),
    with_springs: bool = True,
    material: str = "ALUMINIUM",
) -> list[Object]:
    """The lamp at the 3D cursor. Lengths in Blender units, angles in radians, push in radians per second."""
    sizes = Sizes.of(0.075 * arm)
    w = sizes.width
    side = 1.5 * w
    height = 3.0 * w
    root = (0.0, height)
    elbow = planar.along(root, lean, arm)
    wrist = planar.along(elbow, dip, arm)
    behind, above = math.radians(175.0), math.radians(95.0)
    pins: dict[str, Point] = {
        "root": root,
        "root rod": planar.along(root, behind, side),
        "elbow": elbow,
        "elbow rod": planar.along(elbow, behind, side),
        "upper rod": planar.along(elbow, above, side),
        "mast": planar.along(elbow, 0.5 * math.pi, MAST * arm),
        "wrist": wrist,
        "wrist rod": planar.along(wrist, above, side),
    }
    made = Assembly(context, LABEL)
    base = made.body("Lamp Base", _base(pins, sizes, MAST * arm), at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    linkage = Linkage(made, base, sizes, pins, ("root", "root rod"), material)
    plates = [
        Plate("Lamp Lower Arm", ("root", "elbow"), 0, IVORY),
        Plate("Lamp Lower Rod", ("root rod", "elbow rod"), 0, TEAL),
        Plate("Lamp Elbow", ("elbow", "elbow rod", "upper rod", "mast"), 1, BRASS),
        Plate("Lamp Upper Arm", ("elbow", "wrist"), 2, IVORY),
        Plate("Lamp Upper Rod", ("upper rod", "wrist rod"), 2, TEAL),
        Plate("Lamp Head", ("wrist", "wrist rod"), 3, BRASS),
    ]
    bodies = linkage.add(plates, {"Lamp Head": _head(sizes, above)})
    hinges = linkage.connect()
    masses = _Masses(linkage, material, units.metres_per_unit(context.scene))
    lower = masses.moment("Lamp Lower Arm") + masses.moment("Lamp Lower Rod")
    lower += arm * masses.of("Lamp Elbow", "Lamp Upper Arm", "Lamp Upper Rod", "Lamp Head")
    upper = masses.moment("Lamp Upper Arm") + masses.moment("Lamp Upper Rod") + arm * masses.of("Lamp Head")
    carried = (
        ("root", "Lamp Lower Arm", base, root, lower, -1.0),
        ("elbow", "Lamp Upper Arm", bodies["Lamp Elbow"], elbow, upper, 1.0),
    )
    for pin, name, stand, place, moment, way in carried:
        hinge = hinges[pin, name]
        made.damp_joint(hinge, RESISTANCE * moment * masses.length * damping.EARTH)
        joint: Any = hinge.redmax.joint
        joint.velocity_angle[0] = way * push
        start = lean if way < 0.0 else dip
        joint.lower_angle[0], joint.upper_angle[0] = (stop - start for stop in STOPS[pin])
        joint.use_lower[0] = joint.use_upper[0] = True
        if with_springs:
            layer = linkage.depth(next(plate.layer for plate in plates if plate.name == name))
            ends = (
                planar.along(place, 0.5 * math.pi, MAST * arm),
                planar.along(place, start, REACH * arm),
            )
            stiffness = moment * damping.EARTH / (MAST * REACH * arm**2 * masses.length)
            spring = _spring(made, (stand, bodies[name]), ends, layer + LAYER * sizes.thickness, stiffness)
            made.objects.append(spring)
    return made.finish(base)


class _Masses:
    """Masses of plates [kg], and times the distance of their centres from their own pins [kg, Blender units]."""

    def __init__(self, linkage: Linkage, material: str, length: float) -> None:
        self.parts, self.material, self.length = linkage.parts, material, length

    def of(self, *names: str) -> float:
        return sum(damping.mass(self.parts[name], self.material, self.length) for name in names)

    def moment(self, name: str) -> float:
        return sum(
            damping.mass([part], self.material, self.length) * float(shells.centroid(part[0])[0])
            for part in self.parts[name]
        )


def _spring(
    made: Assembly, bodies: tuple[Object, Object], ends: tuple[Point, Point], depth: float, stiffness: float
) -> Object:
    """A spring without length of its own between two places, of which the first lies right above the hinge.

    Its force times its arm is k a b sin(angle from upright), which is how the weight of the arm acts: with
    k a b = m g c they balance in every pose (a and b are the distances of the ends from the hinge).
    """
    places = [made.in_world(at((x, -depth, z)))[:3, 3] for x, z in ends]
    spring = elements.add(
        made.context, SORTS["force"], "point_to_point", list(bodies), 0.5 * (places[0] + places[1]), name="Lamp Spring"
    )
    settings: Any = spring.redmax.force.point_to_point
    for end, body, place in zip("ab", bodies, places, strict=True):
        E = np.array(body.matrix_basis, np.float64)
        setattr(settings, f"point_{end}", np.linalg.solve(E, np.append(place, 1.0))[:3].tolist())
    settings.stiffness = stiffness
    made.objects.append(shapes.add_shape(made.context, spring, shapes.Wishes(turns=14.0)))
    return spring


def _base(pins: dict[str, Point], sizes: Sizes, mast: float) -> list[Part]:
    """A heavy round foot with two posts."""
    w = sizes.width
    foot = shells.lathe([(0.0, 0.0), (4.2 * w, 0.0), (4.4 * w, 0.25 * w), (3.9 * w, 0.75 * w), (0.0, 0.8 * w)], 48)
    parts: list[Part] = [(shells.moved(foot, (0.0, 0.5 * w, 0.0)), GRAPHITE)]
    for name in ("root", "root rod"):
        x, z = pins[name]
        parts += [part for part in long_axle(x, 0.8 * w, z, sizes, 1) if part[1] != GRAPHITE]  # without its post
    x = 0.5 * (pins["root"][0] + pins["root rod"][0])
    post = outlines.rounded_rectangle(3.4 * w, 0.7 * w, 0.15 * w)
    post += (x, 0.42 * w)
    parts.append((shells.prism(post, 0.8 * w + shells.GAP * w, pins["root"][1] + 1.3 * w, 0.08 * w), STEEL))
    top = pins["root"][1] + 1.3 * w
    holder = outlines.rounded_rectangle(0.6 * w, 0.5 * w, 0.1 * w)
    holder += (0.0, 0.42 * w)
    parts.append(
        (shells.prism(holder, top + shells.GAP * w, max(pins["root"][1] + mast, top) + 0.5 * w, 0.05 * w), STEEL)
    )
    return parts


def _head(sizes: Sizes, above: float) -> Sequence[Part]:
    """A shade that hangs below the wrist, in the frame of its plate, whose x points along `above`."""
    w = sizes.width
    profile = [
        (3.1, -3.3),
        (3.3, -3.3),
        (3.0, -2.6),
        (1.5, -0.9),
        (1.1, -0.1),
        (0.9, 0.0),
        (0.9, -0.2),
        (1.3, -0.8),
        (2.8, -2.7),
    ]
    shade = shells.lathe([(w * r, w * z) for r, z in profile], 48)
    # Its axis hangs down in the world: turned back by the plate's own angle.
    c, s = math.cos(above), math.sin(above)
    down = np.eye(4)
    down[:3, :3] = np.array([[c, 0.0, s], [-s, 0.0, c], [0.0, -1.0, 0.0]])
    cap = shells.lathe([(0.0, -0.6 * w), (0.8 * w, -0.6 * w), (0.8 * w, -0.2 * w), (0.0, -0.15 * w)])
    stem = shells.placed(shells.cylinder(0.14 * w, -1.04 * w, -0.5 * w), down)
    offset = down.copy()
    offset[:3, 3] += down[:3, :3] @ np.array([0.0, 0.0, -0.9 * w])
    return [(shells.placed(shade, offset), TEAL), (shells.placed(cap, offset), STEEL), (stem, STEEL)]
