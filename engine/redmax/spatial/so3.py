# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation matrices: the group SO(3), its exponential map and the Jacobians of that map.

R_ab maps b-coordinates to a-coordinates (KINDR16's C_IB with a = I, b = B). A rotation vector v [rad] has the
axis v/|v| and the angle |v|. Every function is vectorised over the leading axes and broadcasts.
Source: KINDR16 "Orientation/Rotation", "Exponential map", "Logarithmic map" and "Derivatives".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike, BoolArray
from . import quaternion, stumpff

ROTATION_TOLERANCE = 1e-9
"""Default of `is_rotation`: above the round-off of long products, below anything visible [1]."""


def hat(v: ArrayLike) -> Array:
    """[v], shape (..., 3, 3), the skew matrix with [v] x = v cross x. KINDR16 "Operators", RBDN eq. 1.7."""
    v = np.asarray(v, float)
    A = np.zeros((*v.shape, 3))
    A[..., 2, 1], A[..., 1, 2] = v[..., 0], -v[..., 0]
    A[..., 0, 2], A[..., 2, 0] = v[..., 1], -v[..., 1]
    A[..., 1, 0], A[..., 0, 1] = v[..., 2], -v[..., 2]
    return A


def vee(A: ArrayLike) -> Array:
    """The v of [v] = (A - A^T)/2, shape (..., 3): undoes `hat`, and ignores a symmetric part."""
    A = np.asarray(A, float)
    upper = np.stack([A[..., 1, 2], A[..., 2, 0], A[..., 0, 1]], axis=-1)
    lower = np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)
    v: Array = 0.5 * (lower - upper)
    return v


def _quadratic(v: Array, linear: Array, square: Array) -> Array:
    """1 + linear [v] + square [v]^2, shape (..., 3, 3): the shape of exp and of all its Jacobians."""
    V = hat(v)
    series: Array = linear[..., None, None] * V + square[..., None, None] * (V @ V)
    return np.eye(3) + series


def _angle(v: Array) -> Array:
    angle: Array = np.linalg.norm(v, axis=-1)
    return angle


def exp(v: ArrayLike) -> Array:
    """Rotation matrix of the rotation vector v [rad], shape (..., 3, 3) [1]; any length of v (Rodrigues)."""
    v = np.asarray(v, float)
    theta = _angle(v)
    return _quadratic(v, stumpff.c1(theta), stumpff.c2(theta))


def log(R: ArrayLike) -> Array:
    """Rotation vector of R, shape (..., 3) [rad], |v| in [0, pi], accurate at every angle.

    At a half turn both v and -v are right; the one with its largest component positive is returned.
    Through the quaternion: arccos of the trace has no digits near 0 and pi.
    """
    return quaternion.log(quaternion.from_matrix(R))


def left_jacobian(v: ArrayLike) -> Array:
    """Gamma(v) = 1 + c_2 [v] + c_3 [v]^2, shape (..., 3, 3) [1]: omega in the inertial frame is Gamma(v) vdot.

    exp(v + dv) = exp(Gamma(v) dv) exp(v) to first order. Singular at |v| = 2 pi k, k > 0.
    Source: KINDR16 "Jacobian of exponential map". Erratum: it prints 1 - cos|v| without the parentheses of
    (1 - cos|v|) [v] / |v|^2, and keeps the closed form down to |v| = 0 (see stumpff.py).
    """
    v = np.asarray(v, float)
    theta = _angle(v)
    return _quadratic(v, stumpff.c2(theta), stumpff.c3(theta))


def right_jacobian(v: ArrayLike) -> Array:
    """Gamma(-v) = Gamma(v)^T, shape (..., 3, 3) [1]: omega in the body frame is right_jacobian(v) vdot.

    exp(v + dv) = exp(v) exp(right_jacobian(v) dv) to first order. RM19 eq. 37-38, the S of the spherical joint, is
    this matrix.
    """
    return left_jacobian(-np.asarray(v, float))


def left_jacobian_inverse(v: ArrayLike) -> Array:
    """Gamma(v)^-1 = 1 - [v]/2 + (1 - (theta/2) cot(theta/2))/theta^2 [v]^2, shape (..., 3, 3) [1].

    Singular at |v| = 2 pi k, k > 0: grows like 1/(2 pi - |v|) there; no error is raised, the entries are just huge.
    Source: KINDR16 "Time Derivative of Rotation Vector", with sin/(1 - cos) = cot(theta/2).
    """
    v = np.asarray(v, float)
    theta = _angle(v)
    return _quadratic(v, np.full_like(theta, -0.5), stumpff.cotangent_coefficient(theta))


def right_jacobian_inverse(v: ArrayLike) -> Array:
    """right_jacobian(v)^-1 = left_jacobian_inverse(-v), shape (..., 3, 3) [1]; singular as that one."""
    return left_jacobian_inverse(-np.asarray(v, float))


def left_jacobian_dot(v: ArrayLike, vdot: ArrayLike) -> Array:
    """d/dt left_jacobian(v(t)), shape (..., 3, 3) [1/s]; at v = 0 it is [vdot]/2.

    With (1/theta) dc_k/dtheta from stumpff.py and theta thetadot = v . vdot.
    """
    v, vdot = np.asarray(v, float), np.asarray(vdot, float)
    theta = _angle(v)
    V, Vdot = hat(v), hat(vdot)
    theta_thetadot = np.sum(v * vdot, axis=-1)
    c2dot = (stumpff.c2_slope(theta) * theta_thetadot)[..., None, None]
    c3dot = (stumpff.c3_slope(theta) * theta_thetadot)[..., None, None]
    c2, c3 = stumpff.c2(theta)[..., None, None], stumpff.c3(theta)[..., None, None]
    rate: Array = c2dot * V + c2 * Vdot + c3dot * (V @ V) + c3 * (Vdot @ V + V @ Vdot)
    return rate


def right_jacobian_dot(v: ArrayLike, vdot: ArrayLike) -> Array:
    """d/dt right_jacobian(v(t)), shape (..., 3, 3) [1/s]: the Sdot of the spherical joint; at v = 0 it is -[vdot]/2.

    RM19 eq. 39-41 and section 4.7 give no limit at v = 0 (the reference code returns 0), and lose digits near it:
    7e-9 at |v| = 1e-4.
    """
    return left_jacobian_dot(-np.asarray(v, float), -np.asarray(vdot, float))


def box_plus(R: ArrayLike, v: ArrayLike) -> Array:
    """exp(v) R, shape (..., 3, 3): turn R_ab by the rotation vector v [rad] given in a. KINDR16 "Box plus"."""
    turned: Array = exp(v) @ np.asarray(R, float)
    return turned


def box_minus(R1: ArrayLike, R2: ArrayLike) -> Array:
    """log(R1 R2^T), shape (..., 3) [rad]: the shortest v with R1 = R2 box_plus v. KINDR16 "Box minus"."""
    return log(np.asarray(R1, float) @ np.swapaxes(np.asarray(R2, float), -1, -2))


def slerp(R0: ArrayLike, R1: ArrayLike, t: ArrayLike) -> Array:
    """R0 box_plus t (R1 box_minus R0), shape (..., 3, 3): the shortest way from R0 (t=0) to R1 (t=1), constant speed.

    Source: KINDR16 "(Spherical) linear interpolation".
    """
    return box_plus(R0, np.asarray(t, float)[..., None] * box_minus(R1, R0))


def _elementary(angle: ArrayLike, axis: int) -> Array:
    angle = np.asarray(angle, float)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*angle.shape, 3, 3))
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = np.cos(angle)
    R[..., j, i] = np.sin(angle)
    R[..., i, j] = -R[..., j, i]
    return R


def rot_x(angle: ArrayLike) -> Array:
    """Rotation about x by `angle` [rad], shape (..., 3, 3). KINDR16 "Elementary Rotations"."""
    return _elementary(angle, 0)


def rot_y(angle: ArrayLike) -> Array:
    """Rotation about y by `angle` [rad], shape (..., 3, 3). KINDR16 "Elementary Rotations"."""
    return _elementary(angle, 1)


def rot_z(angle: ArrayLike) -> Array:
    """Rotation about z by `angle` [rad], shape (..., 3, 3). KINDR16 "Elementary Rotations"."""
    return _elementary(angle, 2)


def project(A: ArrayLike) -> Array:
    """The rotation nearest to A in the Frobenius norm, shape (..., 3, 3) [1]: U diag(1, 1, det(U V^T)) V^T.

    Unique unless the smallest singular value is zero twice over, or repeated while det A < 0.
    """
    U, _, Vt = np.linalg.svd(np.asarray(A, float))
    signs = np.ones(U.shape[:-1])
    signs[..., 2] = np.where(np.linalg.det(U @ Vt) < 0.0, -1.0, 1.0)
    nearest: Array = (U * signs[..., None, :]) @ Vt
    return nearest


def is_rotation(R: ArrayLike, tol: float = ROTATION_TOLERANCE) -> BoolArray:
    """Whether |R^T R - 1| <= tol entrywise and det R > 0, shape (...). Source: RBDN eq. 1.3."""
    R = np.asarray(R, float)
    gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-2, -1))
    proper: BoolArray = np.asarray((gap <= tol) & (np.linalg.det(R) > 0.0))
    return proper


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Array:
    """Uniformly distributed rotations, (*shape, 3, 3): four normals, normalised, are a uniform unit quaternion."""
    return quaternion.to_matrix(quaternion.normalize(rng.standard_normal((*shape, 4))))
