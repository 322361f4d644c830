# SPDX-License-Identifier: GPL-3.0-or-later
"""Angle and axis packed as (theta, n), shape (..., 4): theta [rad], n a unit vector.

Results have theta in [0, pi] and, where theta = 0 and any axis would do, n = (1, 0, 0). Arguments may have any theta.
At theta = pi both n and -n are right; the sign is that of the quaternion or rotation vector it comes from.
Source: KINDR16 "Rotation Parameterizations" and "Rotation Quaternion <=> Rotation Angle-Axis".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from . import quaternion


def _length_and_direction(u: Array) -> tuple[Array, Array]:
    """|u| (..., 1) and u/|u| (..., 3), (1, 0, 0) for u = 0. Scaled first: u down to 1e-308 keeps its direction."""
    largest = np.max(np.abs(u), axis=-1, keepdims=True)
    zero = largest == 0.0
    scale = np.where(zero, 1.0, largest)
    scaled = np.where(zero, np.array([1.0, 0.0, 0.0]), u / scale)
    norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
    length: Array = np.where(zero, 0.0, scale * norm)
    return length, scaled / norm


def from_quaternion(q: ArrayLike) -> Array:
    """(theta, n) of q, shape (..., 4) [rad, 1]; the same for q and -q.

    Erratum, KINDR16: 2 arccos(p0) means q0 and leaves [0, pi] for q0 < 0; theta = 2 atan2(|u|, |q0|) after the flip.
    """
    q = quaternion.canonical(q)
    length, n = _length_and_direction(q[..., 1:])
    return np.concatenate([2.0 * np.arctan2(length, q[..., :1]), n], axis=-1)


def to_quaternion(angle_axis: ArrayLike) -> Array:
    """(cos(theta/2), n sin(theta/2)), shape (..., 4); any theta [rad], n of length one. KINDR16."""
    angle_axis = np.asarray(angle_axis, float)
    half, n = 0.5 * angle_axis[..., :1], angle_axis[..., 1:]
    return np.concatenate([np.cos(half), n * np.sin(half)], axis=-1)


def from_rotation_vector(v: ArrayLike) -> Array:
    """(theta, n) of the rotation vector v [rad], shape (..., 4); |v| > pi is brought back to [0, pi]."""
    v = np.asarray(v, float)
    theta, n = _length_and_direction(v)
    packed = np.concatenate([theta, n], axis=-1)
    canonical: Array = np.where(theta <= np.pi, packed, from_quaternion(quaternion.exp(v)))
    return canonical


def to_rotation_vector(angle_axis: ArrayLike) -> Array:
    """theta n, shape (..., 3) [rad]."""
    angle_axis = np.asarray(angle_axis, float)
    v: Array = angle_axis[..., :1] * angle_axis[..., 1:]
    return v


def from_matrix(R: ArrayLike) -> Array:
    """(theta, n) of a rotation matrix, shape (..., 4) [rad, 1]."""
    return from_quaternion(quaternion.from_matrix(R))


def to_matrix(angle_axis: ArrayLike) -> Array:
    """Rotation matrix, shape (..., 3, 3) [1]."""
    return quaternion.to_matrix(to_quaternion(angle_axis))
