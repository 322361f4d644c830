# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms and weights of pendulums: flat links that swing in an upright plane seen from the front."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import Part, at
from .paint import Paint

Array = arrays.Array


def hanging(position: tuple[float, float, float] | Array, angle: float) -> Array:
    """Frame of a link at its pivot: x along the link, `angle` [rad] from straight down, z towards the viewer at -y."""
    x = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    z = np.array([0.0, -1.0, 0.0])
    return at(position, np.stack([x, np.cross(z, x), z], axis=1))


def arm(length: float, width: float, thickness: float, bore: float, end_bore: float, paint: Paint) -> Part:
    """A link from its pivot at the origin to its far pin at (length, 0), with a boss around each."""
    bevel = 0.12 * thickness
    rise = 0.3 * thickness
    half = 0.5 * thickness
    far = 0.82 * width
    bosses = [
        shells.Boss((0.0, 0.0), 0.34 * width, rise, rise, bore),
        shells.Boss((length, 0.0), 0.34 * far, rise, rise, end_bore),
    ]
    outline = outlines.link(length, 0.5 * width, 0.5 * far)
    return shells.plate(outline, -half + rise, half - rise, bevel, bosses), paint


def stem(length: float, width: float, thickness: float, bore: float, paint: Paint) -> Part:
    """A link with a boss at its pivot and a narrow end at (length, 0), where a weight begins."""
    bevel = 0.12 * thickness
    rise = 0.3 * thickness
    half = 0.5 * thickness
    boss = shells.Boss((0.0, 0.0), 0.36 * width, rise, rise, bore)
    outline = outlines.blade(length, 0.5 * width, 0.5 * width)
    return shells.plate(outline, -half + rise, half - rise, bevel, [boss]), paint


def bob(distance: float, radius: float, thickness: float, paint: Paint) -> list[Part]:
    """A lens-shaped weight, its centre at (distance, 0), with a raised rim."""
    half = 0.5 * thickness
    dome = [(0.0, 1.0), (0.62, 0.86), (0.70, 0.62), (0.90, 0.62), (1.0, 0.42)]
    front = [(radius * r, half * z) for r, z in dome]
    profile = [(r, -z) for r, z in front] + front[::-1]
    return [(shells.moved(shells.lathe(profile, 48), (distance, 0.0, 0.0)), paint)]


def pin(position: float, radius: float, low: float, high: float, paint: Paint) -> Part:
    """A pin through two links at (position, 0) from `low` to `high`, with a head at its far end."""
    head = 1.7 * radius
    height = 0.7 * radius
    profile = [(0.0, low), (radius, low), (radius, high), (head, high), (head, high + 0.6 * height)]
    profile += [(0.8 * head, high + height), (0.0, high + height)]
    return shells.moved(shells.lathe(profile), (position, 0.0, 0.0)), paint
