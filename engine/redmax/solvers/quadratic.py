# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex quadratic programs by the optional wheel daqp, each checked by its optimality conditions.

Two forms: `least_under_rows` minimises over velocities, whose matrix is positive definite, under equations and
one-sided rows; `least_in_bounds` over multipliers, whose matrix (G M^-1 G^T) has any rank, between bounds. Both return
numbers that satisfy the conditions to `TOLERANCE`, or raise. Source: RBDN eqs. 2.121-2.123 are of the second form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import MissingWheelError, RunError

WHEEL = "daqp"

TOLERANCE = 1e-9
"""What optimality conditions may be off by, relative to the numbers that they are sums of."""

FEASIBILITY = 1e-11
"""By so much may daqp pass rows, which are of unit length in the metric of the objective."""

EXACT = 1e-14
"""Nobody can do better than that."""

PROXIMITIES = (1e-8, 1e-5, 1e-3)
"""Added to the diagonal of the scaled matrix of multipliers, and taken off again by the method of multipliers; larger
ones where rows are so nearly alike that daqp cycles."""

MOST_PROXIMAL = 50
"""Repetitions of that: one or two are usual."""

DEPENDENT = 1e-10
"""A direction of equations weaker than this, relative to the strongest, depends on the others."""

EQUATION = 5
"""How daqp calls equations."""


class QuadraticError(RunError):
    """A quadratic program without a solution, or one that was not found."""

    code = "no_solution"


class LeastVelocity(NamedTuple):
    """x (k,), and the multipliers of equations (e,) and of one-sided rows (m,), which push with G^T and C^T."""

    x: Array
    equations: Array
    pushes: Array


def is_here() -> bool:
    """Whether the wheel can be imported."""
    try:
        _daqp("")
    except MissingWheelError:
        return False
    return True


def require(feature: str) -> None:
    """Raises MissingWheelError, naming the feature, where the wheel is missing."""
    _daqp(feature)


def _daqp(feature: str) -> Any:
    try:
        import daqp  # noqa: PLC0415  (an optional wheel, only needed here)
    except ImportError:
        raise MissingWheelError(feature, WHEEL) from None
    return daqp


def least_under_rows(
    H: Array, f: Array, G: Array, g: Array, C: Array, c: Array, *, pushing: Array | None = None
) -> LeastVelocity:
    """min 1/2 x^T H x - f^T x with G x = g and C x >= c: H x = f + G^T lambda + C^T alpha, alpha >= 0.

    H: (k, k) positive definite; G (e, k) may hold rows that depend on each other. Of multipliers that are not unique
    those of equations are the shortest. pushing: (m,) which one-sided rows push, as far as that is known before.
    Solved in z = L^T x, H = L L^T, in which the objective is 1/2 |z - p|^2, with rows of length 1.
    """
    daqp = _daqp("a quadratic program")
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        raise QuadraticError("the matrix of a quadratic program is not positive definite") from None
    p = np.linalg.solve(L, f)
    (G_z, g_z, size), (C_z, c_z, length) = _unit_rows(L, G, g), _unit_rows(L, C, c)
    scale = float(np.linalg.norm(p) + np.abs(g_z).max(initial=0.0) + np.abs(c_z).max(initial=0.0)) or 1.0
    start, free = _solutions(G_z, g_z)
    rows = C_z @ free
    reach = np.linalg.norm(rows, axis=1)
    kept = reach > DEPENDENT
    left = c_z - C_z @ start
    if (left[~kept] > TOLERANCE * scale).any():
        raise QuadraticError("one-sided rows ask for what equations forbid")
    y, pushes = free.T @ p, np.zeros(len(c))
    if kept.any():
        lower = left[kept] / reach[kept] / scale
        unit, above = rows[kept] / reach[kept, None], np.full(len(lower), np.inf)
        warm = np.zeros(len(lower), np.int32) if pushing is None else (pushing[kept] > 0.0).astype(np.int32)
        for sense in (warm, np.zeros_like(warm)):  # rows that depend on each other are no start, and daqp is lost
            z, _, flag, info = daqp.solve(
                np.eye(len(y)), -y / scale, unit, above, lower, sense, primal_tol=FEASIBILITY, eps_prox=0.0
            )
            if flag > 0 and np.isfinite(z).all():
                break
        else:
            raise QuadraticError("one-sided rows contradict each other" if flag == -1 else f"daqp ended with {flag}")
        y = z
        y, pushes[kept] = scale * y, scale * np.maximum(-np.asarray(info["lam"]), 0.0) / reach[kept]
    z = start + free @ y
    equations = np.linalg.lstsq(G_z.T, z - p - C_z.T @ pushes, rcond=DEPENDENT)[0] if len(g) else np.zeros(0)
    off = (
        np.abs(z - p - G_z.T @ equations - C_z.T @ pushes).max(initial=0.0) / (scale + pushes.sum()),
        np.abs(G_z @ z - g_z).max(initial=0.0) / scale,
        (c_z - C_z @ z).max(initial=0.0) / scale,
        np.abs(pushes * (C_z @ z - c_z)).max(initial=0.0) / scale**2,
    )
    if not max(off) <= TOLERANCE:
        raise QuadraticError(f"a quadratic program is off by {max(off):.1e} where daqp ends")
    return LeastVelocity(np.linalg.solve(L.T, z), equations / size, pushes / length)


def _unit_rows(L: Array, rows: Array, values: Array) -> tuple[Array, Array, Array]:
    """Rows on z = L^T x, divided by their lengths, and right sides and lengths (m,); rows of zeros keep theirs."""
    if not len(rows):
        return np.zeros((0, len(L))), np.zeros(0), np.zeros(0)
    z = np.linalg.solve(L, rows.T).T
    length = np.linalg.norm(z, axis=1)
    length[length <= DEPENDENT**2 * length.max()] = 1.0
    return z / length[:, None], values / length, length


def _solutions(G: Array, g: Array) -> tuple[Array, Array]:
    """A solution of G x = g, the shortest, and an orthonormal basis (k, d) of the directions that leave it one."""
    if not len(G):
        return np.zeros(G.shape[1]), np.eye(G.shape[1])
    U, sizes, V = np.linalg.svd(G)
    rank = int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())
    return V[:rank].T @ ((U[:, :rank].T @ g) / sizes[:rank]), np.asarray(V[rank:].T)


def least_in_bounds(
    D: Array, f: Array, lower: Array, upper: Array, *, rows: Array | None = None, most: Array | None = None
) -> Array:
    """min 1/2 x^T D x + f^T x with lower <= x <= upper, and rows x <= most; D (m, m) positive semidefinite.

    Of solutions that are not unique one near the shortest. Each repetition adds proximity / 2 |x - x_before|^2, in
    units of the diagonal, so that daqp has a definite matrix and what is found is exact.
    """
    daqp = _daqp("a quadratic program")
    m = len(f)
    diagonal = np.diag(D)
    acts = (diagonal > DEPENDENT**2 * diagonal.max(initial=0.0)) & (upper > lower)
    fixed = np.clip(0.0, lower, upper)
    fixed = np.where(acts, 0.0, fixed)
    chosen = np.flatnonzero(acts)
    if not len(chosen):
        return fixed
    scale = 1.0 / np.sqrt(diagonal[chosen])
    D_s = scale[:, None] * D[np.ix_(chosen, chosen)] * scale
    f_s = scale * (f + D @ fixed)[chosen]
    A, bound = np.zeros((0, len(chosen))), np.zeros(0)
    if rows is not None and most is not None and len(rows):
        A, bound = rows[:, chosen] * scale, most - rows @ fixed
        size = np.linalg.norm(A, axis=1)
        A, bound = A[size > 0.0] / size[size > 0.0, None], bound[size > 0.0] / size[size > 0.0]
    lo, hi = lower[chosen] / scale, upper[chosen] / scale
    unit = float(np.abs(f_s).max()) or 1.0  # else nothing pushes, and bounds of impulses are numbers of any size
    low, high = np.concatenate([lo, np.full(len(bound), -np.inf)]), np.concatenate([hi, bound])
    least, best, flag = np.inf, np.zeros(len(chosen)), 0
    for proximity in PROXIMITIES:
        definite, y, sense = D_s + proximity * np.eye(len(chosen)), best, np.zeros(len(low), np.int32)
        for _ in range(MOST_PROXIMAL):
            y, _, flag, info = daqp.solve(
                definite, f_s / unit - proximity * y, A, high / unit, low / unit, sense,
                primal_tol=FEASIBILITY, eps_prox=0.0,
            )  # fmt: skip
            if flag < 0 or not np.isfinite(y).all():
                break
            multipliers = np.asarray(info["lam"])
            bounds = multipliers[: len(chosen)] + A.T @ multipliers[len(chosen) :]
            off = float(np.abs(D_s @ y + f_s / unit + bounds).max()) / (1.0 + float(np.abs(D_s * y).max()))
            ends = off <= EXACT or off >= least
            if off < least:
                least, best = off, y
            if ends:
                break
        if least <= TOLERANCE:
            break
    else:
        why = "bounds contradict each other" if flag == -1 else f"a quadratic program is off by {least:.1e}"
        raise QuadraticError(f"{why} where daqp ends with {flag}")
    found = fixed.copy()
    found[chosen] = np.clip(unit * best * scale, lower[chosen], upper[chosen])
    assert found.shape == (m,)
    return found
