# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled parts of `integrators.extrapolation`: M, K and D as matrices, and all small steps of one row in one call."""

from __future__ import annotations

from .. import tasks
from ..cache.jit import compiled
from ..core import run
from ..layout.declaration import Vector
from ..layout.memory import put
from ..layout.views import addresses, arrays_of, numbers_of, packed_rows, rows_of
from .stages import slope


@compiled
def linearise(address, ints, floats, q, qdot, t, x, M, K, D):
    """M, K and D (nr, nr) at (q, qdot), K and D as implicit steps use them, column by column.

    A(h) = M - h D - h^2 K is what kernels multiply with: M = A(0), K and D are the even and the odd part of A(1).
    """
    head, numbers = packed_rows(ints, floats)
    vectors, n = arrays_of(head, rows_of(head, numbers)).vectors, q.shape[0]
    for k in range(n):
        x[k] = 0.0
    run(address, ints, floats, q, qdot, x, t, tasks.PLACE | tasks.LOADS | tasks.INVERSE)
    result = vectors[Vector.FORCE]
    for column in range(n):
        x[column] = 1.0
        run(address, ints, floats, q, qdot, x, 0.0, tasks.MULTIPLY)
        for k in range(n):
            M[k, column] = result[k]
        run(address, ints, floats, q, qdot, x, 1.0, tasks.MULTIPLY)
        for k in range(n):
            D[k, column] = result[k]
        run(address, ints, floats, q, qdot, x, -1.0, tasks.MULTIPLY)
        for k in range(n):
            ahead, back = D[k, column], result[k]
            D[k, column] = 0.5 * (back - ahead)
            K[k, column] = M[k, column] - 0.5 * (ahead + back)
        x[column] = 0.0


@compiled
def euler_steps(
    address, ints, floats, exchanges, free, inverse, K, D, h, count, t, t_new, until, y, dy, motion, scratch
):
    """`count` linearly implicit steps of length h from t to t_new, in place.

    Gives -1, or the body at whose joint nothing resists.

    y: free coordinates, their velocities, work, loss. inverse: (n, n) of M - h D - h^2 K along the free directions.
    Step for step as `integrators.extrapolation.LinearlyImplicitExtrapolation`.
    """
    ints_at, floats_at = addresses(ints, floats)
    core = (address, ints_at, floats_at)
    n, known = free.shape[0], numbers_of(scratch)
    for step in range(1, count + 1):
        now = t_new if step == count else t + step * h
        stuck = slope(core, exchanges, free, min(now, until), numbers_of(y), motion, numbers_of(dy), 0)
        if stuck >= 0:
            return stuck
        for k in range(n):
            total = 0.0
            for m in range(n):
                total += D[k, m] * dy[n + m] + K[k, m] * (y[n + m] + h * dy[n + m])
            put(known, k, h * h * total)
        for k in range(n):
            change = h * dy[n + k]
            for m in range(n):
                change += inverse[k, m] * scratch[m]
            motion_of = y[n + k] + change
            y[k] += h * motion_of
            dy[n + k] = motion_of
        for k in range(n):
            y[n + k] = dy[n + k]
        for k in range(2 * n, y.shape[0]):
            y[k] += h * dy[k]
    return -1
