# SPDX-License-Identifier: GPL-3.0-or-later
"""The laws of contact, each judged by its own function from nothing but M, G, b, v and impulses.

Every function gives the largest violation in m/s, or in N s times the Delassus entry, which is a speed too.
"""

from __future__ import annotations

import itertools

import numpy as np

from redmax.solvers.contact import layout as at


class Solved:
    """A solved problem as dense arrays: M, G, b, v_free, v, x, and blocks with their rows."""

    def __init__(self, problem, packed):
        sizes = [len(np.atleast_2d(mass)) for mass in problem.masses]
        starts = np.cumsum([0, *sizes])
        n = starts[-1]
        self.M, self.v_free = np.zeros((n, n)), np.array(problem.v_free, float)
        for t, mass in enumerate(problem.masses):
            self.M[starts[t] : starts[t + 1], starts[t] : starts[t + 1]] = mass
        G, b, self.blocks, row = [], [], [], 0
        for kind, bias, lo, hi, _, friction, restitution, parts in problem.blocks:
            rows = np.zeros((len(bias), n))
            for tree, values in parts:
                rows[:, starts[tree] : starts[tree + 1]] += values
            G.append(rows)
            b.append(bias)
            self.blocks.append((kind, slice(row, row + len(bias)), lo, hi, friction, restitution))
            row += len(bias)
        self.G, self.b = np.concatenate(G), np.concatenate(b)
        self.v, self.x = packed.section(at.V).copy(), packed.section(at.IMPULSE).copy()
        self.sigma = self.G @ self.v - self.b
        self.A = self.G @ np.linalg.solve(self.M, self.G.T)
        self.d = np.diag(self.A)

    def energy_gained(self):
        return 0.5 * (self.v @ self.M @ self.v - self.v_free @ self.M @ self.v_free)


def momentum(s):
    """|M (v - v_free) - G^T x| as a speed."""
    return np.abs(np.linalg.solve(s.M, s.M @ (s.v - s.v_free) - s.G.T @ s.x)).max()


def equations(s):
    return max([np.abs(s.sigma[rows]).max() for kind, rows, *_ in s.blocks if kind == at.EQUATION], default=0.0)


def one_sided_rows(s):
    """Impulse and speed of every one-sided row and of every contact's normal, and the Delassus entry."""
    for kind, rows, *_ in s.blocks:
        if kind in (at.ONE_SIDED, at.CONTACT):
            for j in range(rows.start, rows.stop if kind == at.ONE_SIDED else rows.start + 1):
                yield s.x[j], s.sigma[j], s.d[j]


def approach(s):
    """Speed at which anything closes."""
    return max([-speed for _, speed, _ in one_sided_rows(s)], default=0.0)


def pull(s):
    return max([-x * d for x, _, d in one_sided_rows(s)], default=0.0)


def push_while_parting(s):
    """Complementarity: the smaller one of impulse (as a speed) and parting speed."""
    return max([min(x * d, speed) for x, speed, d in one_sided_rows(s)], default=0.0)


def discs(s, law=at.SIGNORINI_COULOMB):
    """Of every disc of friction: bound, impulses, speeds, Delassus entry."""
    for kind, rows, _, _, (mu, torsional, rolling), _ in s.blocks:
        if kind != at.CONTACT:
            continue
        first, count = rows.start, rows.stop - rows.start
        parts = [(mu, slice(first + 1, first + 3))]
        if law == at.PYRAMID:
            parts = [(mu, slice(first + 1, first + 2)), (mu, slice(first + 2, first + 3))]
        if count in (4, 6):
            parts.append((torsional, slice(first + 3, first + 4)))
        if count >= 5:
            parts.append((rolling, slice(rows.stop - 2, rows.stop)))
        for radius, at_rows in parts:
            yield radius * s.x[first], s.x[at_rows], s.sigma[at_rows], s.d[at_rows].max()


def beyond_cone(s, law=at.SIGNORINI_COULOMB):
    return max([(np.linalg.norm(x) - bound) * d for bound, x, _, d in discs(s, law)], default=0.0)


def dissipation_missed(s, law=at.SIGNORINI_COULOMB):
    """Maximum dissipation: what friction could take more, (bound |sigma| + x sigma), per bound; in m/s. 0 also where a
    contact is open."""
    found = [0.0]
    for bound, x, sigma, d in discs(s, law):
        lost = bound * np.linalg.norm(sigma) + x @ sigma
        found.append(lost / max(bound, np.linalg.norm(sigma) / d, 1e-300))
    return max(found)


def bounds_broken(s):
    """Boxed rows: beyond a bound, or moving the wrong way at one."""
    worst = 0.0
    for kind, rows, lo, hi, *_ in s.blocks:
        if kind == at.BOXED:
            x, sigma, d = s.x[rows], s.sigma[rows], s.d[rows]
            worst = max(worst, ((x - hi) * d).max(), ((lo - x) * d).max())
            inner = np.minimum(x - lo, hi - x) * d
            worst = max(worst, np.minimum(np.abs(sigma), inner).max())
            at_hi, at_lo = hi - x <= x - lo, hi - x > x - lo
            worst = max(worst, (sigma * at_hi).max(), (-sigma * at_lo).max()) if (hi > lo).all() else worst
    return worst


def all_laws(s, law=at.SIGNORINI_COULOMB):
    """Every violation by name [m/s]."""
    return {
        "momentum": momentum(s),
        "equations": equations(s),
        "approach": approach(s),
        "pull": pull(s),
        "push while parting": push_while_parting(s),
        "beyond cone": beyond_cone(s, law),
        "dissipation": dissipation_missed(s, law),
        "bounds": bounds_broken(s),
    }


def frictionless_by_enumeration(A, q, tolerance=1e-9):
    """Speeds A x + q of the complementarity problem x >= 0, A x + q >= 0, found by trying every set of rows that
    push."""
    m = len(q)
    for count in range(m + 1):
        for chosen in itertools.combinations(range(m), count):
            rows = list(chosen)
            x = np.zeros(m)
            if rows:
                x[rows] = np.linalg.lstsq(A[np.ix_(rows, rows)], -q[rows], rcond=None)[0]
            w = A @ x + q
            if (x > -tolerance).all() and (w > -tolerance).all() and np.abs(w[rows]).max(initial=0.0) < tolerance:
                return w
    raise AssertionError("no solution")
