# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a slider-crank: a flywheel with a crank pin, a piston with rings, and a cylinder cut open to look inside."""

from __future__ import annotations

import numpy as np

from . import outlines, shells
from .assembly import Part
from .linkage_parts import Sizes
from .paint import GRAPHITE, IVORY, RED, STEEL

SKIRT, CROWN = 0.75, 1.15
"""How far the piston reaches from its pin towards the crank and away from it, in radii."""


def casing(radius: float, width: float) -> float:
    """Outer radius of the cylinder."""
    return radius + 0.35 * width


def flywheel(crank: float, radius: float, sizes: Sizes) -> Part:
    """A disc about the origin with a boss for its axle, one for the crank pin at (crank, 0), and holes in between."""
    w, half, rise = sizes.width, 0.5 * sizes.thickness, 0.3 * sizes.thickness
    bosses = [
        shells.Boss((0.0, 0.0), min(0.4 * w, 0.45 * crank), rise, rise, sizes.bore),
        shells.Boss((crank, 0.0), min(0.32 * w, 0.45 * crank), rise, rise, sizes.pin_bore),
    ]
    middle, hole = 0.58 * radius, 0.17 * radius
    for k in range(1, 6):  # six places around the axle, less that of the pin
        x, y = middle * np.cos(k * np.pi / 3.0), middle * np.sin(k * np.pi / 3.0)
        clear = min(np.hypot(x - crank, y), np.hypot(x, y)) - 0.45 * w
        bosses.append(shells.Boss((float(x), float(y)), 0.0, 0.0, 0.0, float(min(hole, 0.8 * clear))))
    disc = outlines.circle(radius, points=64)
    return shells.plate(disc, -half + rise, half - rise, 0.12 * sizes.thickness, bosses), RED


def piston(radius: float, sizes: Sizes) -> list[Part]:
    """About its pin: the crown with two rings towards +x, and two cheeks that hold the pin, the rod between them.

    Local x is the way it slides, z points to the viewer.
    """
    gap = 0.02 * radius
    slot = 0.75 * sizes.thickness
    front = 0.42 * radius
    r = radius - gap
    ring, groove = 0.06 * radius, 0.93 * r
    profile = [(0.0, front), (r - ring, front), (r, front + 0.5 * ring)]
    for place in (0.62, 0.82):
        z = place * radius
        profile += [(r, z), (groove, z), (groove, z + ring), (r, z + ring)]
    top = CROWN * radius
    profile += [(r, top - ring), (r - ring, top), (0.0, top)]
    crown = shells.placed(shells.lathe(profile, 48), shells.frame_along((1.0, 0.0, 0.0)))
    cheek = max(min(0.7 * radius, 3.0 * slot) - slot, 0.3 * slot)
    outline = outlines.belt([((0.0, 0.0), 0.34 * radius), ((front - 0.2 * radius - gap, 0.0), 0.2 * radius)])
    hole = shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, sizes.pin_bore)
    cheeks = [shells.plate(outline, low, low + cheek, 0.08 * cheek, [hole]) for low in (slot, -slot - cheek)]
    pin = shells.cylinder(sizes.pin, -slot - 1.02 * cheek, slot + 1.06 * cheek, 0.15 * sizes.pin)
    return [(crown, IVORY), *((part, IVORY) for part in cheeks), (pin, STEEL)]


def cylinder(start: float, end: float, height: float, floor: float, radius: float, sizes: Sizes) -> list[Part]:
    """The half of a cylinder behind the piston from x = start to end, closed by a head, on two feet."""
    w = sizes.width
    outer, gap = casing(radius, w), 0.02 * radius
    inner = radius + gap
    # From straight down over the back to straight up; local x of this outline is up, y is back.
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 33)
    arc = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    surface = shells.Surface()
    rings = []
    for x in (start, end):
        for r in (inner, outer):
            points = np.column_stack([np.full(len(arc), x), r * arc[:, 1] - sizes.front, height + r * arc[:, 0]])
            rings.append(surface.ring(points))
    _shell_faces(surface, rings)
    thick = 0.5 * w
    head = shells.cylinder(outer, 0.0, thick, 0.08 * w, 48)
    head = shells.placed(head, shells.frame_along((1.0, 0.0, 0.0), (end + gap, -sizes.front, height)))
    bolt, far = shells.cylinder(0.11 * w, thick + 0.02 * w, thick + 0.16 * w, 0.03 * w, 6), 0.72 * outer
    bolts = []
    for turn in np.pi * np.array([0.25, 0.75, 1.25, 1.75]):
        place = (end + gap, far * np.cos(turn) - sizes.front, height + far * np.sin(turn))
        bolts.append(shells.placed(bolt, shells.frame_along((1.0, 0.0, 0.0), place)))
    top = height - outer - 0.02 * w
    feet = []
    if top - floor > 0.05 * w:
        for x in (start + 0.6 * w, end - 0.6 * w):
            size = (0.7 * w, 0.9 * outer, top - floor - 0.02 * w)
            feet.append(shells.block(size, (x, -sizes.front + 0.45 * outer, 0.5 * (top + floor)), 0.05 * w))
    return [(surface.shell(), GRAPHITE), (head, GRAPHITE), *((p, STEEL) for p in bolts), *((p, GRAPHITE) for p in feet)]


def _shell_faces(surface: shells.Surface, rings: list[list[int]]) -> None:
    """Faces of a half tube from four open rings: inner and outer at its start, inner and outer at its end."""
    inner, outer, far_inner, far_outer = rings
    for k in range(len(inner) - 1):
        surface.faces.append((outer[k], outer[k + 1], far_outer[k + 1], far_outer[k]))
        surface.faces.append((inner[k + 1], inner[k], far_inner[k], far_inner[k + 1]))
        surface.faces.append((inner[k], inner[k + 1], outer[k + 1], outer[k]))
        surface.faces.append((far_inner[k + 1], far_inner[k], far_outer[k], far_outer[k + 1]))
    for k, flip in ((0, False), (-1, True)):
        face = (inner[k], outer[k], far_outer[k], far_inner[k])
        surface.faces.append(face[::-1] if flip else face)
