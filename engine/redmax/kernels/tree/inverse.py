# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled inverse dynamics, and the linear solve with M - h D - h^2 K that implicit methods need."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout import offsets as at
from ..layout.memory import fixed, further, get, get3, get6, put, put3, put6
from ..spatial import cross
from .articulated import eliminate, substitute
from .inertia import applied_symmetric, own_inertia
from .motion import carried
from .products import gather

BODY_INTS, BODY_NUMBERS, WORK, DOF_WORK = at.BODY_INTS, at.BODY_NUMBERS, at.WORK, at.DOF_WORK
PARENT, DOF, NDOF = at.PARENT, at.DOF, at.NDOF
R, P, C, G, BIAS, ACC, F, S, TAU = at.R, at.P, at.C, at.G, at.BIAS, at.ACC, at.F, at.S, at.TAU


@inner
def joint_forces(n, bodies, links, work, columns, qddot, tau):
    """Forces tau along all coordinates that give the accelerations qddot, after `place_all`. RM19 Alg. 6, inverse."""
    for j in range(n):
        link, row = further(links, j * BODY_INTS), further(work, j * WORK)
        a0, a1, a2, a3, a4, a5 = carried(row, further(work, fixed(link, PARENT) * WORK))
        for k in range(fixed(link, DOF), fixed(link, DOF) + fixed(link, NDOF)):
            x, s = get(qddot, k), get6(further(columns, k * DOF_WORK), S)
            a0, a1, a2 = a0 + x * s[0], a1 + x * s[1], a2 + x * s[2]
            a3, a4, a5 = a3 + x * s[3], a4 + x * s[4], a5 + x * s[5]
        put6(row, ACC, a0, a1, a2, a3, a4, a5)
        xx, xy, xz, yy, yz, zz, h0, h1, h2, m = own_inertia(further(bodies, j * BODY_NUMBERS), 0.0)
        t0, t1, t2 = applied_symmetric(xx, xy, xz, yy, yz, zz, a0, a1, a2)
        u0, u1, u2 = cross(h0, h1, h2, a3, a4, a5)
        f0, f1, f2 = cross(a0, a1, a2, h0, h1, h2)
        b = get6(row, BIAS)
        put6(
            row, F, t0 + u0 + b[0], t1 + u1 + b[1], t2 + u2 + b[2],
            m * a3 + f0 + b[3], m * a4 + f1 + b[4], m * a5 + f2 + b[5],
        )  # fmt: skip
    gather(n, links, work, columns, tau)


@inner
def solve_implicit(n, nr, bodies, links, work, columns, armature, K, D, h, b, x):
    """x with (M - h D - h^2 K) x = b in the free rows, x given at prescribed coordinates; -1, or the stuck body.

    After `place_all` and `joint_loads`. D of the bodies is isotropic damping, so that it acts like more inertia; D and
    K of the coordinates are diagonal, like an armature. So this is forward dynamics of another mechanism at rest.
    """
    for j in range(n):
        row = further(work, j * WORK)
        put6(row, BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(row, C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put3(row, G, 0.0, 0.0, 0.0)
    for k in range(nr):
        put(armature, k, -h * get(D, k) - h * h * get(K, k))
        put(further(columns, k * DOF_WORK), TAU, get(b, k))
    world = further(work, -WORK)
    a3, a4, a5 = get3(world, ACC + 3)
    put3(world, ACC + 3, 0.0, 0.0, 0.0)
    no = h < 0.0  # a literal would be a type of its own, and compile everything once more
    stuck = eliminate(n, bodies, links, work, columns, armature, x, h, no)
    if stuck < 0:
        substitute(n, links, work, columns, armature, x, b, no)
    put3(world, ACC + 3, a3, a4, a5)
    for k in range(nr):
        put(armature, k, 0.0)
    return stuck
