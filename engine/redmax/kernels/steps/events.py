# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled search within a step for what switches by state, with the same results as `integrators.events`."""

from __future__ import annotations

import math

import numpy as np

from ... import crossings
from .. import tasks
from ..cache.jit import inner
from ..core import run
from ..layout.declaration import Force, ForceWork, Head, Vector
from ..layout.memory import further, get
from ..layout.views import numbers_of, packed_rows, rows_of
from .stages import QDDOT, QDOT, Q, fill

COUNT, POSED, TURNING, QUANTITIES = range(4)
"""Integers of a lookout: how many quantities; whether bodies must be placed to know them; how many of the free
coordinates are angles; then four of each quantity, and the angles."""
SORT, INDEX, FIRST, LEVELS = range(4)
"""Of a quantity: see `crossings.COORDINATE`; where its levels begin among the numbers of the lookout, and how many
there are. The first numbers are the least distances between two levels, one for each quantity, the next the periods
after which the levels come again, infinite if they do not."""
WIDTH = 4
X, V = range(2)
FARTHEST = 1e15
"""Periods that a quantity may be away from 0; beyond them it has no digits left for a place between levels."""
POINTS = 33
"""Most points of a step at which quantities are known: crossings.MOST_TURN in pieces, two of which are one long."""

departure, quintic = inner(crossings.departure), inner(crossings.quintic)


@inner
def measure(lookout, ints, floats, y, n, seen, point):
    """Write all quantities and their rates to `seen` at one point of a step. n: number of free coordinates.

    Bodies have been placed there if any quantity needs it.
    """
    integers, numbers = packed_rows(ints, floats)
    rows, nr = rows_of(integers, numbers), get(integers, Head.DOFS)
    for k in range(lookout[COUNT]):
        row = QUANTITIES + WIDTH * k
        sort, index = lookout[row + SORT], lookout[row + INDEX]
        if sort == crossings.COORDINATE:
            seen[X, point, k], seen[V, point, k] = y[index], y[n + index]
        elif sort == crossings.OWN:
            vectors = rows.vectors
            seen[X, point, k] = get(vectors, Vector.OWN_Q * nr + index)
            seen[V, point, k] = get(vectors, Vector.OWN_QDOT * nr + index)
        else:
            path = further(rows.pool, get(rows.forces, index * Force.SIZE + Force.START))
            seen[X, point, k], seen[V, point, k] = get(path, ForceWork.LENGTH), get(path, ForceWork.LENGTH_RATE)


@inner
def place(address, ints, floats, free, y, motion, t):
    """Place the bodies at y and time t, with loads and forces."""
    fill(free, numbers_of(y), motion)
    what = tasks.PRESCRIBE | tasks.PLACE | tasks.LOADS
    run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], t, what)


@inner
def window_of(lookout, levels, seen, t, step):
    """Length of time [s] before a level in which a step should end; as in `integrators.events.Landing`."""
    window = crossings.WINDOW * step
    for k in range(lookout[COUNT]):
        speed = abs(seen[V, 0, k])
        if speed > 0.0:
            window = min(window, crossings.PIECE * levels[k] / speed)
    return max(window, 64.0 * (np.nextafter(t, np.inf) - t))


@inner
def levels_up_to(lookout, levels, k, x, with_equal):
    """Number of the first level of quantity k that is not below x; with_equal: that is above it; as
    `integrators.events.Levels.below`."""
    row = QUANTITIES + WIDTH * k
    low, high, first = 0, lookout[row + LEVELS], lookout[row + FIRST]
    period, laps = levels[lookout[COUNT] + k], 0
    if period < math.inf and abs(x) < FARTHEST * period:
        laps = math.floor(x / period)
        x -= laps * period
    while low < high:
        middle = (low + high) // 2
        level = levels[first + middle]
        if level < x or (with_equal and level == x):
            low = middle + 1
        else:
            high = middle
    return low + laps * lookout[row + LEVELS]


@inner
def level_at(lookout, levels, k, number):
    """The level of quantity k of a number, as `integrators.events.Levels` gives it."""
    row = QUANTITIES + WIDTH * k
    first, count, period = lookout[row + FIRST], lookout[row + LEVELS], levels[lookout[COUNT] + k]
    if period < math.inf:
        laps = number // count
        return levels[first + number - laps * count] + laps * period
    if number < 0:
        return -math.inf
    return levels[first + number] if number < count else math.inf


@inner
def hop(lookout, levels, seen, window, step, rtol, atol):
    """Time [s] of a hop across a level that is just ahead, 0 for none; as `integrators.events.Landing.hop`.

    step: the usual length of steps [s].
    """
    soonest = math.inf
    for k in range(lookout[COUNT]):
        x, v = seen[X, 0, k], seen[V, 0, k]
        if v == 0.0:
            continue
        place = levels_up_to(lookout, levels, k, x, False) if v > 0.0 else levels_up_to(lookout, levels, k, x, True) - 1
        level = level_at(lookout, levels, k, place)
        left = (level - x) / v
        floor = min(crossings.FLOOR * (atol + rtol * abs(x)), crossings.PIECE * levels[k])
        if left <= crossings.ARRIVED * window or left <= min(crossings.CREEPING * step, floor / abs(v)):
            soonest = min(soonest, left + crossings.BEYOND * (abs(level / v) + step))
    return soonest if soonest <= crossings.CREEPING * step else 0.0


@inner
def interval(lookout, levels, seen, k, count, part, window, floor):
    """Levels between which quantity k was when the step began; as `integrators.events.Landing._interval`."""
    x0 = seen[X, 0, k]
    near = levels_up_to(lookout, levels, k, x0 - floor, False)
    level = level_at(lookout, levels, k, near)
    if level <= x0 + floor:
        way = 0
        for j in range(count):
            a, b, va, vb = seen[X, j, k], seen[X, j + 1, k], seen[V, j, k], seen[V, j + 1, k]
            up = departure(a, va, b, vb, part, -math.inf, level + floor, 0.0, 0.0)
            down = departure(a, va, b, vb, part, level - floor, math.inf, 0.0, 0.0)
            if min(up, down) <= 1.0:
                way = 1 if up < down else -1
                break
        low, high = level_at(lookout, levels, k, near - 1), level_at(lookout, levels, k, near + 1)
        return level - floor if way > 0 else low, level + floor if way < 0 else high
    place = levels_up_to(lookout, levels, k, x0 + window * seen[V, 0, k], True)
    return level_at(lookout, levels, k, place - 1), level_at(lookout, levels, k, place)


@inner
def look(
    lookout, levels, seen, address, ints, floats, free, motion, y, f, y_new, f_new, values, t, h, until, window,
    rtol, atol,
):  # fmt: skip
    """Times [s] from the step's start to its first switch and from its end to the next one, each infinite if there is
    none, and the index of the last point of `seen`, at the step's end.

    As `integrators.events.Lookout.sampled` and `Landing._seen`. `seen` has the quantities at the start; the slope at
    the end has just been found.
    """
    n, count, m = free.shape[0], 2, lookout[COUNT]
    if lookout[POSED]:
        turn = 0.0
        for i in range(lookout[TURNING]):
            k = n + lookout[QUANTITIES + WIDTH * m + i]
            turn += h * max(abs(y[k]), abs(y_new[k]))
        if turn > crossings.MOST_TURN:
            return h * crossings.MOST_TURN / turn, math.inf, 0
        count = 2 * max(1, math.ceil(turn / crossings.LONGEST_PIECE))
    measure(lookout, ints, floats, y_new, n, seen, count)
    for j in range(1, count):
        s = j / count
        for k in range(n):
            values[k], values[n + k] = quintic(y[k], y[n + k], f[n + k], y_new[k], y_new[n + k], f_new[n + k], h, s)
        if lookout[POSED]:
            place(address, ints, floats, free, values, motion, min(t + s * h, until))
        measure(lookout, ints, floats, values, n, seen, j)
    part, switch, ahead = h / count, math.inf, math.inf
    for k in range(m):
        wrong = 0.0
        for j in range(1, count, 2):
            between = 0.5 * (seen[X, j - 1, k] + seen[X, j + 1, k])
            between += 0.25 * part * (seen[V, j - 1, k] - seen[V, j + 1, k])
            wrong = max(wrong, abs(seen[X, j, k] - between) / 8.0)
        floor = min(crossings.FLOOR * (atol + rtol * abs(seen[X, 0, k])), crossings.PIECE * levels[k])
        low, high = interval(lookout, levels, seen, k, count, part, window, floor)
        for j in range(count):
            a, b, va, vb = seen[X, j, k], seen[X, j + 1, k], seen[V, j, k], seen[V, j + 1, k]
            gone = departure(a, va, b, vb, part, low, high, wrong + floor, floor)
            if gone <= 1.0:
                switch = min(switch, (j + gone) * part)
                break
        x1, v1 = seen[X, count, k], seen[V, count, k]
        left = ((high if v1 > 0.0 else low) - x1) / v1 if v1 != 0.0 else math.inf
        if left > 0.0:
            ahead = min(ahead, left)
    return switch, ahead, count
