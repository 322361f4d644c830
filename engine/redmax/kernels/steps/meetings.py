# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled search within a step for the first instant at which a one-sided row is met or lets go; see `stops`."""

from __future__ import annotations

import math

from ... import crossings
from .. import tasks
from ..cache.jit import inlined, inner
from ..core import call
from ..layout import codes
from ..layout.declaration import (
    Active,
    Column,
    Head,
    RowBodies,
    RowVectors,
    RowWork,
    StopInts,
    World,
)
from ..layout.memory import address_of, fixed, further, get, put
from ..layout.views import numbers_of
from ..rows.row_kinds import row_at
from .stages import fill, slope
from .stops import NO_PUSH, TOUCHING, own_coordinate, scale_of

PIECE, MOST_PIECES = 0.1, 16
"""Bodies are placed so often in a step that no coordinate changes by more than this in between [rad, m or 1], at two
pieces at least and so many at most."""
MOST_PROBES, LITTLE = 12, 1e-6
"""Evaluations by which the instant is found at which a row lets go; part of a step in which motion is straight."""
MET = 1e-2
"""A row whose room is less than this part of what counts as touching is met: what holds is put to where it is zero."""

CLEAR = 0.1
"""Rooms that keep this part of their range within a step are not met in it."""

departure, quintic = inner(crossings.departure), inner(crossings.quintic)


@inner
def least_push(ints, rows):
    """Least push of all rows that hold, relative to the forces that it is the difference of; infinite if none does."""
    least, e = math.inf, fixed(ints, Head.EQUATIONS)
    held = further(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS))
    if get(rows.active, Active.LOCKS) > 0:
        for r in range(e, fixed(ints, Head.ROWS)):
            if get(held, r) != 0:
                row = further(rows.row_bodies, r * RowBodies.SIZE)
                k = own_coordinate(row)
                if k >= 0:
                    column = further(rows.columns, k * Column.SIZE)
                    factor = get(rows.row_vectors, r * RowVectors.SIZE + RowVectors.FACTOR_A)
                    push = get(column, Column.PUSH) if factor > 0.0 else -get(column, Column.PUSH)
                    least = min(least, push / (get(column, Column.PUSH_SIZE) + 1e-300))
    size = get(rows.world, World.PUSH_SIZE) + 1e-300
    for i in range(e, get(rows.active, Active.ROWS)):
        results = further(rows.row_work, i * RowWork.SIZE)
        push = get(results, RowWork.MULTIPLIER) * math.sqrt(get(results, RowWork.BOUND))
        least = min(least, push / size)
    return least


@inner
def inside(polynomial, s, k):
    """Component k of y after the part s of a step; as `integrators.tableaux.inside`."""
    total, weight = polynomial[0, k], 1.0
    for row in range(1, polynomial.shape[0]):
        weight *= s if row % 2 == 1 else 1.0 - s
        total += weight * polynomial[row, k]
    return total


@inlined
def along(row, vectors, places, values, offset):
    """Left side of a COORDINATE row with values of the free coordinates, which begin at `offset`."""
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    total = get(vectors, RowVectors.FACTOR_A) * values[offset + places[a]]
    return total + get(vectors, RowVectors.FACTOR_B) * values[offset + places[b]] if b >= 0 else total


@inner
def soonest_meeting(ints, rows, places, y, f):
    """Time [s] after which the first row on coordinates would be met if accelerations f stayed as they are at y;
    infinite if none would."""
    e, size, soonest, n = fixed(ints, Head.EQUATIONS), get(rows.world, World.EXTENT), math.inf, (y.shape[0] - 2) // 2
    held = further(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS))
    for r in range(e, fixed(ints, Head.ROWS)):
        row, vectors = further(rows.row_bodies, r * RowBodies.SIZE), further(rows.row_vectors, r * RowVectors.SIZE)
        if get(held, r) == 0 and not is_posed(row):
            room = along(row, vectors, places, y, 0) - get(vectors, RowVectors.OFFSET)
            v, a = along(row, vectors, places, y, n), along(row, vectors, places, f, n)
            x = room - level_of(room, scale_of(row, size))
            root = v * v - 2.0 * a * x
            if root > 0.0 and (v < 0.0 or a < 0.0):
                root = math.sqrt(root)
                soonest = min(soonest, 2.0 * x / (root - v) if v < 0.0 else -(v + root) / a)
    return soonest


@inlined
def level_of(begins, scale):
    """Room at which a row is met that has `begins` where a step begins: one that touched there has to be passed by half
    of what counts as touching."""
    return 0.0 if begins > TOUCHING * scale else min(begins, 0.0) - 0.5 * TOUCHING * scale


@inlined
def is_posed(row):
    """Whether bodies, or followers of drives, must be placed to know the room of a row."""
    return fixed(row, RowBodies.KIND) != codes.COORDINATE or fixed(row, RowBodies.POSED) != 0


@inner
def has_posed_stops(ints, rows):
    """Whether bodies must be placed to know the room of any one-sided row."""
    for r in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        if is_posed(further(rows.row_bodies, r * RowBodies.SIZE)):
            return True
    return False


@inner
def place_stops(course, values, s, rows_of_errors):
    """Place the bodies at the values of y after the part s of a step; `RowWork` gets errors of all rows, or of
    ONE_ROW, and their rates as right sides. course: see `first_meeting`. rows_of_errors: 0 or `tasks.ONE_ROW`."""
    (address, ints_at, floats_at), free, motion, _, t, h, until = course
    fill(free, numbers_of(values), motion)
    nr = motion.shape[1]
    q_at = address_of(numbers_of(motion), 3 * nr)
    what = tasks.PRESCRIBE | tasks.PLACE | tasks.ROW_ERRORS | rows_of_errors
    call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, min(t + s * h, until), what)


@inner
def measure_stops(ints, rows, course, values, s, rooms, point):
    """Write room and rate of all rows, after the part s of a step, to a point of `rooms`."""
    place_stops(course, values, s, 0)
    for i in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        results, r = further(rows.row_work, i * RowWork.SIZE), get(rows.order, i)
        rooms[0, point, r], rooms[1, point, r] = get(results, RowWork.ERROR), get(results, RowWork.RIGHT_SIDE)


@inner
def pieces_of(course, y, y_new):
    """In how many pieces rooms are looked at in a step; even."""
    n, fastest = course[1].shape[0], 0.0
    for k in range(n, 2 * n):
        fastest = max(fastest, abs(y[k]), abs(y_new[k]))
    count = 2
    while count < MOST_PIECES and course[5] * fastest > PIECE * count:
        count += 2
    return count


@inner
def measure_step(ints, rows, course, y, f, y_new, f_new, rooms):
    """Write room and rate of all rows to `rooms` at the ends of all pieces of a step."""
    n, values, h, count = course[1].shape[0], course[3], course[5], pieces_of(course, y, y_new)
    measure_stops(ints, rows, course, y, 0.0, rooms, 0)
    for j in range(1, count):
        s = j / count
        for k in range(n):
            values[k], values[n + k] = quintic(y[k], y[n + k], f[n + k], y_new[k], y_new[n + k], f_new[n + k], h, s)
        measure_stops(ints, rows, course, values, s, rooms, j)
    measure_stops(ints, rows, course, y_new, 1.0, rooms, count)


@inner
def room_inside(i, rows, places, polynomial, s, level, course):
    """Error of the row at place i above a level after the part s of a step."""
    row, vectors = row_at(i, rows)
    if is_posed(row):
        values = course[3]
        for k in range(values.shape[0]):
            values[k] = inside(polynomial, s, k)
        put(rows.world, World.ONE_ROW, float(i))
        place_stops(course, values, s, tasks.ONE_ROW)
        return get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR) - level
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    total = get(vectors, RowVectors.FACTOR_A) * inside(polynomial, s, places[a])
    if b >= 0:
        total += get(vectors, RowVectors.FACTOR_B) * inside(polynomial, s, places[b])
    return total - get(vectors, RowVectors.OFFSET) - level


@inlined
def stays_clear(x0, v0, a0, x1, v1, a1, h, scale):
    """Whether a room x keeps clear of zero in a step, by the quintic with its values, rates and accelerations at both
    ends, which stays within its Bezier polygon. Most rows do; False where a closer look has to tell."""
    d0, d1 = 0.2 * h * v0, 0.2 * h * v1
    p1, p4 = x0 + d0, x1 - d1
    p2, p3 = p1 + d0 + 0.05 * h * h * a0, p4 - d1 + 0.05 * h * h * a1
    low, high = min(x0, p1, p2, p3, p4, x1), max(x0, p1, p2, p3, p4, x1)
    return low > CLEAR * (high - low) + TOUCHING * scale


@inner
def may_be_met(x0, v0, x, v, x1, v1, h, scale):
    """Part of a step after which a row is met or nearly so, by its room and rate at the start, in the middle and at the
    end; 2 if it is not."""
    part, floor = 0.5 * h, 0.5 * TOUCHING * scale
    wrong = abs(x - 0.5 * (x0 + x1) - 0.25 * part * (v0 - v1)) / 8.0
    first = departure(x0, v0, x, v, part, 0.0, math.inf, wrong + floor, floor)
    if first <= 1.0:
        return 0.5 * first
    if x < -floor:  # from where it touched
        return 0.5
    second = departure(x, v, x1, v1, part, 0.0, math.inf, wrong + floor, floor)
    if second <= 1.0:
        return 0.5 + 0.5 * second
    return 1.0 if x1 < -floor else 2.0


@inner
def may_be_met_in(rooms, r, count, h, scale):
    """Part of a step after which row r is met or nearly so, by its room at the ends of its pieces, 2 if it is not; and
    parts before and after which it has room and has none, 0 and 2 if they are not known."""
    part, floor, wrong = h / count, 0.5 * TOUCHING * scale, 0.0
    for j in range(1, count, 2):
        between = 0.5 * (rooms[0, j - 1, r] + rooms[0, j + 1, r])
        between += 0.25 * part * (rooms[1, j - 1, r] - rooms[1, j + 1, r])
        wrong = max(wrong, abs(rooms[0, j, r] - between) / 8.0)
    for j in range(count):
        x, v, x_next, v_next = rooms[0, j, r], rooms[1, j, r], rooms[0, j + 1, r], rooms[1, j + 1, r]
        gone = departure(x, v, x_next, v_next, part, 0.0, math.inf, wrong + floor, floor)
        if gone <= 1.0 or x_next < -floor:
            before, beyond = j / count if x > floor else 0.0, (j + 1) / count if x_next < -floor else 2.0
            return (j + min(gone, 1.0)) / count, before, beyond
    return 2.0, 0.0, 2.0


@inner
def met_at(i, rows, places, polynomial, begins, guess, before, beyond, scale, course):
    """Part of a step after which the row at place i is met, by its dense output; 2 if it is not. begins: its room where
    the step begins. guess, before, beyond: see `may_be_met_in`."""
    level = level_of(begins, scale)
    low, high = before, beyond if beyond <= 1.0 else min(guess, 1.0)
    below = room_inside(i, rows, places, polynomial, high, level, course)
    tries = 0
    while below > 0.0:  # on to where it would be met, and beyond, until it turns back
        slope = (room_inside(i, rows, places, polynomial, high + LITTLE, level, course) - below) / LITTLE
        if high >= 1.0:
            return 2.0
        if tries == MOST_PROBES or not (slope < 0.0 or tries == 0):  # or steps so short that motion is rounding
            low, high = high, 1.0
        else:
            low, high = high, min(1.0, high + max(-1.5 * below / slope, LITTLE) if slope < 0.0 else high + 0.01)
        below = room_inside(i, rows, places, polynomial, high, level, course)
        tries += 1
    above = room_inside(i, rows, places, polynomial, low, level, course)
    if not above > 0.0:
        return low
    for _ in range(100):  # false position, in which an end that stays counts half (Illinois)
        s = high - below * (high - low) / (below - above)
        if not low < s < high:
            s = 0.5 * (low + high)
        x = room_inside(i, rows, places, polynomial, s, level, course)
        if x > 0.0:
            low, above, below = s, x, 0.5 * below
        else:
            high, below, above = s, x, 0.5 * above
        if abs(x) <= MET * TOUCHING * scale or high - low <= 1e-15:
            return s
    return high


@inner
def first_meeting(ints, rows, places, y, f, y_new, f_new, polynomial, course, rooms, dense):
    """Part of a step after which the first row is met, 2 if none is; without dense output, whether it may be.

    course: addresses of what to call, free coordinates, work space for the motion and for y, time at which the step
    begins, its length, and until when inputs count. rooms: (2, MOST_PIECES + 1, m), empty where no row needs bodies to
    be placed; with dense output as the call without it left them.
    """
    e, size, first = fixed(ints, Head.EQUATIONS), get(rows.world, World.EXTENT), 2.0
    n, h = course[1].shape[0], course[5]
    held = further(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS))
    if rooms.shape[2] > 0 and not dense:
        measure_step(ints, rows, course, y, f, y_new, f_new, rooms)
    for i in range(e, fixed(ints, Head.ROWS)):
        r = get(rows.order, i)
        if get(held, r) == 0:
            row, vectors = row_at(i, rows)
            scale = scale_of(row, size)
            before, beyond = 0.0, 2.0
            if is_posed(row):
                begins = rooms[0, 0, r]
                guess, before, beyond = may_be_met_in(rooms, r, pieces_of(course, y, y_new), h, scale)
            else:
                offset = get(vectors, RowVectors.OFFSET)
                begins, x1 = along(row, vectors, places, y, 0) - offset, along(row, vectors, places, y_new, 0) - offset
                v0, v1 = along(row, vectors, places, y, n), along(row, vectors, places, y_new, n)
                a0, a1 = along(row, vectors, places, f, n), along(row, vectors, places, f_new, n)
                if stays_clear(begins, v0, a0, x1, v1, a1, h, scale):
                    continue
                x, v = quintic(begins, v0, a0, x1, v1, a1, h, 0.5)
                guess = may_be_met(begins, v0, x, v, x1, v1, h, scale)
            if guess <= 1.0 and dense and first <= 1.0:  # another one is met before, unless this one has no room then
                if room_inside(i, rows, places, polynomial, first, level_of(begins, scale), course) <= 0.0:
                    beyond = min(beyond, first)
                elif guess >= first:
                    continue
            if guess <= 1.0 and dense:
                guess = met_at(i, rows, places, polynomial, begins, guess, before, beyond, scale, course)
            first = min(first, guess)
    return first


@inner
def let_go_at(ints, rows, core, exchanges, free, motion, polynomial, t, h, until, values, dy, last, push):
    """Part of a step, at most `last`, after which the first row lets go that holds; `push`: `least_push` there, which
    is negative."""
    low, high, above, below = 0.0, last, -1.0, push
    for _ in range(MOST_PROBES):
        s = high - below * (high - low) / (below - above) if above > 0.0 else 0.5 * (low + high)
        if not low + 1e-3 * (high - low) < s < high - 1e-3 * (high - low):
            s = 0.5 * (low + high)
        for k in range(values.shape[0]):
            values[k] = inside(polynomial, s, k)
        slope(core, exchanges, free, min(t + s * h, until), numbers_of(values), motion, numbers_of(dy), 0)
        x = least_push(ints, rows)
        if x > -NO_PUSH:
            low, above = s, x
        else:
            high, below = s, x
        if high - low <= 1e-6:
            break
    return high
