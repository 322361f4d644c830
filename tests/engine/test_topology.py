# SPDX-License-Identifier: GPL-3.0-or-later
"""The spanning forest and what hangs outside it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from redmax.topology import WORLD, find_cycle, spanning_forest


@st.composite
def graphs(draw):
    bodies = draw(st.integers(1, 12))
    count = draw(st.integers(0, 20))
    parents = draw(st.lists(st.integers(-1, bodies - 1), min_size=count, max_size=count))
    children = draw(st.lists(st.integers(0, bodies - 1), min_size=count, max_size=count))
    return bodies, parents, children


@given(graphs())
def test_tree_and_loops_and_unreached_account_for_everything(graph):
    bodies, parents, children = graph
    topology = spanning_forest(bodies, parents, children)
    carried = [children[joint] for joint in topology.tree]
    assert sorted([*carried, *topology.unreached]) == list(range(bodies))  # each body once
    placed = {WORLD}
    for joint in topology.tree:  # parents before children
        assert parents[joint] in placed
        placed.add(children[joint])
    reachable = {joint for joint in range(len(parents)) if parents[joint] in placed}
    assert sorted([*topology.tree, *topology.loops]) == sorted(reachable)


def test_the_order_of_the_scene_is_kept_where_it_is_parent_first():
    topology = spanning_forest(4, [WORLD, 0, 1, 0], [0, 1, 2, 3])
    assert topology.tree == (0, 1, 2, 3)


def test_a_second_joint_to_a_body_closes_a_loop():
    topology = spanning_forest(3, [WORLD, 0, 1, WORLD], [0, 1, 2, 2])
    assert topology.tree == (0, 1, 2)
    assert topology.loops == (3,)


def test_cycle_is_found_and_a_hanging_chain_is_not_one():
    assert find_cycle(0, [2, 0, 1]) == (0, 2, 1)
    assert find_cycle(3, [2, 0, 1, 0]) == (0, 2, 1)
    assert find_cycle(1, [None, 0]) == ()
    assert find_cycle(1, [WORLD, 0]) == ()


def test_a_deep_chain_needs_no_recursion():
    n = 50_000
    rng = np.random.default_rng(0)
    order = rng.permutation(n)
    parents, children = np.empty(n, int), np.empty(n, int)
    parents[order] = np.arange(n) - 1
    children[order] = np.arange(n)
    topology = spanning_forest(n, parents.tolist(), children.tolist())
    assert len(topology.tree) == n
