# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points of the result at the current frame as lines: a cross at each point, an arrow for what it pushes with.

Arrows show the force on the surface that lies above, and are as long on the screen as the square root of the force.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from .._engine import arrays
from ..bridge.objects import units
from ..bridge.results import cache, preview
from .layout import Lines, View

Array = arrays.Array

STICKS, SLIDES, POINT = (0.25, 0.95, 0.45, 1.0), (1.0, 0.55, 0.15, 1.0), (1.0, 1.0, 1.0, 0.95)
"""Colours of the force where surfaces stick and where they slide, and of the point."""

SLIPPING = 1e-3
"""Speed [m/s] above which a contact slides."""

LONGEST, SHORTEST, CROSS = 70.0, 8.0, 4.0
"""Lengths of the longest and shortest arrow and half of a cross [pixels at a resolution scale of 1]."""

HEAD = 0.25
"""Size of an arrow's head as a part of its length."""


def lines(scene: bpy.types.Scene, view: View) -> Lines:
    """What is to be drawn at the scene's frame; nothing without a result that is shown."""
    nothing = Lines(np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32))
    if not (scene.redmax.show_contacts and preview.wanted(scene)):
        return nothing
    result = cache.load(scene)
    contacts = None if result is None else result.contacts
    if result is None or contacts is None or not len(contacts.point):
        return nothing
    sample = scene.frame_current - int(result.meta["blender"]["frame_start"])
    if not 0 <= sample < len(result):
        return nothing
    here = contacts.at(sample)
    points = contacts.point[here] / units.metres_per_unit(scene)
    force = contacts.normal[here] * contacts.normal_force[here, None] + contacts.friction[here]
    sliding = np.linalg.norm(contacts.slip[here], axis=1) > SLIPPING
    largest = float(contacts.normal_force.max(initial=0.0))
    return drawn(points, force, sliding, largest, view)


def drawn(points: Array, force: Array, sliding: Any, largest: float, view: View) -> Lines:
    """Lines of contacts at points (k, 3) [Blender units]. force: (k, 3) [N]. largest: of all frames [N]."""
    w = points @ view.perspective[3, :3] + view.perspective[3, 3]
    seen = w > 0.0
    points, force, sliding, w = points[seen], force[seen], np.asarray(sliding)[seen], w[seen]
    pixel = (w / view.magnification * view.pixel)[:, None]
    size = np.linalg.norm(force, axis=1, keepdims=True)
    upwards = np.where(force[:, 2:] < 0.0, -1.0, 1.0)  # of the two opposite forces the one on what lies above
    along = upwards * force / np.where(size > 0.0, size, 1.0)
    reach = (SHORTEST + (LONGEST - SHORTEST) * np.sqrt(size / max(largest, 1e-300))) * pixel * (size > 0.0)
    tips = points + along * reach
    aside = np.cross(along, np.where(np.abs(along[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]]))
    aside /= np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-12)
    parts = [np.stack([points, tips], 1)]
    for side in (-0.5, 0.5):
        parts.append(np.stack([tips, tips - HEAD * reach * (along + side * aside)], 1))
    ink = np.where(sliding[:, None], np.array(SLIDES), np.array(STICKS))
    inks = [np.repeat(ink, 2, axis=0)] * len(parts)
    for axis in np.eye(3):
        parts.append(np.stack([points - CROSS * pixel * axis, points + CROSS * pixel * axis], 1))
        inks.append(np.tile(np.array(POINT), (2 * len(points), 1)))
    together = np.concatenate([part.reshape(-1, 3) for part in parts]).astype(np.float32)
    return Lines(together, np.concatenate(inks).astype(np.float32))
