# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics of trees that move in a plane: hinges on what is at rest, and hinges parallel to those they hang on.

The recursion of `articulated`, of which only what moves along x and y and turns about z is left: whatever a body's
shape, what pushes or turns it out of the plane moves no hinge. An articulated inertia is six numbers instead of 21:
torque = zz w + (x, y) . v, force = (x, y) w + (xx xy, xy yy) v.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Body, Column, Link, Work
from ..layout.memory import fixed, further, get, get3, get6, get9, put, put3, put6
from ..spatial import turned_into
from .hinge import turned_about_z

GIVEN_BIAS, GIVEN_SIZE = Work.IA + 6, Work.IA + 9
"""What children give, instead of `articulated`'s: inertia, torque and force, and what zz is the rest of."""
CLEARLY = 1e-9
"""A hinge's inertia that is less beside the terms it is the rest of had better be judged by all its terms."""


@inlined
def with_children(row, zz, ux, uy, xx, xy, yy, t, fx, fy, size):
    """An inertia, torque and force, and `GIVEN_SIZE`, with what children gave."""
    a = get6(row, Work.IA)
    b0, b1, b2 = get3(row, GIVEN_BIAS)
    zz, ux, uy, xx, xy, yy = zz + a[0], ux + a[1], uy + a[2], xx + a[3], xy + a[4], yy + a[5]
    return zz, ux, uy, xx, xy, yy, t + b0, fx + b1, fy + b2, size + get(row, GIVEN_SIZE)


@inner
def accelerate_flat(n, bodies, links, work, columns, force, qddot):
    """qddot from what is placed and the forces along the coordinates; False where a hinge has hardly any inertia."""
    for j in range(n - 1, -1, -1):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        role, dof = fixed(link, Link.ROLE), fixed(link, Link.DOF)
        if role & codes.AT_REST != 0:
            continue
        xx, zz = fixed(body, Body.MASS), fixed(body, Body.INERTIA + 5)
        ux, uy, xy, yy, size = -fixed(body, Body.MOMENT + 1), fixed(body, Body.MOMENT), 0.0, xx, zz
        t, fx, fy = get3(row, Work.BIAS + 2)
        if role & codes.LEAF == 0:
            zz, ux, uy, xx, xy, yy, t, fx, fy, size = with_children(row, zz, ux, uy, xx, xy, yy, t, fx, fy, size)
        if not zz > CLEARLY * size:
            return False
        column, tau = further(columns, dof * Column.SIZE), get(force, dof)
        d, u = 1.0 / zz, tau - t
        put(column, Column.D, d)
        put(column, Column.TAU, u)
        put3(column, Column.U + 3, ux, uy, 0.0)
        if role & codes.ON_REST != 0:
            continue
        # the hinge eliminated: nothing that resists turning is left
        mass, a0, a1 = xx + yy, d * ux, d * uy
        fx, fy = fx + u * a0, fy + u * a1
        e, s = get(row, Work.R), get(row, Work.R + 3)
        xx, xy, yy = turned_about_z(e, s, xx - a0 * ux, xy - a0 * uy, yy - a1 * uy)
        gx, gy = get(row, Work.G), get(row, Work.G + 1)
        fx, fy = (e * fx - s * fy) + (xx * gx + xy * gy), (s * fx + e * fy) + (xy * gx + yy * gy)
        # moved to the parent's origin
        x, y = fixed(body, Body.P0), fixed(body, Body.P0 + 1)
        ux, uy, t = x * xy - y * xx, x * yy - y * xy, tau + (x * fy - y * fx)
        zz, size = x * uy - y * ux, (x * x + y * y) * mass
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
        if role & codes.LAST_CHILD == 0:
            zz, ux, uy, xx, xy, yy, t, fx, fy, size = with_children(up, zz, ux, uy, xx, xy, yy, t, fx, fy, size)
        put6(up, Work.IA, zz, ux, uy, xx, xy, yy)
        put3(up, GIVEN_BIAS, t, fx, fy)
        put(up, GIVEN_SIZE, size)
    for j in range(n):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        dof, up, role = (
            fixed(link, Link.DOF),
            further(work, fixed(link, Link.PARENT) * Work.SIZE),
            fixed(link, Link.ROLE),
        )
        turning, (ax, ay, az) = get(up, Work.ACC + 2), get3(up, Work.ACC + 3)
        if role & codes.ON_REST != 0:
            ax, ay, az = turned_into(get9(row, Work.R), ax, ay, az)
            if role & codes.AT_REST != 0:
                put6(row, Work.ACC, 0.0, 0.0, 0.0, ax, ay, az)
                continue
        else:
            e, s, x, y = get(row, Work.R), get(row, Work.R + 3), fixed(body, Body.P0), fixed(body, Body.P0 + 1)
            ax, ay = ax - turning * y + get(row, Work.G), ay + turning * x + get(row, Work.G + 1)
            ax, ay = e * ax + s * ay, e * ay - s * ax
        column = further(columns, dof * Column.SIZE)
        turned = get(column, Column.D) * (
            get(column, Column.TAU) - (get(column, Column.U + 3) * ax + get(column, Column.U + 4) * ay)
        )
        put(qddot, dof, turned - turning)
        put6(row, Work.ACC, 0.0, 0.0, turned, ax, ay, az)
    return True
