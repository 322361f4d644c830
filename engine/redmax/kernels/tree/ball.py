# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that are a ball and nothing else: S = (J; 0), and three coordinates are eliminated at once."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Body, Column, Work
from ..layout.memory import fixed3, fixed9, further, get, get3, get6, get9, put, put3, put6, put_all
from ..spatial import (
    applied,
    ball_bias,
    ball_motion,
    centripetal,
    cross,
    product,
    solved3,
    solved_transposed,
    turned_into,
)
from .hinge import NO_INERTIA
from .inertia import add_linear_to_parent, add_wrench, inertia_with_children, rotated
from .motion import handed_down, keep_bias


@inner
def place_ball(body, work, up, columns, q, qdot):
    """Write pose, angular velocity, velocity products, S and bias. columns, q, qdot: from its first coordinate on."""
    x, y, z = get3(q, 0)
    dx, dy, dz = get3(qdot, 0)
    Q, J, k3, k4, k5 = ball_motion(x, y, z)
    E = product(fixed9(body, Body.R0), Q)
    p0, p1, p2 = fixed3(body, Body.P0)
    put_all(work, Work.R, E)
    put3(work, Work.P, p0, p1, p2)
    put6(columns, Column.S, J[0], J[3], J[6], 0.0, 0.0, 0.0)
    put6(columns, Column.S + Column.SIZE, J[1], J[4], J[7], 0.0, 0.0, 0.0)
    put6(columns, Column.S + 2 * Column.SIZE, J[2], J[5], J[8], 0.0, 0.0, 0.0)
    x0, x1, x2 = applied(J, dx, dy, dz)
    y0, y1, y2 = ball_bias(x, y, z, dx, dy, dz, k3, k4, k5)
    w0, w1, w2 = get3(up, Work.V)
    g0, g1, g2 = centripetal(w0, w1, w2, p0, p1, p2)
    put3(work, Work.G, g0, g1, g2)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    c0, c1, c2 = cross(w0, w1, w2, x0, x1, x2)
    put6(work, Work.C, c0 + y0, c1 + y1, c2 + y2, 0.0, 0.0, 0.0)
    w0, w1, w2 = w0 + x0, w1 + x1, w2 + x2
    put3(work, Work.V, w0, w1, w2)
    keep_bias(body, work, w0, w1, w2)


@inner
def eliminate_ball(body, work, up, columns, role, extra, keep, has_parent):
    """Eliminate a ball: what is left of the inertia (A, B; B^T, C) is the linear part C - B^T A^-1 B.

    A^-1 B and A^-1 (torque - bias) go to the columns. True if something resists it.
    """
    leaf = role & codes.LEAF != 0
    M = inertia_with_children(body, work, extra, leaf)
    p0, p1, p2, p3, p4, p5 = get6(work, Work.BIAS)
    if not leaf:
        a = get6(work, Work.PA)
        p0, p1, p2, p3, p4, p5 = p0 + a[0], p1 + a[1], p2 + a[2], p3 + a[3], p4 + a[4], p5 + a[5]
    # A = L diag(d) L^T
    if not M[0] > 0.0:
        return False
    i0 = 1.0 / M[0]
    l1, l2 = M[1] * i0, M[2] * i0
    d1 = M[3] - l1 * M[1]
    if not d1 > NO_INERTIA * M[3]:
        return False
    i1, m43 = 1.0 / d1, M[4] - l1 * M[2]
    l3 = m43 * i1
    d2 = M[5] - l2 * M[2] - l3 * m43
    if not d2 > NO_INERTIA * M[5]:
        return False
    i2 = 1.0 / d2
    l4 = l1 * l3 - l2  # L^-1 = (1; -l1 1; l4 -l3 1)
    n5, n4, n2 = i2, -l3 * i2, l4 * i2
    n3, n1, n0 = i1 - l3 * n4, -l1 * i1 + l4 * n4, i0 + l1 * l1 * i1 + l4 * n2
    # torque t with J^T t = tau, where J has the columns' angular parts
    second, third = further(columns, Column.SIZE), further(columns, 2 * Column.SIZE)
    t0, t1, t2 = get(columns, Column.TAU), get(second, Column.TAU), get(third, Column.TAU)
    if t0 != 0.0 or t1 != 0.0 or t2 != 0.0:
        t0, t1, t2 = solved_transposed(jacobian(columns), t0, t1, t2)
    r0, r1, r2 = t0 - p0, t1 - p1, t2 - p2
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
    put3(columns, Column.U, w00, w01, w02)
    put3(second, Column.U, w10, w11, w12)
    put3(third, Column.U, w20, w21, w22)
    put3(columns, Column.TAU, y0, y1, y2)
    # what constraints need of A^-1 = L^-T diag(1/d) L^-1
    put3(columns, Column.U + 3, -l1, l4, -l3)
    put(columns, Column.D, i0)
    put(second, Column.D, i1)
    put(third, Column.D, i2)
    c0 = M[15] - (M[6] * w00 + M[9] * w10 + M[12] * w20)
    c1 = M[16] - (M[6] * w01 + M[9] * w11 + M[12] * w21)
    c2 = M[17] - (M[6] * w02 + M[9] * w12 + M[12] * w22)
    c3 = M[18] - (M[7] * w01 + M[10] * w11 + M[13] * w21)
    c4 = M[19] - (M[7] * w02 + M[10] * w12 + M[13] * w22)
    c5 = M[20] - (M[8] * w02 + M[11] * w12 + M[14] * w22)
    p3 += M[6] * y0 + M[9] * y1 + M[12] * y2
    p4 += M[7] * y0 + M[10] * y1 + M[13] * y2
    p5 += M[8] * y0 + M[11] * y1 + M[14] * y2
    if keep:
        N = (
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, c0, c1, c2, c3, c4, c5
        )  # fmt: skip
        put_all(work, Work.IA, N)
        put6(work, Work.F, t0, t1, t2, p3, p4, p5)
    if has_parent:
        E = get9(work, Work.R)
        K = rotated(E, c0, c1, c2, c3, c4, c5)
        t, f = applied(E, t0, t1, t2), applied(E, p3, p4, p5)
        add_linear_to_parent(up, role & codes.LAST_CHILD != 0, get3(work, Work.P), K, t, f, get3(work, Work.G))
    return True


@inner
def turn_ball(work, up, columns, wrenches, qddot):
    """Write the accelerations of a ball and its body. qddot: from its first coordinate on."""
    g0, g1, g2 = get3(work, Work.G)
    a0, a1, a2, a3, a4, a5 = handed_down(get9(work, Work.R), get3(work, Work.P), up, g0, g1, g2)
    c0, c1, c2 = get3(work, Work.C)
    a0, a1, a2 = a0 + c0, a1 + c1, a2 + c2
    if wrenches:
        add_wrench(work, a0, a1, a2, a3, a4, a5)
    y0, y1, y2 = get3(columns, Column.TAU)
    second, third = further(columns, Column.SIZE), further(columns, 2 * Column.SIZE)
    u0, u1, u2 = get3(columns, Column.U)
    x0 = y0 - (u0 * a3 + u1 * a4 + u2 * a5)
    u0, u1, u2 = get3(second, Column.U)
    x1 = y1 - (u0 * a3 + u1 * a4 + u2 * a5)
    u0, u1, u2 = get3(third, Column.U)
    x2 = y2 - (u0 * a3 + u1 * a4 + u2 * a5)
    put6(work, Work.ACC, x0, x1, x2, a3, a4, a5)
    x0, x1, x2 = solved3(jacobian(columns), x0 - a0, x1 - a1, x2 - a2)
    put3(qddot, 0, x0, x1, x2)


@inner
def jacobian(columns):
    """J as nine numbers: the angular parts of three columns of S."""
    a, b = get3(columns, Column.S), get3(columns, Column.S + Column.SIZE)
    c = get3(columns, Column.S + 2 * Column.SIZE)
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]
