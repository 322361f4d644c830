# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of velocities and angular velocities of rigid bodies, by name.

All vectors of one call are written along the axes of one frame, which a rule names; shapes (..., 3) broadcast. I is an
inertial frame, omega_IB [rad/s] the angular velocity of frame B relative to I. Velocities [m/s] are relative to I.
Source: KINDR16 "Linear Velocity" and "Angular Velocity".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from . import so3


def point_velocity(v_A: ArrayLike, rdot_AP: ArrayLike, omega_IB: ArrayLike, r_AP: ArrayLike) -> Array:
    """v_P = v_A + rdot_AP + omega_IB x r_AP [m/s], in B: of a point P seen from a moving point A.

    r_AP [m] and rdot_AP [m/s]: the numbers of the way from A to P in the turning frame B, and their rates.
    """
    v, rdot = np.asarray(v_A, float), np.asarray(rdot_AP, float)
    velocity: Array = v + rdot + np.cross(np.asarray(omega_IB, float), np.asarray(r_AP, float))
    return velocity


def body_point_velocity(v_P: ArrayLike, omega_IB: ArrayLike, r_PQ: ArrayLike) -> Array:
    """v_Q = v_P + omega_IB x r_PQ [m/s], in any frame: of another point Q of the same rigid body B."""
    return point_velocity(v_P, np.zeros(3), omega_IB, r_PQ)


def reversed_angular_velocity(omega_IB: ArrayLike) -> Array:
    """omega_BI = -omega_IB [rad/s], in the same frame: how I turns as seen from B."""
    return -np.asarray(omega_IB, float)


def angular_velocity_in(C_IB: ArrayLike, omega_B: ArrayLike) -> Array:
    """omega in I = C_IB omega in B [rad/s]: one angular velocity along the axes of another frame."""
    omega: Array = np.einsum("...ij,...j->...i", np.asarray(C_IB, float), np.asarray(omega_B, float))
    return omega


def angular_velocity_matrix_in(C_IB: ArrayLike, hat_B: ArrayLike) -> Array:
    """[omega] in I = C_IB [omega] C_IB^T, shape (..., 3, 3) [rad/s]. Erratum: the sheet prints dots over omega."""
    C = np.asarray(C_IB, float)
    return so3.hat(so3.vee(C @ np.asarray(hat_B, float) @ np.swapaxes(C, -1, -2)))


def composed_angular_velocity(*relative: ArrayLike) -> Array:
    """omega_AD = omega_AB + omega_BC + omega_CD [rad/s]: of the last frame of a chain, all in one frame."""
    total: Array = np.sum(np.broadcast_arrays(*(np.asarray(omega, float) for omega in relative)), axis=0)
    return total


def passive_rotation_rate(omega_B: ArrayLike) -> Array:
    """The rate of the passive rotation Phi_BI by small turns in B: -omega_IB in B [rad/s].

    Source: KINDR16 "Derivatives".
    """
    return -np.asarray(omega_B, float)
