# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled projection onto the constraint rows near singular poses; see `weak_rows`.

Iterations go on until they gain nothing more. Weak rows are left out of the positions, where they would ask for moves
as large as the distance to the singular pose; velocities satisfy their second-order form.
"""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Active, Head, NearRow, NearVector, RowWork, Work, World
from ..layout.memory import fixed, further, get, put
from .near_dynamics import AT_REST, MOST_GUESSES
from .projection import ACCEPTED_ERROR, OPEN, evaluate_at, mechanism_size, set_right_side
from .row_kinds import row_product
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
    to_coordinates,
)

CLOSED = 1e-16
"""Errors up to this, relative to the mechanism's size, are none."""
MOST_ITERATIONS = 30
LEFT_OPEN = 1e-6
"""Errors of weak rows, relative to the size, that are more than this are those of a loop that cannot be closed."""
ROUND_OFF = 1e-15
"""Changes of velocities by no more than this part are rounding."""


@inner
def project_near(ints, rows, arrays, near, q, qdot, t):
    """Bring q and then qdot onto all rows, in place. Gives the number of iterations for q, or OPEN."""
    m, nr = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    line = near.vectors[NearVector.LINE]
    steps, last, strong = 0, 0.0, 0
    evaluate_at(ints, rows, arrays, q, qdot, t)
    size = mechanism_size(ints, rows)
    while True:
        if not factorise_mass(ints, rows, near):
            return OPEN
        strong = strong_rows(ints, rows, near)
        strong = hold_driven_rows(ints, rows, near, strong, size, qdot)
        largest = 0.0
        for k in range(strong):
            i = int(near.rows[k, NearRow.ROW])
            error = get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR)
            largest = max(largest, set_right_side(i, rows, error, size))
            near.rows[k, NearRow.RIGHT_SIDE] = -error
        if not largest > CLOSED or (steps > 1 and largest < ACCEPTED_ERROR and not largest < 0.5 * last):
            for p in range(strong, m):
                i = int(near.rows[p, NearRow.ROW])
                if set_right_side(i, rows, get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR), size) > LEFT_OPEN:
                    return OPEN
            break
        if steps == MOST_ITERATIONS:
            return OPEN
        least_change_near(nr, near, strong)
        for k in range(nr):
            put(q, k, get(q, k) + line[k])
        last = largest
        steps += 1
        evaluate_at(ints, rows, arrays, q, qdot, t)
    for _ in range(2):
        for k in range(strong):
            i = int(near.rows[k, NearRow.ROW])
            rate = row_product(i, rows, Work.V, qdot) - get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
            near.rows[k, NearRow.RIGHT_SIDE] = -rate
        least_change_near(nr, near, strong)
        for k in range(nr):
            put(qdot, k, get(qdot, k) + line[k])
        evaluate_at(ints, rows, arrays, q, qdot, t)
    put(rows.world, World.RANK, float(m))
    if strong < m:
        combine_weak_rows(ints, rows, near, strong)
        turn_velocities(ints, rows, arrays, near, strong, size, q, qdot, t)
    return steps


@inner
def turn_velocities(ints, rows, arrays, near, strong, size, q, qdot, t):
    """Change qdot by the least so that it satisfies the second-order form of the weak rows; none if it rests."""
    nr, world = fixed(ints, Head.DOFS), rows.world
    tangent, line = near.vectors[NearVector.CHANGE], near.vectors[NearVector.LINE]
    first = rate_of(ints, rows, size, qdot)
    if not first > AT_REST * get(world, World.FASTEST):
        return
    last = first
    for _ in range(MOST_GUESSES):
        rate = rate_of(ints, rows, size, qdot)
        if not rate > AT_REST * first:
            for k in range(nr):
                put(qdot, k, 0.0)
            put(world, World.CHOICE, max(get(world, World.CHOICE), float(codes.STOPPED)))
            return
        for k in range(nr):
            tangent[k] = get(qdot, k) / rate
        bend_rows(ints, rows, arrays, near, strong, q, qdot, t, tangent)
        count = append_bends(ints, rows, near, strong)
        put(world, World.RANK, float(count))
        if count == strong:
            return
        for k in range(strong):
            near.rows[k, NearRow.RIGHT_SIDE] = 0.0
        for k in range(strong, count):
            p = int(near.rows[k, NearRow.BEND])
            near.rows[k, NearRow.RIGHT_SIDE] = -0.5 * bend_product(nr, near, p, qdot)
        least_change_near(nr, near, count)
        change = rate_of(ints, rows, size, further(rows.near_vectors, NearVector.LINE * nr))
        for k in range(nr):
            put(qdot, k, get(qdot, k) + line[k])
        if not change > ROUND_OFF * rate or (change < 1e-9 * rate and not change < 0.5 * last):
            return
        last = change


@inner
def tangent_basis(ints, rows, arrays, near, q, qdot, t):
    """Orthonormal basis of what rows hold at (q, qdot): strong rows, and weak ones in the form that the motion gives
    them. `World.HELD_LINES` gets the number of its lines, -1 where the mass matrix has no factor."""
    m, nr = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    evaluate_at(ints, rows, arrays, q, qdot, t)
    count = -1
    if factorise_mass(ints, rows, near):
        count = strong_rows(ints, rows, near)
        size, tangent = mechanism_size(ints, rows), near.vectors[NearVector.CHANGE]
        count = hold_driven_rows(ints, rows, near, count, size, qdot)
        rate = rate_of(ints, rows, size, qdot)
        if count < m and rate > AT_REST * get(rows.world, World.FASTEST):
            combine_weak_rows(ints, rows, near, count)
            for k in range(nr):
                tangent[k] = get(qdot, k) / rate
            bend_rows(ints, rows, arrays, near, count, q, qdot, t, tangent)
            count = append_bends(ints, rows, near, count)
    put(rows.world, World.HELD_LINES, float(count))


@inner
def tangent_part(ints, rows, near, x):
    """Subtract from x (nr,), a row, its part across the motion in the kinetic metric, after `tangent_basis`."""
    nr, count, L, Q = fixed(ints, Head.DOFS), int(get(rows.world, World.HELD_LINES)), near.mass, near.basis
    y = near.vectors[NearVector.LINE]
    if count < 0:
        return
    for k in range(nr):
        y[k] = 0.0
        for i in range(k, nr):
            y[k] += L[i, k] * get(x, i)
    for k in range(count):
        share = 0.0
        for i in range(nr):
            share += Q[k, i] * y[i]
        for i in range(nr):
            y[i] -= share * Q[k, i]
    to_coordinates(nr, near, y)
    for k in range(nr):
        put(x, k, y[k])
