# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled mass matrix and products with J, against the readable ones, on random trees of all joint kinds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.random_trees import random_model, random_state
from redmax.dynamics import jacobians
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.joints import JOINTS
from redmax.reference import projected
from redmax.reference.inverse_inertia import implicit_terms

pytest.importorskip("numba")
from redmax.kernels import tasks
from redmax.kernels.compiled_tree import Tree
from redmax.kernels.layout.declaration import Vector

SEEDS = range(16)
T, H = 0.3, 0.05


def case(seed, n=9, **options):
    """A random model, a random state in random charts, and the readable kinematics there."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, prescribed=0.25 if seed % 2 else 0.0, **options)
    q, qdot = random_state(rng, model)
    chart = np.array([rng.integers(joint.chart_count) for joint in model.joints], np.int64)
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if chart[j]:
            q[columns], qdot[columns] = joint.rewrite(
                q[columns], qdot[columns], 0, chart_like=int(chart[j]), q_like=q[columns]
            )
    return model, q, qdot, chart, kinematics(model, q, qdot, chart), rng


def close(ours, theirs, tolerance=1e-12):
    np.testing.assert_allclose(ours, theirs, atol=tolerance * (1.0 + np.abs(theirs).max(initial=0.0)))


def test_random_trees_have_every_joint_kind():
    assert {joint.kind for seed in SEEDS for joint in case(seed)[0].joints} >= set(JOINTS.kinds)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix(seed):
    model, q, _, chart, kin, _ = case(seed)
    ours = Tree(model).mass_matrix(q, chart)
    np.testing.assert_array_equal(ours, ours.T)
    close(ours, projected.mass_matrix(model, kin))


@pytest.mark.parametrize("seed", SEEDS)
def test_twists_are_J_times_any_velocity(seed):
    model, q, qdot, chart, kin, rng = case(seed)
    tree, x = Tree(model), rng.standard_normal(model.dof_count)
    close(tree.twists(q, chart, x), jacobians.jacobian_products(model, kin, x)[0])
    close(tree.twists(q, chart, qdot), kin.phi)


@pytest.mark.parametrize("seed", SEEDS)
def test_generalised_force_is_J_transposed_times_wrenches(seed):
    model, q, _, chart, kin, rng = case(seed)
    wrenches = rng.standard_normal((model.body_count, 6))
    close(
        Tree(model).generalised_force(q, chart, wrenches),
        jacobians.jacobian_transpose_product(model, kin, wrenches),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_same_of_wrenches_and_of_forces(seed):
    """y . (J x) = (J^T y) . x needs no readable code."""
    model, q, _, chart, _, rng = case(seed)
    tree, x, y = Tree(model), rng.standard_normal(model.dof_count), rng.standard_normal((model.body_count, 6))
    power = float((y * tree.twists(q, chart, x)).sum())
    assert float(tree.generalised_force(q, chart, y) @ x) == pytest.approx(power, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_product_with_the_matrix_of_implicit_steps(seed):
    """(M - h D - h^2 K) x; what solves with the same matrix gives x back."""
    model, q, qdot, chart, kin, rng = case(seed)
    load = loads(model, kin, T)
    P_r, P_m = implicit_terms(load, H)
    J = jacobians.jacobian(model, kin)[0]
    blocks = J.reshape(model.body_count, 6, model.dof_count)
    A = projected.mass_matrix(model, kin) + J.T @ (P_m @ blocks).reshape(J.shape) + np.diag(P_r)
    tree, x = Tree(model), rng.standard_normal(model.dof_count)
    tree.set_chart(chart)
    tree._run(q.copy(), qdot.copy(), x.copy(), T, tasks.PLACE | tasks.LOADS)
    tree._run(q.copy(), qdot.copy(), x, H, tasks.MULTIPLY)
    product = tree.vectors[Vector.FORCE].copy()
    close(product, A @ x)
    back = np.where(model.prescribed, x, 0.0)
    tree.vectors[Vector.RIGHT_SIDE] = product
    assert tree._run(q.copy(), qdot.copy(), back, H, tasks.SOLVE_IMPLICIT) == -1
    close(back, x, 1e-13 * np.linalg.cond(A) + 1e-12)


def test_a_chain_of_a_hundred_links():
    model, q, _, chart, kin, rng = case(4, n=100, chain=True)
    tree, x = Tree(model), rng.standard_normal(model.dof_count)
    M = tree.mass_matrix(q, chart)
    close(M, projected.mass_matrix(model, kin))
    close(M @ x, tree.generalised_force(q, chart, model.inertia * tree.twists(q, chart, x)))
