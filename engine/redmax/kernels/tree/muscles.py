# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled tension of muscles: the curves and the law of `forces.lines.muscle_law`."""

from __future__ import annotations

import numpy as np

from ...forces.lines.muscle_curves import ACTIVE_LENGTH as ACTIVE_LENGTH_CURVE
from ...forces.lines.muscle_curves import PASSIVE as PASSIVE_CURVE
from ...forces.lines.muscle_curves import VELOCITY as VELOCITY_CURVE
from ..cache.jit import inner

_CURVES = (PASSIVE_CURVE, ACTIVE_LENGTH_CURVE, VELOCITY_CURVE)
SEGMENTS = np.array([len(curve.coefficients) for curve in _CURVES])
POINTS = np.array([[*curve.points, *(4 - len(curve.points)) * (np.inf,)] for curve in _CURVES])
COEFFICIENTS = np.zeros((3, 3, 4))
for _k, _curve in enumerate(_CURVES):
    COEFFICIENTS[_k, : len(_curve.coefficients)] = _curve.coefficients
FIRST = np.array([curve(curve.points[0])[0] for curve in _CURVES])
LAST = np.array([curve(curve.points[-1])[0] for curve in _CURVES])
BEYOND = np.array([curve.beyond for curve in _CURVES])
PASSIVE, ACTIVE_LENGTH, VELOCITY = range(3)


@inner
def curve(which, x):
    """Value and slope at x of curve PASSIVE, ACTIVE_LENGTH or VELOCITY."""
    last = SEGMENTS[which]
    if x <= POINTS[which, 0]:
        return FIRST[which], 0.0
    if x >= POINTS[which, last]:
        return LAST[which] + BEYOND[which] * (x - POINTS[which, last]), BEYOND[which]
    k = 0
    while x >= POINTS[which, k + 1]:
        k += 1
    a, b, c, d = (
        COEFFICIENTS[which, k, 0],
        COEFFICIENTS[which, k, 1],
        COEFFICIENTS[which, k, 2],
        COEFFICIENTS[which, k, 3],
    )
    return ((a * x + b) * x + c) * x + d, (3.0 * a * x + 2.0 * b) * x + c


@inner
def passive_integral(x):
    """Integral of the passive curve from its first point."""
    total = 0.0
    for k in range(SEGMENTS[PASSIVE]):
        start = POINTS[PASSIVE, k]
        end = min(max(x, start), POINTS[PASSIVE, k + 1])
        for side in range(2):
            y = end if side == 0 else start
            value = y * (
                COEFFICIENTS[PASSIVE, k, 3]
                + y
                * (
                    COEFFICIENTS[PASSIVE, k, 2] / 2.0
                    + y * (COEFFICIENTS[PASSIVE, k, 1] / 3.0 + y * COEFFICIENTS[PASSIVE, k, 0] / 4.0)
                )
            )
            total += value if side == 0 else -value
    after = max(x - POINTS[PASSIVE, SEGMENTS[PASSIVE]], 0.0)
    return total + after * (LAST[PASSIVE] + 0.5 * BEYOND[PASSIVE] * after)


@inner
def active_tension(f_opt, l_opt, tendon, v_max, a, length, rate):
    """Tension of the active part, and its derivatives by length and rate."""
    a = min(max(a, 0.0), 1.0)
    f_L, df_L = curve(ACTIVE_LENGTH, (length - tendon) / l_opt)
    f_V, df_V = curve(VELOCITY, rate / (l_opt * v_max))
    size = f_opt * a
    return size * f_L * f_V, size * df_L * f_V / l_opt, size * f_L * df_V / (l_opt * v_max)
