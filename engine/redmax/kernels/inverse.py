# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled inverse dynamics, and the linear solve with M - h D - h^2 K that implicit methods need."""

from __future__ import annotations

from . import layout as at
from .articulated import begin_body, bias_wrench, carried, eliminate, give_wrench, substitute, times
from .jit import inner

PARENT, DOF, NDOF = at.PARENT, at.DOF, at.NDOF
ACC, PA, F, S, C, V, TAU = at.ACC, at.PA, at.F, at.S, at.C, at.V, at.TAU
MASS, MOMENT, INERTIA = at.MASS, at.MOMENT, at.INERTIA
BODIES, LINKS, WORLD, BODY_WORK, COLUMNS, VECTORS = (
    at.BODIES,
    at.LINKS,
    at.WORLD,
    at.BODY_WORK,
    at.COLUMNS,
    at.VECTORS,
)
ARMATURE, LOAD_K, LOAD_D = at.ARMATURE, at.LOAD_K, at.LOAD_D


@inner
def own_inertia(bodies, j):
    """A body's inertia at its joint frame, as 21 numbers."""
    m, h0, h1, h2 = bodies[j, MASS], bodies[j, MOMENT], bodies[j, MOMENT + 1], bodies[j, MOMENT + 2]
    return (
        bodies[j, INERTIA], bodies[j, INERTIA + 1], bodies[j, INERTIA + 2],
        bodies[j, INERTIA + 3], bodies[j, INERTIA + 4], bodies[j, INERTIA + 5],
        0.0, -h2, h1, h2, 0.0, -h0, -h1, h0, 0.0, m, 0.0, 0.0, m, 0.0, m,
    )  # fmt: skip


@inner
def joint_forces(tree, qddot, tau):
    """Forces tau along all coordinates that give the accelerations qddot, after `place_all`. RM19 Alg. 6, inverse."""
    bodies, links, work, columns, world = tree[BODIES], tree[LINKS], tree[BODY_WORK], tree[COLUMNS], tree[WORLD]
    n = links.shape[0]
    for j in range(n):
        a0, a1, a2, a3, a4, a5 = carried(j, links, work, world[0], world[1], world[2])
        for k in range(links[j, DOF], links[j, DOF] + links[j, NDOF]):
            x = qddot[k]
            a0, a1, a2 = a0 + x * columns[k, S], a1 + x * columns[k, S + 1], a2 + x * columns[k, S + 2]
            a3, a4, a5 = a3 + x * columns[k, S + 3], a4 + x * columns[k, S + 4], a5 + x * columns[k, S + 5]
        work[j, ACC], work[j, ACC + 1], work[j, ACC + 2] = a0, a1, a2
        work[j, ACC + 3], work[j, ACC + 4], work[j, ACC + 5] = a3, a4, a5
        f0, f1, f2, f3, f4, f5 = times(own_inertia(bodies, j), a0, a1, a2, a3, a4, a5)
        b = bias_wrench(bodies, work, j)
        work[j, F], work[j, F + 1], work[j, F + 2] = f0 + b[0], f1 + b[1], f2 + b[2]
        work[j, F + 3], work[j, F + 4], work[j, F + 5] = f3 + b[3], f4 + b[4], f5 + b[5]
    for j in range(n - 1, -1, -1):
        f0, f1, f2 = work[j, F], work[j, F + 1], work[j, F + 2]
        f3, f4, f5 = work[j, F + 3], work[j, F + 4], work[j, F + 5]
        for k in range(links[j, DOF], links[j, DOF] + links[j, NDOF]):
            tau[k] = (
                columns[k, S] * f0 + columns[k, S + 1] * f1 + columns[k, S + 2] * f2
                + columns[k, S + 3] * f3 + columns[k, S + 4] * f4 + columns[k, S + 5] * f5
            )  # fmt: skip
        if links[j, PARENT] >= 0:
            give_wrench(work, j, links[j, PARENT], F, f0, f1, f2, f3, f4, f5)


@inner
def solve_implicit(tree, h, b, x):
    """x with (M - h D - h^2 K) x = b in the free rows, x given at prescribed coordinates; -1, or the stuck body.

    After `place_all` and `joint_loads`. D of the bodies is isotropic damping, so that it acts like more inertia; D and
    K of the coordinates are diagonal, like an armature. So this is forward dynamics of another mechanism at rest.
    """
    bodies, links, work, columns, world = tree[BODIES], tree[LINKS], tree[BODY_WORK], tree[COLUMNS], tree[WORLD]
    vectors = tree[VECTORS]
    armature, K, D = vectors[ARMATURE], vectors[LOAD_K], vectors[LOAD_D]
    for j in range(links.shape[0]):
        begin_body(bodies, work, j, h)
        for k in range(6):
            work[j, PA + k] = 0.0
            work[j, C + k] = 0.0
    for k in range(b.shape[0]):
        armature[k] = -h * D[k] - h * h * K[k]
        columns[k, TAU] = b[k]
    no = h < 0.0  # a literal would be a type of its own, and compile everything once more
    stuck = eliminate(links, work, columns, armature, x, no)
    if stuck < 0:
        g0, g1, g2 = world[0], world[1], world[2]
        world[0] = world[1] = world[2] = 0.0
        substitute(links, work, columns, armature, world, x, b, no)
        world[0], world[1], world[2] = g0, g1, g2
    for k in range(b.shape[0]):
        armature[k] = 0.0
    return stuck
