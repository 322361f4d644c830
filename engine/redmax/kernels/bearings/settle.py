# SPDX-License-Identifier: GPL-3.0-or-later
"""What sticks and what slides at one instant."""

from __future__ import annotations

import math

from .. import tasks
from ..cache.jit import callback, inner
from ..core import SIGNATURE, call
from ..layout.declaration import Active, Bearing, BearingInts, BearingWork, Head, RowBodies, StopInts, Vector
from ..layout.memory import fixed, further, get, numbers_at, put
from ..layout.views import arrays_of, rows_of, whole
from ..steps.stops import own_coordinate
from .compute_bearings import moved, width
from .modes import LEANS, SLIDES, SLOW, STANDS, STICKS, SURPLUS
from .sharing import share

ROUNDS_EACH = 4
"""Each bearing may change its mind so often."""
SETTLED, UNSETTLED = range(2)
"""Results of `settle`."""


@inner
def hold(bearing, work, armature):
    """Have a bearing stick."""
    put(work, BearingWork.MODE, float(STICKS))
    first = fixed(bearing, Bearing.FIRST)
    for k in range(first, first + width(fixed(bearing, Bearing.KIND))):
        put(armature, k, math.inf)


@inner
def let_slide(bearing, work, armature):
    """Have a bearing slide."""
    put(work, BearingWork.MODE, float(SLIDES))
    first = fixed(bearing, Bearing.FIRST)
    for k in range(first, first + width(fixed(bearing, Bearing.KIND))):
        put(armature, k, 0.0)


@inner
def speed_of(bearing, columns, qdot):
    """Speed of a bearing, after the bodies are placed."""
    kind, first = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST)
    if width(kind) == 1:
        return abs(get(qdot, first))
    x0, x1, x2 = moved(columns, kind, first, qdot)
    return math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)


@inner
def begin(bearing, work, rows, armature, qdot):
    """By its speed alone: what stands sticks, until something is found that it cannot hold. Gives whether it stands."""
    kind, first, columns = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST), rows.columns
    speed = speed_of(bearing, columns, qdot)
    if speed <= (STANDS if width(kind) == 1 else SLOW):
        for k in range(first, first + width(kind)):
            put(qdot, k, 0.0)
        hold(bearing, work, armature)
        return True
    if width(kind) == 1:
        put(work, BearingWork.SIDE, 1.0 if get(qdot, first) > 0.0 else -1.0)
    elif get(work, BearingWork.MODE) != SLIDES:
        x0, x1, x2 = moved(columns, kind, first, qdot)
        put(work, BearingWork.DIRECTION, x0 / speed)
        put(work, BearingWork.DIRECTION + 1, x1 / speed)
        put(work, BearingWork.DIRECTION + 2, x2 / speed)
    let_slide(bearing, work, armature)
    return False


@inner
def release(bearing, work, armature):
    """Have a bearing slide that cannot hold, to where what it holds would drive it."""
    kind = fixed(bearing, Bearing.KIND)
    if width(kind) == 1:
        put(work, BearingWork.SIDE, -1.0 if get(work, BearingWork.FORCE) > 0.0 else 1.0)
    else:
        d0, d1 = get(work, BearingWork.DIRECTION), get(work, BearingWork.DIRECTION + 1)
        d2 = get(work, BearingWork.DIRECTION + 2)
        size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        c = 1.0 / size if size > 0.0 else 0.0
        put(work, BearingWork.DIRECTION, c * d0)
        put(work, BearingWork.DIRECTION + 1, c * d1)
        put(work, BearingWork.DIRECTION + 2, c * d2)
    let_slide(bearing, work, armature)


@inner
def stopped(ints, rows, k):
    """Whether a hard limit holds coordinate k by itself."""
    for r in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        held = get(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS) + r) != 0
        if held and own_coordinate(further(rows.row_bodies, r * RowBodies.SIZE)) == k:
            return True
    return False


@inner
def goes_back(bearing, work, qddot):
    """Whether a bearing that was released would go the other way, as others that were released after it made it."""
    first = fixed(bearing, Bearing.FIRST)
    if width(fixed(bearing, Bearing.KIND)) == 1:
        return get(work, BearingWork.SIDE) * get(qddot, first) < 0.0
    return get(work, BearingWork.SPEEDING) < 0.0


@callback(SIGNATURE)
def settle(ints_at, floats_at, q_at, qdot_at, qddot_at, t, compute_at):
    """Find which bearings stick at (q, qdot) and time t; qdot of what stands becomes zero. Gives SETTLED, or UNSETTLED
    where they were still changing.

    compute_at: address of `core.compute`.
    """
    ints, floats = whole(ints_at, floats_at)
    nr, count = fixed(ints, Head.DOFS), fixed(ints, Head.BEARINGS)
    qdot, qddot = numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    arrays, standing = arrays_of(ints, rows), arrays_of(ints, rows).bearing_ints[BearingInts.STANDING]
    call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.PLACE)
    tied, waiting, has_stops = get(rows.active, Active.ROWS) > 0, 0, fixed(ints, Head.STOPS) > 0
    for i in range(count):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        first, wide = fixed(bearing, Bearing.FIRST), width(fixed(bearing, Bearing.KIND))
        if has_stops and wide == 1 and stopped(ints, rows, first):
            put(work, BearingWork.MODE, float(LEANS))
            put(work, BearingWork.FORCE, 0.0)
            put(work, BearingWork.BOUND, 0.0)
            put(work, BearingWork.EXCESS, -1.0)
            continue
        stands = begin(bearing, work, rows, armature, qdot)
        put(work, BearingWork.SPEED, 0.0 if stands else 1.0)  # until it is computed
        if stands and tied and wide == 1:
            put(armature, first, 0.0)
            standing[waiting] = i
            waiting += 1
    asked = (compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t)
    for _ in range(ROUNDS_EACH * count + 1):
        if waiting > 0:
            for p in range(waiting):
                put(armature, fixed(rows.bearings, standing[p] * Bearing.SIZE + Bearing.FIRST), 0.0)
            if not share(ints, rows, arrays, waiting, qddot, asked):
                return SETTLED  # nothing resists: forward dynamics names it
        if call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.ACCELERATE) >= 0:
            return SETTLED
        worst, most = -1, SURPLUS
        for i in range(count):
            bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
            shares = tied and width(fixed(bearing, Bearing.KIND)) == 1
            if not shares and get(work, BearingWork.MODE) == STICKS and get(work, BearingWork.EXCESS) > most:
                worst, most = i, get(work, BearingWork.EXCESS)
        if worst >= 0:
            release(
                further(rows.bearings, worst * Bearing.SIZE),
                further(rows.bearing_work, worst * BearingWork.SIZE),
                armature,
            )
            continue
        back = -1
        for i in range(count):
            bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
            slides = get(work, BearingWork.MODE) == SLIDES and not (tied and width(fixed(bearing, Bearing.KIND)) == 1)
            if slides and speed_of(bearing, rows.columns, qdot) == 0.0 and goes_back(bearing, work, qddot):
                back = i
        if back < 0:
            return SETTLED
        hold(further(rows.bearings, back * Bearing.SIZE), further(rows.bearing_work, back * BearingWork.SIZE), armature)
    return UNSETTLED
