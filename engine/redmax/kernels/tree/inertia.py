# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulated inertias as 21 numbers, symmetric by construction.

A (angular, xx xy xz yy yz zz), B (mixed, row by row), C (linear): torque = A w + B v, force = B^T w + C v.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout.declaration import Body, Work
from ..layout.memory import fixed, fixed3, fixed10, get3, get6, get21, put3, put6
from ..spatial import applied, cross


@inlined
def own_inertia(body, extra):
    """A body's own inertia about its joint frame: xx xy xz yy yz zz, mass times centre, mass.

    extra [s]: this much of its damping is added as inertia, which turns M into M - h D.
    """
    m, h0, h1, h2, xx, xy, xz, yy, yz, zz = fixed10(body, Body.MASS)
    if extra != 0.0:
        d = extra * fixed(body, Body.DAMPING)
        c0, c1, c2 = fixed3(body, Body.CENTER)
        m, h0, h1, h2 = m + d, h0 + d * c0, h1 + d * c1, h2 + d * c2
        xx += d * (1.0 + c1 * c1 + c2 * c2)
        yy += d * (1.0 + c0 * c0 + c2 * c2)
        zz += d * (1.0 + c0 * c0 + c1 * c1)
        xy, xz, yz = xy - d * c0 * c1, xz - d * c0 * c2, yz - d * c1 * c2
    return xx, xy, xz, yy, yz, zz, h0, h1, h2, m


@inlined
def inertia_with_children(body, work, extra, leaf):
    """Articulated inertia of a body before its joint is eliminated: its own and what its children added."""
    xx, xy, xz, yy, yz, zz, h0, h1, h2, m = own_inertia(body, extra)
    if leaf:
        return (
            xx, xy, xz, yy, yz, zz, 0.0, -h2, h1, h2, 0.0, -h0, -h1, h0, 0.0, m, 0.0, 0.0, m, 0.0, m
        )  # fmt: skip
    M = get21(work, Work.IA)
    return (
        xx + M[0], xy + M[1], xz + M[2], yy + M[3], yz + M[4], zz + M[5],
        M[6], M[7] - h2, M[8] + h1, M[9] + h2, M[10], M[11] - h0, M[12] - h1, M[13] + h0, M[14],
        M[15] + m, M[16], M[17], M[18] + m, M[19], M[20] + m,
    )  # fmt: skip


@inlined
def times(M, w0, w1, w2, v0, v1, v2):
    """Inertia M times a twist or acceleration (w, v): torque and force."""
    return (
        M[0] * w0 + M[1] * w1 + M[2] * w2 + M[6] * v0 + M[7] * v1 + M[8] * v2,
        M[1] * w0 + M[3] * w1 + M[4] * w2 + M[9] * v0 + M[10] * v1 + M[11] * v2,
        M[2] * w0 + M[4] * w1 + M[5] * w2 + M[12] * v0 + M[13] * v1 + M[14] * v2,
        M[6] * w0 + M[9] * w1 + M[12] * w2 + M[15] * v0 + M[16] * v1 + M[17] * v2,
        M[7] * w0 + M[10] * w1 + M[13] * w2 + M[16] * v0 + M[18] * v1 + M[19] * v2,
        M[8] * w0 + M[11] * w1 + M[14] * w2 + M[17] * v0 + M[19] * v1 + M[20] * v2,
    )


@inner
def add_wrench(work, w0, w1, w2, v0, v1, v2):
    """Wrench of a joint into `Work.F`: the bias there plus the inertia in `Work.IA` times the acceleration (w, v)."""
    M, p = get21(work, Work.IA), get6(work, Work.F)
    f = times(M, w0, w1, w2, v0, v1, v2)
    put6(work, Work.F, f[0] + p[0], f[1] + p[1], f[2] + p[2], f[3] + p[3], f[4] + p[4], f[5] + p[5])


@inlined
def minus_outer_product(M, u0, u1, u2, u3, u4, u5, d):
    """M - d u u^T."""
    a0, a1, a2, a3, a4, a5 = d * u0, d * u1, d * u2, d * u3, d * u4, d * u5
    return (
        M[0] - a0 * u0, M[1] - a0 * u1, M[2] - a0 * u2, M[3] - a1 * u1, M[4] - a1 * u2, M[5] - a2 * u2,
        M[6] - a0 * u3, M[7] - a0 * u4, M[8] - a0 * u5,
        M[9] - a1 * u3, M[10] - a1 * u4, M[11] - a1 * u5,
        M[12] - a2 * u3, M[13] - a2 * u4, M[14] - a2 * u5,
        M[15] - a3 * u3, M[16] - a3 * u4, M[17] - a3 * u5, M[18] - a4 * u4, M[19] - a4 * u5, M[20] - a5 * u5,
    )  # fmt: skip


@inlined
def rotated(E, a0, a1, a2, a3, a4, a5):
    """E A E^T of a symmetric matrix xx xy xz yy yz zz."""
    b00, b01, b02 = applied_symmetric(a0, a1, a2, a3, a4, a5, E[0], E[1], E[2])
    b10, b11, b12 = applied_symmetric(a0, a1, a2, a3, a4, a5, E[3], E[4], E[5])
    b20, b21, b22 = applied_symmetric(a0, a1, a2, a3, a4, a5, E[6], E[7], E[8])
    return (
        b00 * E[0] + b01 * E[1] + b02 * E[2], b00 * E[3] + b01 * E[4] + b02 * E[5],
        b00 * E[6] + b01 * E[7] + b02 * E[8], b10 * E[3] + b11 * E[4] + b12 * E[5],
        b10 * E[6] + b11 * E[7] + b12 * E[8], b20 * E[6] + b21 * E[7] + b22 * E[8],
    )  # fmt: skip


@inlined
def applied_symmetric(a0, a1, a2, a3, a4, a5, x, y, z):
    """A (x, y, z) of a symmetric matrix xx xy xz yy yz zz."""
    return a0 * x + a1 * y + a2 * z, a1 * x + a3 * y + a4 * z, a2 * x + a4 * y + a5 * z


@inlined
def add_to_parent(up, first, p, A, B, C, t, f, g):
    """Add an inertia and a bias wrench (t, f) at the point p, in the parent's axes, to those of the parent.

    first: the parent has none yet. g: centripetal acceleration of that point, which adds inertia times g to the bias.
    """
    x, y, z = p
    g0, g1, g2 = g
    # inertia times (0, g)
    b0, b1, b2 = applied(B, g0, g1, g2)
    t0, t1, t2 = t[0] + b0, t[1] + b1, t[2] + b2
    b0, b1, b2 = applied_symmetric(C[0], C[1], C[2], C[3], C[4], C[5], g0, g1, g2)
    f0, f1, f2 = f[0] + b0, f[1] + b1, f[2] + b2
    # moved to the parent's origin: B' = B + [p] C, A' = A - B [p] + [p] B'^T
    n0, n1, n2 = B[0] + y * C[2] - z * C[1], B[1] + y * C[4] - z * C[3], B[2] + y * C[5] - z * C[4]
    n3, n4, n5 = B[3] + z * C[0] - x * C[2], B[4] + z * C[1] - x * C[4], B[5] + z * C[2] - x * C[5]
    n6, n7, n8 = B[6] + x * C[1] - y * C[0], B[7] + x * C[3] - y * C[1], B[8] + x * C[4] - y * C[2]
    a0 = A[0] - (B[1] * z - B[2] * y) + (y * n2 - z * n1)
    a1 = A[1] - (B[2] * x - B[0] * z) + (y * n5 - z * n4)
    a2 = A[2] - (B[0] * y - B[1] * x) + (y * n8 - z * n7)
    a3 = A[3] - (B[5] * x - B[3] * z) + (z * n3 - x * n5)
    a4 = A[4] - (B[3] * y - B[4] * x) + (z * n6 - x * n8)
    a5 = A[5] - (B[6] * y - B[7] * x) + (x * n7 - y * n6)
    add_about_parent(
        up, first, p, (a0, a1, a2, a3, a4, a5), (n0, n1, n2, n3, n4, n5, n6, n7, n8), C, (t0, t1, t2), (f0, f1, f2)
    )


@inlined
def add_linear_to_parent(up, first, p, C, t, f, g):
    """Add an inertia whose angular and mixed parts are zero, as a ball leaves it; else as `add_to_parent`."""
    x, y, z = p
    b0, b1, b2 = applied_symmetric(C[0], C[1], C[2], C[3], C[4], C[5], g[0], g[1], g[2])
    n0, n1, n2 = y * C[2] - z * C[1], y * C[4] - z * C[3], y * C[5] - z * C[4]
    n3, n4, n5 = z * C[0] - x * C[2], z * C[1] - x * C[4], z * C[2] - x * C[5]
    n6, n7, n8 = x * C[1] - y * C[0], x * C[3] - y * C[1], x * C[4] - y * C[2]
    A = (
        y * n2 - z * n1, y * n5 - z * n4, y * n8 - z * n7, z * n3 - x * n5, z * n6 - x * n8, x * n7 - y * n6
    )  # fmt: skip
    add_about_parent(up, first, p, A, (n0, n1, n2, n3, n4, n5, n6, n7, n8), C, t, (f[0] + b0, f[1] + b1, f[2] + b2))


@inlined
def add_about_parent(up, first, p, A, B, C, t, f):
    """Add an inertia about the parent's origin, and a wrench whose force acts at p, to those of the parent."""
    a0, a1, a2, a3, a4, a5 = A
    n0, n1, n2, n3, n4, n5, n6, n7, n8 = B
    c0, c1, c2, c3, c4, c5 = C
    f0, f1, f2 = f
    m0, m1, m2 = cross(p[0], p[1], p[2], f0, f1, f2)
    t0, t1, t2 = t[0] + m0, t[1] + m1, t[2] + m2
    if not first:
        a0, a1, a2, a3, a4, a5 = added6(up, Work.IA, a0, a1, a2, a3, a4, a5)
        n0, n1, n2, n3, n4, n5 = added6(up, Work.IA + 6, n0, n1, n2, n3, n4, n5)
        n6, n7, n8, c0, c1, c2 = added6(up, Work.IA + 12, n6, n7, n8, c0, c1, c2)
        c3, c4, c5, t0, t1, t2 = added6(up, Work.IA + 18, c3, c4, c5, t0, t1, t2)
        x = get3(up, Work.PA + 3)
        f0, f1, f2 = f0 + x[0], f1 + x[1], f2 + x[2]
    put6(up, Work.IA, a0, a1, a2, a3, a4, a5)
    put6(up, Work.IA + 6, n0, n1, n2, n3, n4, n5)
    put6(up, Work.IA + 12, n6, n7, n8, c0, c1, c2)
    put6(up, Work.IA + 18, c3, c4, c5, t0, t1, t2)
    put3(up, Work.PA + 3, f0, f1, f2)


@inlined
def added6(row, k, a, b, c, d, e, f):
    """Six numbers plus those of a row from element k on."""
    x = get6(row, k)
    return a + x[0], b + x[1], c + x[2], d + x[3], e + x[4], f + x[5]


@inner
def add_child_to_parent(up, first, E, p, M, t, f, g):
    """Add an inertia M and a wrench (t, f) given in the child's axes; E: child to parent. Else as `add_to_parent`."""
    A = rotated(E, M[0], M[1], M[2], M[3], M[4], M[5])
    C = rotated(E, M[15], M[16], M[17], M[18], M[19], M[20])
    # (E B) E^T
    e0, e1, e2 = (
        E[0] * M[6] + E[1] * M[9] + E[2] * M[12],
        E[0] * M[7] + E[1] * M[10] + E[2] * M[13],
        E[0] * M[8] + E[1] * M[11] + E[2] * M[14],
    )
    e3, e4, e5 = (
        E[3] * M[6] + E[4] * M[9] + E[5] * M[12],
        E[3] * M[7] + E[4] * M[10] + E[5] * M[13],
        E[3] * M[8] + E[4] * M[11] + E[5] * M[14],
    )
    e6, e7, e8 = (
        E[6] * M[6] + E[7] * M[9] + E[8] * M[12],
        E[6] * M[7] + E[7] * M[10] + E[8] * M[13],
        E[6] * M[8] + E[7] * M[11] + E[8] * M[14],
    )
    b0, b1, b2 = applied(E, e0, e1, e2)
    b3, b4, b5 = applied(E, e3, e4, e5)
    b6, b7, b8 = applied(E, e6, e7, e8)
    B = (b0, b1, b2, b3, b4, b5, b6, b7, b8)
    add_to_parent(up, first, p, A, B, C, applied(E, t[0], t[1], t[2]), applied(E, f[0], f[1], f[2]), g)
