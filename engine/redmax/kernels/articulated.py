# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled recursive dynamics: RM19 Alg. 6 (hybrid articulated bodies) and its inverse, in O(n) without allocation.

An articulated inertia is 21 numbers, symmetric by construction: A (angular, xx xy xz yy yz zz), B (mixed, row by
row), C (linear): torque = A w + B v, force = B^T w + C v. Degrees of freedom of a joint are eliminated one after
another. Gravity enters as an acceleration of the world; `ACC` of a body is its acceleration less gravity.
"""

from __future__ import annotations

from . import layout as at
from .jit import inner
from .spatial import applied, cross, solved3, solved_transposed, turned_back

PARENT, DOF, NDOF, PRESCRIBED, MODE = at.PARENT, at.DOF, at.NDOF, at.PRESCRIBED, at.MODE
HINGE, BALL_ALONE = at.HINGE, at.BALL_ALONE
MASS, MOMENT, INERTIA, CENTER, DAMPING = at.MASS, at.MOMENT, at.INERTIA, at.CENTER, at.DAMPING
R, P, V, C, IA, PA, ACC, F = at.R, at.P, at.V, at.C, at.IA, at.PA, at.ACC, at.F
S, U, D, TAU = at.S, at.U, at.D, at.TAU
ROUND_OFF = 1e-15
"""An inertia this small beside the terms it is the sum of is no inertia."""


@inner
def bias_wrench(bodies, work, j):
    """ad(V)^T-part of Newton and Euler less external wrenches: what the body needs at zero acceleration."""
    w0, w1, w2, v0, v1, v2 = work[j, V], work[j, V + 1], work[j, V + 2], work[j, V + 3], work[j, V + 4], work[j, V + 5]
    m, h0, h1, h2 = bodies[j, MASS], bodies[j, MOMENT], bodies[j, MOMENT + 1], bodies[j, MOMENT + 2]
    xx, xy, xz = bodies[j, INERTIA], bodies[j, INERTIA + 1], bodies[j, INERTIA + 2]
    yy, yz, zz = bodies[j, INERTIA + 3], bodies[j, INERTIA + 4], bodies[j, INERTIA + 5]
    # momenta about the joint frame's origin
    a0, a1, a2 = cross(h0, h1, h2, v0, v1, v2)
    L0 = xx * w0 + xy * w1 + xz * w2 + a0
    L1 = xy * w0 + yy * w1 + yz * w2 + a1
    L2 = xz * w0 + yz * w1 + zz * w2 + a2
    b0, b1, b2 = cross(w0, w1, w2, h0, h1, h2)
    p0, p1, p2 = m * v0 + b0, m * v1 + b1, m * v2 + b2
    t0, t1, t2 = cross(w0, w1, w2, L0, L1, L2)
    s0, s1, s2 = cross(v0, v1, v2, p0, p1, p2)
    f0, f1, f2 = cross(w0, w1, w2, p0, p1, p2)
    d = bodies[j, DAMPING]
    if d != 0.0:
        c0, c1, c2 = bodies[j, CENTER], bodies[j, CENTER + 1], bodies[j, CENTER + 2]
        u0, u1, u2 = cross(w0, w1, w2, c0, c1, c2)
        g0, g1, g2 = d * (v0 + u0), d * (v1 + u1), d * (v2 + u2)
        k0, k1, k2 = cross(c0, c1, c2, g0, g1, g2)
        return (
            t0 + s0 + d * w0 + k0, t1 + s1 + d * w1 + k1, t2 + s2 + d * w2 + k2, f0 + g0, f1 + g1, f2 + g2
        )  # fmt: skip
    return t0 + s0, t1 + s1, t2 + s2, f0, f1, f2


@inner
def begin_body(bodies, work, j, extra):
    """A body's own inertia and bias as the start of its articulated ones. extra [s]: adds so much of its damping as
    inertia, which turns M into M - h D."""
    m, h0, h1, h2 = bodies[j, MASS], bodies[j, MOMENT], bodies[j, MOMENT + 1], bodies[j, MOMENT + 2]
    xx, yy, zz = bodies[j, INERTIA], bodies[j, INERTIA + 3], bodies[j, INERTIA + 5]
    xy, xz, yz = bodies[j, INERTIA + 1], bodies[j, INERTIA + 2], bodies[j, INERTIA + 4]
    d = extra * bodies[j, DAMPING]
    if d != 0.0:
        c0, c1, c2 = bodies[j, CENTER], bodies[j, CENTER + 1], bodies[j, CENTER + 2]
        m, h0, h1, h2 = m + d, h0 + d * c0, h1 + d * c1, h2 + d * c2
        xx, yy, zz = (
            xx + d * (1.0 + c1 * c1 + c2 * c2),
            yy + d * (1.0 + c0 * c0 + c2 * c2),
            zz + d * (1.0 + c0 * c0 + c1 * c1),
        )
        xy, xz, yz = xy - d * c0 * c1, xz - d * c0 * c2, yz - d * c1 * c2
    work[j, IA], work[j, IA + 1], work[j, IA + 2] = xx, xy, xz
    work[j, IA + 3], work[j, IA + 4], work[j, IA + 5] = yy, yz, zz
    work[j, IA + 6], work[j, IA + 7], work[j, IA + 8] = 0.0, -h2, h1
    work[j, IA + 9], work[j, IA + 10], work[j, IA + 11] = h2, 0.0, -h0
    work[j, IA + 12], work[j, IA + 13], work[j, IA + 14] = -h1, h0, 0.0
    work[j, IA + 15], work[j, IA + 16], work[j, IA + 17] = m, 0.0, 0.0
    work[j, IA + 18], work[j, IA + 19], work[j, IA + 20] = m, 0.0, m


@inner
def inertia_of(work, j):
    return (
        work[j, IA], work[j, IA + 1], work[j, IA + 2], work[j, IA + 3], work[j, IA + 4], work[j, IA + 5],
        work[j, IA + 6], work[j, IA + 7], work[j, IA + 8], work[j, IA + 9], work[j, IA + 10], work[j, IA + 11],
        work[j, IA + 12], work[j, IA + 13], work[j, IA + 14], work[j, IA + 15], work[j, IA + 16], work[j, IA + 17],
        work[j, IA + 18], work[j, IA + 19], work[j, IA + 20],
    )  # fmt: skip


@inner
def store_inertia(work, j, M):
    work[j, IA], work[j, IA + 1], work[j, IA + 2], work[j, IA + 3], work[j, IA + 4], work[j, IA + 5] = (
        M[0],
        M[1],
        M[2],
        M[3],
        M[4],
        M[5],
    )
    work[j, IA + 6], work[j, IA + 7], work[j, IA + 8], work[j, IA + 9], work[j, IA + 10] = M[6], M[7], M[8], M[9], M[10]
    work[j, IA + 11], work[j, IA + 12], work[j, IA + 13], work[j, IA + 14] = M[11], M[12], M[13], M[14]
    work[j, IA + 15], work[j, IA + 16], work[j, IA + 17], work[j, IA + 18], work[j, IA + 19], work[j, IA + 20] = (
        M[15],
        M[16],
        M[17],
        M[18],
        M[19],
        M[20],
    )


@inner
def times(M, w0, w1, w2, v0, v1, v2):
    """Inertia times a motion."""
    return (
        M[0] * w0 + M[1] * w1 + M[2] * w2 + M[6] * v0 + M[7] * v1 + M[8] * v2,
        M[1] * w0 + M[3] * w1 + M[4] * w2 + M[9] * v0 + M[10] * v1 + M[11] * v2,
        M[2] * w0 + M[4] * w1 + M[5] * w2 + M[12] * v0 + M[13] * v1 + M[14] * v2,
        M[6] * w0 + M[9] * w1 + M[12] * w2 + M[15] * v0 + M[16] * v1 + M[17] * v2,
        M[7] * w0 + M[10] * w1 + M[13] * w2 + M[16] * v0 + M[18] * v1 + M[19] * v2,
        M[8] * w0 + M[11] * w1 + M[14] * w2 + M[17] * v0 + M[19] * v1 + M[20] * v2,
    )


@inner
def less(M, u0, u1, u2, u3, u4, u5, d):
    """M - d u u^T."""
    a0, a1, a2, a3, a4, a5 = d * u0, d * u1, d * u2, d * u3, d * u4, d * u5
    return (
        M[0] - a0 * u0, M[1] - a0 * u1, M[2] - a0 * u2, M[3] - a1 * u1, M[4] - a1 * u2, M[5] - a2 * u2,
        M[6] - a0 * u3, M[7] - a0 * u4, M[8] - a0 * u5,
        M[9] - a1 * u3, M[10] - a1 * u4, M[11] - a1 * u5,
        M[12] - a2 * u3, M[13] - a2 * u4, M[14] - a2 * u5,
        M[15] - a3 * u3, M[16] - a3 * u4, M[17] - a3 * u5, M[18] - a4 * u4, M[19] - a4 * u5, M[20] - a5 * u5,
    )  # fmt: skip


@inner
def turned(E, a0, a1, a2, a3, a4, a5):
    """E A E^T of a symmetric matrix xx xy xz yy yz zz."""
    b00, b01, b02 = (
        E[0] * a0 + E[1] * a1 + E[2] * a2,
        E[0] * a1 + E[1] * a3 + E[2] * a4,
        E[0] * a2 + E[1] * a4 + E[2] * a5,
    )
    b10, b11, b12 = (
        E[3] * a0 + E[4] * a1 + E[5] * a2,
        E[3] * a1 + E[4] * a3 + E[5] * a4,
        E[3] * a2 + E[4] * a4 + E[5] * a5,
    )
    b20, b21, b22 = (
        E[6] * a0 + E[7] * a1 + E[8] * a2,
        E[6] * a1 + E[7] * a3 + E[8] * a4,
        E[6] * a2 + E[7] * a4 + E[8] * a5,
    )
    return (
        b00 * E[0] + b01 * E[1] + b02 * E[2], b00 * E[3] + b01 * E[4] + b02 * E[5],
        b00 * E[6] + b01 * E[7] + b02 * E[8], b10 * E[3] + b11 * E[4] + b12 * E[5],
        b10 * E[6] + b11 * E[7] + b12 * E[8], b20 * E[6] + b21 * E[7] + b22 * E[8],
    )  # fmt: skip


@inner
def add_shifted(work, up, x, y, z, a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5, b6, b7, b8, c0, c1, c2, c3, c4, c5):
    """Add an inertia along the parent's axes, taken about the point (x, y, z), to the parent's."""
    # shifted by p: B' = B + [p] C, A' = A - B [p] + [p] B'^T
    n0, n1, n2 = b0 + y * c2 - z * c1, b1 + y * c4 - z * c3, b2 + y * c5 - z * c4
    n3, n4, n5 = b3 + z * c0 - x * c2, b4 + z * c1 - x * c4, b5 + z * c2 - x * c5
    n6, n7, n8 = b6 + x * c1 - y * c0, b7 + x * c3 - y * c1, b8 + x * c4 - y * c2
    work[up, IA] += a0 - (b1 * z - b2 * y) + (y * n2 - z * n1)
    work[up, IA + 1] += a1 - (b2 * x - b0 * z) + (y * n5 - z * n4)
    work[up, IA + 2] += a2 - (b0 * y - b1 * x) + (y * n8 - z * n7)
    work[up, IA + 3] += a3 - (b5 * x - b3 * z) + (z * n3 - x * n5)
    work[up, IA + 4] += a4 - (b3 * y - b4 * x) + (z * n6 - x * n8)
    work[up, IA + 5] += a5 - (b6 * y - b7 * x) + (x * n7 - y * n6)
    work[up, IA + 6] += n0
    work[up, IA + 7] += n1
    work[up, IA + 8] += n2
    work[up, IA + 9] += n3
    work[up, IA + 10] += n4
    work[up, IA + 11] += n5
    work[up, IA + 12] += n6
    work[up, IA + 13] += n7
    work[up, IA + 14] += n8
    work[up, IA + 15] += c0
    work[up, IA + 16] += c1
    work[up, IA + 17] += c2
    work[up, IA + 18] += c3
    work[up, IA + 19] += c4
    work[up, IA + 20] += c5


@inner
def give_to_parent(work, j, up, M):
    """Add an inertia, seen from the parent's joint frame, to the parent's."""
    E = (
        work[j, R],
        work[j, R + 1],
        work[j, R + 2],
        work[j, R + 3],
        work[j, R + 4],
        work[j, R + 5],
        work[j, R + 6],
        work[j, R + 7],
        work[j, R + 8],
    )
    x, y, z = work[j, P], work[j, P + 1], work[j, P + 2]
    a0, a1, a2, a3, a4, a5 = turned(E, M[0], M[1], M[2], M[3], M[4], M[5])
    c0, c1, c2, c3, c4, c5 = turned(E, M[15], M[16], M[17], M[18], M[19], M[20])
    # B turned: (E B) E^T
    e00, e01, e02 = (
        E[0] * M[6] + E[1] * M[9] + E[2] * M[12],
        E[0] * M[7] + E[1] * M[10] + E[2] * M[13],
        E[0] * M[8] + E[1] * M[11] + E[2] * M[14],
    )
    e10, e11, e12 = (
        E[3] * M[6] + E[4] * M[9] + E[5] * M[12],
        E[3] * M[7] + E[4] * M[10] + E[5] * M[13],
        E[3] * M[8] + E[4] * M[11] + E[5] * M[14],
    )
    e20, e21, e22 = (
        E[6] * M[6] + E[7] * M[9] + E[8] * M[12],
        E[6] * M[7] + E[7] * M[10] + E[8] * M[13],
        E[6] * M[8] + E[7] * M[11] + E[8] * M[14],
    )
    b0, b1, b2 = (
        e00 * E[0] + e01 * E[1] + e02 * E[2],
        e00 * E[3] + e01 * E[4] + e02 * E[5],
        e00 * E[6] + e01 * E[7] + e02 * E[8],
    )
    b3, b4, b5 = (
        e10 * E[0] + e11 * E[1] + e12 * E[2],
        e10 * E[3] + e11 * E[4] + e12 * E[5],
        e10 * E[6] + e11 * E[7] + e12 * E[8],
    )
    b6, b7, b8 = (
        e20 * E[0] + e21 * E[1] + e22 * E[2],
        e20 * E[3] + e21 * E[4] + e22 * E[5],
        e20 * E[6] + e21 * E[7] + e22 * E[8],
    )
    add_shifted(work, up, x, y, z, a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5, b6, b7, b8, c0, c1, c2, c3, c4, c5)


@inner
def give_wrench(work, j, up, start, w0, w1, w2, w3, w4, w5):
    """Add a wrench of a body, seen from the parent's joint frame, to six numbers of the parent's row."""
    E = (
        work[j, R],
        work[j, R + 1],
        work[j, R + 2],
        work[j, R + 3],
        work[j, R + 4],
        work[j, R + 5],
        work[j, R + 6],
        work[j, R + 7],
        work[j, R + 8],
    )
    f0, f1, f2 = applied(E, w3, w4, w5)
    t0, t1, t2 = applied(E, w0, w1, w2)
    m0, m1, m2 = cross(work[j, P], work[j, P + 1], work[j, P + 2], f0, f1, f2)
    work[up, start] += t0 + m0
    work[up, start + 1] += t1 + m1
    work[up, start + 2] += t2 + m2
    work[up, start + 3] += f0
    work[up, start + 4] += f1
    work[up, start + 5] += f2


@inner
def rotation_of(work, j):
    return (
        work[j, R],
        work[j, R + 1],
        work[j, R + 2],
        work[j, R + 3],
        work[j, R + 4],
        work[j, R + 5],
        work[j, R + 6],
        work[j, R + 7],
        work[j, R + 8],
    )


@inner
def eliminate_hinge(work, j, up, columns, k, armature, keep_inertia):
    """One turn about z: its column of the inertia is the third, and is zero afterwards. True if something resists."""
    M = inertia_of(work, j)
    d = M[5] + armature
    if not d > ROUND_OFF * (M[0] + M[3] + M[5]):
        return False
    d = 1.0 / d
    u = columns[k, TAU] - work[j, PA + 2]
    u0, u1, u3, u4, u5 = M[2], M[4], M[12], M[13], M[14]
    columns[k, U], columns[k, U + 1], columns[k, U + 2], columns[k, U + 3], columns[k, U + 4], columns[k, U + 5] = (
        u0,
        u1,
        M[5],
        u3,
        u4,
        u5,
    )
    columns[k, D], columns[k, TAU] = d, u
    a0, a1, a3, a4, a5 = d * u0, d * u1, d * u3, d * u4, d * u5
    # with an armature the third row and column keep M55 - M55^2 d and its like
    rest = d * armature
    N = (
        M[0] - a0 * u0, M[1] - a0 * u1, rest * u0, M[3] - a1 * u1, rest * u1, rest * M[5],
        M[6] - a0 * u3, M[7] - a0 * u4, M[8] - a0 * u5,
        M[9] - a1 * u3, M[10] - a1 * u4, M[11] - a1 * u5,
        rest * u3, rest * u4, rest * u5,
        M[15] - a3 * u3, M[16] - a3 * u4, M[17] - a3 * u5, M[18] - a4 * u4, M[19] - a4 * u5, M[20] - a5 * u5,
    )  # fmt: skip
    f = u * d
    p0, p1, p2 = work[j, PA] + f * u0, work[j, PA + 1] + f * u1, work[j, PA + 2] + f * M[5]
    p3, p4, p5 = work[j, PA + 3] + f * u3, work[j, PA + 4] + f * u4, work[j, PA + 5] + f * u5
    if keep_inertia:
        store_inertia(work, j, N)
        work[j, PA], work[j, PA + 1], work[j, PA + 2], work[j, PA + 3], work[j, PA + 4], work[j, PA + 5] = (
            p0,
            p1,
            p2,
            p3,
            p4,
            p5,
        )
    if up >= 0:
        c0, c1, c2, c3, c4, c5 = times(N, work[j, C], work[j, C + 1], 0.0, work[j, C + 3], work[j, C + 4], 0.0)
        if armature == 0.0:
            give_flat(work, j, up, N)
        else:
            give_to_parent(work, j, up, N)
        give_wrench(work, j, up, PA, p0 + c0, p1 + c1, p2 + c2, p3 + c3, p4 + c4, p5 + c5)
    return True


@inner
def give_flat(work, j, up, M):
    """`give_to_parent` for an inertia whose third angular row and column are zero."""
    E = rotation_of(work, j)
    x, y, z = work[j, P], work[j, P + 1], work[j, P + 2]
    g00, g01, g10, g11 = (
        E[0] * M[0] + E[1] * M[1],
        E[0] * M[1] + E[1] * M[3],
        E[3] * M[0] + E[4] * M[1],
        E[3] * M[1] + E[4] * M[3],
    )
    g20, g21 = E[6] * M[0] + E[7] * M[1], E[6] * M[1] + E[7] * M[3]
    a0, a1, a2 = g00 * E[0] + g01 * E[1], g00 * E[3] + g01 * E[4], g00 * E[6] + g01 * E[7]
    a3, a4, a5 = g10 * E[3] + g11 * E[4], g10 * E[6] + g11 * E[7], g20 * E[6] + g21 * E[7]
    c0, c1, c2, c3, c4, c5 = turned(E, M[15], M[16], M[17], M[18], M[19], M[20])
    e00, e01, e02 = E[0] * M[6] + E[1] * M[9], E[0] * M[7] + E[1] * M[10], E[0] * M[8] + E[1] * M[11]
    e10, e11, e12 = E[3] * M[6] + E[4] * M[9], E[3] * M[7] + E[4] * M[10], E[3] * M[8] + E[4] * M[11]
    e20, e21, e22 = E[6] * M[6] + E[7] * M[9], E[6] * M[7] + E[7] * M[10], E[6] * M[8] + E[7] * M[11]
    b0, b1, b2 = (
        e00 * E[0] + e01 * E[1] + e02 * E[2],
        e00 * E[3] + e01 * E[4] + e02 * E[5],
        e00 * E[6] + e01 * E[7] + e02 * E[8],
    )
    b3, b4, b5 = (
        e10 * E[0] + e11 * E[1] + e12 * E[2],
        e10 * E[3] + e11 * E[4] + e12 * E[5],
        e10 * E[6] + e11 * E[7] + e12 * E[8],
    )
    b6, b7, b8 = (
        e20 * E[0] + e21 * E[1] + e22 * E[2],
        e20 * E[3] + e21 * E[4] + e22 * E[5],
        e20 * E[6] + e21 * E[7] + e22 * E[8],
    )
    add_shifted(work, up, x, y, z, a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5, b6, b7, b8, c0, c1, c2, c3, c4, c5)


@inner
def eliminate_ball(work, j, up, columns, dof, keep_inertia):
    """Three turns at once: only the linear inertia C - B^T A^-1 B is left, and the torque is what the joint gives.

    Keeps A^-1 and A^-1 (torque - bias) in the joint's first column. True if something resists.
    """
    M = inertia_of(work, j)
    # A = L diag(d) L^T
    d0 = M[0]
    if not d0 > 0.0:
        return False
    l1, l2 = M[1] / d0, M[2] / d0
    d1 = M[3] - l1 * M[1]
    if not d1 > ROUND_OFF * M[3]:
        return False
    m43 = M[4] - l1 * M[2]
    l3 = m43 / d1
    d2 = M[5] - l2 * M[2] - l3 * m43
    if not d2 > ROUND_OFF * M[5]:
        return False
    i0, i1, i2 = 1.0 / d0, 1.0 / d1, 1.0 / d2
    l4 = l1 * l3 - l2  # L^-1 = (1; -l1 1; l4 -l3 1)
    n5, n4, n2 = i2, -l3 * i2, l4 * i2
    n3, n1, n0 = i1 - l3 * n4, -l1 * i1 + l4 * n4, i0 + l1 * l1 * i1 + l4 * n2
    e, f, g = dof, dof + 1, dof + 2
    # torque t with J^T t = tau, where J has the columns' angular parts
    J = (
        columns[e, S],
        columns[f, S],
        columns[g, S],
        columns[e, S + 1],
        columns[f, S + 1],
        columns[g, S + 1],
        columns[e, S + 2],
        columns[f, S + 2],
        columns[g, S + 2],
    )
    t0, t1, t2 = solved_transposed(J, columns[e, TAU], columns[f, TAU], columns[g, TAU])
    r0, r1, r2 = t0 - work[j, PA], t1 - work[j, PA + 1], t2 - work[j, PA + 2]
    y0, y1, y2 = n0 * r0 + n1 * r1 + n2 * r2, n1 * r0 + n3 * r1 + n4 * r2, n2 * r0 + n4 * r1 + n5 * r2
    # W = A^-1 B
    w00, w01, w02 = (
        n0 * M[6] + n1 * M[9] + n2 * M[12],
        n0 * M[7] + n1 * M[10] + n2 * M[13],
        n0 * M[8] + n1 * M[11] + n2 * M[14],
    )
    w10, w11, w12 = (
        n1 * M[6] + n3 * M[9] + n4 * M[12],
        n1 * M[7] + n3 * M[10] + n4 * M[13],
        n1 * M[8] + n3 * M[11] + n4 * M[14],
    )
    w20, w21, w22 = (
        n2 * M[6] + n4 * M[9] + n5 * M[12],
        n2 * M[7] + n4 * M[10] + n5 * M[13],
        n2 * M[8] + n4 * M[11] + n5 * M[14],
    )
    columns[e, U], columns[e, U + 1], columns[e, U + 2] = w00, w01, w02
    columns[f, U], columns[f, U + 1], columns[f, U + 2] = w10, w11, w12
    columns[g, U], columns[g, U + 1], columns[g, U + 2] = w20, w21, w22
    columns[e, TAU], columns[f, TAU], columns[g, TAU] = y0, y1, y2
    c0 = M[15] - (M[6] * w00 + M[9] * w10 + M[12] * w20)
    c1 = M[16] - (M[6] * w01 + M[9] * w11 + M[12] * w21)
    c2 = M[17] - (M[6] * w02 + M[9] * w12 + M[12] * w22)
    c3 = M[18] - (M[7] * w01 + M[10] * w11 + M[13] * w21)
    c4 = M[19] - (M[7] * w02 + M[10] * w12 + M[13] * w22)
    c5 = M[20] - (M[8] * w02 + M[11] * w12 + M[14] * w22)
    p3 = work[j, PA + 3] + M[6] * y0 + M[9] * y1 + M[12] * y2
    p4 = work[j, PA + 4] + M[7] * y0 + M[10] * y1 + M[13] * y2
    p5 = work[j, PA + 5] + M[8] * y0 + M[11] * y1 + M[14] * y2
    if keep_inertia:
        for m in range(15):
            work[j, IA + m] = 0.0
        work[j, IA + 15], work[j, IA + 16], work[j, IA + 17], work[j, IA + 18], work[j, IA + 19], work[j, IA + 20] = (
            c0,
            c1,
            c2,
            c3,
            c4,
            c5,
        )
        work[j, PA], work[j, PA + 1], work[j, PA + 2], work[j, PA + 3], work[j, PA + 4], work[j, PA + 5] = (
            t0,
            t1,
            t2,
            p3,
            p4,
            p5,
        )
    if up >= 0:
        x, y, z = work[j, C + 3], work[j, C + 4], work[j, C + 5]
        p3, p4, p5 = p3 + c0 * x + c1 * y + c2 * z, p4 + c1 * x + c3 * y + c4 * z, p5 + c2 * x + c4 * y + c5 * z
        c0, c1, c2, c3, c4, c5 = turned(rotation_of(work, j), c0, c1, c2, c3, c4, c5)
        add_shifted(
            work, up, work[j, P], work[j, P + 1], work[j, P + 2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, c0, c1, c2, c3, c4, c5,
        )  # fmt: skip
        give_wrench(work, j, up, PA, t0, t1, t2, p3, p4, p5)
    return True


@inner
def is_bare(armature, dof):
    return armature[dof] == 0.0 and armature[dof + 1] == 0.0 and armature[dof + 2] == 0.0


@inner
def eliminate(links, work, columns, armature, qddot, keep_inertia):
    """From the leaves to the root: articulated inertias and biases; gives -1, or the body nothing resists at.

    `TAU` of a column holds the force along it and gets the force less bias. armature: added to each coordinate's
    inertia; a ball without it is eliminated as a whole.
    """
    for j in range(links.shape[0] - 1, -1, -1):
        dof, count, up = links[j, DOF], links[j, NDOF], links[j, PARENT]
        if links[j, PRESCRIBED]:
            for k in range(dof, dof + count):
                for m in range(6):
                    work[j, C + m] += columns[k, S + m] * qddot[k]
        elif links[j, MODE] == HINGE:
            if not eliminate_hinge(work, j, up, columns, dof, armature[dof], keep_inertia):
                return j
            continue
        elif links[j, MODE] == BALL_ALONE and is_bare(armature, dof):
            if not eliminate_ball(work, j, up, columns, dof, keep_inertia):
                return j
            continue
        M = inertia_of(work, j)
        p0, p1, p2, p3, p4, p5 = (
            work[j, PA],
            work[j, PA + 1],
            work[j, PA + 2],
            work[j, PA + 3],
            work[j, PA + 4],
            work[j, PA + 5],
        )
        if not links[j, PRESCRIBED]:
            for k in range(dof + count - 1, dof - 1, -1):
                s0, s1, s2, s3, s4, s5 = (
                    columns[k, S],
                    columns[k, S + 1],
                    columns[k, S + 2],
                    columns[k, S + 3],
                    columns[k, S + 4],
                    columns[k, S + 5],
                )
                u0, u1, u2, u3, u4, u5 = times(M, s0, s1, s2, s3, s4, s5)
                d = s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5 + armature[k]
                size = abs(s0 * u0) + abs(s1 * u1) + abs(s2 * u2) + abs(s3 * u3) + abs(s4 * u4) + abs(s5 * u5)
                if not d > ROUND_OFF * size:
                    return j
                d = 1.0 / d
                u = columns[k, TAU] - (s0 * p0 + s1 * p1 + s2 * p2 + s3 * p3 + s4 * p4 + s5 * p5)
                columns[k, U], columns[k, U + 1], columns[k, U + 2] = u0, u1, u2
                columns[k, U + 3], columns[k, U + 4], columns[k, U + 5] = u3, u4, u5
                columns[k, D], columns[k, TAU] = d, u
                M = less(M, u0, u1, u2, u3, u4, u5, d)
                u *= d
                p0, p1, p2, p3, p4, p5 = p0 + u * u0, p1 + u * u1, p2 + u * u2, p3 + u * u3, p4 + u * u4, p5 + u * u5
        if keep_inertia or links[j, PRESCRIBED]:
            store_inertia(work, j, M)
            work[j, PA], work[j, PA + 1], work[j, PA + 2], work[j, PA + 3], work[j, PA + 4], work[j, PA + 5] = (
                p0,
                p1,
                p2,
                p3,
                p4,
                p5,
            )
        if up >= 0:
            c0, c1, c2, c3, c4, c5 = times(
                M, work[j, C], work[j, C + 1], work[j, C + 2], work[j, C + 3], work[j, C + 4], work[j, C + 5]
            )
            give_to_parent(work, j, up, M)
            give_wrench(work, j, up, PA, p0 + c0, p1 + c1, p2 + c2, p3 + c3, p4 + c4, p5 + c5)
    return -1


@inner
def carried(j, links, work, g0, g1, g2):
    """Acceleration that a body has from its parent and its velocity product, less gravity (g of the world)."""
    up = links[j, PARENT]
    E, t = rotation_of(work, j), (work[j, P], work[j, P + 1], work[j, P + 2])
    if up >= 0:
        a = turned_back(
            E,
            t,
            work[up, ACC],
            work[up, ACC + 1],
            work[up, ACC + 2],
            work[up, ACC + 3],
            work[up, ACC + 4],
            work[up, ACC + 5],
        )
    else:
        a = turned_back(E, t, 0.0, 0.0, 0.0, -g0, -g1, -g2)
    return (
        a[0] + work[j, C],
        a[1] + work[j, C + 1],
        a[2] + work[j, C + 2],
        a[3] + work[j, C + 3],
        a[4] + work[j, C + 4],
        a[5] + work[j, C + 5],
    )


@inner
def substitute(links, work, columns, armature, world, qddot, tau, wrenches):
    """From the root to the leaves: accelerations, forces of prescribed joints and, if asked for, wrenches of all."""
    g0, g1, g2 = world[0], world[1], world[2]
    for j in range(links.shape[0]):
        dof, count = links[j, DOF], links[j, NDOF]
        a0, a1, a2, a3, a4, a5 = carried(j, links, work, g0, g1, g2)
        if wrenches or links[j, PRESCRIBED]:
            f0, f1, f2, f3, f4, f5 = times(inertia_of(work, j), a0, a1, a2, a3, a4, a5)
            work[j, F], work[j, F + 1], work[j, F + 2] = f0 + work[j, PA], f1 + work[j, PA + 1], f2 + work[j, PA + 2]
            work[j, F + 3], work[j, F + 4], work[j, F + 5] = (
                f3 + work[j, PA + 3],
                f4 + work[j, PA + 4],
                f5 + work[j, PA + 5],
            )
        if links[j, PRESCRIBED]:
            for k in range(dof, dof + count):
                total = 0.0
                for m in range(6):
                    total += columns[k, S + m] * work[j, F + m]
                tau[k] = total
        elif links[j, MODE] == HINGE:
            k = dof
            x = columns[k, D] * (
                columns[k, TAU]
                - (columns[k, U] * a0 + columns[k, U + 1] * a1 + columns[k, U + 2] * a2)
                - (columns[k, U + 3] * a3 + columns[k, U + 4] * a4 + columns[k, U + 5] * a5)
            )
            qddot[dof] = x
            a2 += x
        elif links[j, MODE] == BALL_ALONE and is_bare(armature, dof):
            e, f, g = dof, dof + 1, dof + 2
            J = (
                columns[e, S],
                columns[f, S],
                columns[g, S],
                columns[e, S + 1],
                columns[f, S + 1],
                columns[g, S + 1],
                columns[e, S + 2],
                columns[f, S + 2],
                columns[g, S + 2],
            )
            x0 = columns[e, TAU] - (columns[e, U] * a3 + columns[e, U + 1] * a4 + columns[e, U + 2] * a5)
            x1 = columns[f, TAU] - (columns[f, U] * a3 + columns[f, U + 1] * a4 + columns[f, U + 2] * a5)
            x2 = columns[g, TAU] - (columns[g, U] * a3 + columns[g, U + 1] * a4 + columns[g, U + 2] * a5)
            qddot[dof], qddot[dof + 1], qddot[dof + 2] = solved3(J, x0 - a0, x1 - a1, x2 - a2)
            a0, a1, a2 = x0, x1, x2
        else:
            for k in range(dof, dof + count):
                x = columns[k, D] * (
                    columns[k, TAU]
                    - (columns[k, U] * a0 + columns[k, U + 1] * a1 + columns[k, U + 2] * a2)
                    - (columns[k, U + 3] * a3 + columns[k, U + 4] * a4 + columns[k, U + 5] * a5)
                )
                qddot[k] = x
                a0, a1, a2 = a0 + x * columns[k, S], a1 + x * columns[k, S + 1], a2 + x * columns[k, S + 2]
                a3, a4, a5 = a3 + x * columns[k, S + 3], a4 + x * columns[k, S + 4], a5 + x * columns[k, S + 5]
        work[j, ACC], work[j, ACC + 1], work[j, ACC + 2] = a0, a1, a2
        work[j, ACC + 3], work[j, ACC + 4], work[j, ACC + 5] = a3, a4, a5
