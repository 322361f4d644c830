# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg whose knee moves as a linkage of crossed ligaments does, written down as a formula (SG13 section 6)."""

import math
from typing import Any

import numpy as np

from .._engine import general_joints
from ..bridge.authoring import joint_formulas
from ..bridge.objects import units
from ..properties import joint as joint_properties
from . import parameters, shells
from .assembly import Assembly, Object, Part, at, turn
from .paint import IVORY, TEAL, Paint
from .stand import stand

NAME = "knee"
LABEL = "Knee"
DESCRIPTION = "Add a leg that swings from its hip and bends at a knee whose axis moves"
ICON = "BONE_DATA"

PARAMETERS: dict[str, Any] = {
    "length": parameters.length("Length", "Of the thigh, and of the shin", 0.4),
    "angle": parameters.angle("Angle", "Where the thigh starts, forward from hanging down", math.radians(40.0)),
    "damping": parameters.factor("Damping", "How soon the swing dies down; 0 for never", 0.02, most=1.0),
}

USUAL = 0.4
"""Length [m] to which the lengths of the ligaments belong."""

STRAIGHT, BENT = -0.2, 0.5
"""Range of the angle of the ligament that the knee's coordinate is [rad]."""

STOP = 200.0
"""Stiffness of the ends of that range, for the usual length [N m/rad]."""


def build(
    context: Any, *, length: float = 0.4, angle: float = math.radians(40.0), damping: float = 0.02
) -> list[Object]:
    """The leg on a stand whose foot is at the 3D cursor. Lengths in Blender units, angles in radians."""
    made = Assembly(context, LABEL)
    height, away = 2.5 * length, 0.28 * length
    post = stand(height, 0.16 * length, 0.04 * length, away + 0.1 * length)
    base = made.body("Knee Stand", post, at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    lean = at((0.0, -away, height), turn("Y", -angle))
    thigh = made.body("Thigh", _bone(0.12 * length, 0.08 * length, length, IVORY), lean, material="FLESH", turns=True)
    hip = made.joint(
        base, thigh, lean @ at((0.0, 0.0, 0.0), turn("X", 0.5 * math.pi)), kind="revolute", size=0.3 * length
    )
    low = lean @ at((0.0, 0.0, -length))
    shin = made.body("Shin", _bone(0.09 * length, 0.06 * length, length, TEAL), low, material="FLESH", turns=True)
    knee = made.joint(thigh, shin, low, kind="custom", size=0.25 * length)
    metres = units.metres_per_unit(context.scene)
    size = length * metres / USUAL
    written = general_joints.knee_texts(size)
    joint_formulas.set_texts(knee, written)
    settings: Any = knee.redmax.joint
    settings.limit_type = joint_properties.SOFT
    (dof,) = joint_properties.dofs(settings)
    for field, value in (("lower", STRAIGHT), ("upper", BENT)):
        joint_properties.set_value(settings, field, dof, value)
    settings.use_lower[0] = settings.use_upper[0] = settings.use_limits = True
    settings.limit_stiffness[0] = STOP * size**4
    for joint in (hip, knee):
        made.damp_joint(joint, 20.0 * damping * size**4.5)
    return made.finish(base)


def _bone(top: float, bottom: float, length: float, paint: Paint) -> list[Part]:
    """A round limb from z = 0 down to z = -length, with a ball of a radius around either end."""
    low = [(bottom * np.cos(x), -length + bottom * np.sin(x)) for x in np.linspace(-0.5 * np.pi, 0.0, 9)]
    high = [(top * np.cos(x), top * np.sin(x)) for x in np.linspace(0.0, 0.5 * np.pi, 9)]
    profile = [(0.0, low[0][1]), *low[1:], *high[:-1], (0.0, high[-1][1])]
    return [(shells.lathe([(float(r), float(z)) for r, z in profile], 40), paint)]
