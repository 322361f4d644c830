# SPDX-License-Identifier: GPL-3.0-or-later
"""The quickest call: right whatever is handed over, or a clear error."""

from __future__ import annotations

import numpy as np
import pytest

from engine.random_trees import random_model, random_state
from redmax.compile import compile as compile_scene
from redmax.joints import Revolute
from redmax.scene import Body, Inertia, Scene

numba = pytest.importorskip("numba")
from redmax.kernels.compiled_tree import Tree  # noqa: E402
from redmax.kernels.steps import quick_call as single  # noqa: E402


def case(seed: int, **options):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 7, **options)
    return model, *random_state(rng, model)


def expected(model, q, qdot):
    zeros = np.zeros(model.dof_count)
    return Tree(model).forward_dynamics(q, qdot, np.zeros(model.body_count, np.int64), 0.0, zeros)[0]


@pytest.mark.parametrize("seed", range(6))
def test_it_is_forward_dynamics(seed):
    """With prescribed coordinates as well: these are not accelerated."""
    model, q, qdot = case(seed, prescribed=0.3 if seed % 2 else 0.0)
    tree = Tree(model)
    first = tree.accelerations(q, qdot)
    np.testing.assert_array_equal(first, expected(model, q, qdot))
    np.testing.assert_array_equal(first[model.prescribed], 0.0)
    np.testing.assert_array_equal(tree.repeat(q, qdot, 3)[~model.prescribed], first[~model.prescribed])


def test_results_are_ones_own():
    model, q, qdot = case(1)
    tree = Tree(model)
    first = tree.accelerations(q, qdot)
    kept = first.copy()
    tree.accelerations(q + 0.1, qdot)
    np.testing.assert_array_equal(first, kept)


def test_any_array_of_numbers_will_do():
    model, q, qdot = case(2)
    tree = Tree(model)
    right = tree.accelerations(q, qdot)
    frozen, spread = q.copy(), np.zeros(3 * len(q))
    frozen.setflags(write=False)
    spread[::3] = q
    for given in (frozen, spread[::3], q[::-1].copy()[::-1], list(q), tuple(q)):
        np.testing.assert_array_equal(tree.accelerations(given, qdot), right)
    whole = np.arange(len(q))
    for given in (whole, whole.astype(np.float32), whole.astype(np.int32)):
        np.testing.assert_array_equal(tree.accelerations(q, given), tree.accelerations(q, whole.astype(np.float64)))
    assert len(single.accelerations.overloads) == 1, "compiled for other types, which takes seconds"


def test_a_wrong_length_is_named():
    model, q, qdot = case(3)
    tree = Tree(model)
    n = model.dof_count
    message = f"has {n} coordinates; q has {n - 1} numbers and qdot {n}"
    with pytest.raises(ValueError, match=message):
        tree.accelerations(q[1:], qdot)
    with pytest.raises(ValueError, match=f"has {n} coordinates; q has {n} numbers and qdot {n + 1}"):
        tree.accelerations(q, np.append(qdot, 0.0))
    with pytest.raises(ValueError, match=r"not an array of shape \(1, "):
        tree.accelerations(q[None], qdot)
    with pytest.raises(ValueError, match="could not convert"):
        tree.accelerations(["left"] * n, qdot)
    np.testing.assert_array_equal(tree.accelerations(q, qdot), expected(model, q, qdot))


def test_nothing_to_resist_gives_no_number():
    """A point mass on its own axis."""
    body = Body(name="point", inertia=Inertia(mass=1.0))
    model = compile_scene(Scene(bodies=[body], joints=[Revolute(name="pin", parent=None, child="point")]))
    assert np.isnan(Tree(model).accelerations(np.zeros(1), np.zeros(1))).all()
