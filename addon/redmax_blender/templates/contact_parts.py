# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth bodies that touch: tori, balls and ellipsoids about the axes of their frames, and contacts between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays, fields, joints
from ..bridge.objects import units
from ..properties import joint as joint_properties
from . import outlines, shells
from .assembly import Assembly, Object
from .shells import Shell

Array = arrays.Array

AROUND, ACROSS = 64, 20
"""Points around a ring and around its tube."""


class Solid(NamedTuple):
    """A surface as contacts know it: sphere, ellipsoid or torus, with its sizes."""

    kind: str
    sizes: tuple[float, float, float]

    def shell(self) -> Shell:
        if self.kind == "torus":
            flat = outlines.circle(self.sizes[0], points=AROUND)
            return shells.wire(np.column_stack([flat, np.zeros(AROUND)]), self.sizes[1], ACROSS, closed=True)
        ball = shells.ball(1.0, points=40)
        return Shell(ball.vertices * np.array(self.sizes), ball.faces)


class Place(NamedTuple):
    """Where two surfaces touch: u and v on either, and the angle about the normal between their directions."""

    first: tuple[float, float]
    second: tuple[float, float]
    twist: float = 0.0


def touching(made: Assembly, first: Solid, second: Solid, place: Place) -> Array:
    """Frame (4, 4) of the second solid in that of the first."""
    length = units.metres_per_unit(made.context.scene)
    contact: Any = joints.SurfaceContact.part(
        first=first.kind,
        first_size=tuple(size * length for size in first.sizes),
        second=second.kind,
        second_size=tuple(size * length for size in second.sizes),
        first_point=place.first,
        second_point=place.second,
        twist=place.twist,
    )
    return units.in_blender_units(contact.motion(np.zeros(contact.ndof), np.zeros(contact.ndof)).Q, length)


def contact(
    made: Assembly, bodies: tuple[Object, Object], solids: tuple[Solid, Solid], frame: Array, place: Place
) -> Object:
    """The joint that keeps two bodies in touch. frame: of the first solid."""
    size = 0.4 * max(solids[1].sizes)
    joint = made.joint(*bodies, frame, kind="surface_contact", size=size)
    group: Any = joint_properties.own_group(joint.redmax.joint)
    group.first, group.first_size, group.first_point = solids[0].kind, solids[0].sizes, place.first
    group.second, group.second_size, group.second_point = solids[1].kind, solids[1].sizes, place.second
    group.twist = place.twist
    joint_properties.show_type(joint.redmax.joint)
    return joint


def hold(joint: Object, stiffness: float) -> None:
    """A spring on every coordinate of a joint that holds it where it stands [N m/rad]."""
    settings: Any = joint.redmax.joint
    for dof in joint_properties.dofs(settings):
        settings.stiffness[dof.index] = min(stiffness, fields.LARGEST)
