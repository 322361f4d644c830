# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled constraint rows at one instant: errors, wrenches on the bodies, velocity products.

A row is a wrench on each of two bodies per unit multiplier. These wrenches times the twists of the bodies are the rate
of the row's error; times their accelerations (of points, see `motion`), plus `RowWork.VELOCITY_PRODUCT`, they are its
second derivative. The accelerations of both bodies lack gravity, which cancels.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Pose, RowBodies, RowVectors, RowWork, Work
from ..layout.memory import fixed, fixed3, further, get3, get6, get9, put, put6
from ..spatial import applied, centripetal, cross, product, turned_into


@inlined
def relative(pose_a, pose_b):
    """Rotation (9 numbers) and origin of frame b in frame a, from their poses in the world."""
    A, B = get9(pose_a, Pose.R), get9(pose_b, Pose.R)
    a, b = get3(pose_a, Pose.P), get3(pose_b, Pose.P)
    E = product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)
    return E, turned_into(A, b[0] - a[0], b[1] - a[1], b[2] - a[2])


@inlined
def point_row(vectors, results, work_a, work_b, E, p):
    """POINT row: error normal . (point B - point A) [m], the normal fixed in A. (E, p): frame B in frame A."""
    n0, n1, n2 = fixed3(vectors, RowVectors.NORMAL)
    a0, a1, a2 = fixed3(vectors, RowVectors.POINT_A)
    b0, b1, b2 = fixed3(vectors, RowVectors.POINT_B)
    # point B seen from A
    x0, x1, x2 = applied(E, b0, b1, b2)
    r0, r1, r2 = x0 + p[0], x1 + p[1], x2 + p[2]
    put(results, RowWork.ERROR, n0 * (r0 - a0) + n1 * (r1 - a1) + n2 * (r2 - a2))
    t0, t1, t2 = cross(r0, r1, r2, n0, n1, n2)
    put6(results, RowWork.ON_A, -t0, -t1, -t2, -n0, -n1, -n2)
    f0, f1, f2 = turned_into(E, n0, n1, n2)
    t0, t1, t2 = cross(b0, b1, b2, f0, f1, f2)
    put6(results, RowWork.ON_B, t0, t1, t2, f0, f1, f2)
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
        results,
        RowWork.VELOCITY_PRODUCT,
        n0 * (k0 - e0 - 2.0 * d0) + n1 * (k1 - e1 - 2.0 * d1) + n2 * (k2 - e2 - 2.0 * d2),
    )


@inlined
def axis_row(vectors, results, work_a, work_b, E):
    """AXIS row: error u . w, the cosine between an axis u fixed in A and an axis w fixed in B. E: frame B in A."""
    u0, u1, u2 = fixed3(vectors, RowVectors.AXIS_A)
    w0, w1, w2 = fixed3(vectors, RowVectors.AXIS_B)
    w0, w1, w2 = applied(E, w0, w1, w2)
    put(results, RowWork.ERROR, u0 * w0 + u1 * w1 + u2 * w2)
    t0, t1, t2 = cross(w0, w1, w2, u0, u1, u2)
    put6(results, RowWork.ON_A, -t0, -t1, -t2, 0.0, 0.0, 0.0)
    a0, a1, a2 = turned_into(E, t0, t1, t2)
    put6(results, RowWork.ON_B, a0, a1, a2, 0.0, 0.0, 0.0)
    a0, a1, a2 = get3(work_a, Work.V)
    b0, b1, b2 = get3(work_b, Work.V)
    b0, b1, b2 = applied(E, b0, b1, b2)
    r0, r1, r2 = b0 - a0, b1 - a1, b2 - a2
    c0, c1, c2 = cross(r0, r1, r2, a0, a1, a2)
    d0, d1, d2 = cross(r0, r1, r2, w0, w1, w2)
    e0, e1, e2 = cross(d0, d1, d2, u0, u1, u2)
    put(results, RowWork.VELOCITY_PRODUCT, (c0 * t0 + c1 * t1 + c2 * t2) + (r0 * e0 + r1 * e1 + r2 * e2))


@inner
def evaluate_rows(m, row_bodies, row_vectors, row_work, work, poses):
    """Errors, wrenches and velocity products of the first m rows, after `velocities` and `world_poses`."""
    for i in range(m):
        row, vectors = further(row_bodies, i * RowBodies.SIZE), further(row_vectors, i * RowVectors.SIZE)
        results = further(row_work, i * RowWork.SIZE)
        a, b, kind = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B), fixed(row, RowBodies.KIND)
        work_a, work_b = further(work, a * Work.SIZE), further(work, b * Work.SIZE)
        E, p = relative(further(poses, a * Pose.SIZE), further(poses, b * Pose.SIZE))
        if kind == codes.POINT:
            point_row(vectors, results, work_a, work_b, E, p)
        else:
            axis_row(vectors, results, work_a, work_b, E)


@inlined
def row_product(i, row_bodies, row_work, work, field):
    """Wrenches of row i times the twists (field `Work.V`) or accelerations (`Work.ACC`) of its bodies."""
    row, results = further(row_bodies, i * RowBodies.SIZE), further(row_work, i * RowWork.SIZE)
    f, u = get6(results, RowWork.ON_A), get6(further(work, fixed(row, RowBodies.BODY_A) * Work.SIZE), field)
    g, v = get6(results, RowWork.ON_B), get6(further(work, fixed(row, RowBodies.BODY_B) * Work.SIZE), field)
    on_a = (f[0] * u[0] + f[1] * u[1] + f[2] * u[2]) + (f[3] * u[3] + f[4] * u[4] + f[5] * u[5])
    return on_a + ((g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5]))
