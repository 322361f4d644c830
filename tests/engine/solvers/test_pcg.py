# SPDX-License-Identifier: GPL-3.0-or-later
"""Preconditioned conjugate gradients on matrices with known solutions."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.solvers.pcg import PcgError, pcg


def spd(rng, n, condition):
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return Q @ np.diag(np.geomspace(1.0, condition, n)) @ Q.T


def itself(r):
    return r


@pytest.mark.parametrize("n", [1, 5, 40])
def test_it_solves_what_the_dense_solver_solves(n):
    rng = np.random.default_rng(n)
    A, b = spd(rng, n, 1e3), rng.standard_normal(n)
    result = pcg(lambda x: A @ x, b, preconditioner=itself)
    # Residual 1e-12, amplified by the condition number 1e3.
    np.testing.assert_allclose(result.x, np.linalg.solve(A, b), atol=1e-8)
    assert np.linalg.norm(A @ result.x - b) <= 1e-12 * np.linalg.norm(b)
    assert result.residual <= 1e-12


def test_the_exact_inverse_as_preconditioner_needs_one_iteration():
    rng = np.random.default_rng(2)
    A, b = spd(rng, 20, 1e4), rng.standard_normal(20)
    # 1e-10: the dense inverse itself is good to 1e4 roundings.
    assert pcg(lambda x: A @ x, b, preconditioner=np.linalg.inv(A).__matmul__, tolerance=1e-10).iterations == 1


def test_a_low_rank_change_needs_one_iteration_per_rank():
    """A = P + rank 3, preconditioned by P^-1: four distinct eigenvalues, so four iterations."""
    rng = np.random.default_rng(3)
    P, U = spd(rng, 30, 1e2), rng.standard_normal((30, 3))
    A, b = P + U @ U.T, rng.standard_normal(30)
    assert pcg(lambda x: A @ x, b, preconditioner=np.linalg.inv(P).__matmul__, tolerance=1e-10).iterations == 4


def test_b_zero_gives_zero_without_iterations():
    result = pcg(itself, np.zeros(4), preconditioner=itself)
    assert (result.x == 0.0).all()
    assert result.iterations == 0


def test_an_empty_system_has_an_empty_solution():
    assert pcg(itself, np.zeros(0), preconditioner=itself).x.shape == (0,)


def test_it_starts_from_x0_and_leaves_it_alone():
    rng = np.random.default_rng(4)
    A, x0 = spd(rng, 10, 10.0), rng.standard_normal(10)
    kept = x0.copy()
    result = pcg(lambda x: A @ x, A @ x0, preconditioner=itself, x0=x0)
    assert result.iterations == 0
    np.testing.assert_array_equal(x0, kept)


def test_too_few_iterations_are_an_error_that_says_how_far_it_got():
    rng = np.random.default_rng(5)
    A, b = spd(rng, 40, 1e6), rng.standard_normal(40)
    with pytest.raises(PcgError, match=r"residual .* after 3 iterations"):
        pcg(lambda x: A @ x, b, preconditioner=itself, max_iterations=3)


@pytest.mark.parametrize(("A", "P", "which"), [(-1.0, 1.0, "matrix"), (1.0, -1.0, "preconditioner")])
def test_an_indefinite_system_is_an_error_that_says_which(A, P, which):
    with pytest.raises(PcgError, match=f"the {which} is not positive definite"):
        pcg(lambda x: A * x, np.ones(3), preconditioner=lambda r: P * r)


def test_a_product_that_is_not_finite_is_an_error():
    with pytest.raises(PcgError):
        pcg(lambda x: np.full(3, np.nan), np.ones(3), preconditioner=itself)
