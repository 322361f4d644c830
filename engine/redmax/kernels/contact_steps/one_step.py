# SPDX-License-Identifier: GPL-3.0-or-later
"""One velocity-level step of what touches: the compiled form of `integrators.contact.velocity_step`, whose text says
what is solved and why."""

from __future__ import annotations

import math

import numpy as np

from ...solvers.contact import layout as lay
from ...solvers.contact import tasks as contact_tasks
from ...surfaces.materials import KINETIC, STATIC
from ..cache.jit import inner
from ..layout.memory import put
from ..layout.views import packed_rows, rows_of
from . import numbers as at
from .placing import column_at, move_freely, place, put_columns
from .problem import ROWS, solved, speeds
from .rows import (
    choose_equations,
    choose_stops,
    close_rows,
    mark_touched,
    new_table,
    put_rows,
    wanted_of_step,
    work_of_rows,
)
from .touching import (
    bounces,
    find_key,
    find_points,
    first_of_pair,
    moves,
    parting,
    put_margins,
    relative_velocity,
)

QUICK = 2.0
"""Residuals may be relative to speeds where skins are faster, as a step begins, than gravity makes them in this many
steps: what comes to rest, or rests, is solved as tightly as can be."""
ROUNDS_OF_STOPS = 4
"""Solutions that pass a stop which was not thought near are looked for again, at most so often."""


@inner
def put_pushes(sim, pushes, wrenches):
    """Have the free motion feel wrenches (n, 6) about centres of mass, along the world's axes."""
    _, ints, floats = sim
    bodies, places = pushes
    if bodies.shape[0] == 0:
        return
    head, numbers = packed_rows(ints, floats)
    pool = rows_of(head, numbers).pool
    for i in range(bodies.shape[0]):
        for j in range(6):
            put(pool, places[i, j], wrenches[bodies[i], j])


@inner
def expected_wrenches(surfaces, pushes, rates, count, ids, found, rest, warm_ids, warm, wrenches):
    """Write the wrenches (n + 1, 6) on bodies by the forces of the step before at points that still touch, 0 for bodies
    that fall evenly; whether there are any."""
    bodies = surfaces[3]
    n = rates.shape[0] - 1
    for b in range(n + 1):
        for j in range(6):
            wrenches[b, j] = 0.0
    if pushes[0].shape[0] == 0 or warm_ids.shape[0] == 0:
        return False
    feels = np.zeros(n + 1, np.bool_)
    for i in range(pushes[0].shape[0]):
        feels[pushes[0][i]] = True
    some = False
    for i in range(count):
        if not rest[i]:
            continue
        k = find_key(warm_ids, warm_ids.shape[0], ids[i, 0], ids[i, 1], ids[i, 2])
        if k < 0:
            continue
        for side in range(2):
            b = bodies[ids[i, side]]
            if not feels[b]:
                continue
            sign = 1.0 if side == 0 else -1.0
            end = at.END_A if side == 0 else at.END_B
            x0, x1, x2 = found[i, end] - rates[b, 0], found[i, end + 1] - rates[b, 1], found[i, end + 2] - rates[b, 2]
            f0, f1, f2 = sign * warm[k, 0], sign * warm[k, 1], sign * warm[k, 2]
            wrenches[b, 0] += sign * warm[k, 3] + x1 * f2 - x2 * f1
            wrenches[b, 1] += sign * warm[k, 4] + x2 * f0 - x0 * f2
            wrenches[b, 2] += sign * warm[k, 5] + x0 * f1 - x1 * f0
            wrenches[b, 3] += f0
            wrenches[b, 4] += f1
            wrenches[b, 5] += f2
            some = True
    return some


@inner
def put_without(topology, columns, rates, M, wrenches, h, before, after, change):
    """Write the change (nr,) of free velocities if wrenches had not acted for h [s]: -h M^-1 Q. Returns what the
    wrenches do on the motion of prescribed coordinates, by the mean of velocities (nr,) before and after [J]."""
    _, tree_start, place_of, dof_at, parent, dof = topology
    n, nr = parent.shape[0], change.shape[0]
    Q = np.zeros(nr)
    for b in range(n):
        acts = False
        for j in range(6):
            acts = acts or wrenches[b, j] != 0.0
        if not acts:
            continue
        a = b
        while a >= 0:
            for k in range(dof[a], dof[a + 1]):
                v0, v1, v2 = column_at(columns, k, rates[b, 0], rates[b, 1], rates[b, 2])
                Q[k] += v0 * wrenches[b, 3] + v1 * wrenches[b, 4] + v2 * wrenches[b, 5]
                Q[k] += columns[k, 0] * wrenches[b, 0] + columns[k, 1] * wrenches[b, 1] + columns[k, 2] * wrenches[b, 2]
            a = parent[a]
    prescribed = 0.0
    for c in range(nr):
        if place_of[c] < 0:
            prescribed += 0.5 * h * Q[c] * (before[c] + after[c])
    for tree in range(tree_start.shape[0] - 1):
        first, size = tree_start[tree], tree_start[tree + 1] - tree_start[tree]
        some = False
        for i in range(size):
            some = some or Q[dof_at[first + i]] != 0.0
        if not some:
            continue
        L, y = np.empty((size, size)), np.empty(size)
        for i in range(size):
            for j in range(i + 1):
                total = M[dof_at[first + i], dof_at[first + j]]
                for k in range(j):
                    total -= L[i, k] * L[j, k]
                L[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / L[j, j]
        for i in range(size):
            y[i] = Q[dof_at[first + i]]
            for k in range(i):
                y[i] -= L[i, k] * y[k]
            y[i] /= L[i, i]
        for i in range(size - 1, -1, -1):
            for k in range(i + 1, size):
                y[i] -= L[k, i] * y[k]
            y[i] /= L[i, i]
            change[dof_at[first + i]] = -h * y[i]
    return prescribed


@inner
def velocity_step(sim, solver, par, topology, surfaces, detection, pushes, start, points, warm_ids, warm, guess_ids,
                  guess, row_warm, t, h, until, q1, v1):  # fmt: skip
    """Take a step of h [s] to q1, v1. start: q, qdot, poses and rates; points: ids, numbers and which rest there.
    warm: forces of the step before; guess: forces that the solution begins with; row_warm: (m,) multipliers of the step
    before.

    Gives a tuple: the body that stopped it or -1; whether anything touched; whether the problem is solved, the residual
    (infinite where loops could not be closed or nothing finite came out) and the surfaces that have it; work and loss of free motion; ids, numbers, impulses (k, ROWS) and mean slip (k, 3)
    of points, and normal impulses (k,) at those that did not touch before; loss by friction, loss of arrival, work of
    moved surfaces, work of expected forces; forces (k, 6) along the world's axes; which trees are corrected, and
    multipliers (m,) of other rows.
    """
    q0, v0, _poses0, rates0 = start
    ids0, found0, rest0 = points
    _tree_of_body, _, place_of, _, parent, _ = topology
    nr, n = q0.shape[0], parent.shape[0]
    wrenches = np.zeros((n + 1, 6))
    pushed = expected_wrenches(surfaces, pushes, rates0, ids0.shape[0], ids0, found0, rest0, warm_ids, warm, wrenches)  # fmt: skip  # noqa: E501
    put_pushes(sim, pushes, wrenches)
    table = new_table(sim)
    m, before_rows, t1 = table.shape[0], table.copy(), min(t + h, until)
    put_rows(sim, solver[1], q0, v0, min(t, until), before_rows)
    stuck, put_in, taken = move_freely(sim, par, q0, v0, t, h, until, q1, v1)
    closed_rows = stuck >= 0 or close_rows(sim, q1, v1, t1)
    touched, row_chosen = np.zeros(topology[1].shape[0] - 1, np.bool_), np.zeros(m, np.bool_)
    row_wanted, row_bounce, row_x = np.empty(m), np.zeros(m), np.zeros(m)
    no_ids, no_points, no_rows = np.empty((0, 3), np.int64), np.empty((0, at.POINT)), np.empty((0, ROWS))
    no_slip, no_numbers = np.empty((0, 3)), np.empty(0)
    nothing = (stuck, False, closed_rows, 0.0 if closed_rows else math.inf, 0, 0, put_in, taken, no_ids, no_points, no_rows, no_slip, no_numbers,
               0.0, 0.0, 0.0, 0.0, no_rows, touched, row_x)  # fmt: skip
    if stuck >= 0:
        return nothing
    q, poses, rates = np.empty(nr), np.empty(12 * n), np.zeros((n + 1, at.RATES))
    for k in range(nr):
        q[k] = 0.5 * (q0[k] + q1[k]) + h / 8.0 * (v0[k] - v1[k])
    put_rows(sim, solver[1], q, v1, t1, table)
    place(sim, q, v1, poses, rates)
    wanted_of_step(topology, table, before_rows, h, v0, v1, row_wanted)
    met = choose_stops(topology, par, table, before_rows, row_wanted, v1, par[at.SLOW], row_chosen)
    margins = np.empty(surfaces[3].shape[0])
    put_margins(par, surfaces, rates, 0.5 * h, margins)
    count, ids, found = find_points(surfaces, detection, poses, margins)
    # --- those that take part, and those that are closed
    kept, closed = np.empty(count, np.int64), np.zeros(count, np.bool_)
    k = 0
    for i in range(count):
        if not moves(topology, surfaces, ids, i):
            continue
        now = parting(surfaces, rates, rates, ids, found, i)
        # bodies that rest have fallen at a free motion's midpoint: by an eighth of what they gain in speed, times h
        found[i, at.GAP] -= h / 8.0 * (now - parting(surfaces, rates, rates0, ids, found, i))
        before = find_key(ids0, ids0.shape[0], ids[i, 0], ids[i, 1], ids[i, 2])
        is_closed = before >= 0 and rest0[before]
        if before < 0 and found[i, at.GAP] <= par[at.CLOSED]:
            p = first_of_pair(ids0, ids0.shape[0], ids[i, 0], ids[i, 1])
            while p >= 0 and p < ids0.shape[0] and ids0[p, 0] == ids[i, 0] and ids0[p, 1] == ids[i, 1]:
                is_closed = is_closed or rest0[p]
                p += 1
        if is_closed or not bounces(par, found, i, -now):
            kept[k], closed[k] = i, is_closed
            k += 1
    if k == 0 and not pushed and not met:
        return nothing
    columns, M = np.empty((nr, at.COLUMN)), np.zeros((nr, nr))
    put_columns(sim, poses, columns, M)
    change, resisted = np.zeros(nr), 0.0
    if pushed:
        resisted = put_without(topology, columns, rates, M, wrenches, h, v0, v1, change)
    v_free = v1 + change
    chosen_ids, chosen = np.empty((k, 3), np.int64), np.empty((k, at.POINT))
    wanted, mu, dull = np.zeros((k, ROWS)), np.empty(k), np.zeros(k)
    begin, x, slip, moved = np.zeros((k, ROWS)), np.zeros((k, ROWS)), np.zeros((k, 3)), np.zeros((k, ROWS))
    v_prescribed, v0_prescribed = np.zeros(nr), np.zeros(nr)
    any_prescribed = False
    for c in range(nr):
        if place_of[c] < 0:
            v_prescribed[c], v0_prescribed[c] = v1[c], v0[c]
            any_prescribed = any_prescribed or v1[c] != 0.0 or v0[c] != 0.0
    speed, speed0 = np.zeros(ROWS), np.zeros(ROWS)
    for i in range(k):
        for j in range(3):
            chosen_ids[i, j] = ids[kept[i], j]
        for j in range(at.POINT):
            chosen[i, j] = found[kept[i], j]
    for i in range(k):
        c0, c1, c2 = chosen[i, 19], chosen[i, 20], chosen[i, 21]
        wanted[i, 1] = -(chosen[i, 7] * c0 + chosen[i, 8] * c1 + chosen[i, 9] * c2)
        wanted[i, 2] = -(chosen[i, 10] * c0 + chosen[i, 11] * c1 + chosen[i, 12] * c2)
        if not closed[i]:
            wanted[i, 0] = min(0.0, -2.0 / h * chosen[i, at.GAP])
        u0, u1, u2 = relative_velocity(surfaces, rates, rates0, chosen_ids, chosen, i)
        u0, u1, u2 = u0 + c0, u1 + c1, u2 + c2
        for r in range(3):
            d = 3 + 3 * r if r == 0 else 4 + 3 * r
            slip[i, r] = chosen[i, d] * u0 + chosen[i, d + 1] * u1 + chosen[i, d + 2] * u2
        if closed[i]:  # speeds at the end of the step, not at its middle: (G - G0) v0
            b = find_key(ids0, ids0.shape[0], chosen_ids[i, 0], chosen_ids[i, 1], chosen_ids[i, 2])
            if b >= 0:
                speeds(topology, surfaces, columns, chosen_ids, chosen, i, v0, speed)
                w0, w1, w2 = relative_velocity(surfaces, rates0, rates0, ids0, found0, b)
                normal = w0 * found0[b, 3] + w1 * found0[b, 4] + w2 * found0[b, 5]
                w0, w1, w2 = w0 - normal * found0[b, 3], w1 - normal * found0[b, 4], w2 - normal * found0[b, 5]
                wanted[i, 0] -= speed[0] - normal
                wanted[i, 1] -= speed[1] - (chosen[i, 7] * w0 + chosen[i, 8] * w1 + chosen[i, 9] * w2)
                wanted[i, 2] -= speed[2] - (chosen[i, 10] * w0 + chosen[i, 11] * w1 + chosen[i, 12] * w2)
        slides = math.sqrt(slip[i, 1] ** 2 + slip[i, 2] ** 2) > par[at.STICKING]
        mu[i] = chosen[i, at.MATERIAL + (KINETIC if slides else STATIC)]
        if any_prescribed:
            speeds(topology, surfaces, columns, chosen_ids, chosen, i, v_prescribed, speed)
            speeds(topology, surfaces, columns, chosen_ids, chosen, i, v0_prescribed, speed0)
            for r in range(ROWS):
                wanted[i, r] -= speed[r]
                moved[i, r] = 0.5 * (speed[r] + speed0[r])
        w = find_key(guess_ids, guess_ids.shape[0], chosen_ids[i, 0], chosen_ids[i, 1], chosen_ids[i, 2])
        if w >= 0:
            for r in range(ROWS):
                d = 3 * (r % 3) + (3 if r % 3 == 0 else 4)
                o = 0 if r < 3 else 3
                total = 0.0
                for j in range(3):
                    total += chosen[i, d + j] * guess[w, o + j]
                begin[i, r] = h * total
    v = np.empty(nr)
    for c in range(nr):
        v[c] = v_free[c]
    code, residual, worst, fastest = lay.SOLVED, 0.0, 0, 0.0
    for i in range(k):
        fastest = max(fastest, math.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2 + slip[i, 2] ** 2))
    relative = par[at.TOLERANCE] if m == 0 and fastest > QUICK * par[at.GRAVITY] * h else 0.0
    mark_touched(topology, surfaces, chosen_ids, touched)
    for b in range(n):
        if pushed and topology[0][b] >= 0:
            for j in range(6):
                touched[topology[0][b]] = touched[topology[0][b]] or wrenches[b, j] != 0.0
    for r in range(m):
        row_x[r] = h * row_warm[r]
    held = (table, row_chosen, row_wanted, row_bounce, row_x)
    for _ in range(ROUNDS_OF_STOPS):
        choose_equations(topology, table, touched, row_chosen)
        if k == 0 and not row_chosen.any():
            break
        code, residual, worst, _ = solved(
            solver[0], contact_tasks.SOLVE, par[at.RESIDUAL], relative, 0.0, par, topology, surfaces, columns, M,
            v_free, wanted, mu, dull, begin, chosen_ids, chosen, True, held, x, v,
        )  # fmt: skip
        if not choose_stops(topology, par, table, before_rows, row_wanted, v, par[at.SLOW], row_chosen):
            break
        for i in range(k):
            for r in range(ROWS):
                begin[i, r] = x[i, r]
    finite = code != lay.UNFIT
    for c in range(nr):
        finite = finite and math.isfinite(v[c])
    worst_a = chosen_ids[worst, 0] if k > 0 else 0
    worst_b = chosen_ids[worst, 1] if k > 0 else 0
    felt = 0.0
    if pushed and par[at.EXCHANGES] != 0.0:  # else powers are not asked for, and hold none of it
        # what moves prescribed coordinates has resisted them already: only the rest is work of contacts, below
        felt = work_of(sim, q1, v1, rates0, wrenches, h) - resisted
    swept = work_on_prescribed(place_of, M, v0, v1, v) if any_prescribed else 0.0
    for c in range(nr):
        if place_of[c] >= 0:
            q1[c] += 0.5 * h * (v[c] - v1[c])
            v1[c] = v[c]
    loss = 0.0
    arrived, work = work_of_rows(topology, table, row_chosen, row_x, v0, v1)
    work += swept
    for r in range(m):
        row_x[r] /= h
    forces, landed = np.zeros((k, ROWS)), np.zeros(k)
    for i in range(k):
        speeds(topology, surfaces, columns, chosen_ids, chosen, i, v1, speed)
        c0, c1, c2 = chosen[i, 19], chosen[i, 20], chosen[i, 21]
        for r in range(3):
            d = 3 * r + (3 if r == 0 else 4)
            skin = chosen[i, d] * c0 + chosen[i, d + 1] * c1 + chosen[i, d + 2] * c2
            slip[i, r] = 0.5 * (slip[i, r] + speed[r] + skin)
            if r > 0:
                work -= x[i, r] * skin
                loss -= x[i, r] * slip[i, r]
            loss -= x[i, 3 + r] * speed[3 + r]
            for j in range(3):
                forces[i, j] += chosen[i, d + j] * x[i, r] / h
                forces[i, 3 + j] += chosen[i, d + j] * x[i, 3 + r] / h
        for r in range(ROWS):
            work -= x[i, r] * moved[i, r]
        arrived -= x[i, 0] * slip[i, 0]
        if not closed[i]:
            landed[i] = x[i, 0]
    sound = finite and closed_rows and close_rows(sim, q1, v1, t1)
    return (-1, True, sound and code == lay.SOLVED, residual if sound else math.inf, worst_a, worst_b, put_in, taken, chosen_ids, chosen,
            x, slip, landed, loss, arrived, work, felt, forces, touched, row_x)  # fmt: skip


@inner
def work_on_prescribed(place_of, M, before, free, after):
    """Work [J] of what holds prescribed coordinates to their course while the others change their velocities (nr,) from
    `free` to `after`: the mean of the prescribed ones times their momentum's change."""
    total = 0.0
    for c in range(before.shape[0]):
        if place_of[c] < 0:
            for d in range(before.shape[0]):
                if place_of[d] >= 0:
                    total += 0.5 * (before[c] + free[c]) * M[max(c, d), min(c, d)] * (after[d] - free[d])
    return total


@inner
def work_of(sim, q, qdot, rates0, wrenches, h):
    """Work [J] of constant wrenches in a free motion from `rates0` to (q, qdot): exact for forces, by the mean of both
    angular velocities for torques."""
    n = rates0.shape[0] - 1
    poses, rates = np.empty(12 * n), np.zeros((n + 1, at.RATES))
    place(sim, q, qdot, poses, rates)
    total = 0.0
    for b in range(n):
        for j in range(3):
            total += wrenches[b, 3 + j] * (rates[b, j] - rates0[b, j])
            total += 0.5 * h * wrenches[b, j] * (rates[b, 6 + j] + rates0[b, 6 + j])
    return total
