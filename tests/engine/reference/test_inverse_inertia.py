# SPDX-License-Identifier: GPL-3.0-or-later
"""M_r^-1 x in O(n) against the dense inverse, plain and with terms of damping and stiffness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics.oracles import assert_close
from engine.random_trees import random_model, random_situation, random_state
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.singular import ImmovableError
from redmax.reference.inverse_inertia import articulated_inertia, implicit_terms, inverse_inertia_product
from redmax.reference.projected import mass_matrix

trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 10))
few = settings(max_examples=20, deadline=None, derandomize=True)


def assert_inverse(A, y, x):
    """y = A^-1 x to a thousand roundings amplified by A."""
    assert_close(y, np.linalg.solve(A, x), 1e3 * np.finfo(float).eps * (np.linalg.cond(A) if A.size else 1.0))


def random_blocks(rng, n):
    """Symmetric positive semidefinite P_m (n, 6, 6), as damping has it."""
    root = rng.standard_normal((n, 6, 6))
    return root @ np.swapaxes(root, 1, 2)


@few
@trees
def test_the_product_is_the_dense_inverse(seed, n):
    model, kin, *_ = random_situation(seed, n)
    x = np.random.default_rng(seed).standard_normal(model.dof_count)
    assert_inverse(mass_matrix(model, kin), inverse_inertia_product(articulated_inertia(model, kin), x), x)


@few
@trees
def test_the_product_is_the_dense_inverse_with_joint_and_body_terms(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rng = np.random.default_rng(seed)
    x, P_r, P_m = rng.standard_normal(model.dof_count), rng.uniform(0.0, 5.0, model.dof_count), random_blocks(rng, n)
    J = jacobian(model, kin)[0].reshape(n, 6, model.dof_count)
    A = mass_matrix(model, kin) + np.einsum("nar,nab,nbs->rs", J, P_m, J) + np.diag(P_r)
    assert_inverse(A, inverse_inertia_product(articulated_inertia(model, kin, P_r=P_r, P_m=P_m), x), x)


@few
@trees
def test_held_coordinates_leave_the_matrix(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rng = np.random.default_rng(seed)
    held, x = rng.random(model.dof_count) < 0.4, rng.standard_normal(model.dof_count)
    y = inverse_inertia_product(articulated_inertia(model, kin, held=held), x)
    assert (y[held] == 0.0).all()
    assert_inverse(mass_matrix(model, kin)[np.ix_(~held, ~held)], y[~held], x[~held])


@few
@trees
def test_implicit_terms_are_those_of_linearly_implicit_euler(seed, n):
    """M - h D - h^2 K with K = +df/dq and D = +df/dqdot."""
    model, kin, load, *_ = random_situation(seed, n)
    h = 0.05
    P_r, P_m = implicit_terms(load, h)
    J = jacobian(model, kin)[0].reshape(n, 6, model.dof_count)
    D = np.einsum("nar,nab,nbs->rs", J, load.D_m, J) + np.diag(load.D_r)
    A = mass_matrix(model, kin) - h * D - h**2 * np.diag(load.K_r)
    x = np.random.default_rng(seed).standard_normal(model.dof_count)
    assert_inverse(A, inverse_inertia_product(articulated_inertia(model, kin, P_r=P_r, P_m=P_m), x), x)


def test_long_spherical_chains_keep_their_digits():
    """Without symmetrised articulated inertias the error doubles per link and all digits are gone at 60 links."""
    rng = np.random.default_rng(0)
    model = random_model(rng, 60, kinds=["spherical"], chain=True)
    kin = kinematics(model, *random_state(rng, model))
    x = rng.standard_normal(model.dof_count)
    y = inverse_inertia_product(articulated_inertia(model, kin), x)
    M = mass_matrix(model, kin)
    # Residual, so that cond(M) of about 1e7 does not enter; |M| |y| is the size of what cancels.
    scale = np.abs(M).sum(axis=1).max() * np.abs(y).max()
    assert np.abs(M @ y - x).max() <= 1e-11 * scale


def test_a_massless_branch_is_an_error_that_names_the_joint():
    model = random_model(np.random.default_rng(1), 1, kinds=["revolute"])
    model = replace(model, inertia=np.zeros((1, 6)))
    kin = kinematics(model, model.q0, model.qdot0)
    with pytest.raises(ImmovableError, match="joint 0"):
        articulated_inertia(model, kin)
    with_damping = articulated_inertia(model, kin, P_r=np.array([2.0]))
    np.testing.assert_allclose(inverse_inertia_product(with_damping, np.array([3.0])), [1.5], rtol=1e-15)
