# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is known of joints to lines in the world: how large each glyph is on the screen, and its colour."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._engine import arrays
from ..bridge.objects import frames
from .seen_joints import Seen, State

Array = arrays.Array

COLOURS = {"simulated": (0.16, 0.83, 0.62), "animated": (1.0, 0.80, 0.16), "locked": (0.74, 0.76, 0.80)}
"""By motion."""

LOOP = (0.93, 0.48, 1.0)
"""Simulated joints that close a loop."""

SELECTED = 0.45
"""How much of the way to white the colour of a selected joint is."""

OFF = 0.35
"""Opacity of a joint whose mechanism is switched off."""

SMALLEST, LARGEST = 15.0, 46.0
"""Bounds of a glyph's size [pixels at a resolution scale of 1]; between them it has the size of its empty."""


class Lines(NamedTuple):
    """Ends (2 n, 3) of n line segments in the world, and their colours (2 n, 4)."""

    points: Any
    colours: Any


def joined(*parts: Lines) -> Lines:
    """All lines of several."""
    return Lines(np.concatenate([part.points for part in parts]), np.concatenate([part.colours for part in parts]))


class View(NamedTuple):
    """perspective: (4, 4) from the world to clip space. magnification: pixels per unit where w in clip space is 1.

    pixel: screen pixels of one at a resolution scale of 1.
    """

    perspective: Array
    magnification: float
    pixel: float


def colour(state: State, *, selected: bool) -> tuple[float, ...]:
    """Red, green, blue and opacity of a joint."""
    rgb: tuple[float, ...] = LOOP if state.loop and state.motion == "simulated" else COLOURS[state.motion]
    if selected:
        rgb = tuple(channel + SELECTED * (1.0 - channel) for channel in rgb)
    return (*rgb, OFF if state.off else 1.0)


def sizes(M: Array, empty_sizes: Array, view: View) -> tuple[Array, Array]:
    """Size (n,) of each glyph in Blender units, and which joints are in front of the viewer (n,)."""
    w = M[:, :3, 3] @ view.perspective[3, :3] + view.perspective[3, 3]
    in_front = w > 0.0
    per_unit = view.magnification / np.where(in_front, w, 1.0)
    own = empty_sizes * np.linalg.norm(M[:, :3, :3], axis=1).max(axis=1)
    low, high = (bound * view.pixel / per_unit for bound in (SMALLEST, LARGEST))
    return np.clip(own, low, high), in_front


def lines(seen: Seen, M: Array, size: Array, shown: Any, colours: Any) -> Lines:
    """Lines of the joints of which `shown` (n,) is true. M: world matrices (n, 4, 4). colours: (n, 4)."""
    E, _, wrong = frames.rigid_parts(M)
    shown = shown & np.array([not text for text in wrong], bool)
    axes = (E[:, :3, :3] * size[:, None, None]).astype(np.float32)
    origins = E[:, None, :3, 3].astype(np.float32)
    points, inks = [np.zeros((0, 3), np.float32)], [np.zeros((0, 4), np.float32)]
    for glyph, members in seen.glyphs:
        chosen = members[shown[members]]
        placed = glyph @ axes[chosen].transpose(0, 2, 1) + origins[chosen]
        points.append(placed.reshape(-1, 3))
        inks.append(np.repeat(colours[chosen], len(glyph), axis=0))
    return Lines(np.concatenate(points), np.concatenate(inks))
