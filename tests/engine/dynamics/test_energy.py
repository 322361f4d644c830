# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies, momenta, power and joint reactions, against definitions and conservation laws."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.random_trees import Situation, make_joint, random_scene, random_situation, situation
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.dynamics import energy, recursive
from redmax.dynamics.kinematics import Kinematics, kinematics
from redmax.joints import JOINTS
from redmax.reference import projected
from redmax.spatial import adjoint

ROUND_OFF = 1e-12  # sums over at most 10 bodies of numbers of order 1 to 100
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 10))
few = settings(max_examples=20, deadline=None, derandomize=True)
FREE_KINDS = [kind for kind in JOINTS.kinds if kind.startswith("free") and len(JOINTS[kind].dof_names) == 6]


def moved(case: Situation, qddot: Array, s: float) -> Kinematics:
    """The mechanism s seconds later, to second order: exact for first derivatives at s = 0."""
    q = case.kin.q + s * case.kin.qdot + 0.5 * s**2 * qddot
    return kinematics(case.model, q, case.kin.qdot + s * qddot)


def free_tree(seed: int, kind: str) -> Situation:
    """A tree that floats without gravity: springs and dampers act between its bodies only."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, 5, roots=0.0, gravity=False)
    scene.bodies = [dataclasses.replace(body, damping=0.0) for body in scene.bodies]
    scene.joints = [
        make_joint(rng, kind, name=joint.name, parent=None, child=joint.child) if joint.parent is None else joint
        for joint in scene.joints
    ]
    return situation(rng, compile_scene(scene))


@few
@trees
def test_kinetic_energy_of_the_bodies_is_that_of_the_coordinates(seed, n):
    model, kin, *_ = random_situation(seed, n)
    reduced = 0.5 * kin.qdot @ projected.mass_matrix(model, kin) @ kin.qdot
    oracles.assert_close(np.array(energy.kinetic_energy(model, kin)), np.array(reduced), ROUND_OFF)


def test_kinetic_energy_is_that_of_differenced_poses():
    model, kin, *_ = random_situation(1, 6)
    expected = oracles.kinetic_energy_by_differences(model, kin.q, kin.qdot)
    oracles.assert_close(np.array(energy.kinetic_energy(model, kin)), np.array(expected), oracles.DIFFERENCED)


@pytest.mark.parametrize("seed", range(4))
def test_kinetic_energy_grows_by_the_power_of_the_loads(seed):
    case = random_situation(seed, 6)
    qddot = recursive.forward_dynamics(*case[:3]).qddot
    oracles.assert_power_balance(case, qddot, case.loads.f_r)
    power = np.sum(case.loads.f_m * case.kin.phi) + case.loads.f_r @ case.kin.qdot
    assert energy.load_power(case.kin, case.loads) == pytest.approx(power, rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_prescribed_joints_feed_in_their_power(seed):
    case = random_situation(seed, 6, prescribed=0.5)
    hybrid = recursive.forward_dynamics(*case[:4])
    oracles.assert_power_balance(case, hybrid.qddot, hybrid.tau)


@pytest.mark.parametrize("seed", range(4))
def test_mechanical_energy_changes_only_by_torques_and_losses(seed):
    case = random_situation(seed, 5, tables=False)
    model, kin = case.model, case.kin
    qddot = recursive.forward_dynamics(*case[:3]).qddot
    beyond = (kin.q < model.lower) | (kin.q > model.upper)
    losses = kin.qdot**2 @ (model.damping + np.where(beyond, model.limit_damping, 0.0))
    losses += model.body_damping @ np.sum(kin.phi**2, axis=1)
    expected = model.torque @ kin.qdot - losses
    rate = oracles.derivative(lambda s: np.float64(energy.mechanical_energy(model, moved(case, qddot, s))), h=1e-4)
    # Rounding of energies of 1e2 J, divided by the step.
    oracles.assert_close(rate, np.array(expected), 1e-8)


@pytest.mark.parametrize("kind", FREE_KINDS)
def test_momentum_of_a_free_tree_is_conserved(kind):
    case = free_tree(2, kind)
    qddot = recursive.forward_dynamics(*case[:3]).qddot
    rate = oracles.derivative(lambda s: energy.spatial_momentum(case.model, moved(case, qddot, s)), h=1e-3)
    momentum = energy.spatial_momentum(case.model, case.kin)
    assert np.linalg.norm(momentum) > 0.1
    # Accelerations up to 1e2 make sixth-order terms of 1e-9 with this step.
    oracles.assert_close(rate, np.zeros(6), 1e-8)


def test_momentum_changes_by_gravity_and_what_the_roots_pass_on():
    case = random_situation(3, 7)
    hybrid = recursive.forward_dynamics(*case[:3])
    roots = case.model.parent < 0
    from_joints = adjoint.transform_wrench(case.kin.E_wj[roots], hybrid.F[roots]).sum(axis=0)
    from_loads = adjoint.transform_wrench(case.kin.E_wi, case.loads.f_m).sum(axis=0)
    rate = oracles.derivative(lambda s: energy.spatial_momentum(case.model, moved(case, hybrid.qddot, s)), h=1e-3)
    oracles.assert_close(rate, from_joints + from_loads, 1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_joint_passes_on_what_changes_the_momentum_of_all_it_carries(seed):
    """F of every joint, from the momentum of its subtree: Newton and Euler for a cut at the joint."""
    case = random_situation(seed, 6, prescribed=0.3)
    model, kin = case.model, case.kin
    hybrid = recursive.forward_dynamics(*case[:4])

    def body_momenta(s: float) -> Array:
        later = moved(case, hybrid.qddot, s)
        return adjoint.transform_wrench(later.E_wi, model.inertia * later.phi)

    needed = oracles.derivative(body_momenta, h=1e-3) - adjoint.transform_wrench(kin.E_wi, case.loads.f_m)
    for j in reversed(range(model.body_count)):
        if model.parent[j] >= 0:
            needed[model.parent[j]] += needed[j]
    oracles.assert_close(adjoint.transform_wrench(kin.E_wj, hybrid.F), needed, 1e-8)


def test_the_center_of_mass_moves_with_the_momentum():
    case = random_situation(4, 6)
    model, kin = case.model, case.kin
    rate = oracles.derivative(lambda s: energy.center_of_mass(model, moved(case, 0.0 * kin.qdot, s)))
    velocity = energy.center_of_mass_velocity(model, kin)
    oracles.assert_close(velocity, rate, oracles.DIFFERENCED)
    oracles.assert_close(energy.linear_momentum(model, kin), model.mass * rate, oracles.DIFFERENCED)


def test_angular_momentum_about_a_point_is_the_moment_of_all_momenta():
    model, kin, *_ = random_situation(5, 6)
    for about in (np.zeros(3), energy.center_of_mass(model, kin), np.array([1.0, -2.0, 3.0])):
        R, x, phi = kin.E_wi[:, :3, :3], kin.E_wi[:, :3, 3], kin.phi
        spin = (R @ (model.inertia[:, :3] * phi[:, :3])[:, :, None])[:, :, 0]
        p = model.inertia[:, 3:] * (R @ phi[:, 3:, None])[:, :, 0]
        expected = (spin + np.cross(x - about, p)).sum(axis=0)
        oracles.assert_close(energy.angular_momentum(model, kin, about), expected, ROUND_OFF)


@few
@trees
def test_driving_and_constraint_wrenches_add_up_and_only_one_of_them_works(seed, n):
    model, kin, applied, qddot, _ = random_situation(seed, n)
    result = recursive.inverse_dynamics(model, kin, applied, qddot)
    driving, constraint = energy.split_joint_wrenches(model, kin, result.F)
    oracles.assert_close(driving + constraint, result.F, ROUND_OFF)
    for j in range(n):
        S = kin.S[:, model.columns(j)]
        # 1e-10: S may be as close as 0.25 to losing rank, and wrenches reach 1e3.
        oracles.assert_close(S.T @ constraint[j], np.zeros(S.shape[1]), 1e-10)
        oracles.assert_close(S.T @ driving[j], result.tau[model.columns(j)], 1e-10)


def test_the_driving_wrench_of_a_hinge_is_its_torque_about_the_axis():
    model, kin, applied, qddot, _ = random_situation(6, 1, kinds=["revolute"])
    result = recursive.inverse_dynamics(model, kin, applied, qddot)
    driving, _ = energy.split_joint_wrenches(model, kin, result.F)
    oracles.assert_close(driving[0], kin.S[:, 0] * result.tau[0], ROUND_OFF)
