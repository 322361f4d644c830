# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled maxima of motors within linearly implicit steps, as in `dynamics.saturation`."""

from __future__ import annotations

from ...joints.motor import ONE_BY_ONE, ROUNDING, TOGETHER
from ..cache.jit import inlined, inner
from ..layout.declaration import Dof, Vector


@inlined
def side_of(demand, most):
    """0 for a motor that follows its gains; else 1 or -1, to which side it pushes with its maximum."""
    if abs(demand) <= most * (1.0 + ROUNDING):
        return 0.0
    return 1.0 if demand > 0.0 else -1.0


@inlined
def demand_of(tree, k, q, v):
    """What the motor on coordinate k would push with at (q, v) without a maximum, after loads."""
    dofs, vectors = tree.dofs, tree.vectors
    push = dofs[k, Dof.POSITION_GAIN] * (vectors[Vector.TARGET, k] - q)
    return push + dofs[k, Dof.SPEED_GAIN] * (vectors[Vector.TARGET_RATE, k] - v)


@inner
def begin_motors(tree, q, v, sides):
    """Write to which side every motor pushes with its maximum where a step begins, after loads."""
    for k in range(q.shape[0]):
        sides[k] = side_of(demand_of(tree, k, q[k], v[k]), tree.dofs[k, Dof.MAXIMUM])


@inner
def switch_motors(tree, h, q, v, v_end, sides, right, count):
    """Have motors change sides that are on the wrong one at the end of a step of h [s] from (q, v) to velocities v_end;
    whether there are any. Loads and the right side h f + h^2 K v of the step follow. count: how often this was done in
    the step."""
    dofs, vectors, changed = tree.dofs, tree.vectors, False
    for k in range(q.shape[0]):
        as_meant = vectors[Vector.OWN_Q, k] == q[k] and vectors[Vector.OWN_QDOT, k] == v[k]
        most, side = dofs[k, Dof.MAXIMUM], sides[k]
        if not as_meant or (changed and count >= TOGETHER) or (count >= ONE_BY_ONE and side != 0.0):
            continue
        asked = demand_of(tree, k, q[k] + h * v_end[k], v_end[k])
        if side == 0.0:
            sides[k] = side_of(asked, most)
        elif side * asked < most:
            sides[k] = 0.0
        if sides[k] == side:
            continue
        changed, begins, follows = True, demand_of(tree, k, q[k], v[k]), 0.0
        f = -begins if side == 0.0 else -side * most
        f += begins if sides[k] == 0.0 else sides[k] * most
        if side == 0.0 or sides[k] == 0.0:
            follows = 1.0 if sides[k] == 0.0 else -1.0
        K = -follows * dofs[k, Dof.POSITION_GAIN]
        vectors[Vector.LOAD, k] += f
        vectors[Vector.LOAD_K, k] += K
        vectors[Vector.LOAD_D, k] -= follows * dofs[k, Dof.SPEED_GAIN]
        right[k] += h * f + h * h * K * v[k]
    return changed
