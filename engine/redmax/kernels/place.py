# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled kinematics: where each joint frame stands in its parent's, its twist and its velocity product.

Joints are chains of primitives, each evaluated in the frame the former ones have reached. The velocity product is
gathered along the way: a primitive with the twist x = S qdot adds ad(V) x + Sdot qdot, V being the twist so far.
"""

from __future__ import annotations

import numpy as np

from ..joints.euler_charts import CHARTS
from . import layout as at
from .jit import inner
from .spatial import applied, axis_rotation, ball, ball_bias, ball_motion, cross, product, sine_cosine, turned_back

AXES = np.array([["xyz".index(letter) for letter in sequence] for sequence in CHARTS], np.int64)
"""Axes of each Euler chart; row k is chart k + 1."""

BODY_NUMBERS, R0, P0 = at.BODY_NUMBERS, at.R0, at.P0
PARENT, DOF, NDOF, FIRST, LAST, MODE = at.PARENT, at.DOF, at.NDOF, at.FIRST, at.LAST, at.MODE
HINGE, BALL_ALONE = at.HINGE, at.BALL_ALONE
KIND, COORDINATE, SLOT, PLACE, OWN = at.KIND, at.COORDINATE, at.SLOT, at.PLACE, at.OWN
SCREW, BALL = at.SCREW, at.BALL
K0, K1, K2, TURN, ADVANCE, STEP = at.K0, at.K1, at.K2, at.TURN, at.ADVANCE, at.STEP
R, P, V, C, S = at.R, at.P, at.V, at.C, at.S


@inner
def nine(bodies, j, start):
    return (
        bodies[j, start], bodies[j, start + 1], bodies[j, start + 2], bodies[j, start + 3], bodies[j, start + 4],
        bodies[j, start + 5], bodies[j, start + 6], bodies[j, start + 7], bodies[j, start + 8],
    )  # fmt: skip


@inner
def angle_axis(kinds, i, charts):
    """Axis of one Euler angle in the present chart."""
    chart = charts[kinds[i, SLOT]]
    return kinds[i, OWN] if chart == 0 else AXES[chart - 1, kinds[i, PLACE]]


@inner
def keep(work, j, E, p, w, c):
    """Write pose, twist and velocity product of a body."""
    work[j, R], work[j, R + 1], work[j, R + 2], work[j, R + 3], work[j, R + 4] = E[0], E[1], E[2], E[3], E[4]
    work[j, R + 5], work[j, R + 6], work[j, R + 7], work[j, R + 8] = E[5], E[6], E[7], E[8]
    work[j, P], work[j, P + 1], work[j, P + 2] = p[0], p[1], p[2]
    work[j, V], work[j, V + 1], work[j, V + 2], work[j, V + 3], work[j, V + 4], work[j, V + 5] = (
        w[0],
        w[1],
        w[2],
        w[3],
        w[4],
        w[5],
    )
    work[j, C], work[j, C + 1], work[j, C + 2], work[j, C + 3], work[j, C + 4], work[j, C + 5] = (
        c[0],
        c[1],
        c[2],
        c[3],
        c[4],
        c[5],
    )


@inner
def parent_twist(j, links, work):
    p = links[j, PARENT]
    if p < 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return work[p, V], work[p, V + 1], work[p, V + 2], work[p, V + 3], work[p, V + 4], work[p, V + 5]


@inner
def place_screw(j, bodies, links, numbers, i, k, q, v, work, columns):
    """A joint of a single screw: the commonest, and S is constant."""
    s, c = sine_cosine(q)
    E = (
        numbers[i, K0] + c * numbers[i, K1] + s * numbers[i, K2],
        numbers[i, K0 + 1] + c * numbers[i, K1 + 1] + s * numbers[i, K2 + 1],
        numbers[i, K0 + 2] + c * numbers[i, K1 + 2] + s * numbers[i, K2 + 2],
        numbers[i, K0 + 3] + c * numbers[i, K1 + 3] + s * numbers[i, K2 + 3],
        numbers[i, K0 + 4] + c * numbers[i, K1 + 4] + s * numbers[i, K2 + 4],
        numbers[i, K0 + 5] + c * numbers[i, K1 + 5] + s * numbers[i, K2 + 5],
        numbers[i, K0 + 6] + c * numbers[i, K1 + 6] + s * numbers[i, K2 + 6],
        numbers[i, K0 + 7] + c * numbers[i, K1 + 7] + s * numbers[i, K2 + 7],
        numbers[i, K0 + 8] + c * numbers[i, K1 + 8] + s * numbers[i, K2 + 8],
    )
    p = (
        bodies[j, P0] + q * numbers[i, STEP],
        bodies[j, P0 + 1] + q * numbers[i, STEP + 1],
        bodies[j, P0 + 2] + q * numbers[i, STEP + 2],
    )
    a0, a1, a2 = numbers[i, TURN], numbers[i, TURN + 1], numbers[i, TURN + 2]
    b0, b1, b2 = numbers[i, ADVANCE], numbers[i, ADVANCE + 1], numbers[i, ADVANCE + 2]
    columns[k, S], columns[k, S + 1], columns[k, S + 2] = a0, a1, a2
    columns[k, S + 3], columns[k, S + 4], columns[k, S + 5] = b0, b1, b2
    w0, w1, w2, v0, v1, v2 = parent_twist(j, links, work)
    w0, w1, w2, v0, v1, v2 = turned_back(E, p, w0, w1, w2, v0, v1, v2)
    # ad(V) S qdot = (w x a, v x a + w x b) qdot
    c0, c1, c2 = cross(w0, w1, w2, a0, a1, a2)
    d0, d1, d2 = cross(v0, v1, v2, a0, a1, a2)
    e0, e1, e2 = cross(w0, w1, w2, b0, b1, b2)
    bias = (v * c0, v * c1, v * c2, v * (d0 + e0), v * (d1 + e1), v * (d2 + e2))
    keep(work, j, E, p, (w0 + v * a0, w1 + v * a1, w2 + v * a2, v0 + v * b0, v1 + v * b1, v2 + v * b2), bias)


@inner
def place_hinge(j, bodies, links, q, v, work, columns, k):
    """A joint that turns about z."""
    s, c = sine_cosine(q)
    E = (
        c * bodies[j, R0] + s * bodies[j, R0 + 1], c * bodies[j, R0 + 1] - s * bodies[j, R0], bodies[j, R0 + 2],
        c * bodies[j, R0 + 3] + s * bodies[j, R0 + 4], c * bodies[j, R0 + 4] - s * bodies[j, R0 + 3], bodies[j, R0 + 5],
        c * bodies[j, R0 + 6] + s * bodies[j, R0 + 7], c * bodies[j, R0 + 7] - s * bodies[j, R0 + 6], bodies[j, R0 + 8],
    )  # fmt: skip
    p = (bodies[j, P0], bodies[j, P0 + 1], bodies[j, P0 + 2])
    columns[k, S], columns[k, S + 1], columns[k, S + 2] = 0.0, 0.0, 1.0
    columns[k, S + 3], columns[k, S + 4], columns[k, S + 5] = 0.0, 0.0, 0.0
    w0, w1, w2, v0, v1, v2 = parent_twist(j, links, work)
    w0, w1, w2, v0, v1, v2 = turned_back(E, p, w0, w1, w2, v0, v1, v2)
    keep(work, j, E, p, (w0, w1, w2 + v, v0, v1, v2), (v * w1, -v * w0, 0.0, v * v1, -v * v0, 0.0))


@inner
def place_ball(j, bodies, links, q, qdot, k, work, columns):
    """A joint that is a ball and nothing else: S = (J; 0)."""
    Q, J, k3, k4, k5 = ball_motion(q[k], q[k + 1], q[k + 2])
    E = product(nine(bodies, j, R0), Q)
    p = (bodies[j, P0], bodies[j, P0 + 1], bodies[j, P0 + 2])
    columns[k, S], columns[k, S + 1], columns[k, S + 2], columns[k, S + 3], columns[k, S + 4], columns[k, S + 5] = (
        J[0],
        J[3],
        J[6],
        0.0,
        0.0,
        0.0,
    )
    (
        columns[k + 1, S],
        columns[k + 1, S + 1],
        columns[k + 1, S + 2],
        columns[k + 1, S + 3],
        columns[k + 1, S + 4],
        columns[k + 1, S + 5],
    ) = J[1], J[4], J[7], 0.0, 0.0, 0.0
    (
        columns[k + 2, S],
        columns[k + 2, S + 1],
        columns[k + 2, S + 2],
        columns[k + 2, S + 3],
        columns[k + 2, S + 4],
        columns[k + 2, S + 5],
    ) = J[2], J[5], J[8], 0.0, 0.0, 0.0
    x0, x1, x2 = applied(J, qdot[k], qdot[k + 1], qdot[k + 2])
    y0, y1, y2 = ball_bias(q[k], q[k + 1], q[k + 2], qdot[k], qdot[k + 1], qdot[k + 2], k3, k4, k5)
    w0, w1, w2, v0, v1, v2 = parent_twist(j, links, work)
    w0, w1, w2, v0, v1, v2 = turned_back(E, p, w0, w1, w2, v0, v1, v2)
    c0, c1, c2 = cross(w0, w1, w2, x0, x1, x2)
    d0, d1, d2 = cross(v0, v1, v2, x0, x1, x2)
    keep(work, j, E, p, (w0 + x0, w1 + x1, w2 + x2, v0, v1, v2), (c0 + y0, c1 + y1, c2 + y2, d0, d1, d2))


@inner
def place(j, bodies, links, numbers, kinds, charts, q, qdot, work, columns):
    """Pose, twist, velocity product and S of one joint from its coordinates and its parent's twist."""
    first, last, mode = links[j, FIRST], links[j, LAST], links[j, MODE]
    if mode == HINGE:
        k = links[j, DOF]
        place_hinge(j, bodies, links, q[k], qdot[k], work, columns, k)
        return
    if mode == BALL_ALONE:
        place_ball(j, bodies, links, q, qdot, links[j, DOF], work, columns)
        return
    if last - first == 1 and kinds[first, KIND] == SCREW:
        k = kinds[first, COORDINATE]
        place_screw(j, bodies, links, numbers, first, k, q[k], qdot[k], work, columns)
        return
    dof = links[j, DOF]
    E, p = nine(bodies, j, R0), (bodies[j, P0], bodies[j, P0 + 1], bodies[j, P0 + 2])
    w0, w1, w2, v0, v1, v2 = parent_twist(j, links, work)
    w0, w1, w2, v0, v1, v2 = turned_back(E, p, w0, w1, w2, v0, v1, v2)
    c0, c1, c2, c3, c4, c5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(first, last):
        k = kinds[i, COORDINATE]
        x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        y0, y1, y2 = 0.0, 0.0, 0.0
        px, py, pz = 0.0, 0.0, 0.0
        if kinds[i, KIND] == BALL:
            Q, J, k3, k4, k5 = ball_motion(q[k], q[k + 1], q[k + 2])
            x0, x1, x2 = applied(J, qdot[k], qdot[k + 1], qdot[k + 2])
            y0, y1, y2 = ball_bias(q[k], q[k + 1], q[k + 2], qdot[k], qdot[k + 1], qdot[k + 2], k3, k4, k5)
            for m in range(3):
                columns[k + m, S + 3] = columns[k + m, S + 4] = columns[k + m, S + 5] = 0.0
            columns[k, S], columns[k, S + 1], columns[k, S + 2] = J[0], J[3], J[6]
            columns[k + 1, S], columns[k + 1, S + 1], columns[k + 1, S + 2] = J[1], J[4], J[7]
            columns[k + 2, S], columns[k + 2, S + 1], columns[k + 2, S + 2] = J[2], J[5], J[8]
        elif kinds[i, KIND] == SCREW:
            a, b = (numbers[i, TURN], numbers[i, TURN + 1], numbers[i, TURN + 2]), q[k]
            Q, _ = ball(b * a[0], b * a[1], b * a[2])
            px, py, pz = b * numbers[i, ADVANCE], b * numbers[i, ADVANCE + 1], b * numbers[i, ADVANCE + 2]
            for m in range(6):
                columns[k, S + m] = numbers[i, TURN + m]
            v = qdot[k]
            x0, x1, x2 = v * a[0], v * a[1], v * a[2]
            x3, x4, x5 = v * numbers[i, ADVANCE], v * numbers[i, ADVANCE + 1], v * numbers[i, ADVANCE + 2]
        else:
            axis = angle_axis(kinds, i, charts)
            Q = axis_rotation(axis, q[k])
            for m in range(6):
                columns[k, S + m] = 0.0
            columns[k, S + axis] = 1.0
            if axis == 0:
                x0 = qdot[k]
            elif axis == 1:
                x1 = qdot[k]
            else:
                x2 = qdot[k]
        t = (px, py, pz)
        for m in range(dof, k):
            s0, s1, s2, s3, s4, s5 = turned_back(
                Q,
                t,
                columns[m, S],
                columns[m, S + 1],
                columns[m, S + 2],
                columns[m, S + 3],
                columns[m, S + 4],
                columns[m, S + 5],
            )
            columns[m, S], columns[m, S + 1], columns[m, S + 2] = s0, s1, s2
            columns[m, S + 3], columns[m, S + 4], columns[m, S + 5] = s3, s4, s5
        w0, w1, w2, v0, v1, v2 = turned_back(Q, t, w0, w1, w2, v0, v1, v2)
        c0, c1, c2, c3, c4, c5 = turned_back(Q, t, c0, c1, c2, c3, c4, c5)
        dx, dy, dz = applied(E, px, py, pz)
        p = (p[0] + dx, p[1] + dy, p[2] + dz)
        E = product(E, Q)
        a0, a1, a2 = cross(w0, w1, w2, x0, x1, x2)
        d0, d1, d2 = cross(v0, v1, v2, x0, x1, x2)
        e0, e1, e2 = cross(w0, w1, w2, x3, x4, x5)
        c0, c1, c2 = c0 + a0 + y0, c1 + a1 + y1, c2 + a2 + y2
        c3, c4, c5 = c3 + d0 + e0, c4 + d1 + e1, c5 + d2 + e2
        w0, w1, w2, v0, v1, v2 = w0 + x0, w1 + x1, w2 + x2, v0 + x3, v1 + x4, v2 + x5
    keep(work, j, E, p, (w0, w1, w2, v0, v1, v2), (c0, c1, c2, c3, c4, c5))
