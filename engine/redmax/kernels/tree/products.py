# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled products with the Jacobian and the mass matrix in O(n), and the mass matrix itself in O(n depth).

All after `place_all`. Twists and wrenches are at the kernels' joint frames; they use the fields of accelerations
(`Work.ACC`) and of joint wrenches (`Work.F`).
"""

from __future__ import annotations

from ..cache.jit import compiled, inner
from ..layout import codes
from ..layout.declaration import Body, Column, Head, Link, Work
from ..layout.memory import fixed, further, get, get3, get6, get9, put, put3, put6
from ..layout.views import numbers_of, packed_rows, rows_of
from ..spatial import applied, cross, turned_back
from .forces import force_product
from .inertia import applied_symmetric, own_inertia, rotated


@inner
def spread(n, links, work, columns, x):
    """Write the twists J x of all bodies to `Work.ACC`. RM19 Alg. 2."""
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        a0, a1, a2, a3, a4, a5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if fixed(link, Link.MODE) == codes.PARTICLE:
            a3, a4, a5 = get3(x, fixed(link, Link.DOF))
            put6(row, Work.ACC, a0, a1, a2, a3, a4, a5)
            continue
        parent = fixed(link, Link.PARENT)
        if parent >= 0:
            b = get6(further(work, parent * Work.SIZE), Work.ACC)
            a0, a1, a2, a3, a4, a5 = turned_back(
                get9(row, Work.R), get3(row, Work.P), b[0], b[1], b[2], b[3], b[4], b[5]
            )
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            d, s = get(x, k), get6(further(columns, k * Column.SIZE), Column.S)
            a0, a1, a2 = a0 + d * s[0], a1 + d * s[1], a2 + d * s[2]
            a3, a4, a5 = a3 + d * s[3], a4 + d * s[4], a5 + d * s[5]
        put6(row, Work.ACC, a0, a1, a2, a3, a4, a5)


@inner
def gather(n, links, work, columns, tau):
    """tau = J^T y of the wrenches y in `Work.F`, which become the wrenches of the joints.

    RM19 Alg. 3; roots pass nothing on (erratum).
    """
    for j in range(n - 1, -1, -1):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        f0, f1, f2, f3, f4, f5 = get6(row, Work.F)
        if fixed(link, Link.MODE) == codes.PARTICLE:
            put3(tau, fixed(link, Link.DOF), f3, f4, f5)
            continue
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            s = get6(further(columns, k * Column.SIZE), Column.S)
            put(tau, k, (s[0] * f0 + s[1] * f1 + s[2] * f2) + (s[3] * f3 + s[4] * f4 + s[5] * f5))
        parent = fixed(link, Link.PARENT)
        if parent >= 0:
            up, E, (x, y, z) = further(work, parent * Work.SIZE), get9(row, Work.R), get3(row, Work.P)
            t0, t1, t2 = applied(E, f0, f1, f2)
            f0, f1, f2 = applied(E, f3, f4, f5)
            u0, u1, u2 = cross(x, y, z, f0, f1, f2)
            b = get6(up, Work.F)
            put6(up, Work.F, b[0] + t0 + u0, b[1] + t1 + u1, b[2] + t2 + u2, b[3] + f0, b[4] + f1, b[5] + f2)


@inner
def stiffness_product(n, count, rows, h, x, tau):
    """tau = -h^2 K x of the forces on bodies alone, after `apply_forces`."""
    links, work, columns = rows.links, rows.body_work, rows.columns
    spread(n, links, work, columns, x)
    for j in range(n):
        put6(further(work, j * Work.SIZE), Work.F, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    force_product(count, rows, 0.0, h * h, False)
    gather(n, links, work, columns, tau)


@inner
def multiply(n, nr, count, rows, K, D, h, x, tau, nearly_taut):
    """tau = (M - h D - h^2 K) x. The damping of a body acts like inertia; K and D of the coordinates are diagonal.

    nearly_taut: see `force_product`.
    """
    bodies, links, work, columns = rows.bodies, rows.links, rows.body_work, rows.columns
    spread(n, links, work, columns, x)
    for j in range(n):
        row = further(work, j * Work.SIZE)
        a0, a1, a2, a3, a4, a5 = get6(row, Work.ACC)
        xx, xy, xz, yy, yz, zz, h0, h1, h2, m = own_inertia(further(bodies, j * Body.SIZE), h)
        t0, t1, t2 = applied_symmetric(xx, xy, xz, yy, yz, zz, a0, a1, a2)
        u0, u1, u2 = cross(h0, h1, h2, a3, a4, a5)
        f0, f1, f2 = cross(a0, a1, a2, h0, h1, h2)
        put6(row, Work.F, t0 + u0, t1 + u1, t2 + u2, m * a3 + f0, m * a4 + f1, m * a5 + f2)
    if count > 0 and h != 0.0:
        force_product(count, rows, h, h * h, nearly_taut)
    gather(n, links, work, columns, tau)
    for k in range(nr):
        put(tau, k, get(tau, k) - (h * get(D, k) + h * h * get(K, k)) * get(x, k))


@inner
def compose(n, bodies, links, work):
    """Write the inertia of each body with all it carries to `Work.IA`: ten numbers, about its joint frame's origin."""
    for j in range(n):
        row = further(work, j * Work.SIZE)
        xx, xy, xz, yy, yz, zz, h0, h1, h2, m = own_inertia(further(bodies, j * Body.SIZE), 0.0)
        put6(row, Work.IA, xx, xy, xz, yy, yz, zz)
        put3(row, Work.IA + 6, h0, h1, h2)
        put(row, Work.IA + 9, m)
    for j in range(n - 1, -1, -1):
        row, parent = further(work, j * Work.SIZE), fixed(links, j * Link.SIZE + Link.PARENT)
        if parent < 0:
            continue
        up, E, (x, y, z) = further(work, parent * Work.SIZE), get9(row, Work.R), get3(row, Work.P)
        a, m = get6(row, Work.IA), get(row, Work.IA + 9)
        h0, h1, h2 = get3(row, Work.IA + 6)
        xx, xy, xz, yy, yz, zz = rotated(E, a[0], a[1], a[2], a[3], a[4], a[5])
        h0, h1, h2 = applied(E, h0, h1, h2)
        # about the parent's origin: + 2 (h . p) 1 - h p^T - p h^T + m (p . p 1 - p p^T), with g = h + m p / 2
        g0, g1, g2 = h0 + 0.5 * m * x, h1 + 0.5 * m * y, h2 + 0.5 * m * z
        a, b = get6(up, Work.IA), get3(up, Work.IA + 6)
        put6(
            up, Work.IA, a[0] + xx + 2.0 * (g1 * y + g2 * z), a[1] + xy - g0 * y - g1 * x, a[2] + xz - g0 * z - g2 * x,
            a[3] + yy + 2.0 * (g0 * x + g2 * z), a[4] + yz - g1 * z - g2 * y, a[5] + zz + 2.0 * (g0 * x + g1 * y),
        )  # fmt: skip
        put3(up, Work.IA + 6, b[0] + h0 + m * x, b[1] + h1 + m * y, b[2] + h2 + m * z)
        put(up, Work.IA + 9, get(up, Work.IA + 9) + m)


@compiled
def mass_matrix(ints, floats, M):
    """Write the mass matrix to M (nr, nr), which is zero before. As `dynamics.composite_body.mass_matrix`."""
    head, numbers = packed_rows(ints, floats)
    fill_mass_matrix(fixed(head, Head.BODIES), rows_of(head, numbers), M)


@inner
def fill_mass_matrix(n, rows, M):
    """Write the mass matrix to M (nr, nr), which is zero before."""
    links, work, columns = rows.links, rows.body_work, rows.columns
    compose(n, rows.bodies, links, work)
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        a, m = get6(row, Work.IA), get(row, Work.IA + 9)
        h0, h1, h2 = get3(row, Work.IA + 6)
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            s = get6(further(columns, k * Column.SIZE), Column.S)
            # wrench that accelerates all it carries, passed on to the root; each joint on the path takes S^T times it
            t0, t1, t2 = applied_symmetric(a[0], a[1], a[2], a[3], a[4], a[5], s[0], s[1], s[2])
            u0, u1, u2 = cross(h0, h1, h2, s[3], s[4], s[5])
            f0, f1, f2 = cross(s[0], s[1], s[2], h0, h1, h2)
            t0, t1, t2 = t0 + u0, t1 + u1, t2 + u2
            f0, f1, f2 = m * s[3] + f0, m * s[4] + f1, m * s[5] + f2
            body = j
            while body >= 0:
                below = further(links, body * Link.SIZE)
                for i in range(fixed(below, Link.DOF), fixed(below, Link.DOF) + fixed(below, Link.NDOF)):
                    r = get6(further(columns, i * Column.SIZE), Column.S)
                    value = (r[0] * t0 + r[1] * t1 + r[2] * t2) + (r[3] * f0 + r[4] * f1 + r[5] * f2)
                    M[i, k] = value
                    M[k, i] = value
                step = further(work, body * Work.SIZE)
                E, (x, y, z) = get9(step, Work.R), get3(step, Work.P)
                t0, t1, t2 = applied(E, t0, t1, t2)
                f0, f1, f2 = applied(E, f0, f1, f2)
                u0, u1, u2 = cross(x, y, z, f0, f1, f2)
                t0, t1, t2 = t0 + u0, t1 + u1, t2 + u2
                body = fixed(below, Link.PARENT)


@compiled
def twists(ints, floats, x, y):
    """Write the twists J x to y (n, 6), at the kernels' joint frames."""
    head, numbers = packed_rows(ints, floats)
    rows, n = rows_of(head, numbers), fixed(head, Head.BODIES)
    spread(n, rows.links, rows.body_work, rows.columns, numbers_of(x))
    for j in range(n):
        for m in range(6):
            y[j, m] = get(rows.body_work, j * Work.SIZE + Work.ACC + m)


@compiled
def generalised_force(ints, floats, y, tau):
    """Write J^T y to tau (nr,), for wrenches y (n, 6) at the kernels' joint frames."""
    head, numbers = packed_rows(ints, floats)
    rows, n = rows_of(head, numbers), fixed(head, Head.BODIES)
    for j in range(n):
        for m in range(6):
            put(rows.body_work, j * Work.SIZE + Work.F + m, y[j, m])
    gather(n, rows.links, rows.body_work, rows.columns, numbers_of(tau))
