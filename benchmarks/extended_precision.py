# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics with more digits than any engine: 80-bit arithmetic, or mpmath's numbers where given.

Written for this purpose alone; it shares no code with an engine. `joint_accelerations` is the articulated-body
recursion in link frames, whose rounding errors do not grow with the condition of the mass matrix: in 80 bits it is
good to 1e-17 on chains of 100 links, nearly straight ones included. `by_projection` forms the mass matrix in world
axes and solves; it is independent of the recursion but loses 1e-19 times the condition (6e-12 on the same chains),
so that it checks formulas, not last digits.
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

    rotations: (n, 3, 3) child relative to parent. Their numbers decide the arithmetic: longdouble, or mpmath's.
    """
    kind, n = rotations.dtype, len(mechanism)
    zero = rotations.flat[0] * 0

    def exact(values: object) -> np.ndarray:
        """Doubles as numbers of that arithmetic; numpy 1 would let arrays of doubles win over longer scalars."""
        return np.asarray(values, np.float64).astype(kind) + zero

    links = mechanism.links
    spin = spin if spin.dtype == kind else exact(spin)
    X, S, omega, c = [], [], [], []
    inertia, force = [], []
    for i, link in enumerate(links):
        R, r, center, m = rotations[i], exact(link.offset), exact(link.center), exact([link.mass])[0]
        X.append(np.block([[R.T, exact(np.zeros((3, 3)))], [-R.T @ _hat(r), R.T]]))
        axes = np.array(link.axis)[:, None] if link.joint == REVOLUTE else np.eye(3)
        S.append(exact(np.vstack([axes, np.zeros_like(axes)])))
        # Accelerations are those of points, not spatial ones: no velocity of translation ever enters, and with it
        # goes the cancellation of v x m v, which costs four digits at the end of a long chain.
        carried = exact(np.zeros(3)) if link.parent < 0 else omega[link.parent]
        omega.append(R.T @ carried + spin[i])
        c.append(np.concatenate([np.cross(omega[i], spin[i]), R.T @ np.cross(carried, np.cross(carried, r))]))
        com = _hat(center)
        I_o = exact(np.diag(link.inertia)) - m * (com @ com)
        inertia.append(np.block([[I_o, m * com], [-m * com, m * exact(np.eye(3))]]))
        swing = m * np.cross(omega[i], np.cross(omega[i], center))
        force.append(np.concatenate([np.cross(omega[i], I_o @ omega[i]), swing]))
    U, D, u = [None] * n, [None] * n, [None] * n
    for i in reversed(range(n)):
        U[i] = inertia[i] @ S[i]
        D[i], u[i] = S[i].T @ U[i], -(S[i].T @ force[i])
        p = links[i].parent
        if p >= 0:
            # Solving for U^T and u at once; the average with the transpose keeps the inertia symmetric.
            back = solve_small(D[i], np.column_stack([U[i].T, u[i]]))
            Ia = inertia[i] - U[i] @ back[:, :6]
            Ia = (Ia + Ia.T) / 2
            pa = force[i] + Ia @ c[i] + U[i] @ back[:, 6]
            inertia[p] = inertia[p] + X[i].T @ Ia @ X[i]
            force[p] = force[p] + X[i].T @ pa
    base = exact([0, 0, 0, 0, 0, GRAVITY])
    A, result = [], []
    for i, link in enumerate(links):
        a = X[i] @ (base if link.parent < 0 else A[link.parent]) + c[i]
        x = solve_small(D[i], (u[i] - U[i].T @ a)[:, None])[:, 0]
        A.append(a + S[i] @ x)
        result.append(S[i][:3] @ x)
    return np.array(result)


def _hat(v: np.ndarray) -> np.ndarray:
    zero = v[0] * 0
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])


def solve_small(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A^-1 B by elimination; A is symmetric and positive definite, of one or three rows."""
    A, B = A.copy(), B.copy()
    n = len(A)
    for k in range(n):
        for row in range(k + 1, n):
            factor = A[row, k] / A[k, k]
            A[row] = A[row] - factor * A[k]
            B[row] = B[row] - factor * B[k]
    for k in reversed(range(n)):
        for row in range(k + 1, n):
            B[k] = B[k] - A[k, row] * B[row]
        B[k] = B[k] / A[k, k]
    return B


def by_projection(mechanism: Mechanism, rotations: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """The same as `joint_accelerations` from J^T M J qddot = f in world axes, in 80 bits."""
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
