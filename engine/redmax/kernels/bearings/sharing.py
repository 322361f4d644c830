# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in mechanisms whose rows tie bearings together: how friction is shared, and whether it is enough.

Several bearings of a loop, or of joints that are coupled, can hold the same motion, and none of them alone has to. It
stands if there are forces within the bounds that hold it: with f the friction of the bearings that stand, a their
accelerations without it, c the bounds and A what unit forces accelerate,
    min 1/2 f^T A f + a^T f + (s/2) sum (f / c)^2,    |f| <= c,
a little of the last term (s) so that the least part of the bounds is taken where that is not determined. Bounds follow
from the reactions, and these from f: rounds until both agree.
"""

from __future__ import annotations

import math

from ...solvers import box_rows
from .. import tasks
from ..cache.jit import inner
from ..cache.same_text import compiled_text
from ..core import call
from ..layout.declaration import Bearing, BearingInts, BearingVector, BearingWork, Column, Head, Vector
from ..layout.memory import fixed, further, get, put
from .modes import RESTS, SLIDES, STICKS

MOST_SHARINGS, SHARED = 40, 1e-10
"""Rounds at most, and the part of the bounds by which friction still changes in the last one."""
LEAST_SHARES = 1e-9
"""s, relative to the largest of c A c."""
HELD_BY_OTHERS, IMMOVABLE = 1e-7, 1e-9
"""What is left of a bearing's c A c when others stick, below which these hold it; and the part of what its joint alone
would give way by below which nothing moves it, as where a limit stops the loop that it is in."""
AT_BOUND = 1e-9
"""Friction within this part of its bound has reached it."""
MOVES, STILL = 1e-6, 1e-9
"""What accelerates by more than this part of what friction, or everything else, can do to any of them moves, unless it
is less than rounding may be [rad/s^2, m/s^2 or 1/s^2]."""

solve_box = compiled_text(box_rows.solve)


@inner
def accelerations_to(count, rows, chosen, qddot, result):
    """Write the accelerations of the chosen bearings to result."""
    for p in range(count):
        i = chosen[p]
        result[p] = get(qddot, fixed(rows.bearings, i * Bearing.SIZE + Bearing.FIRST))


@inner
def push_with(count, rows, chosen, forces, bounds):
    """Have the chosen bearings rest and push with parts of their bounds."""
    for p in range(count):
        work = further(rows.bearing_work, chosen[p] * BearingWork.SIZE)
        put(work, BearingWork.MODE, float(RESTS))
        put(work, BearingWork.FORCE, forces[p] * bounds[p])


@inner
def share(ints, rows, arrays, count, qddot, asked):
    """Choose which of the standing bearings, the first `count` in `BearingInts.STANDING`, stick, rest and slide.

    asked: (compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t). Gives False where nothing resists a joint.
    """
    compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t = asked
    vectors, chosen = arrays.bearing_vectors, arrays.bearing_ints[BearingInts.STANDING]
    A, L = arrays.bearing_matrices[0], arrays.bearing_matrices[1]
    x, b = vectors[BearingVector.X], vectors[BearingVector.RIGHT_SIDE]
    before, c = vectors[BearingVector.BEFORE], vectors[BearingVector.BOUND]
    lo, hi = vectors[BearingVector.LOWER], vectors[BearingVector.UPPER]
    for p in range(count):
        x[p], c[p], lo[p], hi[p] = 0.0, 0.0, -1.0, 1.0
    push_with(count, rows, chosen, x, c)
    if call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.ACCELERATE) >= 0:
        return False
    accelerations_to(count, rows, chosen, qddot, before)
    most = 0.0
    for p in range(count):
        most = max(most, abs(before[p]))
        c[p] = get(rows.bearing_work, chosen[p] * BearingWork.SIZE + BearingWork.BOUND)
    for p in range(count):  # columns of A c
        x[p] = 1.0
        push_with(count, rows, chosen, x, c)
        call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.ACCELERATE)
        accelerations_to(count, rows, chosen, qddot, b)
        x[p] = 0.0
        for r in range(count):
            L[r, p] = (b[r] - before[r]) / c[p] if c[p] > 0.0 else 0.0
    for p in range(count):
        for r in range(p + 1):
            L[r, p] = L[p, r] = 0.5 * (L[r, p] + L[p, r])
    push_with(count, rows, chosen, x, c)
    call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.ACCELERATE)
    largest = 0.0
    for _ in range(MOST_SHARINGS):
        accelerations_to(count, rows, chosen, qddot, b)
        largest = 0.0
        for p in range(count):
            work = further(rows.bearing_work, chosen[p] * BearingWork.SIZE)
            before[p], c[p] = get(work, BearingWork.FORCE), get(work, BearingWork.BOUND)
        return_to_unit(count, L, c, before, b, A)
        for p in range(count):
            largest = max(largest, A[p, p])
        for p in range(count):
            A[p, p] += LEAST_SHARES * largest
            arrays.bearing_ints[BearingInts.STATE, p] = box_rows.FREE
            x[p] = 0.0
        solve_box(
            count, A, b, lo, hi, x, arrays.bearing_ints[BearingInts.STATE], arrays.bearing_matrices[2],
            vectors[BearingVector.SOLVER : BearingVector.SOLVER + box_rows.WORK],
            arrays.bearing_ints[BearingInts.ORDER],
        )  # fmt: skip
        change = 0.0
        for p in range(count):
            if c[p] > 0.0:
                change = max(change, abs(x[p] - before[p] / c[p]))
        push_with(count, rows, chosen, x, c)
        call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.ACCELERATE)
        if change <= SHARED:
            break
    accelerations_to(count, rows, chosen, qddot, before)
    for p in range(count):
        A[p, p] -= LEAST_SHARES * largest
        most = max(most, c[p] * L[p, p])
    choose_sliding(count, rows, chosen, x, before, max(MOVES * most, STILL))
    choose_holders(count, fixed(ints, Head.DOFS), rows, chosen, A, c, b, x)
    return True


@inner
def return_to_unit(count, L, c, before, b, A):
    """Write c A c to A, and what friction as a part of its bound is to change accelerations by, times c, to b: those
    without any friction, with the sign turned."""
    for p in range(count):
        total = b[p]
        for r in range(count):
            total -= L[p, r] * before[r]
            A[p, r] = c[p] * L[p, r] * c[r]
        b[p] = total
    for p in range(count):
        b[p] = -c[p] * b[p]


@inner
def choose_sliding(count, rows, chosen, x, accelerations, little):
    """Have those slide that move, and those whose friction x, as part of its bound, has reached it.

    A bearing moves without friction having any say where it turns back as the mechanism goes through a dead centre.
    """
    for p in range(count):
        work, a = further(rows.bearing_work, chosen[p] * BearingWork.SIZE), accelerations[p]
        if abs(a) > little:
            put(work, BearingWork.SIDE, 1.0 if a > 0.0 else -1.0)
            put(work, BearingWork.MODE, float(SLIDES))
        elif abs(x[p]) >= 1.0 - AT_BOUND:
            put(work, BearingWork.SIDE, -1.0 if x[p] > 0.0 else 1.0)
            put(work, BearingWork.MODE, float(SLIDES))


@inner
def choose_holders(count, nr, rows, chosen, A, bounds, scale, x):
    """Of the bearings that rest, have as many stick as can hold independently of each other, those first that have most
    room. x: friction as part of its bound. A is used up; scale: (count,) work space."""
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    for p in range(count):
        first = fixed(rows.bearings, chosen[p] * Bearing.SIZE + Bearing.FIRST)
        alone = bounds[p] * bounds[p] * get(rows.columns, first * Column.SIZE + Column.D)
        scale[p] = max(A[p, p], IMMOVABLE / HELD_BY_OTHERS * alone)
    while True:
        best, most = -1, 0.0
        for p in range(count):
            left = A[p, p] > HELD_BY_OTHERS * scale[p]
            if left and get(rows.bearing_work, chosen[p] * BearingWork.SIZE + BearingWork.MODE) == RESTS:
                room = (1.0 - abs(x[p])) * A[p, p]
                if room > most:
                    best, most = p, room
        if best < 0:
            return
        bearing, pivot = chosen[best], A[best, best]
        put(rows.bearing_work, bearing * BearingWork.SIZE + BearingWork.MODE, float(STICKS))
        put(armature, fixed(rows.bearings, bearing * Bearing.SIZE + Bearing.FIRST), math.inf)
        for p in range(count):
            if p != best:
                part = A[p, best] / pivot
                for r in range(count):
                    if r != best:
                        A[p, r] -= part * A[best, r]
                A[p, best] = 0.0
        A[best, best] = 0.0
