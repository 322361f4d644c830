# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled multipliers of constraints: G M^-1 G^T in O(m n) from the articulated bodies, RBDN section 2.12.

Elimination factorises M = L D^-1 L^T along the tree. W = L^-1 G^T follows from one walk to the root for each row, and
G M^-1 G^T = W^T D W. Rows that depend on others are found by pivoting and left out: their multipliers are zero.
"""

from __future__ import annotations

from . import layout as at
from .articulated import mode_of
from .jit import inlined, inner
from .memory import fixed, fixed3, further, get, get3, get6, get9, put
from .spatial import applied, cross

BODY_INTS, WORK, DOF_WORK, ROW_INTS, ROW_NUMBERS, ROW_WORK = (
    at.BODY_INTS,
    at.WORK,
    at.DOF_WORK,
    at.ROW_INTS,
    at.ROW_NUMBERS,
    at.ROW_WORK,
)
PARENT, DOF, NDOF, PRESCRIBED = at.PARENT, at.DOF, at.NDOF, at.PRESCRIBED
BALL_ALONE, POINT = at.BALL_ALONE, at.POINT
POINT_A, POINT_B = at.POINT_A, at.POINT_B
ROW_KIND, BODY_A, BODY_B = at.ROW_KIND, at.BODY_A, at.BODY_B
ON_A, ON_B, MOST, WANTED, MULTIPLIER, ORDER = at.ON_A, at.ON_B, at.MOST, at.WANTED, at.MULTIPLIER, at.ORDER
R, P, S, U, D, TAU = at.R, at.P, at.S, at.U, at.D, at.TAU
DEPENDENT = 1e-11
"""A row whose part that no other row has is this small, relative to it all, squared, depends on the others."""
NOTHING = 1e-24
"""A row that moves so little of what it could at most, squared, moves nothing but for rounding."""
WELL_APART = 1e-6
"""Where that part is larger in every row, their order does not matter."""


@inner
def handed_up(link, work, columns, armature, f, lever, reach, m, i, kept):
    """What a wrench on a body is at its parent, of which the joint takes its part; that part goes to column i of W.
    What a wrench of that size could move at most is added up in `MOST`. lever: how far its force acts at most.
    """
    f0, f1, f2, f3, f4, f5 = f
    dof, most = fixed(link, DOF), 0.0
    mode = mode_of(link, armature, dof)
    if mode == BALL_ALONE:
        columns = further(columns, dof * DOF_WORK)
        l1, l4, l3 = get3(columns, U + 3)
        most = (f0 * f0 + f1 * f1 + f2 * f2) * get(columns, D)
        put(reach, dof * m + i, f0)
        put(reach, (dof + 1) * m + i, f1 + l1 * f0)
        put(reach, (dof + 2) * m + i, f2 + l4 * f0 + l3 * f1)
        a, b, c = get3(columns, U), get3(columns, U + DOF_WORK), get3(columns, U + 2 * DOF_WORK)
        f3 -= f0 * a[0] + f1 * b[0] + f2 * c[0]
        f4 -= f0 * a[1] + f1 * b[1] + f2 * c[1]
        f5 -= f0 * a[2] + f1 * b[2] + f2 * c[2]
        f0, f1, f2 = 0.0, 0.0, 0.0
    elif not fixed(link, PRESCRIBED):
        for k in range(dof + fixed(link, NDOF) - 1, dof - 1, -1):
            column = further(columns, k * DOF_WORK)
            s, u = get6(column, S), get6(column, U)
            w = (s[0] * f0 + s[1] * f1 + s[2] * f2) + (s[3] * f3 + s[4] * f4 + s[5] * f5)
            put(reach, k * m + i, w)
            torque, force = f0 * f0 + f1 * f1 + f2 * f2, f3 * f3 + f4 * f4 + f5 * f5
            turn, slide = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], s[3] * s[3] + s[4] * s[4] + s[5] * s[5]
            most += get(column, D) * (turn * (torque + lever * lever * force) + slide * force + w * w)
            w *= get(column, D)
            f0, f1, f2 = f0 - w * u[0], f1 - w * u[1], f2 - w * u[2]
            f3, f4, f5 = f3 - w * u[3], f4 - w * u[4], f5 - w * u[5]
    put(kept, MOST, get(kept, MOST) + most)
    E, p = get9(work, R), get3(work, P)
    f3, f4, f5 = applied(E, f3, f4, f5)
    t0, t1, t2 = applied(E, f0, f1, f2)
    c0, c1, c2 = cross(p[0], p[1], p[2], f3, f4, f5)
    return t0 + c0, t1 + c1, t2 + c2, f3, f4, f5


@inlined
def length(x):
    """At least that of a vector."""
    return abs(x[0]) + abs(x[1]) + abs(x[2])


@inlined
def sum6(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inner
def reach_of_row(i, m, row, value, kept, links, work, columns, armature, reach):
    """Column i of W: from both bodies to the root, together from where their ways meet."""
    a, b = fixed(row, BODY_A), fixed(row, BODY_B)
    f, g = get6(kept, ON_A), get6(kept, ON_B)
    lever_a, lever_b = 0.0, 0.0
    if fixed(row, ROW_KIND) == POINT:
        lever_a, lever_b = length(fixed3(value, POINT_A)), length(fixed3(value, POINT_B))
    put(kept, MOST, 0.0)
    while a >= 0 or b >= 0:
        if a == b:
            f, g, b, lever_a = sum6(f, g), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), -1, max(lever_a, lever_b)
        if a > b:
            link, body = further(links, a * BODY_INTS), further(work, a * WORK)
            f = handed_up(link, body, columns, armature, f, lever_a, reach, m, i, kept)
            a, lever_a = fixed(link, PARENT), lever_a + length(get3(body, P))
        else:
            link, body = further(links, b * BODY_INTS), further(work, b * WORK)
            g = handed_up(link, body, columns, armature, g, lever_b, reach, m, i, kept)
            b, lever_b = fixed(link, PARENT), lever_b + length(get3(body, P))


@inner
def reach_of_rows(m, nr, rows, values, space, links, work, columns, armature, reach):
    """W (nr, m), after `eliminate`."""
    for k in range(nr * m):
        put(reach, k, 0.0)
    for i in range(m):
        row, value, kept = further(rows, i * ROW_INTS), further(values, i * ROW_NUMBERS), further(space, i * ROW_WORK)
        reach_of_row(i, m, row, value, kept, links, work, columns, armature, reach)


@inner
def product_of_reach(m, nr, columns, reach, A):
    """A = W^T D W (m, m), the upper half."""
    for k in range(m * m):
        put(A, k, 0.0)
    for k in range(nr):
        d, W = get(columns, k * DOF_WORK + D), further(reach, k * m)
        for i in range(m):
            x = get(W, i)
            if x != 0.0:
                x *= d
                row = further(A, i * m)
                for j in range(i, m):
                    put(row, j, get(row, j) + x * get(W, j))


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
        put(space, i * ROW_WORK + ORDER, float(i))
        whole, most = get(A, i * m + i), get(space, i * ROW_WORK + MOST)
        put(space, i * ROW_WORK + MULTIPLIER, whole if whole > NOTHING * most else 0.0)  # what the row is in all
    if factorised_as_they_come(m, A, space):
        return m
    product_of_reach(m, nr, columns, reach, A)
    return factorised_with_pivots(m, A, space)


@inner
def factorised_as_they_come(m, A, space):
    """Whether that can be done without a look at the order."""
    for k in range(m):
        row, whole = further(A, k * m), get(space, k * ROW_WORK + MULTIPLIER)
        if not (get(row, k) > WELL_APART * whole and whole > 0.0):
            return False
        pivot = 1.0 / get(row, k)
        for i in range(k + 1, m):
            x, other = get(row, i) * pivot, further(A, i * m)
            if x != 0.0:
                for j in range(i, m):
                    put(other, j, get(other, j) - x * get(row, j))
    return True


@inner
def factorised_with_pivots(m, A, space):
    """The same with the row first that has most of its own; gives how many have any."""
    for k in range(m):
        best, largest = -1, DEPENDENT
        for i in range(k, m):
            r = int(get(space, i * ROW_WORK + ORDER))
            whole = get(space, r * ROW_WORK + MULTIPLIER)
            left = get(A, r * m + r) / whole if whole > 0.0 else 0.0
            if left > largest:
                best, largest = i, left
        if best < 0:
            return k
        r, s = int(get(space, best * ROW_WORK + ORDER)), get(space, k * ROW_WORK + ORDER)
        put(space, best * ROW_WORK + ORDER, s)
        put(space, k * ROW_WORK + ORDER, float(r))
        pivot = 1.0 / get(A, r * m + r)
        for i in range(k + 1, m):
            p = int(get(space, i * ROW_WORK + ORDER))
            x = entry(A, m, p, r) * pivot
            for j in range(k + 1, i + 1):
                o = int(get(space, j * ROW_WORK + ORDER))
                place = p * m + o if p <= o else o * m + p
                put(A, place, get(A, place) - x * entry(A, m, o, r))
    return m


@inner
def solve_multipliers(m, rank, A, space):
    """Multipliers with A x = `WANTED` in the rows that do not depend on others; zero in those that do.

    After `factorise`.
    """
    for i in range(m):
        put(space, i * ROW_WORK + MULTIPLIER, 0.0)
    for k in range(rank):
        r = int(get(space, k * ROW_WORK + ORDER))
        x = get(space, r * ROW_WORK + WANTED)
        for i in range(k):
            p = int(get(space, i * ROW_WORK + ORDER))
            x -= entry(A, m, r, p) * get(space, p * ROW_WORK + MULTIPLIER)
        put(space, r * ROW_WORK + MULTIPLIER, x / get(A, r * m + r))
    for k in range(rank - 1, -1, -1):
        r = int(get(space, k * ROW_WORK + ORDER))
        x, d = get(space, r * ROW_WORK + MULTIPLIER), 1.0 / get(A, r * m + r)
        for i in range(k + 1, rank):
            p = int(get(space, i * ROW_WORK + ORDER))
            x -= entry(A, m, p, r) * d * get(space, p * ROW_WORK + MULTIPLIER)
        put(space, r * ROW_WORK + MULTIPLIER, x)


@inner
def push(n, m, links, space, columns, armature, reach, alone):
    """Add the multipliers' part to the forces less bias that `substitute` reads, or put it there alone."""
    for j in range(n):
        link = further(links, j * BODY_INTS)
        dof = fixed(link, DOF)
        mode = mode_of(link, armature, dof)
        if fixed(link, PRESCRIBED):
            continue
        if mode == BALL_ALONE:
            column = further(columns, dof * DOF_WORK)
            z0 = get(column, D) * along(m, space, reach, dof)
            z1 = get(column, D + DOF_WORK) * along(m, space, reach, dof + 1)
            z2 = get(column, D + 2 * DOF_WORK) * along(m, space, reach, dof + 2)
            l1, l4, l3 = get3(column, U + 3)
            y0, y1, y2 = z0 + l1 * z1 + l4 * z2, z1 + l3 * z2, z2
            if not alone:
                x = get3(column, TAU)
                y0, y1, y2 = y0 + x[0], y1 + x[1], y2 + x[2]
            put(column, TAU, y0)
            put(column, TAU + 1, y1)
            put(column, TAU + 2, y2)
            continue
        for k in range(dof, dof + fixed(link, NDOF)):
            x = along(m, space, reach, k)
            if not alone:
                x += get(columns, k * DOF_WORK + TAU)
            put(columns, k * DOF_WORK + TAU, x)


@inlined
def along(m, space, reach, k):
    """W times the multipliers, in row k."""
    total = 0.0
    for i in range(m):
        total += get(reach, k * m + i) * get(space, i * ROW_WORK + MULTIPLIER)
    return total
