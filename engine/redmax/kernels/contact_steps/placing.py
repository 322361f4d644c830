# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bodies are and how they move, and their free motion."""

from __future__ import annotations

import math

import numpy as np

from .. import tasks
from ..cache.jit import inner
from ..core import run
from ..layout.declaration import Body, Column, Head, Link, Pose, Vector, Work, World
from ..layout.memory import fixed, fixed3, further, get, get3, get9
from ..layout.views import arrays_of, packed_rows, rows_of
from ..spatial import applied, cross
from ..tree.products import fill_mass_matrix
from . import numbers as at


@inner
def place(sim, q, qdot, poses, rates):
    """Write poses of joint frames (12 n,) and rates (n + 1, RATES) at (q, qdot)."""
    address, ints, floats = sim
    nothing = np.empty(q.shape[0])
    run(address, ints, floats, q, qdot, nothing, 0.0, tasks.PLACE | tasks.ROW_ERRORS)
    head, numbers = packed_rows(ints, floats)
    rows = rows_of(head, numbers)
    for b in range(fixed(head, Head.BODIES)):
        pose, work = further(rows.poses, b * Pose.SIZE), further(rows.body_work, b * Work.SIZE)
        R = get9(pose, Pose.R)
        x, y, z = get3(pose, Pose.P)
        for i in range(9):
            poses[12 * b + i] = R[i]
        poses[12 * b + 9], poses[12 * b + 10], poses[12 * b + 11] = x, y, z
        c0, c1, c2 = fixed3(rows.bodies, b * Body.SIZE + Body.CENTER)
        c0, c1, c2 = applied(R, c0, c1, c2)
        w0, w1, w2 = get3(work, Work.V)
        w0, w1, w2 = applied(R, w0, w1, w2)
        v0, v1, v2 = get3(work, Work.V + 3)
        v0, v1, v2 = applied(R, v0, v1, v2)
        u0, u1, u2 = cross(w0, w1, w2, c0, c1, c2)
        rates[b, 0], rates[b, 1], rates[b, 2] = x + c0, y + c1, z + c2
        rates[b, 3], rates[b, 4], rates[b, 5] = v0 + u0, v1 + u1, v2 + u2
        rates[b, 6], rates[b, 7], rates[b, 8] = w0, w1, w2


@inner
def put_columns(sim, poses, columns, M):
    """Write columns (nr, COLUMN) and the mass matrix M (nr, nr), after `place`."""
    _, ints, floats = sim
    head, numbers = packed_rows(ints, floats)
    rows = rows_of(head, numbers)
    n = fixed(head, Head.BODIES)
    fill_mass_matrix(n, rows, M)
    for b in range(n):
        link = further(rows.links, b * Link.SIZE)
        R = get9(further(rows.poses, b * Pose.SIZE), Pose.R)
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            column = further(rows.columns, k * Column.SIZE)
            a0, a1, a2 = get3(column, Column.S)
            a0, a1, a2 = applied(R, a0, a1, a2)
            v0, v1, v2 = get3(column, Column.S + 3)
            v0, v1, v2 = applied(R, v0, v1, v2)
            columns[k, 0], columns[k, 1], columns[k, 2] = a0, a1, a2
            columns[k, 3], columns[k, 4], columns[k, 5] = v0, v1, v2
            columns[k, 6], columns[k, 7], columns[k, 8] = poses[12 * b + 9], poses[12 * b + 10], poses[12 * b + 11]


@inner
def column_at(columns, k, x0, x1, x2):
    """Velocity at the point x of what coordinate k carries, per unit of its velocity."""
    y0, y1, y2 = x0 - columns[k, 6], x1 - columns[k, 7], x2 - columns[k, 8]
    u0, u1, u2 = cross(columns[k, 0], columns[k, 1], columns[k, 2], y0, y1, y2)
    return columns[k, 3] + u0, columns[k, 4] + u1, columns[k, 5] + u2


@inner
def slopes(sim, par, q, qdot, qddot, t):
    """Accelerations at time t, and powers [W] put in and taken out; a body at whose joint nothing resists, or -1."""
    address, ints, floats = sim
    run(address, ints, floats, q, qdot, qddot, t, tasks.PRESCRIBE)
    exchanges = par[at.EXCHANGES] != 0.0
    what = tasks.ACCELERATE | tasks.POWERS if exchanges else tasks.ACCELERATE
    stuck = run(address, ints, floats, q, qdot, qddot, t, what)
    head, numbers = packed_rows(ints, floats)
    world = rows_of(head, numbers).world
    if exchanges:
        return stuck, get(world, World.POWER_IN), get(world, World.POWER_OUT)
    return stuck, 0.0, 0.0


@inner
def add_motors(sim, par, weight, forces):
    """Add what motors push with, times a weight, to forces (nr,) along the scene's own coordinates, after `slopes`.
    Gives the power [W] of motors."""
    _, ints, floats = sim
    head, numbers = packed_rows(ints, floats)
    power = 0.0
    if par[at.EXCHANGES] != 0.0 and fixed(head, Head.MOTORS) > 0:
        vectors = arrays_of(head, rows_of(head, numbers)).vectors
        for k in range(forces.shape[0]):
            power += vectors[Vector.MOTOR, k] * vectors[Vector.OWN_QDOT, k]
            forces[k] += weight * vectors[Vector.MOTOR, k]
    return power


@inner
def power_at(sim, par, forces):
    """Power [W] that forces (nr,) in the place of motors have where `slopes` was called just now."""
    _, ints, floats = sim
    head, numbers = packed_rows(ints, floats)
    power = 0.0
    if par[at.EXCHANGES] != 0.0 and fixed(head, Head.MOTORS) > 0:
        vectors = arrays_of(head, rows_of(head, numbers)).vectors
        for k in range(forces.shape[0]):
            power += forces[k] * vectors[Vector.OWN_QDOT, k]
    return power


@inner
def move_freely(sim, par, q0, v0, t, h, until, q1, v1, motors):
    """Where a free motion is after h [s], by the classical Runge-Kutta method of order 4, to q1, v1. Gives the body at
    whose joint nothing resists or -1, and the work put in and taken out [J]. until: inputs are smooth up to here. Adds
    what motors push with on the average to motors (nr + 1,), and their work [J] at its end."""
    nr = q0.shape[0]
    q, v, a = np.empty(nr), np.empty(nr), np.zeros(nr)
    dq, dv = np.zeros(nr), np.zeros(nr)
    put_in, taken = 0.0, 0.0
    for k in range(nr):
        q[k], v[k] = q0[k], v0[k]
    for stage in range(4):
        part = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
        weight = 1.0 / 6.0 if stage in (0, 3) else 1.0 / 3.0
        stuck, p_in, p_out = slopes(sim, par, q, v, a, min(t + part * h, until))
        if stuck >= 0:
            return stuck, 0.0, 0.0
        put_in, taken = put_in + weight * h * p_in, taken + weight * h * p_out
        motors[nr] += weight * h * add_motors(sim, par, weight, motors[:nr])
        step = h if stage == 2 else 0.5 * h
        for k in range(nr):
            dq[k] += weight * h * v[k]
            dv[k] += weight * h * a[k]
            q[k], v[k] = q0[k] + step * v[k], v0[k] + step * a[k]
    for k in range(nr):
        q1[k], v1[k] = q0[k] + dq[k], v0[k] + dv[k]
    address, ints, floats = sim
    run(address, ints, floats, q1, v1, a, min(t + h, until), tasks.PRESCRIBE)
    return -1, put_in, taken


@inner
def step_errors(poses_a, rates_a, poses_b, rates_b, sizes, tree_of_body, touched):
    """Largest change of place and direction of a body between two placings, as part of its size: of bodies of trees
    that touched something, and of all others."""
    touching, free = 0.0, 0.0
    for b in range(sizes.shape[0]):
        moved, turned = 0.0, 0.0
        for i in range(3):
            d = rates_a[b, i] - rates_b[b, i]
            moved += d * d
        for i in range(9):
            d = poses_a[12 * b + i] - poses_b[12 * b + i]
            turned += d * d
        error = math.sqrt(moved) / sizes[b] + math.sqrt(0.5 * turned)
        tree = tree_of_body[b]
        if tree >= 0 and touched[tree]:
            if not error <= touching:
                touching = error
        elif not error <= free:
            free = error
    return touching, free
