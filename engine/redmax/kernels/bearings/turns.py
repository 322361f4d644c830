# SPDX-License-Identifier: GPL-3.0-or-later
"""When within a step a bearing comes to a stand, or can hold no longer."""

from __future__ import annotations

import math

from ..cache.jit import inlined, inner
from ..layout.declaration import Bearing, BearingWork, Head
from ..layout.memory import fixed, further, get
from ..layout.views import numbers_of
from ..steps.meetings import inside
from ..steps.stages import slope
from .compute_bearings import width
from .modes import MOVED, RESTS, SLIDES, SLOW, STANDS, STICKS, SURPLUS

BACK = 1e-12
"""What goes back slower than this part of its largest speed in the step, and of 1 [rad/s, m/s or 1/s], stands."""
LOOKS = 8
"""So many parts of a step are looked at for the first moment at which something goes back."""
HALVINGS = 60
MOST_PROBES, LITTLE, MET = 40, 1e-10, 1e-6
"""Evaluations by which the instant is found at which something lets go; to this part of a step, or until what it would
have to hold is beyond what it can by this part."""


@inner
def most_surplus(ints, rows):
    """The most by which what a bearing would have to hold is beyond what it can, in the last evaluation; -2 if none
    sticks or rests."""
    most = -2.0
    for i in range(fixed(ints, Head.BEARINGS)):
        work = further(rows.bearing_work, i * BearingWork.SIZE)
        if get(work, BearingWork.MODE) in (STICKS, RESTS):
            most = max(most, get(work, BearingWork.EXCESS))
    return most


@inner
def least_between(v0, a0, v1, a1, h):
    """Least value of the cubic with these values and slopes at both ends of a step of length h."""
    d0, d1 = h * a0, h * a1
    least = min(v0, v1)
    # Bezier polygon: nothing is below it
    if min(v0 + d0 / 3.0, v1 - d1 / 3.0) >= least:
        return least
    for j in range(1, LOOKS):
        s = j / LOOKS
        r = 1.0 - s
        least = min(least, r * r * ((1.0 + 2.0 * s) * v0 + s * d0) + s * s * ((1.0 + 2.0 * r) * v1 - r * d1))
    return least


@inlined
def is_free(free, place, coordinate):
    """Whether a coordinate is among those that steps know, at this place; others follow them."""
    return free.shape[0] > 0 and free[place] == coordinate


@inner
def soonest_turn(ints, rows, free, places, y, f):
    """Time [s] after which the first bearing that slides stands, by its present speed and its rate; infinite if none
    slows down."""
    n, soonest = (y.shape[0] - 2) // 2, math.inf
    for i in range(fixed(ints, Head.BEARINGS)):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        first, side = fixed(bearing, Bearing.FIRST), get(work, BearingWork.SIDE)
        if get(work, BearingWork.MODE) != SLIDES or width(fixed(bearing, Bearing.KIND)) > 1:
            continue
        if is_free(free, places[first], first):
            v, rate = side * y[n + places[first]], side * f[n + places[first]]
            if v > STANDS and rate < 0.0:
                soonest = min(soonest, -v / rate)
    return soonest


@inner
def may_turn(ints, rows, free, places, y, f, y_new, f_new, h):
    """Whether a bearing stands, lets go or is moved within a step, after the motion at its end was evaluated."""
    n = (y.shape[0] - 2) // 2
    if most_surplus(ints, rows) > SURPLUS:
        return True
    for i in range(fixed(ints, Head.BEARINGS)):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        mode, speed = get(work, BearingWork.MODE), get(work, BearingWork.SPEED)
        if mode == RESTS and abs(speed) > MOVED:
            return True
        if mode != SLIDES:
            continue
        if width(fixed(bearing, Bearing.KIND)) > 1:
            if speed < SLOW and get(work, BearingWork.SPEEDING) < 0.0:
                return True
            continue
        first, side = fixed(bearing, Bearing.FIRST), get(work, BearingWork.SIDE)
        if not is_free(free, places[first], first):
            if side * speed < -BACK * (1.0 + abs(speed)):
                return True
            continue
        k = n + places[first]
        v0, v1 = side * y[k], side * y_new[k]
        if least_between(v0, side * f[k], v1, side * f_new[k], h) < -BACK * (1.0 + abs(v0) + abs(v1)):
            return True
    return False


@inner
def stands_at(k, side, polynomial, v0, v1):
    """Part of a step after which component k of y turns back from a side, by its dense output; 2 if it does not."""
    floor, low = -BACK * (1.0 + abs(v0) + abs(v1)), 0.0
    for j in range(1, LOOKS + 1):
        high = j / LOOKS
        if side * inside(polynomial, high, k) < floor:
            for _ in range(HALVINGS):
                s = 0.5 * (low + high)
                if side * inside(polynomial, s, k) < 0.0:
                    high = s
                else:
                    low = s
            return high
        low = high
    return 2.0


@inner
def speed_at(i, s, rows, course, polynomial, values, dy):
    """Speed of bearing i, whose coordinate follows others, after the part s of a step."""
    surplus_at(rows.head, rows, course, polynomial, s, values, dy)
    return get(rows.bearing_work, i * BearingWork.SIZE + BearingWork.SPEED)


@inner
def crossed_at(i, side, level, rows, course, polynomial, values, dy):
    """Part of a step after which the speed of bearing i towards a side is below a level, if it is so at the end; 2 if
    it is not. By regula falsi, in which an end that stays counts half (Illinois)."""
    low, above = 0.0, side * speed_at(i, 0.0, rows, course, polynomial, values, dy) - level
    high, below = 1.0, side * speed_at(i, 1.0, rows, course, polynomial, values, dy) - level
    if below >= 0.0:
        return 2.0
    if above <= 0.0:
        return LITTLE
    for _ in range(MOST_PROBES):
        s = low + (high - low) * above / (above - below)
        if not low + LITTLE < s < high - LITTLE:
            s = 0.5 * (low + high)
        x = side * speed_at(i, s, rows, course, polynomial, values, dy) - level
        if x < 0.0:
            high, below, above = s, x, 0.5 * above
        else:
            low, above, below = s, x, 0.5 * below
        if high - low <= 2.0 * LITTLE:
            break
    return high


@inner
def turns_at(ints, rows, places, core, exchanges, free, motion, polynomial, y, y_new, t, h, until, values, dy):
    """Part of a step after which the first bearing stands, lets go or is moved, by its dense output; 2 if none is."""
    n, first, surplus = (y.shape[0] - 2) // 2, 2.0, most_surplus(ints, rows)
    course = (core, exchanges, free, motion, t, h, until)
    for i in range(fixed(ints, Head.BEARINGS)):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        mode, side, speed = get(work, BearingWork.MODE), get(work, BearingWork.SIDE), get(work, BearingWork.SPEED)
        if mode == RESTS and abs(speed) > MOVED:
            forth = -1.0 if speed > 0.0 else 1.0
            first = min(first, crossed_at(i, forth, -MOVED, rows, course, polynomial, values, dy))
        if mode != SLIDES:
            continue
        if width(fixed(bearing, Bearing.KIND)) > 1:
            if speed < SLOW and get(work, BearingWork.SPEEDING) < 0.0:
                first = min(first, 1.0)
            continue
        place = fixed(bearing, Bearing.FIRST)
        if is_free(free, places[place], place):
            k = n + places[place]
            first = min(first, stands_at(k, side, polynomial, y[k], y_new[k]))
        elif side * speed < 0.0:
            first = min(first, crossed_at(i, side, 0.0, rows, course, polynomial, values, dy))
    if surplus == -2.0:  # none sticks
        return first
    low, high = 0.0, min(first, 1.0)
    if high < 1.0:
        surplus = surplus_at(ints, rows, course, polynomial, high, values, dy)
    if surplus <= SURPLUS:
        return first
    above = surplus - SURPLUS
    below = min(surplus_at(ints, rows, course, polynomial, 0.0, values, dy) - SURPLUS, -SURPLUS)
    for _ in range(MOST_PROBES):  # false position, in which an end that stays counts half (Illinois)
        s = low + (high - low) * below / (below - above)
        if not low + LITTLE < s < high - LITTLE:
            s = 0.5 * (low + high)
        x = surplus_at(ints, rows, course, polynomial, s, values, dy) - SURPLUS
        if x > 0.0:
            high, above, below = s, x, 0.5 * below
        else:
            low, below, above = s, x, 0.5 * above
        if high - low <= 2.0 * LITTLE or 0.0 < x < MET:
            break
    return high


@inner
def surplus_at(ints, rows, course, polynomial, s, values, dy):
    """`most_surplus` after the part s of a step, by its dense output. course: (core, exchanges, free, motion, t, h,
    until)."""
    core, exchanges, free, motion, t, h, until = course
    for k in range(values.shape[0]):
        values[k] = inside(polynomial, s, k)
    slope(core, exchanges, free, min(t + s * h, until), numbers_of(values), motion, numbers_of(dy), 0)
    return most_surplus(ints, rows)
