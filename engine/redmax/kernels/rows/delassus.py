# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled multipliers of constraints: G M^-1 G^T in O(m n) from the articulated bodies, RBDN section 2.12.

Elimination factorises M = L D^-1 L^T along the tree. W = L^-1 G^T follows from the paths of the rows to the root
(`path_to_root`), and G M^-1 G^T = W^T D W is the Delassus matrix, the A of this file. Rows that depend on others are
found by pivoting and left out: their multipliers are zero. Of symmetric matrices the upper half is used.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Column, Link, RowWork
from ..layout.memory import fixed, further, get, get3, put
from ..tree.articulated import mode_of

DEPENDENT_ROW = 1e-11
"""A row whose pivot, relative to its diagonal entry of A, is no larger than this depends on the other rows."""
IMMOBILE_ROW = 1e-24
"""A row whose diagonal entry of A, relative to its upper bound, is no larger than this moves nothing but rounding."""
NEEDS_PIVOTING = 1e-6
"""With a pivot no larger than this, relative to its diagonal entry, rows are eliminated by the size of their pivots."""


@inner
def product_of_reach(m, nr, columns, reach, A):
    """A = W^T D W, shape (m, m). Four coordinates at a time, so that A is read and written less often."""
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
    """Add the part of four coordinates to A = W^T D W. columns, W: those of the first of them."""
    W1, W2, W3 = further(W, m), further(W, 2 * m), further(W, 3 * m)
    d0, d1 = get(columns, Column.D), get(columns, Column.D + Column.SIZE)
    d2, d3 = get(columns, Column.D + 2 * Column.SIZE), get(columns, Column.D + 3 * Column.SIZE)
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
    """Entry (i, j) of a symmetric matrix (m, m), read from its upper half."""
    return get(A, i * m + j) if i <= j else get(A, j * m + i)


@inner
def factorise(m, nr, columns, reach, A, row_work):
    """A = L D L^T in place, of A = W^T D W: D on the diagonal, D L^T above it. Gives the rank.

    `RowWork.PIVOT` gets the order in which rows are eliminated: as given, unless a pivot is small.
    """
    product_of_reach(m, nr, columns, reach, A)
    for i in range(m):
        put(row_work, i * RowWork.SIZE + RowWork.PIVOT, float(i))
        diagonal, bound = get(A, i * m + i), get(row_work, i * RowWork.SIZE + RowWork.BOUND)
        if bound == 0.0:  # a row on coordinates, whose factors are the same in every pose
            put(row_work, i * RowWork.SIZE + RowWork.BOUND, diagonal)
        diagonal = diagonal if diagonal > IMMOBILE_ROW * bound else 0.0
        put(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, diagonal)
    if factorised_as_given(m, A, row_work):
        return m
    product_of_reach(m, nr, columns, reach, A)
    return factorised_with_pivots(m, A, row_work)


@inner
def factorised_as_given(m, A, row_work):
    """Factorise A with rows in the order given; False where a pivot is too small for that. Four rows at a time, so that
    A is read and written less often. `RowWork.MULTIPLIER` holds the diagonal entries."""
    k = 0
    while k < m:
        count = min(4, m - k)
        for p in range(k, k + count):
            row, diagonal = further(A, p * m), get(row_work, p * RowWork.SIZE + RowWork.MULTIPLIER)
            if not (get(row, p) > NEEDS_PIVOTING * diagonal and diagonal > 0.0):
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
    """Subtract the outer products of four eliminated rows, from k on, from all rows that follow."""
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
def factorised_with_pivots(m, A, row_work):
    """Factorise A, each time with the row of the largest pivot relative to its diagonal entry; gives the rank."""
    for k in range(m):
        best, largest = -1, DEPENDENT_ROW
        for i in range(k, m):
            r = int(get(row_work, i * RowWork.SIZE + RowWork.PIVOT))
            diagonal = get(row_work, r * RowWork.SIZE + RowWork.MULTIPLIER)
            left = get(A, r * m + r) / diagonal if diagonal > 0.0 else 0.0
            if left > largest:
                best, largest = i, left
        if best < 0:
            return k
        r, s = int(get(row_work, best * RowWork.SIZE + RowWork.PIVOT)), get(row_work, k * RowWork.SIZE + RowWork.PIVOT)
        put(row_work, best * RowWork.SIZE + RowWork.PIVOT, s)
        put(row_work, k * RowWork.SIZE + RowWork.PIVOT, float(r))
        pivot = 1.0 / get(A, r * m + r)
        for i in range(k + 1, m):
            p = int(get(row_work, i * RowWork.SIZE + RowWork.PIVOT))
            x = entry(A, m, p, r) * pivot
            for j in range(k + 1, i + 1):
                o = int(get(row_work, j * RowWork.SIZE + RowWork.PIVOT))
                place = p * m + o if p <= o else o * m + p
                put(A, place, get(A, place) - x * entry(A, m, o, r))
    return m


@inner
def solve_multipliers(m, rank, A, row_work, x):
    """Multipliers x with A x = `RowWork.RIGHT_SIDE` in the independent rows, zero in the others, after `factorise`.

    They go to x, shape (m,), and to `RowWork.MULTIPLIER`.
    """
    for i in range(m):
        put(x, i, get(row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE))
    if in_order(rank, m, row_work):
        solve_in_order(m, A, x)
        for i in range(m):
            put(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, get(x, i))
        return
    for i in range(m):
        put(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, 0.0)
    for k in range(rank):
        r = int(get(row_work, k * RowWork.SIZE + RowWork.PIVOT))
        y = get(x, r)
        for i in range(k):
            p = int(get(row_work, i * RowWork.SIZE + RowWork.PIVOT))
            y -= entry(A, m, r, p) * get(row_work, p * RowWork.SIZE + RowWork.MULTIPLIER)
        put(row_work, r * RowWork.SIZE + RowWork.MULTIPLIER, y / get(A, r * m + r))
    for k in range(rank - 1, -1, -1):
        r = int(get(row_work, k * RowWork.SIZE + RowWork.PIVOT))
        y, d = get(row_work, r * RowWork.SIZE + RowWork.MULTIPLIER), 1.0 / get(A, r * m + r)
        for i in range(k + 1, rank):
            p = int(get(row_work, i * RowWork.SIZE + RowWork.PIVOT))
            y -= entry(A, m, p, r) * d * get(row_work, p * RowWork.SIZE + RowWork.MULTIPLIER)
        put(row_work, r * RowWork.SIZE + RowWork.MULTIPLIER, y)
    for i in range(m):
        put(x, i, get(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER))


@inner
def in_order(rank, m, row_work):
    """Whether all m rows were eliminated in the order given."""
    i = 0 if rank == m else m + 1
    while i < m and int(get(row_work, i * RowWork.SIZE + RowWork.PIVOT)) == i:
        i += 1
    return i == m


@inner
def solve_in_order(m, A, x):
    """Solve A y = x with the factors of `factorised_as_given`, in place: x becomes y."""
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
    """Scalar product of a and b from element first to last - 1, as four sums that do not wait for each other."""
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
def apply_multipliers(n, m, links, multipliers, columns, armature, reach, alone):
    """Write W times the multipliers to the forces less bias (`Column.TAU`) that `substitute` reads.

    alone: instead of what is there, rather than added to it.
    """
    for j in range(n):
        link = further(links, j * Link.SIZE)
        dof = fixed(link, Link.DOF)
        mode = mode_of(link, armature, dof)
        if fixed(link, Link.PRESCRIBED):
            continue
        if mode == codes.BALL:
            column = further(columns, dof * Column.SIZE)
            z0 = get(column, Column.D) * reach_times(m, multipliers, reach, dof)
            z1 = get(column, Column.D + Column.SIZE) * reach_times(m, multipliers, reach, dof + 1)
            z2 = get(column, Column.D + 2 * Column.SIZE) * reach_times(m, multipliers, reach, dof + 2)
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
            x = reach_times(m, multipliers, reach, k)
            if not alone:
                x += get(columns, k * Column.SIZE + Column.TAU)
            put(columns, k * Column.SIZE + Column.TAU, x)


@inlined
def reach_times(m, multipliers, reach, k):
    """Row k of W times the multipliers."""
    return product_from(0, m, further(reach, k * m), multipliers)
