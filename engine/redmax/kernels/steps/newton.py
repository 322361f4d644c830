# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled implicit stages: Newton's method as `integrators.bdf` describes it, one call per stage."""

from __future__ import annotations

import math

import numpy as np

from .. import tasks
from ..cache.jit import compiled, inner
from ..core import run
from ..layout.declaration import Vector

DONE, SINGULAR, NO_SMALLER, NOT_FINITE, NO_END = range(5)
"""How a call ends."""
TOLERANCE, RESIDUAL_TOLERANCE, DIFFERENCE, MAX_ITERATIONS, MAX_HALVINGS = range(5)
"""Settings."""
Q_GIVEN, V_GIVEN, Q_PAST, V_PAST = range(4)
"""Rows of the past: where prescribed coordinates are at the stage, and what the method remembers."""
WHAT = tasks.PLACE | tasks.LOADS | tasks.INVERSE


@inner
def residual(core, vectors, free, past, ch, t, x, motion, g):
    """g(x) = ch^2 (M qddot - f) in the free rows; x: free coordinates, the rest of the motion follows from them."""
    q, v, a = motion[0], motion[1], motion[2]
    for k in range(q.shape[0]):
        q[k], v[k] = past[Q_GIVEN, k], past[V_GIVEN, k]
    for m in range(free.shape[0]):
        k = free[m]
        q[k] = x[m]
        v[k] = (x[m] - past[Q_PAST, k]) / ch
    for k in range(q.shape[0]):
        a[k] = (v[k] - past[V_PAST, k]) / ch
    run(core[0], core[1], core[2], q, v, a, t, WHAT)
    for m in range(free.shape[0]):
        k = free[m]
        g[m] = (vectors[Vector.FORCE, k] - vectors[Vector.LOAD, k]) * ch * ch


@inner
def norm(g, weight):
    """Euclidean norm of g, each component times its weight."""
    total = 0.0
    for k in range(g.shape[0]):
        total += (g[k] * weight[k]) ** 2
    return math.sqrt(total)


@inner
def solve(A, b):
    """A x = b by elimination with pivots, in place: b becomes x. False if A is singular."""
    n = b.shape[0]
    for i in range(n):
        pivot, largest = i, abs(A[i, i])
        for r in range(i + 1, n):
            if abs(A[r, i]) > largest:
                pivot, largest = r, abs(A[r, i])
        if not largest > 0.0:
            return False
        if pivot != i:
            for c in range(n):
                A[i, c], A[pivot, c] = A[pivot, c], A[i, c]
            b[i], b[pivot] = b[pivot], b[i]
        for r in range(i + 1, n):
            factor = A[r, i] / A[i, i]
            if factor != 0.0:
                for c in range(i + 1, n):
                    A[r, c] -= factor * A[i, c]
                b[r] -= factor * b[i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for c in range(i + 1, n):
            total -= A[i, c] * b[c]
        b[i] = total / A[i, i]
    return True


@compiled
def stage(address, ints, floats, vectors, free, past, settings, ch, t, x, matrix):
    """Solve one stage from the guess x, in place; gives how that ends. matrix: gets the last Newton matrix."""
    core, n = (address, ints, floats), free.shape[0]
    motion = np.empty((3, past.shape[1]))
    g, trial, g_trial, weight, ones = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.ones(n)
    upper, lower, direction, A = np.empty(n), np.empty(n), np.empty(n), np.empty((n, n))
    residual(core, vectors, free, past, ch, t, x, motion, g)
    for _ in range(int(settings[MAX_ITERATIONS])):
        if norm(g, ones) < settings[RESIDUAL_TOLERANCE]:
            return DONE
        for k in range(n):
            here = x[k]
            reach = settings[DIFFERENCE] * max(1.0, abs(here))
            below, above = here - reach, here + reach
            x[k] = above
            residual(core, vectors, free, past, ch, t, x, motion, upper)
            x[k] = below
            residual(core, vectors, free, past, ch, t, x, motion, lower)
            x[k] = here
            for r in range(n):
                matrix[r, k] = (upper[r] - lower[r]) / (above - below)
        size = 0.0
        for k in range(n):
            weight[k] = 1.0 / math.sqrt(abs(matrix[k, k]) + 2.2250738585072014e-308)
            direction[k] = -g[k]
            size = max(size, abs(x[k]))
            for c in range(n):
                A[k, c] = matrix[k, c]
        if not solve(A, direction):
            return SINGULAR
        longest = 0.0
        for k in range(n):
            longest = max(longest, abs(direction[k]))
        close = longest <= settings[TOLERANCE] * (1.0 + size)
        length, found = 1.0, False
        for _ in range(int(settings[MAX_HALVINGS])):
            for k in range(n):
                trial[k] = x[k] + length * direction[k]
            residual(core, vectors, free, past, ch, t, trial, motion, g_trial)
            if close or norm(g_trial, weight) < norm(g, weight):
                found = True
                break
            length *= 0.5
        if not found:
            return NO_SMALLER
        for k in range(n):
            if not math.isfinite(g_trial[k]):
                return NOT_FINITE
            x[k], g[k] = trial[k], g_trial[k]
        if close:
            return DONE
    return NO_END
