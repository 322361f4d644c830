# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs from the crane: rope, hook and load. Each hangs down from its joint at the origin."""

from __future__ import annotations

import numpy as np

from .._engine import arrays
from . import outlines, shells
from .assembly import Part, at
from .paint import GRAPHITE, IVORY, OAK, STEEL, YELLOW
from .shells import GAP

Array = arrays.Array

HOOK_POINT = -1.51
"""Height at which a ring lies in the hook, in units of the hook's size."""


def rope(length: float, radius: float) -> list[Part]:
    """A piece of rope: a capsule down to z = -length."""
    angle = np.linspace(0.0, 0.5 * np.pi, 5)
    top = [(radius * np.sin(a), radius * np.cos(a)) for a in angle]
    bottom = [(r, -length - z) for r, z in top]
    return [(shells.lathe(bottom + top[::-1], 16), GRAPHITE)]


def hook() -> list[Part]:
    """The hook block, in units of its own size."""
    facing = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
    cheek = shells.prism(outlines.link(0.62, 0.26, 0.16), -0.17, 0.17, 0.04)
    block = shells.placed(cheek, at((0.0, 0.0, -0.28), facing))
    bottom = -1.06
    shank = shells.cylinder(0.06, bottom - 0.1, bottom - GAP, 0.01, 16)
    bend = outlines.arc((0.0, 0.0), 0.17, 0.5 * np.pi, -0.95 * np.pi, 24)
    path = np.column_stack([bend[:, 0], np.zeros(len(bend)), bend[:, 1] + bottom - 0.1 - 0.17 - 0.055])
    return [(block, YELLOW), (shank, STEEL), (shells.wire(path, 0.05, 12, closed=False), STEEL)]


def load(sling: float) -> list[Part]:
    """A crate on four slings that meet in a ring, in units of the crate's side; its lid is at z = -sling."""
    crate = shells.block((0.94, 0.94, 0.9), (0.0, 0.0, -sling - 0.5), 0.01)
    bar = 0.06
    edge = 0.47 + GAP + 0.5 * bar
    middle = -sling - 0.5
    parts: list[Part] = [(crate, OAK)]
    for sign in (-1.0, 1.0):
        for z in (middle - 0.5 + 0.5 * bar, middle + 0.5 - 0.5 * bar):
            parts.append((shells.block((1.0 + bar, bar, bar), (0.0, sign * edge, z), 0.1 * bar), IVORY))
            parts.append((shells.block((bar, 0.94, bar), (sign * edge, 0.0, z), 0.1 * bar), IVORY))
        for x in (-edge, edge):
            post = shells.block((bar, bar, 1.0 - 2.0 * bar - 2.0 * GAP), (x, sign * edge, middle), 0.1 * bar)
            parts.append((post, IVORY))
            low = np.array([x, sign * edge, -sling + 0.015])
            along = -low / np.linalg.norm(low)
            parts.append((shells.rod(low, -0.16 * along, 0.012, 8), GRAPHITE))
    parts.append((shells.wire(_ring(0.07, 0.02), 0.02, 10, closed=True), STEEL))
    return parts


def _ring(radius: float, wire: float) -> Array:
    """A ring in the y-z plane that hangs in a hook: the inside of its wire touches the origin from below."""
    circle = outlines.circle(radius, points=20)
    return np.column_stack([np.zeros(len(circle)), circle[:, 0], circle[:, 1] - radius + wire])
