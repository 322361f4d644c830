# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as the reference needs them: unit quaternions (w, x, y, z), matrices, rotation vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

SMALL = 1e-4
"""Rotation vectors shorter than this use the first terms of their series [rad]."""


def matrices(q: Array) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4) of any length."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion(R: Array) -> Array:
    """(4,) the unit quaternion of a rotation matrix, w >= 0: the eigenvector of Bar-Itzhack's symmetric matrix."""
    xx, xy, xz = R[0]
    yx, yy, yz = R[1]
    zx, zy, zz = R[2]
    K = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, yx + xy, xz + zx],
            [xz - zx, yx + xy, yy - xx - zz, zy + yz],
            [yx - xy, xz + zx, zy + yz, zz - xx - yy],
        ]
    )
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0 else -q


def turn(axis: Array, angle: float) -> Array:
    """(3, 3) rotation by an angle about a unit axis."""
    half = 0.5 * angle
    return matrices(np.array([np.cos(half), *(np.sin(half) * np.asarray(axis))]))


def from_vector(r: Array) -> Array:
    """(3, 3) rotation by |r| about r."""
    angle = float(np.linalg.norm(r))
    return np.eye(3) if angle == 0.0 else turn(np.asarray(r) / angle, angle)


def cross_matrix(a: Array) -> Array:
    """(3, 3) with [a] b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def vector(R: Array, near: Array) -> Array:
    """(3,) of all rotation vectors of R the one nearest to `near`."""
    q = quaternion(R)
    sine = float(np.linalg.norm(q[1:]))
    if sine < 1e-12:
        length = float(np.linalg.norm(near))
        if length < np.pi:
            return 2.0 * q[1:]
        axis, angle = near / length, 0.0
    else:
        axis, angle = q[1:] / sine, 2.0 * np.arctan2(sine, q[0])
    turns = [(angle + 2.0 * np.pi * k) * axis for k in range(-3, 4)]
    return min(turns, key=lambda r: float(np.linalg.norm(r - near)))


def vector_rates(r: Array) -> Array:
    """(3, 3) the matrix B with rdot = B w, where w is the angular velocity in the turned frame."""
    angle = float(np.linalg.norm(r))
    X = cross_matrix(r)
    if angle < SMALL:
        factor = 1.0 / 12.0 + angle**2 / 720.0
    else:
        factor = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    return np.eye(3) + 0.5 * X + factor * X @ X


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed frame with a unit axis: first x second = axis."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)
