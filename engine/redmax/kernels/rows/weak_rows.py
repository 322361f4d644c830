# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled constraint rows near singular poses: a basis of the strong rows, and the second-order form of the weak ones.

In a singular pose some combinations u of the rows move nothing: u^T G = 0. Nearby u^T G is small, and its direction is
that of rounding or of the error of a stage. What these rows still ask follows from further derivatives of u^T g = 0
along the motion (docs/equations.md): with v = s t, u^T Gdot(t) v = 0 and u^T Gdot(t) a = -(s^2 / 3) u^T Gddot(t, t) t.

Few evaluations come here, so that matrices are dense: M = L L^T of the free coordinates, and rows in the coordinates
x = L^T v, in which lengths are those of the kinetic metric. Rows are made orthonormal in their order; those that are
weak beside what they were elsewhere (`row_references`) come last.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

from numba import carray

from ..cache.jit import inlined, inner
from ..joints.place import place_all
from ..layout import codes
from ..layout.declaration import (
    Active,
    Head,
    Link,
    NearRow,
    NearVector,
    RowBodies,
    RowVectors,
    RowWork,
    Vector,
    Work,
)
from ..layout.memory import fixed, further, get, get6, pointer_to, put, put6
from ..tree.products import fill_mass_matrix, gather, spread
from ..tree.world_poses import world_poses
from .row_kinds import evaluate_rows, row_at, slopes_of

NEARBY = -3
"""Result where a singular pose is near, which `near_dynamics` and `near_projection` know."""
NEAR = 0.01
"""Squared part of its reference to which a row's pivot falls where a singular pose is near."""
CLEAR = 0.04
"""Squared part above which it is near no longer."""
WEAK = 1e-6
"""Squared part below which a row counts as weak."""
DEPENDENT_ROW = 1e-22
"""A row of which no larger part than this, squared, is its own depends on others up to rounding."""
BENT = 1e-6
"""A weak row is held by its second-order form if that turns it, per unit of motion, by a part with a larger square."""
LED = 1e-4
"""A weak row that moves with animated joints by a part with a larger square is led beyond its reach by them."""
STEP = 1e-4
"""Distance over which derivatives along the motion are taken, for bodies that move at unit rate [rad, or parts of the
size]: rounding and the next term of the series are both about its square."""

Near: Any = namedtuple("Near", ["mass", "basis", "factors", "weights", "bends", "vectors", "rows", "references"])
"""The sections of `declaration` that only near poses use, as arrays."""


@inlined
def table(row, lines, columns):
    """A row of numbers as an array of this shape."""
    return carray(pointer_to(row, lines * columns), (lines, columns))


@inlined
def near_of(ints, rows):
    """What is used near singular poses."""
    m, nr = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    return Near(
        table(rows.near_mass, nr, nr),
        table(rows.near_basis, m, nr),
        table(rows.near_factors, m, m),
        table(rows.near_weights, m, m),
        table(rows.near_bends, m, nr),
        table(rows.near_vectors, NearVector.SIZE, nr),
        table(rows.near_rows, m, NearRow.SIZE),
        carray(pointer_to(rows.row_references, m), (m,)),
    )


@inner
def factorise_mass(ints, rows, near):
    """L of M = L L^T into `near_mass`, with prescribed coordinates apart, after `place_all`; False if there is none."""
    n, nr, M = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), near.mass
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    for i in range(nr):
        for j in range(nr):
            M[i, j] = 0.0
    fill_mass_matrix(n, rows, M)
    for j in range(n):
        link = further(rows.links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):
            for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
                for i in range(nr):
                    M[i, k], M[k, i] = 0.0, 0.0
                M[k, k] = 1.0
    for k in range(nr):
        if get(armature, k) < math.inf:
            M[k, k] += get(armature, k)
        else:  # a stop holds it
            for i in range(nr):
                M[i, k], M[k, i] = 0.0, 0.0
            M[k, k] = 1.0
    for i in range(nr):
        for j in range(i + 1):
            s = M[i, j]
            for k in range(j):
                s -= M[i, k] * M[j, k]
            if i > j:
                M[i, j] = s / M[j, j]
            elif s > 0.0:
                M[i, i] = math.sqrt(s)
            else:
                return False
    return True


@inner
def whiten(ints, rows, near, x):
    """x = L^-1 x in place, for forces x (nr,) along the coordinates; those of prescribed ones, and of ones that a stop
    holds, become 0."""
    nr, L = fixed(ints, Head.DOFS), near.mass
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    for k in range(nr):
        if not get(armature, k) < math.inf:
            x[k] = 0.0
    for j in range(fixed(ints, Head.BODIES)):
        link = further(rows.links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):
            for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
                x[k] = 0.0
    for i in range(nr):
        s = x[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]


@inner
def to_coordinates(nr, near, x):
    """x = L^-T x in place: velocities or changes of the coordinates."""
    L = near.mass
    for i in range(nr - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, nr):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@inner
def clear_wrenches(n, work):
    """Zero the wrenches of all bodies."""
    for j in range(n):
        put6(further(work, j * Work.SIZE), Work.F, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inner
def add_row(i, weight, rows):
    """Add the wrenches of row i, times a weight, to those of its bodies; rows on coordinates have none."""
    (row, _), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
    if fixed(row, RowBodies.KIND) == codes.COORDINATE or fixed(row, RowBodies.KIND) == codes.FOLLOWER:
        return
    for side in range(2):
        body = fixed(row, RowBodies.BODY_A + side)
        if body >= 0:
            work, f = further(rows.body_work, body * Work.SIZE), get6(results, RowWork.ON_A + 6 * side)
            b = get6(work, Work.F)
            put6(
                work, Work.F, b[0] + weight * f[0], b[1] + weight * f[1], b[2] + weight * f[2],
                b[3] + weight * f[3], b[4] + weight * f[4], b[5] + weight * f[5],
            )  # fmt: skip


@inner
def add_factors(i, weight, rows, tau):
    """Add the factors of a row on coordinates, times a weight, to forces tau (nr,) along the coordinates."""
    row, vectors = row_at(i, rows)
    if fixed(row, RowBodies.KIND) == codes.COORDINATE:
        a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
        tau[a] += weight * get(vectors, RowVectors.FACTOR_A)
        if b >= 0:
            tau[b] += weight * get(vectors, RowVectors.FACTOR_B)
    elif fixed(row, RowBodies.KIND) == codes.FOLLOWER:
        count, followed, slopes = slopes_of(row, rows)
        tau[fixed(row, RowBodies.COORDINATE_A)] += weight
        for k in range(count):
            tau[get(followed, k)] += weight * get(slopes, k)


@inner
def whitened_row(ints, rows, near, i, x):
    """x (nr,), which is `NearVector.LINE`, = L^-1 G_i^T of row i, after `evaluate_rows` and `factorise_mass`; gives the
    square of its length."""
    n, nr = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS)
    clear_wrenches(n, rows.body_work)
    add_row(i, 1.0, rows)
    gather(n, rows.links, rows.body_work, rows.columns, further(rows.near_vectors, NearVector.LINE * nr))
    add_factors(i, 1.0, rows, x)
    whiten(ints, rows, near, x)
    square = 0.0
    for k in range(nr):
        square += x[k] * x[k]
    return square


@inner
def remove_known(nr, near, count, place, x):
    """Subtract from x its part in the first `count` lines of the basis; their shares go to line `place` of the factors.

    Twice, so that what is left is across all of them to rounding. Gives the square of its length.
    """
    Q, R = near.basis, near.factors
    for k in range(count):
        R[place, k] = 0.0
    for _ in range(2):
        for k in range(count):
            share = 0.0
            for i in range(nr):
                share += Q[k, i] * x[i]
            for i in range(nr):
                x[i] -= share * Q[k, i]
            R[place, k] += share
    square = 0.0
    for i in range(nr):
        square += x[i] * x[i]
    return square


@inner
def append(nr, near, count, square, x):
    """Make x, whose length has this square, line `count` of the basis."""
    length = math.sqrt(square)
    near.factors[count, count] = length
    for i in range(nr):
        near.basis[count, i] = x[i] / length


@inner
def strong_rows(ints, rows, near):
    """Orthonormal basis of the strong rows, after `evaluate_rows` and `factorise_mass`; gives how many there are.

    `NearRow.ROW` gets their numbers, and after them those of the weak ones.
    """
    m, nr, strong, weak = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS), 0, 0
    x, order = near.vectors[NearVector.LINE], near.rows
    for i in range(m):
        whole, reference = whitened_row(ints, rows, near, i, x), near.references[i]
        square = remove_known(nr, near, strong, strong, x)
        if not square > DEPENDENT_ROW * whole or (reference > 0.0 and square * reference < WEAK):
            weak += 1
            order[m - weak, NearRow.ROW] = i
        else:
            append(nr, near, strong, square, x)
            order[strong, NearRow.ROW] = i
            strong += 1
    return strong


@inner
def combine_weak_rows(ints, rows, near, strong):
    """Combinations u of rows, one for each weak row, of which the strong rows know nothing; after `strong_rows`."""
    for p in range(strong, get(rows.active, Active.ROWS)):
        combine_weak_row(ints, rows, near, strong, p)


@inner
def combine_weak_row(ints, rows, near, strong, p):
    """The combination of the weak row at place p; its whitened part across the strong rows is left in
    `NearVector.LINE`."""
    m, nr = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    R, U, order = near.factors, near.weights, near.rows
    i, x = int(order[p, NearRow.ROW]), near.vectors[NearVector.LINE]
    whitened_row(ints, rows, near, i, x)
    remove_known(nr, near, strong, p, x)
    for k in range(m):
        U[p, k] = 0.0
    U[p, i] = 1.0
    for k in range(strong - 1, -1, -1):
        share = R[p, k]
        for j in range(k + 1, strong):
            share += U[p, int(order[j, NearRow.ROW])] * R[j, k]
        U[p, int(order[k, NearRow.ROW])] = -share / R[k, k]


@inner
def hold_driven_rows(ints, rows, near, strong, size, qdot):
    """Append weak rows that animated joints or tables pull at to the basis; gives how many lines it has then.

    Where a driven loop is at the end of its reach no pose is singular: velocities grow beyond all bounds, as they must.
    """
    n, m, nr = fixed(ints, Head.BODIES), get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    fastest = 0.0
    for i in range(m):
        fastest = max(fastest, abs(get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)))
    if strong == m or (fixed(ints, Head.PRESCRIBED) == 0 and fastest == 0.0):
        return strong
    led, led_row = near.vectors[NearVector.PLACE], further(rows.near_vectors, NearVector.PLACE * nr)
    x, order = near.vectors[NearVector.LINE], near.rows
    for k in range(nr):
        led[k] = 0.0
    for j in range(n):
        link = further(rows.links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):
            for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
                led[k] = get(qdot, k)
    rate, p = rate_of(ints, rows, size, led_row) + fastest, strong
    while p < m:
        combine_weak_row(ints, rows, near, strong, p)
        combined_row(ints, rows, near, p)
        pull = 0.0
        for k in range(nr):
            pull += x[k] * led[k]
        for i in range(m):
            pull -= near.weights[p, i] * get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
        i = int(order[p, NearRow.ROW])
        if pull * pull * near.references[i] > LED * rate * rate:
            whitened_row(ints, rows, near, i, x)
            square = remove_known(nr, near, strong, strong, x)
            if square > 0.0:
                append(nr, near, strong, square, x)
                order[p, NearRow.ROW], order[strong, NearRow.ROW] = order[strong, NearRow.ROW], float(i)
                strong += 1
        p += 1
    return strong


@inner
def combined_row(ints, rows, near, p):
    """Write u^T G (nr,) of the weak row at place p to `NearVector.LINE`, after `evaluate_rows`."""
    n, nr = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS)
    clear_wrenches(n, rows.body_work)
    for i in range(get(rows.active, Active.ROWS)):
        if near.weights[p, i] != 0.0:
            add_row(i, near.weights[p, i], rows)
    gather(n, rows.links, rows.body_work, rows.columns, further(rows.near_vectors, NearVector.LINE * nr))
    for i in range(get(rows.active, Active.ROWS)):
        if near.weights[p, i] != 0.0:
            add_factors(i, near.weights[p, i], rows, near.vectors[NearVector.LINE])


@inner
def bend_rows(ints, rows, arrays, near, strong, q, qdot, time, t):
    """u^T Gdot(t) into `near_bends` and u^T Gddot(t, t) t into `NearRow.JERK` for every combination u of weak rows.

    t: (nr,) direction of the motion at unit rate. time: of tables [s]. Leaves the bodies at q, without loads and
    damping.
    """
    n, m, nr = fixed(ints, Head.BODIES), get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    B, results = near.bends, near.rows
    place, tau = further(rows.near_vectors, NearVector.PLACE * nr), near.vectors[NearVector.LINE]
    for p in range(strong, m):
        results[p, NearRow.JERK] = 0.0
        for k in range(nr):
            B[p, k] = 0.0
    for turn in range(3):
        side, second = (-1.0, 1.0) if turn == 0 else ((1.0, 1.0) if turn == 1 else (0.0, -2.0))
        for k in range(nr):
            put(place, k, get(q, k) + side * STEP * t[k])
        place_all(n, rows, place, qdot)
        world_poses(n, rows.links, rows.body_work, rows.poses)
        evaluate_rows(0, m, rows, arrays, place, qdot, time)
        for p in range(strong, m):
            combined_row(ints, rows, near, p)
            for k in range(nr):
                B[p, k] += side * (0.5 / STEP) * tau[k]
                results[p, NearRow.JERK] += second / STEP**2 * tau[k] * t[k]


@inner
def append_bends(ints, rows, near, strong):
    """Append what `bend_rows` found to the basis, but for what says nothing new; gives how many lines it has then.

    `NearRow.BEND` gets the combination of each new line. The others are those of rows that depend on the strong ones
    wherever the mechanism can go.
    """
    m, nr, count, x = get(rows.active, Active.ROWS), fixed(ints, Head.DOFS), strong, near.vectors[NearVector.LINE]
    for p in range(strong, m):
        for k in range(nr):
            x[k] = near.bends[p, k]
        whiten(ints, rows, near, x)
        square = remove_known(nr, near, count, count, x)
        if square * near.references[int(near.rows[p, NearRow.ROW])] > BENT:
            append(nr, near, count, square, x)
            near.rows[count, NearRow.BEND] = p
            count += 1
    return count


@inner
def least_change_near(nr, near, count):
    """Change of least kinetic metric that gives the lines of the basis their right sides: into `NearVector.LINE`.

    `NearRow.MULTIPLIER` gets the multiplier of each line.
    """
    Q, R, results, x = near.basis, near.factors, near.rows, near.vectors[NearVector.LINE]
    for i in range(nr):
        x[i] = 0.0
    for k in range(count):
        share = results[k, NearRow.RIGHT_SIDE]
        for j in range(k):
            share -= R[k, j] * results[j, NearRow.SHARE]
        share /= R[k, k]
        results[k, NearRow.SHARE] = share
        for i in range(nr):
            x[i] += share * Q[k, i]
    for k in range(count - 1, -1, -1):
        y = results[k, NearRow.SHARE]
        for j in range(k + 1, count):
            y -= R[j, k] * results[j, NearRow.MULTIPLIER]
        results[k, NearRow.MULTIPLIER] = y / R[k, k]
    to_coordinates(nr, near, x)


@inner
def rate_of(ints, rows, size, x):
    """Largest angular velocity, or velocity over the size, of any body with velocities x, a row, of the coordinates."""
    n, most = fixed(ints, Head.BODIES), 0.0
    spread(n, rows.links, rows.body_work, rows.columns, x)
    for j in range(n):
        a = get6(further(rows.body_work, j * Work.SIZE), Work.ACC)
        turn, shift = max(abs(a[0]), abs(a[1]), abs(a[2])), max(abs(a[3]), abs(a[4]), abs(a[5])) / size
        most = max(most, turn, shift)
    return most


@inner
def bend_product(nr, near, p, x):
    """u^T Gdot(t) x of one combination; x: a row."""
    total = 0.0
    for k in range(nr):
        total += near.bends[p, k] * get(x, k)
    return total
