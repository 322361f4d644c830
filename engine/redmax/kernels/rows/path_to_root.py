# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled W = L^-1 G^T: what rows of constraints ask of each coordinate on their ways to the root.

Elimination factorises M = L D^-1 L^T along the tree. A row is a wrench on each of two bodies; each joint on the way to
the root takes its part, and hands on the rest. Wrenches are in the world's axes about one point, so that handing on is
nothing but to subtract; from where the ways of a row meet there is one wrench, the sum of both (`packing_ways`).
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Axis, Column, Link, Path, Pose, RowBodies, RowVectors, RowWork, Wrench
from ..layout.memory import fixed, fixed3, further, get, get3, get6, get9, put, put6
from ..spatial import applied, cross
from ..tree.articulated import mode_of


@inlined
def moved_to(pose, origin, t, f):
    """A wrench in a body's frame, in the world's axes about a point. Also an axis, with its halves exchanged."""
    R, p = get9(pose, 0), get3(pose, 9)
    f0, f1, f2 = applied(R, f[0], f[1], f[2])
    t0, t1, t2 = applied(R, t[0], t[1], t[2])
    c0, c1, c2 = cross(p[0] - origin[0], p[1] - origin[1], p[2] - origin[2], f0, f1, f2)
    return t0 + c0, t1 + c1, t2 + c2, f0, f1, f2


@inlined
def put_axis(row, pose, origin, s, u, d):
    """A coordinate: S, and what it takes of a wrench per unit of its part, d times its articulated column."""
    v0, v1, v2, w0, w1, w2 = moved_to(pose, origin, (s[3], s[4], s[5]), (s[0], s[1], s[2]))
    t0, t1, t2, f0, f1, f2 = moved_to(pose, origin, (d * u[0], d * u[1], d * u[2]), (d * u[3], d * u[4], d * u[5]))
    put6(row, 0, w0, w1, w2, v0, v1, v2)
    put6(row, 6, t0, t1, t2, f0, f1, f2)


@inner
def put_axes(n, links, columns, armature, poses, origin, axes, sums):
    """All coordinates in the world, and what lies on the way from the root to each body: sums of 1 / inertia of turns
    and of slides."""
    for j in range(n):
        link, pose, sum_here = further(links, j * Link.SIZE), further(poses, j * Pose.SIZE), further(sums, 2 * j)
        dof, parent, turns, slides = fixed(link, Link.DOF), fixed(link, Link.PARENT), 0.0, 0.0
        if parent >= 0:
            turns, slides = get(sums, 2 * parent), get(sums, 2 * parent + 1)
        if mode_of(link, armature, dof) == codes.BALL:
            column, row = further(columns, dof * Column.SIZE), further(axes, dof * Axis.SIZE)
            l1, l4, l3 = get3(column, Column.U + 3)
            a, b, c = (
                get3(column, Column.U),
                get3(column, Column.U + Column.SIZE),
                get3(column, Column.U + 2 * Column.SIZE),
            )
            # Its three turns at once are as three in a row, with what the later ones leave of the earlier.
            e, g = l4 - l3 * l1, (b[0] - l3 * c[0], b[1] - l3 * c[1], b[2] - l3 * c[2])
            h = (a[0] - l1 * b[0] - e * c[0], a[1] - l1 * b[1] - e * c[1], a[2] - l1 * b[2] - e * c[2])
            put_axis(row, pose, origin, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, -l1, -e, h[0], h[1], h[2]), 1.0)
            row = further(row, Axis.SIZE)
            put_axis(row, pose, origin, (l1, 1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, -l3, g[0], g[1], g[2]), 1.0)
            row = further(row, Axis.SIZE)
            put_axis(row, pose, origin, (l4, l3, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, c[0], c[1], c[2]), 1.0)
            turns += (
                get(column, Column.D) + get(column, Column.D + Column.SIZE) + get(column, Column.D + 2 * Column.SIZE)
            )
        elif not fixed(link, Link.PRESCRIBED):
            for k in range(dof, dof + fixed(link, Link.NDOF)):
                column = further(columns, k * Column.SIZE)
                s, u, d = get6(column, Column.S), get6(column, Column.U), get(column, Column.D)
                put_axis(further(axes, k * Axis.SIZE), pose, origin, s, u, d)
                turns += d * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
                slides += d * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])
        put(sum_here, 0, turns)
        put(sum_here, 1, slides)


@inlined
def length(x):
    """At least that of a vector."""
    return abs(x[0]) + abs(x[1]) + abs(x[2])


@inlined
def set_out(body, wrench, lever, poses, origin, sums, carried):
    """A wrench on a body begins its way. Gives what it could move at most; lever: how far its force acts at most."""
    pose = further(poses, body * Pose.SIZE)
    t0, t1, t2, f0, f1, f2 = moved_to(
        pose, origin, (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    )
    put6(carried, 0, t0, t1, t2, f0, f1, f2)
    p = get3(pose, 9)
    lever += length((p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]))
    torque, force = t0 * t0 + t1 * t1 + t2 * t2, f0 * f0 + f1 * f1 + f2 * f2
    return get(sums, 2 * body) * (torque + lever * lever * force) + get(sums, 2 * body + 1) * force


@inner
def set_all_out(m, rows, values, space, poses, origin, sums, carried):
    for i in range(m):
        row, value, kept = (
            further(rows, i * RowBodies.SIZE),
            further(values, i * RowVectors.SIZE),
            further(space, i * RowWork.SIZE),
        )
        a, b, lever_a, lever_b, most = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B), 0.0, 0.0, 0.0
        if fixed(row, RowBodies.KIND) == codes.POINT:
            lever_a, lever_b = length(fixed3(value, RowVectors.POINT_A)), length(fixed3(value, RowVectors.POINT_B))
        way = i
        if a >= 0:
            most += set_out(
                a, get6(kept, RowWork.ON_A), lever_a, poses, origin, sums, further(carried, i * Wrench.SIZE)
            )
            way = m + i
        if b >= 0:
            most += set_out(
                b, get6(kept, RowWork.ON_B), lever_b, poses, origin, sums, further(carried, way * Wrench.SIZE)
            )
        put(kept, RowWork.BOUND, most)


@inner
def take_part(first, count, axis, carried, reach):
    """A coordinate takes its part of the wrenches of some rows: into W, and away from them."""
    s0, s1, s2, s3, s4, s5 = get6(axis, 0)
    u0, u1, u2, u3, u4, u5 = get6(axis, 6)
    for i in range(count):
        wrench = further(carried, (first + i) * Wrench.SIZE)
        f0, f1, f2, f3, f4, f5 = get6(wrench, 0)
        w = ((s0 * f0 + s1 * f1) + (s2 * f2 + s3 * f3)) + (s4 * f4 + s5 * f5)
        put(reach, i, w)
        put6(
            wrench, 0, f0 - w * u0, f1 - w * u1, f2 - w * u2, f3 - w * u3, f4 - w * u4, f5 - w * u5
        )  # fmt: skip


@inner
def reach_of_rows(n, m, nr, rows, values, space, links, columns, armature, poses, ways, reach, carried, axes, sums):
    """W (nr, m), after `eliminate` and `world_poses`. carried, axes, sums: work space."""
    origin = get3(poses, 9)  # of the first body: far from the world's origin arms keep their digits
    for k in range(nr * m):
        put(reach, k, 0.0)
    put_axes(n, links, columns, armature, poses, origin, axes, sums)
    set_all_out(m, rows, values, space, poses, origin, sums, carried)
    for j in range(n - 1, -1, -1):
        link, way = further(links, j * Link.SIZE), further(ways, j * Path.SIZE)
        pairs = further(ways, n * Path.SIZE + 2 * fixed(way, Path.FIRST_RANGE))
        meetings, ranges = fixed(way, Path.JOINING), fixed(way, Path.PASSING)
        for r in range(meetings):
            first = fixed(pairs, 2 * r)
            for i in range(first, first + fixed(pairs, 2 * r + 1)):
                f, g = get6(further(carried, i * Wrench.SIZE), 0), get6(further(carried, (m + i) * Wrench.SIZE), 0)
                put6(
                    further(carried, i * Wrench.SIZE), 0, f[0] + g[0], f[1] + g[1], f[2] + g[2], f[3] + g[3],
                    f[4] + g[4], f[5] + g[5],
                )  # fmt: skip
        if fixed(link, Link.PRESCRIBED):
            continue
        dof = fixed(link, Link.DOF)
        for k in range(dof + fixed(link, Link.NDOF) - 1, dof - 1, -1):
            axis = further(axes, k * Axis.SIZE)
            for r in range(meetings, meetings + ranges):
                first = fixed(pairs, 2 * r)
                row = first if first < m else first - m
                take_part(first, fixed(pairs, 2 * r + 1), axis, carried, further(reach, k * m + row))
