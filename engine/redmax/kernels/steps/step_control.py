# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled choice of an adaptive run's first step, and the constants that control its steps."""

from __future__ import annotations

import math

from ..cache.jit import inner

SAFETY, NOW, BEFORE, TINY_ERROR, MIN_FACTOR, MAX_FACTOR, STRICTNESS, LEAST_SAMPLES = range(8)
ERROR_ORDER, STAGES, ENDS_WITH_SLOPE, RTOL, ATOL, MAX_TURN, PACE, MOST_STRICT, ENERGY, PART_OF_WORK = range(8, 18)
"""Control: constants of the method and the pace, see `integrators.explicit_runge_kutta`, tolerances, and the largest
turn [rad] of a joint with a singularity in one step."""


@inner
def root_mean_square(x, scale, n):
    """Root mean square of the first n components of x, each divided by its scale."""
    total = 0.0
    for k in range(n):
        total += (x[k] / scale[k]) ** 2
    return math.sqrt(total / n)


@inner
def first_try(control, y, f, scale, n, longest):
    """Length of the trial step from which the first step is guessed, and the speed; as `ExplicitRungeKutta`."""
    for k in range(n):
        scale[k] = control[ATOL] + control[RTOL] * abs(y[k])
    size, speed = root_mean_square(y, scale, n), root_mean_square(f, scale, n)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    return min(h, longest), speed


@inner
def first_step(control, h, speed, bend):
    """Length of the first step [s] from a trial step h; bend: size of the second derivative."""
    if speed <= 1e-15 and bend <= 1e-15:
        h_bend = max(1e-6, h * 1e-3)
    else:
        h_bend = (0.01 / max(speed, bend)) ** (1.0 / (control[ERROR_ORDER] + 1.0))
    return min(100.0 * h, h_bend)
