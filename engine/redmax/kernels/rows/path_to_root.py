# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled W = L^-1 G^T, shape (nr, m): the share of each coordinate in the wrenches of the constraint rows.

Elimination factorises M = L D^-1 L^T along the tree. A row is a wrench on each of two bodies. On the path to the root
each joint takes its share S^T f of a wrench and passes on the rest. Wrenches are in world axes about one point, so that
passing on is a subtraction. Where the two paths of a row join, their wrenches are added (`path_ranges`). A row on a
coordinate begins its path there without a wrench: what the coordinate takes is the row's factor. A row on many
coordinates (FOLLOWER) has no such paths: its wrenches are followed from all bodies to the root (`follow_all`).
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import (
    Active,
    Axis,
    Column,
    Head,
    InverseInertia,
    Link,
    Path,
    Pose,
    RowBodies,
    RowVectors,
    RowWork,
    Wrench,
)
from ..layout.memory import fixed, fixed3, further, get, get3, get6, get9, put, put6
from ..spatial import applied, cross
from ..tree.articulated import mode_of
from .path_ranges import put_ranges
from .row_kinds import row_at, slopes_of


@inlined
def in_world(pose, origin, t, f):
    """Wrench (t, f) given in a body's frame, in world axes about `origin`. Also a twist, given as (v, omega)."""
    R, p = get9(pose, Pose.R), get3(pose, Pose.P)
    f0, f1, f2 = applied(R, f[0], f[1], f[2])
    t0, t1, t2 = applied(R, t[0], t[1], t[2])
    c0, c1, c2 = cross(p[0] - origin[0], p[1] - origin[1], p[2] - origin[2], f0, f1, f2)
    return t0 + c0, t1 + c1, t2 + c2, f0, f1, f2


@inlined
def put_axis(axis, pose, origin, s, u, d):
    """Write a coordinate in world axes: its column s of S, and d u, which a wrench loses per unit of s^T times it."""
    v0, v1, v2, w0, w1, w2 = in_world(pose, origin, (s[3], s[4], s[5]), (s[0], s[1], s[2]))
    t0, t1, t2, f0, f1, f2 = in_world(pose, origin, (d * u[0], d * u[1], d * u[2]), (d * u[3], d * u[4], d * u[5]))
    put6(axis, Axis.S, w0, w1, w2, v0, v1, v2)
    put6(axis, Axis.U, t0, t1, t2, f0, f1, f2)


@inner
def put_axes(n, links, columns, armature, poses, origin, axes, inverse_inertias):
    """Write all coordinates in world axes, and for each body the sums of 1 / inertia from the root to it."""
    for j in range(n):
        link, pose = further(links, j * Link.SIZE), further(poses, j * Pose.SIZE)
        dof, parent, angular, linear = fixed(link, Link.DOF), fixed(link, Link.PARENT), 0.0, 0.0
        if parent >= 0:
            above = further(inverse_inertias, parent * InverseInertia.SIZE)
            angular, linear = get(above, InverseInertia.ANGULAR), get(above, InverseInertia.LINEAR)
        if mode_of(link, armature, dof) == codes.BALL:
            first, axis = further(columns, dof * Column.SIZE), further(axes, dof * Axis.SIZE)
            second, third = further(first, Column.SIZE), further(first, 2 * Column.SIZE)
            l1, l4, l3 = get3(first, Column.U + 3)
            a, b, c = get3(first, Column.U), get3(second, Column.U), get3(third, Column.U)
            # The ball's angular inertia is A = L diag(1/D) L^T; the rows of L^-1 are axes of three hinges in a row,
            # which take their shares one after another, from the last to the first.
            e, g = l4 - l3 * l1, (b[0] - l3 * c[0], b[1] - l3 * c[1], b[2] - l3 * c[2])
            h = (a[0] - l1 * b[0] - e * c[0], a[1] - l1 * b[1] - e * c[1], a[2] - l1 * b[2] - e * c[2])
            put_axis(axis, pose, origin, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, -l1, -e, h[0], h[1], h[2]), 1.0)
            axis = further(axis, Axis.SIZE)
            put_axis(axis, pose, origin, (l1, 1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, -l3, g[0], g[1], g[2]), 1.0)
            axis = further(axis, Axis.SIZE)
            put_axis(axis, pose, origin, (l4, l3, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, c[0], c[1], c[2]), 1.0)
            angular += get(first, Column.D) + get(second, Column.D) + get(third, Column.D)
        elif not fixed(link, Link.PRESCRIBED):
            for k in range(dof, dof + fixed(link, Link.NDOF)):
                column = further(columns, k * Column.SIZE)
                s, u, d = get6(column, Column.S), get6(column, Column.U), get(column, Column.D)
                put_axis(further(axes, k * Axis.SIZE), pose, origin, s, u, d)
                angular += d * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
                linear += d * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])
        here = further(inverse_inertias, j * InverseInertia.SIZE)
        put(here, InverseInertia.ANGULAR, angular)
        put(here, InverseInertia.LINEAR, linear)


@inlined
def absolute_sum(x):
    """|x| + |y| + |z|, an upper bound of a vector's length."""
    return abs(x[0]) + abs(x[1]) + abs(x[2])


@inlined
def start_path(body, wrench, lever, poses, origin, inverse_inertias, path_wrench):
    """Write a row's wrench on a body to the start of its path; gives an upper bound of f^T M^-1 f.

    lever: upper bound of the distance between the line of the force and the body's origin [m].
    """
    pose = further(poses, body * Pose.SIZE)
    t0, t1, t2, f0, f1, f2 = in_world(
        pose, origin, (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    )
    put6(path_wrench, Wrench.TORQUE, t0, t1, t2, f0, f1, f2)
    p = get3(pose, Pose.P)
    lever += absolute_sum((p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]))
    torque, force = t0 * t0 + t1 * t1 + t2 * t2, f0 * f0 + f1 * f1 + f2 * f2
    mobility = further(inverse_inertias, body * InverseInertia.SIZE)
    angular, linear = get(mobility, InverseInertia.ANGULAR), get(mobility, InverseInertia.LINEAR)
    return angular * (torque + lever * lever * force) + linear * force


@inlined
def is_led(body, links):
    """Whether the joint that carries a body is animated or locked."""
    return fixed(links, body * Link.SIZE + Link.PRESCRIBED) != 0


@inlined
def put_factors(i, m, row, vectors, rows):
    """Write the factors of a COORDINATE row to W, but those of prescribed coordinates, which no multiplier moves, and
    no wrenches to the starts of its paths."""
    put6(rows.path_wrenches, i * Wrench.SIZE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    put6(rows.path_wrenches, (m + i) * Wrench.SIZE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    if not is_led(fixed(row, RowBodies.BODY_A), rows.links):
        put(rows.reach, a * m + i, get(vectors, RowVectors.FACTOR_A))
    if b >= 0 and not is_led(fixed(row, RowBodies.BODY_B), rows.links):
        put(rows.reach, b * m + i, get(vectors, RowVectors.FACTOR_B))


@inner
def start_paths(m, rows, origin):
    """Write the wrenches of the first m rows to the starts of their paths, and the bound of each one's diagonal entry,
    0 for rows on coordinates, of which the entry itself is the bound. W is filled with zeros."""
    poses, inverse_inertias, path_wrenches = rows.poses, rows.inverse_inertias, rows.path_wrenches
    for i in range(m):
        row, vectors = row_at(i, rows)
        work = further(rows.row_work, i * RowWork.SIZE)
        a, b, lever_a, lever_b = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B), 0.0, 0.0
        kind = fixed(row, RowBodies.KIND)
        if kind == codes.COORDINATE:
            put_factors(i, m, row, vectors, rows)
            put(work, RowWork.BOUND, 0.0)
            continue
        if kind == codes.FOLLOWER:
            put(work, RowWork.BOUND, 0.0)
            continue
        if kind == codes.POINT:
            lever_a = absolute_sum(fixed3(vectors, RowVectors.POINT_A))
            lever_b = absolute_sum(fixed3(vectors, RowVectors.POINT_B))
        elif kind == codes.COMPONENT:
            lever_b = absolute_sum(fixed3(vectors, RowVectors.PLACE))
        path, bound = i, 0.0
        if a >= 0:
            wrench = get6(work, RowWork.ON_A)
            target = further(path_wrenches, path * Wrench.SIZE)
            bound += start_path(a, wrench, lever_a, poses, origin, inverse_inertias, target)
            path = m + i
        if b >= 0:
            wrench = get6(work, RowWork.ON_B)
            target = further(path_wrenches, path * Wrench.SIZE)
            bound += start_path(b, wrench, lever_b, poses, origin, inverse_inertias, target)
        put(work, RowWork.BOUND, bound)


@inner
def take_share(first, count, axis, path_wrenches, reach):
    """Move a coordinate's share of `count` wrenches, from path `first` on, out of them and into W."""
    s0, s1, s2, s3, s4, s5 = get6(axis, Axis.S)
    u0, u1, u2, u3, u4, u5 = get6(axis, Axis.U)
    for i in range(count):
        wrench = further(path_wrenches, (first + i) * Wrench.SIZE)
        f0, f1, f2, f3, f4, f5 = get6(wrench, Wrench.TORQUE)
        w = get(reach, i) + (((s0 * f0 + s1 * f1) + (s2 * f2 + s3 * f3)) + (s4 * f4 + s5 * f5))
        put(reach, i, w)
        put6(
            wrench, Wrench.TORQUE, f0 - w * u0, f1 - w * u1, f2 - w * u2, f3 - w * u3, f4 - w * u4, f5 - w * u5
        )  # fmt: skip


@inner
def join_paths(first, count, m, path_wrenches):
    """Add the wrenches of the paths from bodies B to those from bodies A, for `count` of m rows from `first` on."""
    for i in range(first, first + count):
        joined = further(path_wrenches, i * Wrench.SIZE)
        f, g = get6(joined, Wrench.TORQUE), get6(further(path_wrenches, (m + i) * Wrench.SIZE), Wrench.TORQUE)
        put6(
            joined, Wrench.TORQUE, f[0] + g[0], f[1] + g[1], f[2] + g[2], f[3] + g[3], f[4] + g[4], f[5] + g[5]
        )  # fmt: skip


@inner
def follow_all(i, n, m, row, rows):
    """Column i of W of a FOLLOWER row, which is zero before."""
    links, axes, reach, wrenches = rows.links, rows.axes, further(rows.reach, i), rows.follower_wrenches
    count, followed, slopes = slopes_of(row, rows)
    put(reach, fixed(row, RowBodies.COORDINATE_A) * m, 1.0)
    for k in range(count):
        put(reach, get(followed, k) * m, get(slopes, k))
    for j in range(n):
        put6(wrenches, j * Wrench.SIZE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(n - 1, -1, -1):
        link, wrench = further(links, j * Link.SIZE), further(wrenches, j * Wrench.SIZE)
        dof, parent = fixed(link, Link.DOF), fixed(link, Link.PARENT)
        f0, f1, f2, f3, f4, f5 = get6(wrench, Wrench.TORQUE)
        for k in range(dof + fixed(link, Link.NDOF) - 1, dof - 1, -1):
            if fixed(link, Link.PRESCRIBED):
                put(reach, k * m, 0.0)
                continue
            axis = further(axes, k * Axis.SIZE)
            s, u = get6(axis, Axis.S), get6(axis, Axis.U)
            w = get(reach, k * m) + ((s[0] * f0 + s[1] * f1 + s[2] * f2) + (s[3] * f3 + s[4] * f4 + s[5] * f5))
            put(reach, k * m, w)
            f0, f1, f2 = f0 - w * u[0], f1 - w * u[1], f2 - w * u[2]
            f3, f4, f5 = f3 - w * u[3], f4 - w * u[4], f5 - w * u[5]
        if parent >= 0:
            above = further(wrenches, parent * Wrench.SIZE)
            g = get6(above, Wrench.TORQUE)
            put6(
                above, Wrench.TORQUE, g[0] + f0, g[1] + f1, g[2] + f2, g[3] + f3, g[4] + f4, g[5] + f5
            )  # fmt: skip


@inner
def reach_of_rows(n, m, nr, rows, armature):
    """W (nr, m) of the first m rows, after `eliminate` and `world_poses`."""
    if get(rows.active, Active.PATHS_KNOWN) == 0:
        put_ranges(n, m, rows)
    links, paths, axes, reach = rows.links, rows.paths, rows.axes, rows.reach
    poses, path_wrenches, inverse_inertias = rows.poses, rows.path_wrenches, rows.inverse_inertias
    origin = get3(poses, Pose.P)  # of the first body: far from the world's origin, lever arms keep their digits
    for k in range(nr * m):
        put(reach, k, 0.0)
    put_axes(n, links, rows.columns, armature, poses, origin, axes, inverse_inertias)
    start_paths(m, rows, origin)
    for j in range(n - 1, -1, -1):
        link, path = further(links, j * Link.SIZE), further(paths, j * Path.SIZE)
        ranges = further(paths, n * Path.SIZE + 2 * get(path, Path.FIRST_RANGE))
        joining, passing = get(path, Path.JOINING), get(path, Path.PASSING)
        for r in range(joining):
            join_paths(get(ranges, 2 * r), get(ranges, 2 * r + 1), m, path_wrenches)
        if fixed(link, Link.PRESCRIBED):
            continue
        dof = fixed(link, Link.DOF)
        for k in range(dof + fixed(link, Link.NDOF) - 1, dof - 1, -1):
            axis = further(axes, k * Axis.SIZE)
            for r in range(joining, joining + passing):
                first = get(ranges, 2 * r)
                row = first if first < m else first - m
                take_share(first, get(ranges, 2 * r + 1), axis, path_wrenches, further(reach, k * m + row))
    for i in range(fixed(rows.head, Head.DRIVEN)):
        row, _ = row_at(i, rows)
        if fixed(row, RowBodies.KIND) == codes.FOLLOWER:
            follow_all(i, n, m, row, rows)
