# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrenches of joints, and what a change of the forces along the coordinates does, both after forward dynamics.

Elimination has factorised M = L D^-1 L^T along the tree, and rows their Delassus matrix. Both stay as they are: one
sweep with wrenches alone leads from the leaves to the root, the multipliers change by one back substitution, and one
sweep leads back.
"""

from __future__ import annotations

from ...spatial.scalar import solved_transposed
from ..cache.jit import inner
from ..cache.same_text import compiled_text
from ..layout import codes
from ..layout.declaration import (
    Active,
    Body,
    Column,
    Head,
    Link,
    RowBodies,
    RowVectors,
    RowWork,
    Vector,
    Work,
    World,
    Wrench,
)
from ..layout.memory import fixed, further, get, get3, get6, get9, get21, put, put3, put6
from ..rows.delassus import apply_multipliers, solve_multipliers
from ..rows.row_kinds import row_at, slopes_of
from ..spatial import applied, cross
from ..tree.articulated import mode_of, substitute
from ..tree.ball import jacobian
from ..tree.inertia import applied_symmetric, own_inertia, times

solve3 = compiled_text(solved_transposed)


@inner
def joint_wrenches(n, m, rows):
    """Write the wrenches of all joints to `wrenches`, from the accelerations of the bodies and the multipliers of the
    rows at the first m places."""
    bodies, links, work, wrenches = rows.bodies, rows.links, rows.body_work, rows.joint_wrenches
    for j in range(n):
        row = further(work, j * Work.SIZE)
        a0, a1, a2, a3, a4, a5 = get6(row, Work.ACC)
        xx, xy, xz, yy, yz, zz, h0, h1, h2, mass = own_inertia(further(bodies, j * Body.SIZE), 0.0)
        t0, t1, t2 = applied_symmetric(xx, xy, xz, yy, yz, zz, a0, a1, a2)
        u0, u1, u2 = cross(h0, h1, h2, a3, a4, a5)
        f0, f1, f2 = cross(a0, a1, a2, h0, h1, h2)
        b = get6(row, Work.BIAS)
        put6(
            wrenches, j * Wrench.SIZE, t0 + u0 + b[0], t1 + u1 + b[1], t2 + u2 + b[2],
            mass * a3 + f0 + b[3], mass * a4 + f1 + b[4], mass * a5 + f2 + b[5],
        )  # fmt: skip
    for i in range(m):
        (row, _), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
        if fixed(row, RowBodies.KIND) in (codes.COORDINATE, codes.FOLLOWER):
            continue
        x = get(results, RowWork.MULTIPLIER)
        for side in range(2):
            body = fixed(row, RowBodies.BODY_A + side)
            if body >= 0:
                f, b = get6(results, RowWork.ON_A + 6 * side), get6(wrenches, body * Wrench.SIZE)
                put6(
                    wrenches, body * Wrench.SIZE, b[0] - x * f[0], b[1] - x * f[1], b[2] - x * f[2],
                    b[3] - x * f[3], b[4] - x * f[4], b[5] - x * f[5],
                )  # fmt: skip
    for j in range(n - 1, -1, -1):
        parent = fixed(links, j * Link.SIZE + Link.PARENT)
        if parent >= 0:
            w = carried_up(further(work, j * Work.SIZE), get6(wrenches, j * Wrench.SIZE))
            add_to(further(wrenches, parent * Wrench.SIZE), False, w)


@inner
def carried_up(row, w):
    """Wrench on a body, about the origin of its parent's joint frame and in its axes."""
    E, (x, y, z) = get9(row, Work.R), get3(row, Work.P)
    t0, t1, t2 = applied(E, w[0], w[1], w[2])
    f0, f1, f2 = applied(E, w[3], w[4], w[5])
    u0, u1, u2 = cross(x, y, z, f0, f1, f2)
    return t0 + u0, t1 + u1, t2 + u2, f0, f1, f2


@inner
def add_to(place, alone, w):
    """Add a wrench to the six numbers at a place, or write it there."""
    b = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0) if alone else get6(place, 0)
    put6(place, 0, b[0] + w[0], b[1] + w[1], b[2] + w[2], b[3] + w[3], b[4] + w[4], b[5] + w[5])


@inner
def put_applied(m, nr, rows):
    """Write to `Vector.APPLIED` what acts along the coordinates besides bearings: loads, drives and rows."""
    load, applied_force = further(rows.vectors, Vector.LOAD * nr), further(rows.vectors, Vector.APPLIED * nr)
    for k in range(nr):
        put(applied_force, k, get(load, k))
    for i in range(m):
        (row, vectors), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
        x, kind, a = get(results, RowWork.MULTIPLIER), fixed(row, RowBodies.KIND), fixed(row, RowBodies.COORDINATE_A)
        if kind == codes.COORDINATE:
            b = fixed(row, RowBodies.COORDINATE_B)
            put(applied_force, a, get(applied_force, a) + x * get(vectors, RowVectors.FACTOR_A))
            if b >= 0:
                put(applied_force, b, get(applied_force, b) + x * get(vectors, RowVectors.FACTOR_B))
        elif kind == codes.FOLLOWER:
            count, followed, slopes = slopes_of(row, rows)
            put(applied_force, a, get(applied_force, a) + x)
            for k in range(count):
                place = get(followed, k)
                put(applied_force, place, get(applied_force, place) + x * get(slopes, k))


@inner
def push_ball(columns, t, p):
    """Wrench that a ball passes on of a change p of its bias, with the change t of its torque; writes its forces and
    its share, as `reach` has it, to D L^-1 (t - p)."""
    second, third = further(columns, Column.SIZE), further(columns, 2 * Column.SIZE)
    r0, r1, r2 = t[0] - p[0], t[1] - p[1], t[2] - p[2]
    l1, l4, l3 = get3(columns, Column.U + 3)
    s0, s1, s2 = r0, r1 + l1 * r0, r2 + l3 * r1 + l4 * r0
    z0, z1, z2 = get(columns, Column.D) * s0, get(second, Column.D) * s1, get(third, Column.D) * s2
    y = get3(columns, Column.TAU)
    put3(columns, Column.TAU, y[0] + z0 + l1 * z1 + l4 * z2, y[1] + z1 + l3 * z2, y[2] + z2)
    a, b, c = get3(columns, Column.U), get3(second, Column.U), get3(third, Column.U)
    f0, f1, f2 = r0 * a[0] + r1 * b[0] + r2 * c[0], r0 * a[1] + r1 * b[1] + r2 * c[1], r0 * a[2] + r1 * b[2] + r2 * c[2]
    return (s0, s1, s2), (t[0], t[1], t[2], p[3] + f0, p[4] + f1, p[5] + f2)


@inner
def push_tree(n, nr, rows, push, share):
    """Add the forces push (nr,) along the coordinates to what `substitute` reads, after `eliminate`. share: (nr,) gets
    L^-1 push."""
    links, work, columns = rows.links, rows.body_work, rows.columns
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    for j in range(n - 1, -1, -1):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        dof, role = fixed(link, Link.DOF), fixed(link, Link.ROLE)
        end, mode = dof + fixed(link, Link.NDOF), mode_of(link, armature, dof)
        if mode == codes.PARTICLE:  # nothing rubs in it, and it carries nothing
            put3(share, dof, 0.0, 0.0, 0.0)
            continue
        p = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if role & codes.LEAF == 0:
            p = get6(row, Work.PA)
        if fixed(link, Link.PRESCRIBED):
            for k in range(dof, end):
                put(share, k, 0.0)
            # `substitute` adds the inertia times the acceleration anew
            M, a, F = get21(row, Work.IA), get6(row, Work.ACC), get6(row, Work.F)
            f = times(M, a[0], a[1], a[2], a[3], a[4], a[5])
            put6(
                row, Work.F, F[0] - f[0] + p[0], F[1] - f[1] + p[1], F[2] - f[2] + p[2],
                F[3] - f[3] + p[3], F[4] - f[4] + p[4], F[5] - f[5] + p[5],
            )  # fmt: skip
        elif mode == codes.BALL:
            t0, t1, t2 = get3(push, dof)
            if t0 != 0.0 or t1 != 0.0 or t2 != 0.0:
                t0, t1, t2 = solve3(jacobian(further(columns, dof * Column.SIZE)), t0, t1, t2)
            s, p = push_ball(further(columns, dof * Column.SIZE), (t0, t1, t2), p)
            put3(share, dof, s[0], s[1], s[2])
        else:
            for k in range(end - 1, dof - 1, -1):
                column = further(columns, k * Column.SIZE)
                s, U = get6(column, Column.S), get6(column, Column.U)
                u = get(push, k) - (s[0] * p[0] + s[1] * p[1] + s[2] * p[2] + s[3] * p[3] + s[4] * p[4] + s[5] * p[5])
                put(share, k, u)
                put(column, Column.TAU, get(column, Column.TAU) + u)
                u *= get(column, Column.D)
                p = (
                    p[0] + u * U[0], p[1] + u * U[1], p[2] + u * U[2], p[3] + u * U[3], p[4] + u * U[4], p[5] + u * U[5]
                )  # fmt: skip
        parent = fixed(link, Link.PARENT)
        if parent >= 0:
            add_to(further(work, parent * Work.SIZE + Work.PA), role & codes.LAST_CHILD != 0, carried_up(row, p))


@inner
def change_multipliers(ints, nr, rows, share):
    """Change the multipliers of the rows by what they make of L^-1 push, `share`; what `substitute` reads changes."""
    n, m, row_work, multipliers = (
        fixed(ints, Head.BODIES),
        get(rows.active, Active.ROWS),
        rows.row_work,
        rows.multipliers,
    )
    kept = rows.kept_multipliers
    for i in range(m):
        put(row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, 0.0)
        put(kept, i, get(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER))
    for k in range(nr):
        x, reach = get(rows.columns, k * Column.SIZE + Column.D) * get(share, k), further(rows.reach, k * m)
        if x != 0.0:
            for i in range(m):
                place = i * RowWork.SIZE + RowWork.RIGHT_SIDE
                put(row_work, place, get(row_work, place) - x * get(reach, i))
    solve_multipliers(m, int(get(rows.world, World.RANK)), rows.delassus, row_work, multipliers)
    armature, no = further(rows.vectors, Vector.ARMATURE * nr), m < 0
    apply_multipliers(n, m, rows.links, multipliers, rows.columns, armature, rows.reach, no)
    for i in range(m):
        x = get(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER) + get(kept, i)
        put(row_work, i * RowWork.SIZE + RowWork.MULTIPLIER, x)
        put(multipliers, i, x)


@inner
def correct(ints, nr, rows, push, share, force, qddot):
    """Change accelerations and multipliers by what the forces push (nr,) along the coordinates do, after forward
    dynamics in space. share: (nr,) work space."""
    n, armature, no = fixed(ints, Head.BODIES), further(rows.vectors, Vector.ARMATURE * nr), nr < 0
    push_tree(n, nr, rows, push, share)
    if get(rows.active, Active.ROWS) > 0:
        change_multipliers(ints, nr, rows, share)
    substitute(n, rows.links, rows.body_work, rows.columns, armature, qddot, force, no)
