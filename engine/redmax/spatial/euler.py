# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles in all twelve orders, and the maps between their rates and the angular velocity.

    "zyx": angles (z, y, x), R = Rz(z) Ry(y) Rx(x)      KINDR16 "Euler Angles ZYX" (yaw-pitch-roll)
    "xyz": angles (x, y, z), R = Rx(x) Ry(y) Rz(z)      KINDR16 "Euler Angles XYZ", RBDN eq. 2.36
    "xzx": angles (a, b, c), R = Rx(a) Rz(b) Rx(c)      RBDN eq. 2.31

and so on: three different axes (Tait-Bryan angles), or the first axis again as the third (proper Euler angles).
Angles have shape (..., 3) [rad], in the order of the product. Results are canonical: first and last in [-pi, pi],
the middle one in [-pi/2, pi/2] for three different axes, in [0, pi] for proper Euler angles.

Gimbal lock is the middle angle at the end of its range, where only the sum or the difference of the other two counts.
There the last angle is set to 0 and the first carries the whole rotation. Angles extracted at lock, or at any
distance from it, give back the rotation to round-off, though single angles near lock are as ill-conditioned as they
must be. For xzx and its like the identity is at lock: b and a + c of a rotation of 1e-12 rad are small, a and c are
not, so these sets keep the absolute but not the relative accuracy of tiny rotations.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from ..arrays import Array, ArrayLike
from ..errors import RedMaxError
from . import quaternion, so3
from .singularity import SingularParametrisationError

Sequence: TypeAlias = Literal["zyx", "xyz", "xzx", "xyx", "yzy", "yxy", "zxz", "zyz", "xzy", "yzx", "yxz", "zxy"]
Frame: TypeAlias = Literal["body", "inertial"]

LOCK = 4.0 * np.finfo(np.float64).eps
"""Distance from gimbal lock below which it is gimbal lock [rad]: moving an angle by that much is round-off."""

_AXES = {name: ("xyz".index(name[0]), "xyz".index(name[1]), "xyz".index(name[2])) for name in get_args(Sequence)}


def axes(sequence: str) -> tuple[int, int, int]:
    """The axes turned about, in the order of the product: (2, 1, 0) for "zyx"."""
    if sequence not in _AXES:
        raise RedMaxError(f"Euler sequence '{sequence}' is not known; use one of {', '.join(get_args(Sequence))}")
    return _AXES[sequence]


def _third_axis(i: int, j: int) -> tuple[int, float]:
    """The axis k that is neither i nor j, and the sign e of e_i x e_j = e e_k."""
    return 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0


def _elementary_quaternion(angle: Array, axis: int) -> Array:
    q = np.zeros((*angle.shape, 4))
    q[..., 0] = np.cos(0.5 * angle)
    q[..., 1 + axis] = np.sin(0.5 * angle)
    return q


_ROTATIONS = (so3.rot_x, so3.rot_y, so3.rot_z)


def _wrapped(angle: Array) -> Array:
    """An angle in [-2 pi, 2 pi] brought to [-pi, pi]; those already there are not touched."""
    wrapped: Array = np.where(angle > np.pi, angle - 2.0 * np.pi, np.where(angle < -np.pi, angle + 2.0 * np.pi, angle))
    return wrapped


def to_matrix(angles: ArrayLike, sequence: Sequence) -> Array:
    """Rotation matrix R_i(angles_0) R_j(angles_1) R_k(angles_2), shape (..., 3, 3) [1]."""
    angles = np.asarray(angles, float)
    first, middle, last = (_ROTATIONS[axis](angles[..., n]) for n, axis in enumerate(axes(sequence)))
    R: Array = first @ middle @ last
    return R


def to_quaternion(angles: ArrayLike, sequence: Sequence) -> Array:
    """Unit quaternion of the same product, shape (..., 4); its sign follows the angles."""
    angles = np.asarray(angles, float)
    first, middle, last = (_elementary_quaternion(angles[..., n], axis) for n, axis in enumerate(axes(sequence)))
    return quaternion.multiply(quaternion.multiply(first, middle), last)


def from_matrix(R: ArrayLike, sequence: Sequence) -> Array:
    """Canonical angles of a rotation matrix, shape (..., 3) [rad]."""
    return from_quaternion(quaternion.from_matrix(R), sequence)


def from_quaternion(q: ArrayLike, sequence: Sequence) -> Array:
    """Canonical angles of a quaternion of any length and sign, shape (..., 3) [rad].

    For xzx, with half-angles and the axes i, j and e k = i j:

        q = cos(b/2) exp(i (a+c)/2) + sin(b/2) exp(i (a-c)/2) j,

    so half the sum and half the difference of the outer angles are the phases of two pairs of components, and b comes
    from the lengths of the pairs. Near lock one pair is short and its phase is noise, but the same noise goes into
    both outer angles and is worth no more than the length of the pair. R_k(c) = R_j(-pi/2) R_i(e c) R_j(pi/2) brings
    three different axes to the same form. (Method of Bernardes and Viollet 2022, with the middle angle by its sine
    near zero.)
    """
    i, j, last = axes(sequence)
    k, e = _third_axis(i, j)
    q = quaternion.canonical(q)
    w, qi, qj, qk = q[..., 0], q[..., 1 + i], q[..., 1 + j], e * q[..., 1 + k]
    proper = last == i
    if proper:
        sum_pair, difference_pair = (w, qi), (qj, qk)
    else:
        # Components of q r_j(-pi/2), times sqrt(2); its middle angle b - pi/2 <= 0 flips the second pair.
        sum_pair, difference_pair = (w + qj, qi + qk), (w - qj, qi - qk)
    sum_length, difference_length = np.hypot(*sum_pair), np.hypot(*difference_pair)
    half_sum = np.arctan2(sum_pair[1], sum_pair[0])
    half_difference = np.arctan2(difference_pair[1], difference_pair[0])

    if proper:
        middle = 2.0 * np.arctan2(difference_length, sum_length)
        # Relative to the whole rotation: 1e-20 rad about z is no lock, 1e-20 rad of round-off about z in Rx(1) is.
        no_difference = difference_length <= LOCK * np.hypot(qi, difference_length)
    else:
        # Sine and cosine, not the lengths: the difference of two numbers near pi/2 has no relative accuracy at zero.
        middle = np.arctan2(2.0 * (w * qj + qi * qk), sum_length * difference_length)
        no_difference = difference_length <= LOCK
    no_sum = sum_length <= LOCK
    half_difference = np.where(no_difference, half_sum, half_difference)
    half_sum = np.where(no_sum, half_difference, half_sum)

    outer_sign = 1.0 if proper else e
    first = _wrapped(half_sum + half_difference)
    third = outer_sign * _wrapped(half_sum - half_difference)
    return np.stack([first, middle, third], axis=-1)


def rates_map(angles: ArrayLike, sequence: Sequence, *, frame: Frame) -> Array:
    """E with omega = E rates, shape (..., 3, 3) [1]; omega [rad/s] in the inertial or in the body frame.

    The columns are the three axes turned about. With b the middle angle, det E = +cos b for xyz, yzx and zxy,
    -cos b for the other three different axes, -sin b for proper Euler angles.
    Source: KINDR16 appendix I eq. 1-8 (zyx). Errata there: eq. 4 has cos(z) for cos(y) in R_y and -sin(z) for -sin(y)
    in the result; eq. 5 is right.
    """
    turn, inner, _ = _factors(np.asarray(angles, float), sequence, frame)
    E: Array = turn @ inner
    return E


def rates_map_inverse(angles: ArrayLike, sequence: Sequence, *, frame: Frame) -> Array:
    """E^-1 with rates = E^-1 omega, shape (..., 3, 3) [1]. Entries grow like 1/distance to gimbal lock.

    At lock (closer than LOCK) there is a direction of omega no rates can give: SingularParametrisationError.
    Erratum, KINDR16 "Time Derivative of Euler Angles ZYX": the inverse for the inertial frame in the main table has
    fractions upside down and misses -sin(z); appendix I eq. 6 is right.
    """
    angles = np.asarray(angles, float)
    turn, inner, determinant = _factors(angles, sequence, frame)
    if np.any(np.abs(determinant) <= LOCK):
        raise SingularParametrisationError(
            f"Euler angles {sequence} are in gimbal lock, where their rates cannot follow every angular velocity; "
            "use a quaternion or rotation vector, or another sequence"
        )
    a, b, c = inner[..., :, 0], inner[..., :, 1], inner[..., :, 2]
    adjugate = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=-2)
    E_inverse: Array = (adjugate / determinant[..., None, None]) @ np.swapaxes(turn, -1, -2)
    return E_inverse


def _factors(angles: Array, sequence: str, frame: str) -> tuple[Array, Array, Array]:
    """E = turn inner, with a rotation `turn` and an `inner` that holds the middle angle only; and det E.

    inertial: E = R_i (e_i, e_j, R_j e_k).   body: E = R_k^T (R_j^T e_i, e_j, e_k).
    """
    i, j, k = axes(sequence)
    R_j = _ROTATIONS[j](angles[..., 1])
    inner = np.zeros((*angles.shape[:-1], 3, 3))
    inner[..., j, 1] = 1.0
    if frame == "inertial":
        turn = _ROTATIONS[i](angles[..., 0])
        inner[..., i, 0] = 1.0
        inner[..., :, 2] = R_j[..., :, k]
    elif frame == "body":
        turn = np.swapaxes(_ROTATIONS[k](angles[..., 2]), -1, -2)
        inner[..., :, 0] = R_j[..., i, :]
        inner[..., k, 2] = 1.0
    else:
        raise RedMaxError(f"frame '{frame}' is not known; use 'body' or 'inertial'")
    third, e = _third_axis(i, j)
    determinant: Array = e * np.cos(angles[..., 1]) if third == k else -np.sin(angles[..., 1])
    return turn, inner, determinant
