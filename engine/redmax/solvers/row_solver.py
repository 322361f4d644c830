# SPDX-License-Identifier: GPL-3.0-or-later
"""Least changes that satisfy rows, whatever their rank: dx = M^-1 G^T lambda with G dx = b.

Mechanisms are full of redundant rows: every loop of parallel hinges has three. The rows are therefore never
inverted but factored so that their rank shows. What b demands beyond their range cannot be had and is left out; of
all multipliers with the same effect the shortest is taken.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..errors import RunError

RANK = 1e-8
"""A direction of the scaled rows weaker than this, relative to the strongest, counts as redundant. Round-off of poses
makes redundant rows differ by about 1e-14; a mechanism comes this near to a singular pose for nanoseconds."""

REGULAR_POSE = 1e-3
"""A direction this strong is none that only a loop not quite closed makes: a mechanism has left its singular pose."""

IMMOVABLE_ROW = 1e-10
"""A row that moves nothing by more than this, relative to the row that moves most, is no row at all."""

EXACT_ENOUGH = 1e-12
"""A one-sided row may pull, or be missed, by this part of the largest demand."""


class UnevenMassError(RunError, np.linalg.LinAlgError):
    """A mass matrix that has no inverse, up to rounding."""

    code = "uneven_masses"


class RowSolver:
    """G (m, k) with the mass matrix M (k, k), factored once for any number of right sides.

    rank: number of independent rows. scale: (m,) by which rows are divided to weigh alike, infinite for rows that
    move nothing. Raises UnevenMassError where M is not positive definite, LinAlgError where it is not finite.
    """

    def __init__(self, M: Array, G: Array, most: int | None = None) -> None:
        """most: the rank is no more than this, where that is known, unless more directions are clearly there."""
        self._most = most
        try:
            self._L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            if not np.isfinite(M).all():
                raise
            what = "masses that move together differ too much, or are missing"
            raise UnevenMassError(what, advice="bring them closer together") from None
        self._setup(np.linalg.solve(self._L, G.T) if G.size else np.zeros((len(M), len(G))))

    def _setup(self, W: Array) -> None:
        """W: (k, m) = L^-1 G^T, so that A = G M^-1 G^T = W^T W is never formed and keeps its digits."""
        self._W = W
        norms = np.sqrt((W * W).sum(axis=0))
        self.scale = np.where(norms > IMMOVABLE_ROW * norms.max(initial=0.0), norms, np.inf)
        self._factor(np.arange(W.shape[1]))

    def _factor(self, rows: IntArray) -> None:
        U, s, Vt = np.linalg.svd((self._W / self.scale)[:, rows], full_matrices=False)
        self.rank = int((s > RANK * s.max(initial=0.0)).sum()) if s.size else 0
        if self._most is not None:
            clear = int((s > REGULAR_POSE * s.max(initial=0.0)).sum())
            self.rank = min(self.rank, max(self._most, clear))
        self._rows, self._U, self._s, self._Vt = rows, U[:, : self.rank], s[: self.rank], Vt[: self.rank]

    def only(self, rows: IntArray) -> RowSolver:
        """The same with some of the rows, given by number; the others get no multiplier."""
        other = RowSolver.__new__(RowSolver)
        other._L, other._W, other.scale, other._most = self._L, self._W, self.scale, self._most
        other._factor(rows)
        return other

    def multipliers(self, b: Array) -> Array:
        """lambda (m,), zero for rows left out, with G M^-1 G^T lambda = b as far as the rows can."""
        wanted = (b / self.scale)[self._rows]
        x = self._Vt.T @ ((self._Vt @ wanted) / self._s**2)
        result = np.zeros(len(b))
        result[self._rows] = x / self.scale[self._rows]
        return result

    def change(self, multipliers: Array) -> Array:
        """M^-1 G^T lambda, (k,)."""
        return np.asarray(np.linalg.solve(self._L.T, self._W @ multipliers))

    def effect(self, multipliers: Array) -> Array:
        """G M^-1 G^T lambda, (m,)."""
        return np.asarray(self._W.T @ (self._W @ multipliers))

    def damped_change(self, b: Array, damping: float) -> Array:
        """dx (k,) that minimises |G dx - b|^2 and, weighed by the square of the damping, dx in the metric of M.

        damping: relative to the strongest direction of the rows. Rows weigh as they are given, so that every step
        with enough damping makes the error smaller.
        """
        U, s, Vt = np.linalg.svd(self._W, full_matrices=False)
        strongest = s.max(initial=0.0)
        kept = s > RANK * strongest
        part = np.where(kept, s / np.where(kept, s**2 + (damping * strongest) ** 2, 1.0), 0.0)
        return np.asarray(np.linalg.solve(self._L.T, U @ (part * (Vt @ b))))

    def free_directions(self) -> Array:
        """Z (k, k - rank) with G Z = 0, orthonormal in the metric of M: Z^T M Z = 1."""
        rest = np.linalg.qr(self._U, mode="complete")[0][:, self.rank :]
        return np.asarray(np.linalg.solve(self._L.T, rest))

    def least_change(self, b: Array) -> Array:
        """dx (k,), the smallest in the metric of M with G dx = b as far as the rows can."""
        wanted = (b / self.scale)[self._rows]
        return np.asarray(np.linalg.solve(self._L.T, self._U @ ((self._Vt @ wanted) / self._s)))


def one_sided_multipliers(solver: RowSolver, b: Array, one_sided: BoolArray) -> Array:
    """lambda (m,) with w = G M^-1 G^T lambda - b: w = 0 for equations; w >= 0, lambda >= 0, w lambda = 0 for others.

    Source: RBDN eq. 2.121-2.123; eq. 2.123 has the sign of the multipliers reversed (erratum).
    Murty's rule: the first row that would pull is let go, or the first that is violated is taken up, until there is
    none. It ends for independent rows; among redundant ones the set that is violated least is taken where it would
    cycle.
    """
    if not one_sided.any():
        return solver.multipliers(b)
    held = np.ones(len(b), np.bool_)
    weight = np.where(np.isfinite(solver.scale), solver.scale, 0.0)
    enough = EXACT_ENOUGH * float(np.abs(b / solver.scale).max(initial=0.0))
    tried: set[bytes] = set()
    best, least = np.zeros(len(b)), np.inf
    while held.tobytes() not in tried:
        tried.add(held.tobytes())
        x = solver.only(np.flatnonzero(held)).multipliers(b)
        w = (solver.effect(x) - b) / solver.scale
        wrong = np.where(one_sided, np.where(held, -x * weight, -w), 0.0)
        if wrong.max() < least:
            best, least = x, float(wrong.max())
        if least <= enough:
            break
        first = int(np.flatnonzero(wrong > enough)[0])
        held[first] = not held[first]
    return np.where(one_sided, np.maximum(best, 0.0), best)
