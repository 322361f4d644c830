# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forces along coordinates: torques, springs, damping, soft limits, tables and motors, as in
`dynamics.loads`."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Dof, Head, Part, Table, Vector
from ..layout.memory import fixed, further, get, put
from ..layout.views import arrays_of
from .own_coordinates import coordinate_change, is_written_otherwise, turn_loads, write_as_meant


@inner
def table_piece(tables, i, pool, x):
    """Index of the piece's numbers in the pool, and the distance from its anchor."""
    start, points = tables[i, Table.START], tables[i, Table.POINTS]
    low, high = 0, points
    while low < high:  # the first point beyond x
        middle = (low + high) // 2
        if pool[start + middle] <= x:
            low = middle + 1
        else:
            high = middle
    anchor = pool[start + max(low - 1, 0)]
    return start + points + 4 * tables[i, Table.COLUMNS] * low, x - anchor


@inner
def table_motion(pool, piece, d):
    """Value, first and second derivative of the column whose coefficients begin at `piece`."""
    c0, c1, c2, c3 = pool[piece], pool[piece + 1], pool[piece + 2], pool[piece + 3]
    return c0 + d * (c1 + d * (c2 + d * c3)), c1 + d * (2.0 * c2 + 3.0 * d * c3), 2.0 * c2 + 6.0 * d * c3


@inner
def put_prescribed(tree, t, q, qdot, qddot):
    """Coordinates, velocities and accelerations of animated and locked joints at time t."""
    tables, pool, q0, prescribed = tree.tables, tree.pool, tree.vectors[Vector.START], tree.prescribed
    for k in range(prescribed.shape[0]):
        c = prescribed[k]
        q[c], qdot[c], qddot[c] = q0[c], 0.0, 0.0
    for i in range(tables.shape[0]):
        if tables[i, Table.KIND] == codes.ANIMATION:
            piece, d = table_piece(tables, i, pool, t)
            for k in range(tables[i, Table.COLUMNS]):
                c = tables[i, Table.DOF] + k
                q[c], qdot[c], qddot[c] = table_motion(pool, piece + 4 * k, d)


@inner
def coordinate_load(dofs, k, q, qdot):
    """Force, K, D of torque, spring, damper and soft limit of one coordinate."""
    f = dofs[k, Dof.TORQUE] - dofs[k, Dof.STIFFNESS] * (q - dofs[k, Dof.REST]) - dofs[k, Dof.DAMPING] * qdot
    K, damping = -dofs[k, Dof.STIFFNESS], -dofs[k, Dof.DAMPING]
    beyond = min(q - dofs[k, Dof.LOWER], 0.0) + max(q - dofs[k, Dof.UPPER], 0.0)
    if beyond != 0.0:
        f -= dofs[k, Dof.LIMIT_STIFFNESS] * beyond + dofs[k, Dof.LIMIT_DAMPING] * qdot
        K -= dofs[k, Dof.LIMIT_STIFFNESS]
        damping -= dofs[k, Dof.LIMIT_DAMPING]
    return f, K, damping


@inner
def joint_loads(ints, rows, q, qdot, t):
    """Forces along the present coordinates with the diagonals of K and D, and the coordinates they are meant in.

    All into the vectors of the packed model.
    """
    nr, count, arrays = fixed(ints, Head.DOFS), fixed(ints, Head.PARTS), arrays_of(ints, rows)
    own_q, own_qdot = further(rows.vectors, Vector.OWN_Q * nr), further(rows.vectors, Vector.OWN_QDOT * nr)
    f, K, D = arrays.vectors[Vector.LOAD], arrays.vectors[Vector.LOAD_K], arrays.vectors[Vector.LOAD_D]
    parts, data, charts, space = rows.parts, rows.joint_data, rows.charts, rows.joint_work
    for k in range(nr):
        put(own_q, k, get(q, k))
        put(own_qdot, k, get(qdot, k))
    for i in range(count):
        part = further(parts, i * Part.SIZE)
        if fixed(part, Part.REWRITTEN):
            write_as_meant(part, data, charts, rows.dofs, own_q, own_qdot, space)
    for k in range(nr):
        f[k], K[k], D[k] = coordinate_load(arrays.dofs, k, get(own_q, k), get(own_qdot, k))
    add_tables(arrays, t)
    if fixed(ints, Head.MOTORS) > 0:
        add_motors(arrays, t)
    for i in range(count):
        part = further(parts, i * Part.SIZE)
        if fixed(part, Part.REWRITTEN) and is_written_otherwise(part, charts, q, own_q):
            coordinate_change(part, data, charts, q, qdot, own_q, own_qdot, space)
            turn_loads(part, space, f, K, D)


@inner
def add_tables(arrays, t):
    """What tables of torque over time and of springs add to loads, where coordinates stand as loads mean them."""
    dofs, tables, pool, vectors = arrays.dofs, arrays.tables, arrays.pool, arrays.vectors
    own_q, f, K = vectors[Vector.OWN_Q], vectors[Vector.LOAD], vectors[Vector.LOAD_K]
    for i in range(tables.shape[0]):
        kind = tables[i, Table.KIND]
        if kind == codes.TORQUE_TABLE:
            piece, d = table_piece(tables, i, pool, t)
            for k in range(tables[i, Table.COLUMNS]):
                f[tables[i, Table.DOF] + k] += table_motion(pool, piece + 4 * k, d)[0]
        elif kind == codes.SPRING_TABLE:
            for k in range(tables[i, Table.COLUMNS]):
                c = tables[i, Table.DOF] + k
                piece, d = table_piece(tables, i, pool, own_q[c] - dofs[c, Dof.REST])
                value, slope, _ = table_motion(pool, piece + 4 * k, d)
                f[c] -= value
                K[c] -= slope


@inner
def add_motors(arrays, t):
    """What motors add to loads, as `dynamics.motors`; it stays in `Vector.MOTOR`."""
    dofs, tables, pool, vectors = arrays.dofs, arrays.tables, arrays.pool, arrays.vectors
    target, rate, motor = vectors[Vector.TARGET], vectors[Vector.TARGET_RATE], vectors[Vector.MOTOR]
    own_q, own_qdot = vectors[Vector.OWN_Q], vectors[Vector.OWN_QDOT]
    f, K, D = vectors[Vector.LOAD], vectors[Vector.LOAD_K], vectors[Vector.LOAD_D]
    for k in range(dofs.shape[0]):
        target[k], rate[k] = dofs[k, Dof.TARGET], dofs[k, Dof.TARGET_RATE]
    for i in range(tables.shape[0]):
        kind = tables[i, Table.KIND]
        if kind < codes.POSITION_TARGET:  # neither that nor SPEED_TARGET, the last one
            continue
        piece, d = table_piece(tables, i, pool, t)
        for k in range(tables[i, Table.COLUMNS]):
            c = tables[i, Table.DOF] + k
            value, slope, _ = table_motion(pool, piece + 4 * k, d)
            if kind == codes.POSITION_TARGET:
                target[c] += value
                rate[c] += slope
            else:
                rate[c] += value
    for k in range(dofs.shape[0]):
        stiffness, damping, most = dofs[k, Dof.POSITION_GAIN], dofs[k, Dof.SPEED_GAIN], dofs[k, Dof.MAXIMUM]
        push = stiffness * (target[k] - own_q[k]) + damping * (rate[k] - own_qdot[k])
        if abs(push) <= most:
            K[k] -= stiffness
            D[k] -= damping
        motor[k] = min(max(push, -most), most)
        f[k] += motor[k]
