# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled multipliers of constraints: G M^-1 G^T in O(m n) from the articulated bodies, RBDN section 2.12.

Elimination factorises M = L D^-1 L^T along the tree. W = L^-1 G^T follows from the ways of the rows to the root
(`path_to_root`), and G M^-1 G^T = W^T D W. Rows that depend on others are found by pivoting and left out: their
multipliers are zero.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Column, Link, RowWork
from ..layout.memory import fixed, further, get, get3, put
from ..tree.articulated import mode_of

DEPENDENT = 1e-11
"""A row whose part that no other row has is this small, relative to it all, squared, depends on the others."""
NOTHING = 1e-24
"""A row that moves so little of what it could at most, squared, moves nothing but for rounding."""
WELL_APART = 1e-6
"""Where that part is larger in every row, their order does not matter."""


@inner
def product_of_reach(m, nr, columns, reach, A):
    """A = W^T D W (m, m), the upper half. Four coordinates at a time, so that A is read and written less often."""
    for k in range(m * m):
        put(A, k, 0.0)
    k = 0
    while k + 3 < nr:
        add_four(m, further(columns, k * Column.SIZE), further(reach, k * m), A)
        k += 4
    while k < nr:
        d, W = get(columns, k * Column.SIZE + Column.D), further(reach, k * m)
        for i in range(m):
            x = get(W, i)
            if x != 0.0:
                x *= d
                row = further(A, i * m)
                for j in range(i, m):
                    put(row, j, get(row, j) + x * get(W, j))
        k += 1


@inner
def add_four(m, columns, W, A):
    """Four coordinates' part of A = W^T D W."""
    W1, W2, W3 = further(W, m), further(W, 2 * m), further(W, 3 * m)
    d0, d1, d2, d3 = (
        get(columns, Column.D),
        get(columns, Column.D + Column.SIZE),
        get(columns, Column.D + 2 * Column.SIZE),
        get(columns, Column.D + 3 * Column.SIZE),
    )
    end = m
    while (
        end > 0
        and get(W, end - 1) == 0.0
        and get(W1, end - 1) == 0.0
        and get(W2, end - 1) == 0.0
        and get(W3, end - 1) == 0.0
    ):
        end -= 1
    for i in range(end):
        x, y, z, w = get(W, i), get(W1, i), get(W2, i), get(W3, i)
        if x != 0.0 or y != 0.0 or z != 0.0 or w != 0.0:
            x, y, z, w = d0 * x, d1 * y, d2 * z, d3 * w
            row = further(A, i * m)
            for j in range(i, end):
                put(row, j, get(row, j) + ((x * get(W, j) + y * get(W1, j)) + (z * get(W2, j) + w * get(W3, j))))


@inlined
def entry(A, m, i, j):
    """Of a symmetric matrix of which the upper half is kept."""
    return get(A, i * m + j) if i <= j else get(A, j * m + i)


@inner
def factorise(m, nr, columns, reach, A, space):
    """A = L D L^T of A = W^T D W: D on the diagonal, D L^T above it. Gives the rank.

    `ORDER` of a line says which row stands there: as they come, unless one depends on others.
    """
    product_of_reach(m, nr, columns, reach, A)
    for i in range(m):
        put(space, i * RowWork.SIZE + RowWork.PIVOT, float(i))
        whole, most = get(A, i * m + i), get(space, i * RowWork.SIZE + RowWork.BOUND)
        put(
            space, i * RowWork.SIZE + RowWork.MULTIPLIER, whole if whole > NOTHING * most else 0.0
        )  # what the row is in all
    if factorised_as_they_come(m, A, space):
        return m
    product_of_reach(m, nr, columns, reach, A)
    return factorised_with_pivots(m, A, space)


@inner
def factorised_as_they_come(m, A, space):
    """Whether that can be done without a look at the order. Four rows at a time, as in `product_of_reach`."""
    k = 0
    while k < m:
        count = min(4, m - k)
        for p in range(k, k + count):
            row, whole = further(A, p * m), get(space, p * RowWork.SIZE + RowWork.MULTIPLIER)
            if not (get(row, p) > WELL_APART * whole and whole > 0.0):
                return False
            pivot = 1.0 / get(row, p)
            for i in range(p + 1, k + count):
                x, other = get(row, i) * pivot, further(A, i * m)
                for j in range(i, m):
                    put(other, j, get(other, j) - x * get(row, j))
        if count == 4:
            subtract_four(m, k, A)
        k += count
    return True


@inner
def subtract_four(m, k, A):
    """What four rows that are done, from k on, take from all that follow."""
    R0, R1, R2, R3 = further(A, k * m), further(A, (k + 1) * m), further(A, (k + 2) * m), further(A, (k + 3) * m)
    d0, d1, d2, d3 = 1.0 / get(R0, k), 1.0 / get(R1, k + 1), 1.0 / get(R2, k + 2), 1.0 / get(R3, k + 3)
    for i in range(k + 4, m):
        x, y, z, w = get(R0, i), get(R1, i), get(R2, i), get(R3, i)
        if x != 0.0 or y != 0.0 or z != 0.0 or w != 0.0:
            x, y, z, w = d0 * x, d1 * y, d2 * z, d3 * w
            row = further(A, i * m)
            for j in range(i, m):
                put(row, j, get(row, j) - ((x * get(R0, j) + y * get(R1, j)) + (z * get(R2, j) + w * get(R3, j))))


@inner
def factorised_with_pivots(m, A, space):
    """The same with the row first that has most of its own; gives how many have any."""
    for k in range(m):
        best, largest = -1, DEPENDENT
        for i in range(k, m):
            r = int(get(space, i * RowWork.SIZE + RowWork.PIVOT))
            whole = get(space, r * RowWork.SIZE + RowWork.MULTIPLIER)
            left = get(A, r * m + r) / whole if whole > 0.0 else 0.0
            if left > largest:
                best, largest = i, left
        if best < 0:
            return k
        r, s = int(get(space, best * RowWork.SIZE + RowWork.PIVOT)), get(space, k * RowWork.SIZE + RowWork.PIVOT)
        put(space, best * RowWork.SIZE + RowWork.PIVOT, s)
        put(space, k * RowWork.SIZE + RowWork.PIVOT, float(r))
        pivot = 1.0 / get(A, r * m + r)
        for i in range(k + 1, m):
            p = int(get(space, i * RowWork.SIZE + RowWork.PIVOT))
            x = entry(A, m, p, r) * pivot
            for j in range(k + 1, i + 1):
                o = int(get(space, j * RowWork.SIZE + RowWork.PIVOT))
                place = p * m + o if p <= o else o * m + p
                put(A, place, get(A, place) - x * entry(A, m, o, r))
    return m


@inner
def solve_multipliers(m, rank, A, space, x):
    """Multipliers with A x = `WANTED` in the rows that do not depend on others; zero in those that do.

    After `factorise`. x: (m,) gets them too, one after another.
    """
    for i in range(m):
        put(x, i, get(space, i * RowWork.SIZE + RowWork.RIGHT_SIDE))
    if in_order(rank, m, space):
        solve_in_order(m, A, x)
        for i in range(m):
            put(space, i * RowWork.SIZE + RowWork.MULTIPLIER, get(x, i))
        return
    for i in range(m):
        put(space, i * RowWork.SIZE + RowWork.MULTIPLIER, 0.0)
    for k in range(rank):
        r = int(get(space, k * RowWork.SIZE + RowWork.PIVOT))
        y = get(x, r)
        for i in range(k):
            p = int(get(space, i * RowWork.SIZE + RowWork.PIVOT))
            y -= entry(A, m, r, p) * get(space, p * RowWork.SIZE + RowWork.MULTIPLIER)
        put(space, r * RowWork.SIZE + RowWork.MULTIPLIER, y / get(A, r * m + r))
    for k in range(rank - 1, -1, -1):
        r = int(get(space, k * RowWork.SIZE + RowWork.PIVOT))
        y, d = get(space, r * RowWork.SIZE + RowWork.MULTIPLIER), 1.0 / get(A, r * m + r)
        for i in range(k + 1, rank):
            p = int(get(space, i * RowWork.SIZE + RowWork.PIVOT))
            y -= entry(A, m, p, r) * d * get(space, p * RowWork.SIZE + RowWork.MULTIPLIER)
        put(space, r * RowWork.SIZE + RowWork.MULTIPLIER, y)
    for i in range(m):
        put(x, i, get(space, i * RowWork.SIZE + RowWork.MULTIPLIER))


@inner
def in_order(rank, m, space):
    """Whether all rows were taken as they come."""
    i = 0 if rank == m else m + 1
    while i < m and int(get(space, i * RowWork.SIZE + RowWork.PIVOT)) == i:
        i += 1
    return i == m


@inner
def solve_in_order(m, A, x):
    """x (m,) becomes the solution of A x = x."""
    for k in range(m):
        row = further(A, k * m)
        y = get(x, k) / get(row, k)
        for j in range(k + 1, m):
            put(x, j, get(x, j) - y * get(row, j))
        put(x, k, y)
    for k in range(m - 1, -1, -1):
        row = further(A, k * m)
        put(x, k, get(x, k) - product_from(k + 1, m, row, x) / get(row, k))


@inlined
def product_from(first, last, a, b):
    """Sum of a times b over their places first to last - 1, in four sums that do not wait for each other."""
    s0, s1, s2, s3, i = 0.0, 0.0, 0.0, 0.0, first
    while i + 3 < last:
        s0 += get(a, i) * get(b, i)
        s1 += get(a, i + 1) * get(b, i + 1)
        s2 += get(a, i + 2) * get(b, i + 2)
        s3 += get(a, i + 3) * get(b, i + 3)
        i += 4
    while i < last:
        s0 += get(a, i) * get(b, i)
        i += 1
    return (s0 + s1) + (s2 + s3)


@inner
def push(n, m, links, multipliers, columns, armature, reach, alone):
    """Add the multipliers' part to the forces less bias that `substitute` reads, or put it there alone."""
    for j in range(n):
        link = further(links, j * Link.SIZE)
        dof = fixed(link, Link.DOF)
        mode = mode_of(link, armature, dof)
        if fixed(link, Link.PRESCRIBED):
            continue
        if mode == codes.BALL:
            column = further(columns, dof * Column.SIZE)
            z0 = get(column, Column.D) * along(m, multipliers, reach, dof)
            z1 = get(column, Column.D + Column.SIZE) * along(m, multipliers, reach, dof + 1)
            z2 = get(column, Column.D + 2 * Column.SIZE) * along(m, multipliers, reach, dof + 2)
            l1, l4, l3 = get3(column, Column.U + 3)
            y0, y1, y2 = z0 + l1 * z1 + l4 * z2, z1 + l3 * z2, z2
            if not alone:
                x = get3(column, Column.TAU)
                y0, y1, y2 = y0 + x[0], y1 + x[1], y2 + x[2]
            put(column, Column.TAU, y0)
            put(column, Column.TAU + 1, y1)
            put(column, Column.TAU + 2, y2)
            continue
        for k in range(dof, dof + fixed(link, Link.NDOF)):
            x = along(m, multipliers, reach, k)
            if not alone:
                x += get(columns, k * Column.SIZE + Column.TAU)
            put(columns, k * Column.SIZE + Column.TAU, x)


@inlined
def along(m, multipliers, reach, k):
    """W times the multipliers, in row k."""
    return product_from(0, m, further(reach, k * m), multipliers)
