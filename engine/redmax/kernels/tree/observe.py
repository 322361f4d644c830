# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled samples: poses, twists, accelerations, wrenches, energies and momenta of a whole mechanism in one call."""

from __future__ import annotations

import math

import numpy as np

from .. import tasks
from ..cache.jit import compiled, inner
from ..core import run
from ..layout import codes
from ..layout.declaration import Body, Dof, Head, Link, Table, Vector, Work, World
from ..layout.views import arrays_of, packed_rows, rows_of
from ..spatial import applied, cross, product, turned_back

KINETIC, POTENTIAL, CENTER, ANGULAR, LINEAR, WORK, LOSS = 0, 1, 2, 5, 8, 11, 12
SCALARS = 13
"""Entries of `scalars` of a sample: energies [J], centre of mass [m], momenta, and powers put in and taken out [W]."""


@inner
def table_integral(tables, i, pool, column, x):
    """Integral of one column of a table from 0 to x."""
    start, points = tables[i, Table.START], tables[i, Table.POINTS]
    columns = tables[i, Table.COLUMNS]
    low, high, sign = (0.0, x, 1.0) if x >= 0.0 else (x, 0.0, -1.0)
    total = 0.0
    for piece in range(points + 1):
        left = -math.inf if piece == 0 else pool[start + piece - 1]
        right = math.inf if piece == points else pool[start + piece]
        a, b = max(low, left), min(high, right)
        if b <= a:
            continue
        anchor = pool[start + max(piece - 1, 0)]
        c = start + points + 4 * (columns * piece + column)
        for side in range(2):
            d = (b if side == 0 else a) - anchor
            value = d * (pool[c] + d * (pool[c + 1] / 2.0 + d * (pool[c + 2] / 3.0 + d * pool[c + 3] / 4.0)))
            total += value if side == 0 else -value
    return sign * total


@inner
def joint_potential(tree):
    """Energy of springs, spring tables and soft limits [J], after `joint_loads`."""
    dofs, tables, pool = tree.dofs, tree.tables, tree.pool
    own = tree.vectors[Vector.OWN_Q]
    total = 0.0
    for k in range(dofs.shape[0]):
        x = own[k] - dofs[k, Dof.REST]
        beyond = min(own[k] - dofs[k, Dof.LOWER], 0.0) + max(own[k] - dofs[k, Dof.UPPER], 0.0)
        total += 0.5 * (dofs[k, Dof.STIFFNESS] * x * x)
        if beyond != 0.0:
            total += 0.5 * dofs[k, Dof.LIMIT_STIFFNESS] * beyond * beyond
    for i in range(tables.shape[0]):
        if tables[i, Table.KIND] == codes.SPRING_TABLE:
            for m in range(tables[i, Table.COLUMNS]):
                k = tables[i, Table.DOF] + m
                total += table_integral(tables, i, pool, m, own[k] - dofs[k, Dof.REST])
    return total


@inner
def poses(tree, E):
    """Write the world poses of the kernels' joint frames to E (n, 12): rotation, then position."""
    links, work = tree.links, tree.body_work
    for j in range(work.shape[0]):
        p = links[j, Link.PARENT]
        R = (
            work[j, 0], work[j, 1], work[j, 2], work[j, 3], work[j, 4], work[j, 5], work[j, 6], work[j, 7], work[j, 8]
        )  # fmt: skip
        x, y, z = work[j, Work.P], work[j, Work.P + 1], work[j, Work.P + 2]
        if p >= 0:
            up = (E[p, 0], E[p, 1], E[p, 2], E[p, 3], E[p, 4], E[p, 5], E[p, 6], E[p, 7], E[p, 8])
            R = product(up, R)
            x, y, z = applied(up, x, y, z)
            x, y, z = x + E[p, 9], y + E[p, 10], z + E[p, 11]
        E[j, 0], E[j, 1], E[j, 2], E[j, 3], E[j, 4], E[j, 5] = R[0], R[1], R[2], R[3], R[4], R[5]
        E[j, 6], E[j, 7], E[j, 8], E[j, 9], E[j, 10], E[j, 11] = R[6], R[7], R[8], x, y, z


@compiled
def motion(address, ints, floats, q, qdot, frames, E, phi):
    """Poses E (n, 4, 4) in the world and twists phi (n, 6) of frames (n, 4, 4) given in the kernels' joint frames."""
    run(address, ints, floats, q, qdot, q, 0.0, tasks.PLACE | tasks.ROW_ERRORS)
    head, numbers = packed_rows(ints, floats)
    tree = arrays_of(head, rows_of(head, numbers))
    work = tree.body_work
    n = work.shape[0]
    world = np.empty((n, 12))
    poses(tree, world)
    for j in range(n):
        R = (
            world[j, 0], world[j, 1], world[j, 2], world[j, 3], world[j, 4], world[j, 5], world[j, 6], world[j, 7],
            world[j, 8],
        )  # fmt: skip
        R_k = (
            frames[j, 0, 0], frames[j, 0, 1], frames[j, 0, 2], frames[j, 1, 0], frames[j, 1, 1], frames[j, 1, 2],
            frames[j, 2, 0], frames[j, 2, 1], frames[j, 2, 2],
        )  # fmt: skip
        p_k = (frames[j, 0, 3], frames[j, 1, 3], frames[j, 2, 3])
        M = product(R, R_k)
        x, y, z = applied(R, p_k[0], p_k[1], p_k[2])
        E[j, 0, 0], E[j, 0, 1], E[j, 0, 2], E[j, 0, 3] = M[0], M[1], M[2], x + world[j, 9]
        E[j, 1, 0], E[j, 1, 1], E[j, 1, 2], E[j, 1, 3] = M[3], M[4], M[5], y + world[j, 10]
        E[j, 2, 0], E[j, 2, 1], E[j, 2, 2], E[j, 2, 3] = M[6], M[7], M[8], z + world[j, 11]
        E[j, 3, 0] = E[j, 3, 1] = E[j, 3, 2] = 0.0
        E[j, 3, 3] = 1.0
        v = Work.V
        s = turned_back(
            R_k, p_k, work[j, v], work[j, v + 1], work[j, v + 2], work[j, v + 3], work[j, v + 4], work[j, v + 5]
        )
        phi[j, 0], phi[j, 1], phi[j, 2], phi[j, 3], phi[j, 4], phi[j, 5] = s[0], s[1], s[2], s[3], s[4], s[5]


@compiled
def observe(address, ints, floats, q, qdot, t, E_wb, twist, acceleration, reaction, speeds, qddot, load, scalars):
    """All results of a sample, into the arrays handed over. qddot: given at prescribed coordinates. load: (5, nr)
    whole forces, loads, what motors push with and put in, what drives push with. speeds: (n, 2) angular speed of
    each body [rad/s] and speed of its centre of mass [m/s].

    Gives -1, or the body at whose joint nothing resists; then accelerations and wrenches mean nothing.
    """
    head, numbers = packed_rows(ints, floats)
    tree = arrays_of(head, rows_of(head, numbers))
    bodies, work, vectors, world = tree.bodies, tree.body_work, tree.vectors, tree.world
    n, nr = work.shape[0], q.shape[0]
    # prescribed coordinates have the animation's acceleration, but the position and velocity of the state
    unused = np.empty((2, nr))
    run(address, ints, floats, unused[0], unused[1], qddot, t, tasks.PRESCRIBE)
    what = tasks.ACCELERATE | tasks.WRENCHES | tasks.POWERS
    if ints[Head.ALL_ROWS] > 0:
        what |= tasks.ROW_ERRORS
    stuck = run(address, ints, floats, q, qdot, qddot, t, what)
    scalars[POTENTIAL] = joint_potential(tree) if ints[Head.HAS_LOADS] else 0.0
    if ints[Head.FORCES]:
        scalars[POTENTIAL] += world[World.FORCES_ENERGY]
    scalars[WORK], scalars[LOSS] = world[World.POWER_IN], world[World.POWER_OUT]
    for k in range(nr):
        load[0, k], load[1, k] = vectors[Vector.FORCE, k], vectors[Vector.LOAD, k]
        load[2, k], load[3, k] = vectors[Vector.MOTOR, k], vectors[Vector.MOTOR, k] * vectors[Vector.OWN_QDOT, k]
        load[4, k] = vectors[Vector.DRIVE, k]
    E = np.empty((n, 12))
    poses(tree, E)
    mass, kinetic, weight = 0.0, 0.0, 0.0
    for k in range(CENTER, LINEAR + 3):
        scalars[k] = 0.0
    for j in range(n):
        R = (E[j, 0], E[j, 1], E[j, 2], E[j, 3], E[j, 4], E[j, 5], E[j, 6], E[j, 7], E[j, 8])
        b = Body.R_JB
        R_jb = (
            bodies[j, b], bodies[j, b + 1], bodies[j, b + 2], bodies[j, b + 3], bodies[j, b + 4],
            bodies[j, b + 5], bodies[j, b + 6], bodies[j, b + 7], bodies[j, b + 8],
        )  # fmt: skip
        p_jb = (bodies[j, Body.P_JB], bodies[j, Body.P_JB + 1], bodies[j, Body.P_JB + 2])
        M = product(R, R_jb)
        x, y, z = applied(R, p_jb[0], p_jb[1], p_jb[2])
        E_wb[j, 0, 0], E_wb[j, 0, 1], E_wb[j, 0, 2], E_wb[j, 0, 3] = M[0], M[1], M[2], x + E[j, 9]
        E_wb[j, 1, 0], E_wb[j, 1, 1], E_wb[j, 1, 2], E_wb[j, 1, 3] = M[3], M[4], M[5], y + E[j, 10]
        E_wb[j, 2, 0], E_wb[j, 2, 1], E_wb[j, 2, 2], E_wb[j, 2, 3] = M[6], M[7], M[8], z + E[j, 11]
        E_wb[j, 3, 0] = E_wb[j, 3, 1] = E_wb[j, 3, 2] = 0.0
        E_wb[j, 3, 3] = 1.0
        w0, w1, w2 = work[j, Work.V], work[j, Work.V + 1], work[j, Work.V + 2]
        v0, v1, v2 = work[j, Work.V + 3], work[j, Work.V + 4], work[j, Work.V + 5]
        s = turned_back(R_jb, p_jb, w0, w1, w2, v0, v1, v2)
        twist[j, 0], twist[j, 1], twist[j, 2], twist[j, 3], twist[j, 4], twist[j, 5] = (
            s[0],
            s[1],
            s[2],
            s[3],
            s[4],
            s[5],
        )
        c0, c1, c2 = cross(w0, w1, w2, bodies[j, Body.CENTER], bodies[j, Body.CENTER + 1], bodies[j, Body.CENTER + 2])
        speeds[j, 0] = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        speeds[j, 1] = math.sqrt((v0 + c0) ** 2 + (v1 + c1) ** 2 + (v2 + c2) ** 2)
        # `Work.ACC` is less gravity, and of points: the derivative of the twist is wanted
        y0, y1, y2 = cross(w0, w1, w2, v0, v1, v2)
        g0 = R[0] * world[0] + R[3] * world[1] + R[6] * world[2]
        g1 = R[1] * world[0] + R[4] * world[1] + R[7] * world[2]
        g2 = R[2] * world[0] + R[5] * world[1] + R[8] * world[2]
        a = Work.ACC
        s = turned_back(
            R_jb,
            p_jb,
            work[j, a],
            work[j, a + 1],
            work[j, a + 2],
            work[j, a + 3] + g0 - y0,
            work[j, a + 4] + g1 - y1,
            work[j, a + 5] + g2 - y2,
        )
        acceleration[j, 0], acceleration[j, 1], acceleration[j, 2] = s[0], s[1], s[2]
        acceleration[j, 3], acceleration[j, 4], acceleration[j, 5] = s[3], s[4], s[5]
        tilt = Body.TILT
        A = (
            bodies[j, tilt], bodies[j, tilt + 1], bodies[j, tilt + 2], bodies[j, tilt + 3], bodies[j, tilt + 4],
            bodies[j, tilt + 5], bodies[j, tilt + 6], bodies[j, tilt + 7], bodies[j, tilt + 8],
        )  # fmt: skip
        f = Work.F
        x0, x1, x2 = applied(A, work[j, f], work[j, f + 1], work[j, f + 2])
        x3, x4, x5 = applied(A, work[j, f + 3], work[j, f + 4], work[j, f + 5])
        reaction[j, 0], reaction[j, 1], reaction[j, 2] = x0, x1, x2
        reaction[j, 3], reaction[j, 4], reaction[j, 5] = x3, x4, x5
        # momenta about the joint frame's origin
        m, i = bodies[j, Body.MASS], Body.INERTIA
        h0, h1, h2 = bodies[j, Body.MOMENT], bodies[j, Body.MOMENT + 1], bodies[j, Body.MOMENT + 2]
        a0, a1, a2 = cross(h0, h1, h2, v0, v1, v2)
        L0 = bodies[j, i] * w0 + bodies[j, i + 1] * w1 + bodies[j, i + 2] * w2 + a0
        L1 = bodies[j, i + 1] * w0 + bodies[j, i + 3] * w1 + bodies[j, i + 4] * w2 + a1
        L2 = bodies[j, i + 2] * w0 + bodies[j, i + 4] * w1 + bodies[j, i + 5] * w2 + a2
        b0, b1, b2 = cross(w0, w1, w2, h0, h1, h2)
        P0, P1, P2 = m * v0 + b0, m * v1 + b1, m * v2 + b2
        kinetic += 0.5 * (w0 * L0 + w1 * L1 + w2 * L2 + v0 * P0 + v1 * P1 + v2 * P2)
        l0, l1, l2 = applied(R, L0, L1, L2)
        p0, p1, p2 = applied(R, P0, P1, P2)
        o0, o1, o2 = cross(E[j, 9], E[j, 10], E[j, 11], p0, p1, p2)
        scalars[ANGULAR] += l0 + o0
        scalars[ANGULAR + 1] += l1 + o1
        scalars[ANGULAR + 2] += l2 + o2
        scalars[LINEAR] += p0
        scalars[LINEAR + 1] += p1
        scalars[LINEAR + 2] += p2
        c0, c1, c2 = applied(R, h0, h1, h2)
        c0, c1, c2 = c0 + m * E[j, 9], c1 + m * E[j, 10], c2 + m * E[j, 11]
        weight -= c0 * world[0] + c1 * world[1] + c2 * world[2]
        scalars[CENTER] += c0
        scalars[CENTER + 1] += c1
        scalars[CENTER + 2] += c2
        mass += m
    for k in range(3):
        scalars[CENTER + k] = scalars[CENTER + k] / mass if mass > 0.0 else 0.0
    scalars[KINETIC] = kinetic
    scalars[POTENTIAL] += weight
    return stuck
