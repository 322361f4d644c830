# SPDX-License-Identifier: GPL-3.0-or-later
"""Twists and wrenches seen from different frames: the adjoint maps Ad and ad of SE(3), and their rates.

A twist phi = (omega; nu) [rad/s; m/s] and a wrench f = (moment; force) [N m; N] are **angular first**. Both belong
to a frame: they are written along its axes, and nu (moment) is taken at (about) its origin. The power f . phi [W]
does not depend on the frame. Every function is vectorised over the leading axes and broadcasts.
Source: RM19 eqs. 4-8 and 21; RBDN sections 1.4-1.5; SG13 section 3.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from . import pose, so3


def Ad(E_ab: ArrayLike) -> Array:
    """Ad_ab = (R 0; [p]R R), shape (..., 6, 6): phi_a = Ad_ab phi_b.

    Source: RM19 eq. 5, RBDN eq. 1.14, SG13 eq. 2. Erratum: SG13 prints the lower left block as t R, it is [t] R.
    """
    R = pose.rotation(E_ab)
    return pose.block_triangular(R, so3.hat(pose.position(E_ab)) @ R)


def Ad_inverse(E_ab: ArrayLike) -> Array:
    """Ad_ba = Ad(E_ab^-1) = (R^T 0; -R^T[p] R^T), shape (..., 6, 6): phi_b = Ad_ba phi_a."""
    Rt = np.swapaxes(pose.rotation(E_ab), -1, -2)
    return pose.block_triangular(Rt, -Rt @ so3.hat(pose.position(E_ab)))


def Ad_dual(E_ab: ArrayLike) -> Array:
    """Ad_ab^T, shape (..., 6, 6): f_b = Ad_ab^T f_a. Wrenches go the other way than twists. Source: SG13 section 3."""
    return np.swapaxes(Ad(E_ab), -1, -2)


def ad(phi: ArrayLike) -> Array:
    """ad(phi) = ([omega] 0; [nu] [omega]), shape (..., 6, 6): ad(a) b is the Lie bracket of the twists a and b.

    Source: RM19 eq. 8, SG13 eq. 3. Erratum: SG13 prints the lower left block as v_1, it is [v_1].
    """
    phi = np.asarray(phi, float)
    return pose.block_triangular(so3.hat(phi[..., :3]), so3.hat(phi[..., 3:]))


def ad_dual(phi: ArrayLike) -> Array:
    """ad(phi)^T, shape (..., 6, 6): the Coriolis wrench of a body is ad_dual(phi) M phi. Source: SG13 section 3."""
    return np.swapaxes(ad(phi), -1, -2)


def Ad_dot(E_ab: ArrayLike, phi_b: ArrayLike) -> Array:
    """d/dt Ad_ab = Ad_ab ad(phi_b), shape (..., 6, 6), where phi_b is the twist of b relative to a, in b.

    Source: RM19 eq. 8, RBDN eqs. 1.16-1.19.
    """
    rate: Array = Ad(E_ab) @ ad(phi_b)
    return rate


def Ad_inverse_dot(E_ab: ArrayLike, phi_b: ArrayLike) -> Array:
    """d/dt Ad_ba = -ad(phi_b) Ad_ba, shape (..., 6, 6), where phi_b is the twist of b relative to a, in b.

    Source: SG13 eq. 10 and appendix C.
    """
    rate: Array = -ad(phi_b) @ Ad_inverse(E_ab)
    return rate


def Ad_relative_dot(E_ip: ArrayLike, phi_i: ArrayLike, phi_p: ArrayLike) -> Array:
    """d/dt Ad_ip = Ad_ip ad(phi_p) - ad(phi_i) Ad_ip, shape (..., 6, 6), when both frames move.

    phi_i and phi_p are the twists of i and p relative to the world, each in its own frame.
    Source: RM19 eq. 21, -Ad_iw Addot_wi Ad_iw Ad_wp + Ad_iw Addot_wp, in which every world pose cancels.
    """
    Ad_ip = Ad(E_ip)
    rate: Array = Ad_ip @ ad(phi_p) - ad(phi_i) @ Ad_ip
    return rate


def Gamma(x: ArrayLike) -> Array:
    """([x]^T 1), shape (..., 3, 6): the velocity of the body point x (..., 3) [m], in body axes, is Gamma(x) phi.

    World velocity is R Gamma phi; a world force f there is the body wrench Gamma^T R^T f.
    Source: RM19 eq. 4, RBDN eqs. 1.12-1.13.
    """
    x = np.asarray(x, float)
    G = np.zeros((*x.shape, 6))
    G[..., :3] = so3.hat(-x)
    G[..., 3:] = np.eye(3)
    return G


def transform_twist(E_ab: ArrayLike, phi_b: ArrayLike) -> Array:
    """phi_a = Ad_ab phi_b, shape (..., 6), without forming Ad. Source: RBDN eq. 1.15."""
    R, p, phi = pose.rotation(E_ab), pose.position(E_ab), np.asarray(phi_b, float)
    omega = np.einsum("...ij,...j->...i", R, phi[..., :3])
    nu = np.einsum("...ij,...j->...i", R, phi[..., 3:]) + np.cross(p, omega)
    return np.concatenate([omega, nu], axis=-1)


def transform_wrench(E_ab: ArrayLike, f_b: ArrayLike) -> Array:
    """f_a = Ad_ba^T f_b, shape (..., 6), without forming Ad; keeps the power f . phi. Source: SG13 section 3."""
    R, p, f = pose.rotation(E_ab), pose.position(E_ab), np.asarray(f_b, float)
    force = np.einsum("...ij,...j->...i", R, f[..., 3:])
    moment = np.einsum("...ij,...j->...i", R, f[..., :3]) + np.cross(p, force)
    return np.concatenate([moment, force], axis=-1)
