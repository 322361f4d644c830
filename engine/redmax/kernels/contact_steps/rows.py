# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, couplings and stops of a mechanism that touches something: their rows on its coordinates.

In the free motion of a step equations hold, and stops do not. Both are rows of the contact problem, for velocities at
the end of the step, as contacts are: equations of what is corrected at all, and stops that may be reached. What has no
rows never compiles `put_rows_at`, which is called by its address.
"""

from __future__ import annotations

import numpy as np

from .. import tasks
from ..cache.jit import callback, inner
from ..core import SIGNATURE, call, run
from ..layout import codes
from ..layout.declaration import Column, Head, Link, Pose, RowBodies, RowVectors, RowWork
from ..layout.memory import fixed, further, get, get3, get6, get9, numbers_at, put
from ..layout.views import address_in, addresses, rows_of, whole
from ..rows.row_kinds import row_at, slopes_of
from ..spatial import applied, cross, turned_into
from . import numbers as at


@inner
def add_wrench(rows, body, wrench, line):
    """Add the powers of a wrench on a body, given in its joint frame, per unit of all velocities to a line (nr,)."""
    pose = further(rows.poses, body * Pose.SIZE)
    R, p = get9(pose, Pose.R), get3(pose, Pose.P)
    t0, t1, t2 = applied(R, wrench[0], wrench[1], wrench[2])
    f0, f1, f2 = applied(R, wrench[3], wrench[4], wrench[5])
    b = body
    while b >= 0:
        link, pose = further(rows.links, b * Link.SIZE), further(rows.poses, b * Pose.SIZE)
        R, x = get9(pose, Pose.R), get3(pose, Pose.P)
        c0, c1, c2 = cross(p[0] - x[0], p[1] - x[1], p[2] - x[2], f0, f1, f2)
        m0, m1, m2 = turned_into(R, t0 + c0, t1 + c1, t2 + c2)
        g0, g1, g2 = turned_into(R, f0, f1, f2)
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            s = get6(further(rows.columns, k * Column.SIZE), Column.S)
            power = (s[0] * m0 + s[1] * m1 + s[2] * m2) + (s[3] * g0 + s[4] * g1 + s[5] * g2)
            put(line, k, get(line, k) + power)
        b = fixed(link, Link.PARENT)


@inner
def put_line(i, rows, line):
    """Add the row at place i, on all coordinates, to a line (nr,)."""
    row, vectors = row_at(i, rows)
    kind = fixed(row, RowBodies.KIND)
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    if kind == codes.COORDINATE:
        put(line, a, get(line, a) + get(vectors, RowVectors.FACTOR_A))
        if b >= 0:
            put(line, b, get(line, b) + get(vectors, RowVectors.FACTOR_B))
        return
    if kind == codes.FOLLOWER:
        count, followed, slopes = slopes_of(row, rows)
        put(line, a, get(line, a) + 1.0)
        for k in range(count):
            c = get(followed, k)
            put(line, c, get(line, c) + get(slopes, k))
        return
    results = further(rows.row_work, i * RowWork.SIZE)
    for side in range(2):
        body = fixed(row, RowBodies.BODY_A + side)
        if body >= 0:
            add_wrench(rows, body, get6(results, RowWork.ON_A + 6 * side), line)


@callback(SIGNATURE)
def put_rows_at(ints_at, floats_at, _q_at, _qdot_at, table_at, _time, _what):
    """Write all rows that can be solved for to a table (rows, ROW_LINE + nr), after ROW_ERRORS."""
    ints, floats = whole(ints_at, floats_at)
    m, nr, e = fixed(ints, Head.ROWS), fixed(ints, Head.DOFS), fixed(ints, Head.EQUATIONS)
    rows = rows_of(ints, floats)
    width = at.ROW_LINE + nr
    table = numbers_at(table_at, m * width)
    for i in range(m):
        row, vectors = row_at(i, rows)
        results = further(rows.row_work, i * RowWork.SIZE)
        into = further(table, get(rows.order, i) * width)
        rate = get(results, RowWork.RATE)
        put(into, at.ROW_ERROR, get(results, RowWork.ERROR))
        put(into, at.ROW_RATE, rate)
        put(into, at.ROW_SPEED, get(results, RowWork.RIGHT_SIDE) + rate)
        put(into, at.ROW_IS_STOP, 1.0 if i >= e else 0.0)
        put(into, at.ROW_METRES, 1.0 if fixed(row, RowBodies.METRES) else 0.0)
        put(into, at.ROW_BOUNCE, get(vectors, RowVectors.RESTITUTION) if i >= e else 0.0)
        for k in range(nr):
            put(into, at.ROW_LINE + k, 0.0)
        put_line(i, rows, further(into, at.ROW_LINE))
    return m


@inner
def new_table(sim):
    """Room for all rows of a model."""
    ints = sim[1]
    return np.zeros((ints[Head.ROWS], at.ROW_LINE + ints[Head.DOFS]))


@inner
def put_rows(sim, rows_at, q, qdot, t, table):
    """Write all rows at (q, qdot) and time t to a table, where there are any."""
    if table.shape[0] == 0:
        return
    address, ints, floats = sim
    run(address, ints, floats, q, qdot, np.empty(q.shape[0]), t, tasks.PLACE | tasks.ROW_ERRORS)
    ints_at, floats_at = addresses(ints, floats)
    count = table.shape[0] * table.shape[1]
    call(rows_at, ints_at, floats_at, 0, 0, address_in(table, count), 0.0, 0)


@inner
def close_rows(sim, q, qdot, t):
    """Bring q and qdot onto all equations, followers of drives to their places; whether that can be done."""
    address, ints, floats = sim
    if ints[Head.EQUATIONS] == 0:
        return True
    return run(address, ints, floats, q, qdot, np.zeros(q.shape[0]), t, tasks.PRESCRIBE | tasks.PROJECT) >= 0


@inner
def unit_of(par, table, r):
    """Metres per unit of row r."""
    return 1.0 if table[r, at.ROW_METRES] != 0.0 else par[at.LENGTH]


@inner
def line_product(table, r, v):
    """Left side of row r with velocities v (nr,)."""
    total = 0.0
    for k in range(v.shape[0]):
        total += table[r, at.ROW_LINE + k] * v[k]
    return total


@inner
def prescribed_part(topology, table, r, v):
    """What velocities of prescribed coordinates give row r."""
    place_of, total = topology[2], 0.0
    for k in range(v.shape[0]):
        if place_of[k] < 0:
            total += table[r, at.ROW_LINE + k] * v[k]
    return total


@inner
def bounces_at_stop(par, table, r, slow):
    """Whether what approaches a stop as fast as row r says comes back."""
    approach = table[r, at.ROW_RATE] - table[r, at.ROW_SPEED]
    return table[r, at.ROW_BOUNCE] > 0.0 and unit_of(par, table, r) * approach > slow


@inner
def wanted_of_step(topology, table, before, h, v0, v1, wanted):
    """Write what rows ask of the free velocities at the end of a step of h [s] that freely goes from v0 to v1 (nr,).
    table, before: rows at its middle and where it begins. A stop may be approached as far as it has room."""
    for r in range(table.shape[0]):
        turned = line_product(table, r, v0) - before[r, at.ROW_SPEED]  # the end's rows, not the middle's: (G - G0) v0
        wanted[r] = table[r, at.ROW_RATE] - turned - prescribed_part(topology, table, r, v1)
        if table[r, at.ROW_IS_STOP] != 0.0:
            wanted[r] -= max(table[r, at.ROW_ERROR], 0.0) / (0.5 * h)


@inner
def choose_stops(topology, par, table, before, wanted, v, slow, chosen):
    """Mark the stops among the rows that velocities v (nr,) would pass, but for those that are to bounce; whether there
    are any that were not marked before. before: the rows where the step begins."""
    more, place_of = False, topology[2]
    for r in range(table.shape[0]):
        if table[r, at.ROW_IS_STOP] == 0.0 or chosen[r]:
            continue
        room = before[r, at.ROW_ERROR] * unit_of(par, table, r)
        if room > par[at.CLOSED] and bounces_at_stop(par, table, r, slow):
            continue
        speed = 0.0
        for k in range(v.shape[0]):
            if place_of[k] >= 0:
                speed += table[r, at.ROW_LINE + k] * v[k]
        if speed < wanted[r]:
            chosen[r] = more = True
    return more


@inner
def touches_tree(topology, table, r, tree):
    """Whether row r acts on a tree."""
    tree_start, dof_at, acts = topology[1], topology[3], False
    for i in range(tree_start[tree], tree_start[tree + 1]):
        acts = acts or table[r, at.ROW_LINE + dof_at[i]] != 0.0
    return acts


@inner
def mark_touched(topology, surfaces, ids, touched):
    """Mark the trees of points."""
    for i in range(ids.shape[0]):
        for side in range(2):
            tree = topology[0][surfaces[3][ids[i, side]]]
            if tree >= 0:
                touched[tree] = True


@inner
def choose_equations(topology, table, touched, chosen):
    """Mark the equations on trees that are touched, and those trees that equations and marked stops tie to them."""
    trees = topology[1].shape[0] - 1
    again = table.shape[0] > 0
    while again:
        again = False
        for r in range(table.shape[0]):
            is_stop = table[r, at.ROW_IS_STOP] != 0.0
            some, all_touched = is_stop and chosen[r], True
            if is_stop and not chosen[r]:
                continue
            for tree in range(trees):
                if touches_tree(topology, table, r, tree):
                    some = some or touched[tree]
                    all_touched = all_touched and touched[tree]
            if not some:
                continue
            chosen[r] = True
            if not all_touched:
                again = True
                for tree in range(trees):
                    touched[tree] = touched[tree] or touches_tree(topology, table, r, tree)


@inner
def work_of_rows(topology, table, chosen, x, v0, v1):
    """What stops took out and what moved rows put in [J] by impulses x, at the mean of both velocities."""
    taken, put_in = 0.0, 0.0
    for r in range(table.shape[0]):
        if not chosen[r] or x[r] == 0.0:
            continue
        mean = 0.5 * (line_product(table, r, v0) + line_product(table, r, v1))
        moved = 0.5 * (prescribed_part(topology, table, r, v0) + prescribed_part(topology, table, r, v1))
        put_in -= x[r] * moved
        if table[r, at.ROW_IS_STOP] != 0.0:
            taken -= x[r] * mean
        else:
            put_in += x[r] * table[r, at.ROW_RATE]
    return taken, put_in
