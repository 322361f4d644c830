# SPDX-License-Identifier: GPL-3.0-or-later
"""Least changes under rows of any rank, and multipliers of one-sided rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.solvers.box_oracle import by_enumeration
from redmax.solvers.row_solver import BoundedRows, RowSolver

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


def one_sided_multipliers(M, G, b, one_sided):
    """Multipliers of equations and one-sided rows, as dynamics ask for them."""
    lo, hi = np.where(one_sided, 0.0, -np.inf), np.full(len(b), np.inf)
    return BoundedRows(M, G, ~one_sided).multipliers(b, lo, hi)


@few
@systems
def test_one_sided_rows_push_and_never_pull(seed, k, m):
    """The conditions that define the answer: equations hold; others have w >= 0, lambda >= 0 and w lambda = 0."""
    rng, M, G = system(seed, k + 4, min(m, k + 4))
    m = len(G)
    one_sided = rng.random(m) < 0.7
    b = rng.standard_normal(m)
    x = one_sided_multipliers(M, G, b, one_sided)
    w = G @ np.linalg.solve(M, G.T @ x) - b
    A = G @ np.linalg.solve(M, G.T)
    small = 1e-10 * np.linalg.cond(A)
    assert np.abs(w[~one_sided]).max(initial=0.0) < small
    assert x[one_sided].min(initial=0.0) >= 0.0
    assert w[one_sided].min(initial=0.0) > -small
    assert np.abs(x * w).max() < small * (1.0 + np.abs(x).max())


def test_dependent_rows_whose_right_sides_disagree():
    """More rows than coordinates, right sides that some motion satisfies with room in half of the one-sided rows: the
    motion is that of the right active set, found by trying all of them."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 5))
        m = int(rng.integers(k + 1, 8))
        _, M, G = system(seed, k, m, rank=int(rng.integers(1, k + 1)))
        one_sided = rng.random(m) < 0.8
        room = np.where(one_sided & (rng.random(m) < 0.5), rng.exponential(size=m), 0.0)
        b = G @ rng.standard_normal(k) - room
        x = one_sided_multipliers(M, G, b, one_sided)
        A = G @ np.linalg.solve(M, G.T)
        right = by_enumeration(A, b, np.where(one_sided, 0.0, -np.inf), np.full(m, np.inf))
        np.testing.assert_allclose(A @ x, A @ right, atol=1e-9 * (1.0 + np.abs(b).max()) * np.sqrt(np.diag(A).max()))
        assert x[one_sided].min(initial=0.0) >= 0.0


def test_a_box_on_four_corners_with_unequal_gaps():
    """Rows of the corners on height and tilts (3 coordinates); each corner is to come up by what it is too low."""
    G = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0]])
    M = np.diag([4.0, 1.0, 2.0])
    for seed in range(200):
        b = np.random.default_rng(seed).uniform(-0.5, 1.5, 4)
        x = one_sided_multipliers(M, G, b, np.ones(4, np.bool_))
        A = G @ np.linalg.solve(M, G.T)
        assert (A @ x - b).min() > -1e-12
        assert x.min() >= 0.0
        assert np.abs(x * (A @ x - b)).max() < 1e-12


def test_one_sided_rows_beside_redundant_equations():
    """A slider that a doubled equation holds at speed 1, and a stop that wants at least 3, or -3: equations hold, and
    share what they carry. A stop of another slider is not touched by that."""
    M, G = np.diag([2.0, 1.0]), np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for wish in (3.0, -3.0):
        x = one_sided_multipliers(M, G, np.array([1.0, 1.0, wish, 5.0]), np.array([False, False, True, True]))
        np.testing.assert_allclose(x, [1.0, 1.0, 0.0, 5.0], atol=1e-14)


def test_two_stops_that_say_the_same_share_the_push():
    """Redundant one-sided rows: neither is dropped for the other's sake, and together they do what one would."""
    M, G = np.eye(2), np.array([[1.0, 0.0], [1.0, 0.0]])
    x = one_sided_multipliers(M, G, np.array([1.0, 1.0]), np.array([True, True]))
    np.testing.assert_allclose(x, 0.5, atol=1e-14)
    table = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0]])
    x = one_sided_multipliers(np.eye(3), table, np.ones(4), np.ones(4, np.bool_))
    np.testing.assert_allclose(x, 0.25, atol=1e-14)


def test_a_motor_gives_no_more_than_it_has():
    """A boxed row: the speed it wants as long as its torque suffices."""
    rows = BoundedRows(np.eye(1), np.ones((1, 1)), np.zeros(1, np.bool_))
    for wanted in (0.5, -0.5, 3.0, -3.0):
        x = rows.multipliers(np.array([wanted]), np.array([-1.0]), np.array([1.0]))
        assert x[0] == np.clip(wanted, -1.0, 1.0)


def test_impacts_with_equations_held():
    """Two sliders geared 1 : -1 by a doubled equation: one hits its stop and comes back with half its speed."""
    M, G = np.diag([1.0, 3.0]), np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    rows, v = BoundedRows(M, G, np.array([True, True, False, False])), np.array([-1.0, 1.0])
    none, tiny = np.zeros(4), np.full(4, 1e-12)
    e, near = np.array([0.0, 0.0, 0.5, 0.0]), np.array([False, False, True, False])
    jump = rows.impacts(G @ v, near, e, slow=none, tiny=tiny)
    np.testing.assert_allclose(v + rows.solver.change(jump.impulses), [0.5, -0.5], atol=1e-14)
    np.testing.assert_allclose(jump.speeds, [0.0, 0.0, 0.5, -0.5], atol=1e-14)
    assert jump.impulses[3] == 0.0
    assert not jump.blocked.any()
