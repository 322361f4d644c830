# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the robot arm, each in the frame of its body at the joint that carries it, in units of the arm's size.

Links lie along x; z of a link's frame is the axis of the hinge that bends it.
"""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import SIDEWAYS, Part, at
from .paint import GRAPHITE, IVORY, ORANGE, STEEL
from .shells import GAP

Array = arrays.Array

ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Axes of a turned part that lies along x."""

BASE_HEIGHT = 0.24
SHOULDER = (0.06, 0.0, 0.33)
"""Hinge of the upper arm, in the turret's frame."""

UPPER, ROLL, WRIST, FLANGE = 0.62, 0.30, 0.64, 0.105
"""Along x: elbow in the upper arm's frame; roll joint and wrist in the forearm's; flange in the hand's."""

GRIP = 0.052
"""How far each finger stands from the middle when the gripper is open."""

_HALF = 0.07
"""Half the thickness of what lies between the cheeks of the upper arm."""


def base() -> list[Part]:
    profile = [(0.0, 0.0), (0.27, 0.0), (0.28, 0.01), (0.28, 0.045), (0.265, 0.06), (0.20, 0.065), (0.185, 0.08)]
    profile += [(0.17, 0.19), (0.19, 0.21), (0.19, BASE_HEIGHT - GAP), (0.0, BASE_HEIGHT - GAP)]
    bolts = [
        shells.moved(shells.cylinder(0.016, 0.065 + GAP, 0.08, 0.003, 6), (0.235 * np.cos(a), 0.235 * np.sin(a), 0.0))
        for a in np.arange(8) * 0.25 * np.pi + 0.125 * np.pi
    ]
    return [(shells.lathe(profile, 64), GRAPHITE), *((bolt, STEEL) for bolt in bolts)]


def turret() -> list[Part]:
    """Turns on the base; a post between the cheeks of the upper arm."""
    x, _y, z = SHOULDER
    ring = shells.cylinder(0.2, 0.0, 0.07, 0.015, 64)
    low = 0.07 + GAP
    crown = outlines.arc((x, z), 0.115, -0.1 * np.pi, 1.05 * np.pi, 25)
    outline = np.concatenate([[[-0.15, low], [0.16, low]], crown])
    post = shells.placed(shells.prism(outline, -_HALF, _HALF, 0.012), at((0.0, 0.0, 0.0), SIDEWAYS))
    motor = shells.lathe([(0.0, 0.0), (0.047, 0.0), (0.052, 0.01), (0.052, 0.1), (0.04, 0.12), (0.0, 0.12)])
    sides = [shells.moved(motor, (-0.03, side * 0.13, low)) for side in (-1.0, 1.0)]
    return [(ring, ORANGE), (post, ORANGE), *((side, GRAPHITE) for side in sides)]


def upper_arm() -> list[Part]:
    """Two cheeks around post and elbow, held apart by tubes, with caps on the hinges."""
    thick, gap = 0.042, 0.004
    parts: list[Part] = []
    for side in (-1.0, 1.0):
        low = side * (_HALF + gap) if side > 0 else -(_HALF + gap + thick)
        cheek = shells.prism(outlines.link(UPPER, 0.125, 0.1), low, low + thick, 0.008)
        parts.append((cheek, ORANGE))
        for x, radius in ((0.0, 0.085), (UPPER, 0.068)):
            cap = shells.cylinder(radius, 0.0, 0.022, 0.006)
            outside = low + thick + GAP if side > 0 else low - GAP - 0.022
            parts.append((shells.moved(cap, (x, 0.0, outside)), GRAPHITE))
    for x in (0.24, 0.40):
        tube = shells.cylinder(0.045, -_HALF - gap + GAP, _HALF + gap - GAP, 0.004)
        parts.append((shells.moved(tube, (x, 0.0, 0.0)), STEEL))
    return parts


def forearm() -> list[Part]:
    """From the elbow to the roll joint."""
    elbow = shells.prism(outlines.blade(0.16, 0.1, 0.17), -_HALF, _HALF, 0.01)
    profile = [(0.0, 0.16 + GAP), (0.082, 0.16 + GAP), (0.088, 0.175), (0.088, 0.21), (0.074, 0.235)]
    profile += [(0.07, ROLL - 0.004), (0.0, ROLL - 0.004)]
    return [(elbow, ORANGE), (shells.placed(shells.lathe(profile, 48), at((0.0, 0.0, 0.0), ALONG_X)), GRAPHITE)]


def forearm_tube() -> list[Part]:
    """From the roll joint, at the origin, to the fork that holds the wrist."""
    reach = WRIST - ROLL
    root = reach - 0.115
    profile = [(0.0, 0.0), (0.07, 0.0), (0.072, 0.01), (0.056, root - 0.03), (0.062, root - 0.01), (0.062, root)]
    profile.append((0.0, root))
    parts = [(shells.placed(shells.lathe(profile, 48), at((0.0, 0.0, 0.0), ALONG_X)), ORANGE)]
    bridge = shells.block((0.035, 0.1, 0.134), (root + GAP + 0.0175, 0.0, 0.0), 0.006)
    parts.append((bridge, ORANGE))
    outline = -outlines.blade(reach - root - 0.035 - 2.0 * GAP, 0.048, 0.096)
    tine = shells.prism(outline, -0.0125, 0.0125, 0.004)
    for side in (-1.0, 1.0):
        parts.append((shells.moved(tine, (reach, 0.0, side * 0.0545)), ORANGE))
        cap = shells.cylinder(0.032, -0.005, 0.005, 0.002)
        parts.append((shells.moved(cap, (reach, 0.0, side * (0.067 + GAP + 0.005))), GRAPHITE))
    return parts


def hand() -> list[Part]:
    """From the wrist to the flange."""
    body = shells.prism(outlines.blade(FLANGE - 0.02, 0.046, 0.08), -0.038, 0.038, 0.006)
    collar = shells.cylinder(0.036, FLANGE - 0.02 + GAP, FLANGE - GAP, 0.003)
    return [(body, IVORY), (shells.placed(collar, at((0.0, 0.0, 0.0), ALONG_X)), GRAPHITE)]


def tool() -> list[Part]:
    """The flange and the palm of the gripper, on the flange's joint."""
    flange = shells.cylinder(0.042, 0.0, 0.022, 0.003)
    palm = shells.block((0.045, 0.17, 0.07), (0.022 + GAP + 0.0225, 0.0, 0.0), 0.005)
    rail = shells.block((0.012, 0.16, 0.03), (0.067 + 2.0 * GAP + 0.006, 0.0, 0.0), 0.002)
    return [(shells.placed(flange, at((0.0, 0.0, 0.0), ALONG_X)), STEEL), (palm, GRAPHITE), (rail, STEEL)]


FINGER = 0.083
"""Where a finger's frame lies along x, in the tool's."""


def finger() -> list[Part]:
    """A finger whose grip faces -y: local x points out of the palm."""
    inside = [[0.0, -0.020], [0.022, -0.020], [0.036, -0.012], [0.10, -0.012], [0.118, -0.026], [0.150, -0.026]]
    outside = [[0.150, -0.006], [0.122, 0.010], [0.022, 0.020], [0.0, 0.020]]
    outline = np.array([*inside, *outside])
    pad = shells.block((0.032, 0.006, 0.026), (0.134, -0.026 - GAP - 0.003, 0.0), 0.0012)
    return [(shells.prism(outline, -0.017, 0.017, 0.002), STEEL), (pad, GRAPHITE)]
