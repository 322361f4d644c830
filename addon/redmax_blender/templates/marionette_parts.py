# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a marionette and of its stage, in units of its height. It looks to -y, x is to the viewer's right, z up.

Limbs hang down from their joints at the origin.
"""

from __future__ import annotations

import numpy as np

from . import outlines, shells
from .assembly import Part
from .paint import BRASS, GRAPHITE, IVORY, MATERIAL, OAK, RED, STEEL, TEAL, Paint
from .shells import GAP

PINE = MATERIAL["PINE"]

FLOOR, POST = 0.06, (0.0, 0.3)
"""Thickness of the stage's floor; x and y of the post."""

ARM, FOREARM, THIGH, SHIN = 0.17, 0.17, 0.2, 0.21
"""Lengths of limbs from joint to joint; of forearm and shin to hand and sole."""

BAR, CROSS = 0.27, 0.15
"""Half the lengths of the control's bars, to the sides and to the front."""


def limb(length: float, top: float, bottom: float, paint: Paint) -> list[Part]:
    """A turned piece of wood with a ball at its joint."""
    profile = [(0.0, -length + 0.25 * bottom), (0.8 * bottom, -length + 0.25 * bottom), (bottom, -length + bottom)]
    profile += [
        (0.92 * bottom, -0.6 * length),
        (1.12 * top, -0.3 * length),
        (0.85 * top, -1.3 * top),
        (0.0, -1.25 * top),
    ]
    ball = shells.ball(0.9 * top, (0.0, 0.0, 0.0), 16)
    return [(shells.lathe(profile, 20), paint), (ball, BRASS)]


def forearm() -> list[Part]:
    hand = shells.ball(0.03, (0.0, 0.0, -FOREARM), 16)
    return [*limb(FOREARM - 0.03, 0.022, 0.017, PINE), (hand, IVORY)]


def shin() -> list[Part]:
    foot = shells.block((0.055, 0.12, 0.035), (0.0, -0.025, -SHIN + 0.017), 0.012)
    return [*limb(SHIN - 0.038, 0.026, 0.02, PINE), (foot, GRAPHITE)]


def torso(shoulder: tuple[float, float], hip: tuple[float, float]) -> list[Part]:
    """About the middle between the hips. shoulder, hip: places of the joints as (x, z)."""

    def section(x: float, y: float) -> outlines.Array:
        return outlines.rounded_rectangle(x, y, 0.45 * min(x, y), 7)

    low, high = hip[1] + 0.04, shoulder[1] + 0.03
    sections = [
        (section(0.13, 0.08), low),
        (section(0.17, 0.11), low + 0.03),
        (section(0.15, 0.1), low + 0.1),
        (section(0.22, 0.12), high - 0.07),
        (section(0.2, 0.1), high - 0.015),
        (section(0.1, 0.06), high),
    ]
    parts: list[Part] = [(shells.loft(sections), TEAL)]
    belt = shells.block((0.15, 0.09, 0.03), (0.0, 0.0, low - 0.016), 0.008)
    parts.append((belt, RED))
    for k in range(3):
        button = shells.ball(0.009, (0.0, -0.0625, low + 0.1 + 0.045 * k), 12)
        parts.append((shells.moved(button, (0.0, -0.012, 0.0)), BRASS))
    return parts


def head() -> list[Part]:
    """About its neck."""
    parts: list[Part] = [(shells.cylinder(0.02, 0.0, 0.028, 0.003, 20), PINE)]
    face = [(0.0, 0.03), (0.045, 0.035), (0.068, 0.075), (0.072, 0.115), (0.062, 0.155), (0.0, 0.16)]
    parts.append((shells.lathe(face, 32), IVORY))
    parts.append((shells.ball(0.013, (0.0, -0.086, 0.1), 12), RED))
    for side in (-1.0, 1.0):
        parts.append((shells.ball(0.008, (side * 0.027, -0.0755, 0.125), 12), GRAPHITE))
    hat = [(0.0, 0.163), (0.085, 0.163), (0.088, 0.172), (0.058, 0.18), (0.02, 0.25), (0.0, 0.262)]
    parts.append((shells.lathe(hat, 32), RED))
    return parts


def control() -> list[Part]:
    """The cross that the strings hang from, about the hinge above its middle; its bars lie below it."""
    across = shells.block((2.0 * BAR + 0.04, 0.03, 0.022), (0.0, 0.0, -0.04), 0.005)
    along = shells.block((0.03, 2.0 * CROSS + 0.04, 0.022), (0.0, 0.0, -0.04 + 0.022 + GAP), 0.005)
    lug = shells.block((0.03, 0.03, 0.01), (0.0, 0.0, 0.001), 0.002)
    return [(across, OAK), (along, OAK), (lug, STEEL)]


def carriage(reach: float) -> list[Part]:
    """About the control's hinge: an arm forwards from the post, which lies `reach` behind, and the pin in a fork."""
    parts: list[Part] = []
    for side in (-1.0, 1.0):
        shoe = shells.block((0.025, 0.12, 0.14), (side * 0.056, reach, 0.02), 0.005)
        parts.append((shoe, BRASS))
    front = shells.block((0.137, 0.022, 0.14), (0.0, reach - 0.06 - GAP - 0.011, 0.02), 0.005)
    length = reach - 0.06 - 0.022 - 3.0 * GAP + 0.03
    arm = shells.block((0.04, length, 0.03), (0.0, 0.5 * length - 0.03, 0.045), 0.006)
    fork = shells.block((0.05, 0.012, 0.045), (0.0, -0.024, 0.007), 0.003)
    return [*parts, (front, BRASS), (arm, STEEL), (fork, STEEL)]


def stage(tall: float) -> list[Part]:
    """A floor, the post behind it and a curtain."""
    floor = shells.block((1.15, 0.9, FLOOR), (0.0, 0.0, 0.5 * FLOOR), 0.012)
    post = shells.block((0.08, 0.08, tall - FLOOR), (POST[0], POST[1], 0.5 * (tall + FLOOR) + GAP), 0.01)
    parts: list[Part] = [(floor, OAK), (post, OAK)]
    for side in (-1.0, 1.0):
        x = np.linspace(0.07, 0.54, 61)
        wave = 0.018 * np.sin(np.linspace(0.0, 12.0 * np.pi, 61)) + POST[1]
        front = np.stack([side * x, wave - 0.012], axis=1)
        back = np.stack([side * x, wave + 0.012], axis=1)
        outline = np.concatenate([front, back[::-1]])
        cloth = shells.prism(outline if side > 0.0 else outline[::-1], FLOOR + 0.02, tall - 0.5)
        parts.append((cloth, RED))
        pole = shells.rod((side * 0.045, POST[1], tall - 0.47), (side * 0.57, POST[1], tall - 0.47), 0.012)
        parts.append((pole, BRASS))
    return parts
