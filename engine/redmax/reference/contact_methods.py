# SPDX-License-Identifier: GPL-3.0-or-later
"""The classic methods for contact with friction, as quadratic programs on velocities or on impulses.

    M x = p + G^T lambda + C^T gamma + sum over contacts of R^T (alpha, beta)

with equations G x = g, one-sided rows C x >= c, and for each contact its speeds sigma = R x - b, normal and two
tangents. M, p and the rows may be those of maximal or of reduced coordinates; the methods are the same.

    contact QP               sigma_n >= 0, alpha >= 0; no friction
    single QP                (alpha, beta) in a pyramid of some sides, sigma in its dual: what slides also lifts
    staggered projections    contact QP and friction QP in turns, until the normal forces stay: nothing lifts

Signs are those that fit together: impulses push with +R^T alpha (errata of RBDN eqs. 1.84 and 2.123).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray
from ..solvers.quadratic import least_in_bounds, least_under_rows

NO_ROWS = np.zeros((0, 0))

MOST_CUTS = 60
"""Planes by which a circle is approached from outside; each takes a quarter of the error."""

CUT = 1e-13
"""A friction impulse is on its circle if it is outside by no more than this part of its radius."""

SLIDES, MOST_NEWTON = 1e-7, 12
"""What is faster than this part of the fastest skin slides; so many steps of Newton's method are tried on circles."""

BOX, CONE = "box", "cone"
"""What bounds friction in staggered projections: each tangent by itself, or both by the exact circle."""

Inverse = Callable[[Array], Array]
"""M^-1 x of one vector (k,)."""


@dataclass(frozen=True, eq=False)
class VelocityProblem:
    """Velocities at the end of a step. M: (k, k), p: (k,) M x without impulses. R: (m, 3, k), b: (m, 3), mu: (m,).
    G: (e, k), g: (e,) equations. C: (l, k), c: (l,) one-sided rows without friction."""

    M: Array
    p: Array
    R: Array
    b: Array
    mu: Array
    G: Array = field(default_factory=lambda: NO_ROWS)
    g: Array = field(default_factory=lambda: np.zeros(0))
    C: Array = field(default_factory=lambda: NO_ROWS)
    c: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        k = len(self.p)
        for name in ("G", "C"):
            object.__setattr__(self, name, getattr(self, name).reshape(-1, k))

    @cached_property
    def tangents(self) -> Array:
        """(2 m, k) tangent rows of all contacts, one contact after another."""
        return np.asarray(self.R[:, 1:].reshape(-1, len(self.p)))

    @cached_property
    def pushing(self) -> tuple[Array, Array]:
        """Rows (m + l, k) and right sides of all that pushes and never pulls: normals, then one-sided rows."""
        return np.concatenate([self.R[:, 0], self.C]), np.concatenate([self.b[:, 0], self.c])

    @cached_property
    def inverse(self) -> tuple[Array, Array]:
        """W (k, k) and x (k,): W f is what impulses f change while equations hold, x the velocities without contacts.

        Equations may depend on each other.
        """
        L = np.linalg.cholesky(self.M)
        rows = np.linalg.solve(L, self.G.T).T
        z = np.linalg.solve(L, self.p)
        back = np.linalg.inv(L)
        if not len(rows):
            return np.asarray(back.T @ back), np.asarray(back.T @ z)
        inverse = np.linalg.pinv(rows, rcond=1e-10)
        held = inverse @ rows
        free = (np.eye(len(z)) - held) @ back
        return np.asarray(free.T @ free), np.asarray(back.T @ (z - held @ z + inverse @ self.g))

    def without_friction(self, friction: Array) -> VelocityProblem:
        """The same problem where friction impulses (m, 2) are given forces."""
        p = self.p + self.tangents.T @ friction.ravel()
        return VelocityProblem(self.M, p, self.R, self.b, np.zeros(len(self.mu)), self.G, self.g, self.C, self.c)


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """x: (k,). normal: (m,), friction: (m, 2), one_sided: (l,), equations: (e,) impulses. rounds: of staggered
    projections; converged: whether they have ended by themselves."""

    x: Array
    normal: Array
    friction: Array
    one_sided: Array
    equations: Array
    rounds: int = 1
    converged: bool = True


# --- without friction --------------------------------------------------------------------------------------------


def contact_qp(problem: VelocityProblem, pushes: Array | None = None) -> ContactSolution:
    """min 1/2 x^T M x - p^T x with the rows. pushes: (m + l,) impulses to begin with.

    Source: RBDN eqs. 1.71 and 1.79-1.80; RBDN eq. 2.101 in reduced coordinates, there for accelerations.
    """
    rows, at_least = problem.pushing
    found = least_under_rows(problem.M, problem.p, problem.G, problem.g, rows, at_least, pushing=pushes)
    m = len(problem.mu)
    return ContactSolution(found.x, found.pushes[:m], np.zeros((m, 2)), found.pushes[m:], found.equations)


def contact_qp_dual(problem: VelocityProblem, inverse: Inverse | None = None) -> ContactSolution:
    """The same by its multipliers: min 1/2 l^T A M^-1 A^T l + l^T (A x* - b), those of one-sided rows >= 0.

    inverse: products with M^-1 in O(n), one for every row; else M is factored.
    Source: RBDN eqs. 1.83-1.84, 2.121-2.123 (errata: signs of the multipliers).
    """
    rows, at_least = problem.pushing
    A = np.concatenate([rows, problem.G])
    solve = inverse or (lambda f: np.linalg.solve(problem.M, f))
    moved = np.array([solve(row) for row in A]).reshape(A.shape)
    free = solve(problem.p)
    lower = np.where(np.arange(len(A)) < len(rows), 0.0, -np.inf)
    wanted = A @ free - np.concatenate([at_least, problem.g])
    found = least_in_bounds(A @ moved.T, wanted, lower, np.full(len(A), np.inf))
    m, n = len(problem.mu), len(rows)
    return ContactSolution(free + moved.T @ found, found[:m], np.zeros((m, 2)), found[m:n], found[n:])


# --- the single QP -----------------------------------------------------------------------------------------------


def single_qp(problem: VelocityProblem, sides: int) -> ContactSolution:
    """Friction in a pyramid of `sides` edges: min 1/2 x^T M x - p^T x, sigma_n + mu d . sigma_t >= 0 for each edge d.

    The dual of RBDN eq. 1.88: edges are what generates the pyramid, and their multipliers add up to alpha and beta.
    Source: RBDN eqs. 1.83-1.88 (Anitescu and Hart).
    """
    edges = [_regular(sides) if mu > 0.0 else np.zeros((1, 2)) for mu in problem.mu]
    of = np.repeat(np.arange(len(edges)), [len(each) for each in edges])
    d = problem.mu[of, None] * np.concatenate([np.zeros((0, 2)), *edges])
    rows = problem.R[of, 0] + np.einsum("sj,sjk->sk", d, problem.R[of, 1:])
    at_least = problem.b[of, 0] + (d * problem.b[of, 1:]).sum(axis=1)
    rows, at_least = np.concatenate([rows, problem.C]), np.concatenate([at_least, problem.c])
    found = least_under_rows(problem.M, problem.p, problem.G, problem.g, rows, at_least)
    along, m = found.pushes[: len(of)], len(problem.mu)
    normal, friction = np.zeros(m), np.zeros((m, 2))
    np.add.at(normal, of, along)
    np.add.at(friction, of, along[:, None] * d)
    return ContactSolution(found.x, normal, friction, found.pushes[len(of) :], found.equations)


def _regular(sides: int) -> Array:
    """(sides, 2) edges of a regular pyramid, seen along its axis."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def single_qp_dual(problem: VelocityProblem, sides: int) -> ContactSolution:
    """RBDN eq. 1.88 as it stands: lambda = (alpha, beta) >= 0, one beta for each side, and E lambda >= 0 (eq. 1.86)."""
    m, edges = len(problem.mu), _regular(sides)
    T = np.einsum("sj,mjk->msk", edges, problem.R[:, 1:]).reshape(m * sides, -1)
    b = (problem.b[:, None, 1:] * edges[None]).sum(axis=2).ravel()
    rows, at_least = problem.pushing
    A, wanted = np.concatenate([rows, T, problem.G]), np.concatenate([at_least, b, problem.g])
    n, e = len(rows), len(problem.g)
    E = np.zeros((m, len(A)))
    E[np.arange(m), np.arange(m)] = problem.mu
    for i in range(m):
        E[i, n + i * sides : n + (i + 1) * sides] = -1.0
    moved, free = np.linalg.solve(problem.M, A.T), np.linalg.solve(problem.M, problem.p)
    lower = np.where(np.arange(len(A)) < len(A) - e, 0.0, -np.inf)
    upper = np.full(len(A), np.inf)
    upper[n : n + m * sides] = np.where(np.repeat(problem.mu, sides) > 0.0, np.inf, 0.0)
    found = least_in_bounds(A @ moved, A @ free - wanted, lower, upper, rows=-E, most=np.zeros(m))
    beta = found[n : n + m * sides].reshape(m, sides) @ edges
    return ContactSolution(free + moved @ found, found[:m], beta, found[m:n], found[len(A) - e :])


# --- staggered projections ---------------------------------------------------------------------------------------


def staggered_projections(
    problem: VelocityProblem,
    *,
    bounds: str = CONE,
    start: Array | None = None,
    most_rounds: int = 100,
    convergence: float = 1e-3,
) -> ContactSolution:
    """Contact QP with given friction, then friction QP with given normal forces, and again.

    bounds: BOX, |beta_j| <= mu alpha for each tangent, as in the source, or CONE, |beta| <= mu alpha.
    start: (m, 2) friction impulses to begin with, those of the step before. Ends where the normal impulses change by
    less than `convergence` of theirs, both squared in the metric of M^-1, or after most_rounds.
    Source: RBDN Alg. 7, eqs. 2.109-2.110 (Kaufman et al.).
    """
    W, _ = problem.inverse
    T, m = problem.tangents, len(problem.mu)
    friction = np.zeros((m, 2)) if start is None else start
    normals, _ = problem.pushing
    D = T @ W @ T.T
    force, pushes, converged = np.zeros(len(problem.p)), None, False
    for rounds in range(1, max(1, most_rounds) + 1):
        found = contact_qp(problem.without_friction(friction), pushes)
        pushes = np.concatenate([found.normal, found.one_sided])
        before, force = force, normals.T @ pushes
        converged = _square(problem.M, force - before) <= convergence * _square(problem.M, force)
        if converged or rounds == most_rounds:
            break
        slip = T @ (found.x - W @ (T.T @ friction.ravel())) - problem.b[:, 1:].ravel()
        friction = (_in_boxes if bounds == BOX else _in_discs)(D, slip, problem.mu * found.normal)
    return ContactSolution(found.x, found.normal, friction, found.one_sided, found.equations, rounds, converged)


def _square(M: Array, f: Array) -> float:
    """f^T M^-1 f."""
    return float(f @ np.linalg.solve(M, f))


def _in_boxes(D: Array, slip: Array, radius: Array) -> Array:
    """The friction QP, (m, 2): each tangent is bounded by itself. slip: (2 m,) without friction."""
    most = np.repeat(radius, 2)
    return least_in_bounds(D, slip, -most, most).reshape(-1, 2)


def _in_discs(D: Array, slip: Array, radius: Array) -> Array:
    """The friction QP with exact circles. Planes approach them from outside until it is known which impulses are on
    theirs; these are then found by Newton's method."""
    most = np.repeat(radius, 2)
    rows, bound = np.zeros((0, len(most))), np.zeros(0)
    for _ in range(MOST_CUTS):
        found = least_in_bounds(D, slip, -most, most, rows=rows, most=bound).reshape(-1, 2)
        length = np.linalg.norm(found, axis=1)
        outside = np.flatnonzero(length > (1.0 + CUT) * radius)
        if not len(outside):
            break
        speed = np.linalg.norm((D @ found.ravel() + slip).reshape(-1, 2), axis=1)
        exact = _on_circles(D, slip, radius, found, speed > SLIDES * np.abs(slip).max())
        if exact is not None:
            return exact
        more = np.zeros((len(outside), len(radius), 2))
        more[np.arange(len(outside)), outside] = found[outside] / length[outside, None]
        rows = np.concatenate([rows, more.reshape(len(outside), -1)])
        bound = np.concatenate([bound, radius[outside]])
    return np.asarray(found * np.where(length > radius, radius / np.where(length > 0.0, length, 1.0), 1.0)[:, None])


def _on_circles(D: Array, slip: Array, radius: Array, start: Array, slides: BoolArray) -> Array | None:
    """Friction impulses (m, 2) if those of `slides` (m,) are on their circles, and skins of the others do not slide.

    With beta = radius u: D beta + slip = -speed u where it slides, |u| = 1, and 0 elsewhere. None where a speed is
    negative or a circle is left.
    """
    acts = np.flatnonzero(radius > 0.0)
    r, n = radius[acts], len(acts)
    on, wide = np.flatnonzero(slides[acts]), np.repeat(radius[acts], 2)
    chosen = (2 * acts[:, None] + np.arange(2)).ravel()
    moved, given = D[np.ix_(chosen, chosen)] * wide, slip[chosen]
    u = start[acts] / r[:, None]
    u[on] /= np.maximum(np.linalg.norm(u[on], axis=1), 1e-9)[:, None]
    speed = np.zeros(n)
    speed[on] = np.linalg.norm((moved @ u.ravel() + given).reshape(-1, 2), axis=1)[on]
    size = float(np.abs(given).max(initial=0.0) + np.abs(moved).max(initial=0.0))
    for _ in range(MOST_NEWTON):
        along = np.zeros((n, 2, len(on)))
        along[on, :, np.arange(len(on))] = u[on]
        along = along.reshape(2 * n, len(on))
        matrix = np.block([[moved + np.diag(np.repeat(speed, 2)), along * size], [along.T, np.zeros((len(on),) * 2)]])
        left = moved @ u.ravel() + given + np.repeat(speed, 2) * u.ravel()
        length = np.linalg.norm(u, axis=1)
        passed = 0.5 * (length[on] ** 2 - 1.0)
        if np.abs(left).max(initial=0.0) <= CUT * size and np.abs(passed).max(initial=0.0) <= CUT:
            found = np.zeros_like(start)
            found[acts] = r[:, None] * u
            return found if (speed >= 0.0).all() and (length <= 1.0 + 10.0 * CUT).all() else None
        step = np.linalg.lstsq(matrix, -np.concatenate([left, passed]), rcond=1e-13)[0]
        u = u + step[: 2 * n].reshape(-1, 2)
        speed[on] += size * step[2 * n :]
    return None
