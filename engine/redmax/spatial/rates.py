# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates of every rotation parametrisation and the angular velocity, in both frames and both directions.

omega [rad/s] is the angular velocity of frame b relative to a, for x the parametrisation of R_ab (rotation.py); written
in b with frame="body" (KINDR16's B_omega_IB) and in a with frame="inertial" (I_omega_IB). xdot has the shape of x.

A quaternion has to be of unit length, an axis too. Where a parametrisation is singular the rates of a general omega do
not exist: SingularParametrisationError for Euler angles in gimbal lock and for angle-axis at theta = 0 (mod 2 pi).
The rotation vector is singular at |v| = 2 pi (never in canonical form), where its rates grow without an error.
Source: KINDR16 "Time Derivative of ..." and "Discrete integration".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from ..errors import RedMaxError
from . import euler, quaternion, rotation, so3
from .rotation import Parametrisation
from .singularity import SingularParametrisationError

Frame = euler.Frame


def _inertial(frame: str) -> bool:
    if frame not in ("body", "inertial"):
        raise RedMaxError(f"frame '{frame}' is not known; use 'body' or 'inertial'")
    return frame == "inertial"


def _times(matrix: Array, vector: Array) -> Array:
    product: Array = (matrix @ vector[..., None])[..., 0]
    return product


def rates_to_angular_velocity(
    x: ArrayLike, xdot: ArrayLike, parametrisation: Parametrisation | str, *, frame: Frame
) -> Array:
    """Angular velocity of the rotation x changing at the rate xdot [1/s], shape (..., 3) [rad/s]."""
    parametrisation, inertial = rotation.named(parametrisation), _inertial(frame)
    x, xdot = rotation.checked(x, parametrisation), rotation.checked(xdot, parametrisation)
    match parametrisation:
        case Parametrisation.MATRIX:
            R_T = np.swapaxes(x, -1, -2)
            return so3.vee(xdot @ R_T if inertial else R_T @ xdot)
        case Parametrisation.QUATERNION:
            return 2.0 * _times(quaternion.H(x) if inertial else quaternion.Hbar(x), xdot)
        case Parametrisation.ANGLE_AXIS:
            return _angle_axis_angular_velocity(x, xdot, inertial=inertial)
        case Parametrisation.ROTATION_VECTOR:
            return _times(so3.left_jacobian(x) if inertial else so3.right_jacobian(x), xdot)
        case _:
            return _times(euler.rates_map(x, rotation.EULER_SEQUENCES[parametrisation], frame=frame), xdot)


def angular_velocity_to_rates(
    x: ArrayLike, omega: ArrayLike, parametrisation: Parametrisation | str, *, frame: Frame
) -> Array:
    """Rates xdot [1/s] of the rotation x turning with omega [rad/s], in the shape of x (broadcast with omega)."""
    parametrisation, inertial = rotation.named(parametrisation), _inertial(frame)
    x, omega = rotation.checked(x, parametrisation), np.asarray(omega, float)
    match parametrisation:
        case Parametrisation.MATRIX:
            Rdot: Array = so3.hat(omega) @ x if inertial else x @ so3.hat(omega)
            return Rdot
        case Parametrisation.QUATERNION:
            half_H = 0.5 * (quaternion.H(x) if inertial else quaternion.Hbar(x))
            return _times(np.swapaxes(half_H, -1, -2), omega)
        case Parametrisation.ANGLE_AXIS:
            return _angle_axis_rates(x, omega, inertial=inertial)
        case Parametrisation.ROTATION_VECTOR:
            return _times(so3.left_jacobian_inverse(x) if inertial else so3.right_jacobian_inverse(x), omega)
        case _:
            return _times(euler.rates_map_inverse(x, rotation.EULER_SEQUENCES[parametrisation], frame=frame), omega)


def _angle_axis_angular_velocity(x: Array, xdot: Array, *, inertial: bool) -> Array:
    """n thetadot + ndot sin(theta) +- n x ndot (1 - cos(theta)), + in the inertial frame.

    Erratum, KINDR16 "Time Derivative of Angle-Axis": it prints ndot theta for n thetadot.
    """
    theta, n = x[..., :1], x[..., 1:]
    thetadot, ndot = xdot[..., :1], xdot[..., 1:]
    versine = 2.0 * np.sin(0.5 * theta) ** 2
    sign = 1.0 if inertial else -1.0
    omega: Array = n * thetadot + ndot * np.sin(theta) + sign * versine * np.cross(n, ndot)
    return omega


def _angle_axis_rates(x: Array, omega: Array, *, inertial: bool) -> Array:
    """(n . omega, -cot(theta/2)/2 n x (n x omega) -+ n x omega / 2), - in the inertial frame.

    KINDR16 writes cot(theta/2) as sin/(1 - cos), which has no digits for small theta.
    """
    theta, n = x[..., :1], x[..., 1:]
    sine = np.sin(0.5 * theta)
    # |theta - 2 pi k| <= LOCK; only for k = 0 does a tiny theta, 1e-20, still have an axis and all its digits.
    if np.any((theta == 0.0) | ((np.abs(theta) > np.pi) & (np.abs(sine) <= euler.LOCK))):
        raise SingularParametrisationError(
            "angle-axis has no rates at theta = 0, where its axis is arbitrary; use a rotation vector or a quaternion"
        )
    across = np.cross(n, omega)
    sign = 1.0 if inertial else -1.0
    ndot = -0.5 * np.cos(0.5 * theta) / sine * np.cross(n, across) - sign * 0.5 * across
    thetadot = np.sum(n * omega, axis=-1, keepdims=True)
    return np.concatenate([np.broadcast_to(thetadot, (*ndot.shape[:-1], 1)), ndot], axis=-1)


def integrate(
    x: ArrayLike, omega: ArrayLike, dt: ArrayLike, parametrisation: Parametrisation | str, *, frame: Frame
) -> Array:
    """The rotation x after turning with constant omega [rad/s] for dt [s]: exact, in the canonical form of x.

    inertial: x_ab box_plus omega dt.   body: the inverse of (x_ba box_plus -omega dt), which is x_ab exp(omega dt).
    Erratum, KINDR16 "Discrete integration": for Phi_BI it prints a box-minus of -B_omega dt; it is a box-plus.
    """
    turn = quaternion.exp(np.asarray(dt, float)[..., None] * np.asarray(omega, float))
    q = rotation.to_quaternion(x, parametrisation)
    turned = quaternion.multiply(turn, q) if _inertial(frame) else quaternion.multiply(q, turn)
    return rotation.from_quaternion(turned, parametrisation)


def differentiate(
    x0: ArrayLike, x1: ArrayLike, dt: ArrayLike, parametrisation: Parametrisation | str, *, frame: Frame
) -> Array:
    """The constant omega [rad/s], shape (..., 3), that brings x0 to x1 in dt [s] the shorter way round.

    inertial: (x1_ab box_minus x0_ab) / dt.   body: -(x1_ba box_minus x0_ba) / dt. KINDR16 "Discrete differential".
    Undoes `integrate` as long as |omega| dt < pi.
    """
    q0, q1 = rotation.to_quaternion(x0, parametrisation), rotation.to_quaternion(x1, parametrisation)
    if _inertial(frame):
        angle = quaternion.box_minus(q1, q0)
    else:
        angle = -quaternion.box_minus(quaternion.conjugate(q1), quaternion.conjugate(q0))
    omega: Array = angle / np.asarray(dt, float)[..., None]
    return omega
