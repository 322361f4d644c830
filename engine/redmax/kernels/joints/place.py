# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled kinematics: where each joint frame stands in its parent's, how it turns, and its velocity products.

Joints are chains of primitives, each evaluated in the frame the former ones have reached. The velocity products are
gathered along the way, for accelerations of points; see `motion`.
"""

from __future__ import annotations

import numpy as np

from ...joints.euler_charts import CHARTS
from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Body, Column, Link, PrimitiveInts, Screw, Work
from ..layout.memory import fixed, fixed3, fixed9, further, get, get3, get6, put, put3, put6, put_all
from ..spatial import (
    applied,
    axis_rotation,
    ball,
    ball_bias,
    ball_motion,
    centripetal,
    cross,
    product,
    sine_cosine,
    turned_back,
    turned_into,
)
from ..tree.ball import place_ball
from ..tree.hinge import place_hinge, place_parallel
from ..tree.motion import keep_bias, keep_velocity

AXES = np.array([["xyz".index(letter) for letter in sequence] for sequence in CHARTS], np.int64)
"""Axes of each Euler chart; row k is chart k + 1."""


@inner
def place_screw(body, work, up, numbers, column, q, v):
    """A joint of a single screw: S is constant."""
    s, c = sine_cosine(q)
    a, b, d = fixed9(numbers, Screw.K0), fixed9(numbers, Screw.K1), fixed9(numbers, Screw.K2)
    E = (
        a[0] + c * b[0] + s * d[0], a[1] + c * b[1] + s * d[1], a[2] + c * b[2] + s * d[2],
        a[3] + c * b[3] + s * d[3], a[4] + c * b[4] + s * d[4], a[5] + c * b[5] + s * d[5],
        a[6] + c * b[6] + s * d[6], a[7] + c * b[7] + s * d[7], a[8] + c * b[8] + s * d[8],
    )  # fmt: skip
    p0, p1, p2 = fixed3(body, Body.P0)
    s0, s1, s2 = fixed3(numbers, Screw.STEP)
    p0, p1, p2 = p0 + q * s0, p1 + q * s1, p2 + q * s2
    put_all(work, Work.R, E)
    put3(work, Work.P, p0, p1, p2)
    a0, a1, a2 = fixed3(numbers, Screw.TURN)
    b0, b1, b2 = fixed3(numbers, Screw.ADVANCE)
    put6(column, Column.S, a0, a1, a2, b0, b1, b2)
    w0, w1, w2 = get3(up, Work.V)
    g0, g1, g2 = centripetal(w0, w1, w2, p0, p1, p2)
    put3(work, Work.G, g0, g1, g2)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    # (w x s, (2 w + s) x u) with the joint's own twist (s, u)
    a0, a1, a2, b0, b1, b2 = v * a0, v * a1, v * a2, v * b0, v * b1, v * b2
    c0, c1, c2 = cross(w0, w1, w2, a0, a1, a2)
    d0, d1, d2 = cross(2.0 * w0 + a0, 2.0 * w1 + a1, 2.0 * w2 + a2, b0, b1, b2)
    put6(work, Work.C, c0, c1, c2, d0, d1, d2)
    w0, w1, w2 = w0 + a0, w1 + a1, w2 + a2
    put3(work, Work.V, w0, w1, w2)
    keep_bias(body, work, w0, w1, w2)


@inner
def place_chain(body, work, up, link, numbers, kinds, charts, columns, q, qdot):
    """A joint of several primitives."""
    dof = fixed(link, Link.DOF)
    E, (p0, p1, p2) = fixed9(body, Body.R0), fixed3(body, Body.P0)
    w0, w1, w2 = get3(up, Work.V)
    c0, c1, c2 = 0.0, 0.0, 0.0
    c3, c4, c5 = centripetal(w0, w1, w2, p0, p1, p2)
    c3, c4, c5 = turned_into(E, c3, c4, c5)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    for i in range(fixed(link, Link.FIRST), fixed(link, Link.LAST)):
        kind, row = further(kinds, i * PrimitiveInts.SIZE), further(numbers, i * Screw.SIZE)
        k = fixed(kind, PrimitiveInts.COORDINATE)
        column = further(columns, k * Column.SIZE)
        x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        y0, y1, y2 = 0.0, 0.0, 0.0
        t0, t1, t2 = 0.0, 0.0, 0.0
        if fixed(kind, PrimitiveInts.KIND) == codes.BALL:
            a, b, c = get3(q, k)
            da, db, dc = get3(qdot, k)
            Q, J, k3, k4, k5 = ball_motion(a, b, c)
            x0, x1, x2 = applied(J, da, db, dc)
            y0, y1, y2 = ball_bias(a, b, c, da, db, dc, k3, k4, k5)
            put6(column, Column.S, J[0], J[3], J[6], 0.0, 0.0, 0.0)
            put6(column, Column.S + Column.SIZE, J[1], J[4], J[7], 0.0, 0.0, 0.0)
            put6(column, Column.S + 2 * Column.SIZE, J[2], J[5], J[8], 0.0, 0.0, 0.0)
        elif fixed(kind, PrimitiveInts.KIND) == codes.SCREW:
            a, v = get(q, k), get(qdot, k)
            x0, x1, x2 = fixed3(row, Screw.TURN)
            x3, x4, x5 = fixed3(row, Screw.ADVANCE)
            put6(column, Column.S, x0, x1, x2, x3, x4, x5)
            Q, _ = ball(a * x0, a * x1, a * x2)
            t0, t1, t2 = a * x3, a * x4, a * x5
            x0, x1, x2, x3, x4, x5 = v * x0, v * x1, v * x2, v * x3, v * x4, v * x5
        else:
            chart, v = get(charts, fixed(kind, PrimitiveInts.SLOT)), get(qdot, k)
            axis = fixed(kind, PrimitiveInts.OWN) if chart == 0 else AXES[chart - 1, fixed(kind, PrimitiveInts.PLACE)]
            Q = axis_rotation(axis, get(q, k))
            put6(column, Column.S, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            put(column, Column.S + axis, 1.0)
            if axis == 0:
                x0 = v
            elif axis == 1:
                x1 = v
            else:
                x2 = v
        t = (t0, t1, t2)
        for m in range(dof, k):
            former = further(columns, m * Column.SIZE)
            s0, s1, s2, s3, s4, s5 = get6(former, Column.S)
            s0, s1, s2, s3, s4, s5 = turned_back(Q, t, s0, s1, s2, s3, s4, s5)
            put6(former, Column.S, s0, s1, s2, s3, s4, s5)
        g0, g1, g2 = centripetal(w0, w1, w2, t0, t1, t2)
        c0, c1, c2, c3, c4, c5 = turned_back(Q, t, c0, c1, c2, c3 + g0, c4 + g1, c5 + g2)
        w0, w1, w2 = turned_into(Q, w0, w1, w2)
        d0, d1, d2 = applied(E, t0, t1, t2)
        p0, p1, p2 = p0 + d0, p1 + d1, p2 + d2
        E = product(E, Q)
        a0, a1, a2 = cross(w0, w1, w2, x0, x1, x2)
        d0, d1, d2 = cross(2.0 * w0 + x0, 2.0 * w1 + x1, 2.0 * w2 + x2, x3, x4, x5)
        c0, c1, c2, c3, c4, c5 = c0 + a0 + y0, c1 + a1 + y1, c2 + a2 + y2, c3 + d0, c4 + d1, c5 + d2
        w0, w1, w2 = w0 + x0, w1 + x1, w2 + x2
    put_all(work, Work.R, E)
    put3(work, Work.P, p0, p1, p2)
    put3(work, Work.V, w0, w1, w2)
    put6(work, Work.C, c0, c1, c2, c3, c4, c5)
    put3(work, Work.G, 0.0, 0.0, 0.0)
    keep_bias(body, work, w0, w1, w2)


@inner
def place_all(n, bodies, links, numbers, kinds, charts, work, columns, q, qdot):
    """Pose, angular velocity, velocity products, S and bias of every joint."""
    for j in range(n):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        up, k, mode = further(work, fixed(link, Link.PARENT) * Work.SIZE), fixed(link, Link.DOF), fixed(link, Link.MODE)
        if mode == codes.PARALLEL:
            place_parallel(body, row, up, get(q, k), get(qdot, k))
            continue
        if mode == codes.HINGE:
            place_hinge(body, row, up, get(q, k), get(qdot, k))
            continue
        column, first = further(columns, k * Column.SIZE), fixed(link, Link.FIRST)
        if mode == codes.BALL_ALONE:
            place_ball(body, row, up, column, further(q, k), further(qdot, k))
        elif (
            fixed(link, Link.LAST) - first == 1
            and fixed(kinds, first * PrimitiveInts.SIZE + PrimitiveInts.KIND) == codes.SCREW
        ):
            screw = further(numbers, first * Screw.SIZE)
            place_screw(body, row, up, screw, column, get(q, k), get(qdot, k))
        else:
            place_chain(body, row, up, link, numbers, kinds, charts, columns, q, qdot)


@inner
def velocities(n, bodies, links, work, columns, qdot):
    """Linear parts of the twists, which only damping and samples need; damping joins the bias."""
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        s0, s1, s2 = 0.0, 0.0, 0.0
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            v = get(qdot, k)
            a0, a1, a2 = get3(further(columns, k * Column.SIZE), Column.S + 3)
            s0, s1, s2 = s0 + v * a0, s1 + v * a1, s2 + v * a2
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
        keep_velocity(further(bodies, j * Body.SIZE), row, up, (s0, s1, s2))
