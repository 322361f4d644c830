# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics of trees that move in a plane: hinges on what is at rest, and hinges parallel to those they hang on.

The recursion of `articulated`, of which only what moves along x and y and turns about z is left: whatever a body's
shape, what pushes or turns it out of the plane moves no hinge. An articulated inertia is six numbers instead of 21:
torque = zz w + (x, y) . v, force = (x, y) w + (xx xy, xy yy) v.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import offsets as at
from ..layout.memory import fixed, further, get, get3, get6, get9, put, put3, put6
from ..spatial import turned_into
from .hinge import turned_about_z

BODY_INTS, BODY_NUMBERS, WORK, DOF_WORK = at.BODY_INTS, at.BODY_NUMBERS, at.WORK, at.DOF_WORK
PARENT, DOF, ROLE = at.PARENT, at.DOF, at.ROLE
LEAF, LAST_CHILD, AT_REST, ON_REST = at.LEAF, at.LAST_CHILD, at.AT_REST, at.ON_REST
P0, MASS, MOMENT, INERTIA = at.P0, at.MASS, at.MOMENT, at.INERTIA
R, G, BIAS, IA, ACC, U, D, TAU = at.R, at.G, at.BIAS, at.IA, at.ACC, at.U, at.D, at.TAU
GIVEN_BIAS, GIVEN_SIZE = IA + 6, IA + 9
"""What children give, instead of `articulated`'s: inertia, torque and force, and what zz is the rest of."""
CLEARLY = 1e-9
"""A hinge's inertia that is less beside the terms it is the rest of had better be judged by all its terms."""


@inlined
def with_children(row, zz, ux, uy, xx, xy, yy, t, fx, fy, size):
    """An inertia, torque and force, and `GIVEN_SIZE`, with what children gave."""
    a = get6(row, IA)
    b0, b1, b2 = get3(row, GIVEN_BIAS)
    zz, ux, uy, xx, xy, yy = zz + a[0], ux + a[1], uy + a[2], xx + a[3], xy + a[4], yy + a[5]
    return zz, ux, uy, xx, xy, yy, t + b0, fx + b1, fy + b2, size + get(row, GIVEN_SIZE)


@inner
def accelerate_flat(n, bodies, links, work, columns, force, qddot):
    """qddot from what is placed and the forces along the coordinates; False where a hinge has hardly any inertia."""
    for j in range(n - 1, -1, -1):
        link, body, row = further(links, j * BODY_INTS), further(bodies, j * BODY_NUMBERS), further(work, j * WORK)
        role, dof = fixed(link, ROLE), fixed(link, DOF)
        if role & AT_REST != 0:
            continue
        xx, zz = fixed(body, MASS), fixed(body, INERTIA + 5)
        ux, uy, xy, yy, size = -fixed(body, MOMENT + 1), fixed(body, MOMENT), 0.0, xx, zz
        t, fx, fy = get3(row, BIAS + 2)
        if role & LEAF == 0:
            zz, ux, uy, xx, xy, yy, t, fx, fy, size = with_children(row, zz, ux, uy, xx, xy, yy, t, fx, fy, size)
        if not zz > CLEARLY * size:
            return False
        column, tau = further(columns, dof * DOF_WORK), get(force, dof)
        d, u = 1.0 / zz, tau - t
        put(column, D, d)
        put(column, TAU, u)
        put3(column, U + 3, ux, uy, 0.0)
        if role & ON_REST != 0:
            continue
        # the hinge eliminated: nothing that resists turning is left
        mass, a0, a1 = xx + yy, d * ux, d * uy
        fx, fy = fx + u * a0, fy + u * a1
        e, s = get(row, R), get(row, R + 3)
        xx, xy, yy = turned_about_z(e, s, xx - a0 * ux, xy - a0 * uy, yy - a1 * uy)
        gx, gy = get(row, G), get(row, G + 1)
        fx, fy = (e * fx - s * fy) + (xx * gx + xy * gy), (s * fx + e * fy) + (xy * gx + yy * gy)
        # moved to the parent's origin
        x, y = fixed(body, P0), fixed(body, P0 + 1)
        ux, uy, t = x * xy - y * xx, x * yy - y * xy, tau + (x * fy - y * fx)
        zz, size = x * uy - y * ux, (x * x + y * y) * mass
        up = further(work, fixed(link, PARENT) * WORK)
        if role & LAST_CHILD == 0:
            zz, ux, uy, xx, xy, yy, t, fx, fy, size = with_children(up, zz, ux, uy, xx, xy, yy, t, fx, fy, size)
        put6(up, IA, zz, ux, uy, xx, xy, yy)
        put3(up, GIVEN_BIAS, t, fx, fy)
        put(up, GIVEN_SIZE, size)
    for j in range(n):
        link, body, row = further(links, j * BODY_INTS), further(bodies, j * BODY_NUMBERS), further(work, j * WORK)
        dof, up, role = fixed(link, DOF), further(work, fixed(link, PARENT) * WORK), fixed(link, ROLE)
        turning, (ax, ay, az) = get(up, ACC + 2), get3(up, ACC + 3)
        if role & ON_REST != 0:
            ax, ay, az = turned_into(get9(row, R), ax, ay, az)
            if role & AT_REST != 0:
                put6(row, ACC, 0.0, 0.0, 0.0, ax, ay, az)
                continue
        else:
            e, s, x, y = get(row, R), get(row, R + 3), fixed(body, P0), fixed(body, P0 + 1)
            ax, ay = ax - turning * y + get(row, G), ay + turning * x + get(row, G + 1)
            ax, ay = e * ax + s * ay, e * ay - s * ax
        column = further(columns, dof * DOF_WORK)
        turned = get(column, D) * (get(column, TAU) - (get(column, U + 3) * ax + get(column, U + 4) * ay))
        put(qddot, dof, turned - turning)
        put6(row, ACC, 0.0, 0.0, turned, ax, ay, az)
    return True
