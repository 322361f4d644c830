# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens at an instant: impacts, and the way out of each other; and how far a step may go."""

from __future__ import annotations

import math

import numpy as np

from ...solvers.contact import layout as lay
from ...solvers.contact import tasks as contact_tasks
from ...surfaces.materials import BOUNCE, BOUNCE_ABOVE, KINETIC
from ..cache.jit import inner
from ..layout.declaration import Body, World
from ..layout.memory import fixed, get3
from ..layout.views import packed_rows, rows_of
from . import numbers as at
from .placing import place, put_columns
from .problem import ROWS, solved, speeds
from .rows import (
    bounces_at_stop,
    choose_equations,
    close_rows,
    line_product,
    mark_touched,
    new_table,
    prescribed_part,
    put_rows,
    unit_of,
)
from .touching import bounces, find_key, find_points, moves, parting, relative_velocity

RATE = 1.0
"""What is inside comes out by so many of the smallest body's sizes in the time that gravity moves it by its size."""
PAYS = 1e-3
"""A tree pays for its lift if that is no more than this part of twice its kinetic energy."""
PART_OF_SPEED, PART_OF_TOLERANCE = 1e-6, 1e-2
"""Residual that an impact may have, as part of the fastest approach: the larger one of the first, and of the second
times what a step may be wrong by, as part of sizes."""
THIN = 0.25
"""How far something may come into what it meets before that is seen, as part of the thinner one's thickness."""
UNSEEN = 0.1
"""What comes no further into something in a step than this part of what the step may be wrong by is left to the step,
if it does not bounce."""
SOFTEN = 5.0
"""After so many impacts more than usual in a frame the speed below which nothing bounces doubles."""


@inner
def slow_speed(par, clock):
    """Impacts slower than this do not bounce [m/s]: faster and faster ones where a frame has too many."""
    more = clock[at.BOUNCES] - par[at.MOST_BOUNCES]
    return par[at.SLOW] * 2.0 ** min(max(more, 0.0) / SOFTEN, 60.0)


@inner
def choose_stops_at(par, table, chosen):
    """Mark the stops that touch; whether one of them is passed."""
    passed = False
    for r in range(table.shape[0]):
        room = table[r, at.ROW_ERROR] * unit_of(par, table, r)
        if table[r, at.ROW_IS_STOP] != 0.0 and room <= par[at.CLOSED]:
            chosen[r] = True
            passed = passed or room < -par[at.TOUCH]
    return passed


@inner
def settle(
    sim, solver, par, clock, topology, surfaces, q, v, poses, rates, ids, found, h, landing_ids, landings, loudest
):
    """Resolve the impacts that are due at points (k,) of a placing, before a step of h [s], once; whether there were
    any, and `hear`. Writes v, clock and the loudest impulse of each surface."""
    count, _n, nr = ids.shape[0], topology[4].shape[0], q.shape[0]
    chosen_of, k, fastest, is_due = np.empty(count, np.int64), 0, 0.0, False
    dull = max(par[at.SETTLING], 2.0 * UNSEEN * par[at.TOLERANCE] * par[at.LENGTH] / h)
    for i in range(count):
        if found[i, at.GAP] <= par[at.CLOSED] and moves(topology, surfaces, ids, i):
            chosen_of[k] = i
            k += 1
            approach = -parting(surfaces, rates, rates, ids, found, i)
            fastest = max(fastest, approach)
            is_due = is_due or approach > dull or bounces(par, found, i, approach)
    slow, least = slow_speed(par, clock), math.inf
    table = new_table(sim)
    m = table.shape[0]
    row_chosen, row_wanted, row_bounce, row_x = np.zeros(m, np.bool_), np.empty(m), np.zeros(m), np.zeros(m)
    put_rows(sim, solver[1], q, v, clock[at.TIME], table)
    choose_stops_at(par, table, row_chosen)
    for r in range(m):
        row_wanted[r] = table[r, at.ROW_RATE] - prescribed_part(topology, table, r, v)
        if table[r, at.ROW_IS_STOP] == 0.0:
            row_wanted[r] += table[r, at.ROW_SPEED] - table[r, at.ROW_RATE]
        elif row_chosen[r] and bounces_at_stop(par, table, r, slow):
            is_due = True
            row_bounce[r], least = table[r, at.ROW_BOUNCE], slow
            fastest = max(fastest, unit_of(par, table, r) * (table[r, at.ROW_RATE] - table[r, at.ROW_SPEED]))
    if not ((is_due or m > 0) and fastest > par[at.SETTLING]):
        return False, landing_ids, landings
    columns, M = np.empty((nr, at.COLUMN)), np.zeros((nr, nr))
    place(sim, q, v, poses, rates)
    put_columns(sim, poses, columns, M)
    chosen_ids, chosen = np.empty((k, 3), np.int64), np.empty((k, at.POINT))
    wanted, mu, bounce, x = np.zeros((k, ROWS)), np.empty(k), np.empty(k), np.zeros((k, ROWS))
    moved, slip, speed = np.zeros((k, ROWS)), np.zeros((k, 3)), np.zeros(ROWS)
    v_prescribed = np.zeros(nr)
    for c in range(nr):
        if topology[2][c] < 0:
            v_prescribed[c] = v[c]
    for i in range(k):
        for j in range(3):
            chosen_ids[i, j] = ids[chosen_of[i], j]
        for j in range(at.POINT):
            chosen[i, j] = found[chosen_of[i], j]
        above = max(chosen[i, at.MATERIAL + BOUNCE_ABOVE], slow)
        bounce[i] = chosen[i, at.MATERIAL + BOUNCE]
        if bounce[i] > 0.0:
            least = min(least, above)
        u0, u1, u2 = relative_velocity(surfaces, rates, rates, chosen_ids, chosen, i)
        approach = -(u0 * chosen[i, 3] + u1 * chosen[i, 4] + u2 * chosen[i, 5])
        if par[at.SETTLING] < approach <= above:  # others may be struck within the impact
            bounce[i] = 0.0
        mu[i] = chosen[i, at.MATERIAL + KINETIC]
        u0, u1, u2 = u0 + chosen[i, 19], u1 + chosen[i, 20], u2 + chosen[i, 21]
        speeds(topology, surfaces, columns, chosen_ids, chosen, i, v_prescribed, speed)
        for r in range(ROWS):
            moved[i, r] = speed[r]
            wanted[i, r] = -speed[r]
        for r in range(3):
            d = 3 * r + (3 if r == 0 else 4)
            skin = chosen[i, d] * chosen[i, 19] + chosen[i, d + 1] * chosen[i, 20] + chosen[i, d + 2] * chosen[i, 21]
            slip[i, r] = chosen[i, d] * u0 + chosen[i, d + 1] * u1 + chosen[i, d + 2] * u2
            if r > 0:
                wanted[i, r] -= skin
    after = v.copy()
    touched = np.zeros(topology[1].shape[0] - 1, np.bool_)
    mark_touched(topology, surfaces, chosen_ids, touched)
    choose_equations(topology, table, touched, row_chosen)
    held = (table, row_chosen, row_wanted, row_bounce, row_x)
    code, residual, worst, _ = solved(
        solver[0], contact_tasks.RESOLVE_IMPACTS,
        max(par[at.RESIDUAL], max(PART_OF_SPEED, PART_OF_TOLERANCE * par[at.TOLERANCE]) * fastest), 0.0,
        least if least < math.inf else 0.0, par, topology, surfaces, columns, M, v, wanted, mu, bounce,
        np.zeros((k, ROWS)), chosen_ids, chosen, True, held, x, after,
    )  # fmt: skip
    finite = code != lay.UNFIT
    for c in range(nr):
        finite = finite and math.isfinite(after[c])
    worst_a, worst_b = (chosen_ids[worst, 0], chosen_ids[worst, 1]) if k > 0 else (0, 0)
    count_problem(clock, finite and code == lay.SOLVED, residual, worst_a, worst_b)
    if not finite:
        return False, landing_ids, landings
    lost, work = 0.0, 0.0
    for c in range(nr):
        if topology[2][c] < 0:
            continue
        for e in range(nr):
            if M[c, e] != 0.0:
                if topology[2][e] >= 0:
                    lost += 0.5 * M[c, e] * (v[c] * v[e] - after[c] * after[e])
                else:  # what is moved by keys stays as fast, and holds against the blow
                    work += (after[c] - v[c]) * M[c, e] * v[e]
    for i in range(k):
        pushed = 0.0
        for r in range(ROWS):
            pushed -= x[i, r] * moved[i, r]
        for r in range(1, 3):
            d = 3 * r + 4
            skin = chosen[i, d] * chosen[i, 19] + chosen[i, d + 1] * chosen[i, 20] + chosen[i, d + 2] * chosen[i, 21]
            pushed -= x[i, r] * skin
        work += pushed
        lost += pushed
    for r in range(m):  # equations keep their speeds, which those that are moved have
        if row_x[r] != 0.0:
            pushed = -row_x[r] * prescribed_part(topology, table, r, v)
            if table[r, at.ROW_IS_STOP] == 0.0:
                pushed += row_x[r] * line_product(table, r, v)
            work += pushed
            lost += pushed
    clock[at.IMPACT_LOSS] += lost
    clock[at.CONTACT_WORK] += work
    clock[at.IMPACTS] += 1.0
    clock[at.BOUNCES] += 1.0
    landing_ids, landings = hear(chosen_ids, chosen, x[:, 0], landing_ids, landings, loudest)
    for c in range(nr):
        v[c] = after[c]
    return True, landing_ids, landings


@inner
def hear(ids, found, impulses, landing_ids, landings, loudest):
    """Remember normal impulses (k,), those of one pair together. A landing without bounce takes several steps, whose
    impulses add up. Gives the pairs (p, 2) of the frame's landings and their sums."""
    i, k = 0, ids.shape[0]
    while i < k:
        a, b, total, bounced = ids[i, 0], ids[i, 1], 0.0, False
        while i < k and ids[i, 0] == a and ids[i, 1] == b:
            total += impulses[i]
            bounced = bounced or found[i, at.MATERIAL + BOUNCE] > 0.0
            i += 1
        if total == 0.0:
            continue
        if not bounced:
            place, count = 0, landings.shape[0]
            while place < count and not (landing_ids[place, 0] == a and landing_ids[place, 1] == b):
                place += 1
            if place == count:
                more_ids, more = np.empty((count + 1, 2), np.int64), np.zeros(count + 1)
                more_ids[:count], more[:count] = landing_ids, landings
                more_ids[count, 0], more_ids[count, 1] = a, b
                landing_ids, landings = more_ids, more
            landings[place] += total
            total = landings[place]
        loudest[a], loudest[b] = max(loudest[a], total), max(loudest[b], total)
    return landing_ids, landings


@inner
def count_problem(clock, is_solved, residual, a, b):
    """Remember how well a problem was solved, and which surfaces have the residual."""
    clock[at.SOLVED] += 1.0
    if math.isfinite(residual):
        clock[at.WORST_RESIDUAL] = max(clock[at.WORST_RESIDUAL], residual)
    if is_solved:
        clock[at.MISSED_AT_ONCE] = 0.0
    else:
        clock[at.MISSED] += 1.0
        clock[at.MISSED_AT_ONCE] += 1.0
        clock[at.WORST_A], clock[at.WORST_B] = float(a), float(b)


@inner
def part(sim, solver, par, clock, topology, surfaces, q, v, poses, rates, ids, found, h):
    """Move what has come into each other apart, by the least change of q; whether anything was moved."""
    count, nr, t = ids.shape[0], q.shape[0], clock[at.TIME] + h
    chosen_of, k = np.empty(count, np.int64), 0
    table = new_table(sim)
    m = table.shape[0]
    row_chosen, row_wanted, row_x = np.zeros(m, np.bool_), np.zeros(m), np.zeros(m)
    put_rows(sim, solver[1], q, v, t, table)
    inside = choose_stops_at(par, table, row_chosen)
    for i in range(count):
        if found[i, at.GAP] <= par[at.CLOSED] and moves(topology, surfaces, ids, i):
            chosen_of[k] = i
            k += 1
            inside = inside or found[i, at.GAP] < -par[at.TOUCH]
    if not inside:
        return False
    columns, M = np.empty((nr, at.COLUMN)), np.zeros((nr, nr))
    place(sim, q, v, poses, rates)
    put_columns(sim, poses, columns, M)
    most = RATE * par[at.LENGTH] / par[at.SCALE_OF_TIME] * h
    chosen_ids, chosen = np.empty((k, 3), np.int64), np.empty((k, at.POINT))
    wanted, zeros, x = np.zeros((k, ROWS)), np.zeros(k), np.zeros((k, ROWS))
    for i in range(k):
        for j in range(3):
            chosen_ids[i, j] = ids[chosen_of[i], j]
        for j in range(at.POINT):
            chosen[i, j] = found[chosen_of[i], j]
        wanted[i, 0] = min(-chosen[i, at.GAP], most)
    for r in range(m):
        if row_chosen[r]:
            row_wanted[r] = -table[r, at.ROW_ERROR]
    touched = np.zeros(topology[1].shape[0] - 1, np.bool_)
    mark_touched(topology, surfaces, chosen_ids, touched)
    choose_equations(topology, table, touched, row_chosen)
    held = (table, row_chosen, row_wanted, np.zeros(m), row_x)
    still, change = np.zeros(nr), np.zeros(nr)
    code, _, _, _ = solved(
        solver[0], contact_tasks.SOLVE, 0.1 * par[at.TOUCH], 0.0 if m > 0 else par[at.TOLERANCE], 0.0, par,
        topology, surfaces,
        columns, M, still, wanted, zeros, zeros, np.zeros((k, ROWS)), chosen_ids, chosen, False, held, x, change,
    )  # fmt: skip
    if code == lay.UNFIT:
        return False
    for c in range(nr):
        if not math.isfinite(change[c]):
            return False
    for c in range(nr):
        q[c] += change[c]
    close_rows(sim, q, v, t)
    before = rates.copy()
    place(sim, q, v, poses, rates)
    pays = m == 0 and topology[3].shape[0] == nr
    clock[at.CONTACT_WORK] += lifted(sim, topology, before, rates, M, pays, v)
    return True


@inner
def lifted(sim, topology, before, after, M, pays, v):
    """Energy [J] that gravity takes for the bodies' way from `before` to `after`. pays: whether trees pay for it with
    their velocities v (nr,), as far as they can (`integrators.contact.recovery`), and what they do does not count."""
    _, ints, floats = sim
    tree_of_body, tree_start, _, dof_at, _, _ = topology
    head, numbers = packed_rows(ints, floats)
    rows = rows_of(head, numbers)
    g0, g1, g2 = get3(rows.world, World.GRAVITY)
    taken, other = np.zeros(tree_start.shape[0]), 0.0
    for b in range(before.shape[0] - 1):
        way = g0 * (after[b, 0] - before[b, 0]) + g1 * (after[b, 1] - before[b, 1]) + g2 * (after[b, 2] - before[b, 2])
        lift = -fixed(rows.bodies, b * Body.SIZE + Body.MASS) * way
        if tree_of_body[b] >= 0:
            taken[tree_of_body[b]] += lift
        else:
            other += lift
    for tree in range(tree_start.shape[0] - 1):
        if taken[tree] == 0.0:
            continue
        twice = 0.0
        if pays:
            for i in range(tree_start[tree], tree_start[tree + 1]):
                for j in range(tree_start[tree], tree_start[tree + 1]):
                    twice += v[dof_at[i]] * M[dof_at[i], dof_at[j]] * v[dof_at[j]]
        if abs(taken[tree]) > PAYS * twice:
            other += taken[tree]
        else:
            slower = math.sqrt(1.0 - 2.0 * taken[tree] / twice)
            for i in range(tree_start[tree], tree_start[tree + 1]):
                v[dof_at[i]] *= slower
    return other


@inner
def safe_step(par, topology, surfaces, rates, ids, found, rest, h):
    """How long a step of at most h [s] may be: until what is apart can have met, or come into what is thin."""
    _, _, _, bodies, arms, thickness = surfaces
    g = par[at.GRAVITY]
    for i in range(ids.shape[0]):
        if rest[i] or not moves(topology, surfaces, ids, i):
            continue
        closing = max(0.0, -parting(surfaces, rates, rates, ids, found, i))
        thin = math.inf
        for side in range(2):
            s = ids[i, side]
            b = bodies[s]
            closing += arms[s] * math.sqrt(rates[b, 6] ** 2 + rates[b, 7] ** 2 + rates[b, 8] ** 2)
            thin = min(thin, THIN * thickness[s])
        if not thin < math.inf:
            continue
        room = max(found[i, at.GAP], thin, par[at.CLOSED])
        root = closing + math.sqrt(closing * closing + 2.0 * g * room)
        if root > 0.0:
            h = min(h, 2.0 * room / root)
    return max(h, par[at.SHORTEST])


@inner
def meeting(sim, solver, par, t, topology, surfaces, detection, ids0, rest0, touched_ids, impulses, q, v, h):
    """How long a step from t to (q, v) would have to be [s] for surfaces or stops to meet at its end; h where none come
    into each other that did not touch. touched_ids, impulses: points of the step and what they push with."""
    n = topology[4].shape[0]
    poses, rates = np.empty(12 * n), np.zeros((n + 1, at.RATES))
    place(sim, q, v, poses, rates)
    margins = np.full(surfaces[3].shape[0], 0.0)
    count, ids, found = find_points(surfaces, detection, poses, margins)
    late = 0.0
    table = new_table(sim)
    put_rows(sim, solver[1], q, v, t + h, table)
    for r in range(table.shape[0]):
        room = table[r, at.ROW_ERROR] * unit_of(par, table, r)
        if table[r, at.ROW_IS_STOP] != 0.0 and room < -par[at.TOUCH] and bounces_at_stop(par, table, r, par[at.SLOW]):
            late = max(late, room / (unit_of(par, table, r) * (table[r, at.ROW_SPEED] - table[r, at.ROW_RATE])))
    for i in range(count):
        gap = found[i, at.GAP]
        closing = -parting(surfaces, rates, rates, ids, found, i)
        room = (
            par[at.TOUCH]
            if table.shape[0] > 0 or bounces(par, found, i, closing)
            else UNSEEN * par[at.TOLERANCE] * par[at.LENGTH]
        )
        if not gap < -room or not moves(topology, surfaces, ids, i):
            continue
        k = find_key(ids0, ids0.shape[0], ids[i, 0], ids[i, 1], ids[i, 2])
        if k >= 0 and rest0[k]:
            continue
        k = find_key(touched_ids, touched_ids.shape[0], ids[i, 0], ids[i, 1], ids[i, 2])
        if k >= 0 and impulses[k, 0] > 0.0:
            continue
        if closing > par[at.SETTLING]:
            late = max(late, -gap / closing)
    if late <= 0.0:
        return h
    return h - late if late < h else 0.5 * h
