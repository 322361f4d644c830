# SPDX-License-Identifier: GPL-3.0-or-later
"""Si and Guenter's global matrices and their factorisation against the projected and the recursive route."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.dynamics.oracles import DIFFERENCED, assert_close, derivative
from engine.random_trees import random_situation
from redmax.dynamics import recursive
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.singular import ImmovableError
from redmax.joints import JOINTS
from redmax.reference import projected
from redmax.reference import si_guenter_dense as dense
from redmax.spatial import adjoint, pose

trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9))
few = settings(max_examples=20, deadline=None, derandomize=True)
ROUND_OFF = 1e-12  # numbers up to 1e2, products of a dozen matrices; measured: 1e-13


def matrices(case):
    return dense.GlobalMatrices(case.model, case.kin)


@few
@trees
def test_G_leads_along_the_tree(seed, n):
    """Eqs. 44, 45, 59 and 60: the block (i, j) is the adjoint from an ancestor j to i, nothing where j is none."""
    case = random_situation(seed, n)
    at, one = matrices(case), np.eye(6 * n)
    assert_close(at.G @ (one - at.Gamma), one, ROUND_OFF)
    assert_close(at.Gamma @ at.G, at.G - one, ROUND_OFF)
    for i in range(n):
        ancestors, k = {i}, i
        while (k := int(case.model.parent[k])) >= 0:
            ancestors.add(k)
        for j in range(n):
            block = at.G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
            E_ij = pose.inverse(case.kin.E_wj[i]) @ case.kin.E_wj[j]
            assert_close(block, adjoint.Ad(E_ij) if j in ancestors else np.zeros((6, 6)), ROUND_OFF)


@few
@trees
def test_twists_and_their_derivatives(seed, n):
    """v is that of the kinematics, vdot its derivative along a motion with the acceleration qddot."""
    case = random_situation(seed, n)
    at, qddot = matrices(case), case.qddot_prescribed
    assert_close(at.v.reshape(-1, 6), case.kin.V, ROUND_OFF)

    def moved(s):
        q = case.kin.q + s * case.kin.qdot + 0.5 * s**2 * qddot
        return kinematics(case.model, q, case.kin.qdot + s * qddot).V.ravel()

    assert_close(at.vdot(qddot), derivative(moved), DIFFERENCED)


@few
@trees
def test_inverse_dynamics_equals_the_recursive_one(seed, n):
    case = random_situation(seed, n)
    f, tau = dense.inverse_dynamics(matrices(case), case.loads, case.qddot_prescribed)
    expected = recursive.inverse_dynamics(case.model, case.kin, case.loads, case.qddot_prescribed)
    assert_close(f, expected.F, ROUND_OFF)
    assert_close(tau, expected.tau, ROUND_OFF)


@few
@trees
def test_M_C_and_phi_are_the_projected_ones(seed, n):
    case = random_situation(seed, n)
    at = matrices(case)
    assert_close(dense.mass_matrix(at), projected.mass_matrix(case.model, case.kin), ROUND_OFF)
    bias = dense.coriolis_matrix(at) @ case.kin.qdot + dense.external_torques(at, case.loads)
    assert_close(case.loads.f_r - bias, projected.generalized_force(case.model, case.kin, case.loads), ROUND_OFF)


@few
@trees
def test_the_factors_are_those_of_the_inverse(seed, n):
    """L M L^T = Omega, block diagonal: with that M^-1 = L^T Omega^-1 L."""
    case = random_situation(seed, n)
    at = matrices(case)
    found = dense.factors(at)
    M = dense.mass_matrix(at)
    assert_close(found.L @ M @ found.L.T, found.Omega, ROUND_OFF)
    condition = np.linalg.cond(M) if len(M) else 1.0
    assert_close(found.inverse_mass_matrix(), np.linalg.inv(M), 1e2 * np.finfo(float).eps * condition)
    for k in range(n):
        own = case.model.columns(k)
        beside = np.delete(found.Omega[own], np.arange(own.start, own.stop), axis=1)
        np.testing.assert_array_equal(beside, 0.0)


@few
@trees
def test_accelerations_equal_projected(seed, n):
    case = random_situation(seed, n)
    oracles.assert_same_acceleration(case, dense.forward_dynamics(*case[:3]))


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_accelerations_equal_projected_for_every_kind(kind):
    case = random_situation(11, 5, kinds=[kind])
    oracles.assert_same_acceleration(case, dense.forward_dynamics(*case[:3]))


@few
@trees
def test_accelerations_equal_projected_with_prescribed_joints(seed, n):
    case = random_situation(seed, n, prescribed=0.4)
    oracles.assert_same_acceleration(case, dense.forward_dynamics(*case[:4]))


def test_a_joint_that_carries_no_mass_is_named():
    model, kin, applied, *_ = random_situation(6, 2, kinds=["revolute"], chain=True)
    weightless = dataclasses.replace(model, inertia=np.zeros((2, 6)))
    with pytest.raises(ImmovableError, match=f"joint '{model.joint_names[1]}': nothing resists its motion"):
        dense.forward_dynamics(weightless, kin, applied)
