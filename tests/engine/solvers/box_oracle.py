# SPDX-License-Identifier: GPL-3.0-or-later
"""Random systems of rows with bounds, their solution by trying every active set, and work space for `box_rows`."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

from redmax.solvers import box_rows

EQUATION, ONE_SIDED, BOXED = range(3)


def delassus(rng, k, m, *, rank=None, uneven=0.0):
    """A = G M^-1 G^T (m, m) and W (k, m) with A = W^T W, of the rank, at most k; rows scaled by up to 10^uneven."""
    rank = k if rank is None else min(rank, k)
    W = rng.standard_normal((k, rank)) @ rng.standard_normal((rank, m))
    W *= 10.0 ** rng.uniform(-uneven, uneven, m)
    return W.T @ W, W


def bounds(kinds, c):
    """lo, hi (m,) of equations, one-sided rows and rows within -c and c."""
    lo = np.where(kinds == EQUATION, -np.inf, np.where(kinds == BOXED, -c, 0.0))
    hi = np.where(kinds == BOXED, c, np.inf)
    return lo, hi


def feasible(rng, W, kinds):
    """b (m,) that some motion W^T y satisfies: exactly in equations, with room in about half of the other rows."""
    y = rng.standard_normal(len(W))
    room = np.where(rng.random(W.shape[1]) < 0.5, rng.exponential(size=W.shape[1]), 0.0) * np.linalg.norm(W, axis=0)
    return W.T @ y - np.where(kinds == EQUATION, 0.0, room)


def room_for(m):
    """Zeroed x and state, and work space."""
    return SimpleNamespace(
        x=np.zeros(m),
        state=np.zeros(m, np.int64),
        L=np.full((m, m), np.nan),
        work=np.full((box_rows.WORK, m), np.nan),
        order=np.full(m, -1, np.int64),
    )


def solve(A, b, lo, hi, at=None, function=box_rows.solve):
    """(x, state, result) from cold, or from what `at` holds."""
    at = room_for(len(b)) if at is None else at
    code = function(len(b), A, b, lo, hi, at.x, at.state, at.L, at.work, at.order)
    return at.x, at.state, code


def violation(A, b, lo, hi, x):
    """How much the conditions of optimality are violated, relative to the largest term of any; rows are scaled."""
    s = 1.0 / np.sqrt(np.diag(A))
    w, terms = s * (A @ x - b), s * (np.abs(A) @ np.abs(x) + np.abs(b))
    wrong = np.where(x <= lo, np.maximum(-w, 0.0), np.where(x >= hi, np.maximum(w, 0.0), np.abs(w)))
    wrong = np.where(lo == hi, 0.0, wrong)
    assert ((x >= lo) & (x <= hi)).all()
    return float(wrong.max(initial=0.0) / max(terms.max(initial=0.0), 1e-300))


def by_enumeration(A, b, lo, hi, exact=1e-9):
    """A solution x (m,) found by trying every set of free rows that are independent, and every bound of the others;
    None if there is none."""
    m = len(b)
    s = 1.0 / np.sqrt(np.diag(A))
    choices = [
        ("free", *(["lower"] if np.isfinite(lo[i]) else []), *(["upper"] if np.isfinite(hi[i]) else []))
        for i in range(m)
    ]
    choices = [(*each, "zero") if np.isinf(lo[i]) and np.isinf(hi[i]) else each for i, each in enumerate(choices)]
    size = np.abs(b * s).max(initial=0.0) + 1e-300
    for choice in itertools.product(*choices):
        free = np.array([each == "free" for each in choice])
        x = np.array([{"lower": lo[i], "upper": hi[i]}.get(each, 0.0) for i, each in enumerate(choice)])
        if free.any():
            scaled = (A * s).T * s
            part = scaled[np.ix_(free, free)]
            if np.linalg.eigvalsh(part)[0] < 1e-10:
                continue
            x[free] = s[free] * np.linalg.solve(part, (s * (b - A @ x))[free])
        w = (A @ x - b) * s
        good = np.array(
            [
                lo[i] - exact * size * s[i] <= x[i] <= hi[i] + exact * size * s[i]
                and {"free": True, "lower": w[i] > -exact * size, "upper": w[i] < exact * size}.get(
                    each, abs(w[i]) < exact * size
                )
                for i, each in enumerate(choice)
            ]
        )
        if good.all():
            return x
    return None
