# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forces along coordinates: torques, springs, damping, soft limits and tables, as in `dynamics.loads`.

Loads on a rotation vector or on Euler angles are meant in the scene's own coordinates, of which those nearest to rest
count; the force along the present ones is B^T times theirs, B = d own / d present.
"""

from __future__ import annotations

import math

import numpy as np

from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Dof, PrimitiveInts, Table, Vector
from ..spatial import applied, axis_rotation, ball, product, solved3
from .place import AXES

TURN = 2.0 * math.pi


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
def euler_axes(chart, i, kinds):
    """Axes of the three angles that begin at primitive i, in a chart."""
    if chart == 0:
        return kinds[i, PrimitiveInts.OWN], kinds[i + 1, PrimitiveInts.OWN], kinds[i + 2, PrimitiveInts.OWN]
    return AXES[chart - 1, 0], AXES[chart - 1, 1], AXES[chart - 1, 2]


@inner
def row_of(M, k):
    return M[3 * k], M[3 * k + 1], M[3 * k + 2]


@inner
def euler_motion(a, b, c, axes):
    """Rotation of three angles and their Jacobian in the moved frame, nine numbers each."""
    Rb, Rc = axis_rotation(axes[1], b), axis_rotation(axes[2], c)
    Rbc = product(Rb, Rc)
    # columns: Rbc^T e_i, Rc^T e_j, e_k, which are rows of Rbc and Rc
    x, y = row_of(Rbc, axes[0]), row_of(Rc, axes[1])
    z = (1.0 if axes[2] == 0 else 0.0, 1.0 if axes[2] == 1 else 0.0, 1.0 if axes[2] == 2 else 0.0)
    J = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    return product(axis_rotation(axes[0], a), Rbc), J


@inner
def euler_angles(M, axes):
    """Angles of a rotation matrix in a sequence of axes; the middle one in [0, pi] or [-pi/2, pi/2].

    The last angle is taken from what the first leaves, so that near gimbal lock, where single angles are noise,
    together they still give the rotation back.
    """
    i, j = axes[0], axes[1]
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if axes[2] == i:
        b = math.atan2(math.hypot(M[3 * j + i], M[3 * k + i]), M[3 * i + i])
        a = math.atan2(M[3 * j + i], -sign * M[3 * k + i])
    else:
        b = math.atan2(sign * M[3 * i + k], math.hypot(M[3 * j + k], M[3 * k + k]))
        a = math.atan2(-sign * M[3 * j + k], M[3 * k + k])
    cos_a, sin_a = math.cos(a), sign * math.sin(a)
    across = k if axes[2] == i else i
    side = -sign if axes[2] == i else sign
    s = side * (cos_a * M[3 * j + across] + sin_a * M[3 * k + across])
    return a, b, math.atan2(s, cos_a * M[3 * j + j] + sin_a * M[3 * k + j])


@inner
def near(a, b, c, like0, like1, like2):
    """Whole turns added to bring angles near others."""
    return (
        a + TURN * np.rint((like0 - a) / TURN),
        b + TURN * np.rint((like1 - b) / TURN),
        c + TURN * np.rint((like2 - c) / TURN),
    )


@inner
def euler_like(M, axes, l0, l1, l2):
    """Angles of a rotation matrix as near to (l0, l1, l2) as the sequence allows."""
    a, b, c = euler_angles(M, axes)
    a2, b2, c2 = a + math.pi, (-b if axes[0] == axes[2] else math.pi - b), c + math.pi
    a, b, c = near(a, b, c, l0, l1, l2)
    a2, b2, c2 = near(a2, b2, c2, l0, l1, l2)
    first = (a - l0) ** 2 + (b - l1) ** 2 + (c - l2) ** 2
    second = (a2 - l0) ** 2 + (b2 - l1) ** 2 + (c2 - l2) ** 2
    return (a, b, c) if first <= second else (a2, b2, c2)


@inner
def own_coordinates(i, kinds, charts, dofs, q, qdot):
    """Coordinates and velocities of three coordinates in which their loads are meant, and B as nine numbers.

    i: the ball, or the first of three Euler angles. changed: False where they are the present ones.
    """
    k = kinds[i, PrimitiveInts.COORDINATE]
    x, y, z = q[k], q[k + 1], q[k + 2]
    u, v, w = qdot[k], qdot[k + 1], qdot[k + 2]
    same = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    if kinds[i, PrimitiveInts.KIND] == codes.BALL:
        angle = math.sqrt(x * x + y * y + z * z)
        turns = 0.0
        if angle > 0.0:
            along = (x * dofs[k, Dof.REST] + y * dofs[k + 1, Dof.REST] + z * dofs[k + 2, Dof.REST]) / angle
            turns = np.rint((angle - along) / TURN)
        if turns == 0.0:
            return False, x, y, z, u, v, w, same
        f = 1.0 - TURN * turns / angle
        x1, y1, z1 = f * x, f * y, f * z
        _, J = ball(x, y, z)
        _, J1 = ball(x1, y1, z1)
    else:
        chart = charts[kinds[i, PrimitiveInts.SLOT]]
        if chart == 0:
            return False, x, y, z, u, v, w, same
        M, J = euler_motion(x, y, z, euler_axes(chart, i, kinds))
        own = euler_axes(0, i, kinds)
        x1, y1, z1 = euler_like(M, own, dofs[k, Dof.REST], dofs[k + 1, Dof.REST], dofs[k + 2, Dof.REST])
        _, J1 = euler_motion(x1, y1, z1, own)
    a0, a1, a2 = solved3(J1, J[0], J[3], J[6])
    b0, b1, b2 = solved3(J1, J[1], J[4], J[7])
    c0, c1, c2 = solved3(J1, J[2], J[5], J[8])
    B = (a0, b0, c0, a1, b1, c1, a2, b2, c2)
    u1, v1, w1 = applied(B, u, v, w)
    return True, x1, y1, z1, u1, v1, w1, B


@inner
def joint_loads(tree, q, qdot, t):
    """Forces along the present coordinates with the diagonals of K and D, and the coordinates they are meant in.

    All into the tree's vectors.
    """
    kinds, dofs, tables, pool, charts = tree.kinds, tree.dofs, tree.tables, tree.pool, tree.charts
    vectors = tree.vectors
    own_q, own_qdot = vectors[Vector.OWN_Q], vectors[Vector.OWN_QDOT]
    f, K, D = vectors[Vector.LOAD], vectors[Vector.LOAD_K], vectors[Vector.LOAD_D]
    for k in range(q.shape[0]):
        own_q[k], own_qdot[k] = q[k], qdot[k]
    for i in range(kinds.shape[0]):
        if kinds[i, PrimitiveInts.SEPARATE] and (
            kinds[i, PrimitiveInts.KIND] == codes.BALL or kinds[i, PrimitiveInts.PLACE] == 0
        ):
            changed, x, y, z, u, v, w, _ = own_coordinates(i, kinds, charts, dofs, q, qdot)
            if changed:
                k = kinds[i, PrimitiveInts.COORDINATE]
                own_q[k], own_q[k + 1], own_q[k + 2] = x, y, z
                own_qdot[k], own_qdot[k + 1], own_qdot[k + 2] = u, v, w
    for k in range(q.shape[0]):
        f[k], K[k], D[k] = coordinate_load(dofs, k, own_q[k], own_qdot[k])
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
    for i in range(kinds.shape[0]):
        if kinds[i, PrimitiveInts.SEPARATE] and (
            kinds[i, PrimitiveInts.KIND] == codes.BALL or kinds[i, PrimitiveInts.PLACE] == 0
        ):
            changed, _, _, _, _, _, _, B = own_coordinates(i, kinds, charts, dofs, q, qdot)
            if changed:
                k = kinds[i, PrimitiveInts.COORDINATE]
                f0, f1, f2 = f[k], f[k + 1], f[k + 2]
                K0, K1, K2 = K[k], K[k + 1], K[k + 2]
                D0, D1, D2 = D[k], D[k + 1], D[k + 2]
                for m in range(3):
                    a, b, c = B[m], B[3 + m], B[6 + m]
                    f[k + m] = a * f0 + b * f1 + c * f2
                    K[k + m] = a * a * K0 + b * b * K1 + c * c * K2
                    D[k + m] = a * a * D0 + b * b * D1 + c * c * D2
