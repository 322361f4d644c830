# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a new joint points: its z axis is what a hinge turns about and a slider moves along."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..._engine import arrays

Array = arrays.Array
Axis = Literal["AUTO", "LOCAL", "X", "Y", "Z"]

WORLD_AXES = {"X": np.array([1.0, 0.0, 0.0]), "Y": np.array([0.0, 1.0, 0.0]), "Z": np.array([0.0, 0.0, 1.0])}

TURNED = 1e-5
"""An object whose axes differ less from the world's was never turned [rad]."""

DUST = 1e-6
"""Components of a direction that rounding leaves where there are none: an artist's 0 degrees stay 0 degrees."""


def keeps_place(axis: Axis, place: Array, *, is_marker: bool) -> bool:
    """Whether a joint has the axes of the place where it goes.

    place: (4, 4) rigid, with the axes of the empty, cursor or object that says where. is_marker: that is an empty or
    the cursor, which one turns on purpose, and not the origin of a body. AUTO keeps the axes of a marker that was
    turned, LOCAL always keeps them.
    """
    return axis == "LOCAL" or (axis == "AUTO" and is_marker and is_turned(place))


def is_turned(place: Array) -> bool:
    """Whether a frame has other axes than the world."""
    return bool(np.abs(place[:3, :3] - np.eye(3)).max() > TURNED)


def frame_along(z: Array, origin: Array, target: Array) -> Array:
    """Rigid frame (4, 4) at `origin` with this z; x points to `target` as far as it can."""
    z = _without_dust(z)
    x = target - origin
    shortest = 1e-6 * float(np.linalg.norm(x))
    x = x - (x @ z) * z
    if np.linalg.norm(x) <= shortest:
        x = WORLD_AXES["X"] if abs(z[0]) < 0.9 else WORLD_AXES["Y"]
        x = x - (x @ z) * z
    x = _without_dust(x / np.linalg.norm(x))
    E = np.eye(4)
    E[:3, 0], E[:3, 1], E[:3, 2], E[:3, 3] = x, np.cross(z, x), z, origin
    return E


def _without_dust(axis: Array) -> Array:
    """A direction whose components of single precision's last digit are zero."""
    clean = np.where(np.abs(axis) < DUST, 0.0, axis)
    return np.asarray(clean / np.linalg.norm(clean))
