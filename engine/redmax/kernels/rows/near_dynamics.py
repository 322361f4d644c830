# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forces of constraint rows near singular poses, at rest there too; see `weak_rows`."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Active, Column, Head, Link, NearRow, NearVector, RowWork, Vector, World
from ..layout.memory import fixed, further, get, put
from ..tree.articulated import eliminate, substitute
from .constrained import load_rows, set_forces
from .projection import mechanism_size
from .weak_rows import (
    append_bends,
    bend_product,
    bend_rows,
    combine_weak_rows,
    factorise_mass,
    hold_driven_rows,
    least_change_near,
    rate_of,
    strong_rows,
)

STANDS, MOVED = range(2)
"""Results of `forces_near`."""
FOUND, NONE, UNMOVED = range(3)
"""Results of `find_direction`."""
UNMOVED_PART = 1e-12
"""Accelerations of which strong rows leave no more than this are rounding."""
AT_REST = 1e-9
"""Bodies at less than this part of the largest rate they had in singular poses rest: rounding is their direction."""
MOST_GUESSES = 60
"""Iterations for a direction in which weak rows let the mechanism go. Where there is none, guesses halve each time."""
SETTLED = 1e-12
"""A direction is found when it changes by no more than this part."""


@inner
def forces_near(ints, rows, arrays, near, q, qdot, qddot, t):
    """Multipliers of the strong rows and, into `NearVector.EXTRA`, what weak ones push with; after `evaluate_rows`.

    qddot: (nr,) accelerations without rows; the right sides of all rows are what they lack. Gives STANDS, or MOVED if
    the bodies have to be placed and loaded anew.
    """
    m, nr, world = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS), rows.world
    lines = near.rows
    extra = near.vectors[NearVector.EXTRA]
    for k in range(nr):
        extra[k] = 0.0
    for i in range(m):
        put(rows.row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, 0.0)
        put(rows.multipliers, i, 0.0)
    if not factorise_mass(ints, rows, near):
        return STANDS
    strong = strong_rows(ints, rows, near)
    strong = hold_driven_rows(ints, rows, near, strong, mechanism_size(ints, rows), qdot)
    count, locked = strong, False
    if strong < m:
        combine_weak_rows(ints, rows, near, strong)
        locked, count = bend_along_motion(ints, rows, arrays, near, strong, q, qdot, qddot, t)
    put(world, World.RANK, float(m if locked else count))
    ask_for_accelerations(rows, near, strong)
    least_change_near(nr, near, count)
    for k in range(strong):
        i = int(lines[k, NearRow.ROW])
        put(rows.row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, lines[k, NearRow.MULTIPLIER])
        put(rows.multipliers, i, lines[k, NearRow.MULTIPLIER])
    for k in range(strong, count):
        p, x = int(lines[k, NearRow.BEND]), lines[k, NearRow.MULTIPLIER]
        for i in range(nr):
            extra[i] += x * near.bends[p, i]
    if locked:
        stop(ints, rows, near, qddot, extra)
    return MOVED if strong < m else STANDS


@inner
def accelerate_near(ints, rows, near, qddot, wrenches):
    """qddot with what `forces_near` found, as `constrained.forward_with_rows`."""
    n, m, nr = fixed(ints, Head.BODIES), get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    links, work, columns = rows.links, rows.body_work, rows.columns
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    load_rows(m, nr, rows)
    set_forces(nr, columns, force)
    for k in range(nr):
        place = k * Column.SIZE + Column.TAU
        put(columns, place, get(columns, place) + near.vectors[NearVector.EXTRA, k])
    stuck = eliminate(n, rows.bodies, links, work, columns, armature, qddot, 0.0, wrenches)
    if stuck >= 0:
        return stuck
    substitute(n, links, work, columns, armature, qddot, force, wrenches)
    for j in range(n):
        link = further(links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):  # its motor does not give what weak rows push with
            for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
                put(force, k, get(force, k) - near.vectors[NearVector.EXTRA, k])
    return -1


@inner
def ask_for_accelerations(rows, near, strong):
    """Copy the right sides of the strong rows to their lines."""
    for k in range(strong):
        i = int(near.rows[k, NearRow.ROW])
        near.rows[k, NearRow.RIGHT_SIDE] = get(rows.row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE)


@inner
def stop(ints, rows, near, qddot, extra):
    """Forces, into extra (nr,), that leave no acceleration of free coordinates, after the least change of strong rows:
    -M times what it leaves."""
    n, nr, L = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), near.mass
    x, y = near.vectors[NearVector.LINE], near.vectors[NearVector.HELD]
    for k in range(nr):
        y[k] = 0.0
        for i in range(k, nr):
            y[k] += L[i, k] * (x[i] + get(qddot, i))
    for k in range(nr):
        extra[k] = 0.0
        for i in range(k + 1):
            extra[k] -= L[k, i] * y[i]
    for j in range(n):
        link = further(rows.links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):
            for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
                extra[k] = 0.0


@inner
def bend_along_motion(ints, rows, arrays, near, strong, q, qdot, qddot, t):
    """Second-order forms of the weak rows along the motion, with their right sides, appended to the basis.

    Gives whether no motion is possible, and how many lines there are. At rest the direction is the one in which the
    mechanism came, or else that of the acceleration nearest to the one that strong rows leave.
    """
    nr, world = fixed(ints, Head.DOFS), rows.world
    size, tangent = mechanism_size(ints, rows), near.vectors[NearVector.TANGENT]
    speed = rate_of(ints, rows, size, qdot)
    put(world, World.FASTEST, max(speed, get(world, World.FASTEST)))
    if speed > AT_REST * get(world, World.FASTEST):
        for k in range(nr):
            tangent[k] = get(qdot, k) / speed
        put(world, World.HAS_TANGENT, 1.0)
    elif get(world, World.HAS_TANGENT) != 0.0:
        speed = 0.0
        put(world, World.CHOICE, max(get(world, World.CHOICE), float(codes.KEPT)))
    else:
        speed = 0.0
        found = find_direction(ints, rows, arrays, near, strong, size, q, qdot, qddot, t)
        if found == NONE:
            put(world, World.CHOICE, max(get(world, World.CHOICE), float(codes.LOCKED)))
        if found != FOUND:
            return True, strong
    bend_rows(ints, rows, arrays, near, strong, q, qdot, t, tangent)
    count = append_bends(ints, rows, near, strong)
    for k in range(strong, count):
        p = int(near.rows[k, NearRow.BEND])
        jerk = speed * speed / 3.0 * near.rows[p, NearRow.JERK]
        near.rows[k, NearRow.RIGHT_SIDE] = -jerk - bend_product(nr, near, p, qddot)
    return False, count


@inner
def find_direction(ints, rows, arrays, near, strong, size, q, qdot, qddot, t):
    """Write the direction that the weak rows allow and that is nearest to the acceleration that strong rows leave to
    `NearVector.TANGENT`. Gives FOUND; NONE if there is none but rest; UNMOVED if nothing is left to accelerate it."""
    nr, world = fixed(ints, Head.DOFS), rows.world
    held, guess = near.vectors[NearVector.HELD], near.vectors[NearVector.CHANGE]
    tangent = near.vectors[NearVector.TANGENT]
    line, guess_row = near.vectors[NearVector.LINE], further(rows.near_vectors, NearVector.CHANGE * nr)
    held_row = further(rows.near_vectors, NearVector.HELD * nr)
    ask_for_accelerations(rows, near, strong)
    least_change_near(nr, near, strong)
    for k in range(nr):
        held[k] = get(qddot, k) + line[k]
        guess[k] = held[k]
    first, count = rate_of(ints, rows, size, guess_row), strong
    if not first > UNMOVED_PART * rate_of(ints, rows, size, qddot):
        return UNMOVED
    for _ in range(MOST_GUESSES):
        rate = rate_of(ints, rows, size, guess_row)
        if not rate > AT_REST * first:
            return NONE
        for k in range(nr):
            tangent[k] = guess[k] / rate
        bend_rows(ints, rows, arrays, near, strong, q, qdot, t, tangent)
        count = append_bends(ints, rows, near, strong)
        if count == strong:
            break
        for k in range(strong):
            near.rows[k, NearRow.RIGHT_SIDE] = 0.0
        for k in range(strong, count):
            p = int(near.rows[k, NearRow.BEND])
            asked = 0.5 * bend_product(nr, near, p, guess_row) - bend_product(nr, near, p, held_row)
            near.rows[k, NearRow.RIGHT_SIDE] = asked
        least_change_near(nr, near, count)
        for k in range(nr):
            guess[k], line[k] = held[k] + line[k], held[k] + line[k] - guess[k]
        change = rate_of(ints, rows, size, further(rows.near_vectors, NearVector.LINE * nr))
        if not change > SETTLED * rate:
            break
    if count > strong:
        put(world, World.CHOICE, max(get(world, World.CHOICE), float(codes.CHOSEN)))
    return FOUND
