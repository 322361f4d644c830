# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse factors: solutions, products and columns as of dense matrices; chains cost as much as they are long."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.solvers.lanczos import largest_eigenvalue
from redmax.solvers.sparse_factors import add_product, add_products, factorise, pattern_of, solve

CLIQUES = ([0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7], [0, 8, 9], [8, 9, 7], [10])


def random_matrix(cliques, size, rng, shift=0.1):
    """A positive definite matrix with the pattern of the cliques, its pattern, and its values."""
    A = shift * np.eye(size)
    for clique in cliques:
        B = rng.normal(size=(len(clique), len(clique)))
        A[np.ix_(clique, clique)] += B @ B.T
    pattern = pattern_of(cliques, size)
    row = np.repeat(np.arange(size), np.diff(pattern.starts))
    return A, pattern, A[pattern.order[row], pattern.order[pattern.columns]]


def factors(p, values):
    L, diagonal = np.zeros(len(p.rows)), np.zeros(p.size)
    work = np.zeros(p.size, np.int64), np.zeros(p.size)
    found = factorise(p.starts, p.columns, p.below, p.rows, p.before, p.across, values, L, diagonal, *work)
    return found, L, diagonal


@pytest.mark.parametrize("seed", range(5))
def test_solutions_and_products_are_those_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    A, p, values = random_matrix(CLIQUES, 11, rng)
    B, _, other = random_matrix(CLIQUES, 11, rng)
    np.testing.assert_array_equal(p.dense(values), A)
    found, L, diagonal = factors(p, values)
    b, c = rng.normal(size=(2, 11))
    x = b[p.order].copy()
    solve(p.below, p.rows, L, diagonal, x)
    assert found
    np.testing.assert_allclose(A @ x[np.argsort(p.order)], b, atol=1e-12)
    y, z = np.zeros(11), np.zeros(11)
    add_product(p.starts, p.columns, values, b[p.order], y)
    add_products(p.starts, p.columns, values, b[p.order], other, c[p.order], z)
    np.testing.assert_allclose(y, (A @ b)[p.order], atol=1e-12)
    np.testing.assert_allclose(z, (A @ b + B @ c)[p.order], atol=1e-12)


def test_one_product_shows_all_entries_of_a_group_of_columns():
    A, p, values = random_matrix(CLIQUES, 11, np.random.default_rng(1))
    seen = np.full(len(values), np.nan)
    for group in range(len(p.group_starts) - 1):
        x = np.zeros(11)
        x[p.members[p.group_starts[group] : p.group_starts[group + 1]]] = 1.0
        listed = slice(p.entry_starts[group], p.entry_starts[group + 1])
        seen[p.entries[listed]] = (A @ x)[p.entry_rows[listed]]
    np.testing.assert_allclose(seen, values, atol=1e-14)


@pytest.mark.parametrize("links", [10, 40])
def test_factors_of_a_chain_grow_with_its_length(links):
    """Blocks of three that meet their neighbours: twelve numbers below each block on average, and nine groups."""
    p = pattern_of([list(range(3 * k, 3 * k + 6)) for k in range(links - 1)], 3 * links)
    assert len(p.rows) == 12 * links - 9
    assert len(p.group_starts) == 10


def test_a_singular_matrix_is_refused_and_an_indefinite_one_is_not():
    p = pattern_of([[0, 1]], 2)
    assert not factors(p, np.array([1.0, 2.0, 4.0]))[0]
    found, L, diagonal = factors(p, np.array([1.0, 2.0, 1.0]))
    x = np.array([3.0, 3.0])
    solve(p.below, p.rows, L, diagonal, x)
    assert found
    np.testing.assert_allclose(x, [1.0, 1.0])


def test_the_largest_eigenvalue_of_a_chain_is_known_to_a_percent():
    n = 300
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    mass = np.random.default_rng(0).uniform(0.5, 2.0, n)
    exact = np.linalg.eigvalsh(K / np.sqrt(np.outer(mass, mass)))[-1]
    found = largest_eigenvalue(lambda x: K @ x, lambda x: x / mass, n)
    assert 0.99 * exact < found <= exact * (1.0 + 1e-12)
    assert largest_eigenvalue(lambda x: 0.0 * x, lambda x: x / mass, n) == 0.0
    assert largest_eigenvalue(lambda x: -K @ x, lambda x: x / mass, n) <= 0.0
