# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers of rows with bounds: min 1/2 x^T A x - b^T x with lo <= x <= hi, for a Delassus matrix A of any rank.

A = G M^-1 G^T (m, m) is symmetric and positive semidefinite, b (m,) what the rows are to change by. At the solution
w = A x - b is zero for rows between their bounds, w >= 0 at lower and w <= 0 at upper ones. An equation has no bounds
(-inf, inf), a one-sided row has 0 and inf, a motor or friction -c and c.

Primal active set with Cholesky factors of the free rows, from the state of an earlier solution. A row that depends on
the free ones has a direction of multipliers without effect. If its right side asks for more, the multipliers go along
that direction until a free row reaches its bound, which leaves for it; so dependent rows whose right sides disagree
are right. Where none is reached the right sides contradict each other. A row that contradicts equations is left out.
Where bounded rows contradict each other, equations hold and bounded rows are satisfied as well as possible, in the
sense of least squares: they are made a little soft (SOFTNESS), which gives large multipliers with a moderate effect.
Rows are measured by 1 / sqrt(A_ii), so that units and masses do not matter.

Plain arithmetic on arrays that the caller provides, so that kernels compile the same text. Arrays may be larger than m.

    A: (m, m). b, lo, hi: (m,). x: (m,) multipliers; those of an earlier solution or zero before, the solution after.
    state: (m,) int64, what each row does (FREE ... LEFT_OUT); that of an earlier solution before, zeros (FREE) else.
    L: (m, m), work: (WORK, m), order: (m,) int64 hold nothing between calls.
"""

from __future__ import annotations

import math

from ..arrays import Array, IntArray

FREE, AT_LOWER, AT_UPPER, HELD, LEFT_OUT, REFUSED = range(6)
"""What a row does. FREE: solved for, w = 0. AT_LOWER, AT_UPPER: at that bound. HELD: depends on free rows, or moves
nothing; its multiplier stays where it is, mostly at 0. LEFT_OUT: contradicts other rows and is not satisfied. REFUSED:
only while solving; an attempt to free the row failed by rounding."""

SOLVED, CONTRADICTED, UNFINISHED = range(3)
"""Results: everything holds; everything but the rows LEFT_OUT; stopped by the limit of steps, x within its bounds."""

SCALE, RESIDUAL, STEP, COLUMN, SOFT = range(5)
WORK = 5
"""Rows of `work`: 1 / sqrt(A_ii), or 0 for rows that move nothing; scaled b - A x; scaled change of the free rows;
column of the factors; what is added to the scaled diagonal of A."""

ONLY_EQUATIONS, BOUNDED_TAKE_PART = -1.0, -2.0
"""In place of a length: moves without effect that nothing ends; see `null_move`."""

DEPENDENT_ROW = 1e-11
"""A row whose pivot, relative to its diagonal entry, is no larger than this depends on the free rows. As in kernels."""

IMMOVABLE_ROW = 1e-30
"""A row whose diagonal entry is no larger than this, relative to the largest one, moves nothing but rounding. Rows of a
crane have 1e-20 of those of a watch beside it. Whoever knows better sets the entry to 0."""

EXACT_ENOUGH = 1e-12
"""w may have the wrong sign by this part of the terms it is the sum of, and of what coupled rows ask for."""

CONSISTENT = 1e-8
"""Dependent rows may disagree by this part of the largest scaled demand and do not count as contradicting."""

SOFTNESS = 1e-6
"""Of bounded rows where some contradict each other, relative to their diagonal entries: satisfied ones are missed by
this part of their multiplier's effect, and motions 1e3 times as large as what they gain are not made."""

BLOCKING = 1e-6
"""A free row that changes by less than this, relative to the one that changes most, does not end a move without
effect: that change is rounding."""

DOUBTFUL_PIVOT, ROUNDING = 1e-2, 1e-14
"""Pivots below the first are compared with the rounding of A, the second relative to its scaled entries."""


def solve(
    m: int,
    A: Array,
    b: Array,
    lo: Array,
    hi: Array,
    x: Array,
    state: IntArray,
    L: Array,
    work: Array,
    order: IntArray,
) -> int:
    """Multipliers x (m,) of the box problem; see the module. Returns SOLVED, CONTRADICTED or UNFINISHED.

    Warm rows that are all right cost one factorisation and two products with A.
    """
    free = start(m, A, lo, hi, x, state, L, work, order, 0.0)
    residual(m, A, b, x, work)
    stalled, tried, steps, code = 0, -1, 0, UNFINISHED
    while steps < 50 + 20 * m:
        steps += 1
        p, part = free_step(free, lo, hi, x, L, work, order)
        residual(m, A, b, x, work)
        if p >= 0:  # a bound is reached first
            i = order[p]
            state[i] = bound_reached(i, lo, hi, x)
            if part <= 0.0:
                stalled += 1
                if i == tried:
                    state[i] = REFUSED
            else:
                stalled = 0
            tried = -1
            remove(free, p, L, work, order)
            free -= 1
            continue
        k = entering(m, A, b, lo, hi, x, state, work, stalled > m)
        if k < 0:
            code = finish(m, b, lo, hi, x, state, work)
            if code != UNFINISHED:
                break
            continue  # rows that were refused are tried once more
        tried = k
        pivot = append(free, k, A, L, work, order)
        if pivot > DEPENDENT_ROW:
            state[k] = FREE
            free += 1
            continue
        p, part = null_move(free, k, pivot, lo, hi, x, L, work, order, stalled > m)
        if part < 0.0:
            state[k] = LEFT_OUT
            shows = abs(work[RESIDUAL, k]) > CONSISTENT * largest_demand(m, b, work)
            if shows and part == BOUNDED_TAKE_PART and work[SOFT, k] == 0.0:
                free = start(m, A, lo, hi, x, state, L, work, order, SOFTNESS)
                residual(m, A, b, x, work)
                stalled, tried, steps = 0, -1, 0
            continue
        stalled = stalled + 1 if part <= 0.0 else 0
        state[k] = HELD if p < 0 else bound_reached(k, lo, hi, x)
        if 0 <= p < free:
            i = order[p]
            state[i] = bound_reached(i, lo, hi, x)
            remove(free, p, L, work, order)
            free -= 1
            state[k] = HELD
            if append(free, k, A, L, work, order) > DEPENDENT_ROW:
                state[k] = FREE
                free += 1
        residual(m, A, b, x, work)
    if code == UNFINISHED:
        finish(m, b, lo, hi, x, state, work)
    return code


def solve_with_friction(
    m: int,
    A: Array,
    b: Array,
    lo: Array,
    hi: Array,
    master: IntArray,
    friction: Array,
    rounds: int,
    x: Array,
    state: IntArray,
    L: Array,
    work: Array,
    order: IntArray,
) -> int:
    """`solve` where some bounds follow from another multiplier: |x_i| <= friction_i max(x_k, 0) with k = master_i.

    master: (m,) int64, -1 for rows whose bounds are their own. friction: (m,). lo, hi of rows with a master are
    written. rounds: how often bounds are computed anew at most; 20 are plenty for friction below 1.
    Returns UNFINISHED where bounds still change by more than 1e-9 after that.

    This is a fixed point, not an optimum: bounds are those of the round before, relaxed where changes do not shrink.
    It converges where friction feeds little back into what presses; with much friction and strong coupling (a rod that
    jams, Painleve) there may be no solution or several, and the last round is returned: exact for its bounds.
    Directions of friction are boxed one by one: a pyramid, not a cone.
    """
    relaxed, before = 1.0, math.inf
    for k in range(rounds):
        change = 0.0
        for i in range(m):
            if master[i] >= 0:
                bound = friction[i] * max(x[master[i]], 0.0)
                if k > 0:
                    most = max(bound, hi[i])
                    if most > 0.0:
                        change = max(change, abs(bound - hi[i]) / most)
                    bound = hi[i] + relaxed * (bound - hi[i])
                lo[i], hi[i] = -bound, bound
        if k > 0 and change <= 1e-9:
            return solve(m, A, b, lo, hi, x, state, L, work, order)
        if change > 0.8 * before and relaxed > 0.1:
            relaxed *= 0.5
        before = change if k > 0 else math.inf
        code = solve(m, A, b, lo, hi, x, state, L, work, order)
        if code == UNFINISHED:
            return code
    return UNFINISHED


def start(
    m: int,
    A: Array,
    lo: Array,
    hi: Array,
    x: Array,
    state: IntArray,
    L: Array,
    work: Array,
    order: IntArray,
    soft: float,
) -> int:
    """Scales, multipliers within bounds, and factors of the rows that begin free; returns how many do.

    Equations come first and always begin free, so that other rows leave for them. What depends on rows before it gets
    the allowed multiplier nearest to 0. soft: 0, or SOFTNESS of bounded rows, all of which begin there then.
    """
    largest = 0.0
    for i in range(m):
        largest = max(largest, A[i, i])
    free = 0
    for bounded in range(2):
        for i in range(m):
            is_equation = lo[i] == -math.inf and hi[i] == math.inf
            if is_equation == (bounded == 1):
                continue
            work[SCALE, i] = 1.0 / math.sqrt(A[i, i]) if A[i, i] > IMMOVABLE_ROW * largest else 0.0
            work[SOFT, i] = 0.0 if is_equation else soft
            begins = is_equation or (state[i] == FREE and soft == 0.0)
            if begins and work[SCALE, i] > 0.0 and lo[i] < hi[i]:
                x[i] = min(max(x[i], lo[i]), hi[i])
                if append(free, i, A, L, work, order) > DEPENDENT_ROW:
                    state[i] = FREE
                    free += 1
                    continue
            wanted = 0.0
            if state[i] == AT_LOWER and lo[i] > -math.inf and soft == 0.0:
                wanted = lo[i]
            if state[i] == AT_UPPER and hi[i] < math.inf and soft == 0.0:
                wanted = hi[i]
            x[i] = min(max(wanted, lo[i]), hi[i])
            state[i] = bound_reached(i, lo, hi, x)
            if work[SCALE, i] == 0.0:
                x[i] = 0.0
                state[i] = HELD
    return free


def bound_reached(i: int, lo: Array, hi: Array, x: Array) -> int:
    """State of a row that is not free, from where its multiplier is."""
    if x[i] <= lo[i]:
        return AT_LOWER
    return AT_UPPER if x[i] >= hi[i] else HELD


def row_product(a: Array, i: int, c: Array, j: int, count: int) -> float:
    """Scalar product of row i of a and row j of c, first `count` entries; four sums that do not wait for each other."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 3 < count:
        s0 += a[i, k] * c[j, k]
        s1 += a[i, k + 1] * c[j, k + 1]
        s2 += a[i, k + 2] * c[j, k + 2]
        s3 += a[i, k + 3] * c[j, k + 3]
        k += 4
    while k < count:
        s0 += a[i, k] * c[j, k]
        k += 1
    return (s0 + s1) + (s2 + s3)


def append(free: int, k: int, A: Array, L: Array, work: Array, order: IntArray) -> float:
    """Row k behind the free rows: writes row `free` of the factors and returns the pivot, 1 for a row on its own.

    The pivot is d^T A d with the direction d of row k and the free rows that has the least effect. Where these nearly
    depend on each other d is large, and so is what rounding makes of the pivot: 0 is returned for no more than that.
    """
    for p in range(free):
        i = order[p]
        scaled = A[k, i] * work[SCALE, k] * work[SCALE, i]
        L[free, p] = (scaled - row_product(L, free, L, p, p)) / L[p, p]
    pivot: float = 1.0 + work[SOFT, k] - row_product(L, free, L, free, free)
    order[free] = k
    if pivot < DOUBTFUL_PIVOT:
        for p in range(free):
            work[STEP, p] = L[free, p]
        back_substitute(free, L, work)
        size = 1.0
        for p in range(free):
            size += abs(work[STEP, p])
        if pivot <= ROUNDING * size * size:
            return 0.0
    L[free, free] = math.sqrt(pivot)
    return pivot


def remove(free: int, p: int, L: Array, work: Array, order: IntArray) -> None:
    """Take the free row at place p out of the factors: those behind it get its column back (rank-one update)."""
    for q in range(p + 1, free):
        order[q - 1] = order[q]
        work[COLUMN, q - 1] = L[q, p]
        for j in range(p):
            L[q - 1, j] = L[q, j]
        for j in range(p + 1, q + 1):
            L[q - 1, j - 1] = L[q, j]
    for j in range(p, free - 1):
        old, value = L[j, j], work[COLUMN, j]
        L[j, j] = math.sqrt(old * old + value * value)
        c, s = L[j, j] / old, value / old
        for q in range(j + 1, free - 1):
            L[q, j] = (L[q, j] + s * work[COLUMN, q]) / c
            work[COLUMN, q] = c * work[COLUMN, q] - s * L[q, j]


def residual(m: int, A: Array, b: Array, x: Array, work: Array) -> None:
    """Scaled b - A x, less what soft rows give."""
    for i in range(m):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        k = 0
        while k + 3 < m:
            s0 += A[i, k] * x[k]
            s1 += A[i, k + 1] * x[k + 1]
            s2 += A[i, k + 2] * x[k + 2]
            s3 += A[i, k + 3] * x[k + 3]
            k += 4
        while k < m:
            s0 += A[i, k] * x[k]
            k += 1
        work[RESIDUAL, i] = work[SCALE, i] * (b[i] - ((s0 + s1) + (s2 + s3)))
        if work[SOFT, i] > 0.0 and work[SCALE, i] > 0.0:
            work[RESIDUAL, i] -= work[SOFT, i] * x[i] / work[SCALE, i]


def free_step(free: int, lo: Array, hi: Array, x: Array, L: Array, work: Array, order: IntArray) -> tuple[int, float]:
    """Move the free rows towards w = 0, until the first of them reaches a bound; among equals that of least number.

    Returns its place among the free rows, or -1, and the part of the way.
    """
    for p in range(free):
        y = work[RESIDUAL, order[p]] - row_product(L, p, work, STEP, p)
        work[STEP, p] = y / L[p, p]
    back_substitute(free, L, work)
    part, blocking = 1.0, -1
    for p in range(free):
        i = order[p]
        d = work[SCALE, i] * work[STEP, p]
        if x[i] + d < lo[i] or x[i] + d > hi[i]:
            room = ((lo[i] if d < 0.0 else hi[i]) - x[i]) / d
            if room < part or (room == part and (blocking < 0 or i < order[blocking])):
                part, blocking = room, p
    for p in range(free):
        i = order[p]
        x[i] = min(max(x[i] + part * work[SCALE, i] * work[STEP, p], lo[i]), hi[i])
    if blocking >= 0:
        i = order[blocking]
        x[i] = lo[i] if work[STEP, blocking] < 0.0 else hi[i]
    return blocking, part


def back_substitute(free: int, L: Array, work: Array) -> None:
    """L^-T times the step, in place."""
    for p in range(free - 1, -1, -1):
        y = work[STEP, p] / L[p, p]
        work[STEP, p] = y
        for q in range(p):
            work[STEP, q] -= L[p, q] * y


def entering(
    m: int, A: Array, b: Array, lo: Array, hi: Array, x: Array, state: IntArray, work: Array, first: bool
) -> int:
    """The row whose w has the wrong sign by most, or the first such row, which cannot cycle; -1 if there is none."""
    best, worst = -1, 0.0
    for i in range(m):
        wrong = work[RESIDUAL, i]
        if state[i] == AT_UPPER:
            wrong = -wrong
        elif state[i] == HELD:
            wrong = abs(wrong)
        elif state[i] != AT_LOWER:
            continue
        if wrong > worst and lo[i] < hi[i]:
            terms = 0.0
            for j in range(m):
                terms += abs(A[i, j]) * (abs(x[j]) + work[SCALE, j] * work[SCALE, j] * abs(b[j]))
            if wrong > EXACT_ENOUGH * work[SCALE, i] * terms:
                best, worst = i, wrong
                if first:
                    return best
    return best


def null_move(
    free: int,
    k: int,
    pivot: float,
    lo: Array,
    hi: Array,
    x: Array,
    L: Array,
    work: Array,
    order: IntArray,
    first: bool,
) -> tuple[int, float]:
    """Move row k and the free rows, on which it depends, in the direction of multipliers that has no effect A x.

    Row `free` of the factors is that of k. Returns the place of the row whose bound ends the move, which is `free` for
    k itself and -1 if w_k = 0 does, and how far it went. If nothing ends it that is ONLY_EQUATIONS or
    BOUNDED_TAKE_PART, by which of the free rows would move.
    first: of several rows that end it take that of least number, not the one that changes most.
    """
    side = 1.0 if work[RESIDUAL, k] > 0.0 else -1.0
    for p in range(free):
        work[STEP, p] = L[free, p]
    back_substitute(free, L, work)
    most = 1.0
    for p in range(free):
        work[STEP, p] *= -side
        most = max(most, abs(work[STEP, p]))
    work[STEP, free] = side
    length, blocking, strongest, endless = math.inf, -1, 0.0, ONLY_EQUATIONS
    for p in range(free + 1):
        i, d = order[p], work[STEP, p]
        if p < free and abs(d) <= BLOCKING * most:
            continue
        if p < free and (lo[i] > -math.inf or hi[i] < math.inf):
            endless = BOUNDED_TAKE_PART
        end = lo[i] if d < 0.0 else hi[i]
        if abs(end) == math.inf:
            continue
        room = max((end - x[i]) / (work[SCALE, i] * d), 0.0)
        better = i < order[blocking] if first else abs(d) > strongest
        if room < length or (room == length and better):
            length, blocking, strongest = room, p, abs(d)
    if blocking < 0:
        return -1, endless
    if pivot > 0.0 and side * work[RESIDUAL, k] < length * pivot:
        length, blocking = side * work[RESIDUAL, k] / pivot, -1
    for p in range(free + 1):
        i = order[p]
        x[i] = min(max(x[i] + length * work[SCALE, i] * work[STEP, p], lo[i]), hi[i])
    if blocking >= 0:
        i = order[blocking]
        x[i] = lo[i] if work[STEP, blocking] < 0.0 else hi[i]
    return blocking, length


def finish(m: int, b: Array, lo: Array, hi: Array, x: Array, state: IntArray, work: Array) -> int:
    """The result, and states of rows that could not be freed, or not be satisfied.

    Soft rows with more than 10 times the multiplier that satisfies a row on its own contradict others.
    """
    largest, code = largest_demand(m, b, work), SOLVED
    for i in range(m):
        missed = abs(work[RESIDUAL, i])
        if work[SOFT, i] > 0.0:
            code = max(code, CONTRADICTED)
            if state[i] == FREE and abs(x[i]) > 10.0 * largest * work[SCALE, i]:
                state[i] = LEFT_OUT
        elif state[i] == LEFT_OUT:
            if missed > CONSISTENT * largest:
                code = max(code, CONTRADICTED)
            else:
                state[i] = bound_reached(i, lo, hi, x)
        if state[i] == REFUSED:
            state[i] = bound_reached(i, lo, hi, x)
            if missed > CONSISTENT * largest:
                code = UNFINISHED
    return code


def largest_demand(m: int, b: Array, work: Array) -> float:
    """Largest scaled b."""
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(b[i]) * work[SCALE, i])
    return largest
