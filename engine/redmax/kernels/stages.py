# SPDX-License-Identifier: GPL-3.0-or-later
"""Slopes at the stages of a Runge-Kutta step: what an adaptive run spends its time with.

Arrays are used by their addresses, see `memory`: a slope of few bodies costs less than handing over some arrays.
"""

from __future__ import annotations

from . import layout as at
from .core import call
from .jit import inner
from .memory import further, get, integers_at, numbers_at, put
from .views import arrays_at

Q, QDOT, QDDOT = range(3)
"""Rows of the motion: all coordinates, their velocities and accelerations."""


@inner
def fill(free, y, motion):
    """The free coordinates and velocities from y, which is a row; `DO_PRESCRIBE` puts in the others."""
    n = free.shape[0]
    for k in range(n):
        motion[Q, free[k]], motion[QDOT, free[k]] = get(y, k), get(y, n + k)


@inner
def slope(core, exchanges, free, t, y_at, motion, dy_at):
    """dy/dt: velocities, accelerations, work and loss; -1, or the body at whose joint nothing resists.

    core: addresses of what to call and of its integers and numbers. y_at, dy_at: addresses, too.
    """
    address, ints_at, floats_at = core
    n, nr = free.shape[0], motion.shape[1]
    y, dy = numbers_at(y_at), numbers_at(dy_at)
    what = at.ACCELERATE | at.WITH_POWERS if exchanges else at.ACCELERATE
    if n == nr:  # y holds all coordinates and velocities in their order
        for k in range(n):
            put(dy, k, get(y, n + k))
        stuck = call(address, ints_at, floats_at, y_at, y_at + 8 * n, dy_at + 8 * n, t, what)
    else:
        fill(free, y, motion)
        q_at = motion.ctypes.data
        stuck = call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, t, what | at.DO_PRESCRIBE)
        for k in range(n):
            put(dy, k, motion[QDOT, free[k]])
            put(dy, n + k, motion[QDDOT, free[k]])
    put_in, taken = 0.0, 0.0
    if exchanges:
        world = arrays_at(integers_at(ints_at), numbers_at(floats_at))[at.WORLD]
        put_in, taken = world[at.PUT_IN], world[at.TAKEN]
    put(dy, 2 * n, put_in)
    put(dy, 2 * n + 1, taken)
    return stuck


@inner
def combine(weights, count, slopes, size, y, h, result):
    """y + h (sum of weights times slopes) over the first `count` slopes; all are rows, of `size` numbers each.

    Slope after slope, so that the loops over y can be several numbers at a time; many weights are zero.
    """
    for k in range(size):
        put(result, k, 0.0)
    for m in range(count):
        weight, row = get(weights, m), further(slopes, m * size)
        if weight != 0.0:
            for k in range(size):
                put(result, k, get(result, k) + weight * get(row, k))
    for k in range(size):
        put(result, k, get(y, k) + h * get(result, k))


@inner
def evaluate(core, exchanges, free, nodes, rows, K, y, h, t, until, first, last, values, motion):
    """Slopes K of the stages first to last - 1 of a step; -1, or the body at whose joint nothing resists."""
    size, values_at, K_at = y.shape[0], values.ctypes.data, K.ctypes.data
    weights, slopes, start = numbers_at(rows.ctypes.data), numbers_at(K_at), numbers_at(y.ctypes.data)
    for stage in range(first, last):
        combine(further(weights, stage * rows.shape[1]), stage, slopes, size, start, h, numbers_at(values_at))
        t_stage = min(t + nodes[stage] * h, until)
        stuck = slope(core, exchanges, free, t_stage, values_at, motion, K_at + 8 * stage * size)
        if stuck >= 0:
            return stuck
    return -1
