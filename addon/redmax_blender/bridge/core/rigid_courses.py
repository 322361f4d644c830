# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of something rigid, known at some instants, as six coordinates that go smoothly from one to the next.

Coordinates are a position and three angles along chosen axes, so that turning without end about one direction, as a
drum does, is a single angle that grows. No Blender here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._engine import arrays, euler, so3

Array = arrays.Array

SEQUENCE: euler.Sequence = "xyz"
"""Axes of the angles: the first and the last may turn for ever, the second less than a quarter of a turn."""

NEAR_LOCK = np.radians(80.0)
"""The second angle beyond which the others are hardly determined."""


class Coordinates(NamedTuple):
    """R: (3, 3) axes of the coordinates in the world, columns. q: (n, 6) position from the first one, and angles.
    is_tame: False where the angles come near a pose in which they are not determined."""

    R: Array
    q: Array
    is_tame: bool


def coordinates(E: Array) -> Coordinates:
    """Of frames (n, 4, 4) at successive instants."""
    return min((_along(R, E) for R in _axes(E)), key=lambda each: float(np.abs(each.q[:, 4]).max()))


def _axes(E: Array) -> list[Array]:
    """Directions that may be the last axis: that about which it turns most, and the world's."""
    steps = np.array([so3.log(b @ a.T) for a, b in zip(E[:-1, :3, :3], E[1:, :3, :3], strict=True)]).reshape(-1, 3)
    _, vectors = np.linalg.eigh(steps.T @ steps)
    main = vectors[:, ::-1]
    main = main * np.array([1.0, 1.0, np.sign(np.linalg.det(main))])
    return [np.roll(main, 2, axis=1), np.eye(3), np.roll(np.eye(3), 1, axis=1), np.roll(np.eye(3), 2, axis=1)]


def _along(R: Array, E: Array) -> Coordinates:
    relative = R.T @ E[:, :3, :3] @ E[0, :3, :3].T @ R
    angles = np.unwrap(euler.from_matrix(relative, SEQUENCE), axis=0)
    position = (E[:, :3, 3] - E[0, :3, 3]) @ R
    return Coordinates(R, np.concatenate([position, angles], axis=1), bool(np.abs(angles[:, 1]).max() < NEAR_LOCK))
