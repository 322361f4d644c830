# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain of any number of links, with a weight at its end."""

import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..bridge.objects import units
from . import chain_links, damping, outlines, parameters, shells, swinging
from .assembly import Assembly, Object, Part, at, turn
from .paint import BRASS, GRAPHITE, MATERIAL, STEEL

Array = arrays.Array

NAME = "chain"
LABEL = "Chain"
DESCRIPTION = "Add a chain that hangs from the 3D cursor"
ICON = "LINKED"

KINDS = [
    ("BALL", "Ball", "Oval links that can turn in every direction", 0),
    ("HINGE", "Hinge", "Flat links on pins, like a bicycle's, that stay in one plane", 1),
]
PARAMETERS: dict[str, Any] = {
    "count": parameters.count("Links", "How many links", 10),
    "pitch": parameters.length("Link Length", "From joint to joint", 0.1),
    "kind": parameters.choice("Joints", "How the links are joined", KINDS, "BALL"),
    "angle": parameters.angle("Angle", "Where the chain starts, from hanging straight down", math.radians(70.0)),
    "with_weight": parameters.switch("Weight", "Hang a weight on the last link", default=True),
    "weight_radius": parameters.length("Weight Radius", "Radius of the weight", 0.08),
    "material": parameters.material("Material", "What the links are made of", "STEEL"),
    "weight_material": parameters.material("Weight Material", "What the weight is made of", "BRASS"),
}


def build(
    context: Any,
    *,
    count: int = 10,
    pitch: float = 0.1,
    kind: str = "BALL",
    angle: float = math.radians(70.0),
    with_weight: bool = True,
    weight_radius: float = 0.08,
    material: str = "STEEL",
    weight_material: str = "BRASS",
) -> list[Object]:
    """The chain, hung up at the 3D cursor. Lengths in Blender units, angles in radians."""
    is_ball = kind == "BALL"
    made = Assembly(context, LABEL)
    parts = _anchor(pitch, is_ball=is_ball)
    base = made.body("Chain Anchor", parts, at((0.0, 0.0, 0.0)), material="STEEL", root="LOCKED")
    along = swinging.hanging((0.0, 0.0, 0.0), angle)
    paint = MATERIAL[material]
    meshes = _link_meshes(pitch, paint, is_ball=is_ball)
    joint_kind = "spherical" if is_ball else "revolute"
    weight_parts = _weight(pitch, weight_radius, count, MATERIAL[weight_material], is_ball=is_ball)
    metres = units.metres_per_unit(context.scene)
    masses = [damping.mass(parts, material, metres) for parts in meshes]
    weight_mass = damping.mass(weight_parts, weight_material, metres) if with_weight else 0.0
    whole = (count + with_weight) * pitch * metres

    def damped(joint: Object, number: int) -> None:
        """Links rub on each other; `number` is that of the link below the joint."""
        hanging = weight_mass + 0.5 * (count - number) * sum(masses)
        made.damp_joint(joint, damping.bending(hanging, pitch * metres, whole))

    before = base
    for number in range(count):
        frame = _link_frame(along, pitch, number, is_ball=is_ball)
        name = f"Chain Link {number + 1:0{len(str(count))}}"
        shape = meshes[number % 2]
        link = made.body(name, shape, frame, material=material, turns=True)
        meshes[number % 2] = link.data
        here = _joint_frame(along, pitch, number)
        damped(made.joint(before, link, here, kind=joint_kind, size=0.45 * pitch), number)
        before = link
    if with_weight:
        frame = _link_frame(along, pitch, count, is_ball=is_ball)
        weight = made.body("Chain Weight", weight_parts, frame, material=weight_material, turns=True)
        here = _joint_frame(along, pitch, count)
        damped(made.joint(before, weight, here, kind=joint_kind, size=0.45 * pitch), count)
    return made.finish(base)


def _joint_frame(along: Array, pitch: float, number: int) -> Array:
    """Where link `number` begins: z of the frame is the axis of a hinge."""
    frame = along.copy()
    frame[:3, 3] += number * pitch * along[:3, 0]
    return frame


def _link_frame(along: Array, pitch: float, number: int, *, is_ball: bool) -> Array:
    """Frame of a link at its first joint; every other oval link is turned about the chain by a quarter."""
    frame = _joint_frame(along, pitch, number)
    if is_ball and number % 2:
        frame[:3, :3] = frame[:3, :3] @ turn("X", 0.5 * np.pi)
    return frame


def _link_meshes(pitch: float, paint: Any, *, is_ball: bool) -> list[Any]:
    """Parts of even and odd links."""
    if is_ball:
        return [chain_links.oval(pitch, paint)] * 2
    return [chain_links.outer(pitch, paint, BRASS), chain_links.inner(pitch, paint)]


def _anchor(pitch: float, *, is_ball: bool) -> list[Part]:
    """A ceiling plate with an eye or a lug below, whose joint is at the origin."""
    reach = 0.75 * pitch
    gap = shells.GAP * pitch
    outline = outlines.rounded_rectangle(2.6 * pitch, 1.8 * pitch, 0.35 * pitch)
    plate = shells.prism(outline, reach + gap, reach + 0.4 * pitch, 0.06 * pitch)
    bolts = [
        shells.moved(shells.cylinder(0.16 * pitch, -0.14 * pitch, 0.0, 0.03 * pitch, 6), (x * pitch, y * pitch, reach))
        for x in (-0.95, 0.95)
        for y in (-0.55, 0.55)
    ]
    if is_ball:
        shell, paint = chain_links.eye(pitch, reach, STEEL)
        # The first link lies in the plane seen from the front, the eye across it.
        upright = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
        holder = [(shells.placed(shell, at((0.0, 0.0, 0.0), upright)), paint)]
    else:
        upright = swinging.hanging((0.0, 0.0, 0.0), 0.0)
        holder = [(shells.placed(shell, upright), paint) for shell, paint in chain_links.lug(pitch, reach, STEEL)]
    return [(plate, GRAPHITE), *((bolt, STEEL) for bolt in bolts), *holder]


def _weight(pitch: float, radius: float, number: int, paint: Any, *, is_ball: bool) -> list[Part]:
    """A weight below what fits the last link: it takes the place of link `number`."""
    reach = 0.6 * pitch
    body = chain_links.weight(radius, 0.5 * pitch, reach + shells.GAP * pitch, paint)
    if is_ball:
        return [body, chain_links.turned_round(chain_links.eye(pitch, reach, STEEL))]
    if number % 2:
        return [body, *map(chain_links.turned_round, chain_links.lug(pitch, reach, STEEL))]
    return [body, *map(chain_links.turned_round, chain_links.clevis(pitch, reach, STEEL, BRASS))]
