# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled adaptive Runge-Kutta methods: whole frames in one call.

Steps are those of `integrators.explicit_runge_kutta` and `integrators.adaptive`, to round-off.
"""

from __future__ import annotations

import math

import numpy as np

from ... import crossings
from ...solvers.impacts import RATTLING, RATTLING_TIME
from .. import tasks
from ..bearings.turns import may_turn, soonest_turn, turns_at
from ..cache.jit import compiled, inner
from ..core import run
from ..layout.declaration import Head, StopInts, World
from ..layout.memory import get, put
from ..layout.views import addresses, numbers_of, packed_rows, rows_of
from ..rows import weak_rows
from ..rows.constrained import keep_references
from .events import COUNT, POINTS, POSED, hop, look, measure, place, window_of
from .meetings import MOST_PIECES, first_meeting, has_posed_stops, inside, least_push, let_go_at, soonest_meeting
from .stages import (
    QDDOT,
    QDOT,
    Q,
    combine,
    error_along_rows,
    error_of_work,
    error_ratio,
    evaluate,
    fill,
    worst_component,
)
from .step_control import (
    ATOL,
    BEFORE,
    ENDS_WITH_SLOPE,
    ENERGY,
    ERROR_ORDER,
    LEAST_SAMPLES,
    MAX_FACTOR,
    MAX_TURN,
    MIN_FACTOR,
    MOST_STRICT,
    NOW,
    PACE,
    PART_OF_WORK,
    RTOL,
    SAFETY,
    STAGES,
    STRICTNESS,
    TINY_ERROR,
    first_step,
    first_try,
    root_mean_square,
)
from .stops import NO_PUSH

BRIEF_STAGES = 4
DONE, TOO_SMALL, NOT_FINITE, STUCK, TOO_MANY, TORN, BLOCKED = range(7)
"""How a call ends."""
TIME, STEP, KNOWN, STEPS, WHERE, LAST, LENGTH, ERROR, USUAL, DUE, IMPACTS, RATTLE, NEAR = range(13)
"""Clock: where a run stands, the next step to try (negative: none yet), whether the slope here is known, steps so
far, the component of y or the body that stopped it, where the last step began and how long it was, its error over
what was allowed (negative: none yet), how long steps usually are, see `crossings.CALMING`, whether stops have to be
resolved before the next step, how often that was done of late, and when that began; see `impacts.RATTLING`. At last,
whether a singular pose is near, so that stages are put on the loops."""
ACROSS = math.sqrt(weak_rows.WEAK)
"""Near singular poses errors that the projection takes away count as this part of themselves: so far the directions of
weak rows may be turned where they are held by their second-order form, and so much of these errors is left."""
AT_ONCE, BRIEF, AIMED, PAST = 3e-4, 0.2, 0.5, 1.05
"""A step in which a stop is about to be met ends this far past it, as parts of the time until then, if that is sooner
than the third part of a usual step. Where it is sooner than the second part, four stages do (`brief_tableau`); sooner
than the first, accelerations do not change until then."""
MOST_DECISIONS = 20
"""Rounds in which stops and friction find what holds."""
SINGULAR, EXCHANGES = range(2)
"""Traits: whether any joint has a singularity, whether work and loss can be other than zero."""


@inner
def decide(stops_at, settle_at, course, parts, held):
    """Impacts, which stops hold and what sticks from now on; whether rows contradict each other, and the energy [J]
    lost and put in by motors. What stops hold depends on friction, and it on them: until they agree. held: as many
    integers as there are rows."""
    address, ints, floats, q, qdot, qddot, now = course
    rounds, lost, put_in = 1 if stops_at == 0 or settle_at == 0 else MOST_DECISIONS, 0.0, 0.0
    for k in range(rounds):
        if stops_at != 0:
            if run(stops_at, ints, floats, q, qdot, qddot, now, address) != 0:
                return True, lost, put_in
            lost, put_in = lost + get(parts.world, World.IMPACT_LOSS), put_in + get(parts.world, World.IMPACT_WORK)
        if settle_at != 0:
            run(settle_at, ints, floats, q, qdot, qddot, now, address)
        same = k > 0
        if rounds > 1:
            for r in range(held.shape[0]):
                now_held = get(parts.stop_ints, StopInts.HELD * held.shape[0] + r)
                same = same and held[r] == now_held
                held[r] = now_held
        if same:
            break
    return False, lost, put_in


@inner
def look_inside(K, bends, y, y_new, h, end, polynomial):
    """Write the polynomial of a step, as `Tableau.polynomial`; gives -1, or the component that is not finite."""
    for k in range(y.shape[0]):
        change = y_new[k] - y[k]
        polynomial[0, k], polynomial[1, k], polynomial[2, k] = y[k], change, h * K[0, k] - change
        polynomial[3, k] = 2.0 * change - h * (K[0, k] + K[end, k])
        size = polynomial[2, k] + polynomial[3, k]
        for row in range(bends.shape[0]):
            total = 0.0
            for m in range(bends.shape[1]):
                total += bends[row, m] * K[m, k]
            polynomial[4 + row, k] = h * total
            size += h * total
        if not math.isfinite(size):
            return k
    return -1


@inner
def go_straight(y, f, n, dt):
    """y after a time dt so short that its slopes f do not change. n: number of free coordinates."""
    for k in range(y.shape[0]):
        y[k] += dt * f[k]
    for k in range(n):
        y[k] += 0.5 * dt * dt * f[n + k]


@inner
def lengthening(control, clock, error, exponent, full, rejected, cut_short):
    """Factor from the last step to the next, as `ExplicitRungeKutta._factor`. full: how much longer a step is that need
    not be strict."""
    factor, earlier = control[MAX_FACTOR], clock[ERROR]
    if error > 0.0:
        now, before = control[NOW], control[BEFORE]
        if earlier < 0.0 or error < control[TINY_ERROR]:
            now, before = 1.0, 0.0
        if earlier < 0.0:
            earlier = 1.0
        change = control[SAFETY] * error ** (now * exponent) * earlier ** (-before * exponent)
        factor = min(factor, change * full)
    if not cut_short:
        clock[ERROR] = max(error, control[TINY_ERROR])
    return min(1.0, factor) if rejected else factor


@inner
def brief_tableau(slopes, bends):
    """Nodes, rows, used and bends of the classical method of order 4, as `advance` takes them, for steps far shorter
    than those of its own method. It ends with the slope there, which makes the error estimate of order 3: h (k4 - k5) /
    10 (Dormand and Prince's RK4(3)T). Inside it is the cubic through both ends."""
    nodes, rows = np.zeros(BRIEF_STAGES + 1), np.zeros((BRIEF_STAGES + 3, slopes))
    used = np.zeros((BRIEF_STAGES + 3, slopes + 1), np.int64)
    nodes[1], nodes[2], nodes[3], nodes[4] = 0.5, 0.5, 1.0, 1.0
    rows[1, 0], rows[2, 1], rows[3, 2] = 0.5, 0.5, 1.0
    rows[4, 0], rows[4, 1], rows[4, 2], rows[4, 3] = 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0
    rows[5, 3], rows[5, 4] = 0.1, -0.1
    for i in range(rows.shape[0]):
        for k in range(slopes):
            if rows[i, k] != 0.0:
                used[i, 0] += 1
                used[i, used[i, 0]] = k
    return nodes, rows, used, np.zeros((bends, 0))


@compiled
def advance(
    address,
    ints,
    floats,
    nodes,
    rows,
    used,
    bends,
    control,
    traits,
    free,
    clock,
    y,
    K,
    polynomial,
    motion,
    lookout,
    levels,
    stops_at,
    settle_at,
    places,
    sample,
    interval,
    t_bound,
    longest,
    limit,
):
    """Steps up to t_bound, over which all inputs are smooth, or until one reaches or passes a sample.

    Of a step that passes it the polynomial is left, by which its inside is known.

    nodes, rows: of all stages, of the end, whose row holds the weights, and of the stages for what lies inside; two
    more rows are the error estimates. used: which of each row's numbers are not zero, see `stages.summed`.
    y: free coordinates, their velocities, work, loss. K: slopes; the first is dy/dt here if the clock says so.
    longest: steps are at most that long [s]. lookout, levels: what switches by state, see `events`. stops_at: address
    of `stops.resolve`, 0 without one-sided rows. settle_at: that of `bearings.settle`, 0 without friction.
    places: (nr,) place of each coordinate among the free ones.
    """
    head, numbers = packed_rows(ints, floats)
    parts = rows_of(head, numbers)
    world = parts.world
    ints_at, floats_at = addresses(ints, floats)
    core = (address, ints_at, floats_at)
    exchanges, until = traits[EXCHANGES] != 0, np.nextafter(t_bound, -np.inf)
    n, stages, size = 2 * free.shape[0], int(control[STAGES]), y.shape[0]
    y_new, scale, values, errors = np.empty(size), np.empty(size), np.empty(size), np.empty((2, size))
    rtol, atol, exponent = control[RTOL], control[ATOL], -1.0 / (control[ERROR_ORDER] + 1.0)
    shortening, judged = control[STRICTNESS] ** exponent, n if n > 0 else size
    # drives place their followers: only other rows have to be kept
    ends_with_slope, constrained = control[ENDS_WITH_SLOPE] != 0.0, ints[Head.ROWS] > ints[Head.DRIVEN]
    watched, posed, hops, measured = lookout[COUNT] > 0, lookout[POSED] != 0, 0, False
    near, is_tree = int(clock[NEAR]), ints[Head.EQUATIONS] == 0
    seen = np.empty((2, POINTS if watched else 0, lookout[COUNT]))
    rooms = np.empty((2, MOST_PIECES + 1, ints[Head.ROWS] if stops_at != 0 and has_posed_stops(head, parts) else 0))
    held = np.zeros(ints[Head.ROWS], np.int64)
    whole_method = (nodes, rows, used, bends)
    brief_method = brief_tableau(K.shape[0], bends.shape[0]) if stops_at != 0 or settle_at != 0 else whole_method
    while clock[TIME] < min(sample, t_bound):
        max_step = longest
        (nodes, rows, used, bends), stages, is_brief = whole_method, int(control[STAGES]), size < 0
        if clock[DUE] != 0.0:
            fill(free, numbers_of(y), motion)
            now = min(clock[TIME], until)
            if clock[TIME] - clock[RATTLE] > RATTLING_TIME:
                clock[RATTLE], clock[IMPACTS] = clock[TIME], 0.0
            clock[IMPACTS] += 1.0
            put(world, World.RATTLES, max(0.0, clock[IMPACTS] - RATTLING))
            run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], now, tasks.PRESCRIBE)
            course = (address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], now)
            blocked, lost, put_in = decide(stops_at, settle_at, course, parts, held)
            if blocked:
                clock[WHERE] = get(world, World.BLOCKED_ROW)
                return BLOCKED
            for k in range(free.shape[0]):
                y[k], y[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
            y[size - 1] += lost
            y[size - 2] += put_in
            clock[DUE], clock[KNOWN], measured = 0.0, 0.0, False
        if traits[SINGULAR]:
            fill(free, numbers_of(y), motion)
            what = tasks.PRESCRIBE | tasks.RECENTRE | tasks.PLACE | tasks.TURN_RATE
            if run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], min(clock[TIME], until), what):
                for k in range(free.shape[0]):
                    y[k], y[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
                clock[KNOWN], measured = 0.0, False
            rate = get(world, World.TURN_RATE)
            if rate > 0.0:
                max_step = min(longest, control[MAX_TURN] / rate)
        t = clock[TIME]
        if clock[KNOWN] == 0.0:
            stuck = evaluate(core, exchanges, near, free, nodes, rows, used, K, y, 0.0, t, until, 0, 1, values, motion)
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            clock[KNOWN] = 1.0
            if constrained:
                keep_references(head, numbers)
            if watched:
                measure(lookout, ints, floats, y, free.shape[0], seen, 0)
                measured = True
        elif watched and not measured:
            if posed:
                place(address, ints, floats, free, y, motion, min(t, until))
            measure(lookout, ints, floats, y, free.shape[0], seen, 0)
            measured = True
        for k in range(size):
            if not math.isfinite(K[0, k]):
                clock[WHERE] = k
                return NOT_FINITE
        t_stop, shortest = min(sample, t_bound), 10.0 * (np.nextafter(t, np.inf) - t)
        if t_stop - t < shortest:  # times that only rounding tells apart
            for k in range(size):
                y[k] += (t_stop - t) * K[0, k]
            clock[TIME] = t_stop
            return DONE
        step = clock[STEP]
        if step < 0.0:
            step = max_step
            if n > 0:
                h, speed = first_try(control, y, K[0], scale, n, t_bound - t)
                step = h
                if h > 0.0:
                    # the first stage is a step of Euler's method to its node
                    stuck = evaluate(
                        core, exchanges, near, free, nodes, rows, used, K, y, h / nodes[1], t, until, 1, 2,
                        values, motion,
                    )  # fmt: skip
                    if stuck >= 0:
                        clock[WHERE] = stuck
                        return STUCK
                    for k in range(n):
                        values[k] = K[1, k] - K[0, k]
                    step = first_step(control, h, speed, root_mean_square(values, scale, n) / h)
            step = min(step, t_bound - t)
        strictness, full, step = 1.0, 1.0, min(step, max_step)
        window, tries, late, point = 0.0, 0, math.inf, 0
        if watched:
            clock[USUAL] = max(step, crossings.CALMING * clock[USUAL])
            window = window_of(lookout, levels, seen, t, clock[USUAL])
            dt = hop(lookout, levels, seen, window, clock[USUAL], rtol, atol) if hops < crossings.MOST_HOPS else 0.0
            if dt > 0.0:
                clock[TIME], clock[STEP], clock[KNOWN], measured, hops = min(t + dt, t_stop), step, 0.0, False, hops + 1
                go_straight(y, K[0], n // 2, min(dt, t_stop - t))
                clock[STEPS] += 1.0
                if clock[STEPS] > limit:
                    return TOO_MANY
                continue
            hops = 0
        shortened = step * shortening
        if shortened >= control[LEAST_SAMPLES] * interval:
            strictness, full, step, t_stop = control[STRICTNESS], 1.0 / shortening, shortened, t_bound
        h = max(step, shortest)
        wanted, rejected, aimed = h, False, size < 0
        if (stops_at != 0 or settle_at != 0) and not watched and near == 0:
            soon = math.inf
            if stops_at != 0:
                soon = PAST * soonest_meeting(head, parts, places, y, K[0])
            if settle_at != 0:
                soon = min(soon, PAST * soonest_turn(head, parts, free, places, y, K[0]))
            if 0.0 < soon < AT_ONCE * h and t + soon < t_stop and is_tree:
                go_straight(y, K[0], n // 2, soon / PAST)
                clock[TIME], clock[STEP], clock[KNOWN], clock[DUE] = t + soon / PAST, full * step, 0.0, 1.0
                clock[STEPS] += 1.0
                if clock[STEPS] > limit:
                    return TOO_MANY
                continue
            if soon < AIMED * h:
                aimed, is_brief = True, soon < BRIEF * h
                strictness, h, t_stop = control[STRICTNESS], max(soon, shortest), min(sample, t_bound)
                if is_brief:
                    (nodes, rows, used, bends), stages = brief_method, BRIEF_STAGES
        while True:
            if not h >= shortest:  # also if it is not a number
                clock[WHERE] = worst_component(errors, scale, judged) if rejected else 0
                return TOO_SMALL
            t_new = min(t + h, t_stop)
            h = t_new - t
            last = stages + 1 if ends_with_slope or is_brief else stages
            put(world, World.LEAST_CLOSENESS, math.inf)
            stuck = evaluate(core, exchanges, near, free, nodes, rows, used, K, y, h, t, until, 1, last, values, motion)
            if stuck >= 0 and stops_at != 0 and 0.1 * h > shortest:  # far beyond a stop that holds, as at a sharp edge
                h, wanted = 0.1 * h, 0.1 * h
                continue
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            if constrained and near == 0 and get(world, World.LEAST_CLOSENESS) < weak_rows.NEAR:
                near = 1
                continue
            combine(stages, rows, used, K, y, h, numbers_of(y_new))
            if n > 0:
                for k in range(n):
                    scale[k] = atol + rtol * max(abs(y[k]), abs(y_new[k]))
            else:
                for k in range(size):
                    largest = 0.0
                    for m in range(last):
                        largest = max(largest, abs(K[m, k]))
                    scale[k] = atol + rtol * h * largest
            eighth = not (ends_with_slope or is_brief)
            error = error_ratio(rows, used, K, h, scale, judged, eighth, errors)
            of_work = 0.0
            if exchanges and n > 0:
                least, part = atol * control[ENERGY], control[PART_OF_WORK] * rtol
                of_work = error_of_work(K, last, h, n, least, part, eighth, errors)
            if near == 1 and n > 0:
                along = error_along_rows(
                    core, free, min(t_new, until), h, scale, judged, not ends_with_slope, y_new, motion, errors
                )
                error = max(along, ACROSS * error)
            if not of_work <= 0.0 and not of_work < error:  # also if it is not a number
                error = of_work
            error *= min(control[MOST_STRICT], max(1.0, control[PACE] / h))
            if error * strictness < 1.0:
                if not watched or tries >= crossings.MOST_TRIES:
                    break
                if last == stages:
                    stuck = evaluate(
                        core, exchanges, near, free, nodes, rows, used, K, y, h, t, until, stages, stages + 1,
                        values, motion,
                    )  # fmt: skip
                    if stuck >= 0:
                        clock[WHERE] = stuck
                        return STUCK
                    last = stages + 1
                switch, ahead, point = look(
                    lookout, levels, seen, address, ints, floats, free, motion, y, K[0], y_new, K[stages], values,
                    t, h, until, window, rtol, atol,
                )  # fmt: skip
                if switch < (1.0 - 1e-10) * h:
                    again = switch - crossings.AIM * window if tries < crossings.MOST_TRIES // 2 else 0.5 * switch
                    if not again > shortest:
                        break
                    if tries == 0:
                        wanted = h
                    rejected, late = False, h
                elif tries > 0 and 2.0 * crossings.AIM * window < ahead < crossings.NEAR_MISS * h:
                    again = h + ahead - crossings.AIM * window
                    if not again < late:
                        break
                    rejected = False
                else:
                    break
                tries += 1
                h = again
                continue
            if is_brief:
                (nodes, rows, used, bends), stages, is_brief = whole_method, int(control[STAGES]), size < 0
                continue
            factor = control[SAFETY] * (error * strictness) ** exponent
            h *= factor if factor > control[MIN_FACTOR] else control[MIN_FACTOR]  # also if it is not a number
            rejected = True
        cut_short = (t_new == t_stop or tries > 0 or aimed) and h < wanted and not rejected
        following = h * lengthening(control, clock, error * strictness, exponent, full, rejected, cut_short)
        if cut_short:
            following = max(following, wanted)
        stop, push, no, turns = 2.0, math.inf, size < 0, size < 0
        if last == stages and (stops_at != 0 or settle_at != 0):
            stuck = evaluate(
                core, exchanges, near, free, nodes, rows, used, K, y, h, t, until, stages, stages + 1, values, motion
            )
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            last = stages + 1
        if settle_at != 0:
            turns = may_turn(head, parts, free, places, y, K[0], y_new, K[stages], h)
        if stops_at != 0:
            push = least_push(head, parts)
            course = (core, free, motion, values, t, h, until)
            stop = first_meeting(head, parts, places, y, K[0], y_new, K[stages], polynomial, course, rooms, no)
        if t_new > sample or stop <= 1.0 or push < -NO_PUSH or turns:
            stuck = evaluate(
                core, exchanges, near, free, nodes, rows, used, K, y, h, t, until, last, nodes.shape[0], values, motion
            )
            if stuck >= 0:
                clock[WHERE] = stuck
                return STUCK
            last = nodes.shape[0]
            broken = look_inside(K, bends, y, y_new, h, stages, polynomial)
            if broken >= 0:
                clock[WHERE] = broken
                return NOT_FINITE
        if stop <= 1.0:
            course = (core, free, motion, values, t, h, until)
            stop = first_meeting(
                head, parts, places, y, K[0], y_new, K[stages], polynomial, course, rooms, stop <= 1.0
            )  # fmt: skip
        if push < -NO_PUSH:
            released = let_go_at(
                head, parts, core, exchanges, free, motion, polynomial, t, h, until, values, errors[0], 1.0, push
            )
            stop = min(stop, released)
        if turns:
            turned = turns_at(
                head, parts, places, core, exchanges, free, motion, polynomial, y, y_new, t, h, until, values,
                errors[0],
            )  # fmt: skip
            stop = min(stop, turned)
        if stop <= 1.0:
            if error * control[STRICTNESS] >= 1.0 and h > 2.0 * shortest:  # dense output would not be as accurate
                clock[STEP], clock[STEPS] = h * min(1.001 * stop, shortening), clock[STEPS] + 1.0
                if clock[STEPS] > limit:
                    return TOO_MANY
                continue
            t_new = min(t + stop * h, t_new)
            for k in range(size):
                y_new[k] = inside(polynomial, stop, k)
            clock[DUE], last = 1.0, stages
        if constrained:
            fill(free, numbers_of(y_new), motion)
            what = tasks.PRESCRIBE | tasks.PROJECT
            if run(address, ints, floats, motion[Q], motion[QDOT], motion[QDDOT], min(t_new, until), what) < 0:
                return TORN
            for k in range(free.shape[0]):
                y_new[k], y_new[free.shape[0] + k] = motion[Q, free[k]], motion[QDOT, free[k]]
            last = stages  # the slope at the end is that of other values
            if near == 1 and get(world, World.LEAST_CLOSENESS) > weak_rows.CLEAR:
                near = 0
            clock[NEAR] = near
        clock[STEP], clock[TIME], clock[LAST], clock[LENGTH] = following, t_new, t, h
        clock[KNOWN] = 1.0 if last > stages else 0.0
        measured = watched and last > stages and point > 0
        if measured:
            for k in range(lookout[COUNT]):
                seen[0, 0, k], seen[1, 0, k] = seen[0, point, k], seen[1, point, k]
        for k in range(size):
            y[k] = y_new[k]
            if last > stages:
                K[0, k] = K[stages, k]
        clock[STEPS] += 1.0
        if clock[STEPS] > limit:
            clock[WHERE] = worst_component(errors, scale, judged)
            return TOO_MANY
    return DONE
