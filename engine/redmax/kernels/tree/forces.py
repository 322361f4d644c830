# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forces on bodies: wrenches, energies and powers as in `forces`, and what implicit steps need of them.

Points and wrenches are in the kernels' joint frames; positions, lines and forces in the world. The world is body -1
and has rows of its own.
"""

from __future__ import annotations

import math

from ...forces.base import Formula
from ...forces.lines.path import COINCIDENT
from ...spatial import swing_twist
from ..cache.jit import inlined, inner
from ..cache.same_text import compiled_text
from ..joints.loads import table_motion, table_piece
from ..layout.declaration import Force, ForceWork, Pose, Work, World
from ..layout.memory import fixed, fixed3, further, get, get3, get6, get9, put, put3, put6
from ..spatial import applied, cross, product, turned_into
from .muscles import PASSIVE, active_tension, curve, passive_integral

SPRING, CABLE, MUSCLE = int(Formula.SPRING), int(Formula.CABLE), int(Formula.MUSCLE)
WORLD_WRENCH, BODY_WRENCH = int(Formula.WORLD_WRENCH), int(Formula.BODY_WRENCH)
TURN_LIMIT = int(Formula.TURN_LIMIT)

NEARLY_TAUT = 1e-3
"""Part of its rest length by which a segment may be slack and count as taut in matrices of implicit steps. Measured for
falling ropes: 1e-4 to 1e-2 take the same steps; without, one without damping takes twenty times as many."""

limit_motion = compiled_text(swing_twist.limit_motion)


@inlined
def point_position(poses, body, x):
    """Position in the world of a point x of a body [m]."""
    pose = further(poses, body * Pose.SIZE)
    a, b, c = applied(get9(pose, Pose.R), x[0], x[1], x[2])
    p = get3(pose, Pose.P)
    return a + p[0], b + p[1], c + p[2]


@inlined
def point_velocity(poses, work, body, x, field):
    """Velocity in the world of a point x of a body [m/s], for the twists in a field of `Work`."""
    w0, w1, w2, v0, v1, v2 = get6(further(work, body * Work.SIZE), field)
    c0, c1, c2 = cross(w0, w1, w2, x[0], x[1], x[2])
    return applied(get9(further(poses, body * Pose.SIZE), Pose.R), v0 + c0, v1 + c1, v2 + c2)


@inlined
def add_point_force(poses, work, body, x, f, field, sign):
    """Add sign times the wrench of a force f, in world axes, at a point x of a body to a field of `Work`."""
    f0, f1, f2 = turned_into(get9(further(poses, body * Pose.SIZE), Pose.R), f[0], f[1], f[2])
    add_wrench(work, body, x, (0.0, 0.0, 0.0), (f0, f1, f2), field, sign)


@inlined
def add_wrench(work, body, x, torque, f, field, sign):
    """Add sign times the wrench of a torque, and of a force f at x, in the body's axes, to a field of `Work`."""
    row = further(work, body * Work.SIZE)
    t0, t1, t2 = cross(x[0], x[1], x[2], f[0], f[1], f[2])
    b = get6(row, field)
    put6(
        row, field,
        b[0] + sign * (t0 + torque[0]), b[1] + sign * (t1 + torque[1]), b[2] + sign * (t2 + torque[2]),
        b[3] + sign * f[0], b[4] + sign * f[1], b[5] + sign * f[2],
    )  # fmt: skip


@inner
def path_length(m, owners, xs, poses, work, field):
    """Length of a path velocity_in_medium m points [m] and its rate [m/s], for the twists in a field of `Work`."""
    body, x = fixed(owners, 0), fixed3(xs, 0)
    a, va = point_position(poses, body, x), point_velocity(poses, work, body, x, field)
    length, rate = 0.0, 0.0
    for i in range(1, m):
        body, x = fixed(owners, i), fixed3(xs, 3 * i)
        b, vb = point_position(poses, body, x), point_velocity(poses, work, body, x, field)
        d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if size > COINCIDENT:
            length += size
            rate += (d0 * (vb[0] - va[0]) + d1 * (vb[1] - va[1]) + d2 * (vb[2] - va[2])) / size
        a, va = b, vb
    return length, rate


@inner
def apply_tension(m, owners, xs, poses, work, tension, slope):
    """Subtract the wrenches of a tension [N] along a path from what the bodies need. slope [N/m]: dT/dlength."""
    body, x = fixed(owners, 0), fixed3(xs, 0)
    a = point_position(poses, body, x)
    for i in range(1, m):
        next_body, y = fixed(owners, i), fixed3(xs, 3 * i)
        b = point_position(poses, next_body, y)
        d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        pull = tension / size if size > COINCIDENT else slope
        f = (pull * d0, pull * d1, pull * d2)
        add_point_force(poses, work, body, x, f, Work.BIAS, -1.0)
        add_point_force(poses, work, next_body, y, f, Work.BIAS, 1.0)
        body, x, a = next_body, y, b


@inner
def tension_law(formula, values, a, length, rate):
    """Tension [N], its derivatives by length and rate, power put in and taken out [W], energy [J]. a: activation."""
    if formula == MUSCLE:
        f_opt, l_opt, tendon = fixed3(values, 0)
        T, T_l, T_rate = active_tension(f_opt, l_opt, tendon, fixed(values, 3), a, length, rate)
        x = (length - tendon) / l_opt
        f_P, df_P = curve(PASSIVE, x)
        energy = f_opt * l_opt * passive_integral(x)
        return T + f_opt * f_P, T_l + f_opt * df_P / l_opt, T_rate, -T * rate, 0.0, energy
    k, d, rest = fixed3(values, 0)
    elastic = k * (length - rest)
    T, T_l, T_rate = elastic + d * rate, k, d
    energy = 0.5 * elastic * (length - rest)
    if formula == CABLE:
        if length <= rest:
            elastic, energy = 0.0, 0.0
        if length <= rest or T <= 0.0:
            T, T_l, T_rate = 0.0, 0.0, 0.0
    return T, T_l, T_rate, 0.0, (T - elastic) * rate, energy


@inner
def apply_straight_line(formula, owners, xs, values, path, poses, work):
    """What `path_length`, `tension_law` and `apply_tension` do, of a spring or cable between two points: most lines,
    and all segments of strands. Power taken out [W], energy [J]."""
    body_a, body_b, x, y = fixed(owners, 0), fixed(owners, 1), fixed3(xs, 0), fixed3(xs, 3)
    a, b = point_position(poses, body_a, x), point_position(poses, body_b, y)
    va, vb = point_velocity(poses, work, body_a, x, Work.V), point_velocity(poses, work, body_b, y, Work.V)
    d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    apart = size > COINCIDENT
    length, rate = 0.0, 0.0
    if apart:
        length, rate = size, (d0 * (vb[0] - va[0]) + d1 * (vb[1] - va[1]) + d2 * (vb[2] - va[2])) / size
    T, T_l, T_rate, _, taken, energy = tension_law(formula, values, 0.0, length, rate)
    put3(path, ForceWork.TENSION, T, T_l, T_rate)
    put(path, ForceWork.LENGTH, length)
    put(path, ForceWork.LENGTH_RATE, rate)
    pull = T / size if apart else T_l
    if pull != 0.0:
        f = (pull * d0, pull * d1, pull * d2)
        add_point_force(poses, work, body_a, x, f, Work.BIAS, -1.0)
        add_point_force(poses, work, body_b, y, f, Work.BIAS, 1.0)
    return taken, energy


@inner
def table_value(tree, row, column, t):
    """Value of a column of a force's table at time t."""
    piece, d = table_piece(tree.tables, row, tree.pool, t)
    return table_motion(tree.pool, piece + 4 * column, d)[0]


@inner
def apply_given_wrench(tree, formula, row, values, body, x, poses, work, t):
    """Subtract the wrench of a given torque and force from what the body needs; gives its power [W]."""
    t0, t1, t2 = fixed3(values, 0)
    f0, f1, f2 = fixed3(values, 3)
    if row >= 0:
        A = get9(values, 6)
        y0, y1, y2 = table_value(tree, row, 0, t), table_value(tree, row, 1, t), table_value(tree, row, 2, t)
        a, b, c = applied(A, y0, y1, y2)
        t0, t1, t2 = t0 + a, t1 + b, t2 + c
        y0, y1, y2 = table_value(tree, row, 3, t), table_value(tree, row, 4, t), table_value(tree, row, 5, t)
        a, b, c = applied(A, y0, y1, y2)
        f0, f1, f2 = f0 + a, f1 + b, f2 + c
    if formula == WORLD_WRENCH:
        R = get9(further(poses, body * Pose.SIZE), Pose.R)
        t0, t1, t2 = turned_into(R, t0, t1, t2)
        f0, f1, f2 = turned_into(R, f0, f1, f2)
    add_wrench(work, body, x, (t0, t1, t2), (f0, f1, f2), Work.BIAS, -1.0)
    w0, w1, w2, v0, v1, v2 = get6(further(work, body * Work.SIZE), Work.V)
    c0, c1, c2 = cross(w0, w1, w2, x[0], x[1], x[2])
    return t0 * w0 + t1 * w1 + t2 * w2 + f0 * (v0 + c0) + f1 * (v1 + c1) + f2 * (v2 + c2)


@inner
def velocity_in_medium(values, body, x, poses, work):
    """Velocity of a point relative to a medium [m/s], of a plate the part along its normal; its size; the normal in the
    world, zero where all directions count."""
    v0, v1, v2 = point_velocity(poses, work, body, x, Work.V)
    w0, w1, w2 = fixed3(values, 5)
    v0, v1, v2 = v0 - w0, v1 - w1, v2 - w2
    n0, n1, n2 = fixed3(values, 2)
    if n0 != 0.0 or n1 != 0.0 or n2 != 0.0:
        n0, n1, n2 = applied(get9(further(poses, body * Pose.SIZE), Pose.R), n0, n1, n2)
        along = v0 * n0 + v1 * n1 + v2 * n2
        v0, v1, v2 = along * n0, along * n1, along * n2
    return v0, v1, v2, math.sqrt(v0 * v0 + v1 * v1 + v2 * v2), n0, n1, n2


@inner
def turn_room(owners, values, poses, work, field):
    """Room of a limit of swing or twist [rad]; torques on parent and child per unit multiplier, each in its body's
    axes; rate of the room for the twists in a field of `Work`."""
    a, b = fixed(owners, 0), fixed(owners, 1)
    A, B = get9(values, 0), get9(values, 9)
    Ra, Rb = (
        product(get9(further(poses, a * Pose.SIZE), Pose.R), A),
        product(get9(further(poses, b * Pose.SIZE), Pose.R), B),
    )
    R = product((Ra[0], Ra[3], Ra[6], Ra[1], Ra[4], Ra[7], Ra[2], Ra[5], Ra[8]), Rb)
    p, q, c = fixed3(values, 18)
    room, g0, g1, g2, _ = limit_motion(int(fixed(values, 21)), R, 0.0, 0.0, 0.0, p, q, c)
    s0, s1, s2 = applied(A, -g0, -g1, -g2)
    t0, t1, t2 = turned_into(R, g0, g1, g2)
    t0, t1, t2 = applied(B, t0, t1, t2)
    u, v = get3(further(work, a * Work.SIZE), field), get3(further(work, b * Work.SIZE), field)
    rate = (s0 * u[0] + s1 * u[1] + s2 * u[2]) + (t0 * v[0] + t1 * v[1] + t2 * v[2])
    return room, (s0, s1, s2), (t0, t1, t2), rate


@inlined
def add_torques(owners, work, s, t, field, size):
    """Add `size` times the torques s and t on two bodies to a field of `Work`."""
    nowhere = (0.0, 0.0, 0.0)
    add_wrench(work, fixed(owners, 0), nowhere, s, nowhere, field, size)
    add_wrench(work, fixed(owners, 1), nowhere, t, nowhere, field, size)


@inner
def apply_forces(count, rows, tree, t):
    """Subtract the wrenches of all forces from what the bodies need, after `velocities` and `world_poses`.

    Powers and energy go to `World`, tensions and lengths to `ForceWork`.
    """
    pool, world, work, poses = rows.pool, rows.world, rows.body_work, rows.poses
    put_in, taken, energy = 0.0, 0.0, 0.0
    for k in range(count):
        force = further(rows.forces, k * Force.SIZE)
        formula, m, row = fixed(force, Force.FORMULA), fixed(force, Force.POINTS), fixed(force, Force.TABLE)
        owners = further(rows.force_points, fixed(force, Force.FIRST_POINT))
        path = further(pool, fixed(force, Force.START))
        xs = further(path, ForceWork.SIZE)
        values = further(xs, 3 * m)
        if m == 2 and formula <= CABLE:
            more_out, more = apply_straight_line(formula, owners, xs, values, path, poses, work)
            taken, energy = taken + more_out, energy + more
            continue
        if formula <= MUSCLE:
            length, rate = path_length(m, owners, xs, poses, work, Work.V)
            a = 0.0
            if formula == MUSCLE:
                a = table_value(tree, row, 0, t) if row >= 0 else fixed(values, 4)
            T, T_l, T_rate, more_in, more_out, more = tension_law(formula, values, a, length, rate)
            put3(path, ForceWork.TENSION, T, T_l, T_rate)
            put(path, ForceWork.LENGTH, length)
            put(path, ForceWork.LENGTH_RATE, rate)
            apply_tension(m, owners, xs, poses, work, T, T_l)
            put_in, taken, energy = put_in + more_in, taken + more_out, energy + more
            continue
        body, x = fixed(owners, 0), fixed3(xs, 0)
        if formula in (WORLD_WRENCH, BODY_WRENCH):
            put_in += apply_given_wrench(tree, formula, row, values, body, x, poses, work, t)
            continue
        if formula == TURN_LIMIT:
            room, on_a, on_b, rate = turn_room(owners, values, poses, work, Work.V)
            put(path, ForceWork.LENGTH, room)
            put(path, ForceWork.LENGTH_RATE, rate)
            if room < 0.0:
                k_room, d = fixed(values, 22) * room, fixed(values, 23)
                add_torques(owners, work, on_a, on_b, Work.BIAS, k_room + d * rate)
                taken, energy = taken + d * rate * rate, energy + 0.5 * k_room * room
            continue
        v0, v1, v2, speed, _, _, _ = velocity_in_medium(values, body, x, poses, work)
        c = fixed(values, 0) + fixed(values, 1) * speed
        add_point_force(poses, work, body, x, (-c * v0, -c * v1, -c * v2), Work.BIAS, -1.0)
        w0, w1, w2 = fixed3(values, 5)
        put_in -= c * (v0 * w0 + v1 * w1 + v2 * w2)
        c3 = fixed(values, 8)
        o0, o1, o2 = get3(further(work, body * Work.SIZE), Work.V)
        add_wrench(work, body, x, (-c3 * o0, -c3 * o1, -c3 * o2), (0.0, 0.0, 0.0), Work.BIAS, -1.0)
        taken += c * speed * speed + c3 * (o0 * o0 + o1 * o1 + o2 * o2)
    put3(world, World.FORCES_IN, put_in, taken, energy)


@inner
def add_path_product(m, owners, xs, path, poses, work, h_D, h_K):
    """Add -(h_D D + h_K K) of one path times the twists in `Work.ACC` to the wrenches in `Work.F`.

    K and D as in `PathForce.implicit`.
    """
    T, T_l, T_rate = get3(path, ForceWork.TENSION)
    _, rate = path_length(m, owners, xs, poses, work, Work.ACC)
    along = (h_D * max(T_rate, 0.0) + h_K * max(T_l, 0.0)) * rate
    body, x = fixed(owners, 0), fixed3(xs, 0)
    a, va = point_position(poses, body, x), point_velocity(poses, work, body, x, Work.ACC)
    for i in range(1, m):
        next_body, y = fixed(owners, i), fixed3(xs, 3 * i)
        b, vb = point_position(poses, next_body, y), point_velocity(poses, work, next_body, y, Work.ACC)
        d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        w0, w1, w2 = vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]
        size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        apart = size > COINCIDENT
        pull = h_K * max(T / size if apart else T_l, 0.0)
        u0, u1, u2 = (d0 / size, d1 / size, d2 / size) if apart else (0.0, 0.0, 0.0)
        across = u0 * w0 + u1 * w1 + u2 * w2
        f = (
            along * u0 + pull * (w0 - across * u0),
            along * u1 + pull * (w1 - across * u1),
            along * u2 + pull * (w2 - across * u2),
        )
        add_point_force(poses, work, body, x, f, Work.F, -1.0)
        add_point_force(poses, work, next_body, y, f, Work.F, 1.0)
        body, x, a, va = next_body, y, b, vb


@inner
def add_line_product(owners, xs, path, poses, work, h_D, h_K, nearly_taut):
    """What `add_path_product` does, of a line between two points. nearly_taut: see `force_product`."""
    T, T_l, T_rate = get3(path, ForceWork.TENSION)
    if T == 0.0 and T_l == 0.0 and T_rate == 0.0:  # slack
        values = further(xs, 6)
        if not nearly_taut or get(path, ForceWork.LENGTH) < (1.0 - NEARLY_TAUT) * fixed(values, 2):
            return
        T_l, T_rate = fixed(values, 0), fixed(values, 1)
    body_a, body_b, x, y = fixed(owners, 0), fixed(owners, 1), fixed3(xs, 0), fixed3(xs, 3)
    a, b = point_position(poses, body_a, x), point_position(poses, body_b, y)
    va, vb = point_velocity(poses, work, body_a, x, Work.ACC), point_velocity(poses, work, body_b, y, Work.ACC)
    w0, w1, w2 = vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]
    d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    size = get(path, ForceWork.LENGTH)
    apart = size > COINCIDENT
    pull = h_K * max(T / size if apart else T_l, 0.0)
    along = 0.0
    if apart:
        along = (d0 * w0 + d1 * w1 + d2 * w2) / (size * size)
        along *= h_D * max(T_rate, 0.0) + h_K * max(T_l, 0.0) - pull
    f = (pull * w0 + along * d0, pull * w1 + along * d1, pull * w2 + along * d2)
    add_point_force(poses, work, body_a, x, f, Work.F, -1.0)
    add_point_force(poses, work, body_b, y, f, Work.F, 1.0)


@inner
def force_product(count, rows, h_D, h_K, nearly_taut):
    """Add -(h_D D + h_K K) of all forces times the twists in `Work.ACC` to the wrenches in `Work.F`.

    After `apply_forces`. nearly_taut: cables between two points that are slack by no more than `NEARLY_TAUT` count as
    taut, so that implicit steps are stable where one becomes taut within them.
    """
    pool, work, poses = rows.pool, rows.body_work, rows.poses
    g0, g1, g2 = get3(work, Work.ACC + 3 - Work.SIZE)
    put3(work, Work.ACC + 3 - Work.SIZE, 0.0, 0.0, 0.0)  # where minus gravity stands: the world has no twist
    for k in range(count):
        force = further(rows.forces, k * Force.SIZE)
        formula, m = fixed(force, Force.FORMULA), fixed(force, Force.POINTS)
        owners = further(rows.force_points, fixed(force, Force.FIRST_POINT))
        path = further(pool, fixed(force, Force.START))
        xs = further(path, ForceWork.SIZE)
        if m == 2 and formula <= CABLE:
            add_line_product(owners, xs, path, poses, work, h_D, h_K, nearly_taut)
        elif formula <= MUSCLE:
            add_path_product(m, owners, xs, path, poses, work, h_D, h_K)
        elif formula == TURN_LIMIT:
            values = further(xs, 3 * m)
            room, on_a, on_b, rate = turn_room(owners, values, poses, work, Work.ACC)
            if room < 0.0:
                size = (h_K * fixed(values, 22) + h_D * fixed(values, 23)) * rate
                add_torques(owners, work, on_a, on_b, Work.F, size)
        elif formula not in (WORLD_WRENCH, BODY_WRENCH):
            values, body, x = further(xs, 3), fixed(owners, 0), fixed3(xs, 0)
            v0, v1, v2, speed, n0, n1, n2 = velocity_in_medium(values, body, x, poses, work)
            y0, y1, y2 = point_velocity(poses, work, body, x, Work.ACC)
            if n0 != 0.0 or n1 != 0.0 or n2 != 0.0:
                along = y0 * n0 + y1 * n1 + y2 * n2
                y0, y1, y2 = along * n0, along * n1, along * n2
            c2 = fixed(values, 1)
            c = h_D * (fixed(values, 0) + c2 * speed)
            d = h_D * c2 * (v0 * y0 + v1 * y1 + v2 * y2) / speed if speed > 0.0 else 0.0
            add_point_force(poses, work, body, x, (c * y0 + d * v0, c * y1 + d * v1, c * y2 + d * v2), Work.F, 1.0)
            c3 = h_D * fixed(values, 8)
            o0, o1, o2 = get3(further(work, body * Work.SIZE), Work.ACC)
            add_wrench(work, body, x, (c3 * o0, c3 * o1, c3 * o2), (0.0, 0.0, 0.0), Work.F, 1.0)
    put3(work, Work.ACC + 3 - Work.SIZE, g0, g1, g2)
