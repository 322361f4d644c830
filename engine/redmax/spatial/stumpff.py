# SPDX-License-Identifier: GPL-3.0-or-later
"""The scalar coefficients of the exponential map and of its Jacobians.

All of them are Stumpff functions of the angle,

    c_k(theta) = sum_j (-1)^j theta^(2j) / (k + 2j)!

    c_0 = cos,  c_1 = sin / theta,  c_2 = (1 - cos) / theta^2,  c_3 = (theta - sin) / theta^3,
    c_4 = (1/2 - c_2) / theta^2,  c_5 = (1/6 - c_3) / theta^2,

even and entire, so they need no special case at zero, only a way to evaluate them without cancellation.
Their derivatives are again Stumpff functions, free of cancellation at zero:

    (1/theta) d c_k / d theta = k c_(k+2) - c_(k+1).

KINDR16 ("Jacobian of exponential map") writes the closed forms and keeps them for every theta != 0; they have
lost all digits at 1e-8, and half of them long before. Here the series goes as far as it is
the better one: up to SERIES_ANGLE.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from ..arrays import Array

SERIES_ANGLE = 2.0
"""Series below, closed form from here on [rad]. At 2 the closed forms of c_3, c_4, c_5 lose less than one digit."""

SERIES_TERMS = 12
"""Terms of the Stumpff series; the first one left out is below 1e-20 at SERIES_ANGLE."""

COTANGENT_SERIES_TERMS = 18
"""Terms of the series of `cotangent_coefficient`; they fall like (theta / 2 pi)^2, about 0.1 at SERIES_ANGLE."""

# Bernoulli numbers |B_2|, |B_4|, ... |B_36| as numerator, denominator.
_BERNOULLI = (
    (1, 6),
    (1, 30),
    (1, 42),
    (1, 30),
    (5, 66),
    (691, 2730),
    (7, 6),
    (3617, 510),
    (43867, 798),
    (174611, 330),
    (854513, 138),
    (236364091, 2730),
    (8553103, 6),
    (23749461029, 870),
    (8615841276005, 14322),
    (7709321041217, 510),
    (2577687858367, 6),
    (26315271553053477373, 1919190),
)


def _horner(x: Array, coefficients: tuple[float, ...]) -> Array:
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


def _stumpff_series(k: int) -> tuple[float, ...]:
    return tuple((-1.0) ** j / factorial(k + 2 * j) for j in range(SERIES_TERMS))


_C3_SERIES, _C4_SERIES, _C5_SERIES = (_stumpff_series(k) for k in (3, 4, 5))
_COTANGENT_SERIES = tuple(
    _BERNOULLI[k - 1][0] / (_BERNOULLI[k - 1][1] * factorial(2 * k)) for k in range(1, COTANGENT_SERIES_TERMS + 1)
)


def _away_from_zero(theta: Array) -> Array:
    """The angle where the closed form is used, and SERIES_ANGLE (any safe denominator) elsewhere."""
    closed: Array = np.where(np.abs(theta) < SERIES_ANGLE, SERIES_ANGLE, theta)
    return closed


def _choose(theta: Array, series: tuple[float, ...], closed: Array) -> Array:
    small = np.abs(theta) < SERIES_ANGLE
    x: Array = np.where(small, theta * theta, 0.0)
    chosen: Array = np.where(small, _horner(x, series), closed)
    return chosen


def c1(theta: Array) -> Array:
    """sin(theta) / theta, shape of theta [1]. The quotient itself is accurate at every theta != 0."""
    zero = theta == 0.0
    safe = np.where(zero, 1.0, theta)
    value: Array = np.where(zero, 1.0, np.sin(safe) / safe)
    return value


def c2(theta: Array) -> Array:
    """(1 - cos theta) / theta^2, shape of theta [1], as half the square of sin(theta/2) / (theta/2).

    That form has no cancellation at any angle.
    """
    return 0.5 * c1(0.5 * theta) ** 2


def c3(theta: Array) -> Array:
    """(theta - sin theta) / theta^3, shape of theta [1]."""
    t = _away_from_zero(theta)
    return _choose(theta, _C3_SERIES, (t - np.sin(t)) / t**3)


def c4(theta: Array) -> Array:
    """(theta^2 / 2 - 1 + cos theta) / theta^4, shape of theta [1]."""
    t = _away_from_zero(theta)
    return _choose(theta, _C4_SERIES, (0.5 - c2(t)) / t**2)


def c5(theta: Array) -> Array:
    """(theta^3 / 6 - theta + sin theta) / theta^5, shape of theta [1]."""
    t = _away_from_zero(theta)
    return _choose(theta, _C5_SERIES, (1.0 / 6.0 - (t - np.sin(t)) / t**3) / t**2)


def c2_slope(theta: Array) -> Array:
    """(1/theta) d c_2 / d theta, shape of theta [1]; -1/12 at zero."""
    return 2.0 * c4(theta) - c3(theta)


def c3_slope(theta: Array) -> Array:
    """(1/theta) d c_3 / d theta, shape of theta [1]; -1/60 at zero."""
    return 3.0 * c5(theta) - c4(theta)


def cotangent_coefficient(theta: Array) -> Array:
    """(1 - (theta/2) cot(theta/2)) / theta^2, shape of theta [1]: the v^2 term of the inverse Jacobians.

    1/12 at zero, 1/pi^2 at pi, a pole at 2 pi. Series: sum_k |B_2k| / (2k)! theta^(2k-2).
    """
    t = _away_from_zero(theta)
    # sin(t/2) is zero at no float t >= SERIES_ANGLE (pi is not a float), so this is large at 2 pi, never inf.
    closed = (1.0 - 0.5 * t * np.cos(0.5 * t) / np.sin(0.5 * t)) / t**2
    return _choose(theta, _COTANGENT_SERIES, closed)
