# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled recursive dynamics: RM19 Alg. 6 (hybrid articulated bodies), in O(n) without allocation.

Degrees of freedom of a joint are eliminated one after another. Gravity enters as an acceleration of the world; `ACC`
of a body is its acceleration less gravity.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..joints.drives import put_led
from ..layout import codes
from ..layout.declaration import Body, Column, Head, Led, Link, Work
from ..layout.memory import fixed, further, get, get3, get6, get9, put, put6, put_all
from .ball import eliminate_ball, turn_ball
from .hinge import NO_INERTIA, eliminate_hinge, eliminate_parallel, turn_hinge, turn_parallel
from .inertia import add_child_to_parent, add_wrench, inertia_with_children, minus_outer_product, times
from .motion import carried
from .particle import accelerate_particle, eliminate_particle


@inlined
def mode_of(link, armature, dof):
    """`Link.MODE` of a joint, or GENERAL where it is prescribed or has an armature: others have shorter
    eliminations, which know neither."""
    mode = fixed(link, Link.MODE)
    if mode == codes.GENERAL or fixed(link, Link.PRESCRIBED) or get(armature, dof) != 0.0:
        return codes.GENERAL
    three = mode in (codes.BALL, codes.PARTICLE)
    if three and (get(armature, dof + 1) != 0.0 or get(armature, dof + 2) != 0.0):
        return codes.GENERAL
    return mode


@inner
def eliminate_general(body, work, up, columns, link, armature, qddot, extra, keep):
    """Eliminate the coordinates of any joint one by one, none of a prescribed one; add what is left to the parent.

    True if something resists it.
    """
    role, dof = fixed(link, Link.ROLE), fixed(link, Link.DOF)
    leaf, end = role & codes.LEAF != 0, dof + fixed(link, Link.NDOF)
    M = inertia_with_children(body, work, extra, leaf)
    p0, p1, p2, p3, p4, p5 = get6(work, Work.BIAS)
    if not leaf:
        a = get6(work, Work.PA)
        p0, p1, p2, p3, p4, p5 = p0 + a[0], p1 + a[1], p2 + a[2], p3 + a[3], p4 + a[4], p5 + a[5]
    c0, c1, c2, c3, c4, c5 = get6(work, Work.C)
    if fixed(link, Link.PRESCRIBED):
        for k in range(dof, end):
            x, s = get(qddot, k), get6(further(columns, k * Column.SIZE), Column.S)
            c0, c1, c2 = c0 + x * s[0], c1 + x * s[1], c2 + x * s[2]
            c3, c4, c5 = c3 + x * s[3], c4 + x * s[4], c5 + x * s[5]
    else:
        for k in range(end - 1, dof - 1, -1):
            column = further(columns, k * Column.SIZE)
            s0, s1, s2, s3, s4, s5 = get6(column, Column.S)
            u0, u1, u2, u3, u4, u5 = times(M, s0, s1, s2, s3, s4, s5)
            d = s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5 + get(armature, k)
            size = abs(s0 * u0) + abs(s1 * u1) + abs(s2 * u2) + abs(s3 * u3) + abs(s4 * u4) + abs(s5 * u5)
            if not d > NO_INERTIA * size:
                return False
            d = 1.0 / d
            u = get(column, Column.TAU) - (s0 * p0 + s1 * p1 + s2 * p2 + s3 * p3 + s4 * p4 + s5 * p5)
            put6(column, Column.U, u0, u1, u2, u3, u4, u5)
            put(column, Column.D, d)
            put(column, Column.TAU, u)
            M = minus_outer_product(M, u0, u1, u2, u3, u4, u5, d)
            u *= d
            p0, p1, p2, p3, p4, p5 = p0 + u * u0, p1 + u * u1, p2 + u * u2, p3 + u * u3, p4 + u * u4, p5 + u * u5
    if keep or fixed(link, Link.PRESCRIBED):
        put_all(work, Work.IA, M)
        put6(work, Work.F, p0, p1, p2, p3, p4, p5)
    if fixed(link, Link.PARENT) >= 0:
        a0, a1, a2, a3, a4, a5 = times(M, c0, c1, c2, c3, c4, c5)
        first = role & codes.LAST_CHILD != 0
        t, f = (p0 + a0, p1 + a1, p2 + a2), (p3 + a3, p4 + a4, p5 + a5)
        add_child_to_parent(up, first, get9(work, Work.R), get3(work, Work.P), M, t, f, get3(work, Work.G))
    return True


@inner
def eliminate(n, bodies, links, work, columns, armature, qddot, extra, keep):
    """From the leaves to the root: articulated inertias and biases. Gives -1, or the body whose joint nothing resists.

    `Column.TAU` holds the force along a coordinate and gets the force less bias. armature: added to each coordinate's
    inertia. extra: see `own_inertia`. keep: also write what `substitute` computes wrenches of joints from.
    """
    for j in range(n - 1, -1, -1):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        dof, parent, role = fixed(link, Link.DOF), fixed(link, Link.PARENT), fixed(link, Link.ROLE)
        up, column = further(work, parent * Work.SIZE), further(columns, dof * Column.SIZE)
        mode = mode_of(link, armature, dof)
        if mode == codes.PARALLEL:
            resists = eliminate_parallel(body, row, up, column, role, extra, keep)
        elif mode == codes.HINGE:
            resists = eliminate_hinge(body, row, up, column, role, extra, keep, parent >= 0)
        elif mode == codes.BALL:
            resists = eliminate_ball(body, row, up, column, role, extra, keep, parent >= 0)
        elif mode == codes.PARTICLE and not keep:
            resists = eliminate_particle(body, row, column, extra)
        else:
            resists = eliminate_general(body, row, up, columns, link, armature, qddot, extra, keep)
        if not resists:
            return j
    return -1


@inner
def accelerate_general(work, up, columns, link, qddot, tau, wrenches):
    """Write the accelerations of any joint and its body; of a prescribed joint, the forces along its coordinates."""
    dof = fixed(link, Link.DOF)
    end = dof + fixed(link, Link.NDOF)
    a0, a1, a2, a3, a4, a5 = carried(work, up)
    if fixed(link, Link.PRESCRIBED):
        for k in range(dof, end):
            x, s = get(qddot, k), get6(further(columns, k * Column.SIZE), Column.S)
            a0, a1, a2 = a0 + x * s[0], a1 + x * s[1], a2 + x * s[2]
            a3, a4, a5 = a3 + x * s[3], a4 + x * s[4], a5 + x * s[5]
        add_wrench(work, a0, a1, a2, a3, a4, a5)
        f = get6(work, Work.F)
        for k in range(dof, end):
            s = get6(further(columns, k * Column.SIZE), Column.S)
            put(tau, k, s[0] * f[0] + s[1] * f[1] + s[2] * f[2] + s[3] * f[3] + s[4] * f[4] + s[5] * f[5])
        put6(work, Work.ACC, a0, a1, a2, a3, a4, a5)
        return
    if wrenches:
        add_wrench(work, a0, a1, a2, a3, a4, a5)
    for k in range(dof, end):
        column = further(columns, k * Column.SIZE)
        s, u = get6(column, Column.S), get6(column, Column.U)
        along = (u[0] * a0 + u[1] * a1 + u[2] * a2) + (u[3] * a3 + u[4] * a4 + u[5] * a5)
        x = get(column, Column.D) * (get(column, Column.TAU) - along)
        put(qddot, k, x)
        if get(column, Column.D) == 0.0:  # infinite armature: something holds it
            put(column, Column.PUSH, along - get(column, Column.TAU))
            put(column, Column.PUSH_SIZE, abs(along) + abs(get(column, Column.TAU)))
        a0, a1, a2 = a0 + x * s[0], a1 + x * s[1], a2 + x * s[2]
        a3, a4, a5 = a3 + x * s[3], a4 + x * s[4], a5 + x * s[5]
    put6(work, Work.ACC, a0, a1, a2, a3, a4, a5)


@inner
def accelerate_led(ints, rows, qddot, tau, wrenches):
    """Write the accelerations of inputs of drives that have no inertia, and of their bodies, after `substitute`."""
    put_led(ints, rows, qddot, 0.0)
    for i in range(fixed(ints, Head.LED)):
        j = fixed(rows.led, i * Led.SIZE + Led.BODY)
        link, work = further(rows.links, j * Link.SIZE), further(rows.body_work, j * Work.SIZE)
        up = further(rows.body_work, fixed(link, Link.PARENT) * Work.SIZE)
        accelerate_general(work, up, rows.columns, link, qddot, tau, wrenches)


@inner
def substitute(n, links, work, columns, armature, qddot, tau, wrenches):
    """From the root to the leaves: accelerations, forces of prescribed joints and, if `wrenches`, joint wrenches."""
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        dof = fixed(link, Link.DOF)
        up, column = further(work, fixed(link, Link.PARENT) * Work.SIZE), further(columns, dof * Column.SIZE)
        mode = mode_of(link, armature, dof)
        if mode == codes.PARALLEL:
            put(qddot, dof, turn_parallel(row, up, column, wrenches))
        elif mode == codes.HINGE:
            put(qddot, dof, turn_hinge(row, up, column, wrenches))
        elif mode == codes.BALL:
            turn_ball(row, up, column, wrenches, further(qddot, dof))
        elif mode == codes.PARTICLE and not wrenches:
            accelerate_particle(row, up, column, further(qddot, dof))
        else:
            accelerate_general(row, up, columns, link, qddot, tau, wrenches)
