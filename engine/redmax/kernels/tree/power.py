# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled powers of motors, torques and dampers."""

from __future__ import annotations

from ..cache.jit import inner
from ..joints.loads import coordinate_load, table_motion, table_piece
from ..layout import codes
from ..layout.declaration import Body, Dof, Table, Vector, Work


@inner
def powers(tree, loaded, qdot, t):
    """Power that motors and torques put in and that dampers take out [W], after forward or inverse dynamics.

    As `integrators.energy_balance.powers`. loaded: whether anything acts on coordinates.
    """
    bodies, dofs, tables, pool, given = tree.bodies, tree.dofs, tree.tables, tree.pool, tree.prescribed
    work, vectors = tree.body_work, tree.vectors
    put_in, taken = 0.0, 0.0
    for j in range(work.shape[0]):
        d = bodies[j, Body.DAMPING]
        if d != 0.0:
            w0, w1, w2 = work[j, Work.V], work[j, Work.V + 1], work[j, Work.V + 2]
            c0, c1, c2 = bodies[j, Body.CENTER], bodies[j, Body.CENTER + 1], bodies[j, Body.CENTER + 2]
            v0 = work[j, Work.V + 3] + w1 * c2 - w2 * c1
            v1 = work[j, Work.V + 4] + w2 * c0 - w0 * c2
            v2 = work[j, Work.V + 5] + w0 * c1 - w1 * c0
            taken += d * (w0 * w0 + w1 * w1 + w2 * w2 + v0 * v0 + v1 * v1 + v2 * v2)
    if loaded:
        own_q, own_qdot = vectors[Vector.OWN_Q], vectors[Vector.OWN_QDOT]
        for k in range(qdot.shape[0]):
            _, _, damping = coordinate_load(dofs, k, own_q[k], own_qdot[k])
            taken -= damping * own_qdot[k] * own_qdot[k]
            put_in += (dofs[k, Dof.TORQUE] + vectors[Vector.MOTOR, k]) * own_qdot[k]
        for i in range(tables.shape[0]):
            if tables[i, Table.KIND] == codes.TORQUE_TABLE:
                piece, d = table_piece(tables, i, pool, t)
                for k in range(tables[i, Table.COLUMNS]):
                    put_in += table_motion(pool, piece + 4 * k, d)[0] * own_qdot[tables[i, Table.DOF] + k]
    for m in range(given.shape[0]):
        k = given[m]
        if qdot[k] != 0.0:
            put_in += (vectors[Vector.FORCE, k] - vectors[Vector.LOAD, k] - vectors[Vector.DRIVE, k]) * qdot[k]
    return put_in, taken
