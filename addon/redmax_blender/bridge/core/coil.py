# SPDX-License-Identifier: GPL-3.0-or-later
"""The mesh of a coil spring. No Blender here."""

from __future__ import annotations

import math

import numpy as np

from ..._engine import arrays

Array = arrays.Array

AROUND, SIDES = 24, 8
"""Rings of the wire in a turn of the coil, and corners of a ring."""

ENDS = 0.08
"""Part of the length, at either end, that is straight along the axis."""


def coil(length: float, radius: float, wire: float, turns: float) -> tuple[Array, list[tuple[int, ...]]]:
    """Vertices (n, 3) and faces of a wire of radius `wire` wound around the y axis from 0 to `length`."""
    centres = _centre_line(length, radius, turns)
    tangents = np.gradient(centres, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    away = np.where(np.abs(tangents[:, 1:2]) < 0.9, np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    side = np.cross(tangents, away)
    side /= np.linalg.norm(side, axis=1)[:, None]
    for k in range(1, len(side)):  # rings follow each other without a twist
        side[k] = side[k - 1] - (side[k - 1] @ tangents[k]) * tangents[k]
        side[k] /= np.linalg.norm(side[k])
    up = np.cross(tangents, side)
    angle = np.linspace(0.0, 2.0 * math.pi, SIDES, endpoint=False)
    rings = centres[:, None] + wire * (
        np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    )
    faces: list[tuple[int, ...]] = []
    for ring in range(len(centres) - 1):
        a, b = ring * SIDES, (ring + 1) * SIDES
        faces += [(a + k, a + (k + 1) % SIDES, b + (k + 1) % SIDES, b + k) for k in range(SIDES)]
    last = (len(centres) - 1) * SIDES
    faces += [tuple(range(SIDES))[::-1], tuple(range(last, last + SIDES))]
    return rings.reshape(-1, 3), faces


def _centre_line(length: float, radius: float, turns: float) -> Array:
    count = max(8, math.ceil(AROUND * turns))
    t = np.linspace(0.0, 1.0, count + 1)
    angle = 2.0 * math.pi * turns * t
    reach = radius * np.minimum(1.0, np.minimum(t, 1.0 - t) * turns / 0.5)  # from the axis out within half a turn
    y = length * (ENDS + (1.0 - 2.0 * ENDS) * t)
    body = np.stack([reach * np.cos(angle), y, reach * np.sin(angle)], axis=1)
    return np.concatenate([np.zeros((1, 3)), body, np.array([[0.0, length, 0.0]])])
