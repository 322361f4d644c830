# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrenches that the motion of bodies needs, and accelerations passed on from parent to child.

Accelerations are those of points: the linear part is that of the joint frame's origin, in the body's axes. Then
velocities of translation enter no product, and `v x m v` of spatial accelerations, which is zero but for rounding,
cannot spoil the torsion of thin bodies far out on a fast chain.
    angular:  R^T alpha + C      linear:  R^T (a + alpha x p + G) + C,      G = omega x (omega x p)
with alpha, a and omega of the parent; C has the velocity products of the joint's own motion.
"""

from __future__ import annotations

from ..cache.jit import inlined
from ..layout.declaration import Body, Work
from ..layout.memory import fixed, fixed3, get3, get6, get9, put3, put6
from ..spatial import centripetal, cross, turned_back, turned_into
from .inertia import applied_symmetric


@inlined
def keep_bias(body, work, w0, w1, w2):
    """Write the wrench that a body needs at angular velocity w without acceleration: (w x I w, w x (w x h))."""
    h0, h1, h2 = fixed3(body, Body.MOMENT)
    xx, xy, xz = fixed3(body, Body.INERTIA)
    yy, yz, zz = fixed3(body, Body.INERTIA + 3)
    L0, L1, L2 = applied_symmetric(xx, xy, xz, yy, yz, zz, w0, w1, w2)
    t0, t1, t2 = cross(w0, w1, w2, L0, L1, L2)
    f0, f1, f2 = centripetal(w0, w1, w2, h0, h1, h2)
    put6(work, Work.BIAS, t0, t1, t2, f0, f1, f2)


@inlined
def keep_velocity(body, work, up, slide):
    """Write the linear part of a body's twist, and add the wrench of its damping to the bias.

    slide: linear velocity of the joint itself, in the body's axes [m/s].
    """
    E, (w0, w1, w2) = get9(work, Work.R), get3(work, Work.V)
    p0, p1, p2, u0, u1, u2 = get6(up, Work.V)
    x = turned_back(E, get3(work, Work.P), p0, p1, p2, u0, u1, u2)
    v0, v1, v2 = x[3] + slide[0], x[4] + slide[1], x[5] + slide[2]
    put3(work, Work.V + 3, v0, v1, v2)
    d = fixed(body, Body.DAMPING)
    if d != 0.0:
        c0, c1, c2 = fixed3(body, Body.CENTER)
        s0, s1, s2 = cross(w0, w1, w2, c0, c1, c2)
        g0, g1, g2 = d * (v0 + s0), d * (v1 + s1), d * (v2 + s2)
        k0, k1, k2 = cross(c0, c1, c2, g0, g1, g2)
        b = get6(work, Work.BIAS)
        put6(
            work, Work.BIAS, b[0] + d * w0 + k0, b[1] + d * w1 + k1, b[2] + d * w2 + k2, b[3] + g0, b[4] + g1, b[5] + g2
        )  # fmt: skip


@inlined
def handed_down(E, p, up, g0, g1, g2):
    """Acceleration of a joint frame as if fixed to its parent. g: centripetal acceleration of its origin."""
    b0, b1, b2, a0, a1, a2 = get6(up, Work.ACC)
    c0, c1, c2 = cross(b0, b1, b2, p[0], p[1], p[2])
    b0, b1, b2 = turned_into(E, b0, b1, b2)
    a0, a1, a2 = turned_into(E, a0 + c0 + g0, a1 + c1 + g1, a2 + c2 + g2)
    return b0, b1, b2, a0, a1, a2


@inlined
def carried(work, up):
    """Acceleration of a body for qddot = 0 at its joint, less gravity: from its parent, and `Work.C`."""
    g0, g1, g2 = get3(work, Work.G)
    a = handed_down(get9(work, Work.R), get3(work, Work.P), up, g0, g1, g2)
    c = get6(work, Work.C)
    return a[0] + c[0], a[1] + c[1], a[2] + c[2], a[3] + c[3], a[4] + c[4], a[5] + c[5]
