# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums along branches against loops over the bodies, in all three ways they are done. Small integers: exact."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.spatial import so3
from redmax.vectorised.tree_sums import DENSE_BODIES, TreeSums


def random_parents(rng, n, roots):
    return np.array([-1 if k == 0 or rng.random() < roots else rng.integers(max(0, k - 4), k) for k in range(n)])


def strands(count, length):
    return np.where(np.arange(count * length) % length == 0, -1, np.arange(count * length) - 1)


RNG = np.random.default_rng(0)
FORESTS = {
    "single body": np.array([-1]),
    "loose bodies": np.full(7, -1),
    "chain": strands(1, 13),
    "equal chains": strands(3, 5),
    "unequal chains": np.array([-1, 0, 1, -1, 3]),
    "chains in turns": np.array([-1, -1, 0, 1, 2, 3]),
    "star": np.array([-1, 0, 0, 0, 0]),
    "small tree": random_parents(RNG, 40, 0.1),
    "large tree": random_parents(RNG, DENSE_BODIES + 60, 0.02),
    "large star": np.array([-1] + [0] * (DENSE_BODIES + 10)),
    "large chain": strands(1, DENSE_BODIES + 60),
}


@pytest.fixture(params=FORESTS, name="parent")
def forest(request):
    return FORESTS[request.param]


def ancestors(parent, j):
    """j and all that carry it."""
    path = [j]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    return path


def test_sums_over_ancestors(parent):
    X = np.random.default_rng(1).integers(-9, 9, (4, len(parent))).astype(float)
    given = X.copy()
    expected = np.stack([X[:, ancestors(parent, j)].sum(axis=1) for j in range(len(parent))], axis=1)
    found = TreeSums(parent).over_ancestors(X)
    assert np.array_equal(found, expected)
    assert np.array_equal(X, given)
    assert not np.shares_memory(found, X)


def test_sums_over_what_is_carried(parent):
    rng = np.random.default_rng(2)
    n = len(parent)
    X, lifted = rng.integers(-9, 9, (2, 4, n)).astype(float)
    carried, strictly = np.zeros((4, n)), np.zeros((4, n))
    for j in range(n):
        for k in ancestors(parent, j):
            carried[:, k] += X[:, j]
            if k != j:
                strictly[:, k] += lifted[:, j]
    tree = TreeSums(parent)
    assert np.array_equal(tree.over_carried(X.copy()), carried)
    assert np.array_equal(tree.over_carried(X.copy(), lifted), carried + strictly)


def test_values_of_parents(parent):
    X = np.arange(2.0 * len(parent)).reshape(2, -1)
    carried = parent >= 0
    assert np.array_equal(TreeSums(parent).at_parents(X)[:, carried], X[:, parent[carried]])


def test_rotations_are_products_from_the_root(parent):
    R_pj = so3.random(np.random.default_rng(3), (len(parent),))
    R_wj = np.empty_like(R_pj)
    for j, p in enumerate(parent):
        R_wj[j] = R_pj[j] if p < 0 else R_wj[p] @ R_pj[j]
    found = TreeSums(parent).rotations_from_root(np.ascontiguousarray(R_pj.transpose(1, 2, 0)))
    # As many roundings as products, at most the depth of the tree.
    assert np.abs(found.transpose(2, 0, 1) - R_wj).max() < 2e-16 * (10 + len(parent))
