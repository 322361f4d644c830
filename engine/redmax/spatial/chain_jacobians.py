# SPDX-License-Identifier: GPL-3.0-or-later
"""Jacobian of a frame Q at the end of a kinematic chain, its Hessian and its time derivative.

**Linear on top, inertial axes**: as in KINDR16 and unlike the rest of the engine, J maps generalised velocities u to
(v_Q; omega_IQ), both along the axes of the inertial frame I. Multiply from the left by `ANGULAR_FIRST` and by R_QI in
both blocks to get a body twist.

A chain is listed from its base to Q, one column per one-axis joint. With a floating base B the velocities are
u = (v_B in I, omega_IB in B, qdot), so six columns precede those of the joints. Shapes: J_P, J_R are (..., 3, n), J
is (..., 6, n). Source: KINDR16 appendices II and III.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike, BoolArray, frozen
from . import so3

BASE_COLUMNS = 6
"""Columns of a floating base: three of v_B, then three of omega_IB."""

ANGULAR_FIRST: Array = frozen(np.roll(np.eye(6), 3, axis=0))
"""Exchanges the linear and the angular half of (v; omega), shape (6, 6)."""


def joint_columns(axes: ArrayLike, origins: ArrayLike, prismatic: ArrayLike, r_Q: ArrayLike) -> tuple[Array, Array]:
    """J_P and J_R of the joints alone, each (..., 3, n), in the frame in which the arguments are given.

    axes (..., n, 3): unit direction of each joint axis; origins (..., n, 3) [m]: a point on it; prismatic (..., n):
    true for a sliding joint, false for a turning one; r_Q (..., 3) [m]: the point Q. A turning joint has the columns
    (a x (r_Q - o); a), a sliding one (a; 0). The axes are those at the present configuration.
    Source: the blocks J_Pqj and J_Rqj of KINDR16 eqs. 10 and 13.
    """
    a, o, r = (np.asarray(x, float) for x in (axes, origins, r_Q))
    slides = np.asarray(prismatic, bool)[..., None]
    a, lever = np.broadcast_arrays(a, r[..., None, :] - o)
    J_P = np.where(slides, a, np.cross(a, lever))
    J_R = np.where(slides, 0.0, a)
    return np.swapaxes(J_P, -1, -2), np.swapaxes(J_R, -1, -2)


def twist_columns(E: ArrayLike, S: ArrayLike, r_Q: ArrayLike) -> tuple[Array, Array]:
    """J_P and J_R, each (3, n), of joints whose velocities turn and slide at once, in the frame that E is given in.

    E (n, 4, 4): pose of the joint frame of each column; S (6, n): its twist per unit velocity, in that frame and
    **angular first**, as the rest of the engine has it; r_Q (3,) [m]: the point Q. A column is
    (nu + omega x (r_Q - o); omega). `joint_columns` has these for S = (a; 0) and (0; a).
    """
    E, S, r = np.asarray(E, float), np.asarray(S, float), np.asarray(r_Q, float)
    R, o = E[:, :3, :3], E[:, :3, 3]
    omega, nu = np.einsum("nab,bn->na", R, S[:3]), np.einsum("nab,bn->na", R, S[3:])
    return (nu + np.cross(omega, r - o)).T, omega.T


def point_jacobian(C_IB: ArrayLike, r_BQ: ArrayLike, J_P_joints: ArrayLike) -> Array:
    """J_P, shape (..., 3, 6 + n): v_Q in I is J_P u.

    C_IB (..., 3, 3): orientation of the base; r_BQ (..., 3) [m] and J_P_joints (..., 3, n): position of Q and joint
    columns, both in B. Source: KINDR16 eqs. 9-10 (omega with a dot in line 2 is a hat).
    """
    C, r = np.asarray(C_IB, float), np.asarray(r_BQ, float)
    return _blocks(np.eye(3), -C @ so3.hat(r), C @ np.asarray(J_P_joints, float))


def rotation_jacobian(C_IB: ArrayLike, J_R_joints: ArrayLike) -> Array:
    """J_R, shape (..., 3, 6 + n): omega_IQ in I is J_R u; J_R_joints (..., 3, n) in B.

    Source: KINDR16 eq. 13. Erratum: its first block is printed as the identity; translating the base turns nothing,
    so the block is 0, as in eq. 14.
    """
    C = np.asarray(C_IB, float)
    return _blocks(np.zeros((3, 3)), C, C @ np.asarray(J_R_joints, float))


def spatial_jacobian(J_P: ArrayLike, J_R: ArrayLike) -> Array:
    """J = (J_P; J_R), shape (..., 6, n): (v_Q; omega_IQ) in I is J u, **linear on top**. Source: KINDR16 eq. 14."""
    J_P, J_R = np.asarray(J_P, float), np.asarray(J_R, float)
    shape = np.broadcast_shapes(J_P.shape, J_R.shape)
    return np.concatenate([np.broadcast_to(J_P, shape), np.broadcast_to(J_R, shape)], axis=-2)


def carries(n_joints: int, *, floating_base: bool) -> BoolArray:
    """Whether motion along column j carries the axis of column i along, [i, j], shape (n, n).

    For one-axis joints listed from the base to Q this is i >= j, the first case of KINDR16 eq. 15. A floating base
    needs more than that: its three angular columns are the axes of B itself, which all turn with B, so each carries
    all three. (Eq. 15 as printed would treat them as three hinges in series.) Its linear columns, the axes of I, are
    carried by none.
    """
    n = n_joints + (BASE_COLUMNS if floating_base else 0)
    carried = np.tril(np.ones((n, n), dtype=bool))
    if floating_base:
        carried[3:6, 3:6] = True
    return carried


def hessian(J: ArrayLike, carried: BoolArray) -> Array:
    """H (..., n, 6, n) with H[k] = dJ/dq_k, linear on top; carried (n, n) from `carries`.

    For an angular column k of a floating base, which is no coordinate's rate, the derivative is along the turn of B
    about its own axis k. Columns of joints outside the chain to Q must be zero in J; then all their entries come out
    zero, the third case of eq. 15 ("i, j not in U_A" means: either of them), and any parent-first numbering of a
    tree will do. Sliding joints have J_R = 0: they turn nothing. Source: KINDR16 eqs. 15-16.
    """
    J = np.asarray(J, float)
    columns = np.swapaxes(J, -1, -2)
    P, R = columns[..., :3], columns[..., 3:]
    # Axes: j (differentiate along), i (column), component.
    P_j, R_j = P[..., :, None, :], R[..., :, None, :]
    P_i, R_i = P[..., None, :, :], R[..., None, :, :]
    i_moves_with_j = np.swapaxes(carried, -1, -2)[..., None]
    dP = np.where(i_moves_with_j, np.cross(R_j, P_i), np.cross(R_i, P_j))
    dR = np.where(i_moves_with_j, np.cross(R_j, R_i), 0.0)
    return np.swapaxes(np.concatenate([dP, dR], axis=-1), -1, -2)


def jacobian_dot(J: ArrayLike, carried: BoolArray, u: ArrayLike) -> Array:
    """dJ/dt, shape (..., 6, n), linear on top, while the chain moves at u (..., n). Source: KINDR16 eqs. 17-18.

    The sum over k of H_k u_k, carried out inside the cross products of eq. 15: column i turns with the angular
    velocity of everything that carries it, and a turning joint's lever arm changes with everything beyond it.
    """
    J, u = np.asarray(J, float), np.asarray(u, float)
    columns = np.swapaxes(J, -1, -2)
    P, R = columns[..., :3], columns[..., 3:]
    weights = carried * u[..., None, :]
    omega_before = weights @ R
    v_beyond = (u[..., None, :] - weights) @ P
    dP = np.cross(omega_before, P) + np.cross(R, v_beyond)
    dR = np.cross(omega_before, R)
    return np.swapaxes(np.concatenate([dP, dR], axis=-1), -1, -2)


def _blocks(*blocks: Array) -> Array:
    """Blocks (..., 3, k) side by side, their leading axes broadcast."""
    leading = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    return np.concatenate([np.broadcast_to(block, (*leading, *block.shape[-2:])) for block in blocks], axis=-1)
