# SPDX-License-Identifier: GPL-3.0-or-later
"""Links of a chain. Each lies along x with its joints at 0 and at the pitch.

Ball chains have oval links of round wire, every other one turned by a quarter. Hinge chains have flat links like a
bicycle's: pairs of outer plates with pins, and inner plates between them.
"""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import Part
from .paint import Paint

Array = arrays.Array

WIRE = 0.13
"""Radius of the wire of an oval link, as a fraction of the pitch."""

FLAT = 0.16
"""Thickness of a flat link's plates, as a fraction of the pitch."""

BORE, PIN = 0.14, 0.125
"""Radii of bores and pins of flat links, as fractions of the pitch."""


def oval(pitch: float, paint: Paint) -> list[Part]:
    """An oval link. Its wire touches the next link's at the joints, so the ends reach one wire beyond them."""
    path = outlines.stadium(0.62 * pitch, 0.32 * pitch, 11)
    path[:, 0] += 0.5 * pitch
    flat = np.column_stack([path, np.zeros(len(path))])
    return [(shells.wire(flat, WIRE * pitch, 14, closed=True), paint)]


def eye(pitch: float, reach: float, paint: Paint) -> Part:
    """A staple of round wire in the x-y plane that the next oval link hangs in: joint at 0, ends at x = -reach."""
    radius = WIRE * pitch
    half = 0.32 * pitch
    bend = outlines.arc((radius - half, 0.0), half, -0.5 * np.pi, 0.5 * np.pi, 11)
    path = np.array([[-reach, -half], *bend, [-reach, half]])
    return shells.wire(np.column_stack([path, np.zeros(len(path))]), radius, 14, closed=False), paint


def outer(pitch: float, paint: Paint, pin_paint: Paint) -> list[Part]:
    """Two plates and the pins through them."""
    t = FLAT * pitch
    parts = [_plate(pitch, side * 1.06 * t, paint) for side in (-1.0, 1.0)]
    return [*parts, pin(0.0, pitch, pin_paint), pin(pitch, pitch, pin_paint)]


def inner(pitch: float, paint: Paint) -> list[Part]:
    """The plate between two outer ones."""
    return [_plate(pitch, 0.0, paint)]


def _plate(pitch: float, z: float, paint: Paint) -> Part:
    t = FLAT * pitch
    radius = 0.27 * pitch
    bosses = [shells.Boss((x, 0.0), radius, 0.0, 0.0, BORE * pitch) for x in (0.0, pitch)]
    return shells.plate(_waisted(pitch, radius), z - 0.5 * t, z + 0.5 * t, 0.12 * t, bosses), paint


def _waisted(pitch: float, radius: float) -> Array:
    """A link outline that is drawn in between its ends, like a figure of eight."""
    shape = outlines.link(pitch, radius)
    x = shape[:, 0] / pitch
    between = np.linspace(0.12, 0.88, 9)
    waist = radius * (1.0 - 0.26 * np.sin(np.pi * (between - 0.12) / 0.76) ** 2)
    far, near = shape[x >= 1.0 - 1e-9], shape[x <= 1e-9]
    upper = np.stack([between[::-1] * pitch, waist[::-1]], axis=1)
    lower = np.stack([between * pitch, -waist], axis=1)
    return np.concatenate([far, upper, near, lower])


def pin(x: float, pitch: float, paint: Paint) -> Part:
    """A riveted pin across all plates at (x, 0)."""
    t, r = FLAT * pitch, PIN * pitch
    end = 1.06 * t + 0.5 * t
    gap = shells.GAP * pitch
    half = [(0.0, end + 0.35 * r), (0.9 * r, end + 0.35 * r), (1.25 * r, end + 0.12 * r), (1.25 * r, end + gap)]
    half.append((r, end + gap))
    profile = [(radius, -z) for radius, z in half] + half[::-1]
    return shells.moved(shells.lathe(profile, 24), (x, 0.0, 0.0)), paint


def weight(radius: float, neck: float, top: float, paint: Paint) -> Part:
    """A cast weight along x, its flat neck of radius `neck` at x = top."""
    radius = max(radius, 1.15 * neck)
    height = 1.9 * radius
    shoulder = [(1.0, 0.42), (0.93, 0.28), (0.55, 0.12), (0.12, 0.04), (0.0, 0.0)]
    profile = [(0.0, -height), (0.86 * radius, -height), (radius, -0.93 * height)]
    profile += [(neck + part * (radius - neck), -depth * height) for part, depth in shoulder]
    profile.append((0.0, 0.0))
    down = shells.frame_along((-1.0, 0.0, 0.0), (top, 0.0, 0.0))
    return shells.placed(shells.lathe(profile, 48), down), paint


def lug(pitch: float, reach: float, paint: Paint) -> list[Part]:
    """What a flat outer link's pin goes through: a plate from the joint at 0 to x = -reach."""
    t = FLAT * pitch
    boss = shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, BORE * pitch)
    outline = -outlines.blade(reach, 0.27 * pitch, 0.7 * pitch)
    return [(shells.plate(outline, -0.5 * t, 0.5 * t, 0.12 * t, [boss]), paint)]


def clevis(pitch: float, reach: float, paint: Paint, pin_paint: Paint) -> list[Part]:
    """What a flat inner link is held by: two plates from x = -reach to the joint at 0, and a pin."""
    t = FLAT * pitch
    ((shell, _),) = lug(pitch, reach, paint)
    plates = [(shells.moved(shell, (0.0, 0.0, side * 1.06 * t)), paint) for side in (-1.0, 1.0)]
    return [*plates, pin(0.0, pitch, pin_paint)]


def turned_round(part: Part) -> Part:
    """The part turned about z by half a turn: what came from above comes from below."""
    shell, paint = part
    return shells.Shell(shell.vertices * (-1.0, -1.0, 1.0), shell.faces), paint
