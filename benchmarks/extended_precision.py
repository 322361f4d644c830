# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics in 80-bit arithmetic, written for this purpose alone: it shares no code with any engine.

Everything is in world axes: velocities of the centres of mass by summing over the joints, then M qddot = f from
virtual power, solved by Cholesky. O(n^3), slow, and simple enough to trust.
"""

from __future__ import annotations

import numpy as np

from .mechanisms import GRAVITY, REVOLUTE, Mechanism

EXTENDED = np.longdouble
DIGITS = float(np.finfo(EXTENDED).eps)
"""1.1e-19 on x86; where `longdouble` is only double, errors near 1e-16 mean nothing."""


def rotation_from_vector(vector: np.ndarray) -> np.ndarray:
    """(3, 3) exp of a rotation vector (3,): 1 + sin(a)/a K + (1 - cos a)/a^2 K^2."""
    x, y, z = vector = np.asarray(vector, EXTENDED)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], EXTENDED)
    a = np.sqrt(vector @ vector)
    if a < EXTENDED(1e-9):
        return np.eye(3, dtype=EXTENDED) + K + K @ K / 2
    half = np.sin(a / 2) / a
    return np.eye(3, dtype=EXTENDED) + np.sin(a) / a * K + 2 * half * half * (K @ K)


def spin_from_rates(vector: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Angular velocity (3,) in the moved frame of a rotation vector (3,) that changes at `rates` (3,).

    J = 1 - (1 - cos a)/a^2 K + (a - sin a)/a^3 K^2.
    """
    x, y, z = vector = np.asarray(vector, EXTENDED)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], EXTENDED)
    a = np.sqrt(vector @ vector)
    if a < EXTENDED(0.05):  # the closed form loses digits: a^2 ^ 6 / 15! is below 1e-27
        square = a * a
        one, two, term_one, term_two = EXTENDED(0), EXTENDED(0), EXTENDED(0.5), EXTENDED(1) / 6
        for k in range(6):
            one, two = one + term_one, two + term_two
            term_one, term_two = (
                -term_one * square / ((2 * k + 3) * (2 * k + 4)),
                -term_two * square / ((2 * k + 4) * (2 * k + 5)),
            )
    else:
        half = np.sin(a / 2) / a
        one, two = 2 * half * half, (a - np.sin(a)) / (a * a * a)
    return (np.eye(3, dtype=EXTENDED) - one * K + two * (K @ K)) @ np.asarray(rates, EXTENDED)


def rotation_from_quaternion(quaternion: np.ndarray) -> np.ndarray:
    """(3, 3) of (w, x, y, z), made a unit first."""
    quaternion = np.asarray(quaternion, EXTENDED)
    w, x, y, z = quaternion / np.sqrt(quaternion @ quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ],
        EXTENDED,
    )


def joint_accelerations(mechanism: Mechanism, rotations: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """(n, 3) time derivatives of the joints' angular velocities `spin` (n, 3), both in the child's frame.

    rotations: (n, 3, 3) child relative to parent.
    """
    n, nr = len(mechanism), mechanism.dof
    gravity = np.array([0, 0, -GRAVITY], EXTENDED)
    R, omega, alpha = np.zeros((n, 3, 3), EXTENDED), np.zeros((n, 3), EXTENDED), np.zeros((n, 3), EXTENDED)
    place, drift = np.zeros((n, 3), EXTENDED), np.zeros((n, 3), EXTENDED)
    turning, moving = np.zeros((n, 3, nr), EXTENDED), np.zeros((n, 3, nr), EXTENDED)  # of the link frames
    J, MJ, force = np.zeros((n, 6, nr), EXTENDED), np.zeros((n, 6, nr), EXTENDED), np.zeros((n, 6), EXTENDED)
    axes = []
    column = 0
    for i, link in enumerate(mechanism.links):
        p, arm = link.parent, np.asarray(link.offset, EXTENDED)
        if p >= 0:
            arm = R[p] @ arm
            R[i] = R[p] @ rotations[i]
            omega[i], alpha[i] = omega[p], alpha[p]
            place[i] = place[p] + arm
            drift[i] = drift[p] + np.cross(alpha[p], arm) + np.cross(omega[p], np.cross(omega[p], arm))
            turning[i] = turning[p]
            moving[i] = moving[p] + _cross_columns(turning[p], arm)
        else:
            R[i], place[i] = rotations[i], arm
        own = R[i] @ np.asarray(spin[i], EXTENDED)
        alpha[i] = alpha[i] + np.cross(omega[i], own)  # of the axes that the joint's velocities are written in
        omega[i] = omega[i] + own
        S = np.asarray(link.axis, EXTENDED)[:, None] if link.joint == REVOLUTE else np.eye(3, dtype=EXTENDED)
        axes.append((S, slice(column, column + S.shape[1])))
        turning[i][:, axes[-1][1]] = R[i] @ S
        column += S.shape[1]

        center = R[i] @ np.asarray(link.center, EXTENDED)
        m, I = EXTENDED(link.mass), R[i] @ np.diag(np.asarray(link.inertia, EXTENDED)) @ R[i].T
        bias = drift[i] + np.cross(alpha[i], center) + np.cross(omega[i], np.cross(omega[i], center))
        J[i, :3], J[i, 3:] = turning[i], moving[i] + _cross_columns(turning[i], center)
        MJ[i, :3], MJ[i, 3:] = I @ turning[i], m * J[i, 3:]
        force[i, :3], force[i, 3:] = -(I @ alpha[i]) - np.cross(omega[i], I @ omega[i]), m * (gravity - bias)
    J, MJ = J.reshape(6 * n, nr), MJ.reshape(6 * n, nr)
    x = solve(J.T @ MJ, J.T @ force.reshape(-1))
    return np.array([S @ x[columns] for S, columns in axes])


def _cross_columns(turning: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """turning x arm, column by column, (3, nr)."""
    return np.cross(turning.T, arm).T


def solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A^-1 b by Cholesky, A symmetric and positive definite, in the precision of A."""
    L, x = np.zeros_like(A), b.copy()
    for k in range(len(b)):
        column = A[k:, k] - L[k:, :k] @ L[k, :k]
        L[k:, k] = column / np.sqrt(column[0])
        x[k] = (x[k] - L[k, :k] @ x[:k]) / L[k, k]
    for k in reversed(range(len(b))):
        x[k] = (x[k] - L[k + 1 :, k] @ x[k + 1 :]) / L[k, k]
    return x
