# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges, the commonest joints, by themselves. Kernels turn their joint frames so that they turn about z."""

from __future__ import annotations

from . import layout as at
from .inertia import add_wrench, give, turned, whole_inertia
from .jit import inlined
from .memory import fixed3, get, get3, get6, get9, put, put3, put6, put_all
from .motion import handed_down, keep_bias
from .spatial import applied, centripetal, sine_cosine, turned_into

R0, P0, R, P, V, C, G, PA, ACC, F = at.R0, at.P0, at.R, at.P, at.V, at.C, at.G, at.PA, at.ACC, at.F
BIAS, IA, U, D, TAU = at.BIAS, at.IA, at.U, at.D, at.TAU
LEAF, LAST_CHILD = at.LEAF, at.LAST_CHILD
ROUND_OFF = 1e-15
"""An inertia this small beside the terms it is the sum of is no inertia."""


@inlined
def place_hinge(body, work, up, q, v):
    """Pose, angular velocity and velocity products. The column of S stands there from the beginning."""
    s, c = sine_cosine(q)
    x0, y0, z0 = fixed3(body, R0)
    x1, y1, z1 = fixed3(body, R0 + 3)
    x2, y2, z2 = fixed3(body, R0 + 6)
    E = (
        c * x0 + s * y0, c * y0 - s * x0, z0,
        c * x1 + s * y1, c * y1 - s * x1, z1,
        c * x2 + s * y2, c * y2 - s * x2, z2,
    )  # fmt: skip
    p0, p1, p2 = fixed3(body, P0)
    put_all(work, R, E)
    put3(work, P, p0, p1, p2)
    w0, w1, w2 = get3(up, V)
    g0, g1, g2 = centripetal(w0, w1, w2, p0, p1, p2)
    put3(work, G, g0, g1, g2)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    put6(work, C, v * w1, -v * w0, 0.0, 0.0, 0.0, 0.0)
    w2 += v
    put3(work, V, w0, w1, w2)
    keep_bias(body, work, w0, w1, w2)


@inlined
def eliminate_hinge(body, work, up, column, role, extra, keep, has_parent):
    """The third angular column of the inertia is the hinge's, and is zero afterwards. True if something resists."""
    leaf = role & LEAF != 0
    M = whole_inertia(body, work, extra, leaf)
    p0, p1, p2, p3, p4, p5 = get6(work, BIAS)
    if not leaf:
        a = get6(work, PA)
        p0, p1, p2, p3, p4, p5 = p0 + a[0], p1 + a[1], p2 + a[2], p3 + a[3], p4 + a[4], p5 + a[5]
    if not M[5] > ROUND_OFF * (M[0] + M[3] + M[5]):
        return False
    d, tau = 1.0 / M[5], get(column, TAU)
    u, u0, u1, u3, u4, u5 = tau - p2, M[2], M[4], M[12], M[13], M[14]
    put6(column, U, u0, u1, M[5], u3, u4, u5)
    put(column, D, d)
    put(column, TAU, u)
    a0, a1, a3, a4, a5 = d * u0, d * u1, d * u3, d * u4, d * u5
    xx, xy, yy = M[0] - a0 * u0, M[1] - a0 * u1, M[3] - a1 * u1
    b0, b1, b2 = M[6] - a0 * u3, M[7] - a0 * u4, M[8] - a0 * u5
    b3, b4, b5 = M[9] - a1 * u3, M[10] - a1 * u4, M[11] - a1 * u5
    k0, k1, k2 = M[15] - a3 * u3, M[16] - a3 * u4, M[17] - a3 * u5
    k3, k4, k5 = M[18] - a4 * u4, M[19] - a4 * u5, M[20] - a5 * u5
    p0, p1, p2, p3, p4, p5 = p0 + u * a0, p1 + u * a1, tau, p3 + u * a3, p4 + u * a4, p5 + u * a5
    if keep:
        N = (
            xx, xy, 0.0, yy, 0.0, 0.0, b0, b1, b2, b3, b4, b5, 0.0, 0.0, 0.0, k0, k1, k2, k3, k4, k5
        )  # fmt: skip
        put_all(work, IA, N)
        put6(work, F, p0, p1, p2, p3, p4, p5)
    if has_parent:
        c0, c1 = get(work, C), get(work, C + 1)
        p0, p1 = p0 + xx * c0 + xy * c1, p1 + xy * c0 + yy * c1
        p3, p4, p5 = p3 + b0 * c0 + b3 * c1, p4 + b1 * c0 + b4 * c1, p5 + b2 * c0 + b5 * c1
        E = get9(work, R)
        # along the parent's axes
        g0, g1 = E[0] * xx + E[1] * xy, E[0] * xy + E[1] * yy
        g2, g3 = E[3] * xx + E[4] * xy, E[3] * xy + E[4] * yy
        g4, g5 = E[6] * xx + E[7] * xy, E[6] * xy + E[7] * yy
        A = (
            g0 * E[0] + g1 * E[1], g0 * E[3] + g1 * E[4], g0 * E[6] + g1 * E[7],
            g2 * E[3] + g3 * E[4], g2 * E[6] + g3 * E[7], g4 * E[6] + g5 * E[7],
        )  # fmt: skip
        e0, e1, e2 = applied(E, b0, b1, b2)
        e3, e4, e5 = applied(E, b3, b4, b5)
        B = (
            E[0] * e0 + E[1] * e3, E[0] * e1 + E[1] * e4, E[0] * e2 + E[1] * e5,
            E[3] * e0 + E[4] * e3, E[3] * e1 + E[4] * e4, E[3] * e2 + E[4] * e5,
            E[6] * e0 + E[7] * e3, E[6] * e1 + E[7] * e4, E[6] * e2 + E[7] * e5,
        )  # fmt: skip
        K = turned(E, k0, k1, k2, k3, k4, k5)
        t, f = applied(E, p0, p1, p2), applied(E, p3, p4, p5)
        give(up, role & LAST_CHILD != 0, get3(work, P), A, B, K, t, f, get3(work, G))
    return True


@inlined
def turn_hinge(work, up, column, wrenches):
    """The hinge's acceleration, with which the body's is complete."""
    g0, g1, g2 = get3(work, G)
    a0, a1, a2, a3, a4, a5 = handed_down(get9(work, R), get3(work, P), up, g0, g1, g2)
    a0, a1 = a0 + get(work, C), a1 + get(work, C + 1)
    if wrenches:
        add_wrench(work, a0, a1, a2, a3, a4, a5)
    u0, u1, u2, u3, u4, u5 = get6(column, U)
    x = get(column, D) * (get(column, TAU) - ((u0 * a0 + u1 * a1 + u2 * a2) + (u3 * a3 + u4 * a4 + u5 * a5)))
    put6(work, ACC, a0, a1, a2 + x, a3, a4, a5)
    return x
