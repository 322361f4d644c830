# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled inverse dynamics, and the linear solve with M - h D - h^2 K that implicit methods need."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout.declaration import Body, Column, Link, Work
from ..layout.memory import fixed, further, get, get3, get6, put, put3, put6
from ..spatial import cross
from .articulated import eliminate, substitute
from .inertia import applied_symmetric, own_inertia
from .motion import carried
from .products import gather


@inner
def joint_forces(n, bodies, links, work, columns, qddot, tau):
    """Whole forces tau along the coordinates that give qddot, after `place_all`. RM19 Alg. 6, inverse."""
    for j in range(n):
        link, row = further(links, j * Link.SIZE), further(work, j * Work.SIZE)
        a0, a1, a2, a3, a4, a5 = carried(row, further(work, fixed(link, Link.PARENT) * Work.SIZE))
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            x, s = get(qddot, k), get6(further(columns, k * Column.SIZE), Column.S)
            a0, a1, a2 = a0 + x * s[0], a1 + x * s[1], a2 + x * s[2]
            a3, a4, a5 = a3 + x * s[3], a4 + x * s[4], a5 + x * s[5]
        put6(row, Work.ACC, a0, a1, a2, a3, a4, a5)
        xx, xy, xz, yy, yz, zz, h0, h1, h2, m = own_inertia(further(bodies, j * Body.SIZE), 0.0)
        t0, t1, t2 = applied_symmetric(xx, xy, xz, yy, yz, zz, a0, a1, a2)
        u0, u1, u2 = cross(h0, h1, h2, a3, a4, a5)
        f0, f1, f2 = cross(a0, a1, a2, h0, h1, h2)
        b = get6(row, Work.BIAS)
        put6(
            row, Work.F, t0 + u0 + b[0], t1 + u1 + b[1], t2 + u2 + b[2],
            m * a3 + f0 + b[3], m * a4 + f1 + b[4], m * a5 + f2 + b[5],
        )  # fmt: skip
    gather(n, links, work, columns, tau)


@inner
def solve_implicit(n, nr, bodies, links, work, columns, armature, K, D, h, b, x):
    """x with (M - h D - h^2 K) x = b at free coordinates; at prescribed ones x is given. After `joint_loads`.

    D of the bodies is isotropic damping, which acts like inertia; D and K of the coordinates are diagonal, like an
    armature. So this is the forward dynamics of another mechanism at rest. Gives -1, or the body at whose joint nothing
    resists.
    """
    for j in range(n):
        row = further(work, j * Work.SIZE)
        put6(row, Work.BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(row, Work.C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put3(row, Work.G, 0.0, 0.0, 0.0)
    for k in range(nr):
        put(armature, k, -h * get(D, k) - h * h * get(K, k))
        put(further(columns, k * Column.SIZE), Column.TAU, get(b, k))
    world = further(work, -Work.SIZE)
    a3, a4, a5 = get3(world, Work.ACC + 3)
    put3(world, Work.ACC + 3, 0.0, 0.0, 0.0)
    no = h < 0.0  # a literal would be a type of its own, and compile everything once more
    stuck = eliminate(n, bodies, links, work, columns, armature, x, h, no)
    if stuck < 0:
        substitute(n, links, work, columns, armature, x, b, no)
    put3(world, Work.ACC + 3, a3, a4, a5)
    for k in range(nr):
        put(armature, k, 0.0)
    return stuck
