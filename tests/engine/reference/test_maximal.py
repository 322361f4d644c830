# SPDX-License-Identifier: GPL-3.0-or-later
"""Maximal coordinates against reduced ones: accelerations, reactions, stabilisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics.oracles import assert_close
from engine.random_trees import random_model, random_scene, random_situation, random_state
from redmax.compile import compile as compile_scene
from redmax.dynamics import jacobians, recursive
from redmax.dynamics.animation import prescribed_motion, with_prescribed
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.joints.free import Free
from redmax.joints.prismatic import Prismatic
from redmax.joints.revolute import Revolute
from redmax.reference import joint_rows as rows_module
from redmax.reference import maximal, projected
from redmax.reference.joint_rows import joint_rows
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import adjoint, pose

T = 0.3  # [s], inside the animation tables
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 7))
few = settings(max_examples=20, deadline=None, derandomize=True)


def round_off(model, kin, rows):
    """Tolerance: a hundred roundings amplified by the KKT matrix and by the reduced mass matrix."""
    k, m = 6 * model.body_count, len(rows.G)
    matrix = np.zeros((k + m, k + m))
    matrix[:k, :k] = np.diag(model.inertia.ravel())
    matrix[:k, k:], matrix[k:, :k] = rows.G.T, rows.G
    M = projected.mass_matrix(model, kin)
    return 1e2 * np.finfo(float).eps * (np.linalg.cond(matrix) + (np.linalg.cond(M) if M.size else 1.0))


def prescribed_case(seed, n):
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, prescribed=0.4)
    kin = kinematics(model, *with_prescribed(model, T, *random_state(rng, model)))
    return model, kin, loads(model, kin, T), prescribed_motion(model, T)[2]


@few
@trees
def test_kkt_accelerations_are_those_of_the_reduced_dynamics(seed, n):
    model, kin, load, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, T)
    phidot, _ = maximal.accelerations(model, kin, load, rows)
    J, Jdot = jacobians.jacobian(model, kin)
    expected = J @ projected.forward_dynamics(model, kin, load) + Jdot @ kin.qdot
    assert_close(phidot.ravel(), expected, round_off(model, kin, rows))


@few
@trees
def test_kkt_accelerations_follow_animated_and_locked_joints(seed, n):
    model, kin, load, qddot_prescribed = prescribed_case(seed, n)
    rows = joint_rows(model, kin, T)
    phidot, _ = maximal.accelerations(model, kin, load, rows)
    J, Jdot = jacobians.jacobian(model, kin)
    expected = J @ projected.forward_dynamics(model, kin, load, qddot_prescribed) + Jdot @ kin.qdot
    assert_close(phidot.ravel(), expected, round_off(model, kin, rows))


@few
@trees
def test_joint_wrenches_are_those_of_the_recursive_dynamics(seed, n):
    """C F = -lambda in the rows a joint constrains and S^T F = tau: together they are all six components of F."""
    model, kin, load, qddot_prescribed = prescribed_case(seed, n)
    rows = joint_rows(model, kin, T)
    _, multipliers = maximal.accelerations(model, kin, load, rows)
    found = maximal.joint_wrenches(model, kin, load, rows, multipliers)
    F = recursive.forward_dynamics(model, kin, load, qddot_prescribed).F
    assert_close(found, F, round_off(model, kin, rows))


@few
@trees
def test_reactions_do_no_work_on_motions_of_the_mechanism(seed, n):
    model, kin, load, *_ = random_situation(seed, n)
    rows = joint_rows(model, kin, T)
    _, multipliers = maximal.accelerations(model, kin, load, rows)
    reactions = maximal.reaction_wrenches(rows, multipliers)
    for j in range(n):
        S = kin.S[:, model.columns(j)]
        # Relative to the size of the reaction: products of S and C are zero to 1e-13 (test_joint_rows).
        assert_close(S.T @ reactions[j], np.zeros(S.shape[1]), 1e-13 * max(1.0, np.abs(reactions[j]).max()))
    A, _ = rows_module.relative_twist_matrix(model, kin)
    assert_close(A.T @ reactions.ravel(), -rows.G.T @ multipliers, 1e-13)


def test_the_hinge_carries_the_weight():
    """A body at rest hanging on its hinge: the joint pushes it up with m g, lambda with the sign of -G^T lambda."""
    model = compile_scene(pendulum())
    kin = kinematics(model, np.zeros(1), np.zeros(1))
    rows = joint_rows(model, kin, 0.0)
    _, multipliers = maximal.accelerations(model, kin, loads(model, kin, 0.0), rows)
    wrench = -(rows.G.T @ multipliers)
    up = np.concatenate([np.zeros(3), kin.E_wi[0, :3, :3].T @ [0.0, 0.0, 2.0 * 9.81]])
    # One body, numbers up to 20.
    assert_close(wrench, up, 1e-14)


@pytest.mark.parametrize("rate", [5.0, 20.0])
def test_baumgarte_decays_a_planted_violation_at_the_expected_rate(rate):
    """g = g0 (1 + rate t) exp(-rate t) solves gddot + 2 rate gdot + rate^2 g = 0 from a gap at rest."""
    model = compile_scene(pendulum())
    kin = kinematics(model, np.array([0.4]), np.zeros(1))
    g0 = 1e-4
    E, phi, q, chart = kin.E_wi.copy(), kin.phi, kin.q, np.zeros(1, np.int64)
    E[0, :3, 3] += [0.0, g0, 0.0]  # along the hinge axis: a row of its own
    h, steps = 5e-4, 300

    def phidot(E, phi, q):
        kin, gap = maximal.body_kinematics(model, 0.0, E, phi, q, chart)
        rows = joint_rows(model, kin, 0.0)
        return maximal.accelerations(model, kin, loads(model, kin, 0.0), rows, gap=gap, rate=rate)[0], kin.q

    for _ in range(steps):
        half, _ = phidot(E, phi, q)  # midpoint rule
        E_half, phi_half = pose.integrate(E, phi, h / 2), phi + h / 2 * half
        full, q = phidot(E_half, phi_half, q)
        E, phi = pose.integrate(E, phi_half, h), phi + h * full
    t = h * steps
    _, gap = maximal.body_kinematics(model, 0.0, E, phi, q, chart)
    expected = g0 * (1.0 + rate * t) * np.exp(-rate * t)
    # Midpoint error (rate h)^2 = 1e-4 relative, and the pendulum couples in at g0 relative.
    np.testing.assert_allclose(np.linalg.norm(gap[0]), expected, rtol=1e-3)


@few
@trees
def test_post_stabilisation_closes_a_planted_gap(seed, n):
    model, kin, *_ = random_situation(seed, n)
    rng = np.random.default_rng(seed)
    E = kin.E_wi @ pose.exp(0.02 * rng.standard_normal((n, 6)))
    phi = kin.phi + 0.1 * rng.standard_normal((n, 6))
    closed, gap = maximal.close_joints(model, T, E, phi, kin.q, np.zeros(n, np.int64))
    assert np.abs(gap).max() <= 1e-12  # asked of it
    rebuilt = kinematics(model, closed.q, closed.qdot)
    # Gaps of 1e-13 add up along the tree, twists are multiplied by lever arms of some metres.
    assert_close(rebuilt.E_wi, closed.E_wi, 1e-11)
    assert_close(rebuilt.phi, closed.phi, 1e-11)
    assert_close(rebuilt.Sdot, closed.Sdot, 1e-11)


@few
@trees
def test_post_stabilisation_puts_animated_joints_where_they_belong(seed, n):
    model, kin, *_ = prescribed_case(seed, n)
    later = T + 0.02
    closed, gap = maximal.close_joints(model, later, kin.E_wi, kin.phi, kin.q, np.zeros(n, np.int64))
    q, qdot, _ = prescribed_motion(model, later)
    assert np.abs(gap).max() <= 1e-12
    np.testing.assert_array_equal(closed.q[model.prescribed], q[model.prescribed])
    rebuilt = kinematics(model, closed.q, np.where(model.prescribed, qdot, closed.qdot))
    # As above.
    assert_close(rebuilt.E_wi, closed.E_wi, 1e-11)
    assert_close(rebuilt.phi, closed.phi, 1e-11)


@few
@trees
def test_post_stabilisation_keeps_the_momentum_of_a_free_mechanism(seed, n):
    """Least-impulse projection changes velocities by internal impulses only."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, n, kinds=["revolute", "universal", "spherical", "prismatic"], roots=0.0)
    scene.joints = [Free(name="base", child=j.child, parent=None) if j.parent is None else j for j in scene.joints]
    model = compile_scene(scene)
    kin = kinematics(model, *random_state(rng, model))
    phi = kin.phi + rng.standard_normal((n, 6))
    rows = joint_rows(model, kin, T)
    given = maximal.body_kinematics(model, T, kin.E_wi, phi, kin.q, np.zeros(n, np.int64))[0]
    changed = maximal.closed_twists(model, given, rows)

    def momentum(twists):
        return adjoint.transform_wrench(kin.E_wi, model.inertia * twists).sum(axis=0)

    # Momenta of up to 10 kg m^2/s and multipliers of the same size.
    assert_close(momentum(changed), momentum(phi), 1e-11)


def test_what_is_closed_already_is_left_alone():
    model, kin, *_ = random_situation(5, 6)
    closed, _ = maximal.close_joints(model, T, kin.E_wi, kin.phi, kin.q, np.zeros(6, np.int64))
    # Round-off of the KKT solve on twists up to 10.
    assert_close(closed.phi, kin.phi, 1e-12)
    assert_close(closed.q, kin.q, 1e-12)
    assert_close(closed.qdot, kin.qdot, 1e-11)


def test_a_free_massless_body_is_an_error():
    model = replace(compile_scene(pendulum()), inertia=np.zeros((1, 6)))
    kin = kinematics(model, np.zeros(1), np.zeros(1))
    with pytest.raises(maximal.MaximalError, match="body without mass"):
        maximal.accelerations(model, kin, loads(model, kin, 0.0), joint_rows(model, kin, 0.0))


def test_joints_that_cannot_be_closed_are_named(monkeypatch):
    monkeypatch.setattr(maximal, "MAX_ITERATIONS", 1)
    model = compile_scene(pendulum())
    kin = kinematics(model, np.zeros(1), np.zeros(1))
    E = kin.E_wi @ pose.exp([0.1, 0.0, 0.0, 0.0, 0.0, 0.3])
    with pytest.raises(maximal.MaximalError, match="joint 'pin': stays open"):
        maximal.close_joints(model, 0.0, E, kin.phi, kin.q, np.zeros(1, np.int64))


def test_massless_links_inside_a_mechanism_are_allowed():
    """A massless slider between the world and a bob: M is singular, the KKT matrix is not."""
    scene = pendulum()
    scene.bodies.append(Body(name="slider"))
    scene.joints[0] = Revolute(name="pin", parent="slider", child="bob", axis=(0, 1, 0))
    scene.joints.append(Prismatic(name="rail", parent=None, child="slider", axis=(1, 0, 0)))
    model = compile_scene(scene)
    kin = kinematics(model, np.array([0.2, 0.3]), np.array([0.5, -0.4]))
    load = loads(model, kin, 0.0)
    phidot, _ = maximal.accelerations(model, kin, load, joint_rows(model, kin, 0.0))
    J, Jdot = jacobians.jacobian(model, kin)
    expected = J @ projected.forward_dynamics(model, kin, load) + Jdot @ kin.qdot
    # Two bodies, moderate numbers.
    assert_close(phidot.ravel(), expected, 1e-12)


def pendulum() -> Scene:
    """A 2 kg bob half a metre below a hinge about y."""
    tensor = ((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.015))
    return Scene(
        bodies=[Body(name="bob", inertia=Inertia(mass=2.0, center=(0.0, 0.0, -0.5), tensor=tensor))],
        joints=[Revolute(name="pin", parent=None, child="bob", axis=(0.0, 1.0, 0.0))],
    )
