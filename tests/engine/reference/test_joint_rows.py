# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows G that joints take from the bodies' motion, and the coordinates recovered from relative poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics.oracles import DIFFERENCED, assert_close, derivative
from engine.random_trees import make_joint, random_situation, safe_q
from redmax.dynamics.complement import complement
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.joint_coordinates import JointCoordinatesError, joint_coordinates
from redmax.dynamics.kinematics import kinematics
from redmax.joints import JOINTS
from redmax.reference.joint_rows import coordinate_rates, joint_rows, relative_twist_matrix
from redmax.spatial import pose, so3

# Sums of six products of numbers up to 10 (positions of a tree of 8 bodies).
ROUND_OFF = 1e-13
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8))
few = settings(max_examples=20, deadline=None, derandomize=True)


def moving_joint(kind, seed=3):
    rng = np.random.default_rng(seed)
    joint = make_joint(rng, kind, name="joint", parent=None, child="body")
    return rng, joint, safe_q(rng, joint)


@few
@trees
def test_G_annihilates_J(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, 0.3)
    J, _ = jacobian(model, kin)
    assert rows.G.shape == (6 * n - model.dof_count, 6 * n)
    assert_close(rows.G @ J, np.zeros((len(rows.G), model.dof_count)), ROUND_OFF)


@few
@trees
def test_the_rows_are_independent_and_leave_exactly_the_joint_freedoms(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, 0.3)
    J, _ = jacobian(model, kin)
    assert np.linalg.matrix_rank(np.concatenate([rows.G, J.T])) == 6 * n


@few
@trees
def test_coordinate_rates_invert_J(seed, n):
    model, kin, *_ = random_situation(seed, n)
    J, _ = jacobian(model, kin)
    # Divided by S's smallest singular value, at least 0.25.
    assert_close(coordinate_rates(model, kin) @ J, np.eye(model.dof_count), 10.0 * ROUND_OFF)


@few
@trees
def test_Gdot_is_the_derivative_of_G(seed, n):
    """Along q + s qdot; C of each instant is turned onto C at s = 0, as a basis of rows is only given up to that."""
    model, kin, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, 0.3)

    def G(s):
        moved = joint_rows(model, kinematics(model, kin.q + s * kin.qdot, kin.qdot), 0.3)
        blocks = [np.zeros((0, 6 * n))]
        for k, C in enumerate(moved.C):
            U, _, Vt = np.linalg.svd(rows.C[k] @ C.T)
            blocks.append(U @ Vt @ moved.G[moved.row[k] : moved.row[k + 1]])
        return np.concatenate(blocks)

    assert_close(rows.Gdot, derivative(G, h=0.01), DIFFERENCED)


@few
@trees
def test_Gdot_Phi_is_minus_G_times_the_velocity_products(seed, n):
    """G Phi = 0 at every instant of a motion of the mechanism, so G Jdot qdot + Gdot J qdot = 0."""
    model, kin, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, 0.3)
    _, Jdot = jacobian(model, kin)
    # Twists up to 10 rad/s enter squared.
    assert_close(rows.Gdot @ kin.phi.ravel(), -rows.G @ Jdot @ kin.qdot, 100.0 * ROUND_OFF)


@few
@trees
def test_the_relative_twist_matrix_gives_S_qdot(seed, n):
    model, kin, *_ = random_situation(seed, n)
    A, _ = relative_twist_matrix(model, kin)
    expected = [kin.S[:, model.columns(j)] @ kin.qdot[model.columns(j)] for j in range(n)]
    assert_close(A @ kin.phi.ravel(), np.concatenate(expected), 10.0 * ROUND_OFF)


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_the_complement_is_orthonormal_and_annihilates_S(kind):
    _, joint, q = moving_joint(kind)
    S = joint.motion(q, np.zeros(joint.ndof)).S
    C = complement(S)
    assert C.shape == (6 - joint.ndof, 6)
    assert_close(C @ C.T, np.eye(len(C)), ROUND_OFF)
    assert_close(C @ S, np.zeros((len(C), joint.ndof)), ROUND_OFF)


def test_a_hinge_about_z_drops_the_third_row_of_the_adjoint():
    S = np.eye(6)[:, [2]]
    np.testing.assert_array_equal(np.sort(complement(S), axis=0), np.sort(np.eye(6)[[0, 1, 3, 4, 5]], axis=0))
    np.testing.assert_array_equal(np.abs(complement(S)).sum(axis=0), [1, 1, 0, 1, 1, 1])


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_joint_coordinates_invert_Q(kind):
    rng, joint, q = moving_joint(kind)
    Q = joint.motion(q, np.zeros(joint.ndof)).Q
    found, gap = joint_coordinates(joint, Q, q + 0.2 * rng.uniform(-1.0, 1.0, joint.ndof))
    # Poses of size one, divided by S's smallest singular value 0.25.
    assert_close(found, q, ROUND_OFF)
    assert_close(gap, np.zeros(6), ROUND_OFF)


def test_joint_coordinates_keep_the_turn_of_the_guess():
    _, joint, _ = moving_joint("revolute")
    q = np.array([4.0 * np.pi + 0.3])
    found, _ = joint_coordinates(joint, joint.motion(q, np.zeros(1)).Q, q + 0.5)
    assert_close(found, q, ROUND_OFF)


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_the_gap_of_an_open_joint_lies_outside_S_and_leads_to_the_pose(kind):
    rng, joint, q = moving_joint(kind)
    Q = joint.motion(q, np.zeros(joint.ndof)).Q @ pose.exp(0.05 * rng.standard_normal(6))
    found, gap = joint_coordinates(joint, Q, q)
    at = joint.motion(found, np.zeros(joint.ndof))
    assert_close(at.Q @ pose.make(so3.exp(gap[:3]), gap[3:]), Q, ROUND_OFF)
    # The iteration contracts by about |gap| = 0.1 and stops where round-off takes over.
    assert_close(at.S.T @ gap, np.zeros(joint.ndof), ROUND_OFF)


def test_a_pose_beyond_reach_is_an_error_that_names_the_joint(monkeypatch):
    monkeypatch.setattr("redmax.dynamics.joint_coordinates.MAX_ITERATIONS", 2)
    _, joint, q = moving_joint("universal")
    Q = pose.make(joint.motion(q, np.zeros(2)).Q[:3, :3], np.array([0.0, 0.0, 5.0]))
    with pytest.raises(JointCoordinatesError, match=r"joint 'joint': no position of the joint fits.* 5 m away"):
        joint_coordinates(joint, Q, q + 0.5)
