# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled recentring: the same pose and motion in coordinates away from singularities, and how fast joints turn."""

from __future__ import annotations

import math

from ...joints.euler_charts import SMALLEST_DETERMINANT
from ...joints.rotation_vector import LONGEST
from ..cache.jit import inner
from ..layout import codes
from ..layout.declaration import Column, Link, PrimitiveInts
from ..spatial import applied, ball, solved3
from .loads import TURN, euler_angles, euler_axes, euler_motion
from .place import AXES


@inner
def entry(M, k):
    """One of nine numbers by its index."""
    if k < 3:
        return M[0] if k == 0 else (M[1] if k == 1 else M[2])
    if k < 6:
        return M[3] if k == 3 else (M[4] if k == 4 else M[5])
    return M[6] if k == 6 else (M[7] if k == 7 else M[8])


@inner
def recentre_ball(k, q, qdot):
    """As `joints.rotation_vector.recentred`."""
    x, y, z = q[k], q[k + 1], q[k + 2]
    angle = math.sqrt(x * x + y * y + z * z)
    if not angle > LONGEST:
        return False
    turns = math.floor(angle / TURN + 0.5)
    f = 1.0 - TURN * turns / angle
    _, J = ball(x, y, z)
    w0, w1, w2 = applied(J, qdot[k], qdot[k + 1], qdot[k + 2])
    q[k], q[k + 1], q[k + 2] = f * x, f * y, f * z
    _, J = ball(f * x, f * y, f * z)
    qdot[k], qdot[k + 1], qdot[k + 2] = solved3(J, w0, w1, w2)
    return True


@inner
def recentre_euler(i, kinds, charts, q, qdot):
    """As `joints.euler_charts.recentred`."""
    k, slot = kinds[i, PrimitiveInts.COORDINATE], kinds[i, PrimitiveInts.SLOT]
    axes = euler_axes(charts[slot], i, kinds)
    M, J = euler_motion(q[k], q[k + 1], q[k + 2], axes)
    lock = entry(M, 3 * axes[0] + axes[2])
    if math.sqrt(max(0.0, 1.0 - lock * lock)) > SMALLEST_DETERMINANT:
        return False
    best, least = 0, math.inf
    for candidate in range(AXES.shape[0]):
        size = abs(entry(M, 3 * AXES[candidate, 0] + AXES[candidate, 2]))
        if size < least:
            best, least = candidate, size
    w0, w1, w2 = applied(J, qdot[k], qdot[k + 1], qdot[k + 2])
    charts[slot] = best + 1
    axes = euler_axes(best + 1, i, kinds)
    q[k], q[k + 1], q[k + 2] = euler_angles(M, axes)
    _, J = euler_motion(q[k], q[k + 1], q[k + 2], axes)
    qdot[k], qdot[k + 1], qdot[k + 2] = solved3(J, w0, w1, w2)
    return True


@inner
def recentre(tree, q, qdot):
    """Recentre all simulated joints; whether anything changed."""
    links, kinds, charts = tree.links, tree.kinds, tree.charts
    changed = False
    for j in range(links.shape[0]):
        if links[j, Link.PRESCRIBED]:
            continue
        for i in range(links[j, Link.FIRST], links[j, Link.LAST]):
            if kinds[i, PrimitiveInts.KIND] == codes.BALL:
                changed |= recentre_ball(kinds[i, PrimitiveInts.COORDINATE], q, qdot)
            elif kinds[i, PrimitiveInts.KIND] != codes.SCREW and kinds[i, PrimitiveInts.PLACE] == 0:
                changed |= recentre_euler(i, kinds, charts, q, qdot)
    return changed


@inner
def turn_rate(tree, qdot):
    """Fastest relative rotation [rad/s] of simulated joints that have a singularity, from S as placed."""
    links, kinds, columns = tree.links, tree.kinds, tree.columns
    fastest = 0.0
    for j in range(links.shape[0]):
        if links[j, Link.PRESCRIBED]:
            continue
        singular = False
        for i in range(links[j, Link.FIRST], links[j, Link.LAST]):
            singular |= kinds[i, PrimitiveInts.KIND] != codes.SCREW
        if not singular:
            continue
        x, y, z = 0.0, 0.0, 0.0
        for k in range(links[j, Link.DOF], links[j, Link.DOF] + links[j, Link.NDOF]):
            x += columns[k, Column.S] * qdot[k]
            y += columns[k, Column.S + 1] * qdot[k]
            z += columns[k, Column.S + 2] * qdot[k]
        fastest = max(fastest, math.sqrt(x * x + y * y + z * z))
    return fastest
