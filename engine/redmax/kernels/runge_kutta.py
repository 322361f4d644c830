# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled adaptive Runge-Kutta methods: whole frames in one call.

The same steps as `integrators.explicit_runge_kutta` around `integrators.adaptive`, to round-off.
"""

from __future__ import annotations

import math

import numpy as np

from . import layout as at
from .core import run
from .jit import compiled, inner
from .memory import numbers_at
from .stages import QDDOT, QDOT, Q, combine, evaluate, fill
from .views import arrays_of

DONE, TOO_SMALL, NOT_FINITE, STUCK, TOO_MANY, TORN = range(6)
"""How a call ends."""
TIME, STEP, KNOWN, STEPS, WHERE, LAST, LENGTH = range(7)
"""Clock: where a run stands, the next step to try (negative: none yet), whether the slope here is known, steps so
far, the component of y or the body that stopped it, where the last step began and how long it was."""
SAFETY, MIN_FACTOR, MAX_FACTOR, STRICTNESS, LEAST_SAMPLES = range(5)
ERROR_ORDER, STAGES, ENDS_WITH_SLOPE, RTOL, ATOL, MAX_TURN = range(5, 11)
"""Control: constants of the method, see `integrators.explicit_runge_kutta`, tolerances, and the largest turn [rad] of
a joint with a singularity in one step."""
SINGULAR, EXCHANGES = range(2)
"""Traits: whether any joint has a singularity, whether work and loss can be other than zero."""


@inner
def look_inside(K, bends, y, y_new, h, end, polynomial):
    """As `Tableau.polynomial`; -1, or the component that is not finite."""
    for k in range(y.shape[0]):
        change = y_new[k] - y[k]
        polynomial[0, k], polynomial[1, k], polynomial[2, k] = y[k], change, h * K[0, k] - change
        polynomial[3, k] = 2.0 * change - h * (K[0, k] + K[end, k])
        size = polynomial[2, k] + polynomial[3, k]
        for row in range(bends.shape[0]):
            total = 0.0
            for m in range(bends.shape[1]):
                total += bends[row, m] * K[m, k]
            polynomial[4 + row, k] = h * total
            size += h * total
        if not math.isfinite(size):
            return k
    return -1


@inner
def root_mean_square(x, scale, n):
    total = 0.0
    for k in range(n):
        total += (x[k] / scale[k]) ** 2
    return math.sqrt(total / n)


@inner
def error_ratio(K, h, errors, scale, n, eighth):
    """Error of a step over what is allowed, and the component it is largest in."""
    size5, size3, worst, largest = 0.0, 0.0, 0, -1.0
    for k in range(n):
        a, b = 0.0, 0.0
        for m in range(errors.shape[1]):
            a += errors[0, m] * K[m, k]
            b += errors[1, m] * K[m, k]
        a, b = a / scale[k], b / scale[k]
        size5, size3 = size5 + a * a, size3 + b * b
        if not abs(a) <= largest:
            worst, largest = k, abs(a)
            if math.isnan(largest):
                largest = math.inf
    if not eighth:
        return h * math.sqrt(size5 / n), worst
    if size5 == 0.0 and size3 == 0.0:
        return 0.0, worst
    return h * size5 / math.sqrt((size5 + 0.01 * size3) * n), worst


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
    if speed <= 1e-15 and bend <= 1e-15:
        h_bend = max(1e-6, h * 1e-3)
    else:
        h_bend = (0.01 / max(speed, bend)) ** (1.0 / (control[ERROR_ORDER] + 1.0))
    return min(100.0 * h, h_bend)


@compiled
def advance(
    address,
    ints,
    floats,
    nodes,
    rows,
    errors,
    bends,
    control,
    traits,
    free,
    clock,
    y,
    K,
    polynomial,
    motion,
    sample,
    interval,
    t_bound,
    longest,
    limit,
):
    """Steps up to t_bound, over which all inputs are smooth, or until one reaches or passes a sample.

    Of a step that passes it the polynomial is left, by which its inside is known.

    nodes, rows: of all stages, of the end, whose row holds the weights, and of the stages for what lies inside.
    y: free coordinates, their velocities, work, loss. K: slopes; the first is dy/dt here if the clock says so.
    longest: steps are at most that long [s].
    """
    world = arrays_of(ints, floats)[at.WORLD]
    core = (address, ints.ctypes.data, floats.ctypes.data)
    exchanges, until = traits[EXCHANGES] != 0, np.nextafter(t_bound, -np.inf)
    n, stages, size = 2 * free.shape[0], int(control[STAGES]), y.shape[0]
    y_new, scale, values = np.empty(size), np.empty(size), np.empty(size)
    rtol, atol, exponent = control[RTOL], control[ATOL], -1.0 / (control[ERROR_ORDER] + 1.0)
    ends_with_slope, constrained = control[ENDS_WITH_SLOPE] != 0.0, ints[at.N_ROWS] > 0
    while clock[TIME] < min(sample, t_bound):
        max_step = longest
        if traits[SINGULAR]:
            fill(free, numbers_at(y.ctypes.data), motion)
            what = at.DO_PRESCRIBE | at.DO_RECENTRE | at.DO_PLACE | at.DO_TURN_RATE
            if run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], min(clock[TIME], until), what):
                for k in range(free.shape[0]):
                    y[k], y[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
                clock[KNOWN] = 0.0
            rate = world[at.TURN_RATE]
            if rate > 0.0:
                max_step = min(longest, control[MAX_TURN] / rate)
        t = clock[TIME]
        if clock[KNOWN] == 0.0:
            stuck = evaluate(core, exchanges, free, nodes, rows, K, y, 0.0, t, until, 0, 1, values, motion)
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            clock[KNOWN] = 1.0
        for k in range(size):
            if not math.isfinite(K[0, k]):
                clock[WHERE] = k
                return NOT_FINITE
        t_stop, shortest = min(sample, t_bound), 10.0 * (np.nextafter(t, np.inf) - t)
        if t_stop - t < shortest:  # times that only rounding tells apart
            for k in range(size):
                y[k] += (t_stop - t) * K[0, k]
            clock[TIME] = t_stop
            return DONE
        step = clock[STEP]
        if step < 0.0:
            step = max_step
            if n > 0:
                h, speed = first_try(control, y, K[0], scale, n, t_bound - t)
                step = h
                if h > 0.0:
                    # the first stage is a step of Euler's method to its node
                    stuck = evaluate(
                        core, exchanges, free, nodes, rows, K, y, h / nodes[1], t, until, 1, 2, values, motion
                    )
                    if stuck >= 0:
                        clock[WHERE] = stuck
                        return STUCK
                    for k in range(n):
                        values[k] = K[1, k] - K[0, k]
                    step = first_step(control, h, speed, root_mean_square(values, scale, n) / h)
            step = min(step, t_bound - t)
        strictness, step = 1.0, min(step, max_step)
        shortened = step * control[STRICTNESS] ** exponent
        if shortened >= control[LEAST_SAMPLES] * interval:
            strictness, step, t_stop = control[STRICTNESS], shortened, t_bound
        h = max(step, shortest)
        wanted, rejected, worst = h, False, 0
        while True:
            if not h >= shortest:  # also if it is not a number
                clock[WHERE] = worst
                return TOO_SMALL
            t_new = min(t + h, t_stop)
            h = t_new - t
            last = stages + 1 if ends_with_slope else stages
            stuck = evaluate(core, exchanges, free, nodes, rows, K, y, h, t, until, 1, last, values, motion)
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            combine(
                numbers_at(rows[stages].ctypes.data), stages, numbers_at(K.ctypes.data), size,
                numbers_at(y.ctypes.data), h, numbers_at(y_new.ctypes.data),
            )  # fmt: skip
            if n > 0:
                for k in range(n):
                    scale[k] = atol + rtol * max(abs(y[k]), abs(y_new[k]))
                error, worst = error_ratio(K, h, errors, scale, n, not ends_with_slope)
            else:
                for k in range(size):
                    largest = 0.0
                    for m in range(last):
                        largest = max(largest, abs(K[m, k]))
                    scale[k] = atol + rtol * h * largest
                error, worst = error_ratio(K, h, errors, scale, size, not ends_with_slope)
            if error * strictness < 1.0:
                break
            factor = control[SAFETY] * (error * strictness) ** exponent
            h *= factor if factor > control[MIN_FACTOR] else control[MIN_FACTOR]  # also if it is not a number
            rejected = True
        factor = control[MAX_FACTOR]
        if error > 0.0:
            factor = min(factor, control[SAFETY] * error**exponent)
        following = h * (min(1.0, factor) if rejected else factor)
        if t_new == t_stop and h < wanted and not rejected:
            following = max(following, wanted)
        if t_new > sample:
            stuck = evaluate(
                core, exchanges, free, nodes, rows, K, y, h, t, until, last, nodes.shape[0], values, motion
            )
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            last = nodes.shape[0]
            broken = look_inside(K, bends, y, y_new, h, stages, polynomial)
            if broken >= 0:
                clock[WHERE] = broken
                return NOT_FINITE
        if constrained:
            fill(free, numbers_at(y_new.ctypes.data), motion)
            what = at.DO_PRESCRIBE | at.DO_PROJECT
            if run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], min(t_new, until), what) < 0:
                return TORN
            for k in range(free.shape[0]):
                y_new[k], y_new[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
            last = stages  # the slope at the end is that of other values
        clock[STEP], clock[TIME], clock[LAST], clock[LENGTH] = following, t_new, t, h
        clock[KNOWN] = 1.0 if last > stages else 0.0
        for k in range(size):
            y[k] = y_new[k]
            if last > stages:
                K[0, k] = K[stages, k]
        clock[STEPS] += 1.0
        if clock[STEPS] > limit:
            return TOO_MANY
    return DONE
