# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled kinematics: where each joint frame stands in its parent's, how it turns, and its velocity products.

Joints are chains of primitives, each evaluated in the frame the former ones have reached. The velocity products are
gathered along the way, for accelerations of points; see `motion`.
"""

from __future__ import annotations

import numpy as np

from ...joints.euler_charts import CHARTS
from ..cache.jit import inner
from ..layout import offsets as at
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

BODY_INTS, BODY_NUMBERS, PRIMITIVE_INTS, PRIMITIVE_NUMBERS = (
    at.BODY_INTS,
    at.BODY_NUMBERS,
    at.PRIMITIVE_INTS,
    at.PRIMITIVE_NUMBERS,
)
WORK, DOF_WORK, R0, P0 = at.WORK, at.DOF_WORK, at.R0, at.P0
PARENT, DOF, NDOF, FIRST, LAST, MODE = at.PARENT, at.DOF, at.NDOF, at.FIRST, at.LAST, at.MODE
HINGE, PARALLEL, BALL_ALONE = at.HINGE, at.PARALLEL, at.BALL_ALONE
KIND, COORDINATE, SLOT, PLACE, OWN = at.KIND, at.COORDINATE, at.SLOT, at.PLACE, at.OWN
SCREW, BALL = at.SCREW, at.BALL
K0, K1, K2, TURN, ADVANCE, STEP = at.K0, at.K1, at.K2, at.TURN, at.ADVANCE, at.STEP
R, P, V, C, G, S = at.R, at.P, at.V, at.C, at.G, at.S


@inner
def place_screw(body, work, up, numbers, column, q, v):
    """A joint of a single screw: S is constant."""
    s, c = sine_cosine(q)
    a, b, d = fixed9(numbers, K0), fixed9(numbers, K1), fixed9(numbers, K2)
    E = (
        a[0] + c * b[0] + s * d[0], a[1] + c * b[1] + s * d[1], a[2] + c * b[2] + s * d[2],
        a[3] + c * b[3] + s * d[3], a[4] + c * b[4] + s * d[4], a[5] + c * b[5] + s * d[5],
        a[6] + c * b[6] + s * d[6], a[7] + c * b[7] + s * d[7], a[8] + c * b[8] + s * d[8],
    )  # fmt: skip
    p0, p1, p2 = fixed3(body, P0)
    s0, s1, s2 = fixed3(numbers, STEP)
    p0, p1, p2 = p0 + q * s0, p1 + q * s1, p2 + q * s2
    put_all(work, R, E)
    put3(work, P, p0, p1, p2)
    a0, a1, a2 = fixed3(numbers, TURN)
    b0, b1, b2 = fixed3(numbers, ADVANCE)
    put6(column, S, a0, a1, a2, b0, b1, b2)
    w0, w1, w2 = get3(up, V)
    g0, g1, g2 = centripetal(w0, w1, w2, p0, p1, p2)
    put3(work, G, g0, g1, g2)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    # (w x s, (2 w + s) x u) with the joint's own twist (s, u)
    a0, a1, a2, b0, b1, b2 = v * a0, v * a1, v * a2, v * b0, v * b1, v * b2
    c0, c1, c2 = cross(w0, w1, w2, a0, a1, a2)
    d0, d1, d2 = cross(2.0 * w0 + a0, 2.0 * w1 + a1, 2.0 * w2 + a2, b0, b1, b2)
    put6(work, C, c0, c1, c2, d0, d1, d2)
    w0, w1, w2 = w0 + a0, w1 + a1, w2 + a2
    put3(work, V, w0, w1, w2)
    keep_bias(body, work, w0, w1, w2)


@inner
def place_chain(body, work, up, link, numbers, kinds, charts, columns, q, qdot):
    """A joint of several primitives."""
    dof = fixed(link, DOF)
    E, (p0, p1, p2) = fixed9(body, R0), fixed3(body, P0)
    w0, w1, w2 = get3(up, V)
    c0, c1, c2 = 0.0, 0.0, 0.0
    c3, c4, c5 = centripetal(w0, w1, w2, p0, p1, p2)
    c3, c4, c5 = turned_into(E, c3, c4, c5)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    for i in range(fixed(link, FIRST), fixed(link, LAST)):
        kind, row = further(kinds, i * PRIMITIVE_INTS), further(numbers, i * PRIMITIVE_NUMBERS)
        k = fixed(kind, COORDINATE)
        column = further(columns, k * DOF_WORK)
        x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        y0, y1, y2 = 0.0, 0.0, 0.0
        t0, t1, t2 = 0.0, 0.0, 0.0
        if fixed(kind, KIND) == BALL:
            a, b, c = get3(q, k)
            da, db, dc = get3(qdot, k)
            Q, J, k3, k4, k5 = ball_motion(a, b, c)
            x0, x1, x2 = applied(J, da, db, dc)
            y0, y1, y2 = ball_bias(a, b, c, da, db, dc, k3, k4, k5)
            put6(column, S, J[0], J[3], J[6], 0.0, 0.0, 0.0)
            put6(column, S + DOF_WORK, J[1], J[4], J[7], 0.0, 0.0, 0.0)
            put6(column, S + 2 * DOF_WORK, J[2], J[5], J[8], 0.0, 0.0, 0.0)
        elif fixed(kind, KIND) == SCREW:
            a, v = get(q, k), get(qdot, k)
            x0, x1, x2 = fixed3(row, TURN)
            x3, x4, x5 = fixed3(row, ADVANCE)
            put6(column, S, x0, x1, x2, x3, x4, x5)
            Q, _ = ball(a * x0, a * x1, a * x2)
            t0, t1, t2 = a * x3, a * x4, a * x5
            x0, x1, x2, x3, x4, x5 = v * x0, v * x1, v * x2, v * x3, v * x4, v * x5
        else:
            chart, v = get(charts, fixed(kind, SLOT)), get(qdot, k)
            axis = fixed(kind, OWN) if chart == 0 else AXES[chart - 1, fixed(kind, PLACE)]
            Q = axis_rotation(axis, get(q, k))
            put6(column, S, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            put(column, S + axis, 1.0)
            if axis == 0:
                x0 = v
            elif axis == 1:
                x1 = v
            else:
                x2 = v
        t = (t0, t1, t2)
        for m in range(dof, k):
            former = further(columns, m * DOF_WORK)
            s0, s1, s2, s3, s4, s5 = get6(former, S)
            s0, s1, s2, s3, s4, s5 = turned_back(Q, t, s0, s1, s2, s3, s4, s5)
            put6(former, S, s0, s1, s2, s3, s4, s5)
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
    put_all(work, R, E)
    put3(work, P, p0, p1, p2)
    put3(work, V, w0, w1, w2)
    put6(work, C, c0, c1, c2, c3, c4, c5)
    put3(work, G, 0.0, 0.0, 0.0)
    keep_bias(body, work, w0, w1, w2)


@inner
def place_all(n, bodies, links, numbers, kinds, charts, work, columns, q, qdot):
    """Pose, angular velocity, velocity products, S and bias of every joint."""
    for j in range(n):
        link, body, row = further(links, j * BODY_INTS), further(bodies, j * BODY_NUMBERS), further(work, j * WORK)
        up, k, mode = further(work, fixed(link, PARENT) * WORK), fixed(link, DOF), fixed(link, MODE)
        if mode == PARALLEL:
            place_parallel(body, row, up, get(q, k), get(qdot, k))
            continue
        if mode == HINGE:
            place_hinge(body, row, up, get(q, k), get(qdot, k))
            continue
        column, first = further(columns, k * DOF_WORK), fixed(link, FIRST)
        if mode == BALL_ALONE:
            place_ball(body, row, up, column, further(q, k), further(qdot, k))
        elif fixed(link, LAST) - first == 1 and fixed(kinds, first * PRIMITIVE_INTS + KIND) == SCREW:
            screw = further(numbers, first * PRIMITIVE_NUMBERS)
            place_screw(body, row, up, screw, column, get(q, k), get(qdot, k))
        else:
            place_chain(body, row, up, link, numbers, kinds, charts, columns, q, qdot)


@inner
def velocities(n, bodies, links, work, columns, qdot):
    """Linear parts of the twists, which only damping and samples need; damping joins the bias."""
    for j in range(n):
        link, row = further(links, j * BODY_INTS), further(work, j * WORK)
        s0, s1, s2 = 0.0, 0.0, 0.0
        for k in range(fixed(link, DOF), fixed(link, DOF) + fixed(link, NDOF)):
            v = get(qdot, k)
            a0, a1, a2 = get3(further(columns, k * DOF_WORK), S + 3)
            s0, s1, s2 = s0 + v * a0, s1 + v * a1, s2 + v * a2
        up = further(work, fixed(link, PARENT) * WORK)
        keep_velocity(further(bodies, j * BODY_NUMBERS), row, up, (s0, s1, s2))
