# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of what one does with rotations, by small turns.

A rotation Phi changes by a small rotation vector d [rad] given in the frame it leads to: Phi box_plus d = exp(d) Phi.
The derivative of a function of Phi is the matrix D with f(Phi box_plus d) = f(Phi) + D d to first order where f is a
vector, and f(Phi box_plus d) = f(Phi) box_plus D d where f is a rotation. Rotations are given as matrices (..., 3, 3);
all functions are vectorised over the leading axes and broadcast. So a chain rule is a product of matrices.
Source: KINDR16 "Derivatives".
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from . import so3


def rotated_vector_by_vector(R: ArrayLike) -> Array:
    """d(R r)/dr = R, shape (..., 3, 3)."""
    return np.array(R, float)


def rotated_vector_by_rotation(R: ArrayLike, r: ArrayLike) -> Array:
    """d(R r)/dPhi = -[R r], shape (..., 3, 3) [unit of r per rad]."""
    return -so3.hat(np.einsum("...ij,...j->...i", np.asarray(R, float), np.asarray(r, float)))


def inverse_by_rotation(R: ArrayLike) -> Array:
    """d(Phi^-1)/dPhi = -R^T, shape (..., 3, 3)."""
    return -np.swapaxes(np.asarray(R, float), -1, -2)


def product_by_first(R1: ArrayLike, R2: ArrayLike) -> Array:
    """d(Phi1 Phi2)/dPhi1 = 1, shape (..., 3, 3)."""
    shape = np.broadcast_shapes(np.shape(R1), np.shape(R2))
    return np.broadcast_to(np.eye(3), shape).copy()


def product_by_second(R1: ArrayLike, R2: ArrayLike) -> Array:
    """d(Phi1 Phi2)/dPhi2 = R1, shape (..., 3, 3)."""
    return np.broadcast_to(np.asarray(R1, float), np.broadcast_shapes(np.shape(R1), np.shape(R2))).copy()


def exp_by_vector(v: ArrayLike) -> Array:
    """d exp(v)/dv = Gamma(v), shape (..., 3, 3): the left Jacobian."""
    return so3.left_jacobian(v)


def log_by_rotation(R: ArrayLike) -> Array:
    """d log(Phi)/dPhi = Gamma(log Phi)^-1, shape (..., 3, 3). It jumps with log at a half turn.

    Erratum: the sheet prints the derivative of log by v.
    """
    return so3.left_jacobian_inverse(so3.log(R))


def box_plus_by_rotation(R: ArrayLike, v: ArrayLike) -> Array:
    """d(Phi box_plus v)/dPhi = exp(v), shape (..., 3, 3). Not in the source: it is the product by its second factor."""
    return product_by_second(so3.exp(v), R)


def box_plus_by_vector(R: ArrayLike, v: ArrayLike) -> Array:
    """d(Phi box_plus v)/dv = Gamma(v), shape (..., 3, 3). Not in the source: exp, then the product by its first."""
    return product_by_first(so3.exp(v), R) @ exp_by_vector(v)


def box_minus_by_first(R1: ArrayLike, R2: ArrayLike) -> Array:
    """d(Phi1 box_minus Phi2)/dPhi1 = Gamma(Phi1 box_minus Phi2)^-1, shape (..., 3, 3).

    Erratum: the sheet prints box-plus of two rotations, which there is not, on both sides.
    """
    return so3.left_jacobian_inverse(so3.box_minus(R1, R2))


def box_minus_by_second(R1: ArrayLike, R2: ArrayLike) -> Array:
    """d(Phi1 box_minus Phi2)/dPhi2 = -Gamma(-(Phi1 box_minus Phi2))^-1, shape (..., 3, 3).

    Not in the source. By the chain rule log_by_rotation product_by_second inverse_by_rotation, which is
    -Gamma(v)^-1 exp(v), v the difference.
    """
    return -so3.right_jacobian_inverse(so3.box_minus(R1, R2))
