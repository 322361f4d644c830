# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges, the commonest joints, in code of their own. Kernels rotate their joint frames so that they turn about z.

A hinge on a parallel hinge, as in planar linkages, has its own functions: between the two frames everything turns about
z, by an angle whose cosine and sine are e and f. That takes a sixth less time.
"""

from __future__ import annotations

from ..cache.jit import inlined
from ..layout import codes
from ..layout.declaration import Body, Column, Work
from ..layout.memory import fixed, fixed3, get, get3, get6, get9, put, put3, put6, put_all
from ..spatial import applied, centripetal, cross, sine_cosine, turned_into
from .inertia import add_to_parent, add_wrench, inertia_with_children, rotated
from .motion import handed_down, keep_bias

NO_INERTIA = 1e-15
"""An inertia up to this, relative to the terms it is the sum of, is rounding: nothing resists the joint."""


@inlined
def place_hinge(body, work, up, q, v):
    """Write pose, angular velocity, velocity products and bias of a hinge; `packing_bodies` wrote what is constant."""
    s, c = sine_cosine(q)
    x0, y0, z0 = fixed3(body, Body.R0)
    x1, y1, z1 = fixed3(body, Body.R0 + 3)
    x2, y2, z2 = fixed3(body, Body.R0 + 6)
    E = (
        c * x0 + s * y0, c * y0 - s * x0, z0,
        c * x1 + s * y1, c * y1 - s * x1, z1,
        c * x2 + s * y2, c * y2 - s * x2, z2,
    )  # fmt: skip
    put_all(work, Work.R, E)
    w0, w1, w2 = get3(up, Work.V)
    keep_centripetal(body, work, w0, w1, w2)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    keep_turning(body, work, w0, w1, w2, v)


@inlined
def place_parallel(body, work, up, q, v):
    """Write pose, angular velocity, velocity products and bias of a hinge parallel to its parent's."""
    s, c = sine_cosine(q)
    x, y = fixed(body, Body.R0), fixed(body, Body.R0 + 3)
    e, f = c * x - s * y, c * y + s * x
    put3(work, Work.R, e, -f, 0.0)
    put3(work, Work.R + 3, f, e, 0.0)
    w0, w1, w2 = get3(up, Work.V)
    keep_centripetal(body, work, w0, w1, w2)
    keep_turning(body, work, e * w0 + f * w1, e * w1 - f * w0, w2, v)


@inlined
def place_in_plane(body, work, up, q, v, on_rest):
    """Write what `place_hinge`, where its parent is at rest, or `place_parallel` do, in a tree that moves in a plane:
    all angular velocities are along z."""
    s, c = sine_cosine(q)
    w = v
    if on_rest:
        x0, y0, z0 = fixed3(body, Body.R0)
        x1, y1, z1 = fixed3(body, Body.R0 + 3)
        x2, y2, z2 = fixed3(body, Body.R0 + 6)
        put3(work, Work.R, c * x0 + s * y0, c * y0 - s * x0, z0)
        put3(work, Work.R + 3, c * x1 + s * y1, c * y1 - s * x1, z1)
        put3(work, Work.R + 6, c * x2 + s * y2, c * y2 - s * x2, z2)
        put3(work, Work.G, 0.0, 0.0, 0.0)
    else:
        x, y, turning = fixed(body, Body.R0), fixed(body, Body.R0 + 3), get(up, Work.V + 2)
        e, f, k = c * x - s * y, c * y + s * x, -turning * turning
        put3(work, Work.R, e, -f, 0.0)
        put3(work, Work.R + 3, f, e, 0.0)
        put3(work, Work.G, k * fixed(body, Body.P0), k * fixed(body, Body.P0 + 1), 0.0)
        w += turning
    k = w * w
    put3(work, Work.C, 0.0, 0.0, 0.0)
    put3(work, Work.V, 0.0, 0.0, w)
    put3(work, Work.BIAS, -k * fixed(body, Body.INERTIA + 4), k * fixed(body, Body.INERTIA + 2), 0.0)
    put3(work, Work.BIAS + 3, -k * fixed(body, Body.MOMENT), -k * fixed(body, Body.MOMENT + 1), 0.0)


@inlined
def keep_centripetal(body, work, w0, w1, w2):
    """Write the centripetal acceleration w x (w x p) of a joint frame's origin; w: of the parent, in its axes."""
    p0, p1, p2 = fixed3(body, Body.P0)
    g0, g1, g2 = centripetal(w0, w1, w2, p0, p1, p2)
    put3(work, Work.G, g0, g1, g2)


@inlined
def keep_turning(body, work, w0, w1, w2, v):
    """Write angular velocity, velocity products and bias. w: angular velocity of the parent, in the body's axes."""
    put3(work, Work.C, v * w1, -v * w0, 0.0)
    w2 += v
    put3(work, Work.V, w0, w1, w2)
    keep_bias(body, work, w0, w1, w2)


@inlined
def freed(body, work, column, role, extra, keep):
    """Articulated inertia and bias after elimination of the hinge, whose column, the third angular one, becomes zero.

    Gives whether something resists; angular part xx xy yy, two rows of the mixed part, linear part; torque and force.
    """
    leaf = role & codes.LEAF != 0
    M = inertia_with_children(body, work, extra, leaf)
    p0, p1, p2, p3, p4, p5 = get6(work, Work.BIAS)
    if not leaf:
        a = get6(work, Work.PA)
        p0, p1, p2, p3, p4, p5 = p0 + a[0], p1 + a[1], p2 + a[2], p3 + a[3], p4 + a[4], p5 + a[5]
    resists = M[5] > NO_INERTIA * (M[0] + M[3] + M[5])
    d, tau = 1.0 / M[5], get(column, Column.TAU)
    u, u0, u1, u3, u4, u5 = tau - p2, M[2], M[4], M[12], M[13], M[14]
    put6(column, Column.U, u0, u1, M[5], u3, u4, u5)
    put(column, Column.D, d)
    put(column, Column.TAU, u)
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
        put_all(work, Work.IA, N)
        put6(work, Work.F, p0, p1, p2, p3, p4, p5)
    c0, c1 = get(work, Work.C), get(work, Work.C + 1)
    t = p0 + xx * c0 + xy * c1, p1 + xy * c0 + yy * c1, p2
    f = p3 + b0 * c0 + b3 * c1, p4 + b1 * c0 + b4 * c1, p5 + b2 * c0 + b5 * c1
    return resists, (xx, xy, yy), (b0, b1, b2), (b3, b4, b5), (k0, k1, k2, k3, k4, k5), t, f


@inlined
def eliminate_hinge(body, work, up, column, role, extra, keep, has_parent):
    """Eliminate a hinge and add what is left to its parent. True if something resists it."""
    resists, (xx, xy, yy), (b0, b1, b2), (b3, b4, b5), k, t, f = freed(body, work, column, role, extra, keep)
    if has_parent:
        E = get9(work, Work.R)
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
        K = rotated(E, k[0], k[1], k[2], k[3], k[4], k[5])
        t, f = applied(E, t[0], t[1], t[2]), applied(E, f[0], f[1], f[2])
        add_to_parent(up, role & codes.LAST_CHILD != 0, fixed3(body, Body.P0), A, B, K, t, f, get3(work, Work.G))
    return resists


@inlined
def eliminate_parallel(body, work, up, column, role, extra, keep):
    """Eliminate a hinge parallel to its parent's and add what is left to the parent. True if something resists it."""
    resists, A, b, c, k, t, f = freed(body, work, column, role, extra, keep)
    e, s = get(work, Work.R), get(work, Work.R + 3)
    xx, xy, yy = rotated_about_z(e, s, A[0], A[1], A[2])
    b0, c0 = e * b[0] - s * c[0], s * b[0] + e * c[0]
    b1, c1 = e * b[1] - s * c[1], s * b[1] + e * c[1]
    b2, c2 = e * b[2] - s * c[2], s * b[2] + e * c[2]
    B = (e * b0 - s * b1, s * b0 + e * b1, b2, e * c0 - s * c1, s * c0 + e * c1, c2, 0.0, 0.0, 0.0)
    k0, k1, k3 = rotated_about_z(e, s, k[0], k[1], k[3])
    K = (k0, k1, e * k[2] - s * k[4], k3, s * k[2] + e * k[4], k[5])
    t, f = (e * t[0] - s * t[1], s * t[0] + e * t[1], t[2]), (e * f[0] - s * f[1], s * f[0] + e * f[1], f[2])
    add_to_parent(
        up,
        role & codes.LAST_CHILD != 0,
        fixed3(body, Body.P0),
        (xx, xy, 0.0, yy, 0.0, 0.0),
        B,
        K,
        t,
        f,
        get3(work, Work.G),
    )
    return resists


@inlined
def rotated_about_z(e, f, xx, xy, yy):
    """Symmetric 2 x 2 matrix xx xy yy, rotated by the angle whose cosine and sine are e and f."""
    a, b, c, d = e * xx - f * xy, e * xy - f * yy, f * xx + e * xy, f * xy + e * yy
    return a * e - b * f, a * f + b * e, c * f + d * e


@inlined
def turn_hinge(work, up, column, wrenches):
    """Acceleration of a hinge [rad/s^2]; writes that of its body."""
    g0, g1, g2 = get3(work, Work.G)
    a0, a1, a2, a3, a4, a5 = handed_down(get9(work, Work.R), get3(work, Work.P), up, g0, g1, g2)
    return turned_by_force(work, column, wrenches, a0, a1, a2, a3, a4, a5)


@inlined
def turn_parallel(work, up, column, wrenches):
    """Acceleration of a hinge parallel to its parent's [rad/s^2]; writes that of its body."""
    e, f = get(work, Work.R), get(work, Work.R + 3)
    p0, p1, p2 = get3(work, Work.P)
    g0, g1, g2 = get3(work, Work.G)
    a0, a1, a2, a3, a4, a5 = get6(up, Work.ACC)
    c0, c1, c2 = cross(a0, a1, a2, p0, p1, p2)
    a3, a4, a5 = a3 + c0 + g0, a4 + c1 + g1, a5 + c2 + g2
    return turned_by_force(
        work, column, wrenches, e * a0 + f * a1, e * a1 - f * a0, a2, e * a3 + f * a4, e * a4 - f * a3, a5
    )


@inlined
def turned_by_force(work, column, wrenches, a0, a1, a2, a3, a4, a5):
    """Acceleration of a hinge [rad/s^2] from that of its parent in the body's axes; writes that of its body."""
    a0, a1 = a0 + get(work, Work.C), a1 + get(work, Work.C + 1)
    if wrenches:
        add_wrench(work, a0, a1, a2, a3, a4, a5)
    u0, u1, u2, u3, u4, u5 = get6(column, Column.U)
    x = get(column, Column.D) * (
        get(column, Column.TAU) - ((u0 * a0 + u1 * a1 + u2 * a2) + (u3 * a3 + u4 * a4 + u5 * a5))
    )
    put6(work, Work.ACC, a0, a1, a2 + x, a3, a4, a5)
    return x
