# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that only translate, in the world: nodes of strands. Force is mass times acceleration, along each axis.

S = (0; 1) and the rotation never change; `packing_bodies` has written them. Nothing hangs on such a body, and its
centre of mass is the origin of its joint frame.
"""

from __future__ import annotations

from ..cache.jit import inner
from ..layout.declaration import Body, Column, Work
from ..layout.memory import fixed, fixed3, fixed9, further, get, get3, get9, put, put3, put6
from ..spatial import applied, turned_into


@inner
def place_particle(body, work, q):
    """Write the position, and that nothing turns. q: from its first coordinate on."""
    x, y, z = applied(fixed9(body, Body.R0), get(q, 0), get(q, 1), get(q, 2))
    p0, p1, p2 = fixed3(body, Body.P0)
    put3(work, Work.P, p0 + x, p1 + y, p2 + z)
    put6(work, Work.C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    put6(work, Work.BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inner
def move_particle(body, work, qdot):
    """Write the velocity, and add what damping takes to the bias. qdot: from its first coordinate on."""
    x, y, z = get3(qdot, 0)
    put3(work, Work.V + 3, x, y, z)
    d = fixed(body, Body.DAMPING)
    b0, b1, b2 = get3(work, Work.BIAS + 3)
    put3(work, Work.BIAS + 3, b0 + d * x, b1 + d * y, b2 + d * z)


@inner
def eliminate_particle(body, work, columns, extra):
    """Write forces less bias, and what constraints need. columns: from its first coordinate on. extra: see
    `own_inertia`. True if it has mass."""
    m = fixed(body, Body.MASS) + extra * fixed(body, Body.DAMPING)
    if not m > 0.0:
        return False
    second, third = further(columns, Column.SIZE), further(columns, 2 * Column.SIZE)
    b0, b1, b2 = get3(work, Work.BIAS + 3)
    put6(columns, Column.U, 0.0, 0.0, 0.0, m, 0.0, 0.0)
    put6(second, Column.U, 0.0, 0.0, 0.0, 0.0, m, 0.0)
    put6(third, Column.U, 0.0, 0.0, 0.0, 0.0, 0.0, m)
    put(columns, Column.TAU, get(columns, Column.TAU) - b0)
    put(second, Column.TAU, get(second, Column.TAU) - b1)
    put(third, Column.TAU, get(third, Column.TAU) - b2)
    m = 1.0 / m
    put(columns, Column.D, m)
    put(second, Column.D, m)
    put(third, Column.D, m)
    return True


@inner
def accelerate_particle(work, up, columns, qddot):
    """Write the accelerations. up: the world. columns, qddot: from its first coordinate on."""
    second, third = further(columns, Column.SIZE), further(columns, 2 * Column.SIZE)
    d = get(columns, Column.D)
    a0, a1, a2 = get3(up, Work.ACC + 3)
    g0, g1, g2 = turned_into(get9(work, Work.R), a0, a1, a2)
    c0, c1, c2 = get3(work, Work.C + 3)
    a0, a1, a2 = d * get(columns, Column.TAU), d * get(second, Column.TAU), d * get(third, Column.TAU)
    put6(work, Work.ACC, 0.0, 0.0, 0.0, a0, a1, a2)
    put3(qddot, 0, a0 - g0 - c0, a1 - g1 - c1, a2 - g2 - c2)
