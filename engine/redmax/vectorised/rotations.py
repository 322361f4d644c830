# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of many joints at once, (3, 3, m): about given axes, and from rotation vectors with their Jacobians."""

from __future__ import annotations

from math import factorial

import numpy as np

from ..arrays import Array
from ..spatial import stumpff
from . import vectors

_SERIES: Array = np.array([[(-1.0) ** j / factorial(k + 2 * j) for j in range(stumpff.SERIES_TERMS)] for k in (4, 5)])
"""Terms of c_4 and c_5, (2, SERIES_TERMS)."""


_ONE: Array = np.eye(3)[:, :, None]
_WHOLE_AND_HALF: Array = np.array([1.0, 0.5])


def turns(K: Array) -> Array:
    """What `turned` makes rotations of, (2, 3, 3, m). K: (3, 3, m) is [a]."""
    return np.stack([K, 2.0 * vectors.multiply(K, K)])


def turned(given: Array, angle: Array) -> Array:
    """exp [a angle] = 1 + sin [a] + 2 sin^2(angle/2) [a]^2, (3, 3, m), from `turns` of axes a and angles (m,)."""
    factors = np.multiply.outer(_WHOLE_AND_HALF, angle)
    np.sin(factors, factors)
    factors[1] *= factors[1]
    R = vectors.einsum("an,aijn->ijn", factors, given)
    R += _ONE
    return R


def exponential(v: Array, vdot: Array) -> tuple[Array, Array, Array]:
    """exp [v], its right Jacobian and the rate of that along vdot, each (3, 3, m), of rotation vectors v (3, m).

    See `spatial.so3.exp`, `right_jacobian` and `right_jacobian_dot`; [v]^2 = v v^T - v . v.
    """
    square, rate = vectors.dot(v, v), vectors.dot(v, vdot)
    c1, c2, c3, c2_slope, c3_slope = coefficients(square)
    V, VV, mixed = vectors.hat(v), v[:, None] * v, v[:, None] * vdot
    mixed = mixed + mixed.transpose(1, 0, 2)
    vectors.diagonal(VV)[:] -= square
    vectors.diagonal(mixed)[:] -= 2.0 * rate
    R = c1 * V + c2 * VV
    J = c3 * VV - c2 * V
    vectors.diagonal(R)[:] += 1.0
    vectors.diagonal(J)[:] += 1.0
    Jdot = (c3_slope * rate) * VV + c3 * mixed - vectors.hat((c2_slope * rate) * v + c2 * vdot)
    return R, J, Jdot


def coefficients(square: Array) -> tuple[Array, Array, Array, Array, Array]:
    """c_1, c_2, c_3 and the slopes of c_2 and c_3 of `spatial.stumpff` at angles theta, from theta^2, each (m,).

    c_4 and c_5 come from their series, and c_k = 1/k! - theta^2 c_(k+2) leads down from them without cancellation as
    far as the series goes; beyond are the closed forms.
    """
    x = np.minimum(square, stumpff.SERIES_ANGLE**2)
    powers = np.empty((_SERIES.shape[1], len(x)))
    powers[0], powers[1:] = 1.0, x
    c4, c5 = _SERIES @ np.multiply.accumulate(powers, axis=0)
    c3 = 1.0 / 6.0 - x * c5
    c2 = 0.5 - x * c4
    c1 = 1.0 - x * c3
    far = square > x
    if far.any():
        theta2 = square[far]
        theta = np.sqrt(theta2)
        c1[far] = one = np.sin(theta) / theta
        c2[far] = two = 2.0 * np.sin(0.5 * theta) ** 2 / theta2
        c3[far] = three = (1.0 - one) / theta2
        c4[far], c5[far] = (0.5 - two) / theta2, (1.0 / 6.0 - three) / theta2
    return c1, c2, c3, 2.0 * c4 - c3, 3.0 * c5 - c4
