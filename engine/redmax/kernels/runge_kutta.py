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
from .loads import put_prescribed
from .views import arrays_of

DONE, TOO_SMALL, NOT_FINITE, STUCK, TOO_MANY = range(5)
"""How a call ends."""
TIME, STEP, KNOWN, STEPS, WHERE = range(5)
"""Clock: where a run stands, the next step to try (negative: none yet), whether the slope here is known, steps so
far, and the component of y or the body that stopped it."""
SAFETY, MIN_FACTOR, MAX_FACTOR, ERROR_ORDER, ENDS_WITH_SLOPE, RTOL, ATOL, MAX_TURN = range(8)
"""Control: constants of the method, see `integrators.explicit_runge_kutta`, tolerances, and the largest turn [rad] of
a joint with a singularity in one step."""
SINGULAR, EXCHANGES = range(2)
"""Traits: whether any joint has a singularity, whether work and loss can be other than zero."""
Q, QDOT, QDDOT = range(3)
"""Rows of the motion: all coordinates, their velocities and accelerations."""


@inner
def fill(tree, free, t, y, motion):
    """All coordinates, velocities and given accelerations from the free ones in y."""
    put_prescribed(
        tree[at.TABLES],
        tree[at.POOL],
        tree[at.VECTORS][at.START],
        tree[at.GIVEN],
        t,
        motion[Q],
        motion[QDOT],
        motion[QDDOT],
    )
    n = free.shape[0]
    for k in range(n):
        motion[Q, free[k]], motion[QDOT, free[k]] = y[k], y[n + k]


@inner
def slope(core, tree, exchanges, free, t, until, y, motion, dy):
    """dy/dt: velocities, accelerations, work and loss; -1, or the body at whose joint nothing resists.

    core: what to call, on which integers and numbers.
    """
    t = min(t, until)
    fill(tree, free, t, y, motion)
    q, qdot, qddot = motion[Q], motion[QDOT], motion[QDDOT]
    what = at.ACCELERATE | at.WITH_POWERS if exchanges else at.ACCELERATE
    stuck = run(core[0], core[1], core[2], q, qdot, qddot, t, what)
    n = free.shape[0]
    for k in range(n):
        dy[k], dy[n + k] = qdot[free[k]], qddot[free[k]]
    dy[2 * n] = dy[2 * n + 1] = 0.0
    if exchanges:
        dy[2 * n], dy[2 * n + 1] = tree[at.WORLD][at.PUT_IN], tree[at.WORLD][at.TAKEN]
    return stuck


@inner
def root_mean_square(x, scale, n):
    total = 0.0
    for k in range(n):
        total += (x[k] / scale[k]) ** 2
    return math.sqrt(total / n)


@inner
def error_ratio(K, h, e5, e3, scale, n, eighth):
    """Error of a step over what is allowed, and the component it is largest in."""
    size5, size3, worst, largest = 0.0, 0.0, 0, -1.0
    for k in range(n):
        a, b = 0.0, 0.0
        for m in range(e5.shape[0]):
            a += e5[m] * K[m, k]
            b += e3[m] * K[m, k]
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
def first_step(core, tree, free, control, clock, y, f, y_new, motion, dy, scale, longest, max_step, until):
    """As `ExplicitRungeKutta._first_step`; -1.0 if nothing resists a joint."""
    n = 2 * free.shape[0]
    if n == 0:
        return min(longest, max_step)
    for k in range(n):
        scale[k] = control[ATOL] + control[RTOL] * abs(y[k])
    size, speed = root_mean_square(y, scale, n), root_mean_square(f, scale, n)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    h = min(h, longest)
    if h == 0.0:
        return h
    for k in range(y.shape[0]):
        y_new[k] = y[k] + h * f[k]
    if slope(core, tree, False, free, clock[TIME] + h, until, y_new, motion, dy) >= 0:
        return -1.0
    for k in range(n):
        dy[k] -= f[k]
    bend = root_mean_square(dy, scale, n) / h
    if speed <= 1e-15 and bend <= 1e-15:
        h_bend = max(1e-6, h * 1e-3)
    else:
        h_bend = (0.01 / max(speed, bend)) ** (1.0 / (control[ERROR_ORDER] + 1.0))
    return min(100.0 * h, h_bend, longest, max_step)


@compiled
def advance(
    address,
    ints,
    floats,
    nodes,
    rows,
    weights,
    e5,
    e3,
    control,
    traits,
    free,
    clock,
    y,
    f,
    motion,
    t_bound,
    until,
    limit,
):
    """Steps up to t_bound, over which all inputs are smooth; inputs are read at `until` at the latest.

    y: free coordinates, their velocities, work, loss. f: dy/dt here if the clock says that it is known.
    """
    tree = arrays_of(ints, floats)
    core, exchanges = (address, ints, floats), traits[EXCHANGES] != 0
    n, stages, size = 2 * free.shape[0], nodes.shape[0], y.shape[0]
    K, y_new, scale, dy = np.empty((e5.shape[0], size)), np.empty(size), np.empty(size), np.empty(size)
    rtol, atol, exponent = control[RTOL], control[ATOL], -1.0 / (control[ERROR_ORDER] + 1.0)
    ends_with_slope = control[ENDS_WITH_SLOPE] != 0.0
    while clock[TIME] < t_bound:
        max_step = math.inf
        if traits[SINGULAR]:
            fill(tree, free, min(clock[TIME], until), y, motion)
            what = at.DO_RECENTRE | at.DO_PLACE | at.DO_TURN_RATE
            if run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], 0.0, what):
                for k in range(free.shape[0]):
                    y[k], y[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
                clock[KNOWN] = 0.0
            rate = tree[at.WORLD][at.TURN_RATE]
            if rate > 0.0:
                max_step = control[MAX_TURN] / rate
        t = clock[TIME]
        if clock[KNOWN] == 0.0:
            clock[WHERE] = slope(core, tree, exchanges, free, t, until, y, motion, f)
            if clock[WHERE] >= 0.0:
                return STUCK
        for k in range(size):
            if not math.isfinite(f[k]):
                clock[WHERE] = k
                return NOT_FINITE
        shortest = 10.0 * (np.nextafter(t, np.inf) - t)
        if t_bound - t < shortest:  # times that only rounding tells apart
            for k in range(size):
                y[k] += (t_bound - t) * f[k]
            clock[TIME], clock[KNOWN] = t_bound, 1.0
            return DONE
        step = clock[STEP]
        if step < 0.0:
            step = first_step(
                core, tree, free, control, clock, y, f, y_new, motion, dy, scale, t_bound - t, max_step, until
            )
        h = max(min(step, max_step), shortest)
        wanted, rejected, worst = h, False, 0
        while True:
            if not h >= shortest:  # also if it is not a number
                clock[WHERE] = worst
                return TOO_SMALL
            t_new = min(t + h, t_bound)
            h = t_new - t
            K[0] = f
            for stage in range(1, stages):
                for k in range(size):
                    total = 0.0
                    for m in range(stage):
                        total += rows[stage, m] * K[m, k]
                    y_new[k] = y[k] + h * total
                clock[WHERE] = slope(core, tree, exchanges, free, t + nodes[stage] * h, until, y_new, motion, K[stage])
                if clock[WHERE] >= 0.0:
                    return STUCK
            for k in range(size):
                total = 0.0
                for m in range(stages):
                    total += weights[m] * K[m, k]
                y_new[k] = y[k] + h * total
            if ends_with_slope:
                clock[WHERE] = slope(core, tree, exchanges, free, t_new, until, y_new, motion, K[stages])
                if clock[WHERE] >= 0.0:
                    return STUCK
            if n > 0:
                for k in range(n):
                    scale[k] = atol + rtol * max(abs(y[k]), abs(y_new[k]))
                error, worst = error_ratio(K, h, e5, e3, scale, n, not ends_with_slope)
            else:
                for k in range(size):
                    largest = 0.0
                    for m in range(K.shape[0]):
                        largest = max(largest, abs(K[m, k]))
                    scale[k] = atol + rtol * h * largest
                error, worst = error_ratio(K, h, e5, e3, scale, size, not ends_with_slope)
            if error < 1.0:
                break
            factor = control[SAFETY] * error**exponent
            h *= factor if factor > control[MIN_FACTOR] else control[MIN_FACTOR]  # also if it is not a number
            rejected = True
        factor = control[MAX_FACTOR]
        if error > 0.0:
            factor = min(factor, control[SAFETY] * error**exponent)
        following = h * (min(1.0, factor) if rejected else factor)
        if t_new == t_bound and h < wanted and not rejected:
            following = max(following, wanted)
        clock[STEP], clock[TIME] = following, t_new
        clock[KNOWN] = 1.0 if ends_with_slope else 0.0
        for k in range(size):
            y[k] = y_new[k]
            if ends_with_slope:
                f[k] = K[stages, k]
        clock[STEPS] += 1.0
        if clock[STEPS] > limit:
            return TOO_MANY
    return DONE
