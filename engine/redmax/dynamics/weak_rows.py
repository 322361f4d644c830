# SPDX-License-Identifier: GPL-3.0-or-later
"""Equations near singular poses: strong ones as they are, weak ones by their second-order form.

In a singular pose some combinations u of the rows move nothing: u^T G = 0. What they still ask follows from further
derivatives of G v = 0 along the motion v = s t (docs/equations.md):
    u^T Gdot(v) v = 0,    u^T (2 Gdot(t) a + Gdot(a) t) = -s^2 u^T Gddot(t, t) t.
Rows of loops here turn with their joints and are no gradients: for gradients the second is 3 u^T Gdot(t) a. Redundant
rows have combinations of this kind in every pose; for those it says nothing new, and they are left out.
`kernels.rows.weak_rows` does the same in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..model import Model
from .assembly import scale_of
from .constraint_rows import ConstraintRows
from .row_strength import coordinate_lengths

NEAR, CLEAR = 0.2, 0.3
"""Parts of its reference to which the weakest equation falls where a singular pose is near, and from which on it is not
any more. Both are asked where a step ends, so that the next one does not pass it by."""
LED = 1e-2
"""A weak equation that animated joints move by more than this part of the reference is led beyond its reach."""
WEAK = 1e-3
"""Equations below this part of the reference are weak."""
BENT = 1e-3
"""The second-order form of a weak equation counts if it has more than this part of the reference, at unit rate."""
STEP = 1e-4
"""Distance over which derivatives are taken [rad, or parts of the size]."""
AT_REST, SETTLED, MOST_GUESSES = 1e-9, 1e-12, 60
"""Velocities below the first part of those before rest; directions that change by less than the second are found."""

UNMOVED = 1e-12
"""Accelerations of which strong equations leave no more than this are rounding."""

RowsAt = Callable[[Array], Array]
"""G (m, nr) of all rows at coordinates q (nr,)."""


class Held(NamedTuple):
    """What equations do to a motion. change: (nr,) of accelerations. multipliers: (m,) of all rows, zero for weak ones.
    locked: whether the mechanism rests in a pose that it cannot leave. chosen: whether it rests and had to choose."""

    change: Array
    multipliers: Array
    locked: bool
    chosen: bool


@dataclass(frozen=True, eq=False)
class NearRows:
    """Equations at one pose. L: (f, f) of the mass matrix of free coordinates. U, s, V: strong directions of the rows,
    in coordinates of unit inertia; weak: (m, k) combinations of rows. H: (k, nr, nr) their derivatives by coordinates.
    directions: those found so far for accelerations at rest.
    """

    model: Model
    rows: ConstraintRows
    equations: IntArray
    scale: Array
    reference: float
    L: Array
    U: Array
    s: Array
    V: Array
    weak: Array
    H: Array
    q: Array
    G_at: RowsAt
    directions: dict[bytes, Array | None] = field(default_factory=dict)

    # --- strong rows ---------------------------------------------------------------------------------------------

    def strong_change(self, wanted: Array) -> Array:
        """Least change (f,), in coordinates of unit inertia, with G dq = wanted (m,) in the strong directions."""
        return np.asarray(self.V @ ((self.U.T @ (wanted[self.equations] / self.scale)) / self.s))

    def spread(self, x: Array) -> Array:
        """(nr,) from coordinates of unit inertia."""
        return self.rows.freedoms.spread(np.linalg.solve(self.L.T, x))

    def velocities(self, qdot: Array) -> tuple[Array, bool]:
        """qdot changed by the least so that it satisfies all equations, and whether it led nowhere and was taken."""
        for _ in range(2):
            qdot = qdot + self.spread(self.strong_change(self.rows.rate - self.rows.G @ qdot))
        first = last = self.rate(qdot)
        for _ in range(MOST_GUESSES if first > 0.0 else 0):
            rate = self.rate(qdot)
            if not rate > AT_REST * first:
                return np.zeros_like(qdot), True
            Q, R, kept = self._basis([(H + H.T) @ (qdot / rate) for H in self.H])
            if not len(kept):
                break
            asked = np.array([-(qdot / rate) @ self.H[k] @ qdot for k in kept])
            change = self.spread(Q @ np.linalg.solve(R.T, asked))
            qdot, size = qdot + change, self.rate(change)
            if not size > 1e-15 * rate or (size < 1e-9 * rate and not size < 0.5 * last):
                break
            last = size
        return qdot, False

    # --- accelerations -------------------------------------------------------------------------------------------

    def held(self, qddot: Array, wanted: Array, qdot: Array, tangent: Array | None) -> Held:
        """How equations change accelerations qddot (nr,), which lack `wanted` (m,).

        qdot: (nr,). tangent: (nr,) in which direction the mechanism came here, where it rests; None if nobody knows.
        """
        x, chosen, rate = self.strong_change(wanted), False, self.rate(qdot)
        if tangent is None and not rate > 0.0:
            left_over = qddot + self.spread(x)
            if not self.rate(left_over) > UNMOVED * self.rate(qddot):
                return Held(self.spread(x), self._multipliers(x), False, False)
            key = left_over.tobytes()
            if key not in self.directions:
                self.directions[key] = self._direction(left_over)
            tangent = self.directions[key]
            if tangent is None:
                left = (qddot + self.spread(x))[self.rows.freedoms.free]
                return Held(self.spread(x - self.L.T @ left), self._multipliers(x), True, False)
            chosen = True
        t = qdot / rate if tangent is None else tangent
        speed = rate if tangent is None else 0.0
        Q, R, kept = self._basis([2.0 * H.T @ t + H @ t for H in self.H])
        multipliers = self._multipliers(x)
        if len(kept):
            ahead, behind, here = (self.G_at(self.q + step * t)[self.equations] for step in (STEP, -STEP, 0.0))
            bend = self.weak.T @ (((ahead - 2.0 * here + behind) / STEP**2 @ t) / self.scale)
            lines = np.array([2.0 * self.H[k].T @ t + self.H[k] @ t for k in kept])
            asked = -(speed**2) * bend[kept] - lines @ (qddot + self.spread(x))
            x = x + Q @ np.linalg.solve(R.T, asked)
        return Held(self.spread(x), multipliers, False, chosen and len(kept) > 0)

    def _multipliers(self, x: Array) -> Array:
        found = np.zeros(len(self.rows.rate))
        found[self.equations] = self.U @ ((self.V.T @ x) / self.s) / self.scale
        return found

    def _direction(self, qddot: Array) -> Array | None:
        """The direction that weak equations allow, nearest to an acceleration; None if there is none but rest."""
        guess, first = qddot, self.rate(qddot)
        for _ in range(MOST_GUESSES):
            rate = self.rate(guess)
            if not rate > AT_REST * first:
                return None
            t = guess / rate
            Q, R, kept = self._basis([(H + H.T) @ t for H in self.H])
            if not len(kept):
                break
            lines = np.array([(self.H[k] + self.H[k].T) @ t for k in kept])
            new = qddot + self.spread(Q @ np.linalg.solve(R.T, 0.5 * lines @ guess - lines @ qddot))
            change, guess = self.rate(new - guess), new
            if not change > SETTLED * rate:
                break
        return guess / self.rate(guess)

    # --- second-order forms --------------------------------------------------------------------------------------

    def _basis(self, lines: list[Array]) -> tuple[Array, Array, list[int]]:
        """Q (f, k), R (k, k) of those second-order lines (nr,) that say something new, and which these are."""
        Q, R = np.zeros((len(self.L), len(lines))), np.zeros((len(lines), len(lines)))
        kept: list[int] = []
        for number, line in enumerate(lines):
            x = np.linalg.solve(self.L, self.rows.freedoms.gathered(line))
            for _ in range(2):
                x = x - self.V @ (self.V.T @ x)
                share = Q.T @ x
                x = x - Q @ share
                R[:, len(kept)] += share
            length = float(np.linalg.norm(x))
            if length > BENT * self.reference:
                Q[:, len(kept)], R[len(kept), len(kept)] = x / length, length
                kept.append(number)
            else:
                R[:, len(kept)] = 0.0
        return Q[:, : len(kept)], R[: len(kept), : len(kept)], kept

    def led(self, qdot: Array) -> bool:
        """Whether what is prescribed pulls at a weak equation: a driven loop at the end of its reach."""
        given = np.where(self.model.prescribed, qdot, 0.0)
        pull = self.weak.T @ ((self.rows.G @ given - self.rows.rate)[self.equations] / self.scale)
        return float(np.abs(pull).max(initial=0.0)) > LED * self.reference * self.rate(given)

    def bends(self, t: Array) -> int:
        """How many weak equations say something in a motion t (nr,)."""
        rate = self.rate(t)
        return len(self._basis([(H + H.T) @ (t / rate) for H in self.H])[2]) if rate > 0.0 else 0

    def free_motion(self, rng: np.random.Generator) -> Array:
        """A random velocity (nr,) that strong equations allow."""
        x = rng.standard_normal(len(self.L))
        return self.spread(x - self.V @ (self.V.T @ x))

    def rate(self, x: Array) -> float:
        """Largest velocity of any coordinate, in radians or parts of the mechanism's size."""
        return float(np.abs(x / self.model.once(coordinate_lengths)).max(initial=0.0))


def whitened(model: Model, rows: ConstraintRows, M: Array) -> tuple[Array, Array]:
    """L (f, f) of the mass matrix, and (f, m) equations in coordinates of unit inertia, their rows without units."""
    equations = ~rows.one_sided
    L = np.linalg.cholesky(rows.freedoms.reduced(M))
    G = rows.freedoms.columns(rows.G[equations] / scale_of(model, rows)[equations, None])
    return L, np.asarray(np.linalg.solve(L, G.T))


def near_rows(model: Model, rows: ConstraintRows, M: Array, q: Array, reference: float, G_at: RowsAt) -> NearRows:
    """The equations at q (nr,), as strong as `reference` elsewhere."""
    L, W = whitened(model, rows, M)
    V, s, Ut = np.linalg.svd(W, full_matrices=True)
    strong = int((s > WEAK * reference).sum())
    equations = np.flatnonzero(~rows.one_sided)
    scale = scale_of(model, rows)[equations]
    weak = Ut[strong:].T
    lengths = model.once(coordinate_lengths)
    H = np.zeros((weak.shape[1], len(q), len(q)))
    if weak.shape[1]:
        for k in range(len(q)):
            step = np.zeros_like(q)
            step[k] = STEP * lengths[k]
            slope = (G_at(q + step) - G_at(q - step))[equations] / (2.0 * step[k])
            H[:, k] = weak.T @ (slope / scale[:, None])
    return NearRows(
        model, rows, equations, scale, reference, L, Ut[:strong].T, s[:strong], V[:, :strong], weak, H, q, G_at
    )
