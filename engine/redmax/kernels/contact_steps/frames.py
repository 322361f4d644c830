# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of mechanisms whose surfaces touch, in one compiled call: the steps of `integrators.contact.stepper`.

Every step is taken whole and in two halves, whose difference is the error; the halves are kept. A step whose error is
too large, or whose problem is not solved, is taken again shorter, down to a shortest one that is kept as it is: so what
has corners in time, such as landings, costs a bounded number of steps. After one of these the next few are taken whole
and no error is looked at, which would not make them shorter.
"""

from __future__ import annotations

import math

import numpy as np

from .. import tasks
from ..cache.jit import compiled, inner
from ..core import run
from ..layout.declaration import World
from ..layout.memory import get
from ..layout.views import packed_rows, rows_of
from . import numbers as at
from .instants import count_problem, hear, meeting, part, safe_step, settle
from .one_step import velocity_step
from .placing import place, step_errors
from .touching import find_points, put_margins, resting

SAFETY, LEAST, MOST = 0.9, 0.2, 3.0
"""Of the control of the step: its safety factor, and bounds on the ratio of one step to the next."""
ORDER, FREE_ORDER = 3.0, 5.0
"""Errors of trees that touch, and of others, shrink with this power of the length of a step. Those of others are known
well enough to be taken off."""
STRICT = 1e-5
"""Trees that touch nothing may be wrong by this part of what others may, before what is known of it is taken off."""
SETTLED = 1.0 / 16.0
"""Steps are taken whole only where the error of trees that touch nothing is below this part of what it may be: nothing
is taken off then."""
PLAIN_STEPS = 3
"""So many steps are taken whole after one that should have been shorter than the shortest."""
LEFTOVER = 1e-10
"""What a step would leave of the time to its end [part of it] belongs to it: impulses of a step of 1e-15 s, over its
length, are no forces."""
BRIEF = 1e-3
"""Steps shorter than this part of the shortest, which end at impacts, leave the forces as they were for that reason."""
TRIES = 40
ROUNDS = 20
"""Rounds of impacts at one instant."""
MOST_MISSED = 200
"""Contact problems that are missed in a row, in the shortest of steps, before a run ends."""


@inner
def keep_forces(step):
    """Ids and forces of the points that push at the end of a step, for the one that comes: 0 of those that landed in
    it, whose impulses stopped something and push no longer."""
    ids, impulses, landed, forces = step[8], step[10], step[12], step[17]
    k = 0
    for i in range(ids.shape[0]):
        if impulses[i, 0] > 0.0:
            k += 1
    kept_ids, kept = np.empty((k, 3), np.int64), np.empty((k, 6))
    k = 0
    for i in range(ids.shape[0]):
        if impulses[i, 0] > 0.0:
            for j in range(3):
                kept_ids[k, j] = ids[i, j]
            for j in range(6):
                kept[k, j] = 0.0 if landed[i] > 0.0 else forces[i, j]
            k += 1
    return kept_ids, kept


@inner
def length_factor(error, order):
    """By what factor a step may be longer, or must be shorter, for its error to be what is allowed."""
    if error <= 0.0:
        return MOST
    return SAFETY * error ** (-1.0 / order) if math.isfinite(error) else LEAST


@inner
def without_error(tree_of_dof, touched, whole, halves):
    """Take off what is known of the error of trees that touch nothing, from values (nr,) after two half steps."""
    for c in range(halves.shape[0]):
        if tree_of_dof[c] >= 0 and not touched[tree_of_dof[c]]:
            halves[c] += (halves[c] - whole[c]) / (2.0 ** (FREE_ORDER - 1.0) - 1.0)


@inner
def account(clock, step, h):
    """Add what a step did, which `velocity_step` gives, to the clock."""
    _, touched, is_solved, residual, a, b, put_in, taken, _, _, _, _, _, loss, arrived, work, felt, _, _, _ = step
    clock[at.WORK] += put_in - felt
    clock[at.TAKEN] += taken
    clock[at.STEPS] += 1.0
    clock[at.LAST_STEP] = h if touched else 0.0
    if touched:
        clock[at.FRICTION_LOSS] += loss
        clock[at.IMPACT_LOSS] += arrived
        clock[at.CONTACT_WORK] += work
        count_problem(clock, is_solved, residual, a, b)


@compiled
def advance(
    address, ints, floats, solver, par, clock, tree_of_body, tree_start, place_of, dof_at, parent, dof,
    surface_ints, surface_numbers, materials, surface_bodies, arms, thickness, find_at, marks, work, push_bodies,
    push_places, push_alone, sizes, q, v, warm_ids, warm, rows_at, row_warm, landing_ids, landings, loudest, t_end,
    until, limit,
):  # fmt: skip
    """Steps up to t_end, over which all inputs are smooth until `until`. Writes q, v (nr,), clock, loudest (s,) and
    row_warm (m,), multipliers of the last step. rows_at: address of `rows.put_rows_at`, 0 for a model without rows.

    Gives how it ended; ids and forces (k, 6) of the points that push, and pairs and impulses of the frame's landings,
    for the next call; and of the last step, if anything touched in it, ids, numbers, impulses (k, 6) and mean slip
    (k, 3) of its points.
    """
    sim, solver = (address, ints, floats), (solver, rows_at)
    topology = (tree_of_body, tree_start, place_of, dof_at, parent, dof)
    surfaces = (surface_ints, surface_numbers, materials, surface_bodies, arms, thickness)
    detection = (find_at, marks, work)
    pushes = (push_bodies, push_places, push_alone)
    head, numbers = packed_rows(ints, floats)
    world = rows_of(head, numbers).world
    nr, n, count_s = q.shape[0], parent.shape[0], arms.shape[0]
    nothing = np.zeros(nr)
    qw, vw, qh, vh, qe, ve = np.empty(nr), np.empty(nr), np.empty(nr), np.empty(nr), np.empty(nr), np.empty(nr)
    margins = np.empty(count_s)
    last_ids, last_points = np.empty((0, 3), np.int64), np.empty((0, at.POINT))
    last_impulses, last_slip = np.empty((0, 6)), np.empty((0, 3))
    tolerance = par[at.TOLERANCE]
    first = clock[at.STEPS]
    tree_of_dof, touched = np.full(nr, -1, np.int64), np.zeros(tree_start.shape[0] - 1, np.bool_)
    for b in range(n):
        for c in range(dof[b], dof[b + 1]):
            tree_of_dof[c] = tree_of_body[b] if place_of[c] >= 0 else -1
    while clock[at.TIME] < t_end:
        t = clock[at.TIME]
        longest = par[at.LONGEST]
        if par[at.SINGULAR] != 0.0:
            run(address, ints, floats, q, v, nothing, min(t, until), tasks.PRESCRIBE | tasks.RECENTRE)
            run(address, ints, floats, q, v, nothing, min(t, until), tasks.PLACE | tasks.TURN_RATE)
            rate = get(world, World.TURN_RATE)
            if rate > 0.0:
                longest = min(longest, par[at.MAX_TURN] / rate)
        else:
            run(address, ints, floats, q, v, nothing, min(t, until), tasks.PRESCRIBE)
        left = t_end - t
        h = min(left, clock[at.STEP], longest)
        if h < left < 1.999 * h:
            h = 0.5 * left
        # --- impacts that are due, and what touches
        poses, rates = np.empty(12 * n), np.zeros((n + 1, at.RATES))
        place(sim, q, v, poses, rates)
        put_margins(par, surfaces, rates, h, margins)
        count, ids, found = find_points(surfaces, detection, poses, margins)
        for _ in range(ROUNDS):
            struck, landing_ids, landings = settle(
                sim, solver, par, clock, topology, surfaces, q, v, poses, rates, ids, found, h, landing_ids,
                landings, loudest,
            )  # fmt: skip
            if not struck:
                break
            place(sim, q, v, poses, rates)
        rest = np.empty(count, np.bool_)
        resting(par, surfaces, rates, count, ids, found, warm_ids, clock[at.STEP], rest)
        h = min(h, safe_step(par, topology, surfaces, rates, ids, found, rest, h))
        start, points = (q, v, poses, rates), (ids, found, rest)
        # --- one step
        h_event, is_plain, is_brief = 0.0, False, False
        poses_e, rates_e = np.empty(12 * n), np.zeros((n + 1, at.RATES))
        for attempt in range(TRIES):
            t1 = t_end if h >= (1.0 - LEFTOVER) * left else t + h
            h = t1 - t
            is_brief = h < BRIEF * par[at.SHORTEST]
            whole = velocity_step(
                sim, solver, par, topology, surfaces, detection, pushes, start, points, warm_ids, warm, warm_ids,
                warm, row_warm, t, h, until, qw, vw,
            )  # fmt: skip
            if whole[0] >= 0:
                clock[at.WHERE] = whole[0]
                return at.STUCK, warm_ids, warm, landing_ids, landings, last_ids, last_points, last_impulses, last_slip
            may_halve = h > par[at.SHORTEST] and attempt < TRIES - 1
            if not whole[2] and may_halve:
                h = max(0.5 * h, par[at.SHORTEST])
                continue
            may_be_briefer = h > par[at.EVENT] and attempt < TRIES - 1
            if not math.isfinite(whole[3]) and may_be_briefer:
                h *= 0.5
                continue
            met = meeting(
                sim, solver, par, t, topology, surfaces, detection, ids, rest, whole[8], whole[10], qw, vw, h
            )  # fmt: skip
            if met < (1.0 - LEFTOVER) * h and h > par[at.EVENT] and attempt < TRIES - 1:
                h = max(met, par[at.EVENT])
                h_event = h
                continue
            is_plain = clock[at.PLAIN] > 0.0 and par[at.LOSS] == 0.0 and whole[2] and h <= 1.001 * par[at.SHORTEST]
            if is_plain:
                break
            clock[at.PLAIN] = 0.0
            half = 0.5 * h
            warm_ids_w, warm_w = warm_ids, warm
            if not is_brief:
                warm_ids_w, warm_w = keep_forces(whole)
            one = velocity_step(
                sim, solver, par, topology, surfaces, detection, pushes, start, points, warm_ids_w, warm_w, warm_ids_w,
                warm_w, row_warm, t, half, until, qh, vh,
            )  # fmt: skip
            row_warm_h = row_warm if is_brief else one[19]
            if is_brief:
                warm_ids_h, warm_h = warm_ids, warm
            else:
                warm_ids_h, warm_h = keep_forces(one)
            poses_h, rates_h = np.empty(12 * n), np.zeros((n + 1, at.RATES))
            place(sim, qh, vh, poses_h, rates_h)
            put_margins(par, surfaces, rates_h, half, margins)
            count_h, ids_h, found_h = find_points(surfaces, detection, poses_h, margins)
            rest_h = np.empty(count_h, np.bool_)
            resting(par, surfaces, rates_h, count_h, ids_h, found_h, warm_ids_h, clock[at.STEP], rest_h)
            two = velocity_step(
                sim, solver, par, topology, surfaces, detection, pushes, (qh, vh, poses_h, rates_h),
                (ids_h, found_h, rest_h), warm_ids_w, warm_w, warm_ids_h, warm_h, row_warm_h, t + half, half, until,
                qe, ve,
            )  # fmt: skip
            place(sim, qw, vw, poses_h, rates_h)
            place(sim, qe, ve, poses_e, rates_e)
            for tree in range(touched.shape[0]):
                touched[tree] = whole[18][tree] or one[18][tree] or two[18][tree]
            error, free_error = step_errors(poses_h, rates_h, poses_e, rates_e, sizes, tree_of_body, touched)
            error, free_error = error / (3.0 * tolerance), free_error / (15.0 * STRICT * tolerance)
            if par[at.LOSS] > 0.0:
                differ = abs(whole[13] + whole[14] - one[13] - one[14] - two[13] - two[14])
                error = max(error, differ / par[at.LOSS])
            factor = min(length_factor(error, ORDER), length_factor(free_error, FREE_ORDER))
            is_sound = math.isfinite(whole[3] + one[3] + two[3])
            is_finite = is_sound and math.isfinite(error) and math.isfinite(free_error)
            good = error <= 1.0 and free_error <= 1.0 and one[2] and two[2]
            if not good and may_halve:
                h = max(par[at.SHORTEST], max(LEAST, min(0.5, factor)) * h)
                clock[at.STEP] = h
                continue
            if not is_finite and may_be_briefer:
                h *= 0.5
                continue
            if not is_finite:
                return at.NOT_FINITE, warm_ids, warm, landing_ids, landings, last_ids, last_points, last_impulses, last_slip  # fmt: skip  # noqa: E501
            break
        if is_plain:
            clock[at.PLAIN] -= 1.0
            clock[at.COARSE] += 1.0
            for c in range(nr):
                qe[c], ve[c] = qw[c], vw[c]
            place(sim, qe, ve, poses_e, rates_e)
            account(clock, whole, h)
            last = whole
        else:
            if not good:
                clock[at.COARSE] += 1.0
                clock[at.PLAIN] = PLAIN_STEPS if free_error <= SETTLED else 0.0
            without_error(tree_of_dof, touched, qw, qe)
            without_error(tree_of_dof, touched, vw, ve)
            account(clock, one, half)
            account(clock, two, half)
            landing_ids, landings = hear(one[8], one[9], one[12], landing_ids, landings, loudest)
            last = two
        landing_ids, landings = hear(last[8], last[9], last[12], landing_ids, landings, loudest)
        if not is_plain and h_event == 0.0 and (h < left or min(MOST, factor) * h > clock[at.STEP]):
            clock[at.STEP] = min(par[at.LONGEST], max(par[at.SHORTEST], max(min(MOST, factor), LEAST) * h))
        for c in range(nr):
            q[c], v[c] = qe[c], ve[c]
        if not is_brief:
            warm_ids, warm = keep_forces(last)
            for r in range(row_warm.shape[0]):
                row_warm[r] = last[19][r]
        last_ids, last_points, last_impulses, last_slip = last[8], last[9], last[10], last[11]
        if last[1] or (not is_plain and one[1]):
            put_margins(par, surfaces, rates_e, 0.0, margins)
            _, ids_e, found_e = find_points(surfaces, detection, poses_e, margins)
            part(sim, solver, par, clock, topology, surfaces, q, v, poses_e, rates_e, ids_e, found_e, h)
        clock[at.TIME] = t1
        if clock[at.MISSED_AT_ONCE] >= MOST_MISSED:
            return at.HOPELESS, warm_ids, warm, landing_ids, landings, last_ids, last_points, last_impulses, last_slip
        if clock[at.STEPS] - first > limit:
            return at.TOO_MANY, warm_ids, warm, landing_ids, landings, last_ids, last_points, last_impulses, last_slip
    return at.DONE, warm_ids, warm, landing_ids, landings, last_ids, last_points, last_impulses, last_slip
