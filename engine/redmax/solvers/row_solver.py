# SPDX-License-Identifier: GPL-3.0-or-later
"""Least changes that satisfy rows, whatever their rank: dx = M^-1 G^T lambda with G dx = b.

Mechanisms are full of redundant rows: every loop of parallel hinges has three. The rows are therefore never
inverted but factored so that their rank shows. What b demands beyond their range cannot be had and is left out; of
all multipliers with the same effect the shortest is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..errors import RunError
from . import box_rows, impacts

RANK = 1e-8
"""A direction of the scaled rows weaker than this, relative to the strongest, counts as redundant. Round-off of poses
makes redundant rows differ by about 1e-14; a mechanism comes this near to a singular pose for nanoseconds."""

REGULAR_POSE = 1e-3
"""A direction this strong is none that only a loop not quite closed makes: a mechanism has left its singular pose."""

IMMOVABLE_ROW = 1e-10
"""A row that moves nothing by more than this, relative to the row that moves most, is no row at all."""

SHARES = 1e-12
"""A row whose w is within this part of the largest demand may share what dependent rows carry."""


class UnevenMassError(RunError, np.linalg.LinAlgError):
    """A mass matrix that has no inverse, up to rounding."""

    code = "uneven_masses"


class RowSolver:
    """G (m, k) with the mass matrix M (k, k), factored once for any number of right sides.

    rank: number of independent rows. scale: (m,) by which rows are divided to weigh alike, infinite for rows that
    move nothing. Raises UnevenMassError where M is not positive definite, LinAlgError where it is not finite.
    """

    def __init__(self, M: Array, G: Array, most: int | None = None, rows: IntArray | None = None) -> None:
        """most: the rank is no more than this, where that is known, unless more directions are clearly there.
        rows: as in `only`, all by default."""
        try:
            self._L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            if not np.isfinite(M).all():
                raise
            what = "masses that move together differ too much, or are missing"
            raise UnevenMassError(what, advice="bring them closer together") from None
        # W (k, m) = L^-1 G^T: A = G M^-1 G^T = W^T W is not formed and keeps its digits
        self._W = W = np.linalg.solve(self._L, G.T) if G.size else np.zeros((len(M), len(G)))
        norms = np.sqrt((W * W).sum(axis=0))
        self.scale = np.where(norms > IMMOVABLE_ROW * norms.max(initial=0.0), norms, np.inf)
        self._factor(np.arange(W.shape[1]) if rows is None else rows, most)

    def _factor(self, rows: IntArray, most: int | None) -> None:
        U, s, Vt = np.linalg.svd((self._W / self.scale)[:, rows], full_matrices=False)
        self.rank = int((s > RANK * s.max(initial=0.0)).sum()) if s.size else 0
        if most is not None:
            clear = int((s > REGULAR_POSE * s.max(initial=0.0)).sum())
            self.rank = min(self.rank, max(most, clear))
        self._rows, self._U, self._s, self._Vt = rows, U[:, : self.rank], s[: self.rank], Vt[: self.rank]

    def only(self, rows: IntArray, most: int | None = None) -> RowSolver:
        """The same with some of the rows, given by number; the others get no multiplier. most: as above."""
        other = RowSolver.__new__(RowSolver)
        other._L, other._W, other.scale = self._L, self._W, self.scale
        other._factor(rows, most)
        return other

    def rest(self, rows: IntArray) -> Array:
        """V (k, r) of some rows, given by number, with V^T V their Delassus matrix while those solved for hold.

        Zero for rows that follow from these, and for rows that move nothing.
        """
        W = self._W[:, rows]
        V = W - self._U @ (self._U.T @ W)
        V -= self._U @ (self._U.T @ V)
        kept = np.isfinite(self.scale[rows]) & (np.linalg.norm(V, axis=0) > RANK * np.linalg.norm(W, axis=0))
        return np.where(kept, V, 0.0)

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


@dataclass(frozen=True, eq=False)
class Jump:
    """Impulses (m,) of all rows, the speeds (m,) after them, and which rows stay approached all the same (m,)."""

    impulses: Array
    speeds: Array
    blocked: BoolArray


class BoundedRows:
    """Rows with bounds beside equations, as `box_rows` and `impacts` solve them: with the equations eliminated.

    These are left to a RowSolver, so that redundant ones are found by their singular values and share what they carry.
    What is left of the other rows' Delassus matrix is what they do while the equations hold.
    """

    def __init__(self, M: Array, G: Array, equations: BoolArray, rank: int | None = None) -> None:
        """M (k, k), G (m, k). equations: (m,) rows without bounds. rank: of the equations at most, where it is known.

        Raises UnevenMassError.
        """
        self.equations = equations
        self._rank = rank
        self._bounded = np.flatnonzero(~equations)
        self.solver = RowSolver(M, G, rank, np.flatnonzero(equations))

    @cached_property
    def _A(self) -> Array:
        """Delassus matrix of the bounded rows while the equations hold."""
        W = self.solver.rest(self._bounded)
        return W.T @ W

    def multipliers(self, b: Array, lo: Array, hi: Array) -> Array:
        """lambda (m,) with w = G M^-1 G^T lambda - b: w = 0 for equations, as far as they can; for others w = 0 between
        bounds, w >= 0 at lower, w <= 0 at upper ones. lo, hi: (m,).

        Bounded rows that contradict equations are left out, those that contradict each other are satisfied in the sense
        of least squares. Of all multipliers with the same effect the shortest are taken, if these are within bounds.
        Source: RBDN eq. 2.121-2.123; eq. 2.123 has the sign of the multipliers reversed (erratum).
        """
        solver, bounded = self.solver, self._bounded
        found = solver.multipliers(b)
        if not len(bounded):
            return found
        wanted = (b - solver.effect(found))[bounded]
        at = _Space(len(bounded))
        box_rows.solve(at.m, self._A, wanted, lo[bounded], hi[bounded], at.x, at.state, at.L, at.work, at.order)
        x = np.zeros(len(b))
        x[bounded] = at.x
        x += solver.multipliers(b - solver.effect(x))
        return self._shared(b, lo, hi, x, at.state)

    def _shared(self, b: Array, lo: Array, hi: Array, x: Array, state: IntArray) -> Array:
        """The shortest multipliers with the effect of x, if they are within bounds; x otherwise.

        Only rows with w = 0 can take part, and there is a choice only if some of these are not free.
        """
        w = (self.solver.effect(x) - b) / self.solver.scale
        tight = np.abs(w[self._bounded]) <= SHARES * float(np.abs(b / self.solver.scale).max(initial=0.0))
        tight &= np.isfinite(self.solver.scale[self._bounded]) & (lo < hi)[self._bounded]
        if not (tight & (state != box_rows.FREE)).any() or (state == box_rows.LEFT_OUT).any():
            return x
        taking = self.equations.copy()
        taking[self._bounded[tight | (state == box_rows.FREE)]] = True
        fixed = np.where(taking, 0.0, x)
        most = None if self._rank is None else self._rank + int(taking.sum() - self.equations.sum())
        shared = fixed + self.solver.only(np.flatnonzero(taking), most).multipliers(b - self.solver.effect(fixed))
        return shared if ((shared >= lo) & (shared <= hi)).all() else x

    def impacts(self, speeds: Array, near: BoolArray, restitution: Array, *, slow: Array, tiny: Array) -> Jump:
        """Impulses of the impacts that are due, one after another; see `impacts`.

        speeds: (m,) G v - rate, which equations bring to 0. near: (m,) the one-sided rows that can be met.
        restitution: (m,) 0 to 1. slow: (m,) speeds below which nothing bounces. tiny: (m,) speeds that do not count.
        """
        solver, bounded = self.solver, self._bounded
        found = solver.multipliers(-speeds)
        u = (speeds + solver.effect(found))[bounded]
        at = _Space(len(bounded))
        kind = np.where(near[bounded], impacts.ONE_SIDED, impacts.ABSENT)
        impacts.resolve(
            at.m,
            self._A,
            u,
            restitution[bounded],
            slow[bounded],
            tiny[bounded],
            kind,
            impacts.MOST_ROUNDS,
            at.x,
            at.state,
            at.L,
            at.work,
            at.order,
            np.zeros((impacts.WORK, at.m)),
        )
        x = np.zeros(len(speeds))
        x[bounded] = at.x
        x += solver.multipliers(-speeds - solver.effect(x))
        blocked = np.zeros(len(speeds), np.bool_)
        blocked[bounded] = kind == impacts.BLOCKED
        return Jump(x, speeds + solver.effect(x), blocked)


class _Space:
    """Work space of `box_rows` for m rows, which begin free."""

    def __init__(self, m: int) -> None:
        self.m = m
        self.x = np.zeros(m)
        self.state = np.zeros(m, np.int64)
        self.L, self.work = np.zeros((m, m)), np.zeros((box_rows.WORK, m))
        self.order = np.zeros(m, np.int64)
