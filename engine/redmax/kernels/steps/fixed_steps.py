# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled methods of fixed step: all steps of a frame in one call, as the integrators of the same names take them."""

from __future__ import annotations

import math

import numpy as np

from .. import tasks
from ..cache.jit import compiled, inner
from ..core import call
from ..layout.declaration import Head, Link, Vector, World
from ..layout.views import address_in, addresses, arrays_of, packed_rows, rows_of
from . import methods
from .motor_bounds import begin_motors, switch_motors

DONE, STUCK, TOO_FAST, PUSHED, NO_MATRIX, NO_PRECONDITIONER, NO_END = range(7)
"""How a call ends; the last three: what conjugate gradients failed at, see `solvers.pcg`."""
SCRATCH = 11
ROUND_OFF, TINY = 8.0 * 2.0**-52, 2.0**-1022
"""As in `solvers.pcg`."""


@inner
def ask(core, x, t, what):
    """`compute` with x in place of the accelerations. core: addresses of `compute`, of the integers and numbers, and of
    the run's coordinates and velocities; then the number of coordinates, and whether there are motors."""
    return call(core[0], core[1], core[2], core[3], core[4], address_in(x, core[5]), t, what)


@inner
def prescribe(core, t, q, qdot, qddot):
    """Coordinates, velocities and accelerations of animated and locked joints at time t."""
    q_at, qdot_at, qddot_at = address_in(q, core[5]), address_in(qdot, core[5]), address_in(qddot, core[5])
    call(core[0], core[1], core[2], q_at, qdot_at, qddot_at, t, tasks.PRESCRIBE)


@inner
def runge_kutta_step(core, t, t_end, q, v, scratch):
    """One step of the classical method of order 4 from t to t_end; inputs are those from before t_end."""
    h, last = t_end - t, np.nextafter(t_end, -np.inf)
    q1, v1, a, dq, dv = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    n = q.shape[0]
    for k in range(n):
        q1[k], v1[k], dq[k], dv[k] = q[k], v[k], 0.0, 0.0
    for stage in range(4):
        time = t if stage == 0 else (last if stage == 3 else t + 0.5 * h)
        what = tasks.PRESCRIBE | tasks.ACCELERATE
        stuck = call(core[0], core[1], core[2], address_in(q1, n), address_in(v1, n), address_in(a, n), time, what)
        if stuck >= 0:
            return stuck
        weight = 2.0 if 0 < stage < 3 else 1.0
        reach = 0.5 * h if stage < 2 else h
        for k in range(n):
            dq[k] += weight * v1[k]
            dv[k] += weight * a[k]
            q1[k], v1[k] = q[k] + reach * v1[k], v[k] + reach * a[k]
    for k in range(n):
        q[k] += h / 6.0 * dq[k]
        v[k] += h / 6.0 * dv[k]
    return -1


@inner
def semi_implicit_step(core, tree, t, t_end, h, q, v, scratch):
    """v1 = v0 + h qddot(q0, v0, t0), q1 = q0 + h v1."""
    a, q_given, v_given, unused = scratch[0], scratch[1], scratch[2], scratch[3]
    for k in range(q.shape[0]):
        q_given[k], v_given[k] = q[k], v[k]  # followers of drives are read off them
    prescribe(core, t_end, q_given, v_given, unused)
    for m in range(tree.prescribed.shape[0]):
        k = tree.prescribed[m]
        a[k] = (v_given[k] - v[k]) / h
    stuck = ask(core, a, t, tasks.ACCELERATE)
    if stuck >= 0:
        return stuck
    for k in range(q.shape[0]):
        v[k] += h * a[k]
        q[k] += h * v[k]
    return -1


@inner
def linearly_implicit_step(core, tree, t_end, h, q, v, scratch):
    """(M - h D - h^2 K) (v1 - v0) = h f + h^2 K v0 at the old state, with inputs at the new time."""
    x, q_given, v_given, unused = scratch[0], scratch[1], scratch[2], scratch[3]
    right, v_end, sides = scratch[8], scratch[9], scratch[10]
    vectors, given = tree.vectors, tree.prescribed
    n, count = q.shape[0], 0
    for k in range(n):
        x[k] = 0.0
    ask(core, x, t_end, tasks.PLACE | tasks.LOADS | tasks.INVERSE)
    for k in range(n):
        f = vectors[Vector.LOAD, k] - vectors[Vector.FORCE, k]
        right[k] = h * f + h * h * vectors[Vector.LOAD_K, k] * v[k]
    prescribe(core, t_end, q_given, v_given, unused)
    for m in range(given.shape[0]):
        k = given[m]
        x[k] = v_given[k] - v[k]
    if core[6]:
        begin_motors(tree, q, v, sides)
    while True:
        for k in range(n):
            vectors[Vector.RIGHT_SIDE, k] = right[k]
        stuck = ask(core, x, h, tasks.SOLVE_IMPLICIT)
        if stuck >= 0:
            return stuck
        for k in range(n):
            v_end[k] = v[k] + x[k]
        if not core[6] or not switch_motors(tree, h, q, v, v_end, sides, right, count):
            break
        count += 1
    for k in range(n):
        v[k] = v_end[k]
        q[k] += h * v[k]
    return -1


@inner
def multiply(core, tree, h, x, result):
    """result = (M - h D - h^2 K) x at free coordinates, zero at prescribed ones."""
    ask(core, x, h, tasks.MULTIPLY)
    for k in range(x.shape[0]):
        result[k] = tree.vectors[Vector.FORCE, k]
    for m in range(tree.prescribed.shape[0]):
        result[tree.prescribed[m]] = 0.0


@inner
def precondition(core, tree, h, r, z):
    """z with (M - h D - h^2 K) z = r at free coordinates, zero at prescribed ones. Gives -1, or the body at whose joint
    nothing resists."""
    for k in range(r.shape[0]):
        tree.vectors[Vector.RIGHT_SIDE, k], z[k] = r[k], 0.0
    return ask(core, z, h, tasks.SOLVE_IMPLICIT)


@inner
def is_pushed(tree, body, h):
    """Whether springs or dampers of a body's joint act like negative inertia in M - h D - h^2 K."""
    links, vectors = tree.links, tree.vectors
    for k in range(links[body, Link.DOF], links[body, Link.DOF] + links[body, Link.NDOF]):
        if h * vectors[Vector.LOAD_D, k] + h * h * vectors[Vector.LOAD_K, k] > 0.0:
            return True
    return False


@inner
def dot(a, b):
    """Scalar product."""
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@inner
def conjugate_gradients(core, tree, h, b, r, x, z, p, product, tolerance, failure):
    """Improve x until |r| = |b - A x| <= tolerance |b|, as `solvers.pcg` does.

    Gives -1, the body at whose joint nothing resists, or -1 - the failure, with the residual and the wanted one in
    `failure`.
    """
    n, again = r.shape[0], False
    size, limit = math.sqrt(dot(b, b)), 10 * r.shape[0] + 10
    previous, largest = 1.0, 0.0
    floor = ROUND_OFF if 8.0 * tolerance >= ROUND_OFF else 0.0
    for iteration in range(limit + 1):
        wanted = max(tolerance * size, floor * largest * math.sqrt(dot(x, x)))
        if math.sqrt(dot(r, r)) <= wanted:
            # r is updated, not computed, and drifts from the true residual by round-off
            multiply(core, tree, h, x, product)
            for k in range(n):
                r[k] = b[k] - product[k]
            if math.sqrt(dot(r, r)) <= wanted:
                return -1
            again = True
        stuck = precondition(core, tree, h, r, z)
        if stuck >= 0:
            return -1 - NO_PRECONDITIONER if is_pushed(tree, stuck, h) else stuck
        rz = dot(r, z)
        for k in range(n):
            p[k] = z[k] if again or iteration == 0 else z[k] + rz / previous * p[k]
        again = False
        multiply(core, tree, h, p, product)
        curvature = dot(p, product)
        largest = max(largest, math.sqrt(dot(product, product)) / max(math.sqrt(dot(p, p)), TINY))
        if not (curvature > 0.0 and rz > 0.0):
            return -1 - (NO_MATRIX if rz > 0.0 else NO_PRECONDITIONER)
        for k in range(n):
            x[k] += rz / curvature * p[k]
            r[k] -= rz / curvature * product[k]
        previous = rz
    failure[1], failure[2] = math.sqrt(dot(r, r)), tolerance * size
    return -1 - NO_END


@inner
def conjugate_gradient_step(core, tree, has_forces, t_end, h, q, v, scratch, tolerance, failure):
    """Linearly implicit step by conjugate gradients, which begin with the old velocities: A x = b for the new ones."""
    x, r, z, p, product = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    b, v_given, unused = scratch[5], scratch[6], scratch[7]
    right, sides = scratch[8], scratch[10]
    vectors, given, n, count = tree.vectors, tree.prescribed, q.shape[0], 0
    for k in range(n):
        z[k], x[k], v_given[k] = 0.0, v[k], 0.0
    ask(core, z, t_end, tasks.PLACE | tasks.LOADS | tasks.INVERSE)
    for k in range(n):
        f = vectors[Vector.LOAD, k] - vectors[Vector.FORCE, k]
        right[k] = h * f + h * h * vectors[Vector.LOAD_K, k] * v[k]
    if has_forces:
        ask(core, x, h, tasks.STIFFNESS_PRODUCT)
        for k in range(n):
            right[k] -= vectors[Vector.FORCE, k]
    prescribe(core, t_end, p, v_given, unused)
    if core[6]:
        begin_motors(tree, q, v, sides)
    while True:
        for k in range(n):
            r[k], x[k], z[k] = right[k], v[k], 0.0
        for m in range(given.shape[0]):
            k = given[m]
            r[k], x[k], z[k] = 0.0, 0.0, v_given[k] - v[k]
        multiply(core, tree, h, z, product)
        multiply(core, tree, h, x, b)
        for k in range(n):
            r[k] -= product[k]
            b[k] += r[k]
        ended = conjugate_gradients(core, tree, h, b, r, x, z, p, product, tolerance, failure)
        if ended != -1 or not core[6] or not switch_motors(tree, h, q, v, x, sides, right, count):
            break
        count += 1
    if ended == -1:
        for k in range(n):
            v[k] = x[k]
            q[k] += h * v[k]
    return ended


@compiled
def advance(
    address, ints, floats, method, singular, max_turn, largest_turn, tolerance, q, v, t0, t_frame, count, progress
):
    """`count` equal steps from t0 to t_frame, each in parts if a joint with a singularity turns by more than max_turn.

    A turn beyond largest_turn [rad] in one step is given up.

    progress: [steps taken, what went wrong where, and what was wanted]: the body at whose joint nothing resists, a turn
    [rad] in a step, or the residual of conjugate gradients with what `tolerance` wants.
    """
    head, numbers = packed_rows(ints, floats)
    tree, has_forces = arrays_of(head, rows_of(head, numbers)), ints[Head.FORCES] != 0
    ints_at, floats_at = addresses(ints, floats)
    nr = ints[Head.DOFS]
    core = (address, ints_at, floats_at, address_in(q, nr), address_in(v, nr), nr, ints[Head.MOTORS] > 0)
    scratch = np.empty((SCRATCH, q.shape[0]))
    whole = (t_frame - t0) / count
    for step in range(count):
        start = t0 + (t_frame - t0) * step / count if step else t0
        end = t_frame if step == count - 1 else t0 + (t_frame - t0) * (step + 1) / count
        parts = 1
        if singular:
            ask(core, scratch[0], 0.0, tasks.PLACE | tasks.TURN_RATE)
            turn = tree.world[World.TURN_RATE] * whole
            if not turn <= largest_turn:
                progress[1] = turn
                return TOO_FAST
            parts = max(1, math.ceil(turn / max_turn))
        t, h = start, whole / parts
        for part in range(parts):
            t_end = end if part == parts - 1 else start + whole * (part + 1) / parts
            if singular:
                ask(core, scratch[0], 0.0, tasks.RECENTRE)
            if method == methods.RUNGE_KUTTA:
                stuck = runge_kutta_step(core, t, t_end, q, v, scratch)
            elif method == methods.SEMI_IMPLICIT:
                stuck = semi_implicit_step(core, tree, t, t_end, h, q, v, scratch)
            elif method == methods.CONJUGATE_GRADIENTS:
                stuck = conjugate_gradient_step(core, tree, has_forces, t_end, h, q, v, scratch, tolerance, progress)
                if stuck < -1:
                    return -1 - stuck
            else:
                stuck = linearly_implicit_step(core, tree, t_end, h, q, v, scratch)
                if stuck >= 0 and is_pushed(tree, stuck, h):
                    progress[1] = stuck
                    return PUSHED
            if stuck >= 0:
                progress[1] = stuck
                return STUCK
            prescribe(core, t_end, q, v, scratch[0])
            progress[0] += 1.0
            t = t_end
    if singular:
        ask(core, scratch[0], 0.0, tasks.RECENTRE)
    return DONE
