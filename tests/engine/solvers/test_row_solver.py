# SPDX-License-Identifier: GPL-3.0-or-later
"""Least changes under rows of any rank, and multipliers of one-sided rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.solvers.row_solver import RowSolver, one_sided_multipliers

few = settings(max_examples=60, deadline=None, derandomize=True)
systems = given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 8), m=st.integers(1, 12))


def system(seed, k, m, *, rank=None):
    """M (k, k) well-conditioned and G (m, k) of the rank, at most k and m."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((k, k))
    M = B @ B.T + np.eye(k)
    r = min(k, m) if rank is None else min(k, m, rank)
    G = rng.standard_normal((m, r)) @ np.linalg.qr(rng.standard_normal((k, k)))[0][:r]
    return rng, M, G


@few
@systems
def test_the_change_satisfies_the_rows_and_the_equations(seed, k, m):
    """b in the range of G is reached exactly, also by redundant rows; the change is M^-1 G^T lambda."""
    rng, M, G = system(seed, k, m, rank=3)
    b = G @ rng.standard_normal(k)
    solver = RowSolver(M, G)
    assert solver.rank == np.linalg.matrix_rank(G)
    x = solver.change(solver.multipliers(b))
    scale = np.linalg.cond(M) * np.linalg.cond(G[:, :1]) * (1.0 + np.abs(b).max())
    np.testing.assert_allclose(G @ x, b, atol=1e-9 * scale)
    np.testing.assert_allclose(solver.least_change(b), x, atol=1e-8 * scale)
    np.testing.assert_allclose(solver.damped_change(b, 0.0), x, atol=1e-8 * scale)
    np.testing.assert_allclose(M @ x, G.T @ solver.multipliers(b), atol=1e-8 * scale)


def test_it_is_the_kkt_solution():
    """Against the bordered matrix, for independent rows."""
    rng, M, G = system(3, 6, 4)
    b = rng.standard_normal(4)
    kkt = np.block([[M, -G.T], [G, np.zeros((4, 4))]])
    solution = np.linalg.solve(kkt, np.concatenate([np.zeros(6), b]))
    solver = RowSolver(M, G)
    np.testing.assert_allclose(solver.change(solver.multipliers(b)), solution[:6], atol=1e-12)
    np.testing.assert_allclose(solver.multipliers(b), solution[6:], atol=1e-12)


def test_rows_that_move_nothing_are_left_out():
    """Loops in a plane have rows across it that are zero but for rounding."""
    _, M, G = system(4, 5, 3)
    noisy = np.concatenate([G, 1e-16 * np.ones((2, 5)), np.zeros((1, 5))])
    solver = RowSolver(M, noisy)
    assert solver.rank == 3
    x = solver.change(solver.multipliers(np.ones(6)))
    np.testing.assert_allclose(G @ x, 1.0, atol=1e-12)
    assert np.abs(x).max() < 10.0


def test_the_rank_can_be_bounded_from_outside_where_it_is_not_clear():
    _, M, G = system(5, 5, 3)
    nearly = np.concatenate([G[:2], G[:1] + 1e-5 * G[2:]])
    assert RowSolver(M, nearly).rank == 3
    assert RowSolver(M, nearly, 2).rank == 2
    assert RowSolver(M, G, 2).rank == 3
    assert RowSolver(M, G, 9).rank == 3


def test_a_matrix_that_is_no_mass_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        RowSolver(-np.eye(2), np.ones((1, 2)))


@few
@systems
def test_one_sided_rows_push_and_never_pull(seed, k, m):
    """The conditions that define the answer: equations hold; others have w >= 0, lambda >= 0 and w lambda = 0."""
    rng, M, G = system(seed, k + 4, min(m, k + 4))
    m = len(G)
    one_sided = rng.random(m) < 0.7
    b = rng.standard_normal(m)
    x = one_sided_multipliers(RowSolver(M, G), b, one_sided)
    w = G @ np.linalg.solve(M, G.T @ x) - b
    A = G @ np.linalg.solve(M, G.T)
    small = 1e-10 * np.linalg.cond(A)
    assert np.abs(w[~one_sided]).max(initial=0.0) < small
    assert x[one_sided].min(initial=0.0) >= 0.0
    assert w[one_sided].min(initial=0.0) > -small
    assert np.abs(x * w).max() < small * (1.0 + np.abs(x).max())


def test_two_stops_that_say_the_same_share_the_push():
    """Redundant one-sided rows: neither is dropped for the other's sake, and together they do what one would."""
    M, G = np.eye(2), np.array([[1.0, 0.0], [1.0, 0.0]])
    x = one_sided_multipliers(RowSolver(M, G), np.array([1.0, 1.0]), np.array([True, True]))
    np.testing.assert_allclose(x, 0.5, atol=1e-14)
