# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled rows of constraints at one instant: errors, their rates, and what they do to bodies.

A row is a wrench on each of two bodies per unit of its multiplier; the same six numbers times the twists are the rate
of its error, and times the accelerations (of points, see `motion`), with `PRODUCT` added, the rate of that.
Both bodies' accelerations lack gravity, which cancels.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Link, Pose, RowBodies, RowVectors, RowWork, Work
from ..layout.memory import fixed, fixed3, further, get3, get6, get9, put, put3, put6, put_all
from ..spatial import applied, centripetal, cross, product, turned_into


@inner
def world_poses(n, links, work, poses):
    """Poses of all joint frames in the world, after `place_all`."""
    for j in range(n):
        up, row, pose = (
            further(poses, fixed(links, j * Link.SIZE + Link.PARENT) * Pose.SIZE),
            further(work, j * Work.SIZE),
            j * Pose.SIZE,
        )
        M = get9(up, 0)
        put_all(poses, pose, product(M, get9(row, Work.R)))
        x, y, z = get3(row, Work.P)
        x, y, z = applied(M, x, y, z)
        a, b, c = get3(up, 9)
        put3(poses, pose + 9, x + a, y + b, z + c)


@inlined
def relative(pose_a, pose_b):
    """Rotation of b in a's axes and position of b's origin in a's frame."""
    A, B = get9(pose_a, 0), get9(pose_b, 0)
    a, b = get3(pose_a, 9), get3(pose_b, 9)
    E = product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)
    return E, turned_into(A, b[0] - a[0], b[1] - a[1], b[2] - a[2])


@inlined
def point_row(values, space, work_a, work_b, E, p):
    """normal . (point B - point A), the normal fixed in A."""
    n0, n1, n2 = fixed3(values, RowVectors.NORMAL)
    a0, a1, a2 = fixed3(values, RowVectors.POINT_A)
    b0, b1, b2 = fixed3(values, RowVectors.POINT_B)
    # point B seen from A
    x0, x1, x2 = applied(E, b0, b1, b2)
    r0, r1, r2 = x0 + p[0], x1 + p[1], x2 + p[2]
    put(space, RowWork.ERROR, n0 * (r0 - a0) + n1 * (r1 - a1) + n2 * (r2 - a2))
    t0, t1, t2 = cross(r0, r1, r2, n0, n1, n2)
    put6(space, RowWork.ON_A, -t0, -t1, -t2, -n0, -n1, -n2)
    f0, f1, f2 = turned_into(E, n0, n1, n2)
    t0, t1, t2 = cross(b0, b1, b2, f0, f1, f2)
    put6(space, RowWork.ON_B, t0, t1, t2, f0, f1, f2)
    # w_b x (w_b x b) in A's axes, less w_a x (w_a x r) + 2 w_a x rdot
    wa0, wa1, wa2, va0, va1, va2 = get6(work_a, Work.V)
    wb0, wb1, wb2, vb0, vb1, vb2 = get6(work_b, Work.V)
    c0, c1, c2 = cross(wb0, wb1, wb2, b0, b1, b2)
    v0, v1, v2 = applied(E, vb0 + c0, vb1 + c1, vb2 + c2)
    c0, c1, c2 = cross(wa0, wa1, wa2, r0, r1, r2)
    d0, d1, d2 = cross(wa0, wa1, wa2, v0 - va0 - c0, v1 - va1 - c1, v2 - va2 - c2)
    k0, k1, k2 = centripetal(wb0, wb1, wb2, b0, b1, b2)
    k0, k1, k2 = applied(E, k0, k1, k2)
    e0, e1, e2 = centripetal(wa0, wa1, wa2, r0, r1, r2)
    put(
        space,
        RowWork.VELOCITY_PRODUCT,
        n0 * (k0 - e0 - 2.0 * d0) + n1 * (k1 - e1 - 2.0 * d1) + n2 * (k2 - e2 - 2.0 * d2),
    )


@inlined
def axis_row(values, space, work_a, work_b, E):
    """u . w, of an axis u fixed in A and an axis w fixed in B."""
    u0, u1, u2 = fixed3(values, RowVectors.AXIS_A)
    w0, w1, w2 = fixed3(values, RowVectors.AXIS_B)
    w0, w1, w2 = applied(E, w0, w1, w2)
    put(space, RowWork.ERROR, u0 * w0 + u1 * w1 + u2 * w2)
    t0, t1, t2 = cross(w0, w1, w2, u0, u1, u2)
    put6(space, RowWork.ON_A, -t0, -t1, -t2, 0.0, 0.0, 0.0)
    a0, a1, a2 = turned_into(E, t0, t1, t2)
    put6(space, RowWork.ON_B, a0, a1, a2, 0.0, 0.0, 0.0)
    a0, a1, a2 = get3(work_a, Work.V)
    b0, b1, b2 = get3(work_b, Work.V)
    b0, b1, b2 = applied(E, b0, b1, b2)
    r0, r1, r2 = b0 - a0, b1 - a1, b2 - a2
    c0, c1, c2 = cross(r0, r1, r2, a0, a1, a2)
    d0, d1, d2 = cross(r0, r1, r2, w0, w1, w2)
    e0, e1, e2 = cross(d0, d1, d2, u0, u1, u2)
    put(space, RowWork.VELOCITY_PRODUCT, (c0 * t0 + c1 * t1 + c2 * t2) + (r0 * e0 + r1 * e1 + r2 * e2))


@inner
def evaluate_rows(m, rows, values, space, work, poses):
    """Errors, wrenches and velocity products of all rows, after `velocities` and `world_poses`."""
    for i in range(m):
        row, value, kept = (
            further(rows, i * RowBodies.SIZE),
            further(values, i * RowVectors.SIZE),
            further(space, i * RowWork.SIZE),
        )
        a, b, kind = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B), fixed(row, RowBodies.KIND)
        work_a, work_b = further(work, a * Work.SIZE), further(work, b * Work.SIZE)
        E, p = relative(further(poses, a * Pose.SIZE), further(poses, b * Pose.SIZE))
        if kind == codes.POINT:
            point_row(value, kept, work_a, work_b, E, p)
        else:
            axis_row(value, kept, work_a, work_b, E)


@inlined
def moved(i, rows, space, work, field):
    """A row times the bodies' twists (field V) or accelerations (ACC)."""
    row, kept = further(rows, i * RowBodies.SIZE), further(space, i * RowWork.SIZE)
    f, u = get6(kept, RowWork.ON_A), get6(further(work, fixed(row, RowBodies.BODY_A) * Work.SIZE), field)
    g, v = get6(kept, RowWork.ON_B), get6(further(work, fixed(row, RowBodies.BODY_B) * Work.SIZE), field)
    on_a = (f[0] * u[0] + f[1] * u[1] + f[2] * u[2]) + (f[3] * u[3] + f[4] * u[4] + f[5] * u[5])
    return on_a + ((g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5]))
