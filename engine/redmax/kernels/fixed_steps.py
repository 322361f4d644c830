# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled methods of fixed step: all steps of a frame in one call, as the integrators of the same names take them."""

from __future__ import annotations

import math

import numpy as np

from . import layout as at
from .core import run
from .jit import compiled, inner
from .loads import put_prescribed
from .views import arrays_of

SEMI_IMPLICIT, RUNGE_KUTTA = at.SEMI_IMPLICIT, at.RUNGE_KUTTA
DONE, STUCK, TOO_FAST = range(3)
"""How a call ends."""


@inner
def prescribe(tree, t, q, qdot, qddot):
    put_prescribed(tree[at.TABLES], tree[at.POOL], tree[at.VECTORS][at.START], tree[at.GIVEN], t, q, qdot, qddot)


@inner
def accelerate(core, t, q, qdot, qddot):
    """core: what to call, on which integers and numbers."""
    return run(core[0], core[1], core[2], q, qdot, qddot, t, at.ACCELERATE)


@inner
def runge_kutta_step(core, tree, t, t_end, q, v, scratch):
    """One step of the classical method of order 4 from t to t_end; inputs are those from before t_end."""
    h, last = t_end - t, np.nextafter(t_end, -np.inf)
    q1, v1, a, dq, dv = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    n = q.shape[0]
    for k in range(n):
        q1[k], v1[k], dq[k], dv[k] = q[k], v[k], 0.0, 0.0
    for stage in range(4):
        time = t if stage == 0 else (last if stage == 3 else t + 0.5 * h)
        prescribe(tree, time, q1, v1, a)
        stuck = accelerate(core, time, q1, v1, a)
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
    prescribe(tree, t_end, q_given, v_given, unused)
    for m in range(tree[at.GIVEN].shape[0]):
        k = tree[at.GIVEN][m]
        a[k] = (v_given[k] - v[k]) / h
    stuck = accelerate(core, t, q, v, a)
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
    vectors, given = tree[at.VECTORS], tree[at.GIVEN]
    n = q.shape[0]
    for k in range(n):
        x[k] = 0.0
    run(core[0], core[1], core[2], q, v, x, t_end, at.DO_PLACE | at.DO_LOADS | at.DO_INVERSE)
    for k in range(n):
        f = vectors[at.LOAD, k] - vectors[at.FORCE, k]
        vectors[at.RIGHT_SIDE, k] = h * f + h * h * vectors[at.LOAD_K, k] * v[k]
    prescribe(tree, t_end, q_given, v_given, unused)
    for m in range(given.shape[0]):
        k = given[m]
        x[k] = v_given[k] - v[k]
    stuck = run(core[0], core[1], core[2], q, v, x, h, at.DO_IMPLICIT)
    if stuck >= 0:
        return stuck
    for k in range(n):
        v[k] += x[k]
        q[k] += h * v[k]
    return -1


@compiled
def advance(address, ints, floats, method, singular, max_turn, largest_turn, q, v, t0, t_frame, count, progress):
    """`count` equal steps from t0 to t_frame, each in parts if a joint with a singularity turns by more than max_turn.

    A turn beyond largest_turn [rad] in one step is given up.

    progress: [steps taken, what went wrong where]: the body at whose joint nothing resists, or a turn [rad] in a step.
    """
    tree = arrays_of(ints, floats)
    core = (address, ints, floats)
    scratch = np.empty((5, q.shape[0]))
    whole = (t_frame - t0) / count
    for step in range(count):
        start = t0 + (t_frame - t0) * step / count if step else t0
        end = t_frame if step == count - 1 else t0 + (t_frame - t0) * (step + 1) / count
        parts = 1
        if singular:
            run(address, ints, floats, q, v, scratch[0], 0.0, at.DO_PLACE | at.DO_TURN_RATE)
            turn = tree[at.WORLD][at.TURN_RATE] * whole
            if not turn <= largest_turn:
                progress[1] = turn
                return TOO_FAST
            parts = max(1, math.ceil(turn / max_turn))
        t, h = start, whole / parts
        for part in range(parts):
            t_end = end if part == parts - 1 else start + whole * (part + 1) / parts
            if singular:
                run(address, ints, floats, q, v, scratch[0], 0.0, at.DO_RECENTRE)
            if method == RUNGE_KUTTA:
                stuck = runge_kutta_step(core, tree, t, t_end, q, v, scratch)
            elif method == SEMI_IMPLICIT:
                stuck = semi_implicit_step(core, tree, t, t_end, h, q, v, scratch)
            else:
                stuck = linearly_implicit_step(core, tree, t_end, h, q, v, scratch)
            if stuck >= 0:
                progress[1] = stuck
                return STUCK
            prescribe(tree, t_end, q, v, scratch[0])
            progress[0] += 1.0
            t = t_end
    if singular:
        run(address, ints, floats, q, v, scratch[0], 0.0, at.DO_RECENTRE)
    return DONE
