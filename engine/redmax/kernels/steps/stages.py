# SPDX-License-Identifier: GPL-3.0-or-later
"""Slopes at the stages of a Runge-Kutta step, on which an adaptive run spends its time, and the error estimate.

Arrays are used by their addresses, see `memory`: a slope of few bodies costs less than handing over some arrays.
"""

from __future__ import annotations

import math

from .. import tasks
from ..cache.jit import inlined, inner
from ..core import call
from ..layout.declaration import World
from ..layout.memory import address_of, further, get, integers_at, part, put
from ..layout.views import numbers_of, rows_of, whole

Q, QDOT, QDDOT = range(3)
"""Rows of the motion: all coordinates, their velocities and accelerations."""


@inner
def fill(free, y, motion):
    """Write the free coordinates and velocities from y, a row, to `motion`; `tasks.PRESCRIBE` writes the others."""
    n = free.shape[0]
    for k in range(n):
        motion[Q, free[k]], motion[QDOT, free[k]] = get(y, k), get(y, n + k)


@inner
def slope(core, exchanges, free, t, y, motion, dy, first):
    """dy/dt: velocities, accelerations, work and loss; -1, or the body at whose joint nothing resists.

    core: addresses of what to call and of its integers and numbers. y, dy: rows. first: what to do before, as flags of
    `tasks`; it may change y.
    """
    address, ints_at, floats_at = core
    n, nr = free.shape[0], motion.shape[1]
    what = first | (tasks.ACCELERATE | tasks.POWERS if exchanges else tasks.ACCELERATE)
    if n == nr:  # y holds all coordinates and velocities in their order
        q_at, qdot_at, qddot_at = address_of(y, n), address_of(further(y, n), n), address_of(further(dy, n), n)
        stuck = call(address, ints_at, floats_at, q_at, qdot_at, qddot_at, t, what)
        for k in range(n):
            put(dy, k, get(y, n + k))
    else:
        fill(free, y, motion)
        q_at = address_of(numbers_of(motion), 3 * nr)
        stuck = call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, t, what | tasks.PRESCRIBE)
        for k in range(n):
            put(dy, k, motion[QDOT, free[k]])
            put(dy, n + k, motion[QDDOT, free[k]])
    put_in, taken = 0.0, 0.0
    if exchanges:
        ints, floats = whole(ints_at, floats_at)
        world = rows_of(ints, floats).world
        put_in, taken = get(world, World.POWER_IN), get(world, World.POWER_OUT)
    put(dy, 2 * n, put_in)
    put(dy, 2 * n + 1, taken)
    return stuck


@inner
def summed(weights, used, slopes, size, result):
    """Sum of weights times slopes; all are rows, of `size` numbers each. used: how many weights are not zero, which.

    Four slopes at a time, so that the loops over y are few and can be several numbers at a time.
    """
    for k in range(size):
        put(result, k, 0.0)
    count = get(used, 0)
    fours = count - count % 4
    for m in range(1, fours + 1, 4):
        a, b, c, d = get(used, m), get(used, m + 1), get(used, m + 2), get(used, m + 3)
        first, second = further(slopes, a * size), further(slopes, b * size)
        third, fourth = further(slopes, c * size), further(slopes, d * size)
        w, x, y, z = get(weights, a), get(weights, b), get(weights, c), get(weights, d)
        for k in range(size):
            part = (w * get(first, k) + x * get(second, k)) + (y * get(third, k) + z * get(fourth, k))
            put(result, k, get(result, k) + part)
    for m in range(fours + 1, count + 1):
        weight, row = get(weights, get(used, m)), further(slopes, get(used, m) * size)
        for k in range(size):
            put(result, k, get(result, k) + weight * get(row, k))


@inlined
def stage_row(stage, rows, used):
    """Weights of a stage, and which of them are not zero; see `summed`."""
    weights, listed = further(numbers_of(rows), stage * rows.shape[1]), integers_at(used.ctypes.data, used.size)
    listed = further(listed, stage * used.shape[1])
    return part(weights, 0, rows.shape[1]), part(listed, 0, used.shape[1])


@inner
def combine(stage, rows, used, K, y, h, result):
    """y + h (sum of weights times slopes), with the weights of a stage, or of the end of a step; result: a row."""
    size, start, (weights, listed) = y.shape[0], numbers_of(y), stage_row(stage, rows, used)
    summed(weights, listed, numbers_of(K), size, result)
    for k in range(size):
        put(result, k, get(start, k) + h * get(result, k))


@inner
def evaluate(core, exchanges, near, free, nodes, rows, used, K, y, h, t, until, first, last, values, motion):
    """Slopes K of the stages first to last - 1 of a step; -1, or the body at whose joint nothing resists.

    near: 1 near a singular pose, where stages are put on the loops before they are evaluated; else 0. The first one,
    where a step begins, is there already.
    """
    size, reached, slopes = y.shape[0], numbers_of(values), numbers_of(K)
    for stage in range(first, last):
        combine(stage, rows, used, K, y, h, reached)
        t_stage = min(t + nodes[stage] * h, until)
        before = tasks.PROJECT * near if stage > 0 else 0
        dy = part(further(slopes, stage * size), 0, size)
        stuck = slope(core, exchanges, free, t_stage, reached, motion, dy, before)
        if stuck >= 0:
            return stuck
    return -1


@inner
def error_ratio(rows, used, K, h, scale, n, eighth, errors):
    """Error of a step over what is allowed. errors: gets the sums that both error estimates are made of."""
    size, estimates = errors.shape[1], used.shape[0] - errors.shape[0]
    for which in range(errors.shape[0]):
        weights, listed = stage_row(estimates + which, rows, used)
        summed(weights, listed, numbers_of(K), size, further(numbers_of(errors), which * size))
    return size_of_errors(h, scale, n, eighth, errors)


@inner
def error_of_work(K, last, h, n, least, part, eighth, errors):
    """Error of work and loss, the numbers n and n + 1 of y, over what is allowed, after `error_ratio`; as
    `ExplicitRungeKutta`. last: of the slopes K. least, part: absolute error [J] and relative one that are allowed."""
    most = 0.0
    for m in range(last):
        most = max(most, abs(K[m, n]), abs(K[m, n + 1]))
    one, size5, size3 = 1.0 / (least + part * h * most), 0.0, 0.0
    for k in range(n, n + 2):
        a, b = one * errors[0, k], one * errors[1, k]
        size5, size3 = size5 + a * a, size3 + b * b
    return error_size(h, size5, size3, 2, eighth)


@inner
def error_along_rows(core, free, t, h, scale, n, eighth, y_new, motion, errors):
    """Error of a step over what is allowed, after `error_ratio`, without the part of the errors that the projection at
    its end takes away; y_new stays as it is. Near singular poses that part is mostly noise."""
    address, ints_at, floats_at = core
    half, nr = free.shape[0], motion.shape[1]
    q_at = address_of(numbers_of(motion), 3 * nr)
    fill(free, numbers_of(y_new), motion)
    what = tasks.PRESCRIBE | tasks.PROJECT | tasks.TANGENT_BASIS
    call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, t, what)
    for which in range(errors.shape[0]):
        for level in range(2):
            for k in range(nr):
                motion[QDDOT, k] = 0.0
            for k in range(half):
                motion[QDDOT, free[k]] = errors[which, level * half + k]
            call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, t, tasks.TANGENT_PART)
            for k in range(half):
                errors[which, level * half + k] = motion[QDDOT, free[k]]
    return size_of_errors(h, scale, n, eighth, errors)


@inner
def size_of_errors(h, scale, n, eighth, errors):
    """Error of a step over what is allowed, from the sums in `errors`."""
    size5, size3 = 0.0, 0.0
    for k in range(n):
        one = 1.0 / scale[k]
        a, b = one * errors[0, k], one * errors[1, k]
        size5, size3 = size5 + a * a, size3 + b * b
    return error_size(h, size5, size3, n, eighth)


@inner
def error_size(h, size5, size3, n, eighth):
    """Error of a step over what is allowed, from the sums of squares of both estimates over n components."""
    if not eighth:
        return h * math.sqrt(size5 / n)
    if size5 == 0.0 and size3 == 0.0:
        return 0.0
    return h * size5 / math.sqrt((size5 + 0.01 * size3) * n)


@inner
def worst_component(errors, scale, n):
    """The first component whose error is the largest; one that is not a number is infinitely large."""
    worst, largest = 0, -1.0
    for k in range(n):
        ratio = abs(errors[0, k] / scale[k])
        if math.isnan(ratio):
            ratio = math.inf
        if ratio > largest:
            worst, largest = k, ratio
    return worst
