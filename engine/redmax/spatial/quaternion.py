# SPDX-License-Identifier: GPL-3.0-or-later
"""Hamilton quaternions q = (w, x, y, z), shape (..., 4): i^2 = j^2 = k^2 = ijk = -1.

A unit q_ab rotates b-coordinates into a-coordinates, v_a = q_ab v_b q_ab*, and q and -q are the same rotation.
Every function is vectorised over the leading axes and broadcasts.
Source: KINDR16 "Rotation Quaternion" and "Time Derivative of Rotation Quaternion".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from . import stumpff


def identity(shape: tuple[int, ...] = ()) -> Array:
    """The quaternion of no rotation, (1, 0, 0, 0), repeated to (*shape, 4)."""
    q = np.zeros((*shape, 4))
    q[..., 0] = 1.0
    return q


def multiply(q: ArrayLike, p: ArrayLike) -> Array:
    """Product q p, shape (..., 4): first the rotation p, then q; q_ac = q_ab q_bc. KINDR16 "Rotation Quaternion"."""
    q, p = np.asarray(q, float), np.asarray(p, float)
    qw, qv = q[..., :1], q[..., 1:]
    pw, pv = p[..., :1], p[..., 1:]
    w = qw * pw - np.sum(qv * pv, axis=-1, keepdims=True)
    return np.concatenate([w, qw * pv + pw * qv + np.cross(qv, pv)], axis=-1)


def conjugate(q: ArrayLike) -> Array:
    """(w, -x, -y, -z), shape (..., 4); the inverse of a unit quaternion."""
    conjugated: Array = np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])
    return conjugated


def inverse(q: ArrayLike) -> Array:
    """q* / |q|^2, shape (..., 4); of any quaternion that is not zero."""
    q = np.asarray(q, float)
    inverted: Array = conjugate(q) / np.sum(q * q, axis=-1, keepdims=True)
    return inverted


def normalize(q: ArrayLike) -> Array:
    """q / |q|, shape (..., 4); keeps the sign of q."""
    q = np.asarray(q, float)
    unit: Array = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return unit


def canonical(q: ArrayLike) -> Array:
    """The one of q and -q with w >= 0, shape (..., 4): the rotation through at most pi.

    At w = 0 (a half turn) both are kept as they come.
    """
    q = np.asarray(q, float)
    flipped: Array = np.where(q[..., :1] < 0.0, -q, q)
    return flipped


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """q v q* for a unit q, shape (..., 3) [unit of v]: b-coordinates into a-coordinates for q_ab."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, u = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(u, v)
    rotated: Array = v + w * twice + np.cross(u, twice)
    return rotated


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrix 1 + 2 w [u] + 2 [u]^2 of a unit q = (w, u), shape (..., 3, 3) [1].

    Source: KINDR16 "Rotation Quaternion <=> Rotation Matrix".
    """
    q = np.asarray(q, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(R: ArrayLike) -> Array:
    """Unit quaternion of a rotation matrix, shape (..., 4), w >= 0.

    The matrix 4 q q^T is linear in R. Any of its rows is a multiple of q; the one with the largest diagonal entry
    (at least 1) loses no digits, whatever the angle (Shepperd 1978). At a half turn w = 0 and the sign of the axis
    makes its largest component positive.
    """
    R = np.asarray(R, float)
    r00, r01, r02 = R[..., 0, 0], R[..., 0, 1], R[..., 0, 2]
    r10, r11, r12 = R[..., 1, 0], R[..., 1, 1], R[..., 1, 2]
    r20, r21, r22 = R[..., 2, 0], R[..., 2, 1], R[..., 2, 2]
    wx, wy, wz = r21 - r12, r02 - r20, r10 - r01
    xy, yz, zx = r01 + r10, r12 + r21, r20 + r02
    ww, xx = 1.0 + (r00 + r11 + r22), 1.0 + (r00 - r11 - r22)
    yy, zz = 1.0 + (r11 - r00 - r22), 1.0 + (r22 - r00 - r11)
    rows = [[ww, wx, wy, wz], [wx, xx, xy, zx], [wy, xy, yy, yz], [wz, zx, yz, zz]]
    four_q_qT = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.stack([ww, xx, yy, zz], axis=-1), axis=-1)
    row = np.take_along_axis(four_q_qT, largest[..., None, None], axis=-2)[..., 0, :]
    return canonical(normalize(row))


def exp(v: ArrayLike) -> Array:
    """Unit quaternion of the rotation vector v [rad], shape (..., 4): (cos(theta/2), v sin(theta/2)/theta)."""
    v = np.asarray(v, float)
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * stumpff.c1(half) * v], axis=-1)


def log(q: ArrayLike) -> Array:
    """Rotation vector of q, shape (..., 3) [rad], |v| <= pi; the same for q and -q, and for any multiple of q.

    Erratum, KINDR16 "Rotation Quaternion <=> Rotation Angle-Axis": 2 arccos(p0) means q0, gives theta > pi for
    q0 < 0 and has no digits near the identity; theta = 2 atan2(|u|, |q0|), with q flipped when q0 < 0.
    """
    q = canonical(q)
    w, u = q[..., :1], q[..., 1:]
    length = np.linalg.norm(u, axis=-1, keepdims=True)
    zero = length == 0.0
    # At length 0, where u may still be too small to be squared, the limit of theta / |u| is 2 / w.
    angle_over_length = np.where(
        zero,
        2.0 / np.where(zero, np.where(w == 0.0, 1.0, w), 1.0),
        2.0 * np.arctan2(length, w) / np.where(zero, 1.0, length),
    )
    v: Array = angle_over_length * u
    return v


def left_matrix(q: ArrayLike) -> Array:
    """Q(q), shape (..., 4, 4): q p = Q(q) p. KINDR16 "quaternion matrix"."""
    q = np.asarray(q, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def right_matrix(p: ArrayLike) -> Array:
    """Qbar(p), shape (..., 4, 4): q p = Qbar(p) q. KINDR16 "conjugate quat. matrix"."""
    p = np.asarray(p, float)
    w, x, y, z = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    rows = [[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def H(q: ArrayLike) -> Array:
    """H(q) = (-u, [u] + w 1), shape (..., 3, 4): omega in the inertial frame a is 2 H(q_ab) qdot_ab.

    Source: KINDR16 "Time Derivative of Rotation Quaternion" (its dots on H are misprinted hats, the table is right).
    """
    # Rows 2 to 4 of Qbar(q*), the vector part of qdot q*.
    return right_matrix(conjugate(q))[..., 1:, :]


def Hbar(q: ArrayLike) -> Array:
    """Hbar(q) = (-u, -[u] + w 1), shape (..., 3, 4): omega in the body frame b is 2 Hbar(q_ab) qdot_ab.

    Source: KINDR16 as for H, where the bar on this one is lost in the table.
    """
    # Rows 2 to 4 of Q(q*), the vector part of q* qdot.
    return left_matrix(conjugate(q))[..., 1:, :]


def box_plus(q: ArrayLike, v: ArrayLike) -> Array:
    """exp(v) q, shape (..., 4): turn q by the rotation vector v [rad] given in the frame of the result. KINDR16."""
    return multiply(exp(v), q)


def box_minus(q1: ArrayLike, q2: ArrayLike) -> Array:
    """log(q1 q2^-1), shape (..., 3) [rad]: the shortest v with q1 = q2 box_plus v (up to sign). KINDR16."""
    return log(multiply(q1, conjugate(q2)))


def slerp(q0: ArrayLike, q1: ArrayLike, t: ArrayLike) -> Array:
    """q0 box_plus t (q1 box_minus q0), shape (..., 4): the shortest way from q0 (t=0) to +-q1 (t=1), constant speed.

    Source: KINDR16 "(Spherical) linear interpolation".
    """
    return box_plus(q0, np.asarray(t, float)[..., None] * box_minus(q1, q0))
