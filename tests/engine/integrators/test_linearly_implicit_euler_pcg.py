# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrix-free linearly implicit step against the dense one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics.oracles import assert_close
from engine.random_trees import random_model, random_situation
from redmax.dynamics.jacobians import jacobian
from redmax.integrators import LinearlyImplicitEuler, LinearlyImplicitEulerPcg
from redmax.integrators.linearly_implicit_euler_pcg import implicit_velocity
from redmax.reference.inverse_inertia import articulated_inertia, implicit_terms, inverse_inertia_product
from redmax.reference.projected import generalized_force, mass_matrix
from redmax.solvers.pcg import pcg

H = 0.05
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 10))
few = settings(max_examples=20, deadline=None, derandomize=True)


def dense_system(case, h, coupling):
    model, kin, load = case[:3]
    J = jacobian(model, kin)[0].reshape(model.body_count, 6, model.dof_count)
    D = np.einsum("nar,nab,nbs->rs", J, load.D_m, J)
    M_hD = mass_matrix(model, kin) - h * (D + np.diag(load.D_r))
    rhs = M_hD @ kin.qdot + h * generalized_force(model, kin, load)
    return M_hD - h**2 * np.diag(load.K_r) + coupling, rhs


def tolerance(A):
    """Residual of 1e-12, amplified by the matrix."""
    return 1e-11 * (np.linalg.cond(A) if A.size else 1.0)


@few
@trees
def test_it_equals_the_dense_solve_in_one_iteration_without_coupling(seed, n):
    case = random_situation(seed, n)
    A, rhs = dense_system(case, H, 0.0)
    result = implicit_velocity(*case[:3], H)
    assert_close(result.x, np.linalg.solve(A, rhs), tolerance(A))
    assert result.iterations <= 2  # one, and one more where round-off leaves 1e-12 after it


@few
@trees
def test_it_equals_the_dense_solve_with_forces_that_couple_bodies(seed, n):
    """Two stiff springs between random bodies: rank 2 beyond the preconditioner, so about three iterations."""
    case = random_situation(seed, n)
    model, kin = case[:2]
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((2, 6 * n)) @ jacobian(model, kin)[0]
    coupling = H**2 * 1e3 * G.T @ G
    A, rhs = dense_system(case, H, coupling)
    result = implicit_velocity(*case[:3], H, coupling=lambda x: coupling @ x)
    assert_close(result.x, np.linalg.solve(A, rhs), tolerance(A))
    assert result.iterations <= 6


@few
@trees
def test_prescribed_velocities_are_kept_and_the_rest_solved(seed, n):
    case = random_situation(seed, n, prescribed=0.4)
    given, free = case.model.prescribed, ~case.model.prescribed
    A, rhs = dense_system(case, H, 0.0)
    v = np.random.default_rng(seed).standard_normal(case.model.dof_count)
    found = implicit_velocity(*case[:3], H, v).x
    A_ff = A[np.ix_(free, free)]
    np.testing.assert_array_equal(found[given], v[given])
    assert_close(found[free], np.linalg.solve(A_ff, rhs[free] - A[np.ix_(free, given)] @ v[given]), tolerance(A_ff))


def test_the_preconditioner_saves_iterations():
    """Three couplings on a chain of 30 links: without a preconditioner it takes far longer."""
    case = random_situation(4, 30, chain=True, kinds=["revolute", "spherical"])
    model, kin, load = case[:3]
    rng = np.random.default_rng(0)
    G = rng.standard_normal((3, 6 * 30)) @ jacobian(model, kin)[0]
    coupling = H**2 * 100.0 * G.T @ G
    A, rhs = dense_system(case, H, coupling)
    P_r, P_m = implicit_terms(load, H)
    inertia = articulated_inertia(model, kin, P_r=P_r, P_m=P_m)
    options = {"tolerance": 1e-8, "max_iterations": 100000}
    plain = pcg(A.__matmul__, rhs, preconditioner=lambda r: r, **options)
    helped = pcg(A.__matmul__, rhs, preconditioner=lambda r: inverse_inertia_product(inertia, r), **options)
    assert helped.iterations <= 6
    assert plain.iterations > 10 * helped.iterations


def test_the_simulation_is_that_of_linearly_implicit_euler():
    model = random_model(np.random.default_rng(3), 5, prescribed=0.2)
    ends = [
        kind(h=0.01).begin(model, model.initial_state()).advance(0.1)
        for kind in (LinearlyImplicitEuler, LinearlyImplicitEulerPcg)
    ]
    # Ten steps, each within 1e-12 times the condition number (1e3) of the dense solve.
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=1e-8)
    np.testing.assert_allclose(ends[1].qdot, ends[0].qdot, atol=1e-8)
