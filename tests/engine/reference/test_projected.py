# SPDX-License-Identifier: GPL-3.0-or-later
"""The projected route: Jacobians against poses, O(n) products against dense ones, prescribed coordinates."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.random_trees import random_situation
from redmax.dynamics import jacobians
from redmax.dynamics.singular import ImmovableError
from redmax.joints import JOINTS
from redmax.reference import projected

ROUND_OFF = 1e-12  # sums over a path of at most 8 joints of numbers of order 1 to 100
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8))
few = settings(max_examples=25, deadline=None, derandomize=True)
each_kind = pytest.mark.parametrize("kind", JOINTS.kinds)


@each_kind
def test_J_is_the_derivative_of_the_body_poses(kind):
    oracles.assert_J_is_the_derivative_of_the_poses(random_situation(1, 4, kinds=[kind]))


@each_kind
def test_Jdot_is_the_derivative_of_J_along_the_motion(kind):
    oracles.assert_Jdot_is_the_derivative_of_J(random_situation(2, 4, kinds=[kind]))


@pytest.mark.parametrize("seed", range(4))
def test_J_and_Jdot_of_mixed_trees(seed):
    case = random_situation(seed, 6)
    oracles.assert_J_is_the_derivative_of_the_poses(case)
    oracles.assert_Jdot_is_the_derivative_of_J(case)


@few
@trees
def test_linear_time_products_equal_dense_ones(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rng = np.random.default_rng(seed)
    J, Jdot = jacobians.jacobian(model, kin)
    x, y = rng.standard_normal(model.dof_count), rng.standard_normal((n, 6))
    Jx, Jdotx = jacobians.jacobian_products(model, kin, x)
    oracles.assert_close(Jx.ravel(), J @ x, ROUND_OFF)
    oracles.assert_close(Jdotx.ravel(), Jdot @ x, ROUND_OFF)
    oracles.assert_close(jacobians.jacobian_transpose_product(model, kin, y), J.T @ y.ravel(), ROUND_OFF)


def test_J_times_qdot_is_the_body_twists():
    model, kin, *_ = random_situation(3, 8)
    oracles.assert_close(jacobians.jacobian(model, kin)[0] @ kin.qdot, kin.phi.ravel(), ROUND_OFF)


def test_the_coriolis_wrench_is_gyroscopic_torque_and_turning_momentum():
    model, kin, *_ = random_situation(4, 5)
    omega, nu, I, m = kin.phi[:, :3], kin.phi[:, 3:], model.inertia[:, :3], model.inertia[:, 3:]
    expected = np.hstack([-np.cross(omega, I * omega), -np.cross(omega, m * nu)])
    oracles.assert_close(projected.coriolis_wrenches(model, kin), expected, ROUND_OFF)


def test_the_mass_matrix_is_symmetric_and_positive_definite():
    model, kin, *_ = random_situation(5, 10)
    M = projected.mass_matrix(model, kin)
    oracles.assert_close(M, M.T, ROUND_OFF)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@few
@trees
def test_free_rows_of_the_equation_of_motion_hold_with_prescribed_coordinates(seed, n):
    model, kin, applied, given_qddot, _ = random_situation(seed, n, prescribed=0.4)
    qddot = projected.forward_dynamics(model, kin, applied, given_qddot)
    assert np.array_equal(qddot[model.prescribed], given_qddot[model.prescribed])
    M, f = projected.mass_matrix(model, kin), projected.generalized_force(model, kin, applied)
    # The residual of a solve is round-off of its terms, whatever the condition of M.
    oracles.assert_close((M @ qddot)[~model.prescribed], f[~model.prescribed], 1e-10)


def test_prescribed_joints_without_accelerations_are_refused_by_name():
    seed = next(s for s in range(50) if random_situation(s, 3, prescribed=0.5).model.prescribed.any())
    model, kin, applied, *_ = random_situation(seed, 3, prescribed=0.5)
    with pytest.raises(ValueError, match="are prescribed; give their accelerations"):
        projected.forward_dynamics(model, kin, applied)


def test_a_mechanism_without_mass_is_refused():
    model, kin, applied, *_ = random_situation(6, 2, kinds=["revolute"])
    weightless = dataclasses.replace(model, inertia=np.zeros((2, 6)))
    with pytest.raises(ImmovableError, match="nothing resists its motion"):
        projected.forward_dynamics(weightless, kin, applied)
