# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled kinematics: where each joint frame stands in its parent's, how it turns, and its velocity products."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Body, Column, JointWork, Link, Twist, Work
from ..layout.memory import fixed, fixed3, fixed9, further, get, get3, put3, put6, put_all
from ..spatial import centripetal, cross, sine_cosine, turned_into
from ..tree.ball import place_ball
from ..tree.hinge import place_hinge, place_in_plane, place_parallel
from ..tree.motion import keep_bias, keep_velocity
from ..tree.particle import move_particle, place_particle
from .general import place_general


@inner
def place_twist(body, work, up, numbers, column, q, v):
    """A joint of one coordinate whose twist S is constant; numbers: its `Twist`."""
    s, c = sine_cosine(q)
    a, b, d = fixed9(numbers, Twist.K0), fixed9(numbers, Twist.K1), fixed9(numbers, Twist.K2)
    E = (
        a[0] + c * b[0] + s * d[0], a[1] + c * b[1] + s * d[1], a[2] + c * b[2] + s * d[2],
        a[3] + c * b[3] + s * d[3], a[4] + c * b[4] + s * d[4], a[5] + c * b[5] + s * d[5],
        a[6] + c * b[6] + s * d[6], a[7] + c * b[7] + s * d[7], a[8] + c * b[8] + s * d[8],
    )  # fmt: skip
    p0, p1, p2 = fixed3(body, Body.P0)
    s0, s1, s2 = fixed3(numbers, Twist.STEP)
    p0, p1, p2 = p0 + q * s0, p1 + q * s1, p2 + q * s2
    put_all(work, Work.R, E)
    put3(work, Work.P, p0, p1, p2)
    a0, a1, a2 = fixed3(numbers, Twist.TURN)
    b0, b1, b2 = fixed3(numbers, Twist.ADVANCE)
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
def place_all(n, rows, q, qdot):
    """Pose, angular velocity, velocity products, S and bias of every joint."""
    work, columns = rows.body_work, rows.columns
    for j in range(n):
        link, body = further(rows.links, j * Link.SIZE), further(rows.bodies, j * Body.SIZE)
        row, up = further(work, j * Work.SIZE), further(work, fixed(link, Link.PARENT) * Work.SIZE)
        k, mode = fixed(link, Link.DOF), fixed(link, Link.MODE)
        if mode == codes.PARALLEL:
            place_parallel(body, row, up, get(q, k), get(qdot, k))
        elif mode == codes.HINGE:
            place_hinge(body, row, up, get(q, k), get(qdot, k))
        elif mode == codes.PARTICLE:
            place_particle(body, row, further(q, k))
        elif mode == codes.BALL:
            place_ball(body, row, up, further(columns, k * Column.SIZE), further(q, k), further(qdot, k))
        elif mode == codes.TWIST:
            twist = further(rows.joint_data, fixed(link, Link.TWIST))
            place_twist(body, row, up, twist, further(columns, k * Column.SIZE), get(q, k), get(qdot, k))
        else:
            result = further(rows.joint_work, JointWork.RESULT)
            place_general(
                body, row, up, link, rows.parts, rows.joint_data, rows.charts, columns, q, qdot, result
            )  # fmt: skip


@inner
def place_planar(n, rows, q, qdot):
    """The same of a tree that moves in a plane."""
    for j in range(n):
        link, body = further(rows.links, j * Link.SIZE), further(rows.bodies, j * Body.SIZE)
        row, up = further(rows.body_work, j * Work.SIZE), further(rows.body_work, fixed(link, Link.PARENT) * Work.SIZE)
        k, mode = fixed(link, Link.DOF), fixed(link, Link.MODE)
        if mode in (codes.PARALLEL, codes.HINGE):
            place_in_plane(body, row, up, get(q, k), get(qdot, k), mode == codes.HINGE)
        else:  # at rest
            result = further(rows.joint_work, JointWork.RESULT)
            place_general(
                body, row, up, link, rows.parts, rows.joint_data, rows.charts, rows.columns, q, qdot, result
            )  # fmt: skip


@inner
def velocities(n, bodies, links, work, columns, qdot):
    """Linear parts of the twists, which only damping and samples need; damping joins the bias."""
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        if fixed(link, Link.MODE) == codes.PARTICLE:
            move_particle(further(bodies, j * Body.SIZE), row, further(qdot, fixed(link, Link.DOF)))
            continue
        s0, s1, s2 = 0.0, 0.0, 0.0
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            v = get(qdot, k)
            a0, a1, a2 = get3(further(columns, k * Column.SIZE), Column.S + 3)
            s0, s1, s2 = s0 + v * a0, s1 + v * a1, s2 + v * a2
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
        keep_velocity(further(bodies, j * Body.SIZE), row, up, (s0, s1, s2))
