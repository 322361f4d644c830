# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics of trees that move in a plane: hinges on what is at rest, and hinges parallel to those they hang on.

The recursion of `articulated`, reduced to translation along x and y and rotation about z: whatever the shapes of the
bodies, forces and torques out of the plane move no hinge. An articulated inertia is six numbers instead of 21:
torque = zz w + (x, y) . v, force = (x, y) w + (xx xy, xy yy) v. A hinge of infinite armature is held: it turns as the
third number of `Work.C` says, hands its whole inertia on, and `Column.PUSH` is the torque that this takes.
"""

from __future__ import annotations

import math

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Body, Column, Link, Work, Wrench
from ..layout.memory import fixed, fixed3, further, get, get3, get6, get9, put, put3, put6
from ..spatial import turned_into
from .hinge import rotated_about_z

BIAS, TERMS = Work.IA + 6, Work.IA + 9
"""What children add, in place of `Work.IA` and `Work.PA`: six numbers of inertia, then torque and force, then the sum
of the terms that zz is the difference of."""
CANCELLED_INERTIA = 1e-9
"""Where a hinge's inertia is no larger than this, relative to the terms it is the difference of, the recursion in space
decides whether it has any."""


@inlined
def with_children(row, zz, ux, uy, xx, xy, yy, t, fx, fy, size):
    """Inertia, torque, force and TERMS, each plus what children added to a body."""
    a = get6(row, Work.IA)
    b0, b1, b2 = get3(row, BIAS)
    zz, ux, uy, xx, xy, yy = zz + a[0], ux + a[1], uy + a[2], xx + a[3], xy + a[4], yy + a[5]
    return zz, ux, uy, xx, xy, yy, t + b0, fx + b1, fy + b2, size + get(row, TERMS)


@inner
def accelerate_planar(n, bodies, links, work, columns, armature, force, qddot):
    """qddot from the forces along the coordinates, after `place_all`; False where a hinge has hardly any inertia."""
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
        if not zz > CANCELLED_INERTIA * size:
            return False
        column, tau = further(columns, dof * Column.SIZE), get(force, dof)
        held, d, u = get(armature, dof) == math.inf, 1.0 / zz, tau - t
        put(column, Column.D, 0.0 if held else d)
        put(column, Column.TAU, u)
        put3(column, Column.U + 3, ux, uy, zz)
        if role & codes.ON_REST != 0:
            continue
        e, s, x, y = get(row, Work.R), get(row, Work.R + 3), fixed(body, Body.P0), fixed(body, Body.P0 + 1)
        gx, gy = get(row, Work.G), get(row, Work.G + 1)
        if held:
            turned = get(row, Work.C + 2)
            t, fx, fy, size = t + zz * turned, fx + ux * turned, fy + uy * turned, size + (x * x + y * y) * (xx + yy)
            xx, xy, yy = rotated_about_z(e, s, xx, xy, yy)
            ux, uy = e * ux - s * uy, s * ux + e * uy
            t, zz, tx, ty = t + (ux * gx + uy * gy), zz + (x * uy - y * ux), ux, uy
        else:  # the hinge is eliminated: no angular inertia is left
            mass, a0, a1 = xx + yy, d * ux, d * uy
            fx, fy = fx + u * a0, fy + u * a1
            xx, xy, yy = rotated_about_z(e, s, xx - a0 * ux, xy - a0 * uy, yy - a1 * uy)
            t, zz, tx, ty, size = tau, 0.0, 0.0, 0.0, (x * x + y * y) * mass
        fx, fy = (e * fx - s * fy) + (xx * gx + xy * gy), (s * fx + e * fy) + (xy * gx + yy * gy)
        # moved to the parent's origin
        ux, uy, t = tx + (x * xy - y * xx), ty + (x * yy - y * xy), t + (x * fy - y * fx)
        zz = zz + (x * uy - y * ux)
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
        if role & codes.LAST_CHILD == 0:
            zz, ux, uy, xx, xy, yy, t, fx, fy, size = with_children(up, zz, ux, uy, xx, xy, yy, t, fx, fy, size)
        put6(up, Work.IA, zz, ux, uy, xx, xy, yy)
        put3(up, BIAS, t, fx, fy)
        put(up, TERMS, size)
    turn_planar(n, bodies, links, work, columns, qddot)
    return True


@inner
def turn_planar(n, bodies, links, work, columns, qddot):
    """qddot and accelerations of the bodies, from the root to the leaves, after elimination."""
    for j in range(n):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        dof, role = fixed(link, Link.DOF), fixed(link, Link.ROLE)
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
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
        ux, uy = get(column, Column.U + 3), get(column, Column.U + 4)
        along, u = ux * ax + uy * ay, get(column, Column.TAU)
        turned = get(column, Column.D) * (u - along)
        if get(column, Column.D) == 0.0:  # held
            turned = turning + get(row, Work.C + 2)
            along += get(column, Column.U + 5) * turned
            put(column, Column.PUSH, along - u)
            put(column, Column.PUSH_SIZE, abs(along) + abs(u))
            put(qddot, dof, get(row, Work.C + 2))
        else:
            put(qddot, dof, turned - turning)
        put6(row, Work.ACC, 0.0, 0.0, turned, ax, ay, az)


@inner
def push_planar(n, bodies, links, work, columns, push):
    """Add the forces push (nr,) along the coordinates to what `turn_planar` reads, after elimination."""
    for j in range(n - 1, -1, -1):
        link, body, row = further(links, j * Link.SIZE), further(bodies, j * Body.SIZE), further(work, j * Work.SIZE)
        role, dof = fixed(link, Link.ROLE), fixed(link, Link.DOF)
        if role & codes.AT_REST != 0:
            continue
        column, t, fx, fy = further(columns, dof * Column.SIZE), 0.0, 0.0, 0.0
        if role & codes.LEAF == 0:
            t, fx, fy = get3(row, BIAS)
        u = get(push, dof) - t
        put(column, Column.TAU, get(column, Column.TAU) + u)
        if role & codes.ON_REST != 0:
            continue
        d = get(column, Column.D)
        if d != 0.0:
            t, fx, fy = get(push, dof), fx + u * d * get(column, Column.U + 3), fy + u * d * get(column, Column.U + 4)
        e, s, x, y = get(row, Work.R), get(row, Work.R + 3), fixed(body, Body.P0), fixed(body, Body.P0 + 1)
        fx, fy = e * fx - s * fy, s * fx + e * fy
        t += x * fy - y * fx
        up = further(work, fixed(link, Link.PARENT) * Work.SIZE)
        if role & codes.LAST_CHILD == 0:
            b0, b1, b2 = get3(up, BIAS)
            t, fx, fy = t + b0, fx + b1, fy + b2
        put3(up, BIAS, t, fx, fy)


@inner
def planar_wrenches(n, bodies, links, work, wrenches):
    """Write the wrenches of all joints to `wrenches`, from the accelerations of the bodies, but for torques about the
    hinges, which are forces along coordinates."""
    for j in range(n):
        body, row, at = further(bodies, j * Body.SIZE), further(work, j * Work.SIZE), j * Wrench.SIZE
        a2, a3, a4, a5 = get(row, Work.ACC + 2), get(row, Work.ACC + 3), get(row, Work.ACC + 4), get(row, Work.ACC + 5)
        m, (h0, h1, h2) = fixed(body, Body.MASS), fixed3(body, Body.MOMENT)
        xz, yz = fixed(body, Body.INERTIA + 2), fixed(body, Body.INERTIA + 4)
        b = get6(row, Work.BIAS)
        put6(
            wrenches, at, xz * a2 + (h1 * a5 - h2 * a4) + b[0], yz * a2 + (h2 * a3 - h0 * a5) + b[1], 0.0,
            m * a3 - a2 * h1 + b[3], m * a4 + a2 * h0 + b[4], m * a5 + b[5],
        )  # fmt: skip
    for j in range(n - 1, -1, -1):
        link = further(links, j * Link.SIZE)
        if fixed(link, Link.ROLE) & (codes.ON_REST | codes.AT_REST) != 0:
            continue
        row, (p0, p1, p2) = further(work, j * Work.SIZE), fixed3(further(bodies, j * Body.SIZE), Body.P0)
        t0, t1, _, fx, fy, fz = get6(wrenches, j * Wrench.SIZE)
        e, s, up = get(row, Work.R), get(row, Work.R + 3), fixed(link, Link.PARENT) * Wrench.SIZE
        t0, t1, fx, fy = e * t0 - s * t1, s * t0 + e * t1, e * fx - s * fy, s * fx + e * fy
        b = get6(wrenches, up)
        put6(
            wrenches, up, b[0] + t0 + p1 * fz - p2 * fy, b[1] + t1 + p2 * fx - p0 * fz, 0.0,
            b[3] + fx, b[4] + fy, b[5] + fz,
        )  # fmt: skip
