# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses: the group SE(3), its exponential map and the Jacobians of that map.

A pose E_ab is the 4 x 4 matrix (R_ab p_ab; 0 1) of frame b in frame a: it maps b-coordinates to a-coordinates, and
p_ab [m] is the origin of b in a. A twist phi = (omega; nu) [rad/s; m/s] is **angular first** and, unless said
otherwise, written in the moving frame itself, so that Edot = E [phi]. Every function is vectorised over the
leading axes, broadcasts, and changes none of its arguments. Ad and ad: see adjoint.py.
Source: RBDN sections 1.1-1.3; RM19 eqs. 1-2; KINDR16 "Homogeneous Transformation Matrix".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike, BoolArray
from . import quaternion, so3


def make(R: ArrayLike, p: ArrayLike) -> Array:
    """The pose (R p; 0 1), shape (..., 4, 4), from R (..., 3, 3) and p (..., 3) [m]. Source: RBDN eq. 1.1."""
    R, p = np.asarray(R, float), np.asarray(p, float)
    E = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    E[..., :3, :3] = R
    E[..., :3, 3] = p
    E[..., 3, 3] = 1.0
    return E


def from_quaternion(p: ArrayLike, q: ArrayLike) -> Array:
    """The pose (..., 4, 4) at p (..., 3) [m] with the rotation of the unit quaternion q (..., 4) = (w, x, y, z)."""
    return make(quaternion.to_matrix(q), p)


def identity(shape: tuple[int, ...] = ()) -> Array:
    """Poses at rest in the reference frame, shape (*shape, 4, 4)."""
    return make(np.broadcast_to(np.eye(3), (*shape, 3, 3)), np.zeros(3))


def rotation(E: ArrayLike) -> Array:
    """R_ab of E_ab, shape (..., 3, 3) [1]: a view, not a copy."""
    return np.asarray(E, float)[..., :3, :3]


def position(E: ArrayLike) -> Array:
    """p_ab of E_ab, shape (..., 3) [m], the origin of b in a: a view, not a copy."""
    return np.asarray(E, float)[..., :3, 3]


def inverse(E_ab: ArrayLike) -> Array:
    """E_ba, shape (..., 4, 4): (R^T  -R^T p; 0 1). Source: RBDN eq. 1.4."""
    R_ba = np.swapaxes(rotation(E_ab), -1, -2)
    return make(R_ba, -np.einsum("...ij,...j->...i", R_ba, position(E_ab)))


def transform_points(E_ab: ArrayLike, x_b: ArrayLike) -> Array:
    """Points x_a (..., 3) [m] of the points x_b (..., 3) of frame b.

    One pose for n points: E (4, 4) and x (n, 3); a pose for each: E (n, 4, 4) and x (n, 3).
    Source: RBDN eq. 1.2.
    """
    x_a: Array = np.einsum("...ij,...j->...i", rotation(E_ab), np.asarray(x_b, float)) + position(E_ab)
    return x_a


def bracket(phi: ArrayLike) -> Array:
    """[phi] = ([omega] nu; 0 0), shape (..., 4, 4), of the twist phi (..., 6). Source: RBDN eq. 1.6, SG13 eq. 1."""
    phi = np.asarray(phi, float)
    B = np.zeros((*phi.shape[:-1], 4, 4))
    B[..., :3, :3] = so3.hat(phi[..., :3])
    B[..., :3, 3] = phi[..., 3:]
    return B


def unbracket(B: ArrayLike) -> Array:
    """The phi (..., 6) of [phi] = B (..., 4, 4): undoes `bracket`, and ignores a symmetric upper left block."""
    B = np.asarray(B, float)
    return np.concatenate([so3.vee(B[..., :3, :3]), B[..., :3, 3]], axis=-1)


def exp(phi: ArrayLike) -> Array:
    """exp([phi]), shape (..., 4, 4): where the twist phi (..., 6), held for one unit of time, takes a frame.

    R = exp([omega]) and p = left_jacobian(omega) nu. Any length of omega. Source: RBDN eq. 1.10.
    """
    phi = np.asarray(phi, float)
    omega, nu = phi[..., :3], phi[..., 3:]
    return make(so3.exp(omega), np.einsum("...ij,...j->...i", so3.left_jacobian(omega), nu))


def log(E: ArrayLike) -> Array:
    """The twist (..., 6) whose `exp` is E, with rotation angle in [0, pi]; accurate at every angle.

    nu is not p: it is left_jacobian(omega)^-1 p. At a half turn two twists are right; which is taken is `so3.log`'s
    choice. Source: RBDN eq. 1.10; taking acos of the trace, as is often done, leaves no digits near 0 and pi.
    """
    omega = so3.log(rotation(E))
    nu = np.einsum("...ij,...j->...i", so3.left_jacobian_inverse(omega), position(E))
    return np.concatenate([omega, nu], axis=-1)


def integrate(E: ArrayLike, phi: ArrayLike, h: ArrayLike) -> Array:
    """E exp(h [phi]), shape (..., 4, 4): the frame E after the time h [s] at the body twist phi.

    Source: RBDN eq. 1.29, which solves Edot = E [phi] (RBDN eqs. 1.8-1.9) for a constant twist.
    """
    h = np.asarray(h, float)[..., None]
    moved: Array = np.asarray(E, float) @ exp(h * np.asarray(phi, float))
    return moved


def block_triangular(diagonal: Array, lower: Array) -> Array:
    """(D 0; L D), shape (..., 6, 6), of D and L (..., 3, 3): the shape of Ad, ad and of the Jacobians of exp."""
    J = np.zeros((*lower.shape[:-2], 6, 6))
    J[..., :3, :3] = J[..., 3:, 3:] = diagonal
    J[..., 3:, :3] = lower
    return J


def left_jacobian(phi: ArrayLike) -> Array:
    """J_l(phi), shape (..., 6, 6): exp(phi + d) = exp(J_l d) exp(phi) to first order.

    J_l = sum ad(phi)^n / (n+1)! is so3.left_jacobian with [omega] replaced by ad(phi) = ([omega] 0; [nu] [omega]).
    Such block matrices multiply like dual numbers [omega] + eps [nu], so the lower left block is the derivative of
    so3.left_jacobian at omega along nu. Singular at |omega| = 2 pi k, k > 0.
    """
    phi = np.asarray(phi, float)
    omega, nu = phi[..., :3], phi[..., 3:]
    return block_triangular(so3.left_jacobian(omega), so3.left_jacobian_dot(omega, nu))


def left_jacobian_inverse(phi: ArrayLike) -> Array:
    """J_l(phi)^-1, shape (..., 6, 6): log(exp(d) exp(phi)) = phi + J_l^-1 d to first order, for |omega| < pi.

    Singular at |omega| = 2 pi k, k > 0, as `so3.left_jacobian_inverse`.
    """
    phi = np.asarray(phi, float)
    omega, nu = phi[..., :3], phi[..., 3:]
    inverse_block = so3.left_jacobian_inverse(omega)
    return block_triangular(inverse_block, -inverse_block @ so3.left_jacobian_dot(omega, nu) @ inverse_block)


def right_jacobian(phi: ArrayLike) -> Array:
    """J_r(phi) = J_l(-phi), shape (..., 6, 6): exp(phi + d) = exp(phi) exp(J_r d) to first order.

    So if phi(t) moves a frame E = exp(phi), its body twist is J_r(phi) phidot.
    """
    return left_jacobian(-np.asarray(phi, float))


def right_jacobian_inverse(phi: ArrayLike) -> Array:
    """J_r(phi)^-1 = J_l(-phi)^-1, shape (..., 6, 6): log(exp(phi) exp(d)) = phi + J_r^-1 d, for |omega| < pi."""
    return left_jacobian_inverse(-np.asarray(phi, float))


def project(A: ArrayLike) -> Array:
    """The pose nearest to A (..., 4, 4): nearest rotation (`so3.project`), same position, last row 0 0 0 1."""
    A = np.asarray(A, float)
    return make(so3.project(A[..., :3, :3]), A[..., :3, 3])


def is_pose(E: ArrayLike, tol: float = so3.ROTATION_TOLERANCE) -> BoolArray:
    """Whether E (..., 4, 4) is a finite pose, shape (...): rotation within `tol` [1], last row exactly 0 0 0 1."""
    E = np.asarray(E, float)
    finite = np.isfinite(E).all(axis=(-2, -1))
    # Non-finite entries have already failed; they must not raise warnings in the determinant.
    R = np.where(finite[..., None, None], E[..., :3, :3], 0.0)
    last_row = (E[..., 3, :] == np.array([0.0, 0.0, 0.0, 1.0])).all(axis=-1)
    result: BoolArray = np.asarray(finite & last_row & so3.is_rotation(R, tol))
    return result


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Array:
    """Poses (*shape, 4, 4): uniformly distributed rotation, standard normal position [m]."""
    return make(so3.random(rng, shape), rng.standard_normal((*shape, 3)))
